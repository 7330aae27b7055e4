//! What the machine did to both sides, in drawings and in simulations: what is told about it, how often a change is found, and how
//! often one is told that is not there.

use expect_test::expect;

use super::*;
use crate::comparison::Comparison;
use crate::fixtures::{BUSY, lines, normal, runs};
use crate::texts;
use crate::work::Per;

/// Sets that the runs were recorded in this order.
fn recorded(sides: &mut [Vec<Run>; 2], order: &str) {
    let mut next = [0, 0];
    for (second, side) in order.bytes().map(|side| usize::from(side == b'B')).enumerate() {
        let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(second as u64);
        sides[side][next[side]].trace.recorded = Some(time);
        next[side] += 1;
    }
}

#[test]
fn runs_by_turns_tell_a_slower_machine_from_a_slower_program() {
    let table = "
        a | 100 108 100 96 | 120 130 120 115
        b | 200 216 201 192 | 240 259 240 230
        c | 150 162 150 145 | 180 194 181 172
    ";
    let shown = ["ABBAABBA", "ABABABAB", "AAAABBBB", "AABBBBAA", "ABBAABB"].map(|order| {
        let mut sides = runs(table);
        recorded(&mut sides, order);
        let [before, after] = sides;
        let comparison =
            Comparison::of(&before, &after, Per::Machine, Settings::default()).expect("functions");
        let (_, is_slower) = comparison.regressions(0.05);
        format!("{order} {is_slower} {}\n", texts::machine(&comparison).unwrap_or_default())
    });
    expect![[r#"
        ABBAABBA true All functions together took 20 % longer in the runs after (+20 % to +20 %): as the runs were taken by turns, that is not the machine, and everything became slower.
        ABABABAB true All functions together took 20 % longer in the runs after (+20 % to +20 %): as the runs were taken by turns, that is not the machine, and everything became slower.
        AAAABBBB false All functions together took 20 % longer in the runs after (+10 % to +31 %): the machine was slower, or everything became slower, which runs that are taken by turns would tell.
        AABBBBAA false All functions together took 20 % longer in the runs after (+10 % to +31 %): the machine was slower, or everything became slower, which runs that are taken by turns would tell.
        ABBAABB false All functions together took 20 % longer in the runs after (+10 % to +31 %): the machine was slower, or everything became slower, which runs that are taken by turns would tell.
    "#]].assert_eq(&shown.concat());
}

#[test]
fn a_busy_machine_is_told_by_all_functions() {
    let [before, after] = runs(BUSY);
    let compared = |per| Comparison::of(&before, &after, per, Settings::default()).expect("functions");
    expect![[r#"
        parse: unsure | self unsure: 3417.5 → 4520 ms, −10 % to +95 %, 0.451 | total unsure: 3417.5 → 4520 ms, −10 % to +95 %, 0.451
        load: unsure | self unsure: 4532.5 → 4557.5 ms, −31 % to +48 %, 0.973 | total unsure: 4532.5 → 4557.5 ms, −31 % to +48 %, 0.973
        print: unsure | self unsure: 2285 → 2262.5 ms, −34 % to +48 %, 0.973 | total unsure: 2285 → 2262.5 ms, −34 % to +48 %, 0.973
    "#]].assert_eq(&lines(&compared(Per::Run)));
    expect![[r#"
        parse: regression | self regression: 3433.862489 → 4520 ms, +28 % to +36 %, <0.001 | total regression: 3433.862489 → 4520 ms, +28 % to +36 %, <0.001
        print: unchanged | self unchanged: 2289.399985 → 2262.5 ms, −4.8 % to +2.5 %, 0.647 | total unchanged: 2289.399985 → 2262.5 ms, −4.8 % to +2.5 %, 0.647
        load: unchanged | self unchanged: 4557.5 → 4557.5 ms, −2.6 % to +2.6 % | total unchanged: 4557.5 → 4557.5 ms, −2.6 % to +2.6 %
    "#]].assert_eq(&lines(&compared(Per::Machine)));
    expect![[r#"
        Active time: 11.4 s before, 12.5 s after (+9.3 %), +7.8 % to +11 %, slower.
        4 runs before, 4 runs after: judged by how much the runs of each side differ.
        Times are as if the machine had always been as fast as in the runs after.
        All functions together took 0.55 % longer in the runs after (−31 % to +48 %), which may be chance.
        Of 3 functions: 1 slower."#]]
    .assert_eq(&texts::sentences(&compared(Per::Machine)).join("\n"));
}

#[test]
fn where_nothing_tells_of_the_machine() {
    let cases = [
        ("two runs", "a | 10 20 | 10 20 10\nb | 10 20 | 10 20 10\nc | 10 20 | 10 20 10"),
        ("two functions", "a | 10 20 10 | 10 20 10\nb | 10 20 10 | 10 20 10"),
        (
            "one of three is too small",
            "a | 900 999 900 | 900 999 900\nb | 10 20 10 | 10 20 10\nc | 1 2 1 | 1 2 1",
        ),
        (
            "one of three is not in all runs",
            "a | 10 20 10 | 10 20 10\nb | 10 20 10 | 10 20 10\nc | 10 20 10 | 10 20 -",
        ),
        (
            "functions differ by themselves",
            "a | 10 20 10 | 10 20 10\nb | 20 10 20 | 10 20 10\nc | 10 10 20 | 20 10 10",
        ),
    ];
    for (name, table) in cases {
        let [before, after] = runs(table);
        assert!(Machine::of([&before, &after], Settings::default()).is_none(), "{name}");
    }
    let [mut before, after] = runs(BUSY);
    before[0].sessions = 2;
    assert!(Machine::of([&before, &after], Settings::default()).is_none(), "sessions of users");
    before[0].sessions = 1;
    before[0].unit = Unit::Bytes;
    assert!(Machine::of([&before, &after], Settings::default()).is_none(), "memory");
}

/// A table with ten runs per side on a machine that varies by `variation`. Each of eight functions follows it by a
/// power of its own from 0.3 to 1.7, and varies by another 3 %; the first one becomes slower by `change`.
fn uneven(variation: f64, change: f64, state: &mut u64) -> String {
    let machine: Vec<f64> = (0..20).map(|_| variation * normal(state)).collect();
    let mut row = |number: usize, name: char| {
        let power = 0.3 + 0.2 * number as f64;
        let mut cell = |run: usize| {
            let slower = if number == 0 && run >= 10 { 1.0 + change } else { 1.0 };
            format!("{:.0} ", 2000.0 * slower * (power * machine[run] + 0.03 * normal(state)).exp())
        };
        let [before, after] = [0..10, 10..20].map(|runs| runs.map(&mut cell).collect::<String>());
        format!("{name} | {before} | {after}\n")
    };
    ('a'..='h').enumerate().map(|(number, name)| row(number, name)).collect()
}

#[test]
fn functions_follow_the_machine_by_powers_of_their_own() {
    let mut state = 1;
    let mut told = |variation: f64, change: f64, per: &Per| {
        let [mut by_function, mut slower, mut others] = [0; 3];
        for _ in 0..200 {
            let [before, after] = runs(&uneven(variation, change, &mut state));
            let comparison = Comparison::of(&before, &after, per.clone(), Settings::default());
            let comparison = comparison.expect("functions");
            let certain = comparison.functions.iter().filter(|function| function.verdict.is_certain());
            let (first, other): (Vec<_>, Vec<_>) = certain.partition(|function| &*function.info.name == "a");
            by_function += usize::from(comparison.machine.is_some_and(|machine| machine.is_by_function));
            slower += usize::from(!first.is_empty());
            others += usize::from(!other.is_empty());
        }
        format!("by function {by_function}, the first changed {slower}, another one {others} of 200\n")
    };
    let rows =
        [(0.0, 0.0, Per::Machine), (0.2, 0.0, Per::Machine), (0.2, 0.1, Per::Machine), (0.2, 0.1, Per::Run)];
    let shown = rows.map(|(variation, change, per)| {
        format!("varies by {variation}, {change} more, {per:?}: {}", told(variation, change, &per))
    });
    expect![[r#"
        varies by 0, 0 more, Machine: by function 0, the first changed 0, another one 6 of 200
        varies by 0.2, 0 more, Machine: by function 200, the first changed 0, another one 5 of 200
        varies by 0.2, 0.1 more, Machine: by function 200, the first changed 141, another one 5 of 200
        varies by 0.2, 0.1 more, Run: by function 0, the first changed 108, another one 5 of 200
    "#]]
    .assert_eq(&shown.concat());
}

#[test]
fn it_is_told_that_functions_follow_the_machine_differently() {
    let [before, after] = runs(&uneven(0.2, 0.0, &mut 1));
    let comparison = Comparison::of(&before, &after, Per::Machine, Settings::default()).expect("functions");
    expect![[r#"
        Times are as if the machine had always been as fast as in the runs after, which slows some functions down more than others.
        All functions together took 15 % less time in the runs after (−23 % to −5.2 %): the machine was faster, or everything became faster, which runs that are taken by turns would tell.
        Of 8 functions none changed by more than noise."#]].assert_eq(&texts::sentences(&comparison)[2..].join("\n"));
}

/// Two sides of seven runs: how the machine and the program differ between them.
struct TwoSides {
    name: &'static str,
    /// How much the machine varies from run to run.
    varies: f64,
    /// How much slower the machine is in the runs after.
    slower: f64,
    /// How much each function differs between the sides in its own way, although it did not change.
    drift: f64,
    /// How much longer the first function takes.
    change: f64,
    /// The order in which the runs were taken.
    order: &'static str,
}

const ONE_AFTER_THE_OTHER: &str = "AAAAAAABBBBBBB";
const BY_TURNS: &str = "ABBAABBAABBAAB";

impl TwoSides {
    /// Runs of twelve functions, each of which varies by another 4 %.
    fn runs(&self, state: &mut u64) -> [Vec<Run>; 2] {
        let machine: Vec<f64> = (0..14).map(|_| self.varies * normal(state)).collect();
        let mut row = |number: usize, name: char| {
            let changed = if number == 0 { self.change.ln_1p() } else { 0.0 };
            let after = self.slower.ln_1p() + changed + self.drift * normal(state);
            let mut cell = |run: usize| {
                let side = if run < 7 { 0.0 } else { after };
                let log = machine[run] + side + 0.04 * normal(state);
                format!("{:.0} ", 400.0 * (1.0 + number as f64 / 3.0) * log.exp())
            };
            let [before, after] = [0..7, 7..14].map(|runs| runs.map(&mut cell).collect::<String>());
            format!("{name} | {before} | {after}\n")
        };
        let table: String = ('a'..='l').enumerate().map(|(number, name)| row(number, name)).collect();
        let mut sides = runs(&table);
        recorded(&mut sides, self.order);
        sides
    }

    /// In how many of 100 comparisons the first function is said to have changed, and in how many any other.
    fn told(&self, state: &mut u64) -> String {
        let [mut first, mut other] = [0; 2];
        for _ in 0..100 {
            let [before, after] = self.runs(state);
            let comparison = Comparison::of(&before, &after, Per::Machine, Settings::default());
            let comparison = comparison.expect("functions");
            let certain = comparison.functions.iter().filter(|function| function.verdict.is_certain());
            let (firsts, others): (Vec<_>, Vec<_>) =
                certain.partition(|function| &*function.info.name == "a");
            first += usize::from(!firsts.is_empty());
            other += usize::from(!others.is_empty());
        }
        format!("{}: the first changed {first}, another one {other} of 100\n", self.name)
    }
}

#[test]
fn sides_that_were_recorded_one_after_the_other_may_differ_without_a_change() {
    let same = TwoSides {
        name: "nothing differs",
        varies: 0.2,
        slower: 0.0,
        drift: 0.0,
        change: 0.0,
        order: ONE_AFTER_THE_OTHER,
    };
    let cases = [
        TwoSides { ..same },
        TwoSides { name: "the machine is slower after", slower: 0.3, ..same },
        TwoSides { name: "and does not vary otherwise", varies: 0.0, slower: 0.3, ..same },
        TwoSides { name: "and differently for each", slower: 0.3, drift: 0.15, ..same },
        TwoSides { name: "and the first changed by 10 %", slower: 0.3, drift: 0.15, change: 0.1, ..same },
        TwoSides { name: "and the first is twice as slow", slower: 0.3, drift: 0.15, change: 1.0, ..same },
        TwoSides { name: "and the first three times", slower: 0.3, drift: 0.15, change: 2.0, ..same },
        TwoSides { name: "the first changed by 10 %", change: 0.1, ..same },
        TwoSides { name: "the first changed by 20 %", change: 0.2, ..same },
        TwoSides { name: "the same by turns", order: BY_TURNS, ..same },
        TwoSides { name: "the first changed by 10 %, by turns", change: 0.1, order: BY_TURNS, ..same },
    ];
    let mut state = 1;
    let shown: String = cases.iter().map(|case| case.told(&mut state)).collect();
    expect![[r#"
        nothing differs: the first changed 1, another one 1 of 100
        the machine is slower after: the first changed 0, another one 1 of 100
        and does not vary otherwise: the first changed 3, another one 4 of 100
        and differently for each: the first changed 2, another one 3 of 100
        and the first changed by 10 %: the first changed 5, another one 7 of 100
        and the first is twice as slow: the first changed 41, another one 5 of 100
        and the first three times: the first changed 84, another one 3 of 100
        the first changed by 10 %: the first changed 52, another one 0 of 100
        the first changed by 20 %: the first changed 100, another one 0 of 100
        the same by turns: the first changed 0, another one 4 of 100
        the first changed by 10 %, by turns: the first changed 62, another one 10 of 100
    "#]]
    .assert_eq(&shown);
}

/// Two of three functions changed: then no factor is why the sides differ, and nothing is divided.
#[test]
fn what_most_functions_did_differently_is_not_the_machine() {
    let [before, after] = runs(
        "
        parse  | 400 401 399 402 400 | 300 299 301 300 302
        save   | 100 101 100  99 100 | 200 201 199 200 202
        render | 500 501 500 502 499 | 503 504 502 505 503
        ",
    );
    let comparison = Comparison::of(&before, &after, Per::Machine, Settings::default()).expect("functions");
    expect![[r#"
        save: regression | self regression: 100 → 200.4 ms, +99 % to ×2.0, <0.001 | total regression: 100 → 200.4 ms, +99 % to ×2.0, <0.001
        parse: improvement | self improvement: 400.4 → 300.4 ms, −25 % to −25 %, <0.001 | total improvement: 400.4 → 300.4 ms, −25 % to −25 %, <0.001
        render: regression | self regression: 500.4 → 503.4 ms, +0.27 % to +0.93 %, 0.004 | total regression: 500.4 → 503.4 ms, +0.27 % to +0.93 %, 0.004
    "#]].assert_eq(&lines(&comparison));
}
