//! Where answers are computed: on few desks, so that what is outdated when its turn comes was never begun.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::serve::Room;

/// Not more than this, however many cores there are: the editor has work for them, too.
const MOST: usize = 4;

/// As many as can be used at once.
pub(crate) struct Desks {
    free: Arc<Semaphore>,
    /// Where answers wait for a client that does not read.
    room: Room,
}

impl Desks {
    /// One for each core, but never so few that a long answer holds up the short ones.
    pub(super) fn new(room: Room) -> Self {
        let cores = std::thread::available_parallelism().map_or(MOST, usize::from);
        Self { free: Arc::new(Semaphore::new(cores.clamp(2, MOST))), room }
    }

    /// Waits for a desk, and until those who read the answers have caught up.
    pub(crate) async fn take(&self) -> OwnedSemaphorePermit {
        let desk = self.free.clone().acquire_owned().await.expect("the semaphore is never closed");
        self.room.is_left().await;
        desk
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[test]
    fn few_compute_at_once_and_none_for_a_client_that_does_not_read() {
        let room = Room::new();
        let desks = Desks::new(room.clone());
        let mut taken: Vec<_> = std::iter::from_fn(|| desks.take().now_or_never()).collect();
        assert!((2..=MOST).contains(&taken.len()));
        taken.pop();
        let waiting = room.take(usize::MAX / 2).now_or_never();
        assert!(waiting.is_some() && desks.take().now_or_never().is_none());
        drop(waiting);
        assert!(desks.take().now_or_never().is_some());
    }
}
