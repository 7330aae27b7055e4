//! The samples of a thread in order of time, packed into about four bytes each, since a trace may have many millions.
//!
//! A sample consists of the distance of its stack from the previous sample's, its time (in microseconds if they are
//! whole), and two things that most samples lack: its number of samples if it is not one, and how long after the end of
//! the previous sample it was taken. If samples say where their function was, each sample with a stack has one more
//! number: that of the place among those of its function, usually one byte.

use crate::model::sample::{OffStack, Sample, StackId, Weight};
use crate::model::small_numbers::SmallNumbers;
use crate::model::units::Amount;

/// Samples in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SampleLog {
    numbers: SmallNumbers,
    /// The number of the place of each sample with a stack, or 0; empty before the first that has one.
    places: SmallNumbers,
    /// The number of samples with a stack that came before the first with a place.
    before_places: usize,
    /// The number of the set of labels of each sample, or 0; empty before the first that has one.
    labels: SmallNumbers,
    /// The number of samples that came before the first with labels.
    before_labels: usize,
    /// The labels of the next sample.
    next_labels: u32,
    /// The code of the last sample.
    last: i64,
    /// When the next sample is taken, relative to the end of the last one.
    gap: i64,
    /// The end of the last sample, relative to when the first was taken.
    end: i64,
}

/// Codes below this stand for time on no stack.
const FIRST_STACK: i64 = OffStack::ALL.len() as i64;

impl SampleLog {
    /// Sets when the next sample was taken, in nanoseconds since the first; without this, it is where the last one ends.
    /// Formats that give each sample the same weight set it for each.
    pub(crate) fn next_at(&mut self, nanos: i64) {
        self.gap = nanos.saturating_sub(self.end);
    }

    /// Sets the labels of the next sample; see [`Profile::label_sets`](crate::model::Profile::label_sets).
    pub(crate) fn next_has(&mut self, labels: u32) {
        self.next_labels = labels;
    }

    /// Adds a sample at the end. Its place is given by its number, from 1, among those of its function; 0 if not known.
    #[inline]
    pub(crate) fn push_at(&mut self, on: Result<StackId, OffStack>, weight: Weight, place: u32) {
        self.push_sample(on, weight);
        if on.is_err() {
            return;
        }
        if self.places.is_empty() {
            if place == 0 {
                self.before_places += 1;
                return;
            }
            self.places.push_zeros(self.before_places);
        }
        self.places.push(u64::from(place));
    }

    /// Adds a sample at the end whose place is not known.
    #[inline]
    pub(crate) fn push(&mut self, on: Result<StackId, OffStack>, weight: Weight) {
        self.push_at(on, weight, 0);
    }

    #[inline]
    fn push_sample(&mut self, on: Result<StackId, OffStack>, weight: Weight) {
        self.push_labels();
        let gap = std::mem::take(&mut self.gap);
        self.end = self.end.saturating_add(gap).saturating_add_unsigned(weight.time.0);
        let code = on.map_or_else(|why| why as i64, |stack| i64::from(stack.0) + FIRST_STACK);
        let distance = code - self.last;
        self.last = code;
        self.numbers.push(zigzag(distance) << 2 | u64::from(gap != 0) << 1 | u64::from(weight.samples != 1));
        let Amount(nanos) = weight.time;
        let is_whole = nanos.is_multiple_of(1000);
        self.numbers.push(if is_whole { (nanos / 1000) << 1 } else { (nanos << 1) | 1 });
        if weight.samples != 1 {
            self.numbers.push(weight.samples);
        }
        if gap != 0 {
            self.numbers.push(zigzag(gap));
        }
    }

    #[inline]
    fn push_labels(&mut self) {
        let labels = std::mem::take(&mut self.next_labels);
        if self.labels.is_empty() {
            if labels == 0 {
                self.before_labels += 1;
                return;
            }
            self.labels.push_zeros(self.before_labels);
        }
        self.labels.push(u64::from(labels));
    }

    /// The time from the first sample to the end of the last one.
    pub fn length(&self) -> Amount {
        Amount(self.end.max(0).unsigned_abs())
    }

    /// All samples.
    pub fn iter(&self) -> impl Iterator<Item = Sample> + '_ {
        self.with_times().map(|it| it.1)
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Whether the place of any sample is known.
    pub(crate) fn has_places(&self) -> bool {
        !self.places.is_empty()
    }

    /// All samples with the numbers of their places, 0 if not known; empty if no place is known.
    pub(crate) fn with_places(&self) -> impl Iterator<Item = (Sample, u32)> + '_ {
        let all = if self.has_places() { usize::MAX } else { 0 };
        self.with_times_and_places().take(all).map(|(_, sample, place)| (sample, place))
    }

    /// All samples with their times (see [`SampleLog::with_times`]) and the numbers of their places, 0 if not known.
    pub(crate) fn with_times_and_places(&self) -> impl Iterator<Item = (i64, Sample, u32)> + '_ {
        let mut places = self.places.iter();
        self.with_times().map(move |(taken, sample)| {
            let place = if sample.on.is_ok() { places.next().unwrap_or_default() } else { 0 };
            (taken, sample, place as u32)
        })
    }

    /// The number of the set of labels of each sample; 0 if it has none.
    pub fn labels(&self) -> impl Iterator<Item = u32> + '_ {
        self.labels.iter().map(|it| it as u32).chain(std::iter::repeat(0))
    }

    /// All samples, with when each was taken, in nanoseconds since the first.
    pub fn with_times(&self) -> impl Iterator<Item = (i64, Sample)> + '_ {
        let (mut numbers, mut code, mut end) = (self.numbers.iter(), 0, 0i64);
        std::iter::from_fn(move || {
            let head = numbers.next()?;
            code += unzigzag(head >> 2);
            let time = numbers.next()?;
            let time = Amount(if time & 1 == 0 { (time >> 1) * 1000 } else { time >> 1 });
            let samples = if head & 1 == 0 { 1 } else { numbers.next()? };
            let start = if head & 2 == 0 { end } else { end.saturating_add(unzigzag(numbers.next()?)) };
            end = start.saturating_add_unsigned(time.0);
            let on = match code - FIRST_STACK {
                stack @ 0.. => Ok(StackId(stack as u32)),
                _ => Err(OffStack::ALL[code as usize]),
            };
            Some((start, Sample { on, weight: Weight { time, samples } }))
        })
    }

    /// Releases spare capacity.
    pub(crate) fn shrink(&mut self) {
        self.numbers.shrink();
        self.places.shrink();
        self.labels.shrink();
    }
}

fn zigzag(number: i64) -> u64 {
    (number << 1 ^ number >> 63) as u64
}

fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_packed_comes_back() {
        let stack = |it| Ok(StackId(it));
        let samples = [
            (stack(0), 125_000, 1),
            (stack(4_000_000_000), 1, 1),
            (Err(OffStack::Idle), 9_007_199_254_740_992, 1),
            (Err(OffStack::Unknown), 0, 0),
            (stack(7), 999, 1_000_000),
            (stack(7), 1000, 1),
        ];
        let samples =
            samples.map(|(on, time, samples)| Sample { on, weight: Weight { time: Amount(time), samples } });
        let (mut log, mut placed) = (SampleLog::default(), SampleLog::default());
        let places = [0, 200, 0, 0, 3, 0];
        for (index, (it, place)) in samples.iter().zip(places).enumerate() {
            if index == 2 {
                log.next_at(-5);
            }
            log.push(it.on, it.weight);
            placed.push_at(it.on, it.weight, place);
        }
        assert_eq!(log.with_places().count(), 0);
        assert_eq!(placed.with_places().collect::<Vec<_>>(), Vec::from_iter(samples.into_iter().zip(places)));
        assert_eq!(log.iter().collect::<Vec<_>>(), samples);
        let times: Vec<i64> = log.with_times().map(|it| it.0).collect();
        let after = 9_007_199_254_740_987;
        assert_eq!(times, [0, 125_000, -5, after, after, after + 999]);
    }
}
