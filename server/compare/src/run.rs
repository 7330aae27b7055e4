//! The parts of a recording that a comparison keeps: costs by definition and where the rest of the time went, but no
//! stacks. Many runs therefore fit into memory, and each trace can be dropped before the next one is read.

use std::collections::BTreeMap;
use std::sync::Arc;

use analysis::anchor::Freshness;
use analysis::counts::CallCounts;
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
    /// What should be known about it.
    pub problems: Vec<Problem>,
    pub(crate) work: Work,
    /// The number of sessions in it: runs that came in one file.
    pub(crate) sessions: u64,
    pub(crate) functions: BTreeMap<DefinitionKey, RunCost>,
    /// How often functions were called in another run of the same program, if that was counted.
    pub(crate) calls: Option<Arc<CallCounts>>,
    /// Time that may belong to functions of the workspace but was not placed on their definitions, by resource.
    pub(crate) hidden: BTreeMap<Arc<str>, Amount>,
}

/// What a definition cost in one run.
#[derive(Clone, Debug)]
pub(crate) struct RunCost {
    pub(crate) info: Arc<FunctionInfo>,
    pub(crate) cost: Cost,
    /// The sums over its sessions of the squares of self and total time; 0 if not known.
    pub(crate) squares: [f64; 2],
    /// The squared coefficients of variation of self and total time due to the sampling error; `None` if they were not sampled.
    pub(crate) sampling: [Option<f64>; 2],
}

/// A definition as one side knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionInfo {
    /// Its name for people.
    pub name: Arc<str>,
    /// The start of its name, or of the definition if it has none, in today's text; for a definition that is gone, in the text that
    /// ran. 0-based, UTF-16.
    pub start: LineCol,
    /// The position after the last character of its body.
    pub end: LineCol,
    /// What has become of it since it was measured.
    pub freshness: Freshness,
    /// Hash of the code that was measured.
    pub code: u64,
}

impl Run {
    /// The costs of a recording of one trace, and the work that it did (see [`crate::work::Per::of`]).
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
            calls: recording.counts.clone(),
            hidden: hidden(recording),
        }
    }

    /// Adds how often functions were called in another run of the same program.
    pub fn count(&mut self, calls: Arc<CallCounts>) {
        self.problems.extend(calls.problems.iter().cloned());
        self.calls = Some(calls);
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
    use UnplacedReason::{
        Ambiguous, MapBroken, NoDefinition, NotInWorkspace, OtherText, OutsideMap, Transformed,
    };
    matches!(
        reason,
        Ambiguous | MapBroken | NoDefinition | NotInWorkspace | OtherText | OutsideMap | Transformed
    )
}

/// The squared coefficient of variation that has this 95 % interval.
fn variation(interval: Interval) -> f64 {
    const WIDTH: f64 = 2.0 * 1.959_964;
    let Interval { low, high } = interval;
    let deviation = if low > 0.0 { (high / low).ln() / WIDTH } else { (high - 1.0).max(1.0) * 2.0 / WIDTH };
    deviation * deviation
}

#[cfg(test)]
mod tests {
    use analysis::files::FilePath;
    use analysis::recording::LostMap;
    use analysis::summary::UnplacedTime;
    use profile::model::Weight;

    use super::*;
    use crate::fixtures::{milliseconds, placed, trace};

    #[test]
    fn what_is_kept_of_a_recording() {
        let (recording, _) = placed(
            "
//- /app.js
function $1main() {
  parse();
}
function $2parse() {}
//- trace before
6        4         5
main@$1  main@$1   ?sort
         parse@$2
",
        );
        let run = Run::of(&recording, Work(7));
        let functions = run.functions.iter().map(|(key, RunCost { info, cost, sampling, .. })| {
            let [own, total] = [cost.self_time, cost.total_time].map(milliseconds);
            let FunctionInfo { name, start, end, freshness, code } = &**info;
            assert_ne!(*code, 0, "the hash of the code");
            let known = sampling.map(|variation| variation.is_some_and(|variation| variation > 0.0));
            let range = format!("{}:{} to {}:{}", start.line, start.column, end.line, end.column);
            format!("{key:?} {name} {range} {} {own}/{total} {known:?}", freshness.name())
        });
        let expected = [
            r#"DefinitionKey { file: /app.js, path: "main" } main 0:9 to 2:1 fresh 6/10 [true, true]"#,
            r#"DefinitionKey { file: /app.js, path: "parse" } parse 3:9 to 3:19 fresh 4/4 [true, true]"#,
        ];
        assert_eq!(functions.collect::<Vec<_>>(), expected);
        let Run { trace, unit, work, sessions, .. } = &run;
        assert_eq!((&*trace.name, *unit, *work, *sessions), ("before", Unit::Time, Work(7), 1));
        assert_eq!(milliseconds(run.active()), 15.0);
    }

    #[test]
    fn what_may_hide_functions_of_the_workspace() {
        let time = |time| UnplacedTime {
            spent: Weight { time: Amount(time), samples: 1 },
            examples: BTreeMap::from([("a.js".into(), Amount(time)), ("b.js".into(), Amount(1))]),
        };
        let lost = |generated: &str, time| LostMap {
            generated: FilePath::new(generated),
            wanted: String::new(),
            refusal: None,
            time: Amount(time),
        };
        let mut recording = Recording {
            traces: vec![trace("before")],
            lost_maps: vec![lost("/dist/a.js", 5), lost("/dist/none.js", 0), lost("/dist/a.js", 2)],
            ..Recording::default()
        };
        let reasons = [UnplacedReason::Native, UnplacedReason::OtherText, UnplacedReason::MapBroken];
        recording.summary.ledger.unplaced = reasons.into_iter().zip([100, 10, 20].map(time)).collect();
        let hidden = Run::of(&recording, Work(1)).hidden;
        let hidden: Vec<_> = hidden.iter().map(|(resource, time)| (&**resource, time.0)).collect();
        assert_eq!(hidden, [("/dist/a.js", 7), ("a.js", 30), ("b.js", 2)]);

        let ours = UnplacedReason::ALL.into_iter().filter(|reason| may_be_ours(*reason));
        let ours: Vec<_> = ours.map(UnplacedReason::name).collect();
        let expected = [
            "not-in-workspace",
            "other-text",
            "map-broken",
            "outside-map",
            "transformed",
            "no-definition",
            "ambiguous",
        ];
        assert_eq!(ours, expected);
    }

    /// 95 % of a normal distribution are within 1.96 standard deviations: the range from half to twice is 2 ln 2, which is 3.92 of them.
    #[test]
    fn the_variation_of_an_interval() {
        let cases = [
            ("half to twice", 0.5, 2.0, 0.125_070),
            ("nothing to three times", 0.0, 3.0, 1.041_271),
            ("nothing to a little more", 0.0, 1.5, 0.260_318),
        ];
        for (name, low, high, expected) in cases {
            let variation = (variation(Interval { low, high }) * 1e6).round() / 1e6;
            assert_eq!(variation, expected, "{name}");
        }
    }
}
