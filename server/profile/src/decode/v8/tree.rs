//! The tree of a V8 profile: where the time of each node goes.

use rustc_hash::FxHashMap;

use super::ids::NONE;
use super::nodes::{Node, V8Profile};
use crate::builder::{GARBAGE_COLLECTOR, ProfileBuilder};
use crate::model::{OffStack, StackId};
use crate::problem::count;

/// Maps node ids to indices. If several nodes have the same id, the first counts.
pub(super) enum NodeIndex {
    Dense(Vec<u32>),
    Sparse(FxHashMap<u32, u32>),
}

impl NodeIndex {
    pub(super) fn new(nodes: &[Node]) -> Self {
        let known = || nodes.iter().enumerate().rev().filter(|(_, node)| node.id != NONE);
        let largest = known().map(|(_, node)| node.id as usize).max().unwrap_or(0);
        if largest > 4 * nodes.len() + 1024 {
            return Self::Sparse(known().map(|(index, node)| (node.id, index as u32)).collect());
        }
        let mut indices = vec![NONE; largest + 1];
        for (index, node) in known() {
            indices[node.id as usize] = index as u32;
        }
        Self::Dense(indices)
    }

    #[inline]
    pub(super) fn get(&self, id: u32) -> Option<u32> {
        match self {
            Self::Dense(indices) => indices.get(id as usize).copied().filter(|&index| index != NONE),
            Self::Sparse(indices) => indices.get(&id).copied(),
        }
    }

    /// Turns ids into indices in place, unknown ones into [`NONE`]. Returns the number of unknown ones.
    pub(super) fn to_indices(&self, ids: &mut [u32]) -> u64 {
        let mut unknown = 0;
        for id in ids {
            *id = self.get(*id).unwrap_or(NONE);
            unknown += u64::from(*id == NONE);
        }
        unknown
    }
}

/// Where the time of a node goes: a stack, or a reason for time on no stack. It is a single number, since there are millions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct NodePlace(u32);

impl NodePlace {
    /// Not computed yet.
    pub(super) const OPEN: Self = Self(u32::MAX);
    /// Not below any root.
    pub(super) const NOWHERE: Self = Self(u32::MAX - 1);
    pub(super) const ROOT: Self = Self(u32::MAX - 2);
    pub(super) const PROGRAM: Self = Self(u32::MAX - 3);
    pub(super) const IDLE: Self = Self(u32::MAX - 4);
    pub(super) const COLLECTOR: Self = Self(u32::MAX - 5);

    pub(super) fn stack(self) -> Option<StackId> {
        (self.0 < Self::COLLECTOR.0).then_some(StackId(self.0))
    }

    /// The reason for its time, if it is not a stack.
    pub(super) fn off_stack(self) -> OffStack {
        match self {
            Self::ROOT | Self::PROGRAM => OffStack::Program,
            Self::IDLE => OffStack::Idle,
            Self::COLLECTOR => OffStack::GarbageCollector,
            _ => OffStack::Unknown,
        }
    }
}

pub(super) struct NodeTree {
    /// The place of each node.
    pub(super) at: Vec<NodePlace>,
    /// The outermost node above each node, or the node itself.
    pub(super) outermost: Vec<u32>,
}

impl NodeTree {
    pub(super) fn new(profile: &V8Profile, index: &NodeIndex, builder: &mut ProfileBuilder) -> Self {
        let nodes = &profile.nodes;
        let parents = parents(profile, index, builder);
        let (mut at, root) = special_places(nodes, &parents, index, builder);
        let mut outermost: Vec<u32> = (0..nodes.len() as u32).collect();

        // Each node after the one above it. Nodes that never meet a root are in cycles and stay nowhere.
        let (mut path, mut circles) = (Vec::new(), 0);
        for start in 0..nodes.len() {
            let mut node = start;
            while at[node] == NodePlace::OPEN {
                at[node] = NodePlace::NOWHERE;
                path.push(node);
                if is_top(&parents, root, node) {
                    break;
                }
                node = parents[node] as usize;
            }
            for node in path.drain(..).rev() {
                let mut caller = None;
                if !is_top(&parents, root, node) {
                    let above = parents[node] as usize;
                    if at[above] == NodePlace::NOWHERE {
                        circles += 1;
                        continue;
                    }
                    // A node below one that is not a stack is outermost.
                    caller = at[above].stack();
                    outermost[node] = outermost[above];
                }
                at[node] = NodePlace(builder.new_stack(caller, nodes[node].function).0);
            }
        }
        if circles > 0 {
            let what = format!("{} below no root, or in a circle", count(circles, "node is", "nodes are"));
            builder.problem(what, "their time is counted as unknown");
        }
        Self { at, outermost }
    }

    #[inline]
    pub(super) fn at(&self, node: u32) -> NodePlace {
        self.at.get(node as usize).copied().unwrap_or(NodePlace::NOWHERE)
    }
}

/// Whether a node is below the root, or is a root itself.
fn is_top(parents: &[u32], root: u32, node: usize) -> bool {
    parents[node] == root || parents[node] == NONE
}

/// The places of the root and of V8's pseudo functions below it, with all others open; and the root, or [`NONE`].
fn special_places(
    nodes: &[Node],
    parents: &[u32],
    index: &NodeIndex,
    builder: &ProfileBuilder,
) -> (Vec<NodePlace>, u32) {
    let is_pseudo = |node: usize, name: &str| builder.is_pseudo(nodes[node].function, name);

    let roots = || (0..nodes.len()).filter(|&node| parents[node] == NONE && is_first(nodes, index, node));
    let mut root = roots().find(|&node| is_pseudo(node, "(root)"));
    if root.is_none() && roots().nth(1).is_none() {
        root = roots().next(); // a single root is the root, whatever its name
    }
    let mut at = vec![NodePlace::OPEN; nodes.len()];
    if let Some(root) = root {
        at[root] = NodePlace::ROOT;
    }
    let root = root.map_or(NONE, |root| root as u32);
    let tops = (0..nodes.len()).filter(|&node| is_top(parents, root, node) && is_first(nodes, index, node));
    let tops: Vec<usize> = tops.filter(|&node| at[node] != NodePlace::ROOT).collect();
    for (name, place) in [
        ("(program)", NodePlace::PROGRAM),
        ("(idle)", NodePlace::IDLE),
        (GARBAGE_COLLECTOR, NodePlace::COLLECTOR),
    ] {
        if let Some(&first) = tops.iter().find(|&&node| is_pseudo(node, name)) {
            at[first] = place;
        }
    }
    (at, root)
}

/// The index of each node's parent, or [`NONE`]. Lists of children take precedence; the first to list a child gets it.
fn parents(profile: &V8Profile, index: &NodeIndex, builder: &mut ProfileBuilder) -> Vec<u32> {
    let nodes = &profile.nodes;
    if profile.nested {
        return nodes.iter().map(|node| node.parent).collect();
    }
    let mut parents = vec![NONE; nodes.len()];
    let (mut doubles, mut twice_listed) = (0, 0);
    for (node, row) in nodes.iter().enumerate() {
        if !is_first(nodes, index, node) {
            doubles += 1;
            continue;
        }
        let end = nodes.get(node + 1).map_or(profile.children.len(), |next| next.children);
        for child in profile.children[row.children..end].iter().filter_map(|&id| index.get(id)) {
            let parent = &mut parents[child as usize];
            if *parent == NONE {
                *parent = node as u32;
            } else {
                twice_listed += 1;
            }
        }
    }
    for (node, row) in nodes.iter().enumerate() {
        if parents[node] == NONE
            && row.parent != NONE
            && let Some(parent) = index.get(row.parent)
        {
            parents[node] = parent;
        }
    }
    if doubles > 0 {
        let what = format!("{} the id of another one", count(doubles, "node has", "nodes have"));
        builder.problem(what, "the first of each id was used");
    }
    if twice_listed > 0 {
        let what = format!("{} listed by two parents", count(twice_listed, "node is", "nodes are"));
        builder.problem(what, "the first parent was used");
    }
    parents
}

fn is_first(nodes: &[Node], index: &NodeIndex, node: usize) -> bool {
    let id = nodes[node].id;
    id == NONE || index.get(id) == Some(node as u32)
}

/// The node of a sample. A lone `(program)` within the same outermost function takes the node of the previous sample.
/// This compares the samples as recorded, so two `(program)` in a row stay.
#[inline]
pub(super) fn node_of_sample(samples: &[u32], index: usize, tree: &NodeTree) -> u32 {
    let node = samples[index];
    if tree.at(node) != NodePlace::PROGRAM || index == 0 || index + 1 == samples.len() {
        return node;
    }
    let (before, after) = (samples[index - 1], samples[index + 1]);
    let are_real = [before, after].into_iter().all(|node| {
        !matches!(
            tree.at(node),
            NodePlace::PROGRAM | NodePlace::IDLE | NodePlace::COLLECTOR | NodePlace::NOWHERE
        )
    });
    if are_real && tree.outermost[before as usize] == tree.outermost[after as usize] { before } else { node }
}
