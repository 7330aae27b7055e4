//! What the threads of a process report while they are recorded, and what has to be done then. An event never leads
//! directly to a question: a peer could answer each question with another event, endlessly.

use std::collections::{BTreeMap, HashMap, VecDeque};

use serde::Deserialize;

use super::message::{CdpError, Message, shown};
use crate::in_memory::TextStart;

/// What a process reports when it has come to its end.
const WAITS_FOR_GOODBYE: &str = "NodeRuntime.waitingForDisconnect";
/// How much events may leave in memory: where the maps of scripts are. Those of VS Code take 2 MB.
const MAX_BYTES: usize = 64 << 20;
/// What a script or a worker takes besides its text.
const EACH: usize = 256;

/// A thread that is recorded.
#[derive(Debug, Default)]
pub(crate) struct Open {
    /// What Node calls the worker; empty for the main thread.
    pub(crate) title: String,
    /// Whether its recording has begun.
    pub(crate) is_recorded: bool,
    /// By V8's number.
    pub(crate) scripts: HashMap<String, ToldScript>,
}

/// What a thread reports about a script.
#[derive(Clone, Debug, Default)]
pub(crate) struct ToldScript {
    /// Where its source map is, unless the text holds it.
    pub(crate) map_url: Option<String>,
    /// Its URL, where the profile has only a name that says not where it is: workerd calls its modules by their names in a bundle, and
    /// their texts end with their URLs (`sourceURL`).
    pub(crate) url: Option<String>,
    /// Where its text starts.
    pub(crate) start: TextStart,
}

/// A question to a worker that waits for its answer.
#[derive(Debug)]
pub(crate) struct Awaited {
    /// The worker.
    pub(crate) worker: Option<String>,
    /// The number of the question.
    pub(crate) id: u64,
}

/// What has to be done once the events that came are read.
#[derive(Debug)]
pub(crate) enum Todo {
    /// A worker has begun.
    Start { worker: Option<String>, title: String },
    /// A worker has come to its end, and waits.
    SayGoodbye { worker: Option<String> },
}

/// What was reported.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    /// The threads that are recorded, by their sessions.
    pub(crate) open: BTreeMap<Option<String>, Open>,
    /// What has to be done, in order.
    pub(crate) todo: VecDeque<Todo>,
    /// Workers that ended before they could be asked.
    pub(crate) lost: Vec<String>,
    /// The question that waits for its answer; there is one at a time.
    pub(crate) awaited: Option<Awaited>,
    /// The answer to it.
    pub(crate) answer: Option<Message>,
    /// Whether the process has come to its end, and waits for the goodbye.
    pub(crate) is_ending: bool,
    bytes: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ScriptParsed {
    script_id: String,
    #[serde(rename = "sourceMapURL")]
    source_map_url: Option<String>,
    url: Option<String>,
    embedder_name: Option<String>,
    #[serde(default)]
    start_line: i64,
    #[serde(default)]
    start_column: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Worker {
    session_id: String,
    message: Option<String>,
    worker_info: Option<WorkerInfo>,
}

#[derive(Deserialize)]
struct WorkerInfo {
    title: Option<String>,
}

/// Whether a name is a URL or a path that leads to one file wherever it is read.
fn is_whole(name: &str) -> bool {
    name.contains(':') || name.starts_with(['/', '\\'])
}

impl Heard {
    /// Takes an event of a thread.
    ///
    /// # Errors
    /// If there are too many of them.
    pub(crate) fn take(&mut self, session: &Option<String>, event: &Message) -> Result<(), CdpError> {
        match event.method.as_deref().unwrap_or_default() {
            "Debugger.scriptParsed" => {
                let Some(script) = event.params::<ScriptParsed>() else { return Ok(()) };
                let map_url =
                    script.source_map_url.filter(|url| !url.is_empty() && !url.starts_with("data:"));
                let is_bare = script.embedder_name.is_some_and(|name| !is_whole(&name));
                let url = script.url.filter(|url| is_bare && is_whole(url));
                let texts = [&map_url, &url].into_iter().flatten().map(String::len).sum::<usize>();
                self.count(script.script_id.len() + texts)?;
                let start = TextStart { line: script.start_line, column: script.start_column };
                if let Some(open) = self.open.get_mut(session) {
                    open.scripts.insert(script.script_id, ToldScript { map_url, url, start });
                }
            }
            "NodeWorker.attachedToWorker" => {
                let Some(worker) = event.params::<Worker>() else { return Ok(()) };
                let title = shown(&worker.worker_info.and_then(|info| info.title).unwrap_or_default());
                self.count(worker.session_id.len() + title.len())?;
                let worker = Some(worker.session_id);
                // It is known from now on, and forgotten if it has ended before its turn comes.
                self.open.insert(worker.clone(), Open { title: title.clone(), ..Open::default() });
                self.todo.push_back(Todo::Start { worker, title });
            }
            "NodeWorker.receivedMessageFromWorker" => {
                let Some(Worker { session_id, message: Some(message), .. }) = event.params() else {
                    return Ok(());
                };
                let worker = Some(session_id);
                // A worker that sends invalid messages counts as one that does not answer.
                let Ok(message) = Message::read(message.into()) else { return Ok(()) };
                let answered =
                    self.awaited.take_if(|asked| asked.worker == worker && message.id == Some(asked.id));
                if answered.is_some() {
                    self.answer = Some(message);
                } else if session.is_none() && message.id.is_none() {
                    // A worker has no workers of its own here.
                    self.take(&worker, &message)?;
                }
            }
            "NodeWorker.detachedFromWorker" => {
                let Some(worker) = event.params::<Worker>() else { return Ok(()) };
                if let Some(open) = self.open.remove(&Some(worker.session_id)) {
                    self.count(open.title.len())?;
                    self.lost.push(open.title);
                }
            }
            WAITS_FOR_GOODBYE if session.is_none() => self.is_ending = true,
            WAITS_FOR_GOODBYE => {
                self.count(0)?;
                self.todo.push_back(Todo::SayGoodbye { worker: session.clone() });
            }
            _ => {}
        }
        Ok(())
    }

    /// How many bytes are kept.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    fn count(&mut self, bytes: usize) -> Result<(), CdpError> {
        self.bytes += bytes + EACH;
        if self.bytes > MAX_BYTES { Err(CdpError::TooMuch("scripts or workers without end")) } else { Ok(()) }
    }
}
