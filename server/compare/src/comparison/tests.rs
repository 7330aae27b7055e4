//! Tests of what two sides have in common, of the statements about them, and that nothing is lost in between.

use expect_test::expect;

use super::*;
use crate::fixtures::{change_line, compare, lines, milliseconds, runs};
use crate::work::Work;

/// The problem with two sides, which `change` may modify.
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
        (
            "f | - | 5\n?gc | 9 | 5\n?not-in-workspace | 2 | 5\n?dependency | 3 | 5",
            "Nothing of before-1 lies in this workspace: its functions cannot be compared: compare the code of \
             its dependencies with --dependencies",
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
    let counted = |side: usize| move |sides: &mut [Vec<Run>; 2]| sides[side][0].trace.counts_samples = true;
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

/// Times of a run, of one marker, and scaled as if all runs had done as much as the mean run before.
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
        main: regression | self unsure: 10.333334 → 10.333334 ms, −51 % to ×2.0 | total regression: 111 → 212 ms, +57 % to ×2.3, 0.001
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
