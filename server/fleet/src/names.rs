//! What the rows of sessions refer to: functions, the nodes of their stacks, and the definitions that they are.

use std::collections::hash_map::Entry;

use profile::model::{FunctionKind, Profile};
use rustc_hash::FxHashMap;

use crate::ids::{self, Collision, Id};

/// A row of `nodes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeRow {
    /// Its id.
    pub node: Id,
    /// The node of its caller, or [`ids::NONE`].
    pub parent: Id,
    /// The function that runs there.
    pub function: Id,
}

/// A row of `functions`: what the trace says about a function.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FunctionRow {
    /// Its id.
    pub function: Id,
    /// The URL of its script, as far as it is kept.
    pub resource: Option<String>,
    /// Its name, as far as it is kept; may be empty.
    pub name: String,
    /// The line on which it is defined, from 0; -1 if unknown.
    pub line: i64,
    /// The column, from 0, in UTF-16 code units; -1 if unknown.
    pub column: i64,
    /// 0 for a script, 1 for native code, 2 for the garbage collector.
    pub kind: i64,
}

/// A row of `symbols`: which definition a function is, or why it has none.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SymbolRow {
    /// The function.
    pub function: Id,
    /// The definition, or [`ids::NONE`].
    pub definition: Id,
    /// The file of the definition, below the workspace.
    pub file: Option<String>,
    /// Its path in the outline of the file.
    pub path: Option<String>,
    /// Its name for people.
    pub name: Option<String>,
    /// The line of its name in the text of the release, from 0; -1 if there is none.
    pub line: i64,
    /// The column, from 0, in UTF-16 code units; -1 if there is none.
    pub column: i64,
    /// Why there is no definition, by [`analysis::locate::UnplacedReason::name`].
    pub reason: Option<String>,
    /// The hash of the source map that led there, or [`ids::NONE`].
    pub map: Id,
    /// The hash of the text in which the definition is, or [`ids::NONE`].
    pub text: Id,
}

/// The functions and nodes of a shard, each once.
#[derive(Debug, Default)]
pub struct Names {
    functions: FxHashMap<Id, FunctionRow>,
    nodes: FxHashMap<Id, NodeRow>,
    /// The bytes of all texts.
    bytes: usize,
}

/// How many bytes of a name or an address are kept: pages choose them, and each function has its own. The id covers all of it.
const MAX_KEPT: usize = 1000;

fn kept(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_KEPT)]
}

impl Names {
    /// Adds the functions and stacks of a profile; returns the node of each of its stacks.
    ///
    /// # Errors
    /// If something else has the same id.
    pub fn add(&mut self, release: &str, profile: &Profile) -> Result<Vec<Id>, Collision> {
        let mut functions = Vec::with_capacity(profile.functions.len());
        for function in &profile.functions {
            let resource = function.resource.map(|id| profile.strings.get(profile.resources[id.0 as usize]));
            let name = profile.strings.get(function.name);
            let line = function.defined_at.map_or(-1, |position| i64::from(position.line));
            let column = function.defined_at.and_then(|position| position.column).map_or(-1, i64::from);
            let kind = kind_number(function.kind);
            let id = ids::function(release, resource, name, (line, column), kind);
            let (resource, name) = (resource.map(kept), kept(name));
            match self.functions.entry(id) {
                Entry::Occupied(entry) => {
                    let known = entry.get();
                    let is_same = known.resource.as_deref() == resource
                        && known.name == name
                        && (known.line, known.column, known.kind) == (line, column, kind);
                    if !is_same {
                        return Err(Collision { what: "functions", id });
                    }
                }
                Entry::Vacant(free) => {
                    self.bytes += name.len() + resource.map_or(0, str::len);
                    let (resource, name) = (resource.map(str::to_owned), name.to_owned());
                    free.insert(FunctionRow { function: id, resource, name, line, column, kind });
                }
            }
            functions.push(id);
        }
        let mut nodes: Vec<Id> = Vec::with_capacity(profile.stacks.function.len());
        for (function, caller) in profile.stacks.function.iter().zip(profile.stacks.callers()) {
            let parent = caller.map_or(ids::NONE, |caller| nodes[caller.0 as usize]);
            let function = functions[function.0 as usize];
            let node = ids::node(parent, function);
            let row = NodeRow { node, parent, function };
            if *self.nodes.entry(node).or_insert(row) != row {
                return Err(Collision { what: "stacks", id: node });
            }
            nodes.push(node);
        }
        Ok(nodes)
    }

    /// The number of nodes.
    pub fn nodes_len(&self) -> usize {
        self.nodes.len()
    }

    /// The bytes of all names and addresses.
    pub fn texts_len(&self) -> usize {
        self.bytes
    }

    /// All functions, sorted.
    pub fn functions(&self) -> Vec<&FunctionRow> {
        let mut all: Vec<_> = self.functions.values().collect();
        all.sort_unstable();
        all
    }

    /// All nodes, sorted by parent, so that equal parents are next to each other.
    pub fn nodes(&self) -> Vec<NodeRow> {
        in_order(&self.nodes)
    }
}

/// Nodes in the order in which they are written: sorted by parent, so that equal parents are next to each other.
pub fn in_order(nodes: &FxHashMap<Id, NodeRow>) -> Vec<NodeRow> {
    let mut rows: Vec<NodeRow> = nodes.values().copied().collect();
    rows.sort_unstable_by_key(|row| (row.parent, row.node));
    rows
}

fn kind_number(kind: FunctionKind) -> i64 {
    match kind {
        FunctionKind::Script => 0,
        FunctionKind::Native => 1,
        FunctionKind::GarbageCollector => 2,
    }
}
