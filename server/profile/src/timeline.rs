//! Turns sample times into weights in whole nanoseconds that add up exactly.
//!
//! A sample stands for the time until the next one. Times are stored as distances, most of which fit into 32 bits:
//! samples are by far the largest part of a trace.

use crate::model::Amount;

/// The times of samples, each stored as its distance from the previous one in the list.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timeline {
    /// In microseconds, as long as all distances are small and whole.
    narrow: Vec<i32>,
    /// In nanoseconds, from the first distance that is not.
    wide: Vec<i64>,
    is_wide: bool,
}

/// The longest distance: 104 days, so that sums stay well within 64 bits.
const MAX_DISTANCE: i64 = 1 << 53;

impl Timeline {
    pub(crate) fn len(&self) -> usize {
        if self.is_wide { self.wide.len() } else { self.narrow.len() }
    }

    /// Adds a sample this many microseconds after the last one, or before it if negative.
    #[inline]
    pub(crate) fn push_micros(&mut self, distance: i64) {
        if !self.is_wide
            && let Ok(distance) = i32::try_from(distance)
        {
            self.narrow.push(distance);
        } else {
            self.push_nanos(distance.saturating_mul(1000));
        }
    }

    /// Adds a sample this many nanoseconds after the last one.
    pub(crate) fn push_nanos(&mut self, distance: i64) {
        self.widen();
        self.wide.push(distance.clamp(-MAX_DISTANCE, MAX_DISTANCE));
    }

    /// Adds a sample this many nanoseconds after the last one, stored as microseconds if they are whole.
    pub(crate) fn push(&mut self, distance: i64) {
        if distance % 1000 == 0 {
            self.push_micros(distance / 1000);
        } else {
            self.push_nanos(distance);
        }
    }

    /// Moves all samples of another list to the end of this one.
    pub(crate) fn append(&mut self, other: &mut Self) {
        if self.is_wide || other.is_wide {
            (0..other.len()).for_each(|index| self.push(other.distance(index)));
            *other = Self::default();
        } else {
            self.narrow.append(&mut other.narrow);
        }
    }

    /// Drops all samples but the first `length`.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.narrow.truncate(length);
        self.wide.truncate(length);
    }

    /// The distance of sample `index` from the one before it, in nanoseconds.
    #[inline]
    pub(crate) fn distance(&self, index: usize) -> i64 {
        if self.is_wide { self.wide[index] } else { i64::from(self.narrow[index]) * 1000 }
    }

    /// The median distance between neighbours; for an even number of distances, the mean of the middle two.
    pub(crate) fn into_median(mut self) -> Option<i64> {
        if self.is_wide {
            median(self.wide.get_mut(1..)?, 1)
        } else {
            median(self.narrow.get_mut(1..)?, 1000)
        }
    }

    /// Sorts samples by time; those with equal times keep the order of the list. `samples` is as long as this.
    ///
    /// Few samples of a trace are out of place, and not by far: those are moved within the list of distances. Only a list
    /// that is in no order at all takes the memory of a real sort.
    pub(crate) fn sort<T: Copy>(&mut self, samples: &mut [T]) {
        let mut budget = 64 * self.len() + 1024;
        for index in 1..self.len() {
            if self.distance(index) >= 0 {
                continue;
            }
            // How far back it belongs, and the distance from the sample that it then follows.
            let (mut place, mut after) = (index, self.distance(index));
            while place > 1 && after < 0 {
                place -= 1;
                after = after.saturating_add(self.distance(place));
            }
            if after < 0 {
                // It goes before the first sample, whose own distance is not needed.
                place = 0;
            }
            let moved = index - place;
            if moved > budget {
                return self.sort_anyhow(samples);
            }
            budget -= moved;
            self.move_back(index, place, after);
            samples[place..=index].rotate_right(1);
        }
    }

    /// Whether samples are in order of time.
    pub(crate) fn is_sorted(&self) -> bool {
        (1..self.len()).all(|index| self.distance(index) >= 0)
    }

    /// When the earliest sample was taken, relative to the origin of the first distance.
    pub(crate) fn earliest(&self) -> i64 {
        let (mut time, mut earliest) = (0i64, i64::MAX);
        for index in 0..self.len() {
            time = time.saturating_add(self.distance(index));
            earliest = earliest.min(time);
        }
        earliest
    }

    /// When each sample was taken, relative to the first one. Samples must be in order.
    pub(crate) fn times(&self) -> impl Iterator<Item = i64> {
        let mut time = 0i64;
        (0..self.len()).map(move |index| {
            time = time.saturating_add(if index > 0 { self.distance(index) } else { 0 });
            time
        })
    }

    /// The weight of each sample, in order; the last one has the weight `last`. Samples must be in order.
    pub(crate) fn weights(&self, last: i64) -> impl Iterator<Item = Amount> {
        let next = (1..self.len()).map(|index| self.distance(index));
        next.chain((self.len() > 0).then_some(last)).map(|weight| Amount(weight.max(0).unsigned_abs()))
    }

    /// Moves sample `index` to `place`, where it is `after` nanoseconds later than the one before it (if any).
    fn move_back(&mut self, index: usize, place: usize, after: i64) {
        let own = self.distance(index);
        if index + 1 < self.len() {
            self.set(index + 1, self.distance(index + 1).saturating_add(own));
        }
        for at in (place + 1..=index).rev() {
            self.set(at, self.distance(at - 1));
        }
        if place == 0 {
            self.set(1, after.saturating_neg());
        } else {
            let next = self.distance(place + 1).saturating_sub(after);
            self.set(place, after);
            self.set(place + 1, next);
        }
    }

    fn sort_anyhow<T: Copy>(&mut self, samples: &mut [T]) {
        let mut time = 0i64;
        let mut timed: Vec<(i64, T)> = Vec::with_capacity(self.len());
        for (index, &sample) in samples.iter().enumerate() {
            if index > 0 {
                time = time.saturating_add(self.distance(index));
            }
            timed.push((time, sample));
        }
        timed.sort_by_key(|&(time, _)| time);
        for index in 0..timed.len() {
            samples[index] = timed[index].1;
            if index > 0 {
                self.set(index, timed[index].0.saturating_sub(timed[index - 1].0));
            }
        }
    }

    fn set(&mut self, index: usize, distance: i64) {
        if !self.is_wide {
            if distance % 1000 == 0
                && let Ok(micros) = i32::try_from(distance / 1000)
            {
                self.narrow[index] = micros;
                return;
            }
            self.widen();
        }
        self.wide[index] = distance;
    }

    fn widen(&mut self) {
        if !self.is_wide {
            self.is_wide = true;
            self.wide =
                std::mem::take(&mut self.narrow).into_iter().map(|micros| i64::from(micros) * 1000).collect();
        }
    }
}

fn median<T: Copy + Ord + Into<i64>>(distances: &mut [T], unit: i64) -> Option<i64> {
    if distances.is_empty() {
        return None;
    }
    let (middle, even) = (distances.len() / 2, distances.len().is_multiple_of(2));
    let (below, &mut upper, _) = distances.select_nth_unstable(middle);
    let upper = upper.into() * unit;
    match below.iter().max() {
        Some(&lower) if even => Some((lower.into() * unit + upper) / 2),
        _ => Some(upper),
    }
}

/// A number of nanoseconds or bytes, rounded; negative numbers and NaN become 0.
pub(crate) fn amount(nanos: f64) -> Amount {
    Amount((nanos.round() as u64).min(MAX_DISTANCE.unsigned_abs()))
}

/// The weight of a sample in formats that only count them.
pub(crate) const COUNTED: Amount = Amount(1_000_000);

/// Times in a larger unit, rounded as sums so that errors never add up.
pub(crate) struct Rounded {
    unit: u64,
    sum: u64,
    given: u64,
}

impl Rounded {
    pub(crate) fn new(nanos: u64) -> Self {
        Self { unit: nanos, sum: 0, given: 0 }
    }

    pub(crate) fn next(&mut self, time: Amount) -> u64 {
        self.sum = self.sum.saturating_add(time.0);
        let until = self.sum.saturating_add(self.unit / 2) / self.unit;
        until - std::mem::replace(&mut self.given, until)
    }
}

/// Divides `whole` among parts in proportion to their counts: whole nanoseconds that add up to exactly `whole`.
pub(crate) fn share(
    whole: Amount,
    counts: impl IntoIterator<Item = u64> + Clone,
) -> impl Iterator<Item = Amount> {
    let sum: u128 = counts.clone().into_iter().map(u128::from).sum();
    let (mut before, mut given) = (0u128, 0u64);
    counts.into_iter().map(move |count| {
        before += u128::from(count);
        // At most `whole`, as `before` is at most `sum`.
        let until = (u128::from(whole.0) * before).checked_div(sum).unwrap_or(0) as u64;
        let part = until - given;
        given = until;
        Amount(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(distances: &[i64]) -> (Vec<usize>, Vec<i64>) {
        let mut timeline = Timeline::default();
        distances.iter().for_each(|&distance| timeline.push_micros(distance));
        let mut samples: Vec<usize> = (0..distances.len()).collect();
        timeline.sort(&mut samples);
        (samples, (1..timeline.len()).map(|index| timeline.distance(index) / 1000).collect())
    }

    #[test]
    fn puts_late_samples_where_they_belong() {
        //                times:  50  60  55  70
        assert_eq!(sorted(&[50, 10, -5, 15]), (vec![0, 2, 1, 3], vec![5, 5, 10]));
        assert_eq!(sorted(&[50, 10, -20, 30]), (vec![2, 0, 1, 3], vec![10, 10, 10]), "before the first");
        assert_eq!(
            sorted(&[50, 10, -10, 10]),
            (vec![0, 2, 1, 3], vec![0, 10, 0]),
            "equal times keep their order"
        );
    }

    #[test]
    fn sorts_like_a_sort() {
        let mut state = 1u64;
        for length in 0..200 {
            let mut random = |below: u64| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (state >> 33) % below
            };
            let distances: Vec<i64> = (0..length).map(|_| random(40) as i64 - 15).collect();
            let mut times: Vec<(i64, usize)> = Vec::new();
            for (index, distance) in distances.iter().enumerate() {
                times.push((times.last().map_or(0, |last| last.0) + distance, index));
            }
            times.sort();
            let expected = times.iter().map(|&(_, sample)| sample).collect();
            let gaps = times.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
            assert_eq!(sorted(&distances), (expected, gaps), "{distances:?}");
        }
    }

    #[test]
    fn falls_back_to_a_real_sort() {
        let backwards = vec![-1; 10_000];
        let (samples, gaps) = sorted(&backwards);
        assert_eq!(samples, (0..10_000).rev().collect::<Vec<_>>());
        assert!(gaps.iter().all(|&gap| gap == 1));
    }

    #[test]
    fn widens_for_fractions() {
        let mut timeline = Timeline::default();
        timeline.push_micros(1);
        timeline.push_nanos(1500);
        timeline.push_micros(-1);
        assert_eq!((0..3).map(|index| timeline.distance(index)).collect::<Vec<_>>(), [1000, 1500, -1000]);
    }

    #[test]
    fn median_is_the_mean_of_the_middle_two() {
        let median = |distances: &[i64]| {
            let mut timeline = Timeline::default();
            distances.iter().for_each(|&distance| timeline.push_nanos(distance));
            timeline.into_median()
        };
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[7]), None, "one sample has no interval");
        assert_eq!(median(&[7, 3]), Some(3));
        assert_eq!(median(&[7, 3, 9, 5]), Some(5));
        assert_eq!(median(&[7, 3, 9, 5, 1]), Some(4));
    }

    #[test]
    fn rounded_times_add_up() {
        let mut rounded = Rounded::new(1000);
        assert_eq!([400, 400, 400, 1700, 99].map(|time| rounded.next(Amount(time))), [0, 1, 0, 2, 0]);
    }

    #[test]
    fn shares_add_up() {
        let parts: Vec<u64> = share(Amount(10), [1, 1, 1, 0, 4]).map(|part| part.0).collect();
        assert_eq!(parts, [1, 1, 2, 0, 6]);
        assert_eq!(share(Amount(10), [0, 0]).map(|part| part.0).collect::<Vec<_>>(), [0, 0]);
    }
}
