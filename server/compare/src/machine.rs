//! Estimates how fast the machine was in each run, from all functions together: a machine that is shared with others
//! makes all of them slower at once, which is not a change of any of them.
//!
//! If one factor per run explains why its times differ from those of other runs, all times are divided by it
//! ([`crate::factors`]). If functions follow the machine by different powers of that factor, each has its own slope
//! ([`crate::covariate`]).

use profile::model::Unit;

use crate::adjust::Adjustment;
use crate::covariate::Slope;
use crate::factors::{Measured, Times, Weighted, estimate, explain, factors, steady, weighted};
use crate::run::Run;
use crate::statistics::{Effect, MIN_RUNS, effect, effect_of_pairs};
use crate::verdict::Settings;

/// How many times are needed to tell about the machine: if there are two and they differ, nobody knows which one changed.
const MIN_TIMES: usize = 3;
/// How many runs are needed on each side for a time to have a slope of its own: with fewer, a slope costs more than it tells.
const MIN_RUNS_OF_SLOPES: u64 = 5;
/// How much of the variance of a time slopes may leave, 0..1, to count as the reason why times differ if one factor for
/// all does not explain it. This is the geometric mean over all times, as likelihoods are multiplied. By chance alone,
/// slopes leave almost all of it, and for several times seldom less than this.
const MOST_LEFT_BY_SLOPES: f64 = 0.75;

/// How fast the machine was in the runs of both sides.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// The mean factor after divided by the mean factor before; if runs were taken in pairs, the mean of this ratio over the pairs.
    pub ratio: f64,
    /// How certain that is.
    pub effect: Effect,
    /// Whether the runs of both sides were taken by turns, so that a machine that becomes slower does so for both.
    pub is_by_turns: bool,
    /// Whether it slows down some functions more than others.
    pub is_by_function: bool,
}

impl Machine {
    /// How fast the machine was, and the resulting adjustment of the times. `None` if the machine is not why functions
    /// differ from run to run, or if that cannot be determined: there are fewer than three runs per side or three times,
    /// a file has the sessions of many users, or memory is measured.
    pub(crate) fn of<'r>(sides: [&'r [Run]; 2], settings: Settings) -> Option<(Self, Adjustment<'r>)> {
        let runs: Vec<&Run> = sides.into_iter().flatten().collect();
        let are_runs = runs.iter().all(|run| run.unit == Unit::Time && run.sessions == 1);
        if !are_runs || !have_runs(sides, MIN_RUNS) {
            return None;
        }
        let [parts, totals] = Times::of(&runs, settings);
        if parts.len() < MIN_TIMES {
            return None;
        }
        let before = sides[0].len();
        let (steady, of_runs) = steady(weighted(&parts), before, settings);
        let explains = explain(&of_runs, &steady, before);
        let by_slopes = by_slopes(sides, [&parts, &totals], &steady, &of_runs, explains);
        let adjustment = match by_slopes {
            Some(adjustment) => adjustment,
            None if explains => Adjustment::by_factors(sides, of_runs.clone()),
            None => return None,
        };
        let [was, is] = [&of_runs[..before], &of_runs[before..]];
        let pairs = pairs(sides);
        let (ratio, effect) = match &pairs {
            Some(pairs) => {
                let factors: Vec<_> = pairs.iter().map(|pair| [was[pair[0]], is[pair[1]]]).collect();
                effect_of_pairs(&factors, settings.level)?
            }
            None => {
                let [was, is] = [was, is].map(estimate);
                (is.mean / was.mean, effect(&was, &is, settings.noise, settings.level)?)
            }
        };
        let is_by_turns = pairs.is_some() || are_by_turns(sides);
        let is_by_function = adjustment.is_by_function();
        Some((Self { ratio, effect, is_by_turns, is_by_function }, adjustment))
    }

    /// Whether everything certainly became slower by at least this fraction, and the machine cannot be the reason.
    pub(crate) fn is_regression(&self, least: f64, settings: Settings) -> bool {
        self.is_by_turns && self.effect.p <= settings.level && self.ratio >= 1.0 + least
    }

    /// The interval in which the true ratio lies with 95 % probability.
    pub fn interval(&self) -> [f64; 2] {
        self.effect.interval.unwrap_or([self.ratio; 2])
    }
}

fn have_runs(sides: [&[Run]; 2], least: u64) -> bool {
    sides.iter().all(|side| side.len() as u64 >= least)
}

/// Lets each time follow the machine by a power of its own. How fast the machine was for a function is determined by all
/// `steady` times but its own, since what only makes this one slower is not the machine. `None` if there are too few runs
/// for that, or if one power for all does as well: 1 if the factors explain why times differ, otherwise 0.
fn by_slopes<'r>(
    sides: [&'r [Run]; 2],
    [parts, totals]: [&[Times<'r>]; 2],
    steady: &[Weighted<'_>],
    of_runs: &[f64],
    explains: bool,
) -> Option<Adjustment<'r>> {
    if !have_runs(sides, MIN_RUNS_OF_SLOPES) {
        return None;
    }
    let before = sides[0].len();
    let whole = Slope::of(of_runs, of_runs, before)?;
    let mut adjustment = Adjustment::by_powers(sides, of_runs.to_vec(), whole.fitted);
    let [mut left, mut all] = [0.0; 2];
    for (times, (_, weight)) in parts.iter().zip(weighted(parts)) {
        let factors = by_others(steady, times.of);
        let slope = Slope::of(&times.in_runs, &factors, before)?;
        let [by_power, by_one, by_none] = slope.left;
        let otherwise = if explains { by_one } else { by_none };
        if otherwise > 0.0 {
            left += weight * (by_power / otherwise).ln();
        }
        all += weight;
        adjustment.set(times, &factors, &slope);
    }
    for times in totals {
        let factors = by_others(steady, times.of);
        adjustment.set(times, &factors, &Slope::of(&times.in_runs, &factors, before)?);
    }
    let most = if explains { 1.0 } else { MOST_LEFT_BY_SLOPES };
    ((left / all).exp() < most).then_some(adjustment)
}

/// The factors of the runs according to all times except this one's own.
fn by_others(steady: &[Weighted<'_>], of: Measured<'_>) -> Vec<f64> {
    let own = own_time(of);
    let others = steady.iter().map(|(times, _)| *times).filter(|other| other.of != own);
    factors(&weighted(others))
}

/// The time that belongs to a time itself: for a total time, that is the self time.
fn own_time(of: Measured<'_>) -> Measured<'_> {
    match of {
        Measured::SelfTime(key) | Measured::TotalTime(key) => Measured::SelfTime(key),
        Measured::Row(_) => of,
    }
}

/// The pairs of runs, as `record --against` takes them: one of each side, right after one another. `None` if they were
/// taken differently, or if nobody knows when.
fn pairs(sides: [&[Run]; 2]) -> Option<Vec<[usize; 2]>> {
    let of_side = |side: usize| {
        sides[side].iter().enumerate().map(move |(at, run)| Some((run.trace.recorded?, side, at)))
    };
    let mut all = of_side(0).chain(of_side(1)).collect::<Option<Vec<_>>>()?;
    all.sort_unstable();
    let pairs = all.chunks(2).map(|pair| match *pair {
        [(_, 0, before), (_, 1, after)] | [(_, 1, after), (_, 0, before)] => Some([before, after]),
        _ => None,
    });
    pairs.collect()
}

/// Whether the runs of both sides alternate, at least half as often as in a random order.
fn are_by_turns(sides: [&[Run]; 2]) -> bool {
    let times = |side: usize| sides[side].iter().map(move |run| (run.trace.recorded, side));
    let mut all: Vec<_> = times(0).chain(times(1)).collect();
    all.sort();
    let turns = all.windows(2).filter(|pair| pair[0].1 != pair[1].1).count();
    all.iter().all(|(time, _)| time.is_some()) && turns >= 3 && turns * 4 >= all.len()
}

#[cfg(test)]
mod tests {
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
            load: unchanged | self unchanged: 4557.5 → 4557.5 ms, −2.6 % to +2.6 %, 1 | total unchanged: 4557.5 → 4557.5 ms, −2.6 % to +2.6 %, 1
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
                let (first, other): (Vec<_>, Vec<_>) =
                    certain.partition(|function| &*function.info.name == "a");
                by_function += usize::from(comparison.machine.is_some_and(|machine| machine.is_by_function));
                slower += usize::from(!first.is_empty());
                others += usize::from(!other.is_empty());
            }
            format!("by function {by_function}, the first changed {slower}, another one {others} of 200\n")
        };
        let rows = [
            (0.0, 0.0, Per::Machine),
            (0.2, 0.0, Per::Machine),
            (0.2, 0.1, Per::Machine),
            (0.2, 0.1, Per::Run),
        ];
        let shown = rows.map(|(variation, change, per)| {
            format!("varies by {variation}, {change} more, {per:?}: {}", told(variation, change, &per))
        });
        expect![[r#"
            varies by 0, 0 more, Machine: by function 0, the first changed 0, another one 7 of 200
            varies by 0.2, 0 more, Machine: by function 200, the first changed 0, another one 14 of 200
            varies by 0.2, 0.1 more, Machine: by function 200, the first changed 200, another one 28 of 200
            varies by 0.2, 0.1 more, Run: by function 0, the first changed 108, another one 5 of 200
        "#]]
        .assert_eq(&shown.concat());
    }

    #[test]
    fn it_is_told_that_functions_follow_the_machine_differently() {
        let [before, after] = runs(&uneven(0.2, 0.0, &mut 1));
        let comparison =
            Comparison::of(&before, &after, Per::Machine, Settings::default()).expect("functions");
        expect![[r#"
            Times are as if the machine had always been as fast as in the runs after, which slows some functions down more than others.
            All functions together took 15 % less time in the runs after (−23 % to −5.2 %): the machine was faster, or everything became faster, which runs that are taken by turns would tell.
            Of 8 functions none changed by more than noise."#]].assert_eq(&texts::sentences(&comparison)[2..].join("\n"));
    }
}
