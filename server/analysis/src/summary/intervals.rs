//! How certain the times of a summary are: one rule for each amount, whatever view shows it.
//!
//! The interval of a function's whole self or total time follows from its stretches, that of any other part from its number of samples.

use profile::model::{Amount, Weight};
use profile::tally::Stretches;
use profile::uncertainty::{Interval, MIN_SESSIONS, Sampling, between_sessions};

use super::model::{Measured, Summary, ThreadTime, share};

impl Summary {
    /// The intervals in which the true self and total time lie with 95 % probability, as factors of the measured ones;
    /// `None` for times that were not sampled. For many sessions they say how much the sessions differ, otherwise how
    /// much chance is in the sampling.
    pub fn intervals(&self, measured: &Measured) -> [Option<Interval>; 2] {
        let cost = &measured.cost;
        let times = [cost.self_time, cost.total_time].map(|it| it.0 as f64);
        if self.sessions >= MIN_SESSIONS {
            return [0, 1].map(|it| between_sessions(self.sessions, times[it], measured.squares[it]));
        }
        self.sampling_intervals(measured)
    }

    /// Like [`Summary::intervals`], but only for the chance in the sampling, however many sessions there are.
    pub fn sampling_intervals(&self, measured: &Measured) -> [Option<Interval>; 2] {
        if !self.is_sampled {
            return [None; 2];
        }
        self.intervals_with(measured, measured.stretches.get())
    }

    /// Whether the interval of a total time is wider than the time itself. How often the function began to run can only
    /// make an interval narrower, so it is counted only if that decides: hints seldom wait for it.
    pub fn is_vague(&self, measured: &Measured) -> bool {
        let is_vague = |[_, total]: [Option<Interval>; 2]| total.is_some_and(Interval::is_vague);
        let may_be_vague = self.sessions >= MIN_SESSIONS || is_vague(self.intervals_with(measured, None));
        may_be_vague && is_vague(self.intervals(measured))
    }

    /// The intervals of sampled times, by how often the function began to run; `None` treats each sample as independent.
    fn intervals_with(&self, measured: &Measured, known: Option<Stretches>) -> [Option<Interval>; 2] {
        let cost = &measured.cost;
        let mut threads = ThreadTime::default();
        measured
            .on_threads
            .iter()
            .filter_map(|it| self.threads.get(&it.thread))
            .for_each(|it| threads += *it);
        let evenness = threads.evenness();
        let ThreadTime { samples, all, collections, .. } = threads;
        let stretches = [known.map(|it| it.own), known.map(|it| it.total)];
        let hits = [cost.self_samples, cost.total_samples];
        let part = collections.squares / (all.0 as f64).powi(2).max(1.0);
        // A function running on top is not a collection; a function anywhere on the stack may have been interrupted by one.
        let of_total = [(0, 0.0), (collections.samples, part)];
        let samplings = [0, 1].map(|it| Sampling {
            samples,
            hits: hits[it],
            stretches: stretches[it].map(u64::from),
            evenness,
            collected: of_total[it].0,
            collections: of_total[it].1,
        });
        samplings.map(|it| it.interval())
    }

    /// The interval of a time for which only the number of samples is known, such as that of a call path, a file or a
    /// line: each sample counts as independent. `None` for times that were not sampled.
    pub fn interval_of(&self, samples: u64) -> Option<Interval> {
        if !self.is_sampled {
            return None;
        }
        let mut all = ThreadTime::default();
        self.threads.values().for_each(|it| all += *it);
        let (hits, evenness) = (samples, all.evenness());
        Sampling { samples: all.samples, hits, evenness, ..Sampling::default() }.interval()
    }

    /// The interval of a part of the self time of some functions. If the part is all of one function's time, it is as certain as that.
    pub fn interval_within_own<'a>(
        &self,
        part: Weight,
        functions: impl Iterator<Item = &'a Measured> + Clone,
    ) -> Option<Interval> {
        let all = functions.clone().find(|it| it.cost.self_time == part.time);
        all.map_or_else(|| self.interval_within(part, functions), |it| self.intervals(it)[0])
    }

    /// The interval of a part of the total time of some functions.
    pub fn interval_within<'a>(
        &self,
        part: Weight,
        mut functions: impl Iterator<Item = &'a Measured>,
    ) -> Option<Interval> {
        let all = functions.find(|it| it.cost.total_time == part.time);
        all.map_or_else(|| self.interval_of(part.samples), |it| self.intervals(it)[1])
    }

    /// How many samples a time probably consists of.
    pub fn samples_in(&self, time: Amount) -> u64 {
        let mut all = ThreadTime::default();
        self.threads.values().for_each(|it| all += *it);
        let samples = (share(time, all.all) * all.samples as f64).round() as u64;
        if time.0 > 0 { samples.max(1) } else { 0 }
    }
}

impl ThreadTime {
    /// The fraction of their number, 0..1, that the samples are worth compared to samples of equal weight (Kish's effective sample size).
    fn evenness(&self) -> f64 {
        let Self { all, samples, squares, .. } = *self;
        if squares > 0.0 { (all.0 as f64).powi(2) / squares / samples.max(1) as f64 } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use profile::tally::{Collections, Cost};

    use super::*;
    use crate::fixtures::load;
    use crate::summary::{MeasuredStretches, OnThread};

    fn thread(samples: u64, all: u64, squares: f64) -> ThreadTime {
        let collections = Collections { samples: 10, squares: 1e4 };
        ThreadTime { active: Amount(all), all: Amount(all), samples, squares, collections }
    }

    fn on_thread(name: &str) -> OnThread {
        OnThread { thread: name.into(), cost: Cost::default() }
    }

    /// A summary of two threads, and a function that ran on one of them.
    fn sampled() -> (Summary, Measured) {
        let fixture = "
//- /app.js
function $1f() {}
//- trace
f@$1
";
        let measured = load(fixture).recording.summary.definitions.into_values().next().expect("it ran");
        let cost =
            Cost { self_time: Amount(100), total_time: Amount(400), self_samples: 100, total_samples: 400 };
        let stretches = MeasuredStretches::known(Stretches { own: 50, total: 40 });
        let measured = Measured {
            cost,
            stretches,
            squares: [3000.0, 40_000.0],
            on_threads: vec![on_thread("main")],
            ..measured
        };
        let threads = [("main", thread(1000, 1000, 1000.0)), ("worker", thread(3000, 6000, 18_000.0))];
        let threads = threads.into_iter().map(|(name, time)| (name.into(), time)).collect();
        (Summary { is_sampled: true, sessions: 1, threads, ..Summary::default() }, measured)
    }

    /// Functions with few samples, in one stretch and in as many as there are samples, and one that differs between sessions.
    #[test]
    fn a_time_is_vague_whose_interval_is_wider_than_itself() {
        let (mut summary, measured) = sampled();
        summary.threads.values_mut().for_each(|it| it.collections = Collections::default());
        let rows = [(400, 40, 1), (8, 8, 1), (8, 1, 1), (12, 12, 1), (12, 3, 1), (400, 40, 5), (8, 1, 5)];
        let vague = rows.map(|(total_samples, total, sessions)| {
            let cost = Cost { total_samples, ..measured.cost };
            let stretches = MeasuredStretches::known(Stretches { own: 1, total });
            let (summary, measured) =
                (Summary { sessions, ..summary.clone() }, Measured { cost, stretches, ..measured.clone() });
            let [_, interval] = summary.intervals(&measured);
            assert_eq!(Some(summary.is_vague(&measured)), interval.map(Interval::is_vague), "{interval:?}");
            summary.is_vague(&measured)
        });
        assert_eq!(vague, [false, true, false, true, false, true, true]);
    }

    fn text(interval: Option<Interval>) -> String {
        interval.map_or_else(|| "-".to_owned(), |Interval { low, high }| format!("{low:.4} to {high:.4}"))
    }

    #[test]
    fn the_times_of_a_function() {
        let (summary, measured) = sampled();
        let check = |summary: &Summary, measured: &Measured| {
            let [own, total] = summary.intervals(measured).map(text);
            let [own_by_samples, total_by_samples] = summary.sampling_intervals(measured).map(text);
            format!("{own} | {total}\nby samples {own_by_samples} | {total_by_samples}\n")
        };
        expect![[r#"
            0.9302 to 1.0745 | 0.7731 to 1.2454
            by samples 0.9302 to 1.0745 | 0.7731 to 1.2454
        "#]]
        .assert_eq(&check(&summary, &measured));
        let on_both = Measured {
            on_threads: ["main", "worker"].map(on_thread).into(),
            stretches: MeasuredStretches::default(),
            ..measured.clone()
        };
        expect![[r#"
            0.7858 to 1.2708 | 0.8461 to 1.1783
            by samples 0.7858 to 1.2708 | 0.8461 to 1.1783
        "#]]
        .assert_eq(&check(&summary, &on_both));
        for sessions in [4, 5] {
            let several = Summary { sessions, ..summary.clone() };
            let expected = match sessions {
                4 => expect![[r#"
                    0.9302 to 1.0745 | 0.7731 to 1.2454
                    by samples 0.9302 to 1.0745 | 0.7731 to 1.2454
                "#]],
                _ => expect![[r#"
                    0.0209 to 1.9791 | 0.3077 to 1.6923
                    by samples 0.9302 to 1.0745 | 0.7731 to 1.2454
                "#]],
            };
            expected.assert_eq(&check(&several, &measured));
        }
        let counted = Summary { is_sampled: false, ..summary };
        assert_eq!(check(&counted, &measured), "- | -\nby samples - | -\n");
    }

    #[test]
    fn parts_of_times() {
        let (summary, measured) = sampled();
        let within = |own: bool, time| {
            let part = Weight { time: Amount(time), samples: time };
            let functions = std::iter::once(&measured);
            text(match own {
                true => summary.interval_within_own(part, functions),
                false => summary.interval_within(part, functions),
            })
        };
        let [own, total] = summary.intervals(&measured).map(text);
        assert_eq!([within(true, 100), within(true, 400), within(false, 400)], [own, total.clone(), total]);
        let of_samples = |samples| text(summary.interval_of(samples));
        assert_eq!([within(true, 50), within(false, 100)], [50, 100].map(of_samples));
        expect!["0.7858 to 1.2708"].assert_eq(&of_samples(100));
        assert_eq!(Summary { is_sampled: false, ..summary.clone() }.interval_of(100), None);
        // A time of 7,000 is 4,000 samples.
        assert_eq!([0, 1, 7, 70, 7000].map(|time| summary.samples_in(Amount(time))), [0, 1, 4, 40, 4000]);
    }

    #[test]
    fn samples_that_are_worth_different_times_are_as_good_as_fewer() {
        let evenness = [1000.0, 4000.0, 0.0].map(|squares| thread(1000, 1000, squares).evenness());
        assert_eq!(evenness, [1.0, 0.25, 1.0]);
        assert_eq!(thread(0, 10, 50.0).evenness(), 2.0, "of no samples");
    }
}
