//! Commands that choose what part of the shown trace is looked at. They compose: each adds to what was chosen, until it is taken off.

use std::path::PathBuf;

use analysis::{CallEnd, FunctionName, StackChange};
use profile::{END, parse_time};
use serde::Deserialize;
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::MessageType;

use crate::handlers::locations::DefinitionLocations;
use crate::proto::causes;
use crate::scope_request::ScopeRequest;
use crate::state::{State, only};

/// Looks at what is below or above a function only, or leaves a function or a package out.
pub(super) fn focus(state: &State, arguments: Vec<Value>) -> Result<Option<PathBuf>> {
    let about = arguments.into_iter().next().unwrap_or_default();
    let params = causes::FocusParams::deserialize(about)
        .map_err(|_| Error::invalid_params("Name a function and how to focus: { function, how }."))?;
    let name = |function: Option<causes::FocusedFunction>| match function {
        Some(causes::FocusedFunction::Name(name)) => Ok(FunctionName::Called(name)),
        Some(causes::FocusedFunction::Place(place)) => {
            let key = DefinitionLocations::of(state).definition(place);
            key.map(FunctionName::Definition)
                .ok_or_else(|| Error::invalid_params("No cost was measured for a function here."))
        }
        None => Err(Error::invalid_params("Name a function.")),
    };
    let change = match params.how {
        causes::FocusHow::Below => StackChange::Focus(name(params.function)?),
        causes::FocusHow::Callers => StackChange::Callers(name(params.function)?),
        causes::FocusHow::Drop => StackChange::Drop(name(params.function)?),
        causes::FocusHow::Merge => StackChange::Merge(name(params.function)?),
        causes::FocusHow::Collapse => StackChange::Collapse(
            params.package.ok_or_else(|| Error::invalid_params("Name the package to collapse."))?,
        ),
        causes::FocusHow::Path => {
            path(state, params.node.ok_or_else(|| Error::invalid_params("Name a node of a call tree."))?)?
        }
    };
    Ok(choose(state, |scope| {
        scope.changes.retain(|it| *it != change);
        scope.changes.push(change);
    }))
}

/// Only what flows through a node of a call tree.
fn path(state: &State, node: causes::CallTreeParams) -> Result<StackChange> {
    let session = state.session();
    let Some(shown) = session.shown.as_ref().filter(|it| node.recording.is_none_or(|at| at == it.serial))
    else {
        return Err(Error::content_modified());
    };
    let root = DefinitionLocations::of(state).definition(node.function);
    let root = root.ok_or_else(|| Error::invalid_params("No cost was measured for a function here."))?;
    let step = |&key: &u32| match shown.recording.call_stacks.end(key) {
        Some(CallEnd::Definition(it)) => Ok(FunctionName::Definition(it.clone())),
        Some(CallEnd::Unplaced(it)) => Ok(FunctionName::Unplaced(it.clone())),
        Some(CallEnd::Entry) | None => {
            Err(Error::invalid_params("The path has a key that is of no function."))
        }
    };
    let steps = std::iter::once(Ok(FunctionName::Definition(root))).chain(node.path.iter().map(step));
    Ok(StackChange::Path(node.direction.into(), steps.collect::<Result<_>>()?))
}

/// Looks at a window of time only: between two moments, or while markers last.
pub(super) fn window(state: &State, arguments: Vec<Value>) -> Result<Option<PathBuf>> {
    let about = arguments.into_iter().next().unwrap_or_default();
    let params = causes::WindowParams::deserialize(about)
        .map_err(|_| Error::invalid_params("Give { from, to } or { markers }."))?;
    let moment = |text: &Option<String>| {
        let moment = text.as_deref().map(parse_time).transpose();
        moment.map_err(|problem| Error::invalid_params(problem.to_string()))
    };
    let between = match (moment(&params.from)?, moment(&params.to)?) {
        (None, None) => None,
        (from, to) => Some((from.unwrap_or_default(), to.unwrap_or(END))),
    };
    if between.is_none() && params.markers.is_empty() {
        return Err(Error::invalid_params(
            "Name a moment to look from or to, or a marker: { from, to } or { markers }.",
        ));
    }
    // What there is not in the trace is said at once, and nothing changes.
    if let Some(shown) = &state.session().shown
        && let Some(read) = only(&shown.profiles)
    {
        let mut scope = state.session().scope_of(&shown.path);
        (scope.between, scope.markers) = (between, params.markers.clone());
        let (_, problems) = scope.of_newer(&read.profile, &read.name);
        if let Some(problem) = problems.first() {
            return Err(Error::invalid_params(format!("{}.", problem.what)));
        }
    }
    Ok(choose(state, |scope| (scope.between, scope.markers) = (between, params.markers)))
}

/// Looks at all of the page again.
pub(super) fn clear(state: &State) -> Option<PathBuf> {
    choose(state, |scope| *scope = ScopeRequest::default())
}

/// Changes what is looked at of the shown trace; gives its path if it has to be placed again.
fn choose(state: &State, change: impl FnOnce(&mut ScopeRequest)) -> Option<PathBuf> {
    let Some(path) = state.session().shown.as_ref().map(|it| it.path.clone()) else {
        if !state.session().client.is_ours {
            state.editor.message(MessageType::INFO, "No trace is loaded.");
        }
        return None;
    };
    let is_news = state.change(|it| {
        let mut scope = it.scope_of(&path);
        change(&mut scope);
        it.choose_scope(&path, scope)
    });
    is_news.then_some(path)
}
