//! Two sides, definition by definition: what each cost before and after, and what can be said of the difference.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use analysis::{DefinitionKey, Freshness, TraceInfo, UnplacedReason, share};
use profile::{Amount, Problem, Unit};

use crate::run::{FunctionInfo, Run};
use crate::side::{FunctionMeans, Side};
use crate::statistics::{Effect, Estimate, MIN_RUNS, adjust, effect};
use crate::verdict::{Method, Verdict};
use crate::work::Per;

/// How differences are judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The part of false alarms that is allowed, 0..1.
    pub level: f64,
    /// The standard deviation that is assumed between runs where there is one a side, as a part of the time.
    pub noise: f64,
    /// Functions with a smaller part of the active time are not judged.
    pub least_share: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { level: 0.05, noise: 0.1, least_share: 0.005 }
    }
}

/// Functions with fewer samples in a mean run are not judged: chance decides whether such a function has any.
const LEAST_SAMPLES: f64 = 5.0;

/// Two sides, definition by definition.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// What was measured.
    pub unit: Unit,
    /// The unit of work that times are of.
    pub per: Per,
    /// What is compared, before and after.
    pub sides: [Subject; 2],
    /// By what differences were judged.
    pub method: Method,
    /// How.
    pub settings: Settings,
    /// The active time.
    pub whole: Change,
    /// All definitions: those that changed for certain first, the largest difference first.
    pub functions: Vec<FunctionChange>,
    /// Where the time went; the differences of the self times of all functions and those of all but the first row of this add up to
    /// that of all time.
    pub ledger: Vec<LedgerChange>,
    /// What should be known, of each trace and of the comparison.
    pub problems: Vec<Problem>,
}

/// One side.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Its traces.
    pub traces: Vec<TraceInfo>,
    /// The number of runs: traces, or the sessions in them.
    pub runs: u64,
    /// All time of a mean run.
    pub total: Amount,
}

/// An amount before and after.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// Of a mean run before.
    pub before: Amount,
    /// Of a mean run after.
    pub after: Amount,
    /// The samples of all runs, before and after.
    pub samples: [u64; 2],
    /// How sure the difference is; `None` where nothing is known of that.
    pub effect: Option<Effect>,
    /// What is said of it.
    pub verdict: Verdict,
}

/// Which sides have a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Both.
    Both,
    /// Only the side before.
    Before,
    /// Only the side after.
    After,
}

/// A definition before and after.
#[derive(Clone, Debug)]
pub struct FunctionChange {
    /// The definition.
    pub key: DefinitionKey,
    /// What is known of it, by the side after if that has it.
    pub info: Arc<FunctionInfo>,
    /// Which sides have it.
    pub presence: Presence,
    /// Whether other code ran before than after; `None` if one side does not have it.
    pub edited: Option<bool>,
    /// Its self time.
    pub self_time: Change,
    /// Its total time.
    pub total_time: Change,
    /// What is said of it.
    pub verdict: Verdict,
}

/// A row of the ledger before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LedgerChange {
    /// What the row is.
    pub row: LedgerRow,
    /// Of a mean run before.
    pub before: Amount,
    /// Of a mean run after.
    pub after: Amount,
}

/// A row of the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LedgerRow {
    /// Self time of definitions.
    Placed,
    /// Unplaced time.
    Unplaced(UnplacedReason),
    /// Idle time.
    Idle,
    /// Samples without a stack.
    NoStack,
}

impl Comparison {
    /// Compares two sides of runs.
    ///
    /// # Errors
    /// One sentence, if they have nothing in common: one has no samples, they have different units, nothing of one lies in the
    /// workspace.
    pub fn of(before: &[Run], after: &[Run], per: Per, settings: Settings) -> Result<Self, String> {
        let unit = comparable(before, after, &per)?;
        let reference = match per {
            Per::Run | Per::Marker(_) => 1,
            Per::Active | Per::Function(_) => {
                before.iter().map(|it| it.work.0).sum::<u64>() / before.len().max(1) as u64
            }
        };
        let sides = [before, after].map(|runs| Side::of(runs, reference));
        let [was, is] = &sides;
        let active = |side: &Side| Amount(side.active.mean as u64);
        let mut whole = Change {
            before: active(was),
            after: active(is),
            samples: [before, after].map(|runs| runs.iter().map(|it| it.trace.samples).sum()),
            effect: effect(&was.active, &is.active, settings.noise),
            verdict: Verdict::Unsure,
        };
        let keys: BTreeSet<&DefinitionKey> = was.functions.keys().chain(is.functions.keys()).collect();
        let mut functions: Vec<_> =
            keys.into_iter().map(|key| FunctionChange::of(key, &sides, settings)).collect();
        judge(&mut whole, &mut functions, &sides, settings);
        functions.sort_by(|a, b| a.order(settings).cmp(&b.order(settings)).then_with(|| a.key.cmp(&b.key)));
        let mut problems: Vec<Problem> = Vec::new();
        for run in before.iter().chain(after) {
            problems
                .extend(run.problems.iter().filter(|it| !problems.contains(it)).cloned().collect::<Vec<_>>());
        }
        problems.extend(not_comparable(&functions));
        let subject = |runs: &[Run], side: &Side| Subject {
            traces: runs.iter().map(|it| it.trace.clone()).collect(),
            runs: side.runs,
            total: side.ledger.total(),
        };
        Ok(Self {
            unit,
            per,
            method: method(was, is, before),
            settings,
            whole,
            functions,
            ledger: ledger(was, is),
            problems,
            sides: [subject(before, was), subject(after, is)],
        })
    }

    /// The functions that cost more for certain, by at least this part: 0.1 for 10 %; and whether all of it does.
    pub fn regressions(&self, least: f64) -> (Vec<&FunctionChange>, bool) {
        let is_one =
            |it: &Change| it.verdict == Verdict::Regression && it.ratio().is_some_and(|it| it >= 1.0 + least);
        let functions =
            self.functions.iter().filter(|it| it.verdict == Verdict::Regression && is_one(it.shown()));
        (functions.collect(), is_one(&self.whole))
    }
}

impl Change {
    /// After less before.
    pub fn difference(&self) -> i64 {
        self.after.0.cast_signed() - self.before.0.cast_signed()
    }

    /// After through before; `None` where there was nothing before.
    pub fn ratio(&self) -> Option<f64> {
        (self.before.0 > 0).then(|| self.after.0 as f64 / self.before.0 as f64)
    }

    fn of(
        before: Option<&FunctionMeans>,
        after: Option<&FunctionMeans>,
        which: usize,
        sides: &[Side; 2],
        settings: Settings,
    ) -> Self {
        let mean = |it: Option<&FunctionMeans>| it.map(|it| it.means[which]).unwrap_or_default();
        let estimate = |it: Option<&FunctionMeans>, side: &Side| {
            it.map_or(Estimate { runs: side.runs, ..Estimate::default() }, |it| it.estimates[which])
        };
        let [was, is] = sides;
        Self {
            before: mean(before),
            after: mean(after),
            samples: [before, after].map(|it| it.map_or(0, |it| it.samples[which])),
            effect: effect(&estimate(before, was), &estimate(after, is), settings.noise),
            verdict: Verdict::Unsure,
        }
    }

    /// Whether it is large enough to be judged. That is asked of both sides together, so that it tells nothing of their difference
    /// (Bourgon, Gentleman, Huber 2010, "Independent filtering").
    fn is_large(&self, sides: &[Side; 2], settings: Settings) -> bool {
        let [was, is] = sides;
        let active = Amount((was.active.mean + is.active.mean) as u64);
        let samples = (self.samples[0] + self.samples[1]) as f64 / (was.runs + is.runs) as f64;
        share(self.before + self.after, active) >= settings.least_share && samples >= LEAST_SAMPLES
    }

    fn judge(&mut self, sides: &[Side; 2], settings: Settings) {
        let Some(effect) = self.effect else { return };
        let is_certain = sides.iter().all(|it| it.runs >= MIN_RUNS);
        self.verdict = match effect.interval {
            _ if effect.q <= settings.level && self.difference() != 0 => {
                Verdict::of(self.difference() > 0, is_certain)
            }
            Some([low, high]) if low > 1.0 - settings.noise && high < 1.0 + settings.noise => {
                Verdict::Unchanged
            }
            _ => Verdict::Unsure,
        };
    }
}

/// Judges all changes that are large enough, at once.
fn judge(whole: &mut Change, functions: &mut [FunctionChange], sides: &[Side; 2], settings: Settings) {
    let mut asked: Vec<&mut Effect> = whole.effect.as_mut().into_iter().collect();
    for function in functions.iter_mut() {
        for change in [&mut function.self_time, &mut function.total_time] {
            if change.is_large(sides, settings) {
                asked.extend(change.effect.as_mut());
            }
        }
    }
    adjust(&mut asked);
    whole.judge(sides, settings);
    functions.iter_mut().for_each(|it| it.judge(sides, settings));
}

impl FunctionChange {
    fn of(key: &DefinitionKey, sides: &[Side; 2], settings: Settings) -> Self {
        let [was, is] = [0, 1].map(|it: usize| sides[it].functions.get(key));
        let presence = match (was, is) {
            (Some(_), None) => Presence::Before,
            (None, Some(_)) => Presence::After,
            _ => Presence::Both,
        };
        let [self_time, total_time] = [0, 1].map(|which| Change::of(was, is, which, sides, settings));
        let info = is.or(was).map(|it| Arc::clone(&it.info)).expect("one side has it");
        let edited = was.zip(is).map(|(was, is)| was.info.code != is.info.code);
        Self { key: key.clone(), info, presence, edited, self_time, total_time, verdict: Verdict::Unsure }
    }

    /// Whether it is in today's text.
    pub fn is_in_text(&self) -> bool {
        self.info.freshness != Freshness::Gone
    }

    /// The time that tells most of what changed: the total time where that changed for certain and what it calls has the larger part in
    /// that, else the self time.
    pub fn shown(&self) -> &Change {
        let calls = self.total_time.difference().abs() > 2 * self.self_time.difference().abs();
        let is_change = self.total_time.verdict.is_change();
        if is_change && (calls || !self.self_time.verdict.is_change()) {
            &self.total_time
        } else {
            &self.self_time
        }
    }

    /// Whether it is the total time that is shown.
    pub fn shows_total(&self) -> bool {
        std::ptr::eq(self.shown(), &raw const self.total_time)
    }

    fn judge(&mut self, sides: &[Side; 2], settings: Settings) {
        self.self_time.judge(sides, settings);
        self.total_time.judge(sides, settings);
        let [was, is] = sides;
        let is_hidden = |other: &Side, this: &Side| {
            let more = (other.hidden - this.hidden).0;
            more > 0 && more >= (self.total_time.before + self.total_time.after).0 / 2
        };
        self.verdict = match self.presence {
            Presence::Before if is_hidden(is, was) => Verdict::NotComparable,
            Presence::After if is_hidden(was, is) => Verdict::NotComparable,
            Presence::Before => Verdict::Gone,
            Presence::After => Verdict::New,
            Presence::Both => self.both(),
        };
    }

    /// The verdict of a function that both sides have.
    fn both(&self) -> Verdict {
        let (own, total) = (&self.self_time, &self.total_time);
        if total.verdict.is_change() {
            return total.verdict;
        }
        if own.verdict.is_change() {
            return if self.is_shifted() { Verdict::Shifted } else { own.verdict };
        }
        match (own.verdict, total.verdict) {
            (Verdict::Unchanged, Verdict::Unchanged) => Verdict::Unchanged,
            _ => Verdict::Unsure,
        }
    }

    /// Whether the total time, for all that is known, changed by less than half of what the self time changed by.
    fn is_shifted(&self) -> bool {
        let total = &self.total_time;
        let Some([low, high]) = total.effect.and_then(|it| it.interval) else { return false };
        // The interval is that of the ratio of means.
        let differences = [low, high].map(|it| (it - 1.0) * total.before.0 as f64);
        let half = self.self_time.difference() as f64 / 2.0;
        if half > 0.0 { differences[1] < half } else { differences[0] > half }
    }

    /// Whether it is new or gone by more than chance: functions with few samples come and go.
    pub fn is_certain_news(&self, settings: Settings) -> bool {
        matches!(self.verdict, Verdict::New | Verdict::Gone)
            && self.self_time.effect.or(self.total_time.effect).is_some_and(|it| it.q <= settings.level)
    }

    /// What it is sorted by.
    fn order(&self, settings: Settings) -> (u8, Reverse<u64>) {
        let rank = match self.verdict {
            Verdict::New | Verdict::Gone if !self.is_certain_news(settings) => 3,
            Verdict::Regression | Verdict::Improvement => 0,
            Verdict::PossibleRegression | Verdict::PossibleImprovement => 1,
            Verdict::Shifted | Verdict::New | Verdict::Gone => 2,
            Verdict::NotComparable | Verdict::Unchanged | Verdict::Unsure => 3,
        };
        (rank, Reverse(self.shown().difference().unsigned_abs()))
    }
}

/// The unit of both sides.
fn comparable(before: &[Run], after: &[Run], per: &Per) -> Result<Unit, String> {
    let title = |runs: &[Run]| runs.iter().map(|it| it.trace.name.clone()).next().unwrap_or_default();
    let (Some(first), Some(second)) = (before.first(), after.first()) else {
        return Err("One of the sides has no trace. Name the traces before and after.".to_owned());
    };
    if first.unit != second.unit {
        let measures = |it: &Run| match it.unit {
            Unit::Time => "measures time",
            Unit::Bytes => "counts allocated bytes",
        };
        return Err(format!(
            "{} {} and {} {}: they cannot be compared. Name traces of the same kind.",
            title(before),
            measures(first),
            title(after),
            measures(second)
        ));
    }
    for runs in [before, after] {
        if runs.iter().all(|it| it.active().0 == 0) {
            return Err(format!(
                "{} has no samples of running code: there is nothing to compare. Record it again.",
                title(runs)
            ));
        }
        if runs.iter().all(|it| it.functions.is_empty()) {
            return Err(format!(
                "Nothing of {} lies in this workspace: its functions cannot be compared. Name its folder with --workspace, or map its addresses with --map.",
                title(runs)
            ));
        }
    }
    let counts = |runs: &[Run]| {
        runs.iter().any(|it| it.unit == Unit::Time && it.trace.interval.is_none() && it.trace.duration.0 == 0)
    };
    if counts(before) != counts(after) && *per != Per::Active {
        let (counted, timed) = if counts(before) { (before, after) } else { (after, before) };
        return Err(format!(
            "{} counts samples and {} has times: only their shares can be compared. Add --per active.",
            title(counted),
            title(timed)
        ));
    }
    Ok(first.unit)
}

fn method(before: &Side, after: &Side, runs: &[Run]) -> Method {
    match (before.runs, after.runs) {
        (1, 1) if runs.iter().all(|it| it.functions.values().any(|it| it.sampling[0].is_some())) => {
            Method::Sampling
        }
        (1, 1) | (1, 2) | (2, 1) => Method::Nothing,
        (1, _) | (_, 1) => Method::OneAgainstMany,
        _ => Method::Runs,
    }
}

fn ledger(before: &Side, after: &Side) -> Vec<LedgerChange> {
    let [was, is] = [&before.ledger, &after.ledger];
    let change = |row, before, after| LedgerChange { row, before, after };
    let mut rows = vec![change(LedgerRow::Placed, was.placed, is.placed)];
    for reason in UnplacedReason::ALL {
        let of = |it: &crate::side::MeanLedger| it.unplaced.get(&reason).copied().unwrap_or_default();
        rows.push(change(LedgerRow::Unplaced(reason), of(was), of(is)));
    }
    rows.push(change(LedgerRow::Idle, was.idle, is.idle));
    rows.push(change(LedgerRow::NoStack, was.no_stack, is.no_stack));
    rows.retain(|it| it.row == LedgerRow::Placed || it.before.0 + it.after.0 > 0);
    rows
}

/// The problem of functions that only one side could place.
fn not_comparable(functions: &[FunctionChange]) -> Option<Problem> {
    let them: Vec<_> = functions.iter().filter(|it| it.verdict == Verdict::NotComparable).collect();
    let first = them.first()?;
    let other = if first.presence == Presence::Before { "after" } else { "before" };
    Some(Problem {
        what: format!(
            "{} could be placed on one side only, as a source map or a file is missing {other}: they are no change",
            analysis::format::count(them.len() as u64, "function")
        ),
        place: first.info.name.to_string(),
        hint: "see with proflens doctor what is missing there".to_owned(),
    })
}
