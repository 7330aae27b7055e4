//! How fast the machine was in each run, which all functions tell together: a machine that is shared with others makes all of them slower
//! at once, and that is no change of any of them.
//!
//! Of each run, the ratio of the time of each function, and of each reason for which time has none, to its mean over all runs is taken.
//! The factor of the run is their median, weighted by time (median of ratios: Anders and Huber 2010, "Differential expression analysis
//! for sequence count data"). What changed does not move a median while it has less than half of the time, and is left out once it is
//! certain that it did.

use std::collections::BTreeMap;

use analysis::locate::UnplacedReason;
use analysis::summary::DefinitionKey;
use profile::model::Unit;

use crate::run::Run;
use crate::statistics::{Effect, Estimate, MIN_RUNS, effect, effect_of_pairs, weighted_median};
use crate::verdict::Settings;

/// How many times have to tell about the machine: of two that differ nobody knows which one changed.
const MIN_TIMES: usize = 3;
/// How many measures it takes until the machine is the cause of all variance that is not left (see [`most_left`]).
const MEASURES_OF_CHANCE: f64 = 2.25;
/// How often the means are taken again, of runs that are divided by their factors.
const ROUNDS: usize = 2;

/// How fast the machine was in the runs of both sides.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// By how much the runs before and after took longer than on the machine of the runs after: divided by these, the active time of the runs
    /// after is in sum what it was.
    factors: [Vec<f64>; 2],
    /// The mean factor after divided by that before; the mean of what this is in each pair, if runs were taken in pairs.
    pub ratio: f64,
    /// How certain that is.
    pub effect: Effect,
    /// Whether the runs of both sides were taken by turns, so that a machine that becomes slower does so for both.
    pub is_by_turns: bool,
}

/// What tells of the machine: the self time of a definition, or time that has none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Measure<'r> {
    Definition(&'r DefinitionKey),
    Unplaced(UnplacedReason),
}

/// One measure in all runs, those before first.
struct Times {
    in_runs: Vec<f64>,
    /// How much it says: its mean time, but never more than half of all others.
    weight: f64,
}

impl Machine {
    /// A factor of 1, as [`Machine::works`] has it.
    pub(crate) const ONE: u64 = 1_000_000;

    /// How fast the machine was; `None` if that is not why functions differ from run to run, or cannot be told: there are fewer than three
    /// runs a side or than three measures, a file has the sessions of many users, or what is measured is memory.
    pub(crate) fn of(sides: [&[Run]; 2], settings: Settings) -> Option<Self> {
        let runs: Vec<&Run> = sides.into_iter().flatten().collect();
        let are_runs = runs.iter().all(|run| run.unit == Unit::Time && run.sessions == 1);
        let are_enough = sides.iter().all(|side| side.len() as u64 >= MIN_RUNS);
        let mut times = if are_runs && are_enough { times(&runs, settings) } else { Vec::new() };
        if times.len() < MIN_TIMES {
            return None;
        }
        let before = sides[0].len();
        weigh(&mut times);
        let factors = steady_factors(&mut times, before, settings);
        let [left, all] = [&factors, &vec![1.0; runs.len()]].map(|factors| spread(&times, factors, before));
        if left > most_left(&times) * all {
            return None;
        }
        let scale = scale_of(sides[1], &factors[before..]);
        let scaled = |factors: &[f64]| factors.iter().map(|factor| factor * scale).collect::<Vec<_>>();
        let factors = [scaled(&factors[..before]), scaled(&factors[before..])];
        let pairs = pairs(sides);
        let (ratio, effect) = match &pairs {
            Some(pairs) => {
                let factors: Vec<_> =
                    pairs.iter().map(|[before, after]| [factors[0][*before], factors[1][*after]]).collect();
                effect_of_pairs(&factors, settings.level)?
            }
            None => {
                let [was, is] = factors.each_ref().map(|side| estimate(side));
                (is.mean / was.mean, effect(&was, &is, settings.noise, settings.level)?)
            }
        };
        Some(Self { ratio, factors, effect, is_by_turns: pairs.is_some() || are_by_turns(sides) })
    }

    /// Whether everything certainly became slower by at least this part, as the machine cannot be what became slower.
    pub(crate) fn is_regression(&self, least: f64, settings: Settings) -> bool {
        self.is_by_turns && self.effect.p <= settings.level && self.ratio >= 1.0 + least
    }

    /// The interval in which the true ratio lies with 95 % probability.
    pub fn interval(&self) -> [f64; 2] {
        self.effect.interval.unwrap_or([self.ratio; 2])
    }

    /// The factors of the runs of a side, as if it were how much work they did.
    pub(crate) fn works(&self, side: usize) -> Vec<u64> {
        self.factors[side].iter().map(|factor| (factor * Self::ONE as f64).round() as u64).collect()
    }
}

/// What factors are to be multiplied by so that the active time of these runs, divided by them, is in sum what it was.
fn scale_of(runs: &[Run], factors: &[f64]) -> f64 {
    let active: Vec<f64> = runs.iter().map(|run| run.active().0 as f64).collect();
    let divided: f64 = active.iter().zip(factors).map(|(active, factor)| active / factor).sum();
    divided / active.iter().sum::<f64>()
}

/// The pairs of runs, as `record --against` takes them: one of each side, one right after the other; `None` if they were taken otherwise, or if
/// nobody knows when.
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

/// Whether the runs of both sides alternate, at least half as often as they would in a random order.
fn are_by_turns(sides: [&[Run]; 2]) -> bool {
    let times = |side: usize| sides[side].iter().map(move |run| (run.trace.recorded, side));
    let mut all: Vec<_> = times(0).chain(times(1)).collect();
    all.sort();
    let turns = all.windows(2).filter(|pair| pair[0].1 != pair[1].1).count();
    all.iter().all(|(time, _)| time.is_some()) && turns >= 3 && turns * 4 >= all.len()
}

/// The times that are large enough to be judged and that no run lacks.
fn times(runs: &[&Run], settings: Settings) -> Vec<Times> {
    let mut all: BTreeMap<Measure<'_>, Vec<f64>> = BTreeMap::new();
    for run in runs {
        let definitions = run.functions.iter();
        let definitions = definitions.map(|(key, cost)| (Measure::Definition(key), cost.cost.self_time));
        let unplaced = run.ledger.unplaced.iter();
        let unplaced = unplaced.map(|(reason, cause)| (Measure::Unplaced(*reason), cause.spent.time));
        for (measure, time) in definitions.chain(unplaced).filter(|(_, time)| time.0 > 0) {
            all.entry(measure).or_default().push(time.0 as f64);
        }
    }
    let active: f64 = runs.iter().map(|run| run.active().0 as f64).sum();
    let least = settings.least_share * active;
    let in_all = all.into_values().filter(|in_runs| in_runs.len() == runs.len());
    let in_all = in_all.filter(|in_runs| in_runs.iter().sum::<f64>() >= least);
    in_all.map(|in_runs| Times { in_runs, weight: 0.0 }).collect()
}

/// Gives each its mean time as a weight, so that one alone never decides.
fn weigh(times: &mut [Times]) {
    let means: Vec<f64> = times.iter().map(|time| time.in_runs.iter().sum()).collect();
    let all: f64 = means.iter().sum();
    for (time, mean) in times.iter_mut().zip(means) {
        time.weight = mean.min((all - mean) / 2.0);
    }
}

/// The factors of the runs by what did not change: what certainly did is left out, one after the other, as long as what is left has at least
/// half of the weight. Otherwise it would move the median among the others a little.
fn steady_factors(times: &mut [Times], before: usize, settings: Settings) -> Vec<f64> {
    let all: f64 = times.iter().map(|time| time.weight).sum();
    let level = settings.level / times.len() as f64; // any of them may look changed by chance (Bonferroni)
    loop {
        let mut factors = vec![1.0; times[0].in_runs.len()];
        for _ in 0..ROUNDS {
            factors = factors_of(times, &factors);
        }
        let p = |time: &Times| {
            let divided = divided(time, &factors);
            let [was, is] = [&divided[..before], &divided[before..]].map(estimate);
            effect(&was, &is, settings.noise, settings.level).map_or(1.0, |effect| effect.p)
        };
        let counted = times.iter().enumerate().filter(|(_, time)| time.weight > 0.0);
        let surest = counted.map(|(at, time)| (at, p(time))).min_by(|a, b| a.1.total_cmp(&b.1));
        let left: f64 = times.iter().map(|time| time.weight).sum();
        match surest {
            Some((at, p)) if p < level && (left - times[at].weight) * 2.0 >= all => times[at].weight = 0.0,
            _ => return factors,
        }
    }
}

/// How much of the variance between runs may be left, 0..1, for the machine to have been its cause. Factors fit functions of which each differs
/// by itself, too, and leave about all but one part of as many as there are functions: two thirds of three, 95 % of twenty. So of three no more
/// than a quarter may be left, and the more there are, the more.
fn most_left(times: &[Times]) -> f64 {
    let sum: f64 = times.iter().map(|time| time.weight).sum();
    let squares: f64 = times.iter().map(|time| time.weight * time.weight).sum();
    // As many of equal weight say as much (Kish).
    1.0 - MEASURES_OF_CHANCE * squares / (sum * sum)
}

/// The times of runs, divided by the factors of these.
fn divided(time: &Times, factors: &[f64]) -> Vec<f64> {
    time.in_runs.iter().zip(factors).map(|(time, factor)| time / factor).collect()
}

/// The factors of the runs, if the means are those of runs divided by the factors `known` so far.
fn factors_of(times: &[Times], known: &[f64]) -> Vec<f64> {
    let means: Vec<f64> = times.iter().map(|time| mean_of(time, known)).collect();
    let factor = |run: usize| {
        let ratios = times.iter().zip(&means).map(|(time, mean)| (time.in_runs[run] / mean, time.weight));
        weighted_median(ratios.collect())
    };
    let factors: Vec<f64> = (0..known.len()).map(factor).collect();
    let middle = (factors.iter().map(|factor| factor.ln()).sum::<f64>() / factors.len() as f64).exp();
    factors.into_iter().map(|factor| factor / middle).collect()
}

fn mean_of(time: &Times, factors: &[f64]) -> f64 {
    divided(time, factors).iter().sum::<f64>() / factors.len() as f64
}

/// How much the times of runs of one side differ, divided by these factors: the weighted mean of the variances of their logarithms. It says
/// nothing about the difference of the sides.
fn spread(times: &[Times], factors: &[f64], before: usize) -> f64 {
    let variance = |time: &Times| {
        let logs: Vec<f64> = divided(time, factors).into_iter().map(f64::ln).collect();
        let squares = |side: &[f64]| {
            let mean = side.iter().sum::<f64>() / side.len() as f64;
            side.iter().map(|log| (log - mean).powi(2)).sum::<f64>()
        };
        squares(&logs[..before]) + squares(&logs[before..])
    };
    times.iter().map(|time| time.weight * variance(time)).sum()
}

fn estimate(factors: &[f64]) -> Estimate {
    let squares = factors.iter().map(|factor| factor * factor).sum();
    Estimate::new(factors.len() as u64, factors.iter().sum(), squares, None)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::comparison::Comparison;
    use crate::fixtures::{lines, runs};
    use crate::texts;
    use crate::work::Per;

    /// Of two runs on a busy machine, one was on each side; `parse` takes a third more after.
    const BUSY: &str = "
        parse   | 3000 4560 3010 3100 | 3960 4060 6050 4010
        print   | 2000 3110 2020 2010 | 2010 2030 3020 1990
        load    | 4000 6010 4090 4030 | 4020 4110 6100 4000
        ?native | 1000 1510 1010 1020 | 1040 1000 1530 1000
    ";

    /// In this order.
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

    fn machine(table: &str) -> Option<Machine> {
        let [before, after] = runs(table);
        Machine::of([&before, &after], Settings::default())
    }

    fn factors(table: &str) -> Option<[Vec<String>; 2]> {
        let round = |factors: &Vec<f64>| factors.iter().map(|factor| format!("{factor:.2}")).collect();
        Some(machine(table)?.factors.each_ref().map(round))
    }

    #[test]
    fn a_busy_machine_is_told_by_all_functions() {
        let expected = [["0.88", "1.32", "0.90", "0.88"], ["0.88", "0.90", "1.34", "0.88"]];
        assert_eq!(factors(BUSY), Some(expected.map(|side| side.map(str::to_owned).to_vec())));
        let [before, after] = runs(BUSY);
        let compared = |per| Comparison::of(&before, &after, per, Settings::default()).expect("functions");
        expect![[r#"
            parse: unsure | self unsure: 3417.5 → 4520 ms, −10 % to +95 %, 0.451 | total unsure: 3417.5 → 4520 ms, −10 % to +95 %, 0.451
            load: unsure | self unsure: 4532.5 → 4557.5 ms, −31 % to +48 %, 0.973 | total unsure: 4532.5 → 4557.5 ms, −31 % to +48 %, 0.973
            print: unsure | self unsure: 2285 → 2262.5 ms, −34 % to +48 %, 0.973 | total unsure: 2285 → 2262.5 ms, −34 % to +48 %, 0.973
        "#]].assert_eq(&lines(&compared(Per::Run)));
        expect![[r#"
            parse: regression | self regression: 3433.663604 → 4519.738216 ms, +28 % to +36 %, <0.001 | total regression: 3433.663603 → 4519.738214 ms, +28 % to +36 %, <0.001
            print: unchanged | self unchanged: 2290.072937 → 2263.165046 ms, −4.8 % to +2.5 %, 0.647 | total unchanged: 2290.072936 → 2263.165046 ms, −4.8 % to +2.5 %, 0.647
            load: unchanged | self unchanged: 4557.092175 → 4557.092188 ms, −2.6 % to +2.6 %, 1 | total unchanged: 4557.092175 → 4557.092188 ms, −2.6 % to +2.6 %, 1
        "#]].assert_eq(&lines(&compared(Per::Machine)));
        expect![[r#"
            Active time: 11.4 s before, 12.5 s after (+9.3 %), +7.8 % to +11 %, slower.
            4 runs before, 4 runs after: judged by how much the runs of each side differ.
            Times are as if the machine had always been as fast as in the runs after.
            All functions together took 0.55 % longer in the runs after (−31 % to +48 %), which may be chance.
            Of 3 functions: 1 slower."#]]
        .assert_eq(&texts::sentences(&compared(Per::Machine)).join("\n"));
    }

    /// What has most of the time tells no more than all others do together.
    #[test]
    fn what_changed_is_not_the_machine() {
        let table = "
            main  | 300 300 450 | 390 390 585
            parse | 10  10  15  | 10  10  15
            print | 12  12  18  | 12  12  18
            load  | 14  14  21  | 14  14  21
        ";
        let expected = [["0.86", "0.86", "1.29"], ["0.86", "0.86", "1.29"]];
        assert_eq!(factors(table), Some(expected.map(|side| side.map(str::to_owned).to_vec())));
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
            assert_eq!(factors(table), None, "{name}");
        }
        let [mut before, after] = runs(BUSY);
        before[0].sessions = 2;
        assert_eq!(Machine::of([&before, &after], Settings::default()), None, "sessions of users");
        before[0].sessions = 1;
        before[0].unit = Unit::Bytes;
        assert_eq!(Machine::of([&before, &after], Settings::default()), None, "memory");
    }
}
