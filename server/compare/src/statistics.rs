//! Whether two means differ by more than chance, and by how much: one question, asked of each function.
//!
//! Means are compared as logarithms of their ratio, so that "twice" and "half" are equally far from "the same". By the delta method
//! the variance of the logarithm of a mean is its squared coefficient of variation divided by the number of runs.
//!
//! - **Several runs a side**: Welch's t-test (Welch 1947) with the degrees of freedom of Satterthwaite. The variation between runs
//!   includes the error of sampling. With fewer than [`ENOUGH_RUNS`] a side's own variance may be small by chance, so it is at least
//!   that of sampling.
//! - **One run against several**: the single run is assumed to vary as the others do (Student's t with their variance).
//! - **One run a side**: only the error of sampling is known. The variance of an assumed noise between runs is added to it.
//! - **No time on one side**: there is no ratio; the question is whether the mean of the other side differs from
//!   nothing.
//!
//! Many functions are tested at once: [`adjust`] turns all their p-values into values that bound the proportion of false alarms
//! among alarms (Benjamini and Hochberg 1995).

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// With this many runs the variance between them is taken as it is.
const ENOUGH_RUNS: u64 = 5;
/// For times with heavy tails, Student's t gives probabilities that are too small far out, where those of many functions are
/// decided. With the degrees of freedom divided by this factor, relative to the effective runs, false alarms are as rare as they
/// should be, also for a few hundred sessions (`fleet/tests/simulated.rs`); for thousands it changes nothing.
const TAILS: f64 = 4.0;
/// How many runs it takes to tell how much runs differ; with fewer on a side nothing is certain.
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
    /// Whether its runs are sessions or users, of which a few have most of the time.
    pub(crate) has_heavy_tails: bool,
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
    /// The interval in which the true ratio of after to before lies with 95 % probability; `None` where one of them is 0.
    pub interval: Option<[f64; 2]>,
    /// The standard error of the logarithm of that ratio, or of the mean that is not 0, relative to it.
    pub(crate) error: f64,
    /// The probability of such a difference, or a larger one, if nothing has changed.
    pub p: f64,
    /// [`Effect::p`] adjusted for many questions at once: of those up to 0.05, at most 5 in 100 are false alarms. It is 1 if
    /// the question was not asked because the time is too small.
    pub q: f64,
}

impl Estimate {
    /// The mean and variation of values whose sum and sum of squares are known.
    pub(crate) fn new(runs: u64, sum: f64, squares: f64, sampling: Option<f64>) -> Self {
        let number = runs.max(1) as f64;
        let mean = sum / number;
        let between = (runs > 1 && mean > 0.0)
            .then(|| (squares - sum * sum / number).max(0.0) / (number - 1.0) / (mean * mean));
        Self { runs, mean, between, sampling, has_heavy_tails: false }
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
        }
    }

    /// The squared coefficient of variation of one run, and its degrees of freedom; `None` if it has to be known from elsewhere.
    fn variation(&self) -> Option<(f64, f64)> {
        let between = self.between?;
        let least = if self.runs < ENOUGH_RUNS { self.sampling.unwrap_or(0.0) } else { 0.0 };
        let runs = (self.runs - 1) as f64;
        let freedom = if self.has_heavy_tails { (runs / (1.0 + between) / TAILS).max(1.0) } else { runs };
        Some((between.max(least), freedom))
    }
}

/// How many runs of equal time would say as much about it as these of both sides do, limited by what the smaller side can
/// contribute. A time of which one run in a thousand has most is known from few runs, however many there are. The value does not
/// depend on which side a run belongs to.
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

/// How the means of two sides differ; `None` where nothing is known of their variation. `noise` is the standard deviation that is
/// assumed between single runs, as a part of the time.
pub(crate) fn effect(before: &Estimate, after: &Estimate, noise: f64) -> Option<Effect> {
    if before.mean <= 0.0 || after.mean <= 0.0 {
        return appeared(before, after);
    }
    let (variance, freedom) = match (before.variation(), after.variation()) {
        (Some((b, b_freedom)), Some((a, a_freedom))) => {
            let (b, a) = (b / before.runs as f64, a / after.runs as f64);
            // Not a number where the runs of each side are the same: without an error no freedom matters.
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
    let ratio = after.mean / before.mean;
    let error = variance.sqrt();
    let half = quantile(0.975, freedom) * error;
    Some(Effect {
        interval: Some([ratio * (-half).exp(), ratio * half.exp()]),
        error,
        p: two_sided(ratio.ln(), error, freedom),
        q: 1.0,
    })
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

/// The value below and above which at most half of the weight lies; the mean of both where there are two. 1 if there are none.
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

/// The value below which this part of the normal distribution lies.
pub(crate) fn normal_quantile(part: f64) -> f64 {
    Normal::standard().inverse_cdf(part)
}

fn two_sided(difference: f64, error: f64, freedom: f64) -> f64 {
    if difference == 0.0 {
        return 1.0;
    }
    if error == 0.0 {
        return 0.0; // times that were not sampled and that are the same in all runs
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
mod tests {
    use super::*;

    fn side(times: &[f64]) -> Estimate {
        let squares = times.iter().map(|it| it * it).sum();
        Estimate::new(times.len() as u64, times.iter().sum(), squares, None)
    }

    fn single(mean: f64, sampling: f64) -> Estimate {
        Estimate { runs: 1, mean, between: None, sampling: Some(sampling * sampling), ..Estimate::default() }
    }

    fn rounded(it: Option<Effect>) -> Option<(String, [String; 2])> {
        let text = |it: f64| format!("{it:.3}");
        it.map(|it| (text(it.p), it.interval.unwrap_or_default().map(text)))
    }

    fn expected(p: &str, low: &str, high: &str) -> Option<(String, [String; 2])> {
        Some((p.to_owned(), [low.to_owned(), high.to_owned()]))
    }

    #[test]
    fn runs_are_compared_by_how_much_they_differ() {
        // SciPy's ttest_ind(equal_var=False) on the same numbers, for differences instead of ratios, gives p = 0.0012 and 0.8964.
        let before = side(&[100.0, 103.0, 98.0, 101.0, 99.0]);
        let slower = side(&[108.0, 104.0, 109.0, 106.0, 105.0]);
        let same = side(&[100.0, 102.0, 99.0, 97.0, 104.0]);
        assert_eq!(rounded(effect(&before, &slower, 0.1)), expected("0.001", "1.032", "1.092"));
        assert_eq!(rounded(effect(&before, &same, 0.1)), expected("0.896", "0.968", "1.037"));
        assert_eq!(rounded(effect(&before, &before, 0.1)), expected("1.000", "0.972", "1.028"));
    }

    #[test]
    fn what_is_not_known_is_assumed_or_not_told() {
        let many = side(&[100.0, 103.0, 98.0, 101.0, 99.0]);
        let one = side(&[120.0]);
        assert_eq!(
            rounded(effect(&many, &one, 0.1)),
            expected("0.001", "1.130", "1.270"),
            "as the others vary"
        );
        assert_eq!(effect(&side(&[100.0, 101.0]), &one, 0.1), None, "two runs do not say how much runs vary");
        assert_eq!(effect(&side(&[100.0]), &one, 0.1), None, "a single time that was not sampled");
        let sampled = [single(100.0, 0.02), single(120.0, 0.02)];
        assert_eq!(rounded(effect(&sampled[0], &sampled[1], 0.0)), expected("0.000", "1.135", "1.268"));
        assert_eq!(rounded(effect(&sampled[0], &sampled[1], 0.1)), expected("0.206", "0.905", "1.592"));
        let few = Estimate { sampling: Some(0.01), ..side(&[100.0, 100.1]) };
        assert_eq!(
            rounded(effect(&few, &few, 0.1)),
            expected("1.000", "0.650", "1.538"),
            "two runs that agree by chance are no surer than their samples"
        );
    }

    #[test]
    fn what_came_has_no_ratio() {
        let none = Estimate { runs: 5, ..Estimate::default() };
        let there = side(&[10.0, 12.0, 9.0, 11.0, 10.0]);
        let came = effect(&none, &there, 0.1).unwrap();
        assert_eq!((came.interval, came.p < 1e-4), (None, true));
        let once = side(&[0.0, 0.0, 3.0, 0.0, 0.0]);
        assert!(effect(&none, &once, 0.1).unwrap().p > 0.3);
        assert_eq!(effect(&none, &none, 0.1), None);
    }

    #[test]
    fn sides_of_other_sizes_and_other_variation() {
        // By numerical integration of Student's density.
        let few = side(&[100.0, 140.0, 60.0]);
        let many = side(&[200.0, 210.0, 190.0, 230.0, 170.0, 200.0]);
        assert_eq!(rounded(effect(&few, &many, 0.1)), expected("0.091", "0.771", "5.191"));
        let (three, one) = (side(&[100.0, 103.0, 98.0]), side(&[120.0]));
        assert_eq!(rounded(effect(&three, &one, 0.1)), expected("0.025", "1.056", "1.355"));
        assert_eq!(rounded(effect(&one, &three, 0.1)), expected("0.025", "0.738", "0.947"));
        let [same, more] = [10.0, 11.0].map(|time| side(&[time; 3]));
        assert_eq!(rounded(effect(&same, &more, 0.1)), expected("0.000", "1.100", "1.100"));
        assert_eq!(rounded(effect(&same, &same, 0.1)), expected("1.000", "1.000", "1.000"));
    }

    #[test]
    fn what_came_or_went_differs_from_nothing() {
        let none = Estimate { runs: 3, ..Estimate::default() };
        let cases = [
            ("it varies little", side(&[10.0, 12.0, 9.0]), Some(0.0072)),
            ("it varies much", side(&[10.0, 30.0, 2.0]), Some(0.2347)),
            ("a single run that was sampled", single(10.0, 0.5), Some(0.0455)),
            ("a single run that was not", side(&[10.0]), None),
        ];
        for (name, there, expected) in cases {
            for sides in [[&none, &there], [&there, &none]] {
                let p = effect(sides[0], sides[1], 0.1).map(|effect| (effect.p * 1e4).round() / 1e4);
                assert_eq!(p, expected, "{name}");
            }
        }
    }

    #[test]
    fn means_and_variation() {
        let text = |it: Estimate| format!("{} runs, mean {}, {:.6?}", it.runs, it.mean, it.between);
        let cases = [
            ([3.0, 90.0, 4100.0], "3 runs, mean 30, Some(0.777778)"),
            ([1.0, 90.0, 8100.0], "1 runs, mean 90, None"),
            ([3.0, 0.0, 0.0], "3 runs, mean 0, None"),
            ([0.0, 0.0, 0.0], "0 runs, mean 0, None"),
        ];
        for ([runs, sum, squares], expected) in cases {
            assert_eq!(text(Estimate::new(runs as u64, sum, squares, None)), expected);
        }
        assert_eq!(text(Estimate::unknown(4, 7.0)), "4 runs, mean 7, None");
    }

    /// Users with 10, 20 and 60 of a time in one, two and three sessions: 7/36 is 4.5 times the sum of the squares of 1/9 - 1/6,
    /// 2/9 - 2/6 and 6/9 - 3/6.
    #[test]
    fn clusters_of_sessions() {
        let sums = ClusterSums {
            clusters: 3,
            time: 90,
            work: 6,
            time_squares: 4100,
            products: 230,
            work_squares: 14,
        };
        let text = |sums: ClusterSums| {
            let it = Estimate::of_clusters(&sums, 2.0);
            format!("{} of {}, {:.6?}, {}", it.mean, it.runs, it.between, it.has_heavy_tails)
        };
        assert_eq!(text(sums), "30 of 3, Some(0.194444), true");
        let one = ClusterSums { clusters: 1, ..sums };
        assert_eq!(text(one), "30 of 1, None, true");
        for nothing in [ClusterSums { time: 0, ..sums }, ClusterSums { work: 0, ..sums }] {
            assert_eq!(text(nothing), "0 of 3, None, false");
        }
        let even = ClusterSums { time: 12, time_squares: 56, products: 28, ..sums };
        assert_eq!(text(even), "4 of 3, Some(0.000000), true", "all have the same per session");
    }

    #[test]
    fn how_much_runs_vary_and_from_how_many_that_is_known() {
        let estimate = |runs, between, sampling| Estimate { runs, between, sampling, ..Estimate::default() };
        let tails = |runs| Estimate { has_heavy_tails: true, ..estimate(runs, Some(1.0), None) };
        let cases = [
            ("few runs vary at least as samples do", estimate(4, Some(0.25), Some(0.5)), Some((0.5, 3.0))),
            ("they vary more", estimate(4, Some(0.25), Some(0.125)), Some((0.25, 3.0))),
            ("enough runs", estimate(5, Some(0.25), Some(0.5)), Some((0.25, 4.0))),
            ("times that were not sampled", estimate(4, Some(0.25), None), Some((0.25, 3.0))),
            ("one run", estimate(1, None, Some(0.5)), None),
            ("sessions", tails(41), Some((1.0, 5.0))),
            ("few sessions", tails(3), Some((1.0, 1.0))),
        ];
        for (name, estimate, expected) in cases {
            assert_eq!(estimate.variation(), expected, "{name}");
        }
    }

    #[test]
    fn how_many_runs_tell_of_a_time() {
        let side = |runs, mean, between| Estimate { between, ..Estimate::unknown(runs, mean) };
        let cases = [
            ("all alike", [side(10, 2.0, Some(0.0)), side(30, 2.0, Some(0.0))], 10.0),
            ("not known how they vary", [side(10, 2.0, None), side(30, 2.0, None)], 10.0),
            // 80² / (4 (9 + 10) + 4 30) 10 / 40
            ("one side varies", [side(10, 2.0, Some(1.0)), side(30, 2.0, Some(0.0))], 8.163_265),
            ("only one side has it", [side(10, 0.0, None), side(30, 2.0, Some(0.0))], 7.5),
            ("one side has no runs", [side(0, 0.0, None), side(30, 2.0, Some(0.0))], 0.0),
            ("nobody has it", [side(10, 0.0, None), side(30, 0.0, None)], 0.0),
        ];
        for (name, sides, expected) in cases {
            let runs = (effective(sides.each_ref()) * 1e6).round() / 1e6;
            assert_eq!(runs, expected, "{name}");
        }
    }

    #[test]
    fn many_questions_need_surer_answers() {
        let mut effects = [0.01, 0.04, 0.03, 0.005].map(|p| Effect { interval: None, error: 0.0, p, q: 1.0 });
        adjust(&mut effects.iter_mut().collect::<Vec<_>>());
        // Benjamini and Hochberg by hand: 0.005 4/1, 0.01 4/2, 0.03 4/3, 0.04 4/4.
        assert_eq!(effects.map(|it| (it.q * 1000.0).round()), [20.0, 40.0, 40.0, 20.0]);
    }

    /// Numbers that look random and are the same each time (SplitMix64), made normally distributed by adding up twelve.
    fn normal(state: &mut u64) -> f64 {
        let mut next = || {
            *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut bits = *state;
            bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((bits ^ bits >> 31) >> 11) as f64 / (1u64 << 53) as f64
        };
        (0..12).map(|_| next()).sum::<f64>() - 6.0
    }

    /// How many of these comparisons raise an alarm. Each compares two sides of the same program, with forty functions.
    #[test]
    fn at_most_five_of_a_hundred_comparisons_of_the_same_raise_an_alarm() {
        let mut state = 1;
        for (runs, noise) in [(3, 0.05), (5, 0.2), (10, 0.07)] {
            let mut alarms = 0;
            for _ in 0..1000 {
                let mut side_of = || {
                    // Skewed, because a busy machine only ever makes runs slower.
                    let times: Vec<f64> =
                        (0..runs).map(|_| 100.0 * (noise * normal(&mut state)).exp()).collect();
                    side(&times)
                };
                let mut effects: Vec<Effect> =
                    (0..40).filter_map(|_| effect(&side_of(), &side_of(), 0.1)).collect();
                adjust(&mut effects.iter_mut().collect::<Vec<_>>());
                alarms += u32::from(effects.iter().any(|it| it.q <= 0.05));
            }
            assert!(alarms <= 65, "{alarms} of 1000 with {runs} runs"); // 50 expected, and two standard errors
        }
    }

    #[test]
    fn half_of_the_weight_lies_below_the_median() {
        let cases: [(&[(f64, f64)], f64); 6] = [
            (&[], 1.0),
            (&[(3.0, 1.0)], 3.0),
            (&[(3.0, 1.0), (1.0, 1.0)], 2.0),
            (&[(1.0, 1.0), (2.0, 1.0), (9.0, 1.0)], 2.0),
            (&[(1.0, 3.0), (2.0, 1.0), (9.0, 1.0)], 1.0),
            (&[(1.0, 2.0), (2.0, 1.0), (9.0, 1.0)], 1.5),
        ];
        for (values, expected) in cases {
            assert_eq!(weighted_median(values.to_vec()), expected, "{values:?}");
        }
    }
}
