//! The serve loop: the order of messages, cancellation, panics, and the end of a connection.
//!
//! The stock loop of the framework reorders edits at the first await, deadlocks when its handlers wait for the client,
//! cannot cancel what runs, and is ended by a single panic. Here
//!
//! - notifications, `initialize` and `shutdown` run to their end in the order in which they came;
//! - any other request runs up to its first await in that order too, so it sees the state that its sender meant;
//!   from there on it is a task of its own;
//! - answers of the client, `$/cancelRequest` and `exit` take effect at once, whatever else is waiting;
//! - a panic costs one answer.

pub(crate) mod as_text;
mod budget;
mod connection;
mod framing;
mod outbox;
mod process;
mod reader;
mod spelling;

use std::io::{Read, Write};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures::future::{Either, select};
use futures::{FutureExt, StreamExt};
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tower_lsp::{ClientSocket, LanguageServer, LspService};

pub use budget::ByteBudget;

use connection::{Connection, IncomingRequest};
use outbox::Outbox;
use reader::Reader;

/// A client that sends nothing for this long is idle.
const IDLE_TIME: Duration = Duration::from_secs(1);

/// How long the last answers may take once the connection ends.
const SHUTDOWN_GRACE: Duration = Duration::from_millis(200);

/// Serves one client until it sends `exit`, closes a pipe, or its process ends; `answers` bounds the answers that wait
/// to be read. Returns the exit code: 0 after a `shutdown`, 1 without (LSP 3.17, "Exit Notification").
pub async fn serve<S: LanguageServer>(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    answers: ByteBudget,
    (service, socket): (LspService<S>, ClientSocket),
) -> u8 {
    let (outbox, mut written) = Outbox::start(output, answers);
    let (mut from_server, to_server) = socket.split();
    let (queue, arrived) = mpsc::unbounded_channel();
    let (end, mut ended) = mpsc::unbounded_channel();
    let connection = Arc::new(Connection::new(service, outbox));
    let reader = Reader { connection: connection.clone(), to_server, queue, budget: ByteBudget::new(), end };
    let runtime = Handle::current();
    std::thread::spawn(move || reader.run(input, &runtime));
    let forwarding = connection.clone();
    let forward = tokio::spawn(async move {
        while let Some(request) = from_server.next().await {
            forwarding.send(&request).await;
        }
    });
    let mut work = tokio::spawn(dispatch(connection.clone(), arrived));
    if let Either::Right(_) = select(pin!(ended.recv()), &mut written).await {
        return 1; // the client does not read any more
    }
    // Requests that came before the end are still answered, if that is quick.
    let _ = tokio::time::timeout(SHUTDOWN_GRACE, &mut work).await;
    work.abort();
    forward.abort();
    connection.outbox.close();
    let _ = tokio::time::timeout(SHUTDOWN_GRACE, written).await;
    u8::from(!connection.shut_down.load(Ordering::SeqCst))
}

/// Runs requests and notifications in their order until the reader stops.
async fn dispatch<S: LanguageServer>(
    connection: Arc<Connection<S>>,
    mut arrived: mpsc::UnboundedReceiver<IncomingRequest>,
) {
    let mut running = JoinSet::new();
    while let Some(arrived) = next(&mut arrived).await {
        while running.try_join_next().is_some() {}
        connection.outbox.until_available().await;
        let request = &arrived.request;
        let in_order = request.id().is_none() || matches!(request.method(), "initialize" | "shutdown");
        let mut answer = Box::pin(connection.clone().answer(arrived));
        if in_order {
            answer.await;
        } else if answer.as_mut().now_or_never().is_none() {
            running.spawn(answer);
        }
    }
    while running.join_next().await.is_some() {}
}

/// The next request or notification. While the client is idle, free memory is given back to the system.
async fn next(arrived: &mut mpsc::UnboundedReceiver<IncomingRequest>) -> Option<IncomingRequest> {
    if let Ok(next) = tokio::time::timeout(IDLE_TIME, arrived.recv()).await {
        return next;
    }
    tokio::task::spawn_blocking(crate::memory::give_back);
    arrived.recv().await
}
