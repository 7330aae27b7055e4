//! Callers and callees as trees: the requests of our own clients, and the call hierarchy of the protocol. Both are computed node
//! by node, and name the same node by the function at the root and the keys of the path from there.

use std::iter;
use std::sync::Arc;

use analysis::views::{CallTreeChild, CallTreeNode, call_hierarchy, call_tree};
use analysis::{CallEnd, DefinitionKey, Measured, Recording, UnplacedFunction};
use profile::Direction;
use serde::{Deserialize, Serialize};
use serde_json::json;
use source::call_sites;
use text_size::TextRange;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{
    CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, CallHierarchyItem,
    CallHierarchyOutgoingCall, CallHierarchyOutgoingCallsParams, CallHierarchyPrepareParams, Range,
    SymbolKind,
};

use super::compute;
use super::locations::{DefinitionLocations, end_name};
use crate::proto::{causes, ext, to_proto};
use crate::state::State;

/// So many callers or callees are items of a call hierarchy at most: an editor draws them all at once.
const MAX_ITEMS: usize = 200;

/// A node of a call tree, for our own clients.
pub(crate) async fn node(state: &State, params: causes::CallTreeParams) -> Result<Option<causes::CallTree>> {
    let locations = DefinitionLocations::of(state);
    compute(state, move || {
        let Some(shown) = locations.session.shown.as_ref() else { return Ok(None) };
        if params.recording.is_some_and(|it| it != shown.serial) {
            return Err(Error::content_modified());
        }
        let Some(key) = locations.definition(params.function) else { return Ok(None) };
        let direction = params.direction.into();
        let recording = &shown.recording;
        let node = call_tree(recording, &key, direction, &params.path);
        let ends_at = params.path.last().and_then(|&it| recording.call_stacks.end(it));
        let ends_at = ends_at
            .map_or_else(|| recording.summary.definitions.get(&key), |it| recording.summary.measured(it));
        Ok(node.map(|it| locations.call_tree(recording, shown.serial, &key, direction, (&it, ends_at))))
    })
    .await?
}

impl From<causes::CallDirection> for Direction {
    fn from(direction: causes::CallDirection) -> Self {
        match direction {
            causes::CallDirection::Callers => Self::Callers,
            causes::CallDirection::Callees => Self::Callees,
        }
    }
}

/// What an item of a call hierarchy carries.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct ItemPath {
    recording: u64,
    file: String,
    path: String,
    /// Whether the keys lead to callers.
    callers: bool,
    keys: Vec<u32>,
    /// The function that it is itself.
    of_file: String,
    of_path: String,
}

/// The function at a place, if it was measured.
pub(crate) async fn prepare(
    state: &State,
    params: CallHierarchyPrepareParams,
) -> Result<Option<Vec<CallHierarchyItem>>> {
    let at = params.text_document_position_params;
    let about = ext::CallersParams::At { text_document: at.text_document, position: at.position };
    let locations = DefinitionLocations::of(state);
    compute(state, move || {
        let shown = locations.session.shown.as_ref()?;
        let key = locations.definition(about)?;
        let measured = shown.recording.summary.definitions.get(&key)?;
        let [_, total] = locations.session.amounts(&shown.recording).costs(measured);
        let root = (&key, true, Vec::new());
        let detail = total.in_full();
        Some(vec![hierarchy_item(&locations, shown.serial, &shown.recording, root, &key, detail)?])
    })
    .await
}

pub(crate) async fn incoming(
    state: &State,
    params: CallHierarchyIncomingCallsParams,
) -> Result<Option<Vec<CallHierarchyIncomingCall>>> {
    let calls = calls(state, params.item, Direction::Callers).await?;
    let call = |it: HierarchyCall| CallHierarchyIncomingCall { from: it.item, from_ranges: it.sites };
    Ok(calls.map(|it| it.into_iter().map(call).collect()))
}

pub(crate) async fn outgoing(
    state: &State,
    params: CallHierarchyOutgoingCallsParams,
) -> Result<Option<Vec<CallHierarchyOutgoingCall>>> {
    let calls = calls(state, params.item, Direction::Callees).await?;
    let call = |it: HierarchyCall| CallHierarchyOutgoingCall { to: it.item, from_ranges: it.sites };
    Ok(calls.map(|it| it.into_iter().map(call).collect()))
}

/// A caller or callee, and the ranges in the caller's text at which it calls.
struct HierarchyCall {
    item: CallHierarchyItem,
    sites: Vec<Range>,
}

async fn calls(
    state: &State,
    item: CallHierarchyItem,
    direction: Direction,
) -> Result<Option<Vec<HierarchyCall>>> {
    let asked: Option<ItemPath> = item.data.and_then(|it| serde_json::from_value(it).ok());
    let locations = DefinitionLocations::of(state);
    compute(state, move || {
        let Some((asked, shown)) = asked.zip(locations.session.shown.as_ref()) else { return Ok(None) };
        if asked.recording != shown.serial {
            return Err(Error::content_modified());
        }
        let key =
            |file: &str, path: &str| DefinitionKey { file: analysis::FilePath::new(file), path: path.into() };
        let item = key(&asked.of_file, &asked.of_path);
        // From callers on to their callers it is the same tree; from there to what they call another one begins.
        let goes_on = asked.callers == (direction == Direction::Callers);
        let (root, keys) =
            if goes_on { (key(&asked.file, &asked.path), asked.keys) } else { (item.clone(), Vec::new()) };
        let recording = &shown.recording;
        let Some(node) = call_hierarchy(recording, &root, direction, &keys) else { return Ok(None) };
        let measured = &recording.summary.definitions[&root];
        let amounts = locations.session.amounts(recording);
        let mut calls = Vec::new();
        for CallTreeChild { key, end, spent } in node.children.into_iter().take(MAX_ITEMS) {
            let CallEnd::Definition(other) = end else { continue };
            let place = (&root, direction == Direction::Callers, [&keys[..], &[key]].concat());
            let detail = amounts.call(spent, measured, end).in_full();
            let Some(found) = hierarchy_item(&locations, shown.serial, recording, place, other, detail)
            else {
                continue;
            };
            let (caller, callee) =
                if direction == Direction::Callers { (other, &item) } else { (&item, other) };
            let sites =
                sites(&locations, recording, caller, callee).unwrap_or_else(|| vec![found.selection_range]);
            calls.push(HierarchyCall { item: found, sites });
        }
        Ok(Some(calls))
    })
    .await?
}

fn hierarchy_item(
    locations: &DefinitionLocations,
    serial: u64,
    recording: &Recording,
    (root, callers, keys): (&DefinitionKey, bool, Vec<u32>),
    of: &DefinitionKey,
    detail: String,
) -> Option<CallHierarchyItem> {
    let measured = recording.summary.definitions.get(of)?;
    let (uri, selection_range) = locations.location(recording, of, measured)?;
    let data = ItemPath {
        recording: serial,
        file: root.file.to_string(),
        path: root.path.to_string(),
        callers,
        keys,
        of_file: of.file.to_string(),
        of_path: of.path.to_string(),
    };
    Some(CallHierarchyItem {
        name: to_proto::shown(&measured.name),
        kind: SymbolKind::FUNCTION,
        tags: None,
        detail: Some(detail),
        range: locations.range(recording, of, measured).unwrap_or(selection_range),
        uri,
        selection_range,
        data: Some(json!(data)),
    })
}

/// The places in a caller's text at which a function of that name is called; `None` where there are none.
fn sites(
    locations: &DefinitionLocations,
    recording: &Recording,
    caller: &DefinitionKey,
    callee: &DefinitionKey,
) -> Option<Vec<Range>> {
    let name = &recording.summary.definitions.get(callee)?.name;
    let last = name.rsplit(['.', '#']).next().filter(|it| !it.is_empty())?;
    let found = locations.in_text(recording, caller, |text, range| {
        let code = &text[range];
        call_sites(code, last).into_iter().map(|it: TextRange| it + range.start()).collect()
    })?;
    (!found.is_empty()).then_some(found)
}

impl DefinitionLocations {
    fn call_tree(
        &self,
        recording: &Arc<Recording>,
        serial: u64,
        key: &DefinitionKey,
        direction: Direction,
        (node, at): (&CallTreeNode<'_>, Option<&Measured>),
    ) -> causes::CallTree {
        let amounts = self.session.amounts(recording);
        let measured = &recording.summary.definitions[key];
        let (ends_name, ends_about) = match direction {
            Direction::Callers => recording.entry(),
            Direction::Callees => ("(self)", "its own code"),
        };
        let ends = match direction {
            Direction::Callees => amounts.within_own(node.own, at.into_iter()),
            Direction::Callers => amounts.within(node.own, iter::once(measured)),
        };
        let item = |child: &CallTreeChild<'_>| {
            let definition = match child.end {
                CallEnd::Definition(key) => recording.summary.definitions.get(key).map(|it| (key, it)),
                CallEnd::Entry | CallEnd::Unplaced(_) => None,
            };
            let location = self.end_location(recording, child.end);
            let function = definition.map(|(key, _)| to_proto::definition(key));
            let (uri, selection_range) = location.unzip();
            causes::CallTreeItem {
                key: child.key,
                name: end_name(recording, child.end),
                description: match child.end {
                    CallEnd::Entry | CallEnd::Definition(_) => None,
                    CallEnd::Unplaced(UnplacedFunction { made_by: Some(maker), .. }) => {
                        Some(to_proto::shown(&maker.words()))
                    }
                    CallEnd::Unplaced(it) => {
                        Some(to_proto::shown(it.resource.as_deref().unwrap_or(it.reason.sentence())))
                    }
                },
                function,
                uri,
                selection_range,
                total: amounts.call(child.spent, measured, child.end),
                samples: child.spent.samples,
                share: amounts.share(child.spent.time),
            }
        };
        causes::CallTree {
            recording: serial,
            name: to_proto::shown(&measured.name),
            function: to_proto::definition(key),
            total: amounts.within(node.all, iter::once(measured).chain(at)),
            share: amounts.share(node.all.time),
            ends,
            ends_share: amounts.share(node.own.time),
            ends_name,
            ends_about,
            items: node.children.iter().map(item).collect(),
            others: (node.others.0 > 0).then(|| causes::OtherCalls {
                count: node.others.0,
                total: amounts.spent(node.others.1),
                samples: node.others.1.samples,
                share: amounts.share(node.others.1.time),
            }),
        }
    }
}
