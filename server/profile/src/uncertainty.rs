//! How certain a sampled time is: the interval in which the true time lies with 95 % probability.
//!
//! Samples are taken at intervals. Whether a function runs at these moments is modelled as a process with two states that
//! are left at constant rates (a telegraph process), which is determined by the number of samples, of those in the
//! function, and of their stretches. The difference between the sum over samples at distance `d` and the integral over
//! such a process has the variance `N d² p (1 - p) f` with `f = coth(a/2) - 2/a`, where `exp(-a)` is the correlation of
//! neighbouring samples: this is the autocovariance `p (1 - p) exp(-a |t| / d)`, summed and integrated. So `f` is 1 if
//! each sample is by chance, as for a binomial number, and a/6 if calls last for many samples, so that only their ends
//! are uncertain. A garbage collection of time `g` counts for what was on the stack one sample earlier, which contributes
//! `g² p (1 - p)`. `N / f` is the number of independent samples that would be as good, and with it Wilson's score
//! interval also holds for functions with few samples (Wilson 1927, "Probable Inference"; Brown, Cai, DasGupta 2001,
//! "Interval Estimation for a Binomial Proportion").
//!
//! Sessions, or repeated runs, differ by more than sampling does. From [`MIN_SESSIONS`] on, the interval tells how much
//! they differ, by Student's t.

/// For 95 %: this many standard deviations of the normal distribution.
const Z: f64 = 1.959_964;

/// From this many sessions on, the interval tells how much they differ.
pub const MIN_SESSIONS: u64 = 5;

/// What is known about how a time was sampled.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sampling {
    /// All samples of the threads in question.
    pub samples: u64,
    /// The samples in the function.
    pub hits: u64,
    /// The stretches of neighbouring samples in the function; `None` if not known, and each sample counts as one.
    pub stretches: Option<u64>,
    /// The fraction of their number, 0..1, that the samples are worth compared to samples of equal weight.
    pub evenness: f64,
    /// The samples in garbage collections, if those count for what they interrupted.
    pub collected: u64,
    /// The sum of the squares of the times of those collections, as a fraction of the square of all time. What each one
    /// interrupted is only known from the sample before it.
    pub collections: f64,
}

/// A span in which a true value lies with 95 % probability, as factors of the measured one: 0.8 to 1.25.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end, at least 0.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Whether it is wider than the value itself.
    pub fn is_vague(self) -> bool {
        self.high - self.low > 1.0
    }
}

impl Sampling {
    /// The interval of the time in the function; `None` without a sample in it.
    pub fn interval(&self) -> Option<Interval> {
        let (all, hits) = (self.samples.max(self.hits) as f64, self.hits as f64);
        if self.hits == 0 {
            return None;
        }
        let part = hits / all;
        let correlation = self.correlation();
        let sampling = 1.0 / (all / chance(correlation) * self.evenness.clamp(1e-3, 1.0));
        let independent = 1.0 / (sampling + self.collections);
        let z2 = Z * Z / independent;
        let centre = (part + z2 / 2.0) / (1.0 + z2);
        let half = Z / (1.0 + z2) * (part * (1.0 - part) / independent + z2 / (4.0 * independent)).sqrt();
        Some(Interval { low: ((centre - half) / part).max(0.0), high: (centre + half).min(1.0) / part })
    }

    /// The correlation of neighbouring samples, 0..1; 0 if the stretches are not known.
    fn correlation(&self) -> f64 {
        let others = self.samples.saturating_sub(self.collected).max(1) as f64 / self.samples.max(1) as f64;
        let (all, hits) = (self.samples as f64 * others, self.hits as f64 * others);
        let Some(stretches) = self.stretches.filter(|_| self.hits < self.samples) else { return 0.0 };
        let measured = 1.0 - stretches as f64 * all / (hits * (all - hits));
        // Reduced by three quarters of its standard error: what looks like long calls may be chance, and the formula is
        // steep there. With this, the coverage in the simulations below is 95 %.
        let error = (measured.max(0.0) * (1.0 - measured) / hits + 1.0 / all).sqrt();
        (measured - 0.75 * error).max(0.0)
    }
}

/// `f`: the fraction of the binomial variance that remains, 0..1.
fn chance(correlation: f64) -> f64 {
    if correlation <= 0.0 {
        return 1.0;
    }
    let a = -correlation.ln();
    if a < 1e-3 { a / 6.0 } else { 1.0 / (a / 2.0).tanh() - 2.0 / a }
}

/// The interval of a sum over sessions, from the sum of the squares of each session's part. `None` if the squares are 0,
/// which means not known, or with fewer than [`MIN_SESSIONS`].
pub fn between_sessions(sessions: u64, sum: f64, squares: f64) -> Option<Interval> {
    if sessions < MIN_SESSIONS || sum <= 0.0 || squares <= 0.0 {
        return None;
    }
    let number = sessions as f64;
    let variance = ((squares - sum * sum / number) / (number - 1.0)).max(0.0);
    let half = students_t(sessions - 1) * (variance * number).sqrt() / sum;
    Some(Interval { low: (1.0 - half).max(0.0), high: 1.0 + half })
}

/// The 95 % quantile of Student's t (Abramowitz and Stegun 26.7.5, an expansion at the normal quantile: right to 1 % from
/// four degrees of freedom on).
fn students_t(degrees: u64) -> f64 {
    let (z, n) = (Z, degrees as f64);
    let (z3, z5, z7) = (z.powi(3), z.powi(5), z.powi(7));
    z + (z3 + z) / (4.0 * n)
        + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * n * n)
        + (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * n.powi(3))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random but are the same each time (SplitMix64).
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut bits = self.0;
            bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((bits ^ bits >> 31) >> 11) as f64 / (1u64 << 53) as f64
        }

        /// A duration with this mean.
        fn duration(&mut self, mean: f64, kind: Kind) -> f64 {
            match kind {
                Kind::Exponential => -mean * (1.0 - self.next()).ln(),
                Kind::Constant => mean * (0.8 + 0.4 * self.next()),
                // Most are short, a few very long: the square of an exponential distribution.
                Kind::Skewed => mean / 2.0 * (1.0 - self.next()).ln().powi(2),
            }
        }
    }

    #[derive(Clone, Copy, Debug)]
    enum Kind {
        Exponential,
        Constant,
        Skewed,
    }

    /// Simulates a program of 1,000 sample intervals that alternates between inside and outside of a function. Returns
    /// whether the interval from its samples contains the true time; `None` if no sample was inside.
    fn holds(random: &mut Random, (inside, outside): (f64, f64), kind: Kind) -> Option<bool> {
        const SAMPLES: u64 = 1000;
        let (mut time, mut next_sample, mut is_in) =
            (0.0, random.next(), random.next() < inside / (inside + outside));
        let (mut true_time, mut sampling) = (
            0.0,
            Sampling { samples: SAMPLES, hits: 0, stretches: Some(0), evenness: 1.0, ..Sampling::default() },
        );
        let mut was_in = false;
        while time < SAMPLES as f64 {
            // The time between calls is random, whatever their lengths are.
            let duration = if is_in {
                random.duration(inside, kind)
            } else {
                random.duration(outside, Kind::Exponential)
            };
            let end = (time + duration).min(SAMPLES as f64);
            if is_in {
                true_time += end - time;
            }
            while next_sample < end {
                sampling.hits += u64::from(is_in);
                sampling.stretches = sampling.stretches.map(|it| it + u64::from(is_in && !was_in));
                was_in = is_in;
                next_sample += 1.0;
            }
            (time, is_in) = (end, !is_in);
        }
        let interval = sampling.interval()?;
        let measured = sampling.hits as f64;
        Some((interval.low * measured..=interval.high * measured).contains(&true_time))
    }

    #[test]
    fn the_true_time_is_in_95_of_100_intervals() {
        let mut random = Random(7);
        let coverage = |random: &mut Random, kind: Kind| {
            let (mut held, mut trials) = (0u32, 0u32);
            // Calls of 0.02 to 20 sample intervals that take 2 to 70 % of the time.
            for inside in [0.02, 0.3, 0.7, 2.3, 20.0] {
                for part in [0.02, 0.2, 0.7] {
                    let outside = inside / part * (1.0 - part);
                    for holds in (0..400).filter_map(|_| holds(random, (inside, outside), kind)) {
                        trials += 1;
                        held += u32::from(holds);
                    }
                }
            }
            f64::from(held) / f64::from(trials)
        };
        for kind in [Kind::Exponential, Kind::Constant, Kind::Skewed] {
            let coverage = coverage(&mut random, kind);
            assert!((0.93..=0.97).contains(&coverage), "{kind:?}: {coverage}");
        }
    }

    /// Without stretches, [`Sampling::interval`] returns the widest interval that it can.
    #[test]
    fn stretches_only_make_an_interval_narrower() {
        let width = |it: Sampling| it.interval().map_or(0.0, |it| it.high - it.low);
        for hits in 1..=200 {
            let independent = Sampling {
                samples: 200,
                hits,
                evenness: 0.7,
                collected: 3,
                collections: 1e-4,
                stretches: None,
            };
            let widest = width(independent) * (1.0 + 1e-12);
            for stretches in 1..=hits.min(201 - hits) {
                let known = Sampling { stretches: Some(stretches), ..independent };
                assert!(width(known) <= widest, "{known:?}");
            }
        }
    }

    #[test]
    fn few_samples_and_few_sessions_say_little() {
        let factors =
            |it: Option<Interval>| it.map(|it| [it.low, it.high].map(|it| (it * 100.0).round() / 100.0));
        let sampled = |samples, hits, stretches| {
            factors(
                Sampling { samples, hits, stretches: Some(stretches), evenness: 1.0, ..Sampling::default() }
                    .interval(),
            )
        };
        assert_eq!(sampled(1000, 0, 0), None);
        assert_eq!(sampled(1000, 1, 1), Some([0.18, 5.64]));
        assert_eq!(sampled(1000, 100, 100), Some([0.83, 1.2]), "a hundred short calls");
        assert_eq!(sampled(1000, 100, 1), Some([0.99, 1.01]), "one long call");
        assert_eq!(sampled(1000, 1000, 1), Some([1.0, 1.0]));
        // Five runs of 10, 12, 14, 16 and 18 ms: 14 ± 3.9 each.
        let squares: f64 = [10.0f64, 12.0, 14.0, 16.0, 18.0].iter().map(|it| it * it).sum();
        assert_eq!(factors(between_sessions(5, 70.0, squares)), Some([0.72, 1.28]));
        assert_eq!(between_sessions(4, 60.0, squares), None);
    }
}
