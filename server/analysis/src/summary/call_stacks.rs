//! The stacks of a recording, by what their functions stand for. The call trees that users unfold are computed from them.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use profile::model::Profile;
use profile::scope::{Direction, PASSED_OVER, PathNode, Selection, path_node};
use profile::tally::{Cost, Groups, group_costs};
use rustc_hash::FxHashMap;

use super::keys::Keys;
use super::model::{CallEnd, DefinitionKey};
use super::traced::TracedSamples;
use crate::files::FilePath;

/// The stacks of one or more traces.
#[derive(Clone, Debug, Default)]
pub struct CallStacks {
    /// What the keys of the traces stand for.
    ends: Vec<Arc<CallEnd>>,
    traces: Vec<TracedStacks>,
    /// The cost of each group, by [`GroupBy`]; computed on demand.
    groups: OnceLock<[Vec<(FilePath, Cost)>; 2]>,
}

/// What is added up into one row of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupBy {
    /// The definitions of a file.
    File,
    /// The definitions of the files of a folder, without its subfolders.
    Folder,
}

impl GroupBy {
    fn of(self, end: &CallEnd) -> Option<FilePath> {
        let file = &end.definition()?.file;
        let folder = file.parent().filter(|_| self == Self::Folder);
        Some(folder.unwrap_or_else(|| file.clone()))
    }
}

/// What the nodes of a call tree are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeOf {
    /// Everything that ran.
    All,
    /// Only definitions, for editors that can show nothing else: the caller of a comparator is whoever called `sort`.
    Definitions,
}

#[derive(Clone, Debug)]
struct TracedStacks {
    /// The trace.
    name: Arc<str>,
    samples: Arc<TracedSamples>,
    /// The part that is looked at, if it is not all of some threads, or has other stacks.
    part: Option<Arc<Selection<'static>>>,
    /// An index into `ends` for each function.
    key_of: Arc<Vec<u32>>,
}

impl TracedStacks {
    fn ask<T>(&self, ask: impl FnOnce(&Selection<'_>, &[u32]) -> T) -> T {
        match &self.part {
            Some(part) => ask(part, &self.key_of),
            None => ask(&Selection::of(&self.samples.profile, &self.samples.threads), &self.key_of),
        }
    }
}

/// The files or folders of what ran, each with a number; 0 stands for none.
struct NumberedGroups {
    files: BTreeMap<FilePath, u32>,
    of_key: Vec<u32>,
}

impl NumberedGroups {
    fn of(ends: &[Arc<CallEnd>], by: GroupBy) -> Self {
        let mut files = BTreeMap::new();
        let of_key = ends.iter().map(|end| {
            let next = files.len() as u32 + 1;
            by.of(end).map_or(0, |it| *files.entry(it).or_insert(next))
        });
        let of_key = of_key.collect();
        Self { files, of_key }
    }

    fn of_functions(&self, key_of: &[u32]) -> Groups {
        let of_function = key_of.iter().map(|&it| self.of_key[it as usize]).collect();
        Groups { of_function, number: self.files.len() as u32 + 1 }
    }
}

impl CallStacks {
    /// The stacks of these samples. If they are not all of some threads, or have other stacks, `part` is what they add up to.
    pub(crate) fn of(
        name: &str,
        samples: Arc<TracedSamples>,
        part: Option<Selection<'static>>,
        keys: Keys,
    ) -> Self {
        let (name, part) = (name.into(), part.map(Arc::new));
        let traced = TracedStacks { name, samples, part, key_of: keys.of_function };
        Self { ends: keys.ends, traces: vec![traced], ..Self::default() }
    }

    /// What a key stands for.
    pub fn end(&self, key: u32) -> Option<&CallEnd> {
        self.ends.get(key as usize).map(|it| &**it)
    }

    /// Calls `ask` for each trace with its name, its threads with their samples in order, and the key of what each function stands for.
    pub fn each_in_order(&self, mut ask: impl FnMut((&str, &Profile), &Selection<'_>, &[u32])) {
        self.traces
            .iter()
            .for_each(|it| ask((&it.name, &it.samples.profile), &it.samples.in_order(), &it.key_of));
    }

    /// The key of a definition; `None` if it was not measured.
    pub fn key(&self, definition: &DefinitionKey) -> Option<u32> {
        let found = self.ends.iter().position(|it| it.definition() == Some(definition));
        found.map(|it| it as u32)
    }

    /// The node of a call tree at which a path of keys ends, summed over all traces; see [`path_node`].
    pub fn node(&self, of: TreeOf, root: u32, direction: Direction, path: &[u32]) -> PathNode {
        let is_node = |end: &Arc<CallEnd>| of == TreeOf::All || end.definition().is_some();
        let is_node: Vec<bool> = self.ends.iter().map(is_node).collect();
        let mut sum = PathNode::default();
        for traced in &self.traces {
            let key_of = traced.key_of.iter().map(|&it| if is_node[it as usize] { it } else { PASSED_OVER });
            let key_of: Vec<u32> = key_of.collect();
            sum += traced.ask(|selection, _| path_node(selection, &key_of, root, direction, path));
        }
        sum
    }

    /// What all files or folders cost, by path. The total of a group is the time during which any of it was on the stack.
    /// Computed once, on first use.
    pub fn groups(&self, by: GroupBy) -> &[(FilePath, Cost)] {
        &self.groups.get_or_init(|| self.add_up_groups())[by as usize]
    }

    fn add_up_groups(&self) -> [Vec<(FilePath, Cost)>; 2] {
        let ways = [GroupBy::File, GroupBy::Folder].map(|by| NumberedGroups::of(&self.ends, by));
        let mut costs = ways.each_ref().map(|it| vec![Cost::default(); it.files.len() + 1]);
        for traced in &self.traces {
            let of_trace = traced.ask(|selection, key_of| {
                group_costs(selection, &ways.each_ref().map(|it| it.of_functions(key_of)))
            });
            for (sums, of_trace) in costs.iter_mut().zip(of_trace) {
                sums.iter_mut().zip(of_trace).for_each(|(sum, it)| *sum += it);
            }
        }
        let mut costs = costs.into_iter();
        ways.map(|it| {
            let costs = costs.next().unwrap_or_default();
            let of_groups = it.files.into_iter().map(|(file, number)| (file, costs[number as usize]));
            of_groups.filter(|it| it.1 != Cost::default()).collect()
        })
    }

    /// Adds the stacks of other traces.
    pub(crate) fn add(&mut self, other: Self) {
        self.groups = OnceLock::new();
        let mut known: FxHashMap<Arc<CallEnd>, u32> = self.ends.iter().cloned().zip(0..).collect();
        let keys = other.ends.iter().map(|end| {
            *known.entry(Arc::clone(end)).or_insert_with(|| {
                self.ends.push(Arc::clone(end));
                self.ends.len() as u32 - 1
            })
        });
        let keys: Vec<u32> = keys.collect();
        for mut traced in other.traces {
            traced.key_of = Arc::new(traced.key_of.iter().map(|&it| keys[it as usize]).collect());
            self.traces.push(traced);
        }
    }
}
