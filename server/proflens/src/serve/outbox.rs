//! Writes messages to the client: one thread, in the order in which they were put in. The number of waiting bytes is
//! limited, so that when a client does not read, the server waits and its memory does not grow.

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
    /// Starts the thread that writes. The receiver is notified when it ends: when the outbox was closed and everything
    /// is written, or when the client no longer reads.
    pub(super) fn start(
        output: impl Write + Send + 'static,
        budget: ByteBudget,
    ) -> (Self, oneshot::Receiver<io::Result<()>>) {
        let (queue, messages) = mpsc::channel();
        let (ended, end) = oneshot::channel();
        std::thread::spawn(move || {
            // It fails only if the server has stopped waiting for it.
            let _ = ended.send(write_all(output, &messages));
        });
        (Self { budget, queue: Mutex::new(Some(queue)) }, end)
    }

    /// Puts a message in, once the budget allows it.
    pub(super) async fn put(&self, body: &[u8]) {
        let permit = self.budget.take(body.len()).await;
        if let Some(queue) = &*self.queue() {
            // It fails only if the writing thread has ended, which the serve loop notices by itself.
            let _ = queue.send((frame(body), permit));
        }
    }

    /// Waits until there is room for another message. Must be called before an answer is made.
    pub(super) async fn until_available(&self) {
        self.budget.until_available().await;
    }

    /// Closes the outbox: nothing more will come.
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
