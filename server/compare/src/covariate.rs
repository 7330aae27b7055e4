//! Models how a time follows the machine if functions do not all follow it alike: code that waits for memory is slowed
//! down by other programs more than code that only computes.
//!
//! This is the analysis of covariance (Fisher 1932, "Statistical Methods for Research Workers"; Cochran 1957, "Analysis
//! of covariance: its nature and uses"): the logarithm of the time is fitted by a straight line over the logarithm of the
//! machine's factor, with one slope for both sides. The slope comes only from the differences within each side, so that
//! no difference between the sides is attributed to the machine. It costs one degree of freedom. If the machine differed
//! between the sides, the uncertainty of the slope also makes their difference less certain ([`Fitted`]).

use crate::statistics::Fitted;

/// A fitted relation: a time follows the machine by this power of its factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Slope {
    /// 1 if the time grows as much as those of all others do, 0 if it does not follow the machine.
    pub(crate) power: f64,
    /// The price of fitting it.
    pub(crate) fitted: Fitted,
    /// The remaining variance of the logarithms of the time within sides, per degree of freedom: with this power, with 1 and with 0.
    pub(crate) left: [f64; 3],
}

impl Slope {
    /// Fits the times of all runs, the first `before` of which are those before, by the factors of the machine; times and
    /// factors are positive. `None` if the factors are the same within each side, or if there are too few runs.
    pub(crate) fn of(times: &[f64], factors: &[f64], before: usize) -> Option<Self> {
        let [y, x] = [times, factors].map(|values| Sides::of(values, before));
        let [yy, xy, xx] = [y.products(&y), x.products(&y), x.products(&x)];
        let runs = times.len() as f64;
        let freedom = runs - 2.0;
        if xx <= 0.0 || freedom < 2.0 {
            return None;
        }
        let power = xy / xx;
        let left = |power: f64| (yy - 2.0 * power * xy + power * power * xx).max(0.0);
        Some(Self {
            power,
            fitted: Fitted::by_slope(x.means[1] - x.means[0], xx, [before as f64, runs - before as f64]),
            left: [left(power) / (freedom - 1.0), left(1.0) / freedom, left(0.0) / freedom],
        })
    }
}

/// The logarithms of values, as differences from the mean of their side.
struct Sides {
    centred: Vec<f64>,
    means: [f64; 2],
}

impl Sides {
    fn of(values: &[f64], before: usize) -> Self {
        let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
        let (was, is) = logs.split_at(before);
        let means = [was, is].map(|side| side.iter().sum::<f64>() / side.len() as f64);
        Self { centred: [centred(was, means[0]), centred(is, means[1])].concat(), means }
    }

    fn products(&self, other: &Self) -> f64 {
        self.centred.iter().zip(&other.centred).map(|(a, b)| a * b).sum()
    }
}

fn centred(values: &[f64], mean: f64) -> Vec<f64> {
    values.iter().map(|value| value - mean).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn a_time_has_a_slope_of_its_own() {
        let factors = [1.0, 1.1, 1.3, 1.0, 1.2, 1.0, 1.4, 1.1, 1.0, 1.2];
        let power = |power: f64, slower: f64| -> Vec<f64> {
            let times = factors.iter().map(|factor: &f64| 100.0 * factor.powf(power));
            times.enumerate().map(|(run, time)| if run < 5 { time } else { time * slower }).collect()
        };
        let rows = [
            ("as all others", power(1.0, 1.0)),
            ("half as much, and 10 % slower", power(0.5, 1.1)),
            ("not at all", power(0.0, 1.0)),
            ("by itself", vec![100.0, 120.0, 90.0, 130.0, 100.0, 110.0, 100.0, 120.0, 130.0, 90.0]),
        ];
        let shown = rows.map(|(name, times)| {
            let slope = Slope::of(&times, &factors, 5).expect("the factors differ");
            format!("{name}: {:.4}, {:.5?} is left\n", slope.power, slope.left)
        });
        expect![[r#"
            as all others: 1.0000, [0.00000, 0.00000, 0.01662] is left
            half as much, and 10 % slower: 0.5000, [0.00000, 0.00415, 0.00415] is left
            not at all: 0.0000, [0.00000, 0.01662, 0.00000] is left
            by itself: -0.7681, [0.01374, 0.06398, 0.02183] is left
        "#]]
        .assert_eq(&shown.concat());
        assert_eq!(Slope::of(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[1.0, 1.0, 1.0, 2.0, 2.0, 2.0], 3), None);
        assert_eq!(Slope::of(&[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0], 1), None, "too few runs");
    }
}
