//! The editor's questions. Each takes its view of the state before its first await, so that it is answered from
//! the moment at which it was asked.

use std::sync::Arc;

use analysis::views::{self, HoverConfig};
use analysis::{DefinitionKey, FilePath};
use profile::Unit;
use serde_json::Value;
use source::Encoding;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{CodeLens, CodeLensParams, Hover, HoverParams, InlayHint, InlayHintParams};

use super::compute;
use crate::amounts;
use crate::proto::{ext, from_proto, to_proto};
use crate::state::{Session, State, View};

pub(crate) async fn inlay_hint(state: &State, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
    let range = params.range;
    let hints = about(state, state.view(&params.text_document.uri), move |view, encoding| {
        let recording = view.recording_if(view.session.config.hints_enable)?;
        let document = &view.open.document;
        let range = from_proto::range_in(document, range, encoding);
        let hints = views::hints(recording, document, range, &view.session.hints_config());
        Some(hints.into_iter().map(|it| to_proto::inlay_hint(document, it, encoding)).collect())
    });
    // Neovim 0.10 keeps the hints that it has where the answer is null.
    Ok(Some(hints.await?.unwrap_or_default()))
}

pub(crate) async fn inlay_hint_resolve(state: &State, mut hint: InlayHint) -> Result<InlayHint> {
    let Some(data) = definition(hint.data.as_ref()) else { return Ok(hint) };
    let link = links(state);
    let tooltip = about(state, state.view_by_number(data.0), move |view, _| {
        let key = key(view, &data);
        with_hover(&view.session, &link, |config| {
            views::tooltip(view.recording()?, &view.open.document, &key, config)
        })
    });
    hint.tooltip = tooltip.await?.map(to_proto::tooltip);
    Ok(hint)
}

pub(crate) async fn code_lens(state: &State, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
    about(state, state.view(&params.text_document.uri), move |view, encoding| {
        let recording = view.recording_if(view.session.config.lens_enable)?;
        let document = &view.open.document;
        let lenses = views::lenses(recording, document, &view.session.lenses_config());
        Some(lenses.iter().map(|it| to_proto::code_lens(document, it, encoding)).collect())
    })
    .await
}

pub(crate) async fn code_lens_resolve(state: &State, mut lens: CodeLens) -> Result<CodeLens> {
    let Some(data) = definition(lens.data.as_ref()) else { return Ok(lens) };
    let resolved = about(state, state.view_by_number(data.0), move |view, _| {
        let key = key(view, &data);
        let title =
            views::lens_title(view.recording()?, &view.open.document, &key, &view.session.lenses_config())?;
        Some(to_proto::show_callers(title, &view.open.uri, &key))
    });
    // A lens without a command would be asked for again and again.
    lens.command = Some(resolved.await?.ok_or_else(Error::content_modified)?);
    Ok(lens)
}

pub(crate) async fn hover(state: &State, params: HoverParams) -> Result<Option<Hover>> {
    let at = params.text_document_position_params;
    let link = links(state);
    about(state, state.view(&at.text_document.uri), move |view, encoding| {
        let document = &view.open.document;
        let offset = from_proto::offset_in(document, at.position, encoding);
        let hover = with_hover(&view.session, &link, |config| {
            views::hover(view.recording()?, document, offset, config)
        });
        Some(to_proto::hover(document, hover?, encoding))
    })
    .await
}

/// All costs of a document, [`ext::DocumentCosts`]; none where it is not open.
pub(crate) async fn document_costs(state: &State, params: ext::DocumentCostsParams) -> Result<Value> {
    let costs = about(state, state.view(&params.text_document.uri), move |view, encoding| {
        let document = &view.open.document;
        let recording = view.recording()?;
        let costs = views::document_costs(recording, document, view.session.config.base.into());
        let costs = to_proto::document_costs(document, costs, recording.unit, encoding);
        Some(amounts::named(&costs, recording.unit))
    });
    let version = state.view(&params.text_document.uri).map(|it| it.open.document.version);
    let none = || {
        let unit = Unit::Time;
        let none =
            ext::DocumentCosts { version, unit: unit.name(), functions: Vec::new(), lines: Vec::new() };
        amounts::named(&none, unit)
    };
    Ok(costs.await?.unwrap_or_else(none))
}

/// What the status bar shows, [`ext::Status`].
pub(crate) fn status(state: &State) -> Value {
    let session = state.session();
    let unit = session.shown.as_ref().map_or(Unit::Time, |it| it.recording.unit);
    let ledger = session.shown.as_ref().map(|it| &it.recording.summary.ledger);
    let lost_maps = session.shown.iter().flat_map(|it| &it.recording.lost_maps);
    let of_settings = session.complaints.iter().chain(&session.not_searched);
    let problems = session.shown.iter().flat_map(|it| &it.recording.problems).chain(of_settings);
    let status = ext::Status {
        enabled: session.enabled,
        unit: session.unit,
        base: session.config.base,
        traces: super::commands::traces(&session),
        ledger: ledger.map(|it| to_proto::ledger(it, session.config.base.into())),
        lost_maps: lost_maps.map(to_proto::lost_map).collect(),
        problems: problems.map(to_proto::problem).collect(),
    };
    amounts::named(&status, unit)
}

/// Answers a question about a document: `None` where it is not open, `ContentModified` where it moved on meanwhile.
/// A version that only questions are about is not kept for them.
async fn about<T: Send + 'static>(
    state: &State,
    view: Option<View>,
    answer: impl FnOnce(&View, Encoding) -> Option<T> + Send + 'static,
) -> Result<Option<T>> {
    let Some(View { session, open }) = view else { return Ok(None) };
    let asked = Arc::downgrade(&open);
    drop(open);
    let answer = compute(state, move || {
        let view = View { open: asked.upgrade().filter(|it| it.is_current())?, session };
        let answer = answer(&view, view.session.client.encoding);
        view.open.is_current().then_some(answer)
    });
    answer.await?.ok_or_else(Error::content_modified)
}

type Link = Box<dyn Fn(&FilePath, u32) -> String + Send + Sync>;

/// How hovers link to a line.
fn links(state: &State) -> Link {
    let open = state.open_uris();
    Box::new(move |file, line| match open.get(file) {
        Some(uri) => to_proto::link(uri, line),
        None => to_proto::link(&to_proto::uri(file), line),
    })
}

fn with_hover<T>(session: &Session, link: &Link, make: impl FnOnce(&HoverConfig) -> T) -> T {
    make(&HoverConfig { base: session.config.base.into(), age: session.age(), link })
}

/// What a hint or a lens of ours is about.
fn definition(data: Option<&serde_json::Value>) -> Option<ext::ItemData> {
    serde_json::from_value(data?.clone()).ok()
}

fn key(view: &View, data: &ext::ItemData) -> DefinitionKey {
    DefinitionKey { file: view.open.document.file.clone(), path: data.1.as_str().into() }
}
