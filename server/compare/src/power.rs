//! Estimates how many runs it takes until a change shows, from how much the existing runs differ.

use profile::model::Amount;

use crate::statistics::{Effect, normal_quantile, weighted_median};

/// The change that should show.
pub const SHOWN: f64 = 0.1;
/// How often it should then show, 0..1.
pub(crate) const POWER: f64 = 0.8;

/// How many runs per side it takes until a change of [`SHOWN`] shows in four of five comparisons, in the functions with
/// half of the time. `judged` are the functions that were judged with `runs` per side, at a `level` of false alarms. The
/// error of a difference falls with the square root of the number of runs. `None` if nothing was judged.
pub(crate) fn runs_needed(judged: &[(Effect, Amount)], runs: u64, level: f64) -> Option<u64> {
    if judged.is_empty() {
        return None;
    }
    // The first of many questions must meet the strictest level.
    let certain = normal_quantile(1.0 - level / 2.0 / judged.len() as f64);
    let largest_error = (1.0 + SHOWN).ln() / (certain + normal_quantile(POWER));
    let by_time = judged.iter().map(|(effect, time)| {
        let needed = runs as f64 * (effect.error / largest_error).powi(2);
        (needed, time.0 as f64)
    });
    Some(weighted_median(by_time.collect()).ceil() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_differ_more_have_to_be_more() {
        let judged = |errors: &[(f64, u64)]| -> Vec<_> {
            let effect = |error| Effect { interval: None, error, p: 1.0, q: 1.0 };
            errors.iter().map(|(error, time)| (effect(*error), Amount(*time))).collect()
        };
        let rows = [
            (vec![], None),
            (vec![(0.034, 1)], Some(10)),
            (vec![(0.068, 1)], Some(40)),
            // With many questions, each must meet a stricter level.
            (vec![(0.034, 1); 40], Some(22)),
            // A function with little time does not count much.
            (vec![(0.034, 9), (0.5, 1)], Some(13)),
        ];
        for (errors, expected) in rows {
            assert_eq!(runs_needed(&judged(&errors), 10, 0.05), expected, "{errors:?}");
        }
    }
}
