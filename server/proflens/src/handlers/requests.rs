//! The editor's requests. Each takes its snapshot of the state before its first await, so that the answer is about the
//! moment of the request.

use std::sync::Arc;

use analysis::summary::DefinitionKey;
use analysis::views::{self, HoverConfig};
use compare::views as comparison;
use profile::model::Unit;
use source::text::Encoding;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{
    CodeLens, CodeLensParams, DocumentDiagnosticParams, DocumentDiagnosticReportResult, Hover, HoverParams,
    InlayHint, InlayHintParams, Uri,
};

use super::compute;
use super::locations::DefinitionLocations;
use crate::proto::capabilities::ClientCapabilities;
use crate::proto::{ext, from_proto, to_proto};
use crate::serve::as_text::text;
use crate::state::{Current, Snapshot, State};

pub(crate) async fn inlay_hint(state: &State, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
    let range = params.range;
    let snapshot = loaded(state, &params.text_document.uri, |client| client.refreshes_hints).await;
    let hints = about(state, snapshot, move |snapshot, encoding| {
        let document = &snapshot.open.document;
        let range = from_proto::range_in(document, range, encoding);
        let config = snapshot.current.hints_config();
        let compared = snapshot.current.comparison();
        let hints =
            snapshot.measured_if(snapshot.current.config.hints_enable, |measured| match compared {
                Some(compared) => comparison::hints(&compared.functions, measured, range),
                None => views::hints(measured, range, &config),
            })?;
        Some(
            hints
                .into_iter()
                .map(|hint| to_proto::inlay_hint(document, snapshot.open.number, hint, encoding))
                .collect(),
        )
    });
    // Neovim 0.10 keeps old hints if the answer is null.
    Ok(Some(hints.await?.unwrap_or_default()))
}

pub(crate) async fn inlay_hint_resolve(state: &State, mut hint: InlayHint) -> Result<InlayHint> {
    let Some(data) = definition(hint.data.as_ref()) else { return Ok(hint) };
    let locations = DefinitionLocations::of(state);
    let tooltip = about(state, state.snapshot_by_number(data.0), move |snapshot, _| {
        with_hover(&snapshot.current, &locations, |config| {
            snapshot.measured(|document| {
                let key = &document.function(&data.1)?.key;
                Some(with_changes(&snapshot.current, key, views::tooltip(document, &data.1, config)?))
            })
        })?
    });
    hint.tooltip = tooltip.await?.map(to_proto::tooltip);
    Ok(hint)
}

/// What V8's compiler did, if the user wants that as diagnostics.
pub(crate) async fn diagnostic(
    state: &State,
    params: DocumentDiagnosticParams,
) -> Result<DocumentDiagnosticReportResult> {
    let snapshot = loaded(state, &params.text_document.uri, |client| client.refreshes_diagnostics).await;
    let notes = about(state, snapshot, move |snapshot, encoding| {
        let document = &snapshot.open.document;
        let is_wanted = snapshot.current.config.deopts_diagnostics;
        let notes = snapshot.measured_if(is_wanted, views::compiler_notes)?;
        Some(notes.into_iter().map(|note| to_proto::diagnostic(document, note, encoding)).collect())
    });
    Ok(to_proto::diagnostics(notes.await?.unwrap_or_default()))
}

pub(crate) async fn code_lens(state: &State, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
    let snapshot = loaded(state, &params.text_document.uri, |client| client.refreshes_lenses).await;
    about(state, snapshot, move |snapshot, encoding| {
        let document = &snapshot.open.document;
        let config = snapshot.current.lenses_config();
        let compared = snapshot.current.comparison();
        let lenses =
            snapshot.measured_if(snapshot.current.config.lens_enable, |measured| match compared {
                Some(compared) => comparison::lenses(&compared.functions, measured),
                None => views::lenses(measured, &config),
            })?;
        Some(
            lenses
                .iter()
                .map(|lens| to_proto::code_lens(document, snapshot.open.number, lens, encoding))
                .collect(),
        )
    })
    .await
}

pub(crate) async fn code_lens_resolve(state: &State, mut lens: CodeLens) -> Result<CodeLens> {
    let Some(data) = definition(lens.data.as_ref()) else { return Ok(lens) };
    let resolved = about(state, state.snapshot_by_number(data.0), move |snapshot, _| {
        let config = snapshot.current.lenses_config();
        let compared = snapshot.current.comparison();
        let title = snapshot.measured(|document| match compared {
            Some(compared) => comparison::lens_title(&compared.functions, document, &data.1),
            None => views::lens_title(document, &data.1, &config),
        })??;
        Some(to_proto::show_callers(title, &snapshot.open.uri, &data.1))
    });
    // A client would resolve a lens without a command again and again.
    lens.command = Some(resolved.await?.ok_or_else(Error::content_modified)?);
    Ok(lens)
}

pub(crate) async fn hover(state: &State, params: HoverParams) -> Result<Option<Hover>> {
    let at = params.text_document_position_params;
    let locations = DefinitionLocations::of(state);
    about(state, state.snapshot(&at.text_document.uri), move |snapshot, encoding| {
        let document = &snapshot.open.document;
        let offset = from_proto::offset_in(document, at.position, encoding);
        let hover = with_hover(&snapshot.current, &locations, |config| {
            snapshot.measured(|document| views::hover(document, offset, config))
        })??;
        let markdown = with_changes(&snapshot.current, &hover.key, hover.markdown);
        Some(to_proto::hover(document, views::Hover { markdown, ..hover }, encoding))
    })
    .await
}

/// All costs of a document as the text of [`ext::DocumentCosts`]; empty if it is not open.
pub(crate) async fn document_costs(state: &State, params: ext::DocumentCostsParams) -> Result<String> {
    let costs = about(state, state.snapshot(&params.text_document.uri), move |snapshot, encoding| {
        snapshot.measured(|measured| {
            let costs = views::document_costs(measured, snapshot.current.config.base);
            let compared = snapshot.current.comparison().map(|compared| &compared.functions);
            let amounts = snapshot.current.amounts(measured.recording);
            text(Ok(to_proto::document_costs(measured.document, costs, amounts, compared, encoding)))
        })
    });
    if let Some(costs) = costs.await? {
        return costs;
    }
    let version = state.snapshot(&params.text_document.uri).map(|snapshot| snapshot.open.document.version);
    let (functions, lines, ran) = Default::default();
    text(Ok(ext::DocumentCosts { version, unit: Unit::Time, functions, lines, ran, on_lines: None }))
}

/// A snapshot for a client that may not know when to ask again. A client that cannot be told to would show nothing until
/// the next edit if it asked before the first trace was loaded.
async fn loaded(
    state: &State,
    uri: &Uri,
    refreshes: impl FnOnce(&ClientCapabilities) -> bool,
) -> Option<Snapshot> {
    let mut snapshot = state.snapshot(uri)?;
    if !refreshes(&snapshot.current.client) {
        state.queue.first_job().await;
        snapshot.current = state.current();
    }
    Some(snapshot)
}

/// Answers a request about a document: with `None` if it is not open, with `ContentModified` if it has changed in the
/// meantime. A waiting request does not keep an outdated version in memory.
async fn about<T: Send + 'static>(
    state: &State,
    snapshot: Option<Snapshot>,
    answer: impl FnOnce(&Snapshot, Encoding) -> Option<T> + Send + 'static,
) -> Result<Option<T>> {
    let Some(Snapshot { current, open }) = snapshot else { return Ok(None) };
    let asked = Arc::downgrade(&open);
    drop(open);
    let answer = compute(state, move || {
        let snapshot = Snapshot { open: asked.upgrade().filter(|open| open.is_current())?, current };
        let answer = answer(&snapshot, snapshot.current.client.encoding);
        snapshot.open.is_current().then_some(answer)
    });
    answer.await?.ok_or_else(Error::content_modified)
}

fn with_hover<T>(
    current: &Current,
    locations: &DefinitionLocations,
    make: impl FnOnce(&HoverConfig) -> T,
) -> T {
    let client = &current.client;
    let offer = client.flame_graph.as_deref().map(|offer| |key: &_| to_proto::offer(offer, key));
    make(&HoverConfig {
        base: current.config.base,
        age: current.age(),
        line_costs: client.line_costs.as_deref(),
        flame_graph: offer.as_ref().map(|offer| offer as _),
        link: &|file, line| locations.link(file, line),
        line: &|key, measured| locations.line(key, measured),
    })
}

/// The text about a function, preceded by its changes if it is compared.
fn with_changes(current: &Current, key: &DefinitionKey, markdown: String) -> String {
    let section = current
        .comparison()
        .and_then(|compared| comparison::section(&compared.functions, key, &compared.before.title));
    match section {
        Some(section) => format!("{section}\n---\n\n{markdown}"),
        None => markdown,
    }
}

/// The definition that a hint or a lens of ours belongs to.
fn definition(data: Option<&serde_json::Value>) -> Option<ext::ItemData> {
    serde_json::from_value(data?.clone()).ok()
}
