//! The editor's questions. Each takes its view of the state before its first await, so that it is answered from
//! the moment at which it was asked.

use std::sync::Arc;

use analysis::FilePath;
use analysis::views::{self, HoverConfig};
use profile::Unit;
use serde_json::{Value, json};
use source::Encoding;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{CodeLens, CodeLensParams, Hover, HoverParams, InlayHint, InlayHintParams};

use super::compute;
use crate::proto::{ext, from_proto, to_proto};
use crate::state::{Session, State, View};

pub(crate) async fn inlay_hint(state: &State, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
    let range = params.range;
    let hints = about(state, state.view(&params.text_document.uri), move |view, encoding| {
        let document = &view.open.document;
        let range = from_proto::range_in(document, range, encoding);
        let config = view.session.hints_config();
        let hints =
            view.measured_if(view.session.config.hints_enable, |it| views::hints(it, range, &config))?;
        Some(
            hints
                .into_iter()
                .map(|it| to_proto::inlay_hint(document, view.open.number, it, encoding))
                .collect(),
        )
    });
    // Neovim 0.10 keeps the hints that it has where the answer is null.
    Ok(Some(hints.await?.unwrap_or_default()))
}

pub(crate) async fn inlay_hint_resolve(state: &State, mut hint: InlayHint) -> Result<InlayHint> {
    let Some(data) = definition(hint.data.as_ref()) else { return Ok(hint) };
    let link = links(state);
    let tooltip = about(state, state.view_by_number(data.0), move |view, _| {
        with_hover(&view.session, &link, |config| view.measured(|it| views::tooltip(it, &data.1, config)))?
    });
    hint.tooltip = tooltip.await?.map(to_proto::tooltip);
    Ok(hint)
}

pub(crate) async fn code_lens(state: &State, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
    about(state, state.view(&params.text_document.uri), move |view, encoding| {
        let document = &view.open.document;
        let config = view.session.lenses_config();
        let lenses = view.measured_if(view.session.config.lens_enable, |it| views::lenses(it, &config))?;
        Some(lenses.iter().map(|it| to_proto::code_lens(document, view.open.number, it, encoding)).collect())
    })
    .await
}

pub(crate) async fn code_lens_resolve(state: &State, mut lens: CodeLens) -> Result<CodeLens> {
    let Some(data) = definition(lens.data.as_ref()) else { return Ok(lens) };
    let resolved = about(state, state.view_by_number(data.0), move |view, _| {
        let config = view.session.lenses_config();
        let title = view.measured(|it| views::lens_title(it, &data.1, &config))??;
        Some(to_proto::show_callers(title, &view.open.uri, &data.1))
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
        let hover =
            with_hover(&view.session, &link, |config| view.measured(|it| views::hover(it, offset, config)));
        Some(to_proto::hover(document, hover??, encoding))
    })
    .await
}

/// All costs of a document, [`ext::DocumentCosts`]; none where it is not open.
pub(crate) async fn document_costs(state: &State, params: ext::DocumentCostsParams) -> Result<Value> {
    let costs = about(state, state.view(&params.text_document.uri), move |view, encoding| {
        view.measured(|it| {
            let costs = views::document_costs(it, view.session.config.base);
            json!(to_proto::document_costs(it.document, costs, it.recording.unit, encoding))
        })
    });
    let version = state.view(&params.text_document.uri).map(|it| it.open.document.version);
    let none = || {
        let unit = to_proto::quantity(Unit::Time);
        json!(ext::DocumentCosts { version, unit, functions: Vec::new(), lines: Vec::new() })
    };
    Ok(costs.await?.unwrap_or_else(none))
}

/// What the status bar shows, [`ext::Status`].
pub(crate) fn status(state: &State) -> Value {
    let session = state.session();
    let unit = session.shown.as_ref().map_or(Unit::Time, |it| it.recording.unit);
    let ledger = session.shown.as_ref().map(|it| &it.recording.summary.ledger);
    let lost_maps = session.shown.iter().flat_map(|it| &it.recording.lost_maps);
    let of_settings = session.config_errors.iter().chain(&session.not_searched);
    let problems = session.shown.iter().flat_map(|it| &it.recording.problems).chain(of_settings);
    json!(ext::Status {
        enabled: session.enabled,
        unit: session.unit,
        base: session.config.base,
        traces: super::commands::traces(&session),
        ledger: ledger.map(|it| to_proto::ledger(it, unit, session.config.base)),
        lost_maps: lost_maps.map(|it| to_proto::lost_map(it, unit)).collect(),
        problems: problems.map(to_proto::problem).collect(),
    })
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
    let documents = Arc::clone(&state.documents);
    Box::new(move |file, line| match documents.get(file) {
        Some(open) => to_proto::link(&open.uri, line),
        None => to_proto::link(&to_proto::uri(file), line),
    })
}

fn with_hover<T>(session: &Session, link: &Link, make: impl FnOnce(&HoverConfig) -> T) -> T {
    make(&HoverConfig { base: session.config.base, age: session.age(), link })
}

/// What a hint or a lens of ours is about.
fn definition(data: Option<&serde_json::Value>) -> Option<ext::ItemData> {
    serde_json::from_value(data?.clone()).ok()
}
