//! A limit on the bytes of waiting messages: a sender of more has to wait, so that the server's memory does not grow.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The bytes that may wait in each direction.
const MAX_WAITING: usize = 16 << 20;
/// What a message takes besides its bytes.
const PER_MESSAGE: usize = 1 << 10;

/// Bytes taken from a budget; they are given back when this is dropped.
pub(crate) type BytePermit = OwnedSemaphorePermit;

/// The budget of one direction, handed out in the order in which it is requested.
#[derive(Clone)]
pub struct ByteBudget(Arc<Semaphore>);

impl ByteBudget {
    /// A full budget.
    #[expect(clippy::new_without_default, reason = "each is a budget of its own")]
    pub fn new() -> Self {
        Self(Arc::new(Semaphore::new(MAX_WAITING)))
    }

    /// Takes bytes, as soon as they are free. A message larger than the whole budget takes all of it.
    pub(crate) async fn take(&self, bytes: usize) -> BytePermit {
        let bytes = (bytes + PER_MESSAGE).min(MAX_WAITING) as u32;
        self.0.clone().acquire_many_owned(bytes).await.expect("the semaphore is never closed")
    }

    /// Waits until nobody else waits for bytes and some are free. Must be called before a message is made.
    pub(crate) async fn until_available(&self) {
        drop(self.0.acquire().await);
    }
}
