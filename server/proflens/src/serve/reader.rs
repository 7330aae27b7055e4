//! The thread that reads messages. It handles by itself what takes effect at once: answers of the client, cancellations, `exit`.

use std::io::{BufReader, Read};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures::Sink;
use serde::Deserialize;
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tower_lsp::LanguageServer;
use tower_lsp::jsonrpc::{Error, Id, Response};

use super::budget::ByteBudget;
use super::connection::{Connection, IncomingRequest};
use super::{framing, process};

/// What the reader needs.
pub(super) struct Reader<S, W> {
    pub(super) connection: Arc<Connection<S>>,
    pub(super) to_server: W,
    pub(super) queue: mpsc::UnboundedSender<IncomingRequest>,
    pub(super) budget: ByteBudget,
    pub(super) end: mpsc::UnboundedSender<()>,
}

impl<S: LanguageServer, W: Sink<Response> + Unpin> Reader<S, W> {
    /// Reads until `exit` or the end of the stream, and then sends to `end`.
    pub(super) fn run(mut self, input: impl Read, runtime: &Handle) {
        let mut input = BufReader::with_capacity(1 << 16, input);
        while let Ok(Some(body)) = framing::read_body(&mut input) {
            // Some editors send the bytes of a file as they are; losing such an edit would leave us with a different text.
            let refused = match serde_json::from_str::<Value>(&String::from_utf8_lossy(&body)) {
                Ok(message) if message["method"] == "exit" => break,
                Ok(message) => self.take(message, runtime).err(),
                Err(_) => Some(Response::from_error(Id::Null, Error::parse_error())),
            };
            if let Some(response) = refused {
                runtime.block_on(self.connection.send(&response));
            }
        }
        let _ = self.end.send(()); // the connection may have ended for another reason
    }

    fn take(&mut self, mut message: Value, runtime: &Handle) -> Result<(), Response> {
        let id: Option<Id> = message.get("id").and_then(|id| Id::deserialize(id).ok());
        self.connection.spelling.encode(&mut message);
        without_empty_params(&mut message);
        if message.get("method").is_none() {
            let answer = serde_json::from_value(message).map_err(|_| refusal(Id::Null))?;
            let _ = Pin::new(&mut self.to_server).start_send(answer); // never fails
            return Ok(());
        }
        match message["method"].as_str() {
            Some("$/cancelRequest") if id.is_none() => {
                if let Ok(id) = Id::deserialize(&message["params"]["id"]) {
                    self.connection.cancel(&id);
                }
                return Ok(());
            }
            Some("shutdown") => self.connection.shut_down.store(true, Ordering::SeqCst),
            Some("initialize") => process::watch(&message["params"]["processId"], self.end.clone(), runtime),
            _ => (),
        }
        let memory = memory_of(&message);
        let request = serde_json::from_value(message).map_err(|_| refusal(id.clone().unwrap_or_default()))?;
        self.connection.pending().waiting.extend(id);
        let _taken = runtime.block_on(self.budget.take(memory));
        let _ = self.queue.send(IncomingRequest { request, _taken }); // fails only after the end
        Ok(())
    }
}

fn refusal(id: Id) -> Response {
    Response::from_error(id, Error::invalid_request())
}

/// Roughly how much memory a message takes while it waits: many small values take far more than their text.
fn memory_of(message: &Value) -> usize {
    /// What a map allocates for up to [`IN_NODE`] fields, usually half as many.
    const NODE: usize = IN_NODE * (size_of::<String>() + size_of::<Value>());
    const IN_NODE: usize = 11;
    let inside = match message {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(memory_of).sum(),
        Value::Object(fields) => {
            let nodes = fields.len().div_ceil(IN_NODE / 2) * NODE;
            nodes + fields.iter().map(|(key, value)| key.len() + memory_of(value)).sum::<usize>()
        }
        _ => 0,
    };
    size_of::<Value>() + inside
}

/// Removes empty parameters: clients send them in different forms, but the framework only accepts a message without.
fn without_empty_params(message: &mut Value) {
    let is_bare = message["method"] == "shutdown" || message.get("params").is_some_and(Value::is_null);
    if let Some(fields) = message.as_object_mut().filter(|_| is_bare) {
        fields.remove("params");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_count_as_they_are_and_many_values_for_more() {
        let times = |message: Value| memory_of(&message) / message.to_string().len();
        assert_eq!(times(json!({ "text": "x".repeat(100_000) })), 1);
        assert!(times(json!(vec![json!([]); 1000])) >= 8);
        assert!(times(json!(vec![json!({ "a": 1 }); 1000])) >= 50);
    }
}
