//! The serve loop: order, cancellation, panics and ends of a session.
//!
//! The stock loop of the framework reorders edits at the first await, deadlocks when its handlers wait for the
//! client, cannot cancel what runs, and dies of one panic. Here
//!
//! - notifications, `initialize` and `shutdown` run to their end in the order in which they came;
//! - any other request runs up to its first await in that order too, so it sees the state that its sender meant,
//!   and is a task of its own from there;
//! - answers of the client, `$/cancelRequest` and `exit` act at once, whatever waits;
//! - a panic costs one answer.

mod budget;
mod framing;
mod outbox;
mod process;
mod reader;
mod spelling;

use std::collections::HashSet;
use std::io::{Read, Write};
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::future::{Either, select};
use futures::{FutureExt, StreamExt};
use serde::Serialize;
use serde_json::json;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tower::Service;
use tower_lsp::jsonrpc::{Error, Id, Request, Response};
use tower_lsp::{ClientSocket, LanguageServer, LspService};

pub use budget::ByteBudget;

use budget::Permit;
use outbox::Outbox;
use reader::Reader;
use spelling::Spelling;

/// When the client says nothing for so long, it is idle.
const IDLE: Duration = Duration::from_secs(1);

/// How long the last answers may take once the session ends.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// Serves one client until it says `exit`, closes a pipe, or is gone; `answers` bounds what waits for it
/// to read. Returns the exit code: 0 after a `shutdown`, 1 without (LSP 3.17, "Exit Notification").
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
    let desk = Arc::new(Desk::new(service, outbox));
    let reader = Reader { desk: desk.clone(), to_server, queue, budget: ByteBudget::new(), end };
    let runtime = Handle::current();
    std::thread::spawn(move || reader.run(input, &runtime));
    let forwarding = desk.clone();
    let forward = tokio::spawn(async move {
        while let Some(request) = from_server.next().await {
            forwarding.send(&request).await;
        }
    });
    let mut work = tokio::spawn(dispatch(desk.clone(), arrived));
    if let Either::Right(_) = select(pin!(ended.recv()), &mut written).await {
        return 1; // nobody reads any more
    }
    // What came before the end is still answered, if that is quick.
    let _ = tokio::time::timeout(LAST_WORDS, &mut work).await;
    work.abort();
    forward.abort();
    desk.outbox.close();
    let _ = tokio::time::timeout(LAST_WORDS, written).await;
    u8::from(!desk.shut_down.load(Ordering::SeqCst))
}

/// Runs what arrives, in order, until the reader stops.
async fn dispatch<S: LanguageServer>(desk: Arc<Desk<S>>, mut arrived: mpsc::UnboundedReceiver<Arrived>) {
    let mut running = JoinSet::new();
    while let Some(arrived) = next(&mut arrived).await {
        while running.try_join_next().is_some() {}
        desk.outbox.has_budget().await;
        let request = &arrived.request;
        let to_its_end = request.id().is_none() || matches!(request.method(), "initialize" | "shutdown");
        let mut answer = Box::pin(desk.clone().answer(arrived));
        if to_its_end {
            answer.await;
        } else if answer.as_mut().now_or_never().is_none() {
            running.spawn(answer);
        }
    }
    while running.join_next().await.is_some() {}
}

/// What arrives next. A client that is idle leaves time to tidy up.
async fn next(arrived: &mut mpsc::UnboundedReceiver<Arrived>) -> Option<Arrived> {
    if let Ok(next) = tokio::time::timeout(IDLE, arrived.recv()).await {
        return next;
    }
    tokio::task::spawn_blocking(crate::memory::give_back);
    arrived.recv().await
}

/// A request or notification, with what it takes of the budget until it is answered.
struct Arrived {
    request: Request,
    _taken: Permit,
}

/// What the reader and the workers share.
struct Desk<S> {
    counter: Mutex<Counter<S>>,
    outbox: Outbox,
    spelling: Spelling,
    shut_down: AtomicBool,
}

/// The service, and the requests that it has not got yet, under one lock: a cancellation finds a request in
/// exactly one of the two.
struct Counter<S> {
    service: LspService<S>,
    waiting: HashSet<Id>,
}

impl<S: LanguageServer> Desk<S> {
    fn new(service: LspService<S>, outbox: Outbox) -> Self {
        let counter = Mutex::new(Counter { service, waiting: HashSet::new() });
        Self { counter, outbox, spelling: Spelling::default(), shut_down: AtomicBool::new(false) }
    }

    /// Runs a request and sends its answer.
    async fn answer(self: Arc<Self>, Arrived { request, _taken }: Arrived) {
        let id = request.id().cloned();
        let method = request.method().to_owned();
        let work = async {
            let answer = {
                let mut counter = self.counter();
                match &id {
                    Some(id) if !counter.waiting.remove(id) => {
                        return Some(Response::from_error(id.clone(), Error::request_cancelled()));
                    }
                    _ => counter.service.call(request),
                }
            };
            match answer.await {
                // The service keeps silent where it does not know a request whose name begins with `$/`.
                Ok(None) => id.clone().map(|id| Response::from_error(id, Error::method_not_found())),
                answer => answer.ok().flatten(),
            }
        };
        let response = AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|_| {
            crate::logging::error(&format!("{method} failed: an answer was lost, the server goes on."));
            let id = id.clone()?;
            self.cancel(&id); // the service would wait for its end
            let message = format!("{method} failed inside the server; its log says where.");
            Some(Response::from_error(id, Error { message: message.into(), ..Error::internal_error() }))
        });
        if let Some(response) = response {
            self.send(&response).await;
        }
    }

    /// Sends a message to the client, with the URIs in its own spelling.
    async fn send(&self, message: &impl Serialize) {
        let body = if self.spelling.is_standard() {
            serde_json::to_vec(message)
        } else {
            serde_json::to_value(message).and_then(|mut message| {
                self.spelling.restore(&mut message);
                serde_json::to_vec(&message)
            })
        };
        self.outbox.put(&body.expect("messages are made of JSON values")).await;
    }

    /// Cancels a request, whether it runs or still waits.
    fn cancel(&self, id: &Id) {
        let mut counter = self.counter();
        if !counter.waiting.remove(id) {
            let cancel = Request::build("$/cancelRequest").params(json!({ "id": id })).finish();
            let _ = counter.service.call(cancel).now_or_never(); // it has no answer
        }
    }

    fn counter(&self) -> MutexGuard<'_, Counter<S>> {
        self.counter.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
