//! Computes one factor for each run: how much longer the machine made its times than those of other runs, robust against what changed.
//!
//! For each run, take the ratio of each time to its mean over all runs. The factor of the run is the median of these,
//! weighted by time (median of ratios: Anders and Huber 2010, "Differential expression analysis for sequence count
//! data"). Changed times do not move a median while they have less than half of the time, and are left out once it is
//! certain that they changed.

use std::collections::BTreeMap;

use analysis::summary::DefinitionKey;
use profile::model::Amount;

use crate::run::Run;
use crate::side::{LedgerRow, off_functions};
use crate::statistics::{Estimate, effect, weighted_median};
use crate::verdict::Settings;

/// How many times the variance that factors explain by chance they must explain for the machine to count as the
/// cause (see [`most_left`]).
const TIMES_OF_CHANCE: f64 = 2.25;
/// How many times the means are recomputed from runs divided by their factors.
const ROUNDS: usize = 2;

/// What a time belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Measured<'r> {
    /// The self time of a definition.
    SelfTime(&'r DefinitionKey),
    /// The total time of a definition.
    TotalTime(&'r DefinitionKey),
    /// Time that belongs to no definition.
    Row(LedgerRow),
}

impl<'r> Measured<'r> {
    fn is_active(&self) -> bool {
        !matches!(self, Self::Row(LedgerRow::Idle | LedgerRow::NoStack))
    }

    /// All times of a run.
    pub(crate) fn all(run: &'r Run) -> impl Iterator<Item = (Self, Amount)> {
        let functions = run.functions.iter().flat_map(|(key, function)| {
            let own = (Self::SelfTime(key), function.cost.self_time);
            [own, (Self::TotalTime(key), function.cost.total_time)]
        });
        functions.chain(off_functions(&run.ledger).map(|(row, time)| (Self::Row(row), time)))
    }
}

/// One time in all runs, those before first.
#[derive(Clone, Debug)]
pub(crate) struct Times<'r> {
    /// What it belongs to.
    pub(crate) of: Measured<'r>,
    /// Its nanoseconds in each run.
    pub(crate) in_runs: Vec<f64>,
}

/// A time, and how much it tells about the machine.
pub(crate) type Weighted<'t> = (&'t Times<'t>, f64);

impl<'r> Times<'r> {
    /// The times that are large enough to be judged and that no run lacks: self times and unplaced times, which add up, and total times.
    pub(crate) fn of(runs: &[&'r Run], settings: Settings) -> [Vec<Self>; 2] {
        let mut all: BTreeMap<Measured<'r>, Vec<f64>> = BTreeMap::new();
        for run in runs {
            for (of, time) in Measured::all(run).filter(|(of, time)| time.0 > 0 && of.is_active()) {
                all.entry(of).or_default().push(time.0 as f64);
            }
        }
        let active: f64 = runs.iter().map(|run| run.active().0 as f64).sum();
        let least = settings.least_share * active;
        let in_all = all.into_iter().filter(|(_, in_runs)| in_runs.len() == runs.len());
        let large = in_all.filter(|(_, in_runs)| in_runs.iter().sum::<f64>() >= least);
        let (totals, parts) = large
            .map(|(of, in_runs)| Times { of, in_runs })
            .partition(|times| matches!(times.of, Measured::TotalTime(_)));
        [parts, totals]
    }
}

/// Weights each time by its mean, but never by more than half of all others together, so that none decides alone.
pub(crate) fn weighted<'t>(times: impl IntoIterator<Item = &'t Times<'t>>) -> Vec<Weighted<'t>> {
    let times: Vec<Weighted<'t>> =
        times.into_iter().map(|times| (times, times.in_runs.iter().sum::<f64>())).collect();
    let all: f64 = times.iter().map(|(_, sum)| sum).sum();
    times.into_iter().map(|(times, sum)| (times, sum.min((all - sum) / 2.0))).collect()
}

/// The times that did not change, and the factors of the runs according to these. Times that certainly changed are left
/// out one by one, as long as the rest has at least half of the weight; otherwise they would move the median among the
/// others a little. There is at least one time.
pub(crate) fn steady<'t>(
    mut times: Vec<Weighted<'t>>,
    before: usize,
    settings: Settings,
) -> (Vec<Weighted<'t>>, Vec<f64>) {
    let all = weight(&times);
    let level = settings.level / times.len() as f64; // any of them may look changed by chance (Bonferroni)
    loop {
        let factors = factors(&times);
        let p = |times: &Times| {
            let divided = divided(times, &factors);
            let [was, is] = [&divided[..before], &divided[before..]].map(estimate);
            effect(&was, &is, settings.noise, settings.level).map_or(1.0, |effect| effect.p)
        };
        let surest = times.iter().map(|(times, _)| p(times)).enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
        match surest {
            Some((at, p)) if p < level && (weight(&times) - times[at].1) * 2.0 >= all => times.remove(at),
            _ => return (times, factors),
        };
    }
}

/// The factors of the runs, whose geometric mean is 1.
pub(crate) fn factors(times: &[Weighted<'_>]) -> Vec<f64> {
    let runs = times.first().map_or(0, |(times, _)| times.in_runs.len());
    let mut factors = vec![1.0; runs];
    for _ in 0..ROUNDS {
        let means: Vec<f64> = times.iter().map(|(times, _)| mean_of(times, &factors)).collect();
        let medians = (0..runs).map(|run| {
            let ratios =
                times.iter().zip(&means).map(|((times, weight), mean)| (times.in_runs[run] / mean, *weight));
            weighted_median(ratios.collect())
        });
        factors = medians.collect();
        let middle = (factors.iter().map(|factor| factor.ln()).sum::<f64>() / runs as f64).exp();
        factors.iter_mut().for_each(|factor| *factor /= middle);
    }
    factors
}

/// Whether these factors are why times differ between the runs of one side.
pub(crate) fn explain(factors: &[f64], times: &[Weighted<'_>], before: usize) -> bool {
    let left = spread(times, factors, before);
    left <= most_left(times) * spread(times, &vec![1.0; factors.len()], before)
}

/// How much of the variance between runs may remain, 0..1, for the machine to count as its cause. Factors also fit
/// functions that each vary independently, and leave about all but one part in as many as there are functions: two thirds
/// for three, 95 % for twenty. So for three, no more than a quarter may remain, and more for more functions.
fn most_left(times: &[Weighted<'_>]) -> f64 {
    1.0 - TIMES_OF_CHANCE / number(times.iter().map(|(_, weight)| *weight))
}

/// The equivalent number of equal weights (Kish 1965, "Survey sampling").
pub(crate) fn number(weights: impl Iterator<Item = f64> + Clone) -> f64 {
    let squares: f64 = weights.clone().map(|weight| weight * weight).sum();
    weights.sum::<f64>().powi(2) / squares
}

/// How much times differ between the runs of one side, divided by these factors: the weighted sum of the squared
/// differences of their logarithms from the mean of their side. It does not depend on the difference between the sides.
fn spread(times: &[Weighted<'_>], factors: &[f64], before: usize) -> f64 {
    let of_times = times.iter().map(|(times, weight)| {
        let logs: Vec<f64> = divided(times, factors).into_iter().map(f64::ln).collect();
        weight * (squares(&logs[..before]) + squares(&logs[before..]))
    });
    of_times.sum()
}

/// The sum of the squared differences from the mean.
fn squares(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| (value - mean).powi(2)).sum()
}

/// The times of runs, divided by the runs' factors.
fn divided(times: &Times, factors: &[f64]) -> Vec<f64> {
    times.in_runs.iter().zip(factors).map(|(time, factor)| time / factor).collect()
}

fn mean_of(times: &Times, factors: &[f64]) -> f64 {
    divided(times, factors).iter().sum::<f64>() / factors.len() as f64
}

fn weight(times: &[Weighted<'_>]) -> f64 {
    times.iter().map(|(_, weight)| weight).sum()
}

/// What the runs of a side say about a number that each of them has.
pub(crate) fn estimate(values: &[f64]) -> Estimate {
    let squares = values.iter().map(|value| value * value).sum();
    Estimate::new(values.len() as u64, values.iter().sum(), squares, None)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::fixtures::{BUSY, runs};

    fn factors_of(table: &str) -> String {
        let [before, after] = runs(table);
        let runs: Vec<_> = before.iter().chain(&after).collect();
        let [parts, _] = Times::of(&runs, Settings::default());
        let (steady, factors) = steady(weighted(&parts), before.len(), Settings::default());
        let factors = factors.iter().map(|factor| format!(" {factor:.2}"));
        format!("{} of {} times:{}\n", steady.len(), parts.len(), factors.collect::<String>())
    }

    #[test]
    fn all_times_tell_of_the_machine_but_those_that_changed() {
        // The one with most of the time counts no more than all others together.
        let most = "
            main  | 300 300 450 | 390 390 585
            parse | 10  10  15  | 10  10  15
            print | 12  12  18  | 12  12  18
            load  | 14  14  21  | 14  14  21
        ";
        expect![[r#"
            3 of 4 times: 0.89 1.34 0.91 0.90 0.90 0.92 1.36 0.89
            3 of 4 times: 0.87 0.87 1.31 0.87 0.87 1.31
        "#]]
        .assert_eq(&[BUSY, most].map(factors_of).concat());
    }
}
