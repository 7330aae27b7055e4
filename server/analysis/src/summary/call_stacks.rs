//! The stacks of a recording by what their functions stand for: from them the call trees are computed that somebody unfolds.

use std::sync::Arc;

use profile::{Direction, PathNode, Profile, Selection, Threads, path_node};
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
    /// By function: an index into `ends`.
    key_of: Vec<u32>,
}

impl CallStacks {
    pub(crate) fn of(profile: &Arc<Profile>, threads: &Threads, keys: Keys) -> Self {
        let traced =
            TracedStacks { profile: Arc::clone(profile), threads: threads.clone(), key_of: keys.of_function };
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
        let nodes = self.traces.iter().map(|it| {
            let selection = Selection::of(&it.profile, &it.threads);
            path_node(&selection, &it.key_of, root, direction, path)
        });
        let sum = |mut sum: PathNode, node: PathNode| {
            sum += node;
            sum
        };
        nodes.reduce(sum).unwrap_or_default()
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
