//! Two sides, definition by definition: what each cost before and after, and what can be said about the difference.

use std::collections::BTreeSet;

use analysis::recording::TraceInfo;
use analysis::summary::DefinitionKey;
use profile::model::{Amount, Unit};
use profile::problem::Problem;

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
    /// How many runs a side it takes until a change of [`SHOWN`](crate::power::SHOWN) shows in functions with half of the time; `None` if
    /// that is not known.
    pub runs_needed: Option<u64>,
    /// What the differences were judged by.
    pub method: Method,
    /// The settings of that judgement.
    pub settings: Settings,
    /// The active time.
    pub whole: Change,
    /// All definitions: first those that certainly changed, by the size of the difference.
    pub functions: Vec<FunctionChange>,
    /// Where the time went. The differences of the self times of all functions, plus those of all rows of this but the first, add
    /// up to the difference of all time.
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
    /// If they have nothing in common: one has no samples, they have different units, or nothing on one side is in the workspace.
    pub fn of(before: &[Run], after: &[Run], per: Per, settings: Settings) -> Result<Self, Problem> {
        let unit = comparable(before, after, &per)?;
        let machine = match per {
            Per::Machine => Machine::of([before, after], settings),
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
        let comparison = Self::of_sides(&sides, unit, per, method, settings);
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

    /// The functions that certainly cost more by at least this part, 0.1 for 10 %; and whether the whole program does.
    pub fn regressions(&self, least: f64) -> (Vec<&FunctionChange>, bool) {
        let certain = self.functions.iter().filter(|function| function.verdict == Verdict::Regression);
        let functions = certain.filter(|function| is_regression(function.shown(), least)).collect();
        let machine = self.machine.as_ref();
        let is_slower = machine.is_some_and(|machine| machine.is_regression(least, self.settings));
        (functions, is_slower || is_regression(&self.whole, least))
    }
}

/// How certain the differences of those self times are that were large enough to be judged, and how much time that is.
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
        Per::Run | Per::Machine | Per::Marker(_) => 1,
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
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::fixtures::{change_line, compare, lines, milliseconds, runs};
    use crate::work::Work;

    /// The problem of two sides, which `change` may change.
    fn problem(table: &str, per: Per, change: impl Fn(&mut [Vec<Run>; 2])) -> String {
        let mut sides = runs(table);
        change(&mut sides);
        let compared = Comparison::of(&sides[0], &sides[1], per, Settings::default());
        compared.map_or_else(|problem| format!("{}: {}", problem.what, problem.hint), |_| String::new())
    }

    #[test]
    fn what_cannot_be_compared() {
        let same = |_: &mut [Vec<Run>; 2]| {};
        let cases = [
            ("f | 5 |", "One of the sides has no trace: name the traces before and after"),
            ("f | | 5", "One of the sides has no trace: name the traces before and after"),
            (
                "f | 5 | -\n?idle | 5 | 5",
                "after-1 has no samples of running code: there is nothing to compare: record it again",
            ),
            (
                "f | - - | 5\n?gc | 5 5 | 5",
                "Nothing of before-1 lies in this workspace: its functions cannot be compared: name its folder with --workspace, \
                 or map its addresses with --map",
            ),
            ("f | - 5 | 5\n?idle | 5 5 | 5", ""),
            ("f | 5 | 5", ""),
        ];
        for (table, expected) in cases {
            assert_eq!(problem(table, Per::Run, same), expected, "{table}");
        }
        let bytes = |sides: &mut [Vec<Run>; 2]| sides[1][0].unit = Unit::Bytes;
        let expected = "before-1 measures time and after-1 counts allocated bytes: they cannot be compared: \
                        name traces of the same kind";
        assert_eq!(problem("f | 5 | 5", Per::Run, bytes), expected);
    }

    #[test]
    fn counted_samples_are_compared_by_shares_alone() {
        let counted =
            |side: usize| move |sides: &mut [Vec<Run>; 2]| sides[side][0].trace.counts_samples = true;
        let both = |sides: &mut [Vec<Run>; 2]| {
            sides.iter_mut().for_each(|runs| runs[0].trace.counts_samples = true);
        };
        let (table, end) = ("f | 5 5 | 5", "only their shares can be compared: add --per active");
        let expected = format!("before-1 counts samples and after-1 has times: {end}");
        assert_eq!(problem(table, Per::Run, counted(0)), expected);
        let expected = format!("after-1 counts samples and before-1 has times: {end}");
        assert_eq!(problem(table, Per::Run, counted(1)), expected);
        assert_eq!(problem(table, Per::Active, counted(0)), "");
        assert_eq!(problem(table, Per::Run, both), "");
    }

    #[test]
    fn by_what_differences_are_judged() {
        use Method::{Nothing, OneAgainstMany, Runs, Sampling};
        let cases = [
            ("f | 5 | 5", Sampling),
            ("f | 5 | 5 5", Nothing),
            ("f | 5 5 | 5", Nothing),
            ("f | 5 | 5 5 5", OneAgainstMany),
            ("f | 5 5 5 | 5", OneAgainstMany),
            ("f | 5 5 | 5 5", Runs),
        ];
        for (table, method) in cases {
            assert_eq!(compare(table).method, method, "{table}");
        }
        let [mut before, after] = runs("f | 5 | 5");
        before[0].functions.values_mut().for_each(|cost| cost.sampling = [None; 2]);
        let compared = Comparison::of(&before, &after, Per::Run, Settings::default());
        assert_eq!(compared.expect("both sides have functions").method, Nothing);
    }

    /// Times of a run, of one marker, and as if all runs had done as much as the mean run before.
    #[test]
    fn by_what_times_are_divided() {
        let [mut before, mut after] = runs("f | 10 30 | 60 60");
        for (run, work) in before.iter_mut().chain(&mut after).zip([2, 6, 4, 4]) {
            run.work = Work(work);
        }
        let cases = [
            (Per::Marker("request".to_owned()), [5.0, 15.0]),
            (Per::Active, [20.0, 60.0]),
            (Per::Function("f".to_owned()), [20.0, 60.0]),
        ];
        for (per, expected) in cases {
            let compared = Comparison::of(&before, &after, per.clone(), Settings::default());
            let compared = compared.expect("both sides have functions");
            let own = &compared.functions[0].self_time;
            assert_eq!([own.before, own.after].map(milliseconds), expected, "{per:?}");
            assert_eq!(compared.per, per);
        }
    }

    #[test]
    fn a_whole_comparison() {
        let comparison = compare(
            "
            main      | 10/110 11/112 10/111 | 10/211 11/213 10/212
            parse     | 100    101    101    | 201    202    202
            also      | 100    101    101    | 201    202    202
            ?native   | 5      5      5      | 6      6      6
            ?gc       | -      -      -      | 3      3      -
            ?program  | 3      3      -      | -      -      -
            ?idle     | 7      7      7      | -      -      -
            ?no-stack | -      -      -      | 8      8      8
            ",
        );
        expect![[r#"
            also: regression | self regression: 100.666666 → 201.666666 ms, +63 % to ×2.5, 0.001 | total regression: 100.666666 → 201.666666 ms, +63 % to ×2.5, 0.001
            parse: regression | self regression: 100.666666 → 201.666666 ms, +63 % to ×2.5, 0.001 | total regression: 100.666666 → 201.666666 ms, +63 % to ×2.5, 0.001
            main: regression | self unsure: 10.333334 → 10.333334 ms, −51 % to ×2.0, 1 | total regression: 111 → 212 ms, +57 % to ×2.3, 0.001
        "#]].assert_eq(&lines(&comparison));
        expect!["regression: 218.666666 → 421.666666 ms, +89 % to +97 %, <0.001"]
            .assert_eq(&change_line(&comparison.whole));
        assert_eq!(comparison.whole.samples, [677, 1289]);
        let sides = comparison.sides.each_ref().map(|side| {
            let names: Vec<_> = side.traces.iter().map(|trace| &*trace.name).collect();
            format!("{} runs, {} ms: {}", side.runs, milliseconds(side.total), names.join(" "))
        });
        let expected = [
            "3 runs, 225.666666 ms: before-1 before-2 before-3",
            "3 runs, 429.666666 ms: after-1 after-2 after-3",
        ];
        assert_eq!(sides, expected);
        let ledger = comparison.ledger.iter().map(|change| {
            let [before, after] = [change.before, change.after].map(milliseconds);
            format!("{:?} {before} → {after}\n", change.row)
        });
        expect![[r#"
            Placed 211.666666 → 413.666666
            Unplaced(Native) 5 → 6
            Unplaced(GarbageCollector) 0 → 2
            Unplaced(Program) 2 → 0
            Idle 7 → 0
            NoStack 0 → 8
        "#]]
        .assert_eq(&ledger.collect::<String>());
        // The differences add up to that of all time.
        let functions = comparison.functions.iter().map(|function| function.self_time.difference());
        let rows =
            comparison.ledger[1..].iter().map(|row| row.after.0.cast_signed() - row.before.0.cast_signed());
        let all = comparison.sides[1].total.0.cast_signed() - comparison.sides[0].total.0.cast_signed();
        assert_eq!(functions.chain(rows).sum::<i64>(), all);
    }

    #[test]
    fn regressions_from_a_size_on() {
        let comparison = compare(
            "
            quarter | 1000 1000 1001 | 1250 1250 1251.25
            faster  | 100 100 100 | 50  50  50
            maybe   | 100 10  200 | 300 20  500
            double  | 100 100 100 | 200 200 200
            ",
        );
        let regressions = |least| {
            let (functions, whole) = comparison.regressions(least);
            let names: Vec<_> = functions.iter().map(|function| &*function.info.name).collect();
            (names.join(" "), whole)
        };
        let of_all: Vec<_> = [0.0, 0.25, 0.26, 1.0, 1.01].map(regressions).into();
        let named = |names: &str| (names.to_owned(), false);
        let expected =
            [named("quarter double"), named("quarter double"), named("double"), named("double"), named("")];
        assert_eq!(of_all, expected);
        let slower = compare("f | 100 100 101 | 200 200 200");
        assert_eq!([0.5, 1.5].map(|least| slower.regressions(least).1), [true, false]);
    }

    #[test]
    fn each_problem_is_told_once() {
        let [mut before, mut after] = runs(
            "
            main       | 90 90 | 90 90
            came       | -  -  | 10 10
            also       | -  -  | 10 10
            went       | 9  9  | -  -
            a.js hides | 6  6  | -  -
            b.js hides | -  -  | 7  7
            ",
        );
        let [slow, lost] = ["slow", "lost"].map(|what| Problem::new(what, "").at("x"));
        before[0].problems = vec![slow.clone(), lost.clone()];
        before[1].problems = vec![lost.clone()];
        after[1].problems = vec![slow];
        let comparison = Comparison::of(&before, &after, Per::Run, Settings::default()).expect("functions");
        let told: Vec<_> = comparison
            .problems
            .iter()
            .map(|problem| format!("{} | {} | {}\n", problem.what, problem.place, problem.hint))
            .collect();
        expect![[r#"
            slow | x | 
            lost | x | 
            1 function could be placed before only, and after there is time that was not placed: they are no change | b.js | see with proflens doctor what is missing there
            2 functions could be placed after only, and before there is time that was not placed: they are no change | a.js | see with proflens doctor what is missing there
        "#]].assert_eq(&told.concat());
    }
}
