//! The verdicts on changes, case by case, and on whole tables of functions.

use expect_test::expect;

use super::*;
use crate::fixtures::{change_line, compare, key, lines, word};

const SETTINGS: Settings =
    Settings { level: 0.05, noise: 0.1, least_share: 0.005, least_samples: 5.0, least_effective: 20.0 };

/// A change with known `q` and interval.
fn change(before: u64, after: u64, effect: Option<(f64, Option<[f64; 2]>)>) -> Change {
    Change {
        before: Amount(before),
        after: Amount(after),
        samples: [0; 2],
        effect: effect.map(|(q, interval)| Effect { interval, error: 0.0, p: 0.5, q }),
        effective: 0.0,
        verdict: Verdict::Unsure,
    }
}

/// A change with a known verdict.
fn judged(before: u64, after: u64, verdict: Verdict) -> Change {
    Change { verdict, ..change(before, after, None) }
}

fn function(self_time: Change, total_time: Change, verdict: Verdict) -> FunctionChange {
    let comparison = compare("f | 5 | 5");
    let [function] = &comparison.functions[..] else { panic!("a table of one function") };
    FunctionChange { self_time, total_time, verdict, ..function.clone() }
}

fn sides(runs: [u64; 2], active: [f64; 2]) -> [Side; 2] {
    [0, 1].map(|side: usize| Side {
        runs: runs[side],
        active: Estimate::unknown(runs[side], active[side]),
        ..Side::default()
    })
}

#[test]
fn differences_and_ratios() {
    let cases = [
        (0, 0, 0, None),
        (0, 5, 5, None),
        (5, 0, -5, Some(0.0)),
        (4, 6, 2, Some(1.5)),
        (6, 3, -3, Some(0.5)),
        (7, 7, 0, Some(1.0)),
    ];
    for (before, after, difference, ratio) in cases {
        let change = change(before, after, None);
        assert_eq!((change.difference(), change.ratio()), (difference, ratio), "{before} → {after}");
    }
}

#[test]
fn what_is_large_enough_to_be_judged() {
    // 20 of the 1,000 and 3,000 that are active are half a percent; 40 samples in eight runs are five each.
    let cases = [
        ("just enough of everything", [8, 12], [12, 28], 20.0, true),
        ("all of it on one side", [0, 20], [0, 40], 20.0, true),
        ("too little time", [8, 11], [12, 28], 20.0, false),
        ("too few samples", [8, 12], [12, 27], 20.0, false),
        ("few samples on both sides", [8, 12], [3, 20], 20.0, false),
        ("known from too few runs", [8, 12], [12, 28], 19.0, false),
    ];
    for (name, [before, after], samples, effective, is_large) in cases {
        let change = Change { samples, effective, ..change(before, after, None) };
        let sides = sides([2, 6], [1000.0, 3000.0]);
        assert_eq!(change.is_large(&sides, SETTINGS), is_large, "{name}");
    }
}

#[test]
fn what_is_said_of_an_amount() {
    use Verdict::{Improvement, PossibleImprovement, PossibleRegression, Regression, Unchanged, Unsure};
    let (wide, narrow) = (Some([1.5, 2.5]), Some([0.95, 1.05]));
    let cases = [
        ("more", [3, 3], 10, 20, Some((0.01, wide)), Regression),
        ("less", [3, 3], 20, 10, Some((0.01, Some([0.4, 0.6]))), Improvement),
        ("two runs before", [2, 3], 10, 20, Some((0.01, wide)), PossibleRegression),
        ("two runs after", [3, 2], 10, 20, Some((0.01, wide)), PossibleRegression),
        ("less in two runs", [2, 2], 20, 10, Some((0.01, wide)), PossibleImprovement),
        ("exactly as sure as wanted", [3, 3], 10, 20, Some((0.05, wide)), Regression),
        ("not sure", [3, 3], 10, 20, Some((0.051, wide)), Unsure),
        ("more, and within the noise", [3, 3], 100, 101, Some((0.01, narrow)), Regression),
        ("within the noise", [3, 3], 100, 101, Some((0.5, narrow)), Unchanged),
        ("the same", [3, 3], 10, 10, Some((0.0, Some([1.0, 1.0]))), Unchanged),
        ("maybe just as much less as noise", [3, 3], 10, 10, Some((1.0, Some([0.9, 1.05]))), Unsure),
        ("maybe just as much more as noise", [3, 3], 10, 10, Some((1.0, Some([0.95, 1.1]))), Unsure),
        ("maybe much less", [3, 3], 10, 10, Some((1.0, Some([0.5, 1.0]))), Unsure),
        ("maybe much more", [3, 3], 10, 10, Some((1.0, Some([1.0, 2.0]))), Unsure),
        ("came", [3, 3], 0, 10, Some((0.01, None)), Regression),
        ("went", [3, 3], 10, 0, Some((0.01, None)), Improvement),
        ("came by chance", [3, 3], 0, 10, Some((0.5, None)), Unsure),
        ("never there", [1, 1], 0, 0, None, Unchanged),
        ("nothing is known of it", [1, 1], 10, 10, None, Unsure),
        ("nothing is known, and it came", [1, 1], 0, 10, None, Unsure),
        ("nothing is known, and it went", [1, 1], 10, 0, None, Unsure),
    ];
    for (name, runs, before, after, effect, verdict) in cases {
        let mut change = change(before, after, effect);
        change.judge(&sides(runs, [1000.0; 2]), SETTINGS);
        assert_eq!(change.verdict, verdict, "{name}");
    }
}

#[test]
fn the_time_that_tells_most_is_shown() {
    use Verdict::{Improvement, PossibleRegression, Regression, Unsure};
    let cases = [
        ("what it calls has half of the change", (15, Regression), (30, Regression), "self"),
        ("what it calls has more than half", (15, Regression), (31, Regression), "total"),
        ("both became less", (-15, Improvement), (-31, Improvement), "total"),
        ("what it calls became less, and itself more", (15, Regression), (-31, Improvement), "total"),
        ("only what it calls changed", (15, Unsure), (10, PossibleRegression), "total"),
        ("only itself changed", (1, Regression), (100, Unsure), "self"),
        ("nothing changed", (1, Unsure), (100, Unsure), "self"),
    ];
    for (name, own, total, shown) in cases {
        let [own, total] =
            [own, total].map(|(more, verdict)| judged(100, (100_i64 + more).cast_unsigned(), verdict));
        let function = function(own, total, Verdict::Unsure);
        assert_eq!(function.shows_total(), shown == "total", "{name}");
        assert_eq!(*function.shown(), if shown == "total" { total } else { own }, "{name}");
    }
}

#[test]
fn what_is_said_of_a_function_that_both_sides_have() {
    use Verdict::{
        Improvement, PossibleImprovement, PossibleRegression, Regression, Shifted, Unchanged, Unsure,
    };
    // The total time was 80 before. For a self time that changed by 20, half is 10, which is an eighth of 80.
    let cases = [
        ("the total time changed", 20, Improvement, Regression, None, Regression),
        ("only that", 0, Unsure, PossibleImprovement, None, PossibleImprovement),
        ("the self time changed", 20, Regression, Unsure, None, Regression),
        ("the total time hardly did", 20, Regression, Unsure, Some([0.9, 1.1]), Shifted),
        ("the total time maybe did", 20, Regression, Unsure, Some([0.9, 1.125]), Regression),
        ("the total time maybe became less", 20, PossibleRegression, Unsure, Some([0.5, 1.1]), Shifted),
        ("less, and the total time hardly", -20, Improvement, Unsure, Some([0.9, 1.1]), Shifted),
        ("less, and the total time maybe", -20, Improvement, Unsure, Some([0.875, 1.1]), Improvement),
        ("less, and the total time maybe more", -20, Improvement, Unsure, Some([0.9, 1.5]), Shifted),
        ("both stayed", 0, Unchanged, Unchanged, None, Unchanged),
        ("the self time stayed", 0, Unchanged, Unsure, None, Unsure),
        ("the total time stayed", 0, Unsure, Unchanged, None, Unsure),
    ];
    for (name, more, own, total, interval, verdict) in cases {
        let own = judged(40, (40_i64 + more).cast_unsigned(), own);
        let total = Change { verdict: total, ..change(80, 80, Some((1.0, interval))) };
        assert_eq!(function(own, total, Verdict::Unsure).both(), verdict, "{name}");
    }
}

#[test]
fn news_that_is_more_than_chance() {
    use Verdict::{Gone, New, Regression};
    let cases = [
        ("new", New, Some(0.05), None, true),
        ("new by chance", New, Some(0.06), None, false),
        ("gone", Gone, Some(0.01), None, true),
        ("no news", Regression, Some(0.0), None, false),
        ("never on top of a stack", New, None, Some(0.01), true),
        ("the self time is by chance", New, Some(0.5), Some(0.01), false),
        ("nothing is known", New, None, None, false),
    ];
    for (name, verdict, own, total, is_certain) in cases {
        let [own, total] = [own, total].map(|q| change(0, 10, q.map(|q| (q, None))));
        assert_eq!(function(own, total, verdict).is_certain_news(SETTINGS), is_certain, "{name}");
    }
}

#[test]
fn what_certainly_changed_most_comes_first_and_causes_before_those_that_called_them() {
    use Verdict::{
        Gone, Improvement, New, NotComparable, PossibleImprovement, PossibleRegression, Regression, Shifted,
        Unchanged, Unsure,
    };
    let sure = Some((0.01, None));
    let with = |after, effect, verdict| {
        let of_time = match verdict {
            New => Regression,
            Gone => Improvement,
            other => other,
        };
        let time = Change { verdict: of_time, ..change(100, after, effect) };
        function(time, time, verdict).order(SETTINGS)
    };
    let caller = function(judged(100, 100, Unsure), judged(100, 900, Regression), Regression);
    let expected = [
        with(980, sure, New),
        with(900, sure, Regression),
        with(500, sure, Gone),
        with(20, sure, Improvement),
        caller.order(SETTINGS),
        with(30, sure, Improvement),
        with(130, sure, Regression),
        with(900, sure, PossibleImprovement),
        with(800, sure, PossibleRegression),
        with(990, sure, Shifted),
        with(999, None, New),
        with(998, None, Gone),
        with(997, sure, NotComparable),
        with(996, sure, Unchanged),
        with(995, sure, Unsure),
    ];
    assert!(expected.is_sorted_by(|a, b| a < b), "{expected:?}");
    assert_eq!(expected.map(|(rank, ..)| rank), [0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3, 3, 3, 3, 3]);
}

#[test]
fn which_sides_have_a_function() {
    let comparison = compare(
        "
        both          | 5 | 5
        was (edited)  | 5 | 5
        came (edited) | - | 5
        old (gone)    | 5 | -
        ",
    );
    let functions = comparison.functions.iter().map(|function| {
        let FunctionChange { info, presence, edited, .. } = function;
        (&*info.name, *presence, *edited, info.code, function.is_in_text())
    });
    let mut functions: Vec<_> = functions.collect();
    functions.sort_by_key(|(name, ..)| *name);
    let expected = [
        ("both", Presence::Both, Some(false), 0, true),
        ("came", Presence::After, None, 1, true),
        ("old", Presence::Before, None, 0, false),
        ("was", Presence::Both, Some(true), 1, true),
    ];
    assert_eq!(functions, expected);
    assert_eq!(comparison.functions.iter().filter(|function| function.key == key("came")).count(), 1);
}

/// A function that only one side has may be in the time that the other could not place, if that is at least half of it.
#[test]
fn what_the_other_side_may_hide() {
    let check = |table: &str, expected: [&str; 3]| {
        let comparison = compare(table);
        let mut verdicts: Vec<String> = comparison
            .functions
            .iter()
            .map(|function| format!("{} {}", function.info.name, word(function.verdict)))
            .collect();
        verdicts.sort();
        assert_eq!(verdicts, expected, "{table}");
    };
    check(
        "
        main         | 90  | 90
        all          | -   | 10
        most         | -   | 11
        app.js hides | 5   | -
        ",
        ["all not-comparable", "main unsure", "most new"],
    );
    check(
        "
        main         | 90  | 90
        all          | 10  | -
        most         | 5/11 | -
        app.js hides | -   | 5
        ",
        ["all not-comparable", "main unsure", "most gone"],
    );
    check(
        "
        main         | 90  | 90
        tiny         | -   | 0.000001
        both         | 5   | 5
        ",
        ["both unsure", "main unsure", "tiny new"],
    );
}

/// All questions are asked at once: the more there are, the more certain an answer must be. Changes that are too
/// small are not asked about.
#[test]
fn a_table_of_functions() {
    let comparison = compare(
        "
        main    | 10/300 11/310 10/305 | 10/340 11/350 10/345
        parse   | 50     52     51     | 90     91     92
        load    | 60     60     59     | 60     61     59
        noisy   | 80     120    100    | 110    90     105
        moved   | 40/80  41/80  39/80  | 20/80  21/80  19/80
        small   | 1      1      1      | 2      2      2
        came    | -      -      -      | 30     31     30
        went    | 20     21     20     | -      -      -
        once    | -      -      1      | -      -      -
        ?native | 5      5      5      | 5      5      5
        ",
    );
    expect![[r#"
        parse: regression | self regression: 51 → 91 ms, +34 % to ×2.4, 0.034 | total regression: 51 → 91 ms, +34 % to ×2.4, 0.034
        came: new | self regression: 0 → 30.333333 ms, -, 0.034 | total regression: 0 → 30.333333 ms, -, 0.034
        went: gone | self improvement: 20.333333 → 0 ms, -, 0.034 | total improvement: 20.333333 → 0 ms, -, 0.034
        moved: improvement | self improvement: 40 → 20 ms, −68 % to −21 %, 0.034 | total unsure: 80 → 80 ms, −22 % to +29 %
        noisy: unsure | self unsure: 100 → 101.666667 ms, −33 % to +54 % | total unsure: 100 → 101.666666 ms, −33 % to +54 %
        small: unsure | self unsure: 1 → 2 ms, −74 % to ×15.6 | total unsure: 1 → 2 ms, −74 % to ×15.6
        load: unsure | self unsure: 59.666666 → 60 ms, −25 % to +35 % | total unsure: 59.666666 → 60 ms, −25 % to +35 %
        once: gone | self unsure: 0.333333 → 0 ms, - | total unsure: 0.333333 → 0 ms, -
        main: unsure | self unsure: 10.333334 → 10.333333 ms, −51 % to ×2.0 | total unsure: 305 → 345 ms, −0.29 % to +28 %, 0.100
    "#]].assert_eq(&lines(&comparison));
    expect!["unsure: 287.666666 → 320.333333 ms, −6.6 % to +33 %, 0.218"]
        .assert_eq(&change_line(&comparison.whole));
}
