//! The handlers of messages, a few lines each: `from_proto`, ask the analysis, `to_proto`.

pub(crate) mod call_trees;
pub(crate) mod commands;
pub(crate) mod flame_graph;
pub(crate) mod hot_lists;
mod locations;
pub(crate) mod notifications;
pub(crate) mod requests;
pub(crate) mod status;

use std::panic::resume_unwind;

use tokio::task::AbortHandle;
use tower_lsp::jsonrpc::{Error, Result};

use crate::state::State;

/// Computes in the thread pool. A request that is cancelled while it waits for its turn is never computed. A panic is
/// passed on to the caller.
async fn compute<T: Send + 'static>(state: &State, work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    let slot = state.slots.take().await;
    let task = tokio::task::spawn_blocking(move || {
        let _until_done = slot; // even if nobody waits for the answer any more
        work()
    });
    let _cancelled_when_dropped = AbortOnDrop(task.abort_handle());
    task.await.map_err(|error| match error.try_into_panic() {
        Ok(panic) => resume_unwind(panic),
        Err(_) => Error::request_cancelled(), // the runtime shuts down
    })
}

struct AbortOnDrop(AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}
