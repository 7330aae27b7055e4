//! How many bytes of messages may wait: whoever has more must wait, so that the server does not grow.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The bytes that may wait in each direction.
const MOST_WAITING: usize = 16 << 20;
/// What a message takes besides its bytes.
const PER_MESSAGE: usize = 1 << 10;

/// Bytes that were taken; they are given back when this is dropped.
pub(crate) type BytePermit = OwnedSemaphorePermit;

/// The budget of one direction. Whoever asks first is served first.
#[derive(Clone)]
pub struct ByteBudget(Arc<Semaphore>);

impl ByteBudget {
    /// A budget of which nothing is taken.
    #[expect(clippy::new_without_default, reason = "each is a budget of its own")]
    pub fn new() -> Self {
        Self(Arc::new(Semaphore::new(MOST_WAITING)))
    }

    /// Takes bytes, as soon as they are free. A message larger than the whole budget takes all of it.
    pub(crate) async fn take(&self, bytes: usize) -> BytePermit {
        let bytes = (bytes + PER_MESSAGE).min(MOST_WAITING) as u32;
        self.0.clone().acquire_many_owned(bytes).await.expect("the semaphore is never closed")
    }

    /// Waits until all who wait for bytes have got them: whoever makes messages asks before the next one.
    pub(crate) async fn until_available(&self) {
        drop(self.0.acquire().await);
    }
}
