//! Tests of the parts of a summary, and of how they add up in cases that fixtures do not cover.

use profile::tally::Stretches;

use super::*;
use crate::fixtures::load;

fn unplaced(name: &str, resource: Option<&str>, reason: UnplacedReason) -> UnplacedFunction {
    UnplacedFunction {
        name: name.into(),
        resource: resource.map(Into::into),
        position: None,
        reason,
        made_by: None,
        source: None,
    }
}

#[test]
fn what_unplaced_functions_are_listed_as() {
    let made_by = |file: &str| {
        let maker = Maker { name: "parse".into(), definition: None, file: file.into(), line: 11 };
        let made_by = Some(maker.into());
        UnplacedFunction { made_by, ..unplaced("f", Some("a.js"), UnplacedReason::NoResource) }
    };
    let cases = [
        (unplaced("f", Some("a.js"), UnplacedReason::Native), "a.js"),
        (unplaced("f", None, UnplacedReason::Native), "f"),
        (unplaced("", None, UnplacedReason::Native), "(anonymous)"),
        (unplaced("__rest", Some("a.js"), UnplacedReason::Compiler), "__rest"),
        (unplaced("", Some("a.js"), UnplacedReason::Compiler), "a.js"),
        (made_by("a\\b/schemas.ts"), "code made by parse in schemas.ts:12"),
        (
            made_by("/a/node_modules/.pnpm/zod@4.0.8/node_modules/zod/doc.ts"),
            "code made by parse in zod@4.0.8",
        ),
    ];
    for (function, label) in cases {
        assert_eq!(&*function.label(), label);
    }
}

#[test]
fn the_examples_that_cost_most() {
    let examples = [("b.js", 5), ("a.js", 5), ("RegExp: a", 3), ("RegExp: b", 3), ("c.js", 4), ("d.js", 1)];
    let examples = examples.map(|(label, time)| (label.into(), Amount(time))).into();
    let unplaced = UnplacedTime { examples, ..UnplacedTime::default() };
    assert_eq!(unplaced.top(), ["regular expressions", "a.js", "b.js"]);
}

#[test]
fn shares_of_active_time_and_of_all() {
    let time = |time| Weight { time: Amount(time), samples: 0 };
    let ledger = Ledger {
        total: time(100),
        placed: time(30),
        idle: time(30),
        no_stack: time(10),
        ..Ledger::default()
    };
    assert_eq!([Base::Active, Base::All].map(|base| ledger.base(base).0), [60, 100]);
    assert_eq!([Base::Active, Base::All].map(|base| ledger.placed_share(base)), [0.5, 0.3]);
    let summary = Summary { ledger, ..Summary::default() };
    let cost = Cost { self_time: Amount(15), total_time: Amount(30), ..Cost::default() };
    assert_eq!([Base::Active, Base::All].map(|base| summary.shares(&cost, base)), [[0.25, 0.5], [0.15, 0.3]]);
    assert_eq!(share(Amount(1), Amount(0)), 0.0);
}

/// If a value is not known for one part, it is not known for the sum.
#[test]
fn sums_of_what_sessions_say() {
    let fixture = "
//- /app.js
function $1f() {}
//- trace
f@$1
";
    let measured = load(fixture).recording.summary.definitions.into_values().next().expect("it ran");
    let cost = |own, total| Cost { self_time: Amount(own), total_time: Amount(total), ..Cost::default() };
    let known = Measured {
        cost: cost(3, 5),
        squares: [9.0, 25.0],
        sessions: 2,
        stretches: MeasuredStretches::known(Stretches { own: 1, total: 2 }),
        long_tasks: Some(2),
        ..measured.clone()
    };
    let cases = [
        ("both are known", known.clone(), ([18.0, 50.0], 4, Some(Stretches { own: 2, total: 4 }), Some(4))),
        (
            "the squares of the total time are not",
            Measured { squares: [9.0, 0.0], long_tasks: Some(1), ..known.clone() },
            ([18.0, 0.0], 4, Some(Stretches { own: 2, total: 4 }), Some(3)),
        ),
        (
            "it never ran on top",
            Measured {
                cost: cost(0, 5),
                squares: [0.0, 25.0],
                stretches: MeasuredStretches::default(),
                ..known.clone()
            },
            ([9.0, 50.0], 4, None, Some(4)),
        ),
        (
            "the sessions are not",
            Measured { sessions: 0, long_tasks: None, ..known.clone() },
            ([18.0, 50.0], 0, Some(Stretches { own: 2, total: 4 }), Some(2)),
        ),
    ];
    for (name, other, expected) in cases {
        for (a, b) in [(&known, &other), (&other, &known)] {
            let mut sum = a.clone();
            sum.add(b.clone());
            assert_eq!((sum.squares, sum.sessions, sum.stretches.get(), sum.long_tasks), expected, "{name}");
        }
    }
}

#[test]
fn sums_of_summaries_are_sampled_if_all_are() {
    let summary = |is_sampled, sessions| Summary { is_sampled, sessions, ..Summary::default() };
    let cases = [
        (summary(false, 0), summary(true, 2), true),
        (summary(true, 1), summary(true, 2), true),
        (summary(false, 1), summary(true, 2), false),
        (summary(true, 1), summary(false, 2), false),
    ];
    for (mut sum, other, is_sampled) in cases {
        let sessions = sum.sessions + other.sessions;
        sum += other;
        assert_eq!((sum.is_sampled, sum.sessions), (is_sampled, sessions));
    }
}
