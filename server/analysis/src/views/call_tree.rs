//! Who called a function through which path, and what it called: a tree that is computed node by node, as users unfold it.

use profile::{Direction, PathNode, Weight};

use crate::Recording;
use crate::summary::{CallEnd, CallStacks, DefinitionKey};

/// A node of a call tree with its children.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallTreeNode<'a> {
    /// The time that flows through it.
    pub all: Weight,
    /// The part of it that ends there: what runs in it itself, or what nothing called.
    pub own: Weight,
    /// All time of the root: what shares are parts of.
    pub root: Weight,
    /// Its children, the hottest first.
    pub children: Vec<CallTreeChild<'a>>,
}

/// A child of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallTreeChild<'a> {
    /// What it is known by in paths, as long as the recording is the same.
    pub key: u32,
    /// What it is.
    pub end: &'a CallEnd,
    /// The time that flows through it.
    pub spent: Weight,
}

/// The node at which a path ends, from a definition by the keys of its callers or callees; `None` if the definition was not
/// measured or the path has a key that is of no function.
pub fn call_tree<'a>(
    recording: &'a Recording,
    definition: &DefinitionKey,
    direction: Direction,
    path: &[u32],
) -> Option<CallTreeNode<'a>> {
    node_with(recording, definition, path, |stacks, root| stacks.node(root, direction, path))
}

/// The same of the tree that has definitions only, for editors that can show nothing else: a comparator is called by whoever called
/// `sort`.
pub fn call_hierarchy<'a>(
    recording: &'a Recording,
    definition: &DefinitionKey,
    direction: Direction,
    path: &[u32],
) -> Option<CallTreeNode<'a>> {
    node_with(recording, definition, path, |stacks, root| stacks.node_of_definitions(root, direction, path))
}

fn node_with<'a>(
    recording: &'a Recording,
    definition: &DefinitionKey,
    path: &[u32],
    node: impl FnOnce(&CallStacks, u32) -> PathNode,
) -> Option<CallTreeNode<'a>> {
    let measured = recording.summary.definitions.get(definition)?;
    let stacks = &recording.call_stacks;
    let root = stacks.key(definition)?;
    path.iter().try_for_each(|&it| stacks.end(it).map(|_| ()))?;
    let node = node(stacks, root);
    let child = |(key, spent)| Some(CallTreeChild { key, end: stacks.end(key)?, spent });
    Some(CallTreeNode {
        all: node.all,
        own: node.own,
        root: Weight { time: measured.cost.total_time, samples: measured.cost.total_samples },
        children: node.children.into_iter().filter_map(child).collect(),
    })
}
