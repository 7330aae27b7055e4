//! What the reading thread and the answering tasks share: the service, and the requests that wait for it.

use std::collections::HashSet;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::FutureExt;
use serde::Serialize;
use serde_json::{Value, json};
use tower::Service;
use tower_lsp::jsonrpc::{Error, Id, Request, Response};
use tower_lsp::{LanguageServer, LspService};

use super::as_text;
use super::budget::BytePermit;
use super::outbox::Outbox;
use super::spelling::UriSpelling;

/// A request or notification, with the bytes that it takes from the budget until it is answered.
pub(super) struct IncomingRequest {
    pub(super) request: Request,
    pub(super) _taken: BytePermit,
}

/// What the reading thread and the answering tasks share.
pub(super) struct Connection<S> {
    pending: Mutex<Pending<S>>,
    pub(super) outbox: Outbox,
    pub(super) spelling: UriSpelling,
    /// Whether the client sent `shutdown`.
    pub(super) shut_down: AtomicBool,
}

/// The service, and the requests that were not passed to it yet, under one lock: a cancellation finds a request in
/// exactly one of the two.
pub(super) struct Pending<S> {
    service: LspService<S>,
    pub(super) waiting: HashSet<Id>,
}

impl<S: LanguageServer> Connection<S> {
    pub(super) fn new(service: LspService<S>, outbox: Outbox) -> Self {
        let pending = Mutex::new(Pending { service, waiting: HashSet::new() });
        Self { pending, outbox, spelling: UriSpelling::default(), shut_down: AtomicBool::new(false) }
    }

    /// Runs a request and sends its answer.
    pub(super) async fn answer(self: Arc<Self>, IncomingRequest { request, _taken }: IncomingRequest) {
        let id = request.id().cloned();
        let method = request.method().to_owned();
        let (request, is_text) = as_text::renamed(request);
        let work = async {
            let answer = {
                let mut pending = self.pending();
                match &id {
                    Some(id) if !pending.waiting.remove(id) => {
                        return Some(Response::from_error(id.clone(), Error::request_cancelled()));
                    }
                    _ => pending.service.call(request),
                }
            };
            match answer.await {
                // The service does not answer unknown requests whose name begins with `$/`.
                Ok(None) => id.clone().map(|id| Response::from_error(id, Error::method_not_found())),
                answer => answer.ok().flatten(),
            }
        };
        let response = AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|_| {
            crate::logging::error(&format!("{method} failed: an answer was lost, the server goes on."));
            let id = id.clone()?;
            self.cancel(&id); // or the service would wait for its end
            let message = format!("{method} failed inside the server; its log says where.");
            Some(Response::from_error(id, Error { message: message.into(), ..Error::internal_error() }))
        });
        match response {
            Some(response) if is_text => self.send_text(response).await,
            Some(response) => self.send(&response).await,
            None => {}
        }
    }

    /// Sends an answer whose result is a text of JSON.
    async fn send_text(&self, response: Response) {
        match response.into_parts() {
            (id, Ok(Value::String(text))) => {
                let message = as_text::message(&id, &text);
                self.put(message.expect("an id is a JSON value")).await;
            }
            (id, other) => self.send(&Response::from_parts(id, other)).await,
        }
    }

    /// Sends a message to the client.
    pub(super) async fn send(&self, message: &impl Serialize) {
        self.put(serde_json::to_string(message).expect("messages are made of JSON values")).await;
    }

    /// Puts a message into the outbox, with the URIs in the client's own spelling.
    async fn put(&self, message: String) {
        let restored = (!self.spelling.is_standard()).then(|| self.spelling.restore(&message));
        self.outbox.put(restored.unwrap_or(message).as_bytes()).await;
    }

    /// Cancels a request, whether it runs or still waits.
    pub(super) fn cancel(&self, id: &Id) {
        let mut pending = self.pending();
        if !pending.waiting.remove(id) {
            let cancel = Request::build("$/cancelRequest").params(json!({ "id": id })).finish();
            let _ = pending.service.call(cancel).now_or_never(); // it has no answer
        }
    }

    pub(super) fn pending(&self) -> MutexGuard<'_, Pending<S>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
