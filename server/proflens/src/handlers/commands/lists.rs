//! Commands that answer with a list: our own clients draw it, users of other clients see it as a message.

use std::sync::Arc;

use analysis::files::FilePath;
use analysis::views::{self, MAX_CHILDREN, SortBy};
use serde::Deserialize;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::MessageType;

use crate::handlers::compute;
use crate::handlers::locations::DefinitionLocations;
use crate::proto::{causes, ext, from_proto, to_proto};
use crate::state::State;

/// How many of the hottest functions are listed unless the client wants another number.
const DEFAULT_HOTTEST: usize = 100;
/// More do not fit into a message.
const MAX_IN_MESSAGE: usize = 10;

/// The hottest functions of the workspace, and where they are.
pub(super) async fn show_hottest(state: &Arc<State>, arguments: &[Value]) -> Result<Option<Value>> {
    let limit = arguments.first().and_then(Value::as_u64).map_or(DEFAULT_HOTTEST, |number| number as usize);
    let locations = DefinitionLocations::of(state);
    let hottest = compute(state, move || {
        let Some(recording) = locations.recording() else { return Vec::new() };
        let all = views::hottest(&recording.summary, SortBy::SelfTime);
        let annotated = all.into_iter().filter(|(key, _)| locations.current.annotates(&key.file));
        annotated
            .take(limit)
            .filter_map(|(key, measured)| locations.hot_item(recording, key, measured))
            .collect()
    })
    .await?;
    let top = hottest.iter().take(MAX_IN_MESSAGE);
    let mut lines: Vec<_> = (1..).zip(top).map(|(rank, function)| hottest_line(rank, function)).collect();
    if lines.is_empty() {
        lines.push("No function of this workspace was measured.".to_string());
    }
    show_to_other_clients(state, &lines);
    Ok(Some(json!(hottest)))
}

fn hottest_line(rank: usize, function: &causes::HotItem) -> String {
    let [self_text, total_text] = [&function.self_amount, &function.total].map(ext::Amount::in_full);
    let file = from_proto::file_path(&function.uri);
    let name = file.as_ref().map(FilePath::name).unwrap_or_default();
    let line = function.selection_range.map_or(0, |range| range.start.line + 1);
    format!("{rank}. {}: self {self_text}, total {total_text} ({name}:{line})", function.name)
}

/// Where everything went that the trace measured.
pub(super) fn show_ledger(state: &State) -> Option<Value> {
    let current = state.current();
    let Some(shown) = &current.shown else {
        show_to_other_clients(state, &["No trace is loaded.".into()]);
        return None;
    };
    let ledger = to_proto::ledger(current.amounts(&shown.recording));
    let mut lines = vec![format!("{} of {}", ledger.total.in_full(), shown.recording.title())];
    lines.extend(ledger.rows.iter().map(|row| format!("{}: {}", row.label, row.amount.in_full())));
    show_to_other_clients(state, &lines);
    Some(json!(ledger))
}

/// The callers and callees of a function. The function is the one that a lens names, or the innermost around a place.
pub(super) async fn show_callers(state: &Arc<State>, arguments: Vec<Value>) -> Result<Option<Value>> {
    let about = arguments.into_iter().next().unwrap_or_default();
    let about = ext::CallersParams::deserialize(about).map_err(|_| {
        Error::invalid_params("Name a function by { textDocument, position }, or as a lens does.")
    })?;
    let locations = DefinitionLocations::of(state);
    let callers = compute(state, move || {
        let recording = locations.recording()?;
        let key = locations.definition(about)?;
        let measured = recording.summary.definitions.get(&key)?;
        let [callers, callees] = [&measured.callers, &measured.callees].map(|calls| {
            let hottest = calls.iter().take(MAX_CHILDREN);
            hottest.map(|call| locations.call(recording, measured, call)).collect()
        });
        let [self_amount, total] = locations.current.amounts(recording).costs(measured);
        let name = to_proto::shown(&measured.name);
        Some(ext::Callers { name, self_amount, total, callers, callees })
    })
    .await?;
    match &callers {
        Some(callers) => show_to_other_clients(state, &callers_text(callers)),
        None => show_to_other_clients(state, &["No cost was measured for a function here.".into()]),
    }
    Ok(callers.map(|callers| json!(callers)))
}

fn callers_text(function: &ext::Callers) -> Vec<String> {
    let mut lines = vec![format!("{}: {}", function.name, function.total.in_full())];
    if !function.callers.is_empty() {
        lines.push(format!("Called by {}", calls_text(&function.callers)));
    }
    if !function.callees.is_empty() {
        lines.push(format!("Calls {}", calls_text(&function.callees)));
    }
    lines
}

fn calls_text(calls: &[ext::Call]) -> String {
    let texts = calls.iter().take(MAX_IN_MESSAGE).map(|call| {
        let file = call.uri.as_ref().and_then(from_proto::file_path);
        let line = call.selection_range.map_or(0, |range| range.start.line + 1);
        let place = file.map(|file| format!(" ({}:{line})", file.name())).unwrap_or_default();
        format!("{}{place} {}", call.name, call.total.in_full())
    });
    texts.collect::<Vec<_>>().join(", ")
}

fn show_to_other_clients(state: &State, lines: &[String]) {
    if !state.current().client.is_ours {
        state.editor.message_of_lines(MessageType::INFO, lines);
    }
}
