//! Commands that answer with a list: our own clients draw it, users of other clients see it as a message.

use std::sync::Arc;

use analysis::Call;
use analysis::views::{self, MAX_CHILDREN, SortBy};
use serde::Deserialize;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::MessageType;

use crate::handlers::compute;
use crate::handlers::locations::DefinitionLocations;
use crate::proto::{ext, from_proto, to_proto};
use crate::state::State;

/// How many of the hottest functions are listed unless the client wants another number.
const DEFAULT_HOTTEST: usize = 100;
/// More do not fit into a message.
const MAX_IN_MESSAGE: usize = 10;

/// The hottest functions of the workspace, and where they are.
pub(super) async fn show_hottest(state: &Arc<State>, arguments: &[Value]) -> Result<Option<Value>> {
    let limit = arguments.first().and_then(Value::as_u64).map_or(DEFAULT_HOTTEST, |it| it as usize);
    let locations = DefinitionLocations::of(state);
    let hottest = compute(state, move || {
        let Some(recording) = locations.recording() else { return Vec::new() };
        let all = views::hottest(&recording.summary, SortBy::SelfTime);
        let annotated = all.into_iter().filter(|(key, _)| locations.session.annotates(&key.file));
        annotated
            .take(limit)
            .filter_map(|(key, measured)| locations.hot_function(recording, key, measured))
            .collect()
    })
    .await?;
    let top = hottest.iter().take(MAX_IN_MESSAGE);
    let lines: Vec<_> = (1..).zip(top).map(|(rank, it)| hottest_line(rank, it)).collect();
    let none = "No function of this workspace was measured.".to_string();
    show_to_other_clients(state, &if lines.is_empty() { vec![none] } else { lines });
    Ok(Some(json!(hottest)))
}

fn hottest_line(rank: usize, it: &ext::HotFunction) -> String {
    let [self_text, total_text] = [&it.self_amount, &it.total].map(ext::Amount::in_full);
    let file = from_proto::file_path(&it.uri).map_or_else(String::new, |it| it.name().to_string());
    let line = it.selection_range.start.line + 1;
    format!("{rank}. {}: self {self_text}, total {total_text} ({file}:{line})", it.name)
}

/// Where all that the trace measured went.
pub(super) fn show_ledger(state: &State) -> Option<Value> {
    let session = state.session();
    let Some(shown) = &session.shown else {
        show_to_other_clients(state, &["No trace is loaded.".into()]);
        return None;
    };
    let ledger = to_proto::ledger(session.amounts(&shown.recording));
    let row = |row: &ext::LedgerRow| format!("{}: {}", row.label, row.amount.in_full());
    let title = format!("{} of {}", ledger.total.in_full(), shown.recording.title());
    show_to_other_clients(
        state,
        &std::iter::once(title).chain(ledger.rows.iter().map(row)).collect::<Vec<_>>(),
    );
    Some(json!(ledger))
}

/// Who called a function, and whom it called. The function is what a lens names, or the innermost around a place.
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
        let all = |calls: &[Call]| {
            let hottest = calls.iter().take(MAX_CHILDREN);
            hottest.map(|it| locations.call(recording, measured, it)).collect()
        };
        let [self_amount, total] = locations.session.amounts(recording).costs(measured);
        Some(ext::Callers {
            name: to_proto::shown(&measured.name),
            self_amount,
            total,
            callers: all(&measured.callers),
            callees: all(&measured.callees),
        })
    })
    .await?;
    let none = || vec!["No cost was measured for a function here.".into()];
    show_to_other_clients(state, &callers.as_ref().map_or_else(none, callers_text));
    Ok(callers.map(|it| json!(it)))
}

fn callers_text(it: &ext::Callers) -> Vec<String> {
    let line = |call: &ext::Call| {
        let file = call.uri.as_ref().and_then(from_proto::file_path);
        let line = call.selection_range.map_or(0, |it| it.start.line + 1);
        let place = file.map_or_else(String::new, |it| format!(" ({}:{line})", it.name()));
        format!("{}{place} {}", call.name, call.total.in_full())
    };
    let list =
        |calls: &[ext::Call]| calls.iter().take(MAX_IN_MESSAGE).map(line).collect::<Vec<_>>().join(", ");
    let mut lines = vec![format!("{}: {}", it.name, it.total.in_full())];
    if !it.callers.is_empty() {
        lines.push(format!("Called by {}", list(&it.callers)));
    }
    if !it.callees.is_empty() {
        lines.push(format!("Calls {}", list(&it.callees)));
    }
    lines
}

fn show_to_other_clients(state: &State, lines: &[String]) {
    if !state.session().client.is_ours {
        state.editor.message_of_lines(MessageType::INFO, lines);
    }
}
