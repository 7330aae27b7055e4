//! Determines whether two means differ by more than chance, and by how much: one question, asked for each function.
//!
//! Means are compared as logarithms of their ratio, so that "twice" and "half" are equally far from "the same". By the delta method
//! the variance of the logarithm of a mean is its squared coefficient of variation divided by the number of runs.
//!
//! - **Several runs per side**: Welch's t-test (Welch 1947) with Satterthwaite's degrees of freedom. The variation
//!   between runs includes the sampling error. With fewer than [`ENOUGH_RUNS`], a side's own variance may be small by
//!   chance, so it is taken to be at least that of sampling.
//! - **One run against several**: the single run is assumed to vary like the others (Student's t with their variance).
//! - **One run per side**: only the sampling error is known. The variance of an assumed noise between runs is added to it.
//! - **Pairs**, which are a run of each side, right after one another: Student's t-test on the logarithms of their
//!   ratios. Whatever the two runs of a pair have in common does not matter.
//! - **Sides that were not recorded by turns**: the variance of what differs between them without any change ([`Drift`]) is
//!   added to that of each ratio.
//! - **No time on one side**: there is no ratio; the question is whether the mean of the other side differs from zero.
//!
//! Many functions are tested at once: [`adjust`] turns all their p-values into values that bound the proportion of false alarms
//! among alarms (Benjamini and Hochberg 1995).

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// With this many runs, the variance between them is taken as it is.
const ENOUGH_RUNS: u64 = 5;
/// For times with heavy tails, Student's t gives too small probabilities far out, where those of many functions are decided.
/// With the degrees of freedom divided by this factor, relative to the effective runs, false alarms are as rare as they
/// should be, even for a few hundred sessions (`fleet/tests/simulated.rs`); for thousands, it makes no difference.
const TAILS: f64 = 4.0;
/// How many runs it takes to tell how much runs differ; with fewer on a side, nothing is certain.
pub const MIN_RUNS: u64 = 3;

/// What the runs of one side say about one time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// The number of runs.
    pub(crate) runs: u64,
    /// The mean of a run.
    pub(crate) mean: f64,
    /// The squared coefficient of variation between runs; `None` for a single run, and if the mean is 0.
    pub(crate) between: Option<f64>,
    /// The squared coefficient of variation of one run due to sampling alone; `None` for times that were not sampled.
    pub(crate) sampling: Option<f64>,
    /// Whether its runs are sessions or users, a few of which have most of the time.
    pub(crate) has_heavy_tails: bool,
    /// The price of dividing its runs by something that was fitted to them.
    pub(crate) fitted: Option<Fitted>,
    /// What its side differs by from the other one, although nothing changed.
    pub(crate) drift: Option<Drift>,
}

/// How much times differ between two sides that were recorded at different times although nothing has changed: something
/// that all runs of a side have in common, which no number of runs averages out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// The variance of the logarithm of the ratio of a time that did not change.
    pub(crate) variance: f64,
    /// The degrees of freedom that this is known with.
    pub(crate) freedom: f64,
}

/// The price of dividing values by powers of other values, with one slope for both sides that was fitted to them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fitted {
    /// The factor by which the variance of a difference between the sides is larger than their values alone suggest.
    variance: f64,
    /// The fraction of the degrees of freedom that remains, 0..1.
    freedom: f64,
}

/// The logarithm of a ratio of means, and how certain it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Difference {
    log: f64,
    variance: f64,
    /// The degrees of freedom that the variance is known with.
    freedom: f64,
}

/// Sums over clusters: groups of sessions that are independent of each other, such as users.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClusterSums {
    /// The number of clusters, including those that have none of the time.
    pub clusters: u64,
    /// The sum of the time.
    pub time: i128,
    /// The sum of the work.
    pub work: i128,
    /// The sum of the squares of the time.
    pub time_squares: i128,
    /// The sum of the products of time and work of each cluster.
    pub products: i128,
    /// The sum of the squares of the work.
    pub work_squares: i128,
}

/// How much a time changed, and how likely it is that chance alone would do that.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// The interval in which the true ratio of after to before lies with a probability of 1 - `level`, usually 95 %;
    /// `None` if either is 0.
    pub interval: Option<[f64; 2]>,
    /// The standard error of the logarithm of that ratio, or of the mean that is not 0, relative to it.
    pub(crate) error: f64,
    /// The probability of such a difference, or a larger one, if nothing has changed.
    pub p: f64,
    /// [`Effect::p`] adjusted for many questions at once: of those up to 0.05, at most 5 in 100 are false alarms. It is 1 if
    /// the question was not asked because the time is too small.
    pub q: f64,
}

impl Fitted {
    /// The price of a slope over other values, whose logarithms have this mean `difference` between the sides and this
    /// sum of `squares` within them; there are more than three runs (Cochran 1957, "Analysis of covariance", section 1).
    pub(crate) fn by_slope(difference: f64, squares: f64, runs: [f64; 2]) -> Self {
        let all = runs[0] + runs[1];
        let freedom = (all - 3.0) / (all - 2.0);
        let of_means = 1.0 / runs[0] + 1.0 / runs[1];
        Self { variance: (1.0 + difference * difference / squares / of_means) / freedom, freedom }
    }
}

impl Difference {
    /// Adds what sides differ by without a change (Satterthwaite 1946).
    pub(crate) fn with(self, drift: Drift) -> Self {
        if self.variance == 0.0 {
            return Self { variance: drift.variance, freedom: drift.freedom, ..self };
        }
        let variance = self.variance + drift.variance;
        let parts = [(self.variance, self.freedom), (drift.variance, drift.freedom)];
        let freedom =
            variance * variance / parts.map(|(part, freedom)| part * part / freedom).iter().sum::<f64>();
        Self { variance, freedom, ..self }
    }

    /// How likely chance alone is to make it.
    pub(crate) fn p(&self) -> f64 {
        two_sided(self.log, self.variance.sqrt(), self.freedom)
    }

    fn effect(&self, level: f64) -> Effect {
        let error = self.variance.sqrt();
        let half = quantile(1.0 - level / 2.0, self.freedom) * error;
        let interval = Some([(self.log - half).exp(), (self.log + half).exp()]);
        Effect { interval, error, p: self.p(), q: 1.0 }
    }
}

impl Estimate {
    /// The mean and variation of values whose sum and sum of squares are known.
    pub(crate) fn new(runs: u64, sum: f64, squares: f64, sampling: Option<f64>) -> Self {
        let number = runs.max(1) as f64;
        let mean = sum / number;
        let between = (runs > 1 && mean > 0.0)
            .then(|| (squares - sum * sum / number).max(0.0) / (number - 1.0) / (mean * mean));
        Self { runs, mean, between, sampling, has_heavy_tails: false, fitted: None, drift: None }
    }

    /// A mean of runs whose variation is not known.
    pub fn unknown(runs: u64, mean: f64) -> Self {
        Self { runs, mean, ..Self::default() }
    }

    /// The time per unit of work, times `reference`: a ratio of two sums over clusters. Its variance comes from the difference between
    /// each cluster's time and what its work would lead one to expect (linearization: Cochran 1977, "Sampling Techniques", 6.4), so that
    /// users with many sessions count as one observation.
    pub fn of_clusters(sums: &ClusterSums, reference: f64) -> Self {
        let number = sums.clusters.max(1) as f64;
        let (time, work) = (sums.time as f64, sums.work as f64);
        if time <= 0.0 || work <= 0.0 {
            return Self { runs: sums.clusters, ..Self::default() };
        }
        let parts = [
            sums.time_squares as f64 / (time * time),
            -2.0 * (sums.products as f64 / (time * work)),
            sums.work_squares as f64 / (work * work),
        ];
        let between = (sums.clusters > 1)
            .then(|| parts.iter().sum::<f64>().max(0.0) * number * (number / (number - 1.0)));
        Self {
            runs: sums.clusters,
            mean: time / work * reference,
            between,
            sampling: None,
            has_heavy_tails: true,
            fitted: None,
            drift: None,
        }
    }

    /// The squared coefficient of variation of one run, and its degrees of freedom; `None` if it must come from elsewhere.
    fn variation(&self) -> Option<(f64, f64)> {
        let between = self.between?;
        let least = if self.runs < ENOUGH_RUNS { self.sampling.unwrap_or(0.0) } else { 0.0 };
        let runs = (self.runs - 1) as f64;
        let freedom = if self.has_heavy_tails { (runs / (1.0 + between) / TAILS).max(1.0) } else { runs };
        let variation = between.max(least);
        Some(match self.fitted {
            Some(fitted) => (variation * fitted.variance, freedom * fitted.freedom),
            None => (variation, freedom),
        })
    }
}

/// How many runs of equal time would tell as much as those of both sides do, limited by what the smaller side can
/// contribute. If one run in a thousand has most of a time, the time is known from few runs, however many there are. The
/// value does not depend on which side a run belongs to.
pub(crate) fn effective(sides: [&Estimate; 2]) -> f64 {
    let runs = sides.map(|side| side.runs as f64);
    let sum: f64 = sides.iter().zip(runs).map(|(side, runs)| side.mean * runs).sum();
    let squares: f64 = sides
        .iter()
        .zip(runs)
        .map(|(side, runs)| {
            side.mean * side.mean * (side.between.unwrap_or(0.0) * (runs - 1.0).max(0.0) + runs)
        })
        .sum();
    let all = runs[0] + runs[1];
    if squares > 0.0 { sum * sum / squares * runs[0].min(runs[1]) / all } else { 0.0 }
}

/// How the means of two sides differ; `None` if nothing is known about their variation. `noise` is the assumed standard deviation
/// between single runs, as a fraction of the time. The true ratio lies outside of the interval with the probability `level`.
pub(crate) fn effect(before: &Estimate, after: &Estimate, noise: f64, level: f64) -> Option<Effect> {
    if before.mean <= 0.0 || after.mean <= 0.0 {
        return appeared(before, after);
    }
    let difference = difference(before, after, noise)?;
    Some(after.drift.map_or(difference, |drift| difference.with(drift)).effect(level))
}

/// How two means that are not 0 differ by what their runs tell; `None` if nothing is known about their variation.
pub(crate) fn difference(before: &Estimate, after: &Estimate, noise: f64) -> Option<Difference> {
    let (variance, freedom) = match (before.variation(), after.variation()) {
        (Some((b, b_freedom)), Some((a, a_freedom))) => {
            let (b, a) = (b / before.runs as f64, a / after.runs as f64);
            // This is NaN if the runs of each side are the same: without an error, the degrees of freedom do not matter.
            (a + b, (a + b) * (a + b) / (a * a / a_freedom + b * b / b_freedom))
        }
        (Some((known, freedom)), None) | (None, Some((known, freedom))) => {
            let most = before.runs.max(after.runs);
            if most < MIN_RUNS {
                return None;
            }
            (known / before.runs as f64 + known / after.runs as f64, freedom)
        }
        (None, None) => {
            let sampling = before.sampling? + after.sampling?;
            (sampling + 2.0 * noise * noise, f64::INFINITY)
        }
    };
    Some(Difference { log: (after.mean / before.mean).ln(), variance, freedom })
}

/// How the times of pairs differ, and their (geometric) mean ratio; `None` with fewer than two pairs.
pub(crate) fn effect_of_pairs(pairs: &[[f64; 2]], level: f64) -> Option<(f64, Effect)> {
    let logs: Vec<f64> = pairs.iter().map(|[before, after]| (after / before).ln()).collect();
    let number = logs.len() as f64;
    let mean = logs.iter().sum::<f64>() / number;
    let squares: f64 = logs.iter().map(|log| (log - mean).powi(2)).sum();
    let variance = squares / (number - 1.0) / number;
    let difference = Difference { log: mean, variance, freedom: number - 1.0 };
    (logs.len() > 1).then(|| (mean.exp(), difference.effect(level)))
}

/// Whether a time that is 0 on one side differs from nothing on the other.
fn appeared(before: &Estimate, after: &Estimate) -> Option<Effect> {
    let there = if before.mean > 0.0 { before } else { after };
    if there.mean <= 0.0 {
        return None;
    }
    let (variance, freedom) = match there.variation() {
        Some((variation, freedom)) => (variation / there.runs as f64, freedom),
        None => (there.sampling?, f64::INFINITY),
    };
    let error = variance.sqrt();
    Some(Effect { interval: None, error, p: two_sided(1.0, error, freedom), q: 1.0 })
}

/// Adjusts the p-values of many questions, in place (Benjamini and Hochberg 1995, "Controlling the False Discovery Rate").
pub(crate) fn adjust(effects: &mut [&mut Effect]) {
    effects.sort_by(|a, b| a.p.total_cmp(&b.p));
    let number = effects.len() as f64;
    let mut least = 1.0_f64;
    for (rank, effect) in effects.iter_mut().enumerate().rev() {
        least = least.min(effect.p * number / (rank + 1) as f64);
        effect.q = least;
    }
}

/// The value below and above which at most half of the weight lies; the mean of both if there are two. 1 if there are no values.
pub(crate) fn weighted_median(mut values: Vec<(f64, f64)>) -> f64 {
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let all: f64 = values.iter().map(|(_, weight)| weight).sum();
    let mut below = 0.0;
    let mut reaches_half = values.iter().skip_while(|(_, weight)| {
        below += weight;
        below * 2.0 < all
    });
    let Some(&(value, _)) = reaches_half.next() else { return 1.0 };
    match reaches_half.next() {
        Some(&(next, _)) if below * 2.0 <= all => f64::midpoint(value, next),
        _ => value,
    }
}

/// The value below which this fraction of the normal distribution lies.
pub(crate) fn normal_quantile(part: f64) -> f64 {
    Normal::standard().inverse_cdf(part)
}

fn two_sided(difference: f64, error: f64, freedom: f64) -> f64 {
    if difference == 0.0 {
        return 1.0;
    }
    if error == 0.0 {
        return 0.0; // times that were not sampled and are the same in all runs
    }
    2.0 * below(-(difference / error).abs(), freedom)
}

fn below(t: f64, freedom: f64) -> f64 {
    match StudentsT::new(0.0, 1.0, freedom) {
        Ok(student) if freedom < 1e6 => student.cdf(t),
        _ => Normal::standard().cdf(t),
    }
}

fn quantile(part: f64, freedom: f64) -> f64 {
    match StudentsT::new(0.0, 1.0, freedom) {
        Ok(student) if freedom < 1e6 => student.inverse_cdf(part),
        _ => Normal::standard().inverse_cdf(part),
    }
}

#[cfg(test)]
mod tests;
