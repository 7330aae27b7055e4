//! What a comparison keeps of a recording: costs by definition and where the rest of the time went, but no stacks. So many runs fit
//! into memory, and each trace can be dropped before the next one is read.

use std::collections::BTreeMap;
use std::sync::Arc;

use analysis::anchor::Freshness;
use analysis::locate::UnplacedReason;
use analysis::recording::{Recording, TraceInfo};
use analysis::summary::{Base, DefinitionKey, Ledger, Measured};
use profile::model::{Amount, Unit};
use profile::problem::Problem;
use profile::tally::Cost;
use profile::uncertainty::Interval;
use source::text::LineCol;

use crate::work::Work;

/// One trace of a side.
#[derive(Clone, Debug)]
pub struct Run {
    /// The trace.
    pub trace: TraceInfo,
    /// What it measured.
    pub unit: Unit,
    /// Where all its time went.
    pub ledger: Ledger,
    /// What should be known of it.
    pub problems: Vec<Problem>,
    pub(crate) work: Work,
    /// The sessions that are added up in it: runs that came in one file.
    pub(crate) sessions: u64,
    pub(crate) functions: BTreeMap<DefinitionKey, RunCost>,
    /// Time that may belong to functions of the workspace, and is not on their definitions: by resource.
    pub(crate) hidden: BTreeMap<Arc<str>, Amount>,
}

/// What a definition cost in one run.
#[derive(Clone, Debug)]
pub(crate) struct RunCost {
    pub(crate) info: Arc<FunctionInfo>,
    pub(crate) cost: Cost,
    /// The sums over its sessions of the squares of self and total time; 0 where they are not known.
    pub(crate) squares: [f64; 2],
    /// The squared coefficients of variation of self and total time by the error of sampling; `None` where they were not sampled.
    pub(crate) sampling: [Option<f64>; 2],
}

/// What a definition is, as one side knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionInfo {
    /// Its name for people.
    pub name: Arc<str>,
    /// The start of its name, or of itself if it has none, in today's text; of a definition that is gone in the text that ran. 0-based,
    /// UTF-16.
    pub start: LineCol,
    /// The position after the last character of its body.
    pub end: LineCol,
    /// What became of it since it was measured.
    pub freshness: Freshness,
    /// Hash of the code that was measured.
    pub code: u64,
}

impl Run {
    /// What a recording of one trace cost, and the work that it did (see [`crate::work::Per::of`]).
    pub fn of(recording: &Recording, work: Work) -> Self {
        let definitions = recording.summary.definitions.iter();
        let functions =
            definitions.map(|(key, measured)| (key.clone(), RunCost::of(recording, measured))).collect();
        let trace = recording.traces.first().cloned();
        Self {
            trace: trace.expect("a recording is of a trace"),
            unit: recording.unit,
            ledger: recording.summary.ledger.clone(),
            problems: recording.problems.clone(),
            work,
            sessions: recording.summary.sessions.max(1),
            functions,
            hidden: hidden(recording),
        }
    }

    /// Its active time.
    pub(crate) fn active(&self) -> Amount {
        self.ledger.base(Base::Active)
    }
}

impl RunCost {
    fn of(recording: &Recording, measured: &Measured) -> Self {
        let info = FunctionInfo {
            name: Arc::clone(&measured.name),
            start: measured.start,
            end: measured.end,
            freshness: measured.freshness,
            code: measured.code,
        };
        let intervals = recording.summary.sampling_intervals(measured);
        Self {
            info: info.into(),
            cost: measured.cost,
            squares: measured.squares,
            sampling: intervals.map(|interval| interval.map(variation)),
        }
    }
}

fn hidden(recording: &Recording) -> BTreeMap<Arc<str>, Amount> {
    let mut hidden: BTreeMap<Arc<str>, Amount> = BTreeMap::new();
    let unplaced = recording.summary.ledger.unplaced.iter();
    for (_, unplaced) in unplaced.filter(|(reason, _)| may_be_ours(**reason)) {
        for (resource, time) in &unplaced.examples {
            *hidden.entry(Arc::clone(resource)).or_default() += *time;
        }
    }
    for lost in recording.lost_maps.iter().filter(|lost| lost.time > Amount(0)) {
        *hidden.entry(lost.generated.as_str().into()).or_default() += lost.time;
    }
    hidden
}

/// Whether unplaced time may belong to definitions of the workspace that could not be found.
fn may_be_ours(reason: UnplacedReason) -> bool {
    use UnplacedReason::{Ambiguous, MapBroken, NoDefinition, NotInWorkspace, OtherText, OutsideMap};
    matches!(reason, Ambiguous | MapBroken | NoDefinition | NotInWorkspace | OtherText | OutsideMap)
}

/// The squared coefficient of variation for which an interval is one of 95 %.
fn variation(interval: Interval) -> f64 {
    const WIDTH: f64 = 2.0 * 1.959_964;
    let Interval { low, high } = interval;
    let deviation = if low > 0.0 { (high / low).ln() / WIDTH } else { (high - 1.0).max(1.0) * 2.0 / WIDTH };
    deviation * deviation
}
