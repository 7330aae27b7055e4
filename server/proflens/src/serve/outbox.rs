//! The way out: one thread writes, in the order in which messages were put in; what waits is bounded in bytes,
//! so that a client that does not read makes the server wait instead of grow.

use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};

use tokio::sync::oneshot;

use super::budget::{ByteBudget, BytePermit};
use super::framing::frame;

/// Where messages are put to be written.
pub(super) struct Outbox {
    budget: ByteBudget,
    queue: Mutex<Option<mpsc::Sender<QueuedMessage>>>,
}

type QueuedMessage = (Vec<u8>, BytePermit);

impl Outbox {
    /// Starts the thread that writes; the receiver hears when it ended: because the outbox was closed and
    /// everything is written, or because the other side is gone.
    pub(super) fn start(
        output: impl Write + Send + 'static,
        budget: ByteBudget,
    ) -> (Self, oneshot::Receiver<io::Result<()>>) {
        let (queue, messages) = mpsc::channel();
        let (ended, end) = oneshot::channel();
        std::thread::spawn(move || {
            // The server may have stopped listening, which is no error.
            let _ = ended.send(write_all(output, &messages));
        });
        (Self { budget, queue: Mutex::new(Some(queue)) }, end)
    }

    /// Puts a message in, once the budget allows it.
    pub(super) async fn put(&self, body: &[u8]) {
        let permit = self.budget.take(body.len()).await;
        if let Some(queue) = &*self.queue() {
            // An error means that the writer ended, which the server hears by itself.
            let _ = queue.send((frame(body), permit));
        }
    }

    /// Waits until the budget is not exhausted: whoever makes answers asks before the next one.
    pub(super) async fn until_available(&self) {
        self.budget.until_available().await;
    }

    /// Nothing more will come.
    pub(super) fn close(&self) {
        self.queue().take();
    }

    fn queue(&self) -> MutexGuard<'_, Option<mpsc::Sender<QueuedMessage>>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn write_all(mut output: impl Write, messages: &mpsc::Receiver<QueuedMessage>) -> io::Result<()> {
    while let Ok((message, permit)) = messages.recv() {
        output.write_all(&message)?;
        drop(permit);
        while let Ok((message, _permit)) = messages.try_recv() {
            output.write_all(&message)?;
        }
        output.flush()?;
    }
    Ok(())
}
