//! How much a collector takes in at once: memory for what is on its way to the disk, and traces a second.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Instant;

use crate::refusal::{NO_MEMORY, Refusal};

/// The memory for what is on its way to the disk, in bytes.
#[derive(Debug)]
pub(crate) struct Memory {
    all: u64,
    free: AtomicU64,
}

impl Memory {
    pub(crate) fn new(bytes: u64) -> Arc<Self> {
        Arc::new(Self { all: bytes, free: AtomicU64::new(bytes) })
    }

    /// Whether more than these hundredths of it are taken.
    pub(crate) fn is_taken(&self, hundredths: u64) -> bool {
        (self.all - self.free.load(Ordering::Relaxed).min(self.all)) * 100 > self.all * hundredths
    }

    pub(crate) fn reserve_nothing(self: &Arc<Self>) -> Reserved {
        Reserved { memory: Arc::clone(self), bytes: 0 }
    }
}

/// A part of the memory, free again when this is dropped. It grows with what has arrived: a sender that announces much
/// and sends nothing holds nothing.
#[derive(Debug)]
pub(crate) struct Reserved {
    memory: Arc<Memory>,
    bytes: u64,
}

impl Reserved {
    /// Reserves more, or refuses at once: two that wait for each other would wait forever.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<(), Refusal> {
        let bytes = bytes as u64;
        let free = &self.memory.free;
        free.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |free| free.checked_sub(bytes))
            .map_err(|_| NO_MEMORY)?;
        self.bytes += bytes;
        Ok(())
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        self.memory.free.fetch_add(self.bytes, Ordering::Relaxed);
    }
}

/// Traces a second; all traces of a second may come at once.
#[derive(Debug)]
pub(crate) struct Rate {
    per_second: f64,
    left: Mutex<(f64, Instant)>,
}

impl Rate {
    pub(crate) fn new(per_second: u32) -> Self {
        let per_second = f64::from(per_second);
        Self { per_second, left: Mutex::new((per_second, Instant::now())) }
    }

    /// Whether one more may come now.
    pub(crate) fn take(&self, now: Instant) -> bool {
        let mut state = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let (left, since) = *state;
        let grown = left + now.saturating_duration_since(since).as_secs_f64() * self.per_second;
        let left = grown.min(self.per_second);
        let is_one_left = left >= 1.0;
        *state = (if is_one_left { left - 1.0 } else { left }, now);
        is_one_left
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn memory_comes_back() {
        let memory = Memory::new(10);
        let (mut one, mut other) = (memory.reserve_nothing(), memory.reserve_nothing());
        assert_eq!([one.grow(6), other.grow(4), other.grow(1)], [Ok(()), Ok(()), Err(NO_MEMORY)]);
        drop(one);
        assert_eq!([other.grow(6), other.grow(1)], [Ok(()), Err(NO_MEMORY)]);
    }

    #[test]
    fn a_second_at_once_and_then_in_turn() {
        let rate = Rate::new(3);
        let start = Instant::now();
        let at = |milliseconds| rate.take(start + Duration::from_millis(milliseconds));
        let taken = [0, 0, 0, 0, 100, 400, 500, 9000, 9000, 9000, 9000].map(at);
        assert_eq!(taken, [true, true, true, false, false, true, false, true, true, true, false]);
    }
}
