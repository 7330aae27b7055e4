//! How many answers are computed at once: few, so that most requests that become outdated while they wait are never
//! computed.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::serve::ByteBudget;

/// The maximum, however many cores there are: the editor needs some of them.
const MOST: usize = 4;

/// The answers that may be computed at once.
pub(crate) struct ComputeSlots {
    free: Arc<Semaphore>,
    /// The bytes of answers that wait for the client to read them.
    answers: ByteBudget,
}

impl ComputeSlots {
    /// One for each core, but at least two, so that a long answer does not hold up the short ones.
    pub(super) fn new(answers: ByteBudget) -> Self {
        let cores = std::thread::available_parallelism().map_or(MOST, usize::from);
        Self { free: Arc::new(Semaphore::new(cores.clamp(2, MOST))), answers }
    }

    /// Waits for a slot, and until the client has read enough of the earlier answers.
    pub(crate) async fn take(&self) -> OwnedSemaphorePermit {
        let slot = self.free.clone().acquire_owned().await.expect("the semaphore is never closed");
        self.answers.until_available().await;
        slot
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[test]
    fn few_compute_at_once_and_none_for_a_client_that_does_not_read() {
        let budget = ByteBudget::new();
        let slots = ComputeSlots::new(budget.clone());
        let mut taken: Vec<_> = std::iter::from_fn(|| slots.take().now_or_never()).collect();
        assert!((2..=MOST).contains(&taken.len()));
        taken.pop();
        let waiting = budget.take(usize::MAX / 2).now_or_never();
        assert!(waiting.is_some() && slots.take().now_or_never().is_none());
        drop(waiting);
        assert!(slots.take().now_or_never().is_some());
    }
}
