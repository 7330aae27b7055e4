//! Reads what inspectors send, without an inspector: for the fuzzer, which supplies the bytes.

use super::message::{Message, Waiting};
use super::questions::{Evaluated, Source, Stopped, profile_bytes};
use super::thread::{Awaited, Heard};
use super::tracing::{BrowserFailure, BrowserRecording, Trace};

/// What becomes of messages.
#[derive(Debug, Default)]
pub struct HeardOfInspector {
    /// How many messages were accepted.
    pub messages: usize,
    /// The bytes of what is kept of them.
    pub kept: usize,
    /// What is said about the messages that were not accepted.
    pub said: Vec<String>,
    /// The events of the trace that is written.
    pub trace: Vec<u8>,
}

/// Takes messages, one a line, each as an event and as an answer, as a recording does.
pub fn hear(bytes: &[u8]) -> HeardOfInspector {
    let mut all = HeardOfInspector::default();
    let (mut waiting, mut heard) = (Waiting::default(), Heard::default());
    let mut trace = Trace::new("frame".to_owned(), "about:blank".to_owned(), BrowserRecording::default());
    for line in bytes.split(|byte| *byte == b'\n') {
        let text = String::from_utf8_lossy(line).into_owned();
        let message = match Message::read(text.into()) {
            Ok(message) => message,
            Err(error) => {
                all.said.push(error.to_string());
                continue;
            }
        };
        all.messages += 1;
        // The question that it answers, if it comes from a worker.
        heard.awaited =
            message.params().map(|Asked { session_id }: Asked| Awaited { worker: Some(session_id), id: 1 });
        let taken = heard.take(&None, &message);
        all.said.extend(taken.err().map(|error| error.to_string()));
        let answer = heard.answer.take();
        if let Some(Ok(stopped)) = answer.map(|answer| answer.result::<Stopped>("Profiler.stop")) {
            all.kept += profile_bytes(&stopped.profile);
        }
        let stopped: Result<Stopped, _> = message.result("Profiler.stop");
        let evaluated: Result<Evaluated, _> = message.result("Runtime.evaluate");
        let source: Result<Source, _> = message.result("Debugger.getScriptSource");
        all.kept += stopped.as_ref().map_or(0, |stopped| profile_bytes(&stopped.profile));
        all.kept += source.as_ref().map_or(0, |source| source.script_source.len());
        let refused = [stopped.err(), evaluated.err(), source.err()];
        all.said.extend(refused.into_iter().flatten().map(|error| error.to_string()));
        if let Err(BrowserFailure::Cdp(error)) = trace.take(&message, &mut all.trace) {
            all.said.push(error.to_string());
        }
        let length = message.bytes();
        match waiting.keep(message) {
            Ok(()) => all.kept += length,
            Err(error) => all.said.push(error.to_string()),
        }
    }
    // Writing to memory does not fail.
    if let Ok((_, scripts)) = trace.finish(&mut all.trace) {
        all.kept += scripts.bytes();
    }
    all.kept += heard.bytes();
    all
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Asked {
    session_id: String,
}
