//! Room for messages that wait, in bytes: whoever has more has to wait, instead of the server to grow.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How many bytes may wait in each direction.
const MOST_WAITING: usize = 16 << 20;
/// What a message takes besides its bytes.
const OF_EACH: usize = 1 << 10;

/// Room for a number of bytes, given back when the permit is dropped.
pub(crate) type Permit = OwnedSemaphorePermit;

/// The room of one direction. Whoever asks first gets it first.
#[derive(Clone)]
pub struct Room(Arc<Semaphore>);

impl Room {
    /// All of it is free.
    #[expect(clippy::new_without_default, reason = "no room is like another")]
    pub fn new() -> Self {
        Self(Arc::new(Semaphore::new(MOST_WAITING)))
    }

    /// Waits for room. A message larger than all the room takes all of it.
    pub(crate) async fn take(&self, bytes: usize) -> Permit {
        let bytes = (bytes + OF_EACH).min(MOST_WAITING) as u32;
        self.0.clone().acquire_many_owned(bytes).await.expect("the semaphore is never closed")
    }

    /// Waits until all who wait for room have got it: whoever makes messages asks before the next one.
    pub(crate) async fn is_left(&self) {
        drop(self.0.acquire().await);
    }
}
