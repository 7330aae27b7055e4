//! What users order. Commands answer with JSON from which our own clients draw lists; to others the same is shown
//! as a message.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use analysis::format::{Style, amount, percent, size, time};
use analysis::views::{self, MeasuredDocument, SortBy, Unit};
use analysis::{Call, CallEnd, DefinitionKey, FilePath, Measured, Recording, share};
use serde::Deserialize;
use serde_json::{Value, json};
use source::Encoding;
use text_size::TextRange;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{ExecuteCommandParams, MessageType, Range, Uri};

use super::compute;
use crate::commands::Command;
use crate::loader::notify::{WHERE_THE_LOG_IS, how_to_choose_a_map, how_to_map_a_path};
use crate::proto::{ext, from_proto, to_proto};
use crate::state::queue::Job;
use crate::state::{Documents, Open, Session, State, TraceState};

/// That many of the hottest functions are listed unless the client wants another number.
const HOTTEST: usize = 100;
/// That many fit into a message.
const IN_MESSAGE: usize = 10;
const HOW_TO_RESTART: &str = "Restart the server with your editor's own command for language servers.";

/// Runs a command.
pub(crate) async fn execute(state: &Arc<State>, params: ExecuteCommandParams) -> Result<Option<Value>> {
    let arguments = params.arguments;
    let Some(command) = Command::named(&params.command) else {
        let all: Vec<_> = Command::ALL.iter().map(|it| it.name()).collect();
        let sentence = format!("There is no command {}. There are {}.", params.command, all.join(", "));
        return Err(Error::invalid_params(sentence));
    };
    match command {
        Command::LoadTrace => load(state, &arguments).await,
        Command::UnloadTrace => unload(state, &arguments),
        Command::SelectTrace => select(state, &arguments).await,
        Command::CycleUnit => cycle_unit(state, &arguments),
        Command::Toggle => Ok(toggle(state)),
        Command::ShowHottest => show_hottest(state, &arguments).await,
        Command::ShowLedger => Ok(show_ledger(state)),
        Command::ShowCallers => show_callers(state, arguments).await,
        Command::MapPath => Ok(explain_for_trace(state, |_, it| how_to_map_a_path(it))),
        Command::ChooseMap => Ok(explain_for_trace(state, how_to_choose_a_map)),
        Command::Restart => Ok(explain(state, HOW_TO_RESTART)),
        Command::ShowLog => Ok(explain(state, WHERE_THE_LOG_IS)),
    }
}

/// The traces that are known, as clients see them.
pub(crate) fn traces(session: &Session) -> Vec<ext::TraceStatus> {
    let status = |trace: &crate::state::Trace| {
        let shown = session.shown.as_ref().filter(|it| it.path == trace.path);
        let recording = shown.map(|it| &it.recording);
        let facts = recording.map(|it| &it.traces[..]).unwrap_or_default();
        let (state, error) = match &trace.state {
            TraceState::Found => (ext::LoadState::Found, None),
            TraceState::Loading => (ext::LoadState::Loading, None),
            TraceState::Loaded => (ext::LoadState::Loaded, None),
            TraceState::Failed(sentence) => (ext::LoadState::Failed, Some(sentence.clone())),
        };
        ext::TraceStatus {
            uri: to_proto::uri(&FilePath::new(&trace.path.to_string_lossy())),
            name: trace.path.file_name().map_or_else(String::new, |it| it.to_string_lossy().into()),
            state,
            shown: shown.is_some(),
            format: facts.first().map(|it| it.format),
            unit: recording.map(|it| to_proto::quantity(it.unit)),
            samples: recording.map_or(0, |it| it.samples()),
            duration_ns: facts.iter().map(|it| it.duration.0).max().unwrap_or(0),
            sessions: recording.map_or(0, |it| it.sessions()),
            threads: match (recording, facts) {
                (Some(recording), [one]) => {
                    one.choice.iter().map(|it| to_proto::thread(it, recording.unit)).collect()
                }
                _ => Vec::new(),
            },
            error,
        }
    };
    session.traces.iter().map(status).collect()
}

async fn load(state: &Arc<State>, arguments: &[Value]) -> Result<Option<Value>> {
    let Some(path) = trace_of(arguments)? else {
        return Err(Error::invalid_params(
            "Name the trace to load: its file: URL is the command's argument.",
        ));
    };
    perform(state, Job::Load(path.clone()), &path).await
}

/// Shows another of the known traces, or another thread of one; without an argument, our clients get the list and
/// others a choice.
async fn select(state: &Arc<State>, arguments: &[Value]) -> Result<Option<Value>> {
    if let Some(path) = trace_of(arguments)? {
        let job = choose(state, &path, thread_of(arguments)?.as_deref())?;
        return perform(state, job, &path).await;
    }
    let session = state.session();
    if session.traces.is_empty() {
        say(state, "There is no trace in this workspace. Record one, or load any with proflens.loadTrace.");
    } else if !session.client.is_ours {
        ask_which(state, &session);
    }
    Ok(Some(json!(traces(&session))))
}

/// Notes the thread that is wanted of a trace; what is to be done for that. A trace that was read is not read again.
fn choose(state: &State, path: &Path, thread: Option<&str>) -> Result<Job> {
    let session = state.session();
    let shown = session.shown.as_ref().filter(|it| it.path == path);
    let thread = match (thread, shown) {
        (Some(wanted), Some(shown)) => Some(shown.thread_named(wanted).map_err(Error::invalid_params)?),
        (wanted, _) => wanted.map(str::to_owned),
    };
    let is_news = state.change(|it| it.choose(path, thread));
    Ok(if is_news && shown.is_some() { Job::PlaceAgain } else { Job::Load(path.to_path_buf()) })
}

/// Waits until a job is done; what became of a trace.
async fn perform(state: &State, job: Job, path: &Path) -> Result<Option<Value>> {
    // An error means that the server is going down.
    let _ = state.queue.push_and_wait(job).await;
    let uri = to_proto::uri(&FilePath::new(&path.to_string_lossy()));
    Ok(traces(&state.session()).into_iter().find(|it| it.uri == uri).map(|it| json!(it)))
}

/// Lets the user choose in a message, for clients that draw no lists of ours.
fn ask_which(state: &Arc<State>, session: &Session) {
    let mut choices: Vec<(String, PathBuf, Option<String>)> = Vec::new();
    for (trace, status) in session.traces.iter().zip(traces(session)) {
        let name = session.name_of(&trace.path);
        let threads = status.threads.into_iter().filter(|it| !it.shown);
        let threads = threads.map(|it| (format!("{name}: {}", it.name), trace.path.clone(), Some(it.name)));
        let threads: Vec<_> = threads.collect();
        choices.push((name, trace.path.clone(), None));
        choices.extend(threads);
    }
    choices.truncate(IN_MESSAGE);
    let names: Vec<String> = choices.iter().map(|it| it.0.clone()).collect();
    let choosing = state.clone();
    state.editor.ask(MessageType::INFO, "Show the costs of which trace?".into(), names, move |chosen| {
        let choice = choices.iter().find(|it| it.0 == chosen);
        if let Some(Ok(job)) = choice.map(|(_, path, thread)| choose(&choosing, path, thread.as_deref())) {
            choosing.queue.push(job);
        }
    });
}

fn unload(state: &State, arguments: &[Value]) -> Result<Option<Value>> {
    let path = trace_of(arguments)?;
    state.change(|session| {
        let shown = session.shown.as_ref().map(|it| it.path.clone());
        if path.is_none() || path == shown {
            session.unload();
        } else if let Some(path) = &path {
            session.clear_failures(|it| it == path);
        }
    });
    state.editor.refresh(&state.session().client);
    Ok(None)
}

/// The next unit, or the one that the argument names.
fn cycle_unit(state: &State, arguments: &[Value]) -> Result<Option<Value>> {
    let named = arguments.first().filter(|it| !it.is_null()).map(Unit::deserialize).transpose();
    let named = named.map_err(|_| Error::invalid_params("The unit is time, percent or samples."))?;
    let unit = state.change(|session| {
        session.unit = named.unwrap_or_else(|| session.unit.next());
        session.unit
    });
    state.editor.refresh(&state.session().client);
    Ok(Some(json!({ "unit": unit })))
}

fn toggle(state: &State) -> Option<Value> {
    let enabled = state.change(|session| {
        session.enabled = !session.enabled;
        session.enabled
    });
    state.editor.refresh(&state.session().client);
    Some(json!({ "enabled": enabled }))
}

async fn show_hottest(state: &Arc<State>, arguments: &[Value]) -> Result<Option<Value>> {
    let limit = arguments.first().and_then(Value::as_u64).map_or(HOTTEST, |it| it as usize);
    let places = Places::of(state);
    let hottest = compute(state, move || {
        let Some(recording) = places.recording() else { return Vec::new() };
        let all = views::hottest(&recording.summary, SortBy::SelfTime);
        let annotated = all.into_iter().filter(|(key, _)| places.session.annotates(&key.file));
        annotated
            .take(limit)
            .filter_map(|(key, measured)| places.hot_function(recording, key, measured))
            .collect()
    })
    .await?;
    let top = hottest.iter().take(IN_MESSAGE);
    let lines: Vec<_> = (1..).zip(top).map(|(rank, it)| hottest_line(rank, it)).collect();
    let none = "No function of this workspace was measured.".to_string();
    say_to_others(state, if lines.is_empty() { none } else { lines.join("\n") });
    Ok(Some(json!(hottest)))
}

fn hottest_line(rank: usize, it: &ext::HotFunction) -> String {
    let [own, all] = [it.self_amount, it.total].map(amount_text);
    let file = from_proto::file_path(&it.uri).map_or_else(String::new, |it| it.name().to_string());
    let line = it.selection_range.start.line + 1;
    format!("{rank}. {}: self {own}, total {all} ({file}:{line})", it.name)
}

fn amount_text(it: ext::Amount) -> String {
    match it {
        ext::Amount::Ns(nanos) => time(profile::Amount(nanos), Style::Text),
        ext::Amount::Bytes(bytes) => size(bytes, Style::Text),
    }
}

fn show_ledger(state: &State) -> Option<Value> {
    let session = state.session();
    let Some(shown) = &session.shown else {
        say_to_others(state, "No trace is loaded.".into());
        return None;
    };
    let (ledger, unit) = (&shown.recording.summary.ledger, shown.recording.unit);
    let row = |what: &str, nanos: profile::Amount| {
        let part = percent(share(nanos, ledger.total.time), Style::Text);
        format!("{part} {what} ({})", amount(nanos, unit, Style::Text))
    };
    let written = ledger.placed.time - ledger.generated.time;
    let mut rows = vec![row("on functions of the workspace", written)];
    rows.push(row("on generated lines", ledger.generated.time));
    rows.push(row("idle", ledger.idle.time));
    rows.push(row("without a stack", ledger.no_stack.time));
    rows.extend(ledger.unplaced.iter().map(|(why, reason)| row(why.name(), reason.spent.time)));
    rows.retain(|it| !it.starts_with("0 %"));
    say_to_others(
        state,
        format!(
            "{} of {}: {}.",
            amount(ledger.total.time, unit, Style::Text),
            shown.recording.title(),
            rows.join(", ")
        ),
    );
    Some(json!(to_proto::ledger(ledger, unit, session.config.base)))
}

/// Who called a function, and whom it called. The function is what a lens names, or the innermost around a place.
async fn show_callers(state: &Arc<State>, arguments: Vec<Value>) -> Result<Option<Value>> {
    let about = arguments.into_iter().next().unwrap_or_default();
    let about = ext::CallersParams::deserialize(about).map_err(|_| {
        Error::invalid_params("Name a function by { textDocument, position }, or as a lens does.")
    })?;
    let places = Places::of(state);
    let callers = compute(state, move || {
        let recording = places.recording()?;
        let key = places.definition(about)?;
        let measured = recording.summary.definitions.get(&key)?;
        let all = |calls: &[Call]| calls.iter().map(|it| places.call(recording, measured, it)).collect();
        Some(ext::Callers {
            name: measured.name.to_string(),
            self_amount: to_proto::amount(measured.cost.self_time, recording.unit),
            total: to_proto::amount(measured.cost.total_time, recording.unit),
            callers: all(&measured.callers),
            callees: all(&measured.callees),
        })
    })
    .await?;
    say_to_others(
        state,
        callers.as_ref().map_or_else(|| "No cost was measured for a function here.".into(), callers_text),
    );
    Ok(callers.map(|it| json!(it)))
}

fn callers_text(it: &ext::Callers) -> String {
    let line = |call: &ext::Call| {
        let file = call.uri.as_ref().and_then(from_proto::file_path);
        let line = call.selection_range.map_or(0, |it| it.start.line + 1);
        let place = file.map_or_else(String::new, |it| format!(" ({}:{line})", it.name()));
        format!("{} {}{place}", percent(call.share, Style::Text), call.name)
    };
    let list = |calls: &[ext::Call]| calls.iter().take(IN_MESSAGE).map(line).collect::<Vec<_>>().join(", ");
    let mut text = format!("{}: {}", it.name, amount_text(it.total));
    if !it.callers.is_empty() {
        text += &format!("\nCalled by {}", list(&it.callers));
    }
    if !it.callees.is_empty() {
        text += &format!("\nCalls {}", list(&it.callees));
    }
    text
}

/// Commands that our clients do without asking are explained to the users of others.
fn explain(state: &State, sentence: &str) -> Option<Value> {
    say(state, sentence);
    None
}

/// An explanation that depends on the trace that is shown.
fn explain_for_trace(state: &State, how: impl Fn(&Session, &Recording) -> String) -> Option<Value> {
    let session = state.session();
    match &session.shown {
        Some(shown) => explain(state, &how(&session, &shown.recording)),
        None => explain(state, "No trace is loaded."),
    }
}

fn say(state: &State, text: &str) {
    state.editor.message(MessageType::INFO, text);
}

fn say_to_others(state: &State, text: String) {
    if !state.session().client.is_ours {
        state.editor.message(MessageType::INFO, text);
    }
}

/// The trace that a command's first argument names: a `file:` URL, or a path.
fn trace_of(arguments: &[Value]) -> Result<Option<PathBuf>> {
    let Some(argument) = arguments.first().filter(|it| !it.is_null()) else { return Ok(None) };
    let refused = || Error::invalid_params(format!("{argument} names no file. Give its file: URL."));
    let text = argument.as_str().or_else(|| argument["uri"].as_str()).ok_or_else(refused)?;
    if std::path::Path::new(text).is_absolute() {
        return Ok(Some(text.into()));
    }
    let uri: Uri = text.parse().map_err(|_| refused())?;
    let file = from_proto::file_path(&uri).ok_or_else(refused)?;
    Ok(Some(file.as_str().into()))
}

/// The thread that a command's second argument names, by its name or its number from 1.
fn thread_of(arguments: &[Value]) -> Result<Option<String>> {
    match arguments.get(1) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(name)) => Ok(Some(name.clone())),
        Some(Value::Number(number)) => Ok(Some(number.to_string())),
        Some(other) => Err(Error::invalid_params(format!("{other} names no thread. Give its name."))),
    }
}

/// Where definitions are now: in open documents as they are, in others as they were measured.
struct Places {
    session: Arc<Session>,
    documents: Arc<Documents>,
}

impl Places {
    fn of(state: &State) -> Self {
        Self { session: state.session(), documents: Arc::clone(&state.documents) }
    }

    fn recording(&self) -> Option<&Arc<Recording>> {
        self.session.shown.as_ref().map(|it| &it.recording)
    }

    /// What was measured of a document that is open.
    fn measured<T>(&self, open: &Open, ask: impl FnOnce(MeasuredDocument<'_>) -> T) -> Option<T> {
        let recording = self.recording()?;
        let functions = open.measured_by(recording);
        Some(ask(MeasuredDocument { recording, document: &open.document, functions: &functions }))
    }

    /// `None` where it is gone from its document.
    fn place(&self, recording: &Recording, key: &DefinitionKey, measured: &Measured) -> Option<(Uri, Range)> {
        let encoding = self.encoding();
        if let Some(open) = self.documents.get(&key.file) {
            let selection = self.measured(&open, |it| Some(it.selection(it.function(&key.path)?)))??;
            return Some((open.uri.clone(), to_proto::range_in(&open.document, selection, encoding)));
        }
        let file = recording.files.get(&key.file)?;
        let definition = file.outline.get(measured.definition?);
        let selection = definition.name_range.unwrap_or_else(|| TextRange::empty(definition.range.start()));
        Some((to_proto::uri(&key.file), to_proto::range(&file.lines, &file.text, selection, encoding)))
    }

    fn hot_function(
        &self,
        recording: &Recording,
        key: &DefinitionKey,
        measured: &Measured,
    ) -> Option<ext::HotFunction> {
        let (uri, selection_range) = self.place(recording, key, measured)?;
        let base = recording.summary.ledger.base(self.session.config.base == analysis::views::Base::All);
        let cost = measured.cost;
        Some(ext::HotFunction {
            name: measured.name.to_string(),
            uri,
            selection_range,
            self_amount: to_proto::amount(cost.self_time, recording.unit),
            total: to_proto::amount(cost.total_time, recording.unit),
            self_share: share(cost.self_time, base),
            total_share: share(cost.total_time, base),
            total_samples: cost.total_samples,
        })
    }

    fn call(&self, recording: &Recording, of: &Measured, call: &Call) -> ext::Call {
        let definition = match &*call.other {
            CallEnd::Definition(key) => recording.summary.definitions.get(key).map(|it| (key, it)),
            CallEnd::Entry | CallEnd::Unplaced(_) => None,
        };
        let name = match (&*call.other, definition) {
            (_, Some((_, measured))) => measured.name.to_string(),
            (CallEnd::Unplaced(function), _) if function.name.is_empty() => "(anonymous)".into(),
            (CallEnd::Unplaced(function), _) => function.name.to_string(),
            (CallEnd::Definition(key), _) => key.path.to_string(),
            (CallEnd::Entry, _) => "(entry)".into(),
        };
        let place = definition.and_then(|(key, measured)| self.place(recording, key, measured));
        let (uri, selection_range) = place.unzip();
        let share = share(call.spent.time, of.cost.total_time);
        let total = to_proto::amount(call.spent.time, recording.unit);
        ext::Call { name, uri, selection_range, total, share }
    }

    fn definition(&self, about: ext::CallersParams) -> Option<DefinitionKey> {
        match about {
            ext::CallersParams::Definition(data) => {
                Some(DefinitionKey { file: from_proto::file_path(&data.uri)?, path: data.path.into() })
            }
            ext::CallersParams::At { text_document, position } => {
                let open = self.documents.get(&from_proto::file_path(&text_document.uri)?)?;
                let offset = from_proto::offset_in(&open.document, position, self.encoding());
                self.measured(&open, |it| it.innermost(offset).map(|it| it.key.clone()))?
            }
        }
    }

    fn encoding(&self) -> Encoding {
        self.session.client.encoding
    }
}
