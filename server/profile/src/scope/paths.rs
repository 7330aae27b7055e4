//! Finds the paths through which time flows into a function or out of it. One node of a call tree is computed at a time,
//! in one pass over the stacks, so a tree is only computed where somebody unfolds it.
//!
//! Four samples of 1 ms:
//!
//! ```text
//! samples             callers of b           callees of a
//! a                   b        3             a        4, of which 1 is its own
//! a;b                   a      3               b      3, of which 2 are its own
//! a;b;c                   -    2                 c    1
//! x;a;b                   x    1
//! ```
//!
//! Callers are counted at the outermost occurrence of a function on a stack, callees at the innermost. So each sample
//! counts once, the first level equals that of [`crate::tally::Tally`], and the children of a node plus what ends in it
//! add up to it. A function that calls itself is one node.

use rustc_hash::FxHashMap;

use crate::model::{StackId, Stacks, Weight};
use crate::scope::selection::Selection;

/// The end of the stacks that a tree starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From a function to its callers: bottom-up.
    Callers,
    /// From a function to its callees: top-down.
    Callees,
}

/// A node of a call tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathNode {
    /// The time that flows through it.
    pub all: Weight,
    /// The part of it that ends there: for callees, the time in which the function itself ran; for callers, the time in
    /// which nothing called it.
    pub own: Weight,
    /// Its children and their time, hottest first.
    pub children: Vec<(u32, Weight)>,
}

/// Stands for no stack, key or group.
const NONE: u32 = u32::MAX;
/// Stands for a caller's key: nothing called it, or the path is a different one.
const NO_CALLER: u32 = u32::MAX - 2;
const ELSEWHERE: u32 = u32::MAX - 3;
/// The key of functions that trees skip: their callees count as called by their callers, and their own time belongs to their callers.
pub const PASSED_OVER: u32 = u32::MAX - 1;

/// The node of a call tree at which a path ends. The path leads from `root` through the keys of `path`, each a caller or
/// a callee of the previous one. `key_of` holds each function's key, or [`PASSED_OVER`].
pub fn path_node(
    selection: &Selection<'_>,
    key_of: &[u32],
    root: u32,
    direction: Direction,
    path: &[u32],
) -> PathNode {
    let keys = StackKeys { stacks: &selection.stacks, key_of };
    let mut node = match direction {
        Direction::Callers => callers(selection, &keys, root, path),
        Direction::Callees => callees(selection, &keys, root, path),
    };
    node.sort();
    node
}

impl std::ops::AddAssign for PathNode {
    /// Adds the same node of other samples.
    fn add_assign(&mut self, other: Self) {
        self.all += other.all;
        self.own += other.own;
        let mut children: FxHashMap<u32, Weight> = self.children.drain(..).collect();
        for (key, weight) in other.children {
            *children.entry(key).or_default() += weight;
        }
        self.children = children.into_iter().collect();
        self.sort();
    }
}

impl PathNode {
    fn sort(&mut self) {
        self.children.sort_unstable_by(|a, b| b.1.time.cmp(&a.1.time).then(a.0.cmp(&b.0)));
    }
}

/// Stacks with the keys of their functions.
pub(crate) struct StackKeys<'a> {
    pub(crate) stacks: &'a Stacks,
    pub(crate) key_of: &'a [u32],
}

impl StackKeys<'_> {
    fn key(&self, stack: usize) -> u32 {
        self.key_of[self.stacks.function[stack].0 as usize]
    }

    /// An upper bound of all keys, exclusive.
    fn number(&self) -> usize {
        let keys = self.key_of.iter().filter(|it| **it != PASSED_OVER);
        keys.max().map_or(0, |it| *it as usize + 1)
    }

    /// The nearest stack below that has another key on top.
    fn caller(&self, stack: StackId) -> Option<StackId> {
        let key = self.key(stack.0 as usize);
        let mut at = self.stacks.caller(stack);
        while let Some(caller) = at
            && [key, PASSED_OVER].contains(&self.key(caller.0 as usize))
        {
            at = self.stacks.caller(caller);
        }
        at
    }

    /// For each stack, the one at which the root is outermost, or [`NONE`].
    fn outermost(&self, root: u32) -> Vec<u32> {
        let mut outermost: Vec<u32> = Vec::with_capacity(self.stacks.function.len());
        for (stack, caller) in self.stacks.callers().enumerate() {
            let below = caller.map_or(NONE, |it| outermost[it.0 as usize]);
            let is_root = below == NONE && self.key(stack) == root;
            outermost.push(if is_root { stack as u32 } else { below });
        }
        outermost
    }

    /// The stack that ends with the last caller of a path, starting from a stack that ends with the root.
    fn caller_at(&self, root: StackId, path: &[u32]) -> Option<StackId> {
        let mut at = Some(root);
        for &key in path {
            at = at.and_then(|it| self.caller(it)).filter(|it| self.key(it.0 as usize) == key);
        }
        at
    }

    /// For each stack, the key of the caller of the last function of a path, starting where the root is outermost. [`NO_CALLER`]
    /// if nothing called it, [`ELSEWHERE`] if the stack has other callers, and [`NONE`] if the root is not on it.
    fn callers_behind(&self, root: u32, path: &[u32]) -> Vec<u32> {
        let mut callers: Vec<u32> = Vec::with_capacity(self.stacks.function.len());
        for (stack, caller) in self.stacks.callers().enumerate() {
            let below = caller.map_or(NONE, |it| callers[it.0 as usize]);
            let is_outermost = below == NONE && self.key(stack) == root;
            callers.push(if is_outermost { self.caller_behind(StackId(stack as u32), path) } else { below });
        }
        callers
    }

    fn caller_behind(&self, root: StackId, path: &[u32]) -> u32 {
        match self.caller_at(root, path).map(|last| self.caller(last)) {
            Some(Some(caller)) => self.key(caller.0 as usize),
            Some(None) => NO_CALLER,
            None => ELSEWHERE,
        }
    }

    /// For each stack, how much of the path it has after the innermost root. If it has all of it and continues in a
    /// child, the number that `child` returns for that, from 1, is added. [`NONE`] for other stacks.
    fn behind(&self, root: u32, path: &[u32], mut child: impl FnMut(u32) -> u32) -> Vec<u32> {
        let end = path.len() as u32;
        // For each stack, its key, or the key of the last one below it that is not skipped.
        let mut last: Vec<u32> = Vec::with_capacity(self.stacks.function.len());
        let mut place: Vec<u32> = Vec::with_capacity(self.stacks.function.len());
        for (stack, caller) in self.stacks.callers().enumerate() {
            let key = self.key(stack);
            let [key_below, below] =
                caller.map_or([NONE; 2], |it| [&last, &place].map(|of| of[it.0 as usize]));
            place.push(match below {
                _ if key == root => 0,
                NONE => NONE,
                below if below > end || key == PASSED_OVER || key == key_below => below,
                below if below < end => {
                    if path[below as usize] == key {
                        below + 1
                    } else {
                        NONE
                    }
                }
                _ => end + child(key),
            });
            last.push(if key == PASSED_OVER { key_below } else { key });
        }
        place
    }

    /// For each stack that flows through a node in a tree of callers, the stack that ends with the last caller of the node's path.
    pub(crate) fn ends_at(&self, root: u32, path: &[u32]) -> Vec<Option<StackId>> {
        let mut of_root: FxHashMap<u32, Option<StackId>> = FxHashMap::default();
        let mut end = |it: u32| *of_root.entry(it).or_insert_with(|| self.caller_at(StackId(it), path));
        self.outermost(root).into_iter().map(|it| if it == NONE { None } else { end(it) }).collect()
    }

    /// Whether each stack flows through a node in a tree of callees.
    pub(crate) fn flows_through(&self, root: u32, path: &[u32]) -> Vec<bool> {
        let end = path.len() as u32;
        self.behind(root, path, |_| 1).into_iter().map(|it| it != NONE && it >= end).collect()
    }
}

fn callers(selection: &Selection<'_>, keys: &StackKeys<'_>, root: u32, path: &[u32]) -> PathNode {
    let caller_of = keys.callers_behind(root, path);
    let (mut own, mut children) = (Weight::default(), Sums::new(keys.number()));
    for (stack, weight) in selection.threads.iter().flat_map(|it| &it.on_stack) {
        match caller_of[stack.0 as usize] {
            NONE | ELSEWHERE => {}
            NO_CALLER => own += weight,
            caller => children.add(caller, weight),
        }
    }
    let mut all = own;
    children.sums.iter().for_each(|it| all += it.1);
    PathNode { all, own, children: without_nothing(children.sums) }
}

/// Sums by key, in a table, since a function may have a hundred thousand callers.
struct Sums {
    /// The index of each key's sum, or [`NONE`].
    at: Vec<u32>,
    sums: Vec<(u32, Weight)>,
}

impl Sums {
    fn new(number: usize) -> Self {
        Self { at: vec![NONE; number], sums: Vec::new() }
    }

    fn add(&mut self, of: u32, weight: Weight) {
        let at = &mut self.at[of as usize];
        if *at == NONE {
            *at = self.sums.len() as u32;
            self.sums.push((of, Weight::default()));
        }
        self.sums[*at as usize].1 += weight;
    }
}

fn callees(selection: &Selection<'_>, keys: &StackKeys<'_>, root: u32, path: &[u32]) -> PathNode {
    let end = path.len() as u32;
    let (mut groups, mut group_of): (Vec<u32>, FxHashMap<u32, u32>) = (Vec::new(), FxHashMap::default());
    let place = keys.behind(root, path, |key| {
        *group_of.entry(key).or_insert_with(|| {
            groups.push(key);
            groups.len() as u32
        })
    });
    let (mut own, mut times) = (Weight::default(), vec![Weight::default(); groups.len()]);
    for (stack, weight) in selection.threads.iter().flat_map(|it| &it.on_stack) {
        match place[stack.0 as usize] {
            NONE => {}
            at if at == end => own += weight,
            at if at > end => times[(at - end) as usize - 1] += weight,
            _ => {}
        }
    }
    let mut all = own;
    times.iter().for_each(|it| all += *it);
    PathNode { all, own, children: without_nothing(groups.into_iter().zip(times)) }
}

fn without_nothing(children: impl IntoIterator<Item = (u32, Weight)>) -> Vec<(u32, Weight)> {
    children.into_iter().filter(|it| it.1 != Weight::default()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::ProfileBuilder;
    use crate::model::{Amount, FunctionId, Profile, Thread};
    use crate::scope::threads::Threads;
    use crate::tally::{Call, tally};

    /// A profile of stacks drawn as words, the root first. Each letter is a function, and each word a sample of 1 ms.
    fn drawn(stacks: &[&str]) -> (Profile, Vec<u32>) {
        let mut builder = ProfileBuilder::new("drawing");
        for word in stacks {
            let mut stack = None;
            for letter in word.chars() {
                let name = builder.string(&letter.to_string());
                let function = builder.function(name, None, None);
                stack = Some(builder.stack(stack, function));
            }
            builder.add_on_stack(stack.unwrap(), Weight { time: Amount(1_000_000), samples: 1 });
        }
        builder.end_thread(Thread::default());
        builder.end_session(0);
        let profile = builder.finish();
        let keys = (0..profile.functions.len() as u32).collect();
        (profile, keys)
    }

    /// All nodes of a tree down to the leaves: the path, its time, and the time that ends there.
    fn tree(stacks: &[&str], root: char, direction: Direction) -> Vec<String> {
        let (profile, keys) = drawn(stacks);
        let selection = Selection::of(&profile, &Threads::All);
        let name = |key: u32| profile.name(FunctionId(key)).to_owned();
        let root = (0..).find(|&it| name(it) == root.to_string()).unwrap();
        let (mut lines, mut open) = (Vec::new(), vec![Vec::new()]);
        while let Some(path) = open.pop() {
            let node = path_node(&selection, &keys, root, direction, &path);
            let children: u64 = node.children.iter().map(|it| it.1.samples).sum();
            assert_eq!(node.all.samples, node.own.samples + children, "children add up");
            let words: String = std::iter::once(&root).chain(&path).map(|&it| name(it)).collect();
            lines.push(format!("{words} {} {}", node.all.samples, node.own.samples));
            open.extend(node.children.iter().rev().map(|it| [&path[..], &[it.0]].concat()));
        }
        lines
    }

    #[test]
    fn drawings() {
        let samples = ["a", "ab", "abc", "xab"];
        assert_eq!(tree(&samples, 'b', Direction::Callers), ["b 3 0", "ba 3 2", "bax 1 1"]);
        assert_eq!(tree(&samples, 'a', Direction::Callees), ["a 4 1", "ab 3 2", "abc 1 1"]);
        // Direct recursion is one node; in mutual recursion the outermost or the innermost occurrence counts.
        let samples = ["aab", "abab", "abcab"];
        assert_eq!(tree(&samples, 'b', Direction::Callers), ["b 3 0", "ba 3 3"]);
        assert_eq!(tree(&samples, 'a', Direction::Callees), ["a 3 0", "ab 3 3"]);
        assert_eq!(tree(&samples, 'c', Direction::Callers), ["c 1 0", "cb 1 0", "cba 1 1"]);
        assert_eq!(tree(&["abbbc"], 'c', Direction::Callers), ["c 1 0", "cb 1 0", "cba 1 1"]);
        assert_eq!(tree(&["abbbc"], 'a', Direction::Callees), ["a 1 0", "ab 1 0", "abc 1 1"]);
    }

    #[test]
    fn what_is_passed_over_is_as_if_it_were_not_there() {
        let drawn_as = |stacks: &[&str]| {
            let (profile, mut keys) = drawn(stacks);
            let name = |it: u32| profile.name(FunctionId(it)).to_owned();
            let letters: Vec<String> = (0..keys.len() as u32).map(name).collect();
            for (key, letter) in keys.iter_mut().zip(&letters) {
                *key = if letter == "x" { PASSED_OVER } else { u32::from(letter.as_bytes()[0]) };
            }
            let selection = Selection::of(&profile, &Threads::All);
            let paths: [&[u8]; 4] = [b"", b"b", b"c", b"bc"];
            let node = |root: u8, direction, path: &[u8]| {
                let path: Vec<u32> = path.iter().map(|&it| u32::from(it)).collect();
                path_node(&selection, &keys, u32::from(root), direction, &path)
            };
            [(b'a', Direction::Callees), (b'c', Direction::Callers)]
                .map(|(root, direction)| paths.map(|path| node(root, direction, path)))
        };
        let with = ["axbc", "axxb", "abxbc", "xabc", "axaxbxc", "x", "cx", "ax", "acxc"];
        let without = ["abc", "ab", "abbc", "abc", "aabc", "c", "a", "acc"];
        assert_eq!(drawn_as(&with), drawn_as(&without));
    }

    #[test]
    fn the_first_level_is_that_of_the_tally() {
        let samples = ["aab", "abab", "abcab", "cab", "b", "ba", "bc", "cc", "ccab", "acbca"];
        let (profile, keys) = drawn(&samples);
        let selection = Selection::of(&profile, &Threads::All);
        let tally = tally(&selection, &keys, keys.len() as u32);
        for key in 0..keys.len() as u32 {
            let of_tally = |calls: &[Call]| {
                let mut calls: Vec<_> = calls.iter().filter_map(|it| Some((it.other?, it.weight))).collect();
                calls.sort_unstable_by_key(|it| it.0);
                calls
            };
            let of_tree = |direction| {
                let mut node = path_node(&selection, &keys, key, direction, &[]);
                node.children.sort_unstable_by_key(|it| it.0);
                node
            };
            let (callers, callees) = (of_tree(Direction::Callers), of_tree(Direction::Callees));
            let at = key as usize;
            assert_eq!(callers.children, of_tally(&tally.callers[at]));
            assert_eq!(callees.children, of_tally(&tally.callees[at]));
            assert_eq!(callees.own.time, tally.costs[at].self_time);
            assert_eq!([callers.all.time, callees.all.time], [tally.costs[at].total_time; 2]);
        }
    }
}
