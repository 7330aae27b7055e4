//! The stacks of a recording by what their functions stand for: from them the call trees are computed that somebody unfolds.

use std::collections::BTreeMap;
use std::sync::Arc;

use profile::{Cost, Direction, PASSED, PathNode, Profile, Selection, Threads, path_node};
use rustc_hash::FxHashMap;

use super::keys::Keys;
use super::model::{CallEnd, DefinitionKey};

/// The stacks of one or more traces.
#[derive(Clone, Debug, Default)]
pub struct CallStacks {
    /// What the keys of the traces stand for.
    ends: Vec<Arc<CallEnd>>,
    traces: Vec<TracedStacks>,
}

#[derive(Clone, Debug)]
struct TracedStacks {
    profile: Arc<Profile>,
    threads: Threads,
    /// What is looked at, if it is less than all of some threads, or has other stacks.
    part: Option<Arc<Selection<'static>>>,
    /// By function: an index into `ends`.
    key_of: Vec<u32>,
}

impl TracedStacks {
    fn ask<T>(&self, ask: impl FnOnce(&Selection<'_>, &[u32]) -> T) -> T {
        match &self.part {
            Some(part) => ask(part, &self.key_of),
            None => ask(&Selection::of(&self.profile, &self.threads), &self.key_of),
        }
    }
}

impl CallStacks {
    /// Those of some threads, or of a part of them.
    pub(crate) fn of(
        profile: &Arc<Profile>,
        threads: &Threads,
        part: Option<Selection<'static>>,
        keys: Keys,
    ) -> Self {
        let (profile, threads, part) = (Arc::clone(profile), threads.clone(), part.map(Arc::new));
        let traced = TracedStacks { profile, threads, part, key_of: keys.of_function };
        Self { ends: keys.ends, traces: vec![traced] }
    }

    /// What a key stands for.
    pub fn end(&self, key: u32) -> Option<&CallEnd> {
        self.ends.get(key as usize).map(|it| &**it)
    }

    /// The key of a definition; `None` if it was not measured.
    pub fn key(&self, definition: &DefinitionKey) -> Option<u32> {
        let is_meant = |it: &Arc<CallEnd>| matches!(&**it, CallEnd::Definition(key) if key == definition);
        self.ends.iter().position(is_meant).map(|it| it as u32)
    }

    /// The node of a call tree at which a path of keys ends, see [`path_node`].
    pub fn node(&self, root: u32, direction: Direction, path: &[u32]) -> PathNode {
        self.sum(|selection, key_of| path_node(selection, key_of, root, direction, path))
    }

    /// The same of a tree that has definitions only: what is none is passed over.
    pub fn node_of_definitions(&self, root: u32, direction: Direction, path: &[u32]) -> PathNode {
        let is_definition: Vec<bool> =
            self.ends.iter().map(|it| matches!(**it, CallEnd::Definition(_))).collect();
        let key = |&it: &u32| if is_definition[it as usize] { it } else { PASSED };
        self.sum(|selection, key_of| {
            let key_of: Vec<u32> = key_of.iter().map(key).collect();
            path_node(selection, &key_of, root, direction, path)
        })
    }

    /// The sum of a node over all traces.
    fn sum(&self, node: impl Fn(&Selection<'_>, &[u32]) -> PathNode) -> PathNode {
        let nodes = self.traces.iter().map(|it| it.ask(&node));
        let sum = |mut sum: PathNode, node: PathNode| {
            sum += node;
            sum
        };
        nodes.reduce(sum).unwrap_or_default()
    }

    /// What groups of functions cost: a group counts once a stack, as a function does.
    pub fn costs_by<G: Ord>(&self, group_of: impl Fn(&CallEnd) -> Option<G>) -> BTreeMap<G, Cost> {
        // Key 0 is that of no group.
        let mut groups: BTreeMap<G, u32> = BTreeMap::new();
        let group = |end: &Arc<CallEnd>| {
            let next = groups.len() as u32 + 1;
            group_of(end).map_or(0, |it| *groups.entry(it).or_insert(next))
        };
        let group_of_key: Vec<u32> = self.ends.iter().map(group).collect();
        let mut costs = vec![Cost::default(); groups.len() + 1];
        for traced in &self.traces {
            let tally = traced.ask(|selection, key_of| {
                let key_of: Vec<u32> = key_of.iter().map(|&it| group_of_key[it as usize]).collect();
                profile::tally(selection, &key_of, costs.len() as u32)
            });
            costs.iter_mut().zip(tally.costs).for_each(|(sum, it)| *sum += it);
        }
        groups.into_iter().map(|(group, key)| (group, costs[key as usize])).collect()
    }

    /// Adds the stacks of other traces.
    pub(crate) fn add(&mut self, other: Self) {
        let mut known: FxHashMap<Arc<CallEnd>, u32> = self.ends.iter().cloned().zip(0..).collect();
        let key = |end: &Arc<CallEnd>| {
            *known.entry(Arc::clone(end)).or_insert_with(|| {
                self.ends.push(Arc::clone(end));
                self.ends.len() as u32 - 1
            })
        };
        let keys: Vec<u32> = other.ends.iter().map(key).collect();
        for mut traced in other.traces {
            traced.key_of.iter_mut().for_each(|it| *it = keys[*it as usize]);
            self.traces.push(traced);
        }
    }
}
