//! Commands that choose which part of the shown trace is looked at. They compose: each adds to what was chosen
//! before, until it is cleared.

use std::path::PathBuf;

use analysis::scope::{FunctionName, StackChange};
use analysis::summary::{CallEnd, DefinitionKey};
use profile::model::Amount;
use profile::problem::Problem;
use profile::scope::{END, parse_time};
use serde::Deserialize;
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::MessageType;

use crate::handlers::locations::DefinitionLocations;
use crate::proto::{causes, ext, to_proto};
use crate::scope_request::ScopeRequest;
use crate::state::{State, only};

/// Looks only at what is below or above a function, or leaves a function or a package out.
pub(super) fn focus(state: &State, arguments: Vec<Value>) -> Result<Option<PathBuf>> {
    let about = arguments.into_iter().next().unwrap_or_default();
    let causes::FocusParams { function, how, package, node } = causes::FocusParams::deserialize(about)
        .map_err(|_| Error::invalid_params("Name a function and how to focus: { function, how }."))?;
    let change = match how {
        causes::FocusHow::Below => StackChange::Focus(named(state, function)?),
        causes::FocusHow::Callers => StackChange::Callers(named(state, function)?),
        causes::FocusHow::Drop => StackChange::Drop(named(state, function)?),
        causes::FocusHow::Merge => StackChange::Merge(named(state, function)?),
        causes::FocusHow::Collapse => StackChange::Collapse(
            package.ok_or_else(|| Error::invalid_params("Name the package to collapse."))?,
        ),
        causes::FocusHow::Path => {
            path(state, node.ok_or_else(|| Error::invalid_params("Name a node of a call tree."))?)?
        }
    };
    Ok(choose(state, |scope| {
        scope.changes.retain(|other| *other != change);
        scope.changes.push(change);
    }))
}

fn named(state: &State, function: Option<causes::FocusedFunction>) -> Result<FunctionName> {
    match function {
        Some(causes::FocusedFunction::Name(name)) => Ok(FunctionName::Called(name)),
        Some(causes::FocusedFunction::Place(place)) => {
            measured_at(state, place).map(FunctionName::Definition)
        }
        None => Err(Error::invalid_params("Name a function.")),
    }
}

fn measured_at(state: &State, place: ext::CallersParams) -> Result<DefinitionKey> {
    let key = DefinitionLocations::of(state).definition(place);
    key.ok_or_else(|| Error::invalid_params("No cost was measured for a function here."))
}

/// Only what flows through a node of a call tree.
fn path(state: &State, node: causes::CallTreeParams) -> Result<StackChange> {
    let current = state.current();
    let Some(shown) =
        current.shown.as_ref().filter(|shown| node.recording.is_none_or(|serial| serial == shown.serial))
    else {
        return Err(Error::content_modified());
    };
    let mut steps = vec![FunctionName::Definition(measured_at(state, node.function)?)];
    for key in node.path {
        steps.push(match shown.recording.call_stacks.end(key) {
            Some(CallEnd::Definition(key)) => FunctionName::Definition(key.clone()),
            Some(CallEnd::Unplaced(function)) => FunctionName::Unplaced(function.clone()),
            Some(CallEnd::Entry) | None => {
                return Err(Error::invalid_params("The path has a key that is of no function."));
            }
        });
    }
    Ok(StackChange::Path(node.direction.into(), steps))
}

/// Looks only at a window of time, between two moments or while markers last, or at samples with labels.
pub(super) fn window(state: &State, arguments: Vec<Value>) -> Result<Option<PathBuf>> {
    let about = arguments.into_iter().next().unwrap_or_default();
    let params = causes::WindowParams::deserialize(about)
        .map_err(|_| Error::invalid_params("Give { from, to }, { markers } or { labels }."))?;
    let between = match (moment(params.from.as_deref())?, moment(params.to.as_deref())?) {
        (None, None) => None,
        (from, to) => Some((from.unwrap_or_default(), to.unwrap_or(END))),
    };
    let is_window = between.is_some() || !params.markers.is_empty();
    if !is_window && params.labels.is_empty() {
        return Err(Error::invalid_params(
            "Name a moment to look from or to, a marker or a label: { from, to }, { markers } or { labels }.",
        ));
    }
    let change = |scope: &mut ScopeRequest| {
        if is_window {
            (scope.between, scope.markers) = (between, params.markers.clone());
        }
        if !params.labels.is_empty() {
            scope.labels.clone_from(&params.labels);
        }
    };
    // If something is not in the trace, that is reported at once and nothing changes.
    if let Some(shown) = &state.current().shown
        && let Some(read) = only(&shown.profiles)
    {
        let mut scope = state.current().scope_of(&shown.path);
        change(&mut scope);
        let (_, problems) = scope.of_newer(&read.profile, &read.name);
        if let Some(problem) = problems.into_iter().next() {
            return Err(to_proto::refusal(&Problem::new(problem.what, "")));
        }
    }
    Ok(choose(state, change))
}

fn moment(text: Option<&str>) -> Result<Option<Amount>> {
    text.map(parse_time).transpose().map_err(|problem| to_proto::refusal(&problem))
}

/// Looks at all of the page again.
pub(super) fn clear(state: &State) -> Option<PathBuf> {
    choose(state, |scope| *scope = ScopeRequest::default())
}

/// Changes what is looked at in the shown trace. Returns its path if it has to be added up again.
fn choose(state: &State, change: impl FnOnce(&mut ScopeRequest)) -> Option<PathBuf> {
    let Some(path) = state.current().shown.as_ref().map(|shown| shown.path.clone()) else {
        if !state.current().client.is_ours {
            state.editor.message(MessageType::INFO, "No trace is loaded.");
        }
        return None;
    };
    let is_news = state.change(|current| {
        let mut scope = current.scope_of(&path);
        change(&mut scope);
        current.choose_scope(&path, scope)
    });
    is_news.then_some(path)
}
