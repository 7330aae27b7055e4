//! Estimates how fast the machine was in each run, from all functions together: a machine that is shared with others
//! makes all of them slower at once, which is not a change of any of them.
//!
//! If one factor per run explains why its times differ from those of other runs, all times are divided by it
//! ([`crate::factors`]). If functions follow the machine by different powers of that factor, each has its own slope
//! ([`crate::covariate`]).

use profile::model::Unit;

use crate::adjust::Adjustment;
use crate::covariate::Slope;
use crate::drift::widen;
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
/// How much times may drift for one factor to count as the reason why sides differ, as a part of its logarithm: with more,
/// functions do not agree that there is one.
const MOST_DRIFT: f64 = 0.5;

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
    /// How much functions that did not change differ between the sides beyond what their runs explain, as one standard
    /// deviation, 0.1 for 10 %: 0 if runs were taken by turns.
    pub drift: f64,
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
        let by_slopes = by_slopes(sides, [&parts, &totals], &steady, &of_runs, explains);
        let is_by_side = by_slopes.is_none() && !explains;
        let mut adjustment = match by_slopes {
            Some(adjustment) => adjustment,
            None if explains => Adjustment::by_factors(sides, of_runs.clone()),
            // It is not why runs of one side differ, but it is why the sides do.
            None if !is_by_turns && effect.p <= settings.level => {
                Adjustment::by_factors(sides, [was, is].map(of_side).concat())
            }
            None => return None,
        };
        let is_by_function = adjustment.is_by_function();
        let drift = if is_by_turns { 0.0 } else { widen(&mut adjustment, &weighted(&parts), settings) };
        if is_by_side && drift > ratio.ln().abs() * MOST_DRIFT {
            return None;
        }
        Some((Self { ratio, effect, is_by_turns, is_by_function, drift: drift.exp_m1() }, adjustment))
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

/// The mean factor of the runs of a side, for each of them.
fn of_side(factors: &[f64]) -> Vec<f64> {
    vec![factors.iter().sum::<f64>() / factors.len() as f64; factors.len()]
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
mod tests;
