//! The commands of `workspace/executeCommand`. They answer with JSON, from which our own clients draw lists; users of
//! other clients see the same as a message.

mod comparing;
mod lists;
mod scope;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use analysis::files::FilePath;
use analysis::recording::Recording;
use analysis::views::Unit;
use serde::Deserialize;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{ExecuteCommandParams, MessageType};

use super::status::traces;
use crate::commands::Command;
use crate::loader::notify::{WHERE_THE_LOG_IS, how_to_choose_a_map, how_to_map_a_path};
use crate::proto::{from_proto, to_proto};
use crate::scope_request::ScopeRequest;
use crate::shell;
use crate::state::queue::Job;
use crate::state::{Current, State};

/// A message has at most this many buttons.
const MAX_CHOICES: usize = 10;
const HOW_TO_RESTART: &str = "Restart the server with your editor's own command for language servers.";

/// Runs a command.
pub(crate) async fn execute(state: &Arc<State>, params: ExecuteCommandParams) -> Result<Option<Value>> {
    let arguments = params.arguments;
    let Some(command) = Command::named(&params.command) else {
        let all: Vec<_> = Command::ALL.iter().map(|command| command.name()).collect();
        let sentence = format!("There is no command {}. There are {}.", params.command, all.join(", "));
        return Err(Error::invalid_params(sentence));
    };
    match command {
        Command::LoadTrace => load(state, &arguments).await,
        Command::UnloadTrace => unload(state, &arguments),
        Command::SelectTrace => select(state, &arguments).await,
        Command::Focus => add_up_again(state, scope::focus(state, arguments)?).await,
        Command::Window => add_up_again(state, scope::window(state, arguments)?).await,
        Command::ClearScope => add_up_again(state, scope::clear(state)).await,
        Command::CycleUnit => cycle_unit(state, &arguments),
        Command::Toggle => Ok(toggle(state)),
        Command::ShowHottest => lists::show_hottest(state, &arguments).await,
        Command::ShowLedger => Ok(lists::show_ledger(state)),
        Command::ShowCallers => lists::show_callers(state, arguments).await,
        Command::ShowFlameGraph => {
            Ok(explain_for_trace(state, |current, _| how_to_see_a_flame_graph(current)))
        }
        Command::CompareWith => comparing::compare_with(state, arguments).await,
        Command::StopComparing => Ok(comparing::stop(state)),
        Command::MapPath => Ok(explain_for_trace(state, |_, recording| how_to_map_a_path(recording))),
        Command::ChooseMap => Ok(explain_for_trace(state, how_to_choose_a_map)),
        Command::Restart => Ok(explain(state, HOW_TO_RESTART)),
        Command::ShowLog => Ok(explain(state, WHERE_THE_LOG_IS)),
    }
}

async fn load(state: &Arc<State>, arguments: &[Value]) -> Result<Option<Value>> {
    let Some(path) = trace_of(arguments)? else {
        return Err(Error::invalid_params(
            "Name the trace to load: its file: URL is the command's argument.",
        ));
    };
    perform(state, Job::Load(path.clone()), &path).await
}

/// Shows another of the known traces, or another thread of one. Without an argument our own clients get the list of
/// traces, and users of others can choose in a message.
async fn select(state: &Arc<State>, arguments: &[Value]) -> Result<Option<Value>> {
    if let Some(path) = trace_of(arguments)? {
        let job = choose(state, &path, threads_of(arguments)?)?;
        return perform(state, job, &path).await;
    }
    let current = state.current();
    if current.traces.is_empty() {
        show_message(
            state,
            "There is no trace in this workspace. Record one, or load any with proflens.loadTrace.",
        );
    } else if !current.client.is_ours {
        ask_which(state, &current);
    }
    Ok(Some(json!(traces(&current))))
}

/// Sets the threads of a trace to show; an empty list means the default ones. Returns the job that is needed to show it.
/// A loaded trace is not read again.
fn choose(state: &State, path: &Path, threads: Vec<String>) -> Result<Job> {
    let current = state.current();
    let shown = current.shown.as_ref().filter(|shown| shown.path == path);
    let threads = match shown {
        Some(shown) if !threads.is_empty() => {
            shown.threads_named(&threads).map_err(|problem| to_proto::refusal(&problem))?
        }
        _ => threads,
    };
    let is_news = state.change(|current| {
        let scope = ScopeRequest { threads, ..current.scope_of(path) };
        current.choose_scope(path, scope)
    });
    Ok(if is_news && shown.is_some() { Job::AddUpAgain } else { Job::Load(path.to_path_buf()) })
}

/// Adds up a trace again if another part of it is to be shown.
async fn add_up_again(state: &Arc<State>, changed: Option<PathBuf>) -> Result<Option<Value>> {
    let Some(path) = changed else { return Ok(None) };
    perform(state, Job::AddUpAgain, &path).await
}

/// Waits until a job is done; returns the state of a trace after it.
async fn perform(state: &State, job: Job, path: &Path) -> Result<Option<Value>> {
    // An error means that the server shuts down.
    let _ = state.queue.push_and_wait(job).await;
    let uri = to_proto::uri(&FilePath::new(&path.to_string_lossy()));
    let trace = traces(&state.current()).into_iter().find(|trace| trace.uri == uri);
    Ok(trace.map(|trace| json!(trace)))
}

/// A trace, or a thread of it, that can be chosen in a message.
struct Choice {
    title: String,
    path: PathBuf,
    thread: Option<String>,
}

/// Lets the user choose in a message, for clients that draw no lists.
fn ask_which(state: &Arc<State>, current: &Current) {
    let mut choices: Vec<Choice> = Vec::new();
    for (trace, status) in current.traces.iter().zip(traces(current)) {
        let (name, path) = (current.name_of(&trace.path), &trace.path);
        choices.push(Choice { title: name.clone(), path: path.clone(), thread: None });
        let is_one = status.threads.iter().filter(|thread| thread.shown).count() == 1;
        let threads = status.threads.into_iter().filter(|thread| !(thread.shown && is_one));
        choices.extend(threads.map(|thread| Choice {
            title: format!("{name}: {}", thread.name),
            path: path.clone(),
            thread: Some(thread.name),
        }));
    }
    choices.truncate(MAX_CHOICES);
    let titles: Vec<String> = choices.iter().map(|choice| choice.title.clone()).collect();
    let choosing = state.clone();
    state.editor.ask(MessageType::INFO, "Show the costs of which trace?", titles, move |title| {
        let Some(chosen) = choices.into_iter().find(|choice| choice.title == title) else { return };
        if let Ok(job) = choose(&choosing, &chosen.path, chosen.thread.into_iter().collect()) {
            choosing.queue.push(job);
        }
    });
}

fn unload(state: &State, arguments: &[Value]) -> Result<Option<Value>> {
    let path = trace_of(arguments)?;
    state.change(|current| {
        let shown = current.shown.as_ref().map(|shown| shown.path.clone());
        if path.is_none() || path == shown {
            current.unload();
        } else if let Some(path) = &path {
            current.clear_failures(|failed| failed == path);
        }
    });
    state.editor.refresh(&state.current().client);
    Ok(None)
}

/// The next unit, or the one that the argument names.
fn cycle_unit(state: &State, arguments: &[Value]) -> Result<Option<Value>> {
    let named = given(arguments)
        .map(Unit::deserialize)
        .transpose()
        .map_err(|_| Error::invalid_params("The unit is time, percent or samples."))?;
    let unit = state.change(|current| {
        current.unit = named.unwrap_or_else(|| current.unit.next());
        current.unit
    });
    state.editor.refresh(&state.current().client);
    Ok(Some(json!({ "unit": unit })))
}

fn toggle(state: &State) -> Option<Value> {
    let enabled = state.change(|current| {
        current.enabled = !current.enabled;
        current.enabled
    });
    state.editor.refresh(&state.current().client);
    Some(json!({ "enabled": enabled }))
}

/// Commands that our own clients run without the server are explained to users of other clients.
fn explain(state: &State, sentence: &str) -> Option<Value> {
    show_message(state, sentence);
    None
}

/// [`explain`] with a text that depends on the shown trace.
fn explain_for_trace(state: &State, how: impl Fn(&Current, &Recording) -> String) -> Option<Value> {
    let current = state.current();
    match &current.shown {
        Some(shown) => explain(state, &how(&current, &shown.recording)),
        None => explain(state, "No trace is loaded."),
    }
}

/// The command for a shell.
fn how_to_see_a_flame_graph(current: &Current) -> String {
    let trace = current.shown.as_ref().map(|shown| shown.path.display().to_string()).unwrap_or_default();
    format!("Run this in the folder of the workspace: proflens flame --open -- {}", shell::word(&trace))
}

fn show_message(state: &State, text: &str) {
    state.editor.message(MessageType::INFO, text);
}

/// A command's first argument, if it has one.
fn given(arguments: &[Value]) -> Option<&Value> {
    arguments.first().filter(|argument| !argument.is_null())
}

/// The trace that a command's first argument names: a `file:` URL, or a path.
fn trace_of(arguments: &[Value]) -> Result<Option<PathBuf>> {
    let Some(argument) = given(arguments) else { return Ok(None) };
    let text = argument.as_str().or_else(|| argument["uri"].as_str());
    match text.and_then(from_proto::named_path) {
        Some(path) => Ok(Some(path)),
        None => Err(Error::invalid_params(format!("{argument} names no file. Give its file: URL."))),
    }
}

/// The threads that a command's second argument names, each by its name or its number from 1: one of them, or a list.
fn threads_of(arguments: &[Value]) -> Result<Vec<String>> {
    match arguments.get(1) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(names)) => names.iter().map(thread_of).collect(),
        Some(one) => Ok(vec![thread_of(one)?]),
    }
}

fn thread_of(argument: &Value) -> Result<String> {
    match argument {
        Value::String(name) => Ok(name.clone()),
        Value::Number(number) => Ok(number.to_string()),
        other => Err(Error::invalid_params(format!("{other} names no thread. Give its name."))),
    }
}
