//! Estimates how differently times behave on two sides that were not recorded by turns, although nothing changed: the
//! machine was in another state, which slows each function down in its own way, and no single factor describes.
//!
//! How much runs of one side differ says nothing about that, since all of them share it. But most functions did not
//! change, and tell: if they differ between the sides by more than their runs explain, the rest is the drift. It is a
//! variance between functions, as there is one between studies (Paule and Mandel 1982, "Consensus values and weighting
//! factors"). What changed must not count (Efron 2004, "Large-scale simultaneous hypothesis testing: the choice of a null
//! hypothesis"): so a first value comes from a median, which what changed does not move while it has less than half of
//! the time. It comes from few of the times, so only those are left out that have certainly changed even so. The second
//! value comes from all others, none of which counts for more than one that is [`FAR`] off (Huber 1964, "Robust
//! estimation of a location parameter", proposal 2).

use crate::adjust::Adjustment;
use crate::factors::{Weighted, number};
use crate::statistics::{Difference, Drift, difference, normal_quantile, weighted_median};
use crate::verdict::Settings;

/// The variance of a median of normal values is this many times that of their mean: π/2.
const MEDIAN: f64 = std::f64::consts::FRAC_PI_2;
/// Times that differ by more standard deviations than this count as if they differed by as many.
const FAR: f64 = 1.5;
/// The mean of the squares of normal values that are limited in this way.
const SQUARES: f64 = 0.778;
/// How much of the freedom of a standard deviation of normal values is left to one that is limited in this way, and to
/// one from a median.
const FREEDOM: f64 = 0.72;
const FREEDOM_OF_MEDIAN: f64 = 0.37;
/// The largest standard deviation of the logarithms of ratios that is looked for: times that differ a thousandfold.
const MOST: f64 = 7.0;
/// How many times the range of the standard deviation is halved.
const HALVINGS: usize = 20;

/// A difference between the sides, and how much it tells.
type Weighed = (Difference, f64);

/// Makes an adjustment as uncertain as the drift of these times demands. The result is its standard deviation, for the
/// logarithms of ratios; 0 if runs explain why these differ.
pub(crate) fn widen(adjustment: &mut Adjustment<'_>, times: &[Weighted<'_>], settings: Settings) -> f64 {
    let differences = times.iter().filter_map(|(times, weight)| {
        let [was, is] = adjustment.estimates(times);
        Some((difference(&was, &is, settings.noise)?, *weight))
    });
    let all: Vec<Weighed> = differences.collect();
    let first = smallest(|drift| weighted_median(p_values(&all, drift)) >= 0.5);
    let level = settings.level / all.len() as f64; // any of them may look changed by chance (Bonferroni)
    let p = p_values(&all, Drift { freedom: freedom(&all, FREEDOM_OF_MEDIAN), ..first });
    let steady = all.iter().zip(p).filter(|(_, (p, _))| *p >= level).map(|(weighed, _)| *weighed);
    let steady: Vec<Weighed> = steady.collect();
    let Drift { variance, .. } = smallest(|drift| are_usual(&p_values(&steady, drift)));
    if variance > 0.0 {
        // A function differs by its own drift and by the error of the factor, which is a median of all; in the sum of
        // all functions, their own drifts average out.
        let number = number(steady.iter().map(|(_, weight)| *weight));
        let of_factor = MEDIAN * variance / number;
        let freedom = freedom(&steady, FREEDOM);
        let [own, of_all] =
            [variance, variance / number].map(|own| Drift { variance: own + of_factor, freedom });
        adjustment.widen(own, of_all);
    }
    variance.sqrt()
}

/// The degrees of freedom of a standard deviation of as many times, of which a part is left.
fn freedom(times: &[Weighed], part: f64) -> f64 {
    ((number(times.iter().map(|(_, weight)| *weight)) - 1.0) * part).max(1.0)
}

/// The smallest drift that is enough, where all larger ones are.
fn smallest(is_enough: impl Fn(Drift) -> bool) -> Drift {
    if is_enough(known(0.0)) {
        return known(0.0);
    }
    let mut range = [0.0, MOST];
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(range[0], range[1]);
        range[usize::from(is_enough(known(middle)))] = middle;
    }
    known(range[1])
}

/// A drift whose standard deviation is known.
fn known(deviation: f64) -> Drift {
    Drift { variance: deviation * deviation, freedom: f64::INFINITY }
}

/// How likely such differences are if times drift and nothing changed, each with its weight.
fn p_values(differences: &[Weighed], drift: Drift) -> Vec<(f64, f64)> {
    differences.iter().map(|(difference, weight)| (difference.with(drift).p(), *weight)).collect()
}

/// Whether these are as likely as p-values of times that did not change, taken as squares of normal values.
fn are_usual(p: &[(f64, f64)]) -> bool {
    let far = FAR * FAR;
    let squares = p.iter().map(|(p, weight)| weight * normal_quantile(p / 2.0).powi(2).min(far));
    squares.sum::<f64>() <= SQUARES * p.iter().map(|(_, weight)| weight).sum::<f64>()
}
