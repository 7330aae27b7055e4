//! Two sides, definition by definition: what each cost before and after, and what can be said about the difference.

use std::collections::BTreeSet;

use analysis::locate::UnplacedReason;
use analysis::recording::TraceInfo;
use analysis::summary::DefinitionKey;
use profile::model::{Amount, Unit};
use profile::problem::Problem;

use crate::calls::{CallsChange, CallsOfSides, counted_on_one_side, not_counted, not_divided};
use crate::change::{Change, FunctionChange, Presence, judge};
use crate::machine::Machine;
use crate::power::runs_needed;
use crate::run::Run;
use crate::side::{LedgerRow, Side};
use crate::statistics::{Effect, effect, effective};
use crate::verdict::{Method, Settings, Verdict};
use crate::work::Per;

/// Two sides, definition by definition.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// What was measured.
    pub unit: Unit,
    /// The unit of work that times are relative to.
    pub per: Per,
    /// How fast the machine was in the runs, if that is what times are relative to.
    pub machine: Option<Machine>,
    /// What is compared, before and after.
    pub sides: [Subject; 2],
    /// How many runs per side it takes until a change of [`SHOWN`](crate::power::SHOWN) shows in the functions with half
    /// of the time; `None` if not known.
    pub runs_needed: Option<u64>,
    /// The method by which the differences were judged.
    pub method: Method,
    /// The settings for that.
    pub settings: Settings,
    /// The active time.
    pub whole: Change,
    /// All definitions, starting with those that certainly changed, those that changed most first.
    pub functions: Vec<FunctionChange>,
    /// Where the time went. The differences of the self times of all functions, plus those of all rows here except the
    /// first, add up to the difference of all time.
    pub ledger: Vec<LedgerChange>,
    /// What should be known about each trace and about the comparison.
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

/// A row of the ledger before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LedgerChange {
    /// The kind of row.
    pub row: LedgerRow,
    /// Of a mean run before.
    pub before: Amount,
    /// Of a mean run after.
    pub after: Amount,
}

impl Comparison {
    /// Compares two sides of runs.
    ///
    /// # Errors
    /// If they have nothing in common: one has no samples, they have different units, or nothing on one side is in the
    /// workspace. Or if times are to be divided by calls that were not counted on both sides.
    pub fn of(before: &[Run], after: &[Run], per: Per, settings: Settings) -> Result<Self, Problem> {
        let unit = comparable(before, after, &per)?;
        let calls = CallsOfSides::of([before, after], matches!(per, Per::Marker(_)));
        let as_often: Option<Vec<Run>> = match per {
            Per::Call => {
                let calls = calls.as_ref().ok_or_else(not_counted)?;
                Some(before.iter().map(|run| calls.as_often_as_after(run)).collect())
            }
            _ => None,
        };
        let before = as_often.as_deref().unwrap_or(before);
        let machine = match per {
            Per::Machine | Per::Call => Machine::of([before, after], settings),
            _ => None,
        };
        let per = if per == Per::Machine && machine.is_none() { Per::Run } else { per };
        let (machine, sides) = match machine {
            Some((machine, adjustment)) => (Some(machine), adjustment.sides()),
            None => (None, sides([before, after], &per)),
        };
        let traces = [before, after].map(|runs| runs.iter().map(|run| run.trace.clone()).collect());
        let method = method(&sides[0], &sides[1], before);
        let mut problems: Vec<Problem> = Vec::new();
        for run in before.iter().chain(after) {
            problems.extend(
                run.problems
                    .iter()
                    .filter(|problem| !problems.contains(problem))
                    .cloned()
                    .collect::<Vec<_>>(),
            );
        }
        problems.extend(counted_on_one_side([before, after]));
        let mut comparison = Self::of_sides(&sides, unit, per, method, settings);
        if let Some(calls) = &calls {
            comparison.count(calls);
        }
        let [was, is] = comparison.sides;
        let [was_traces, is_traces] = traces;
        problems.extend(comparison.problems);
        Ok(Self {
            sides: [Subject { traces: was_traces, ..was }, Subject { traces: is_traces, ..is }],
            machine,
            problems,
            ..comparison
        })
    }

    /// Adds how often functions were called.
    fn count(&mut self, calls: &CallsOfSides<'_>) {
        let is_per_call = self.per == Per::Call;
        let mut of_a_run = 0;
        for function in &mut self.functions {
            let calls = calls.of_function(&function.key);
            let is_divided = is_per_call && calls.ratio().is_some();
            of_a_run += usize::from(is_per_call && !is_divided && function.presence == Presence::Both);
            function.calls = Some(CallsChange { is_divided, ..calls });
        }
        self.problems.extend(not_divided(of_a_run));
    }

    /// Whether calls were counted on both sides.
    pub fn has_calls(&self) -> bool {
        self.functions.iter().any(|function| function.calls.is_some())
    }

    /// Compares two sides whose means, and their certainty, are known.
    pub fn of_sides(sides: &[Side; 2], unit: Unit, per: Per, method: Method, settings: Settings) -> Self {
        let [was, is] = sides;
        let mut whole = Change {
            before: was.active_time(),
            after: is.active_time(),
            samples: [was.samples, is.samples],
            effect: effect(&was.active, &is.active, settings.noise, settings.level),
            effective: effective([&was.active, &is.active]),
            verdict: Verdict::Unsure,
        };
        let keys: BTreeSet<&DefinitionKey> = was.functions.keys().chain(is.functions.keys()).collect();
        let mut functions: Vec<_> =
            keys.into_iter().map(|key| FunctionChange::of(key, sides, settings)).collect();
        judge(&mut whole, &mut functions, sides, settings);
        let runs = was.runs.min(is.runs);
        let needed = runs_needed(&judged_effects(&functions, sides, settings), runs, settings.level);
        functions.sort_by(|a, b| a.order(settings).cmp(&b.order(settings)).then_with(|| a.key.cmp(&b.key)));
        let problems = [Presence::Before, Presence::After]
            .into_iter()
            .filter_map(|presence| not_comparable(&functions, presence, sides, settings))
            .collect();
        let subjects =
            [was, is].map(|side| Subject { traces: Vec::new(), runs: side.runs, total: side.total() });
        Self {
            unit,
            per,
            machine: None,
            runs_needed: needed.filter(|_| method == Method::Runs),
            method,
            settings,
            whole,
            functions,
            ledger: ledger(was, is),
            problems,
            sides: subjects,
        }
    }

    /// The functions that certainly cost more by at least this fraction, 0.1 for 10 %; and whether the whole program does.
    pub fn regressions(&self, least: f64) -> (Vec<&FunctionChange>, bool) {
        let certain = self.functions.iter().filter(|function| function.verdict == Verdict::Regression);
        let functions = certain.filter(|function| is_regression(function.shown(), least)).collect();
        let machine = self.machine.as_ref();
        let is_slower = machine.is_some_and(|machine| machine.is_regression(least, self.settings));
        (functions, is_slower || is_regression(&self.whole, least))
    }
}

/// How certain the differences of the self times are that were large enough to be judged, and how much time each has.
fn judged_effects(
    functions: &[FunctionChange],
    sides: &[Side; 2],
    settings: Settings,
) -> Vec<(Effect, Amount)> {
    let changes = functions.iter().map(|function| &function.self_time);
    let judged = changes.filter(|change| change.is_large(sides, settings)).filter_map(|change| {
        let effect = change.effect.filter(|effect| effect.interval.is_some())?;
        Some((effect, change.before + change.after))
    });
    judged.collect()
}

fn works(runs: &[Run]) -> Vec<u64> {
    runs.iter().map(|run| run.work.0).collect()
}

fn is_regression(change: &Change, least: f64) -> bool {
    change.verdict == Verdict::Regression && change.ratio().is_some_and(|ratio| ratio >= 1.0 + least)
}

/// Adds up the runs of both sides, each as if it had done the same work.
fn sides(runs: [&[Run]; 2], per: &Per) -> [Side; 2] {
    let reference = match per {
        Per::Run | Per::Machine | Per::Call | Per::Marker(_) => 1,
        Per::Active | Per::Function(_) => works(runs[0]).iter().sum::<u64>() / runs[0].len().max(1) as u64,
    };
    runs.map(|side| Side::of(side, &works(side), reference))
}

/// The unit of both sides.
fn comparable(before: &[Run], after: &[Run], per: &Per) -> Result<Unit, Problem> {
    let (Some(first), Some(second)) = (before.first(), after.first()) else {
        return Err(Problem::new("One of the sides has no trace", "name the traces before and after"));
    };
    if first.unit != second.unit {
        let [was, is] = [first, second].map(|run| match run.unit {
            Unit::Time => format!("{} measures time", run.trace.name),
            Unit::Bytes => format!("{} counts allocated bytes", run.trace.name),
        });
        let what = format!("{was} and {is}: they cannot be compared");
        return Err(Problem::new(what, "name traces of the same kind"));
    }
    for (runs, named) in [(before, first), (after, second)] {
        let name = &named.trace.name;
        if runs.iter().all(|run| run.active().0 == 0) {
            let what = format!("{name} has no samples of running code: there is nothing to compare");
            return Err(Problem::new(what, "record it again"));
        }
        if runs.iter().all(|run| run.functions.is_empty()) {
            let what = format!("Nothing of {name} lies in this workspace: its functions cannot be compared");
            let time = |reason| named.ledger.unplaced.get(&reason).map(|it| it.spent.time);
            let hint = match time(UnplacedReason::Dependency) > time(UnplacedReason::NotInWorkspace) {
                true => "compare the code of its dependencies with --dependencies",
                false => "name its folder with --workspace, or map its addresses with --map",
            };
            return Err(Problem::new(what, hint));
        }
    }
    let [was_counted, is_counted] =
        [before, after].map(|runs| runs.iter().any(|run| run.trace.counts_samples));
    if was_counted != is_counted && *per != Per::Active {
        let (counted, timed) = if was_counted { (first, second) } else { (second, first) };
        let what = format!(
            "{} counts samples and {} has times: only their shares can be compared",
            counted.trace.name, timed.trace.name
        );
        return Err(Problem::new(what, "add --per active"));
    }
    Ok(first.unit)
}

fn method(before: &Side, after: &Side, runs: &[Run]) -> Method {
    match (before.runs, after.runs) {
        (1, 1)
            if runs
                .iter()
                .all(|run| run.functions.values().any(|function| function.sampling[0].is_some())) =>
        {
            Method::Sampling
        }
        (1, 1) | (1, 2) | (2, 1) => Method::Nothing,
        (1, _) | (_, 1) => Method::OneAgainstMany,
        _ => Method::Runs,
    }
}

fn ledger(before: &Side, after: &Side) -> Vec<LedgerChange> {
    let rows: BTreeSet<LedgerRow> = before.ledger.keys().chain(after.ledger.keys()).copied().collect();
    let changes = rows.into_iter().map(|row| {
        let [before, after] = [before, after].map(|side| side.ledger.get(&row).copied().unwrap_or_default());
        LedgerChange { row, before, after }
    });
    changes.filter(|change| change.row == LedgerRow::Placed || change.before.0 + change.after.0 > 0).collect()
}

/// The problem of functions that only one side could place.
fn not_comparable(
    functions: &[FunctionChange],
    presence: Presence,
    [was, is]: &[Side; 2],
    settings: Settings,
) -> Option<Problem> {
    let not_comparable = functions.iter().filter(|function| function.verdict == Verdict::NotComparable);
    let number = not_comparable.filter(|function| function.presence == presence).count();
    let (here, there, hiding, this) = match presence {
        Presence::Before => ("before", "after", is, was),
        _ => ("after", "before", was, is),
    };
    let (_, resource) = hiding.hides_more_than(this, settings.least_share);
    (number > 0).then(|| Problem {
        what: format!(
            "{} could be placed {here} only, and {there} there is time that was not placed: they are no change",
            analysis::format::count(number as u64, "function")
        ),
        place: resource.map(ToString::to_string).unwrap_or_default(),
        hint: "see with proflens doctor what is missing there".to_owned(),
    })
}

#[cfg(test)]
mod tests;
