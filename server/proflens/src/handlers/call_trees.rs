//! Callers and callees as trees: the requests of our own clients, and the call hierarchy of the protocol. Both are computed node
//! by node, and name the same node by the function at the root and the keys of the path from there.

use std::iter;

use analysis::files::FilePath;
use analysis::recording::Recording;
use analysis::summary::{CallEnd, DefinitionKey, Measured, UnplacedFunction};
use analysis::views::{CallTreeChild, CallTreeNode, TreeOf, call_tree};
use profile::scope::Direction;
use serde::{Deserialize, Serialize};
use serde_json::json;
use source::call_sites::call_sites;
use text_size::TextRange;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{
    CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, CallHierarchyItem,
    CallHierarchyOutgoingCall, CallHierarchyOutgoingCallsParams, CallHierarchyPrepareParams, Range,
    SymbolKind,
};

use super::compute;
use super::locations::{DefinitionLocations, end_name};
use crate::proto::amounts::samples;
use crate::proto::{causes, ext, to_proto};
use crate::state::{ShownTrace, State};

/// The most callers or callees that become items of a call hierarchy: an editor draws them all at once.
const MAX_ITEMS: usize = 200;

/// A node of a call tree, for our own clients.
pub(crate) async fn node(state: &State, params: causes::CallTreeParams) -> Result<Option<causes::CallTree>> {
    let locations = DefinitionLocations::of(state);
    compute(state, move || {
        let Some(shown) = locations.current.shown.as_ref() else { return Ok(None) };
        if params.recording.is_some_and(|serial| serial != shown.serial) {
            return Err(Error::content_modified());
        }
        let Some(key) = locations.definition(params.function) else { return Ok(None) };
        let root = TreeRoot { shown, key: &key, direction: params.direction.into() };
        let summary = &shown.recording.summary;
        let ends_at = match params.path.last().and_then(|&key| shown.recording.call_stacks.end(key)) {
            Some(end) => summary.measured(end),
            None => summary.definitions.get(&key),
        };
        let node = call_tree(&shown.recording, TreeOf::All, &key, root.direction, &params.path);
        Ok(node.map(|node| locations.call_tree(&root, &node, ends_at)))
    })
    .await?
}

/// The root of a call tree.
struct TreeRoot<'a> {
    shown: &'a ShownTrace,
    key: &'a DefinitionKey,
    direction: Direction,
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
    /// The function of the item itself.
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
        let shown = locations.current.shown.as_ref()?;
        let key = locations.definition(about)?;
        let measured = shown.recording.summary.definitions.get(&key)?;
        let [_, total] = locations.current.amounts(&shown.recording).costs(measured);
        let root = NodePath { root: &key, callers: true, keys: Vec::new() };
        Some(vec![hierarchy_item(&locations, shown, root, &key, total.in_full())?])
    })
    .await
}

pub(crate) async fn incoming(
    state: &State,
    params: CallHierarchyIncomingCallsParams,
) -> Result<Option<Vec<CallHierarchyIncomingCall>>> {
    let calls = calls(state, params.item, Direction::Callers).await?;
    Ok(calls.map(|calls| calls.into_iter().map(CallHierarchyIncomingCall::from).collect()))
}

pub(crate) async fn outgoing(
    state: &State,
    params: CallHierarchyOutgoingCallsParams,
) -> Result<Option<Vec<CallHierarchyOutgoingCall>>> {
    let calls = calls(state, params.item, Direction::Callees).await?;
    Ok(calls.map(|calls| calls.into_iter().map(CallHierarchyOutgoingCall::from).collect()))
}

/// A caller or callee, and the ranges in the caller's text at which it calls.
struct HierarchyCall {
    item: CallHierarchyItem,
    sites: Vec<Range>,
}

impl From<HierarchyCall> for CallHierarchyIncomingCall {
    fn from(HierarchyCall { item, sites }: HierarchyCall) -> Self {
        Self { from: item, from_ranges: sites }
    }
}

impl From<HierarchyCall> for CallHierarchyOutgoingCall {
    fn from(HierarchyCall { item, sites }: HierarchyCall) -> Self {
        Self { to: item, from_ranges: sites }
    }
}

async fn calls(
    state: &State,
    item: CallHierarchyItem,
    direction: Direction,
) -> Result<Option<Vec<HierarchyCall>>> {
    let asked: Option<ItemPath> = item.data.and_then(|data| serde_json::from_value(data).ok());
    let locations = DefinitionLocations::of(state);
    compute(state, move || {
        let Some((asked, shown)) = asked.zip(locations.current.shown.as_ref()) else { return Ok(None) };
        if asked.recording != shown.serial {
            return Err(Error::content_modified());
        }
        let item = key(&asked.of_file, &asked.of_path);
        // Going from callers to their callers stays in the same tree; going to callees begins another one.
        let goes_on = asked.callers == (direction == Direction::Callers);
        let (root, keys) =
            if goes_on { (key(&asked.file, &asked.path), asked.keys) } else { (item.clone(), Vec::new()) };
        let recording = &shown.recording;
        let node = call_tree(recording, TreeOf::Definitions, &root, direction, &keys);
        let Some(node) = node else { return Ok(None) };
        let measured = &recording.summary.definitions[&root];
        let amounts = locations.current.amounts(recording);
        let mut calls = Vec::new();
        for CallTreeChild { key, end, spent } in node.children.into_iter().take(MAX_ITEMS) {
            let CallEnd::Definition(other) = end else { continue };
            let callers = direction == Direction::Callers;
            let path = NodePath { root: &root, callers, keys: [&keys[..], &[key]].concat() };
            let detail = amounts.call(spent, measured, end).in_full();
            let Some(found) = hierarchy_item(&locations, shown, path, other, detail) else { continue };
            let (caller, callee) = if callers { (other, &item) } else { (&item, other) };
            let sites =
                sites(&locations, recording, caller, callee).unwrap_or_else(|| vec![found.selection_range]);
            calls.push(HierarchyCall { item: found, sites });
        }
        Ok(Some(calls))
    })
    .await?
}

fn key(file: &str, path: &str) -> DefinitionKey {
    DefinitionKey { file: FilePath::new(file), path: path.into() }
}

/// The way from the root of a tree to a node.
struct NodePath<'a> {
    root: &'a DefinitionKey,
    /// Whether it leads to callers.
    callers: bool,
    keys: Vec<u32>,
}

fn hierarchy_item(
    locations: &DefinitionLocations,
    shown: &ShownTrace,
    path: NodePath<'_>,
    function: &DefinitionKey,
    detail: String,
) -> Option<CallHierarchyItem> {
    let recording = &shown.recording;
    let measured = recording.summary.definitions.get(function)?;
    let (uri, selection_range) = locations.location(recording, function, measured)?;
    let data = ItemPath {
        recording: shown.serial,
        file: path.root.file.to_string(),
        path: path.root.path.to_string(),
        callers: path.callers,
        keys: path.keys,
        of_file: function.file.to_string(),
        of_path: function.path.to_string(),
    };
    Some(CallHierarchyItem {
        name: to_proto::shown(&measured.name),
        kind: SymbolKind::FUNCTION,
        tags: None,
        detail: Some(detail),
        range: locations.range(recording, function, measured).unwrap_or(selection_range),
        uri,
        selection_range,
        data: Some(json!(data)),
    })
}

/// The places in a caller's text at which a function with that name is called; `None` if there are none.
fn sites(
    locations: &DefinitionLocations,
    recording: &Recording,
    caller: &DefinitionKey,
    callee: &DefinitionKey,
) -> Option<Vec<Range>> {
    let name = &recording.summary.definitions.get(callee)?.name;
    let last = name.rsplit(['.', '#']).next().filter(|last| !last.is_empty())?;
    let found = locations.in_text(recording, caller, |text, range| {
        let sites: Vec<TextRange> = call_sites(&text[range], last);
        sites.into_iter().map(|site| site + range.start()).collect()
    })?;
    (!found.is_empty()).then_some(found)
}

impl DefinitionLocations {
    fn call_tree(
        &self,
        root: &TreeRoot<'_>,
        node: &CallTreeNode<'_>,
        ends_at: Option<&Measured>,
    ) -> causes::CallTree {
        let recording = &root.shown.recording;
        let amounts = self.current.amounts(recording);
        let measured = &recording.summary.definitions[root.key];
        let (ends_name, ends_about) = match root.direction {
            Direction::Callers => recording.entry(),
            Direction::Callees => ("(self)", "its own code"),
        };
        let ends = match root.direction {
            Direction::Callees => amounts.within_own(node.own, ends_at.into_iter()),
            Direction::Callers => amounts.within(node.own, iter::once(measured)),
        };
        let items = node.children.iter().map(|child| self.call_tree_item(recording, measured, child));
        causes::CallTree {
            recording: root.shown.serial,
            name: to_proto::shown(&measured.name),
            function: to_proto::definition(root.key),
            total: amounts.within(node.all, iter::once(measured).chain(ends_at)),
            share: amounts.share(node.all.time),
            ends,
            ends_share: amounts.share(node.own.time),
            ends_name,
            ends_about,
            items: items.collect(),
            others: (node.others.0 > 0).then(|| causes::OtherCalls {
                count: node.others.0,
                total: amounts.spent(node.others.1),
                samples: samples(node.others.1.samples),
                share: amounts.share(node.others.1.time),
            }),
        }
    }

    fn call_tree_item(
        &self,
        recording: &Recording,
        root: &Measured,
        child: &CallTreeChild<'_>,
    ) -> causes::CallTreeItem {
        let amounts = self.current.amounts(recording);
        let (uri, selection_range) = self.end_location(recording, child.end).unzip();
        let function = match child.end {
            CallEnd::Definition(key) if recording.summary.definitions.contains_key(key) => {
                Some(to_proto::definition(key))
            }
            CallEnd::Definition(_) | CallEnd::Entry | CallEnd::Unplaced(_) => None,
        };
        let description = match child.end {
            CallEnd::Entry | CallEnd::Definition(_) => None,
            CallEnd::Unplaced(UnplacedFunction { made_by: Some(maker), .. }) => Some(maker.words()),
            CallEnd::Unplaced(UnplacedFunction { resource: Some(script), .. }) => Some(script.to_string()),
            CallEnd::Unplaced(UnplacedFunction { reason, .. }) => Some(reason.sentence().to_owned()),
        };
        causes::CallTreeItem {
            key: child.key,
            name: end_name(recording, child.end),
            description: description.map(|text| to_proto::shown(&text)),
            function,
            uri,
            selection_range,
            total: amounts.call(child.spent, root, child.end),
            samples: samples(child.spent.samples),
            share: amounts.share(child.spent.time),
        }
    }
}
