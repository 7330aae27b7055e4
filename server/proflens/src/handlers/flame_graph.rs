//! The flame graph of what is shown, and the two directions between it and the text: where a frame's function is, and
//! which function is at the cursor.

use analysis::files::{FilePath, Files};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flame::bytes::encode;
use flame::graph::FlameGraph;
use flame::html::html;
use tower_lsp::jsonrpc::Result;

use super::compute;
use super::locations::DefinitionLocations;
use crate::loader::comparing::recording_before;
use crate::proto::{causes, ext, to_proto};
use crate::state::{Current, State};

/// How many stretches of time are sent at most.
const MAX_STRETCHES: u64 = 2_000_000;

/// What is shown, as the bytes that the page draws.
pub(crate) async fn data(state: &State) -> Result<Option<causes::FlameGraphData>> {
    let current = state.current();
    compute(state, move || {
        let (recording, graph) = shown(&current)?;
        Some(causes::FlameGraphData { recording, data: STANDARD.encode(encode(&graph)) })
    })
    .await
}

/// What is shown, as the page itself.
pub(crate) async fn page(
    state: &State,
    params: causes::FlamePageParams,
) -> Result<Option<causes::FlamePage>> {
    let current = state.current();
    compute(state, move || {
        let (recording, graph) = shown(&current)?;
        Some(causes::FlamePage { recording, html: html(&graph, Some(&params.editor)) })
    })
    .await
}

/// The number of the shown recording, and its graph; during a comparison, the graph of the differences.
fn shown(current: &Current) -> Option<(u64, FlameGraph)> {
    let shown = current.shown.as_ref()?;
    let folder = current.disk.folders().first().cloned().unwrap_or_else(|| FilePath::new("/"));
    let mut graph = match current.comparison() {
        Some(compared) => {
            let before = recording_before(current, shown, &compared.before);
            FlameGraph::compared(&before, &compared.before.title, &shown.recording, &folder)
        }
        None => FlameGraph::of(&shown.recording, &folder, MAX_STRETCHES),
    };
    graph.base = current.config.base;
    Some((shown.serial, graph))
}

/// A measured function and where it is now, by its definition or by a place in its text.
pub(crate) async fn function(
    state: &State,
    params: ext::CallersParams,
) -> Result<Option<causes::FunctionLocation>> {
    let locations = DefinitionLocations::of(state);
    compute(state, move || {
        let key = locations.definition(params)?;
        let recording = locations.recording()?;
        let measured = recording.summary.definitions.get(&key)?;
        let (uri, selection_range) = locations.location(recording, &key, measured)?;
        Some(causes::FunctionLocation { function: to_proto::definition(&key), uri, selection_range })
    })
    .await
}
