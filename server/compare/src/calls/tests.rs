//! What is said of functions whose calls were counted on both sides.

use std::collections::BTreeMap;

use analysis::counts::CountedDefinition;
use expect_test::expect;
use source::text::LineCol;

use super::*;
use crate::change::FunctionChange;
use crate::comparison::Comparison;
use crate::fixtures::{key, lines, runs};
use crate::side::LedgerRow;
use crate::texts;
use crate::verdict::Settings;
use crate::work::{Per, Work};

const TABLE: &str = "
    often  | 100 101 102 | 201 202 203
    slow   | 100 101 102 | 201 202 203
    both   | 100 101 102 | 399 402 405
    less   | 100 101 102 | 100 101 102
    came   | -   -   -   | 10  10  10
    lost   | 100 101 102 | 201 202 203
    steady | 900 910 905 | 905 900 910
    calm   | 700 705 710 | 710 700 705
    ?gc    | 9   9   9   | 9   9   9
";

/// What was counted of the functions of [`TABLE`] in a run before and after.
const CALLS: [&[(&str, u64)]; 2] = [
    &[("often", 600_000), ("slow", 50), ("both", 1), ("less", 4), ("lost", 7), ("steady", 9), ("calm", 9)],
    &[
        ("often", 1_200_000),
        ("slow", 50),
        ("both", 2),
        ("less", 2),
        ("came", 3),
        ("lost", 0),
        ("steady", 9),
        ("calm", 9),
    ],
];

fn counts(calls: &[(&str, u64)]) -> Arc<CallCounts> {
    let definition = |&(name, calls): &(&str, u64)| {
        let start = LineCol { line: 0, column: 0 };
        (key(name), CountedDefinition { name: name.into(), start, calls, lines: BTreeMap::new() })
    };
    Arc::new(CallCounts { definitions: calls.iter().map(definition).collect(), ..CallCounts::default() })
}

/// The runs of [`TABLE`], of which the first ones were counted.
fn counted(table: &str, calls: [&[(&str, u64)]; 2]) -> [Vec<Run>; 2] {
    let mut sides = runs(table);
    for (side, calls) in sides.iter_mut().zip(calls) {
        side[0].count(counts(calls));
    }
    sides
}

fn compared([before, after]: &[Vec<Run>; 2], per: Per) -> Comparison {
    Comparison::of(before, after, per, Settings::default()).expect("both sides have something")
}

/// A function, its calls and what one cost, and what is said of it.
fn line(function: &FunctionChange) -> String {
    let calls = function.calls.as_ref().expect("calls were counted");
    let change = &function.self_time;
    let a_call = texts::a_call(calls, change, Unit::Time).unwrap_or_default();
    let said = texts::verdict(function, change, function.verdict, Unit::Time);
    format!("{}: {} calls | {a_call} | {said}\n", function.info.name, texts::calls(calls))
}

fn said(comparison: &Comparison) -> String {
    let problems = comparison.problems.iter().map(|problem| format!("! {}\n", problem.clause()));
    comparison.functions.iter().map(line).chain(problems).collect()
}

#[test]
fn more_calls_are_told_from_slower_ones() {
    expect![[r#"
        both: 1 → 2 calls | 101 ms → 201 ms | slower: more calls, slower calls
        lost: 7 → 0 calls | 14.4 ms → not known | slower
        often: 600,000 → 1,200,000 calls | 168 ns → 168 ns | slower: more calls
        slow: 50 calls | 2.02 ms → 4.04 ms | slower: slower calls
        came: not counted → 3 calls | not known → 3.33 ms | new
        calm: 9 calls | 78.3 ms → 78.3 ms | the same
        less: 4 → 2 calls | 25.3 ms → 50.5 ms | not enough data
        steady: 9 calls | 101 ms → 101 ms | the same
    "#]]
    .assert_eq(&said(&compared(&counted(TABLE, CALLS), Per::Run)));
}

/// Times before are as if each function had been called as often as after, where both numbers are known.
#[test]
fn times_are_divided_by_calls() {
    let sides = counted(TABLE, CALLS);
    let comparison = compared(&sides, Per::Call);
    expect![[r#"
        both: 1 → 2 calls | 101 ms → 201 ms | slower
        lost: 7 → 0 calls | 14.4 ms → not known | slower
        slow: 50 calls | 2.02 ms → 4.04 ms | slower
        less: 4 → 2 calls | 25.3 ms → 50.5 ms | slower
        came: not counted → 3 calls | not known → 3.33 ms | new
        calm: 9 calls | 78.3 ms → 78.3 ms | the same
        often: 600,000 → 1,200,000 calls | 168 ns → 168 ns | not enough data
        steady: 9 calls | 101 ms → 101 ms | the same
        ! 1 function was not counted on both sides: its times are those of a run; look at the calls before and after
    "#]]
    .assert_eq(&said(&comparison));
    let own: i64 = comparison.functions.iter().map(|function| function.self_time.difference()).sum();
    let others = comparison.ledger.iter().filter(|change| change.row != LedgerRow::Placed);
    let others: i64 = others.map(|change| change.after.0.cast_signed() - change.before.0.cast_signed()).sum();
    let [before, after] = comparison.sides.each_ref().map(|side| side.total.0.cast_signed());
    assert_eq!(own + others, after - before, "nothing is lost");
}

#[test]
fn what_was_counted_on_one_side_or_on_none() {
    let table = "f | 100 | 200";
    let mut sides = counted(table, [&[("f", 1)], &[]]);
    sides[1][0].calls = None;
    let comparison = compared(&sides, Per::Run);
    assert!(!comparison.has_calls());
    let problem = "calls were counted before only, so that nobody knows what is called more often; \
                   record after with --counts, or name its coverage with --after-counts";
    assert_eq!(comparison.problems.iter().map(Problem::clause).collect::<Vec<_>>(), [problem]);
    let refused = Comparison::of(&sides[0], &sides[1], Per::Call, Settings::default());
    assert_eq!(
        refused.map(|_| ()).map_err(|problem| problem.what),
        Err("Calls were not counted on both sides, so that times cannot be divided by them".to_owned())
    );
    let neither = compared(&runs(table), Per::Run);
    assert_eq!((neither.has_calls(), neither.problems.len()), (false, 0));
    assert_eq!(lines(&compared(&counted(table, [&[("f", 1)], &[("f", 2)]]), Per::Run)), lines(&neither));
}

/// Several runs may be counted, and one may have the sessions of several; of a marker it is the calls of one that was set.
#[test]
fn calls_are_those_of_a_mean_run() {
    let of_f = |sides: &[Vec<Run>; 2], per: Per| {
        let comparison = compared(sides, per);
        comparison.functions[0].calls.as_ref().map(texts::calls)
    };
    let mut sides = runs("f | 100 100 100 | 100");
    sides[0][0].count(counts(&[("f", 3)]));
    sides[0][2].count(counts(&[("f", 4)]));
    sides[1][0].count(counts(&[("f", 700_000)]));
    assert_eq!(of_f(&sides, Per::Run).as_deref(), Some("3.5 → 700,000"));
    sides[1][0].work = Work(2_000_000);
    assert_eq!(of_f(&sides, Per::Marker("request".to_owned())).as_deref(), Some("3.5 → 0.350"));
    sides[1][0].sessions = 4;
    assert_eq!(of_f(&sides, Per::Run).as_deref(), Some("3.5 → 175,000"));
    sides[0][2].count(counts(&[("other", 4)]));
    assert_eq!(of_f(&sides, Per::Run).as_deref(), Some("not counted → 175,000"), "not known in one of two");
}

#[test]
fn why_a_time_changed() {
    use Cause::{CheaperCalls, CostlierCalls, FewerCalls, MoreCalls};
    let cases: [(f64, f64, f64, &[Cause]); 8] = [
        (2.0, 0.1, 2.0, &[MoreCalls]),
        (2.0, 0.1, 1.0, &[CostlierCalls]),
        (2.0, 0.1, 1.05, &[CostlierCalls]),
        (4.0, 0.1, 2.0, &[MoreCalls, CostlierCalls]),
        (2.0, 0.1, 4.0, &[MoreCalls, CheaperCalls]),
        (0.5, 0.1, 0.5, &[FewerCalls]),
        (0.5, 0.1, 2.0, &[MoreCalls, CheaperCalls]),
        (2.0, 0.5, 1.9, &[MoreCalls]),
    ];
    for (ratio, error, calls, expected) in cases {
        let change = CallsChange { calls: [Some(100.0), Some(100.0 * calls)], is_divided: false };
        let interval = [ratio * (1.0 - error), ratio * (1.0 + error)];
        assert_eq!(change.causes(ratio, interval), expected, "{ratio} in {interval:?}, calls {calls}");
        assert_eq!(CallsChange { is_divided: true, ..change }.causes(ratio, interval), []);
    }
    for calls in [[None, Some(2.0)], [Some(2.0), None], [Some(0.0), Some(2.0)]] {
        let change = CallsChange { calls, is_divided: false };
        assert_eq!((change.causes(2.0, [1.9, 2.1]), change.ratio()), (Vec::new(), None));
    }
}
