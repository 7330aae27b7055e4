//! Two sides, definition by definition: what each cost before and after, and what can be said of the difference.

use std::collections::BTreeSet;

use analysis::locate::UnplacedReason;
use analysis::recording::TraceInfo;
use analysis::summary::DefinitionKey;
use profile::model::{Amount, Unit};
use profile::problem::Problem;

use crate::change::{Change, FunctionChange, Presence, judge};
use crate::run::Run;
use crate::side::{MeanLedger, Side};
use crate::statistics::{effect, effective};
use crate::verdict::{Method, Settings, Verdict};
use crate::work::Per;

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
    /// If they have nothing in common: one has no samples, they have different units, nothing of one lies in the workspace.
    pub fn of(before: &[Run], after: &[Run], per: Per, settings: Settings) -> Result<Self, Problem> {
        let unit = comparable(before, after, &per)?;
        let reference = match per {
            Per::Run | Per::Marker(_) => 1,
            Per::Active | Per::Function(_) => {
                before.iter().map(|run| run.work.0).sum::<u64>() / before.len().max(1) as u64
            }
        };
        let sides = [before, after].map(|runs| Side::of(runs, reference));
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
        let comparison = Self::of_sides(&sides, unit, per, method, settings);
        let [was, is] = comparison.sides;
        let [was_traces, is_traces] = traces;
        problems.extend(comparison.problems);
        Ok(Self {
            sides: [Subject { traces: was_traces, ..was }, Subject { traces: is_traces, ..is }],
            problems,
            ..comparison
        })
    }

    /// Compares two sides of which the means, and how sure they are, are known.
    pub fn of_sides(sides: &[Side; 2], unit: Unit, per: Per, method: Method, settings: Settings) -> Self {
        let [was, is] = sides;
        let mut whole = Change {
            before: was.active_time(),
            after: is.active_time(),
            samples: [was.samples, is.samples],
            effect: effect(&was.active, &is.active, settings.noise),
            effective: effective([&was.active, &is.active]),
            verdict: Verdict::Unsure,
        };
        let keys: BTreeSet<&DefinitionKey> = was.functions.keys().chain(is.functions.keys()).collect();
        let mut functions: Vec<_> =
            keys.into_iter().map(|key| FunctionChange::of(key, sides, settings)).collect();
        judge(&mut whole, &mut functions, sides, settings);
        functions.sort_by(|a, b| a.order(settings).cmp(&b.order(settings)).then_with(|| a.key.cmp(&b.key)));
        let problems = [Presence::Before, Presence::After]
            .into_iter()
            .filter_map(|presence| not_comparable(&functions, presence, sides, settings))
            .collect();
        let subjects =
            [was, is].map(|side| Subject { traces: Vec::new(), runs: side.runs, total: side.ledger.total() });
        Self {
            unit,
            per,
            method,
            settings,
            whole,
            functions,
            ledger: ledger(was, is),
            problems,
            sides: subjects,
        }
    }

    /// The functions that cost more for certain, by at least this part: 0.1 for 10 %; and whether all of it does.
    pub fn regressions(&self, least: f64) -> (Vec<&FunctionChange>, bool) {
        let certain = self.functions.iter().filter(|function| function.verdict == Verdict::Regression);
        let functions = certain.filter(|function| is_regression(function.shown(), least)).collect();
        (functions, is_regression(&self.whole, least))
    }
}

fn is_regression(change: &Change, least: f64) -> bool {
    change.verdict == Verdict::Regression && change.ratio().is_some_and(|ratio| ratio >= 1.0 + least)
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
            let hint = "name its folder with --workspace, or map its addresses with --map";
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
    let unplaced = UnplacedReason::ALL.into_iter().map(LedgerRow::Unplaced);
    let rows = [LedgerRow::Placed].into_iter().chain(unplaced).chain([LedgerRow::Idle, LedgerRow::NoStack]);
    let changes = rows.map(|row| LedgerChange {
        row,
        before: amount_of(&before.ledger, row),
        after: amount_of(&after.ledger, row),
    });
    changes.filter(|change| change.row == LedgerRow::Placed || change.before.0 + change.after.0 > 0).collect()
}

fn amount_of(ledger: &MeanLedger, row: LedgerRow) -> Amount {
    match row {
        LedgerRow::Placed => ledger.placed,
        LedgerRow::Unplaced(reason) => ledger.unplaced.get(&reason).copied().unwrap_or_default(),
        LedgerRow::Idle => ledger.idle,
        LedgerRow::NoStack => ledger.no_stack,
    }
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
