//! The time of each stack of a thread, packed into about six bytes each, since a file may have many thousand threads, one per session.

use crate::model::sample::{StackId, Weight};
use crate::model::small_numbers::{SmallNumbers, SmallNumbersIter};
use crate::model::units::Amount;

/// Stacks with their times, sorted by stack, each once.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct StackTimes {
    /// For each stack, its distance from the previous one, its time (in microseconds if they are whole), and its number of samples.
    numbers: SmallNumbers,
    len: usize,
}

/// Reads the stacks in order.
#[derive(Clone)]
pub struct StackTimesIter<'a> {
    numbers: SmallNumbersIter<'a>,
    left: usize,
    last: u32,
}

impl StackTimes {
    /// All stacks with their times, in order.
    pub fn iter(&self) -> StackTimesIter<'_> {
        StackTimesIter { numbers: self.numbers.iter(), left: self.len, last: 0 }
    }

    /// How many stacks there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no stacks.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl FromIterator<(StackId, Weight)> for StackTimes {
    fn from_iter<T: IntoIterator<Item = (StackId, Weight)>>(sorted: T) -> Self {
        let (mut times, mut last) = (Self::default(), 0);
        for (stack, Weight { time: Amount(nanos), samples }) in sorted {
            let distance = stack.0.wrapping_sub(std::mem::replace(&mut last, stack.0));
            let is_whole = nanos.is_multiple_of(1000);
            times.numbers.push(u64::from(distance) << 1 | u64::from(!is_whole));
            times.numbers.push(if is_whole { nanos / 1000 } else { nanos });
            times.numbers.push(samples);
            times.len += 1;
        }
        times.numbers.shrink();
        times
    }
}

impl Iterator for StackTimesIter<'_> {
    type Item = (StackId, Weight);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let head = self.numbers.next()?;
        self.last = self.last.wrapping_add((head >> 1) as u32);
        let time = Amount(self.numbers.next()? * if head & 1 == 0 { 1000 } else { 1 });
        let samples = self.numbers.next()?;
        self.left -= 1;
        Some((StackId(self.last), Weight { time, samples }))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for StackTimesIter<'_> {}

impl<'a> IntoIterator for &'a StackTimes {
    type Item = (StackId, Weight);
    type IntoIter = StackTimesIter<'a>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl std::fmt::Debug for StackTimes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_packed_comes_back() {
        let rows =
            [(0, 0, 0), (1, 1_000, 1), (300, 999, 2), (301, u64::MAX, u64::MAX), (u32::MAX, 1 << 62, 7)];
        let rows =
            rows.map(|(stack, time, samples)| (StackId(stack), Weight { time: Amount(time), samples }));
        let times: StackTimes = rows.into_iter().collect();
        assert_eq!(times.iter().collect::<Vec<_>>(), rows);
        assert_eq!((times.len(), times.iter().len(), times.is_empty()), (5, 5, false));
        assert!(StackTimes::default().is_empty());
    }
}
