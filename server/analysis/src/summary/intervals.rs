//! How sure the times of a summary are: one rule for each amount, whatever view shows it.
//!
//! All of a function's self or total time has the interval that follows from its runs; any other part that of its number of samples.

use profile::model::{Amount, Weight};
use profile::uncertainty::{Interval, MIN_SESSIONS, Sampling, between_sessions};

use super::model::{Measured, Summary, ThreadTime, share};

impl Summary {
    /// The intervals in which the true self and total time lie with 95 % probability, as factors of the measured ones; `None` for
    /// times that were not sampled. Of many sessions they say how much those differ, else how much chance is in the sampling.
    pub fn intervals(&self, measured: &Measured) -> [Option<Interval>; 2] {
        let cost = &measured.cost;
        let times = [cost.self_time, cost.total_time].map(|it| it.0 as f64);
        if self.sessions >= MIN_SESSIONS {
            return [0, 1].map(|it| between_sessions(self.sessions, times[it], measured.squares[it]));
        }
        self.sampling_intervals(measured)
    }

    /// [`Summary::intervals`] by the chance in the sampling alone, however many sessions there are.
    pub fn sampling_intervals(&self, measured: &Measured) -> [Option<Interval>; 2] {
        let cost = &measured.cost;
        if !self.is_sampled {
            return [None; 2];
        }
        let mut threads = ThreadTime::default();
        measured
            .on_threads
            .iter()
            .filter_map(|it| self.threads.get(&it.thread))
            .for_each(|it| threads += *it);
        let evenness = threads.evenness();
        let ThreadTime { samples, all, collections, .. } = threads;
        let runs = [measured.runs.map(|it| it.own), measured.runs.map(|it| it.total)];
        let hits = [cost.self_samples, cost.total_samples];
        let part = collections.squares / (all.0 as f64).powi(2).max(1.0);
        // What runs by itself is no collection; what is on the stack at all may have been interrupted by one.
        let of_total = [(0, 0.0), (collections.samples, part)];
        let sampling = |it: usize| Sampling {
            samples,
            hits: hits[it],
            runs: runs[it].map(u64::from),
            evenness,
            collected: of_total[it].0,
            collections: of_total[it].1,
        };
        [0, 1].map(|it| sampling(it).interval())
    }

    /// The interval of a time of which only the number of samples is known, as of a path of calls, of a file or of a line: each sample
    /// counts as independent. `None` for times that were not sampled.
    pub fn interval_of(&self, samples: u64) -> Option<Interval> {
        if !self.is_sampled {
            return None;
        }
        let mut all = ThreadTime::default();
        self.threads.values().for_each(|it| all += *it);
        let (hits, evenness) = (samples, all.evenness());
        Sampling { samples: all.samples, hits, evenness, ..Sampling::default() }.interval()
    }

    /// The interval of a part of the self time of some functions. All of the time of one is known as well here as it is there.
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

    /// How many samples a time is likely to be of.
    pub fn samples_in(&self, time: Amount) -> u64 {
        let mut all = ThreadTime::default();
        self.threads.values().for_each(|it| all += *it);
        let samples = (share(time, all.all) * all.samples as f64).round() as u64;
        if time.0 > 0 { samples.max(1) } else { 0 }
    }
}

impl ThreadTime {
    /// To what part of their number the samples are as good as if all were worth the same, 0..1 (Kish's effective sample size).
    fn evenness(&self) -> f64 {
        let Self { all, samples, squares, .. } = *self;
        if squares > 0.0 { (all.0 as f64).powi(2) / squares / samples.max(1) as f64 } else { 1.0 }
    }
}
