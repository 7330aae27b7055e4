//! The samples of a thread in order of time, packed: about four bytes each, as a trace may have many millions.
//!
//! A sample is the distance of its stack from that of the sample before, its time, in microseconds where they are whole, and
//! two things that most do not have: its number of samples where that is not one, and how much later it was taken than the
//! time of the sample before ended. Each is a number of seven bits a byte, the lowest first.

use crate::{Amount, OffStack, Sample, StackId, Weight};

/// Samples in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SampleLog {
    bytes: Vec<u8>,
    /// The code of the last sample.
    last: i64,
    /// When the next one is taken: so much later than the end of the last one.
    gap: i64,
    /// The end of the last one, since the first was taken.
    end: i64,
}

/// Codes below are those of time on no stack.
const FIRST_STACK: i64 = OffStack::ALL.len() as i64;

impl SampleLog {
    /// Says when the next sample was taken, in nanoseconds since the first; else it is where the last one ends. Formats that
    /// give each sample the same weight say so for each.
    pub(crate) fn next_at(&mut self, nanos: i64) {
        self.gap = nanos.saturating_sub(self.end);
    }

    /// Adds a sample at the end.
    #[inline]
    pub(crate) fn push(&mut self, on: Result<StackId, OffStack>, weight: Weight) {
        let gap = std::mem::take(&mut self.gap);
        self.end = self.end.saturating_add(gap).saturating_add_unsigned(weight.time.0);
        let code = on.map_or_else(|why| why as i64, |stack| i64::from(stack.0) + FIRST_STACK);
        let distance = code - self.last;
        self.last = code;
        self.number(zigzag(distance) << 2 | u64::from(gap != 0) << 1 | u64::from(weight.samples != 1));
        let Amount(nanos) = weight.time;
        let is_whole = nanos.is_multiple_of(1000);
        self.number(if is_whole { (nanos / 1000) << 1 } else { (nanos << 1) | 1 });
        if weight.samples != 1 {
            self.number(weight.samples);
        }
        if gap != 0 {
            self.number(zigzag(gap));
        }
    }

    /// From the first one to the end of the last one.
    pub fn length(&self) -> Amount {
        Amount(self.end.max(0).unsigned_abs())
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = Sample> + '_ {
        self.with_times().map(|it| it.1)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// All of them, with when each was taken: nanoseconds since the first.
    pub fn with_times(&self) -> impl Iterator<Item = (i64, Sample)> + '_ {
        let (mut bytes, mut code, mut end) = (self.bytes.iter(), 0, 0i64);
        std::iter::from_fn(move || {
            let head = number(&mut bytes)?;
            code += unzigzag(head >> 2);
            let time = number(&mut bytes)?;
            let time = Amount(if time & 1 == 0 { (time >> 1) * 1000 } else { time >> 1 });
            let samples = if head & 1 == 0 { 1 } else { number(&mut bytes)? };
            let start = if head & 2 == 0 { end } else { end.saturating_add(unzigzag(number(&mut bytes)?)) };
            end = start.saturating_add_unsigned(time.0);
            let on = match code - FIRST_STACK {
                stack @ 0.. => Ok(StackId(stack as u32)),
                _ => Err(OffStack::ALL[code as usize]),
            };
            Some((start, Sample { on, weight: Weight { time, samples } }))
        })
    }

    /// Gives back memory that was reserved for more.
    pub(crate) fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
    }

    #[inline]
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }
}

fn zigzag(number: i64) -> u64 {
    (number << 1 ^ number >> 63) as u64
}

fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

#[inline]
fn number(bytes: &mut std::slice::Iter<'_, u8>) -> Option<u64> {
    let (mut number, mut shift) = (0, 0);
    loop {
        let byte = *bytes.next()?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
        shift += 7;
    }
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
        let mut log = SampleLog::default();
        for (index, it) in samples.iter().enumerate() {
            if index == 2 {
                log.next_at(-5);
            }
            log.push(it.on, it.weight);
        }
        assert_eq!(log.iter().collect::<Vec<_>>(), samples);
        let times: Vec<i64> = log.with_times().map(|it| it.0).collect();
        let after = 9_007_199_254_740_987;
        assert_eq!(times, [0, 125_000, -5, after, after, after + 999]);
    }
}
