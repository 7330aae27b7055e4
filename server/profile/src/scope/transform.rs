//! Makes other stacks from the same samples: only what is above or below a function, or without some of the functions.
//!
//! The transforms are those of the Firefox Profiler (`src/profile-logic/transforms.ts`), applied to sets of functions
//! that share a key. This is what happens to the samples `a;b;c`, `a;c` and `b;a`:
//!
//! ```text
//! focus on b         b;c   -     b;a      what is below is gone, and so are samples without b
//! callers of b       a;b   -     b        what b called counts as b
//! drop b             -     a;c   -
//! merge b            a;c   a;c   a        b's time is its caller's
//! collapse b and c   a;B   a;B   B;a      neighbours become one function
//! below a, b         b;c   -     -        what is below the end of the path is gone, and so are samples without the path
//! callers of b, a    a     -     -        what the end of the path called counts as its own
//! ```
//!
//! Paths are those of call tree nodes ([`crate::path_node`]); what is left by a node's path is what flows through the node.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::model::{
    AskedFor, ForcedRendering, FunctionId, PlaceId, Population, SampleLog, StackId, Stacks, Thread, summed,
};
use crate::scope::paths::{Direction, StackKeys};
use crate::scope::selection::Selection;

/// A change of all stacks. Sets of functions are given as one flag per [`FunctionId`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transform {
    /// Stacks begin with the outermost of these functions; samples without any are dropped.
    Focus(Vec<bool>),
    /// Stacks end with the outermost of these functions; samples without any are dropped.
    Callers(Vec<bool>),
    /// Samples with any of these functions are dropped.
    Drop(Vec<bool>),
    /// These functions are removed from the stacks.
    Merge(Vec<bool>),
    /// Adjacent functions of this set become this one.
    Collapse(Vec<bool>, FunctionId),
    /// Only the samples of a node of a call tree are kept: in a tree of callees, stacks begin with the end of the path;
    /// in a tree of callers, they end with it.
    Path {
        /// The direction of the tree.
        direction: Direction,
        /// Each function's key.
        key_of: Vec<u32>,
        /// The key at the root.
        root: u32,
        /// The keys that lead to the node.
        path: Vec<u32>,
    },
}

/// What becomes of a stack in a transform.
#[derive(Clone, Copy)]
enum Becomes {
    /// Its samples are dropped, and so are those of all stacks above it.
    Dropped,
    /// Its samples are dropped, but stacks above it may be kept: until then, it is this new stack, if any.
    Waiting(Option<StackId>),
    /// It is a new stack; `None` is an empty one, whose samples are dropped.
    Kept(Option<StackId>),
    /// It is a new stack, and so are all stacks above it.
    Ended(StackId),
}

impl Selection<'_> {
    /// Changes the stacks, and drops samples that are left without one. Transforms that only keep samples of some functions
    /// also drop time on no stack. The order of samples is dropped, and with it everything that was estimated from it.
    #[must_use]
    pub fn transformed(self, transform: &Transform) -> Self {
        self.transform(transform, false)
    }

    /// Like [`Self::transformed`], but keeps the remaining samples in order.
    #[must_use]
    pub fn transformed_in_order(self, transform: &Transform) -> Self {
        self.transform(transform, true)
    }

    fn transform(self, transform: &Transform, in_order: bool) -> Self {
        let Changed { stacks, becomes, made_of } = changed(&self.stacks, transform);
        let kept = |stack: StackId| match becomes[stack.0 as usize] {
            Becomes::Kept(stack) => stack,
            Becomes::Ended(stack) => Some(stack),
            Becomes::Dropped | Becomes::Waiting(_) => None,
        };
        let keeps_off_stack =
            matches!(transform, Transform::Drop(_) | Transform::Merge(_) | Transform::Collapse(..));
        // The place of a frame is that of the frame that became it; if only places on top are known, it must still be on top.
        let place_of = |stack: StackId, new: StackId, place: PlaceId| {
            let (end, mut at, mut frame, mut found) = (made_of[new.0 as usize], stack, place, Some(place));
            while at != end {
                at = self.stacks.caller(at)?;
                found = self.places.caller_in(frame, self.stacks.function[at.0 as usize]);
                frame = found.unwrap_or(frame);
            }
            found.filter(|&it| self.places.get(it).function == stacks.function[new.0 as usize])
        };
        let threads = self.threads.iter().map(|thread| {
            let mut on_place = Vec::new();
            thread.self_places(&self.stacks, &self.places, |stack, place, weight| {
                if let Some(new) = kept(stack)
                    && let Some(place) = place_of(stack, new, place)
                {
                    on_place.push(((new, place), weight));
                }
            });
            let on_place = summed(on_place).into_iter();
            let moved = thread.on_stack.iter().filter_map(|(stack, weight)| Some((kept(stack)?, weight)));
            let on_stack = summed(moved.collect());
            let off_stack = if keeps_off_stack { thread.off_stack.clone() } else { BTreeMap::new() };
            let samples =
                on_stack.iter().map(|it| it.1.samples).chain(off_stack.values().map(|it| it.samples)).sum();
            let &Thread { session, process, ran_script, repeats, unit, start, duration, interval, .. } =
                &**thread;
            let in_order = in_order.then(|| still_in_order(&thread.in_order, kept, keeps_off_stack));
            let population = thread.population.as_ref().map(Population::changed);
            let (name, in_order) = (thread.name.clone(), in_order.unwrap_or_default());
            let forced = thread.forced.iter().filter_map(|it| {
                let (old, new) = (it.stack?, kept(it.stack?)?);
                let is_same = stacks.function[new.0 as usize] == self.stacks.function[old.0 as usize];
                let (at, asked_for) = if is_same { (it.at, it.asked_for) } else { (None, AskedFor::Unknown) };
                Some(ForcedRendering { stack: Some(new), at, asked_for, ..*it })
            });
            let forced = forced.collect();
            Cow::Owned(Thread {
                name,
                session,
                process,
                ran_script,
                repeats,
                unit,
                samples,
                start,
                duration,
                interval,
                on_stack: on_stack.into_iter().collect(),
                off_stack,
                in_long_tasks: None,
                forced,
                in_order,
                ticks: Vec::new(),
                on_place: on_place.map(|((stack, place), weight)| (stack, place, weight)).collect(),
                population,
            })
        });
        let threads = threads.collect();
        Selection { stacks: Cow::Owned(stacks), threads, ..self }
    }
}

/// The samples that are kept, at the times at which they were taken.
fn still_in_order(
    log: &SampleLog,
    kept: impl Fn(StackId) -> Option<StackId>,
    keeps_off_stack: bool,
) -> SampleLog {
    let mut moved = SampleLog::default();
    for ((taken, sample), labels) in log.with_times().zip(log.labels()) {
        let on = match sample.on {
            Ok(stack) => kept(stack).map(Ok),
            Err(why) => keeps_off_stack.then_some(Err(why)),
        };
        if let Some(on) = on {
            moved.next_at(taken);
            moved.next_has(labels);
            moved.push(on, sample.weight);
        }
    }
    moved
}

/// The new stacks of a transform.
struct Changed {
    stacks: Stacks,
    /// What became of each old stack.
    becomes: Vec<Becomes>,
    /// For each new stack, the old one whose function it ends with, or the adjacent ones that became one function.
    made_of: Vec<StackId>,
}

/// Makes the new stacks. Callers come before callees, so one pass is enough.
fn changed(old: &Stacks, transform: &Transform) -> Changed {
    let (mut stacks, mut made_of) = (Stacks::default(), Vec::new());
    let mut becomes: Vec<Becomes> = Vec::with_capacity(old.function.len());
    // For a path: which stacks flow through its node, or where in them the node is.
    let (mut flows, mut ends) = (Vec::new(), Vec::new());
    if let Transform::Path { direction, key_of, root, path } = transform {
        let keys = StackKeys { stacks: old, key_of };
        match direction {
            Direction::Callees => flows = keys.flows_through(*root, path),
            Direction::Callers => ends = keys.ends_at(*root, path),
        }
    }
    for ((&function, caller), stack) in old.function.iter().zip(old.callers()).zip(0..) {
        let mut push = |caller: Option<StackId>, function: FunctionId| {
            stacks.push(caller, function);
            made_of.push(StackId(stack));
            Some(StackId(made_of.len() as u32 - 1))
        };
        let below = caller.map(|it| becomes[it.0 as usize]);
        let is_in = |functions: &[bool]| functions.get(function.0 as usize).copied().unwrap_or(false);
        let becomes_now = match (transform, below) {
            (_, Some(Becomes::Dropped)) => Becomes::Dropped,
            (_, Some(Becomes::Ended(stack))) => Becomes::Ended(stack),
            (Transform::Focus(wanted), below) => match below {
                Some(Becomes::Kept(caller)) => Becomes::Kept(push(caller, function)),
                _ if is_in(wanted) => Becomes::Kept(push(None, function)),
                _ => Becomes::Waiting(None),
            },
            (Transform::Callers(wanted), below) => {
                let caller = match below {
                    Some(Becomes::Waiting(caller)) => caller,
                    _ => None,
                };
                match push(caller, function) {
                    Some(stack) if is_in(wanted) => Becomes::Ended(stack),
                    stack => Becomes::Waiting(stack),
                }
            }
            (Transform::Drop(unwanted), _) if is_in(unwanted) => Becomes::Dropped,
            (Transform::Drop(_), below) => Becomes::Kept(push(kept_below(below), function)),
            (Transform::Merge(merged), below) => {
                let caller = kept_below(below);
                Becomes::Kept(if is_in(merged) { caller } else { push(caller, function) })
            }
            (Transform::Path { direction: Direction::Callees, .. }, below) if flows[stack as usize] => {
                Becomes::Kept(push(kept_below(below), function))
            }
            (Transform::Path { direction: Direction::Callees, .. }, _) => Becomes::Waiting(None),
            (Transform::Path { direction: Direction::Callers, .. }, _) => {
                // All stacks stay as they are, under their old numbers.
                push(caller, function);
                Becomes::Kept(ends[stack as usize])
            }
            (Transform::Collapse(collapsed, into), below) => {
                let is_neighbour = caller.is_some_and(|it| is_same_group(old, it, collapsed));
                Becomes::Kept(match (is_in(collapsed), is_neighbour) {
                    (true, true) => kept_below(below),
                    (true, false) => push(kept_below(below), *into),
                    (false, _) => push(kept_below(below), function),
                })
            }
        };
        becomes.push(becomes_now);
    }
    Changed { stacks, becomes, made_of }
}

/// The new stack below a stack.
fn kept_below(below: Option<Becomes>) -> Option<StackId> {
    match below {
        Some(Becomes::Kept(stack)) => stack,
        _ => None,
    }
}

fn is_same_group(stacks: &Stacks, stack: StackId, functions: &[bool]) -> bool {
    functions.get(stacks.function[stack.0 as usize].0 as usize).copied().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::ProfileBuilder;
    use crate::model::{Amount, OffStack, Profile, SeenPlace, Weight};
    use crate::scope::paths::path_node;
    use crate::scope::threads::Threads;

    /// A profile of stacks drawn as words, the root first. Each letter is a function, each word a sample of 1 ms, plus 1 ms idle.
    fn drawn(stacks: &[&str]) -> Profile {
        let mut builder = ProfileBuilder::new("drawing");
        let weight = Weight { time: Amount(1_000_000), samples: 1 };
        // Letters get ids in alphabetical order.
        for letter in 'a'..='f' {
            let name = builder.string(&letter.to_string());
            let function = builder.function(name, None, None);
            builder.stack(None, function);
        }
        for word in stacks {
            let mut stack = None;
            for letter in word.chars() {
                let name = builder.string(&letter.to_string());
                let function = builder.function(name, None, None);
                stack = Some(builder.stack(stack, function));
            }
            builder.add_on_stack(stack.unwrap(), weight);
        }
        builder.add_off_stack(OffStack::Idle, weight);
        builder.end_thread(Thread::default());
        builder.end_session(0);
        builder.finish()
    }

    fn functions(letters: &str) -> Vec<bool> {
        ('a'..='f').map(|it| letters.contains(it)).collect()
    }

    /// The stacks that remain with their samples, and idle samples.
    fn after(stacks: &[&str], transforms: &[Transform]) -> Vec<String> {
        let profile = drawn(stacks);
        let mut selection = Selection::of(&profile, &Threads::All);
        for transform in transforms {
            selection = selection.transformed(transform);
        }
        let letter = |it: FunctionId| char::from(b'a' + it.0 as u8);
        let word = |(stack, weight): (StackId, Weight)| {
            let (mut letters, mut at) = (Vec::new(), Some(stack));
            while let Some(stack) = at {
                letters.insert(0, letter(selection.stacks.function[stack.0 as usize]));
                at = selection.stacks.caller(stack);
            }
            format!("{} {}", letters.into_iter().collect::<String>(), weight.samples)
        };
        let thread = &selection.threads[0];
        let mut words: Vec<String> = thread.on_stack.iter().map(word).collect();
        words.sort();
        words.extend(thread.off_stack.values().map(|it| format!("idle {}", it.samples)));
        assert_eq!(
            thread.samples,
            words.iter().map(|it| it.rsplit(' ').next().unwrap().parse::<u64>().unwrap()).sum::<u64>()
        );
        words
    }

    #[test]
    fn drawings() {
        let samples = ["abc", "ac", "ba", "abab"];
        let b = || functions("b");
        let collapsed = Transform::Collapse(functions("bc"), FunctionId(5));
        let path = |direction, root, path: &[u32]| Transform::Path {
            direction,
            key_of: (0..6).collect(),
            root,
            path: path.to_vec(),
        };
        let rows: [(Transform, &[&str]); 8] = [
            (Transform::Focus(b()), &["ba 1", "bab 1", "bc 1"]),
            (Transform::Callers(b()), &["ab 1", "ab 1", "b 1"]),
            (Transform::Drop(b()), &["ac 1", "idle 1"]),
            (Transform::Merge(b()), &["a 1", "aa 1", "ac 1", "ac 1", "idle 1"]),
            (collapsed, &["af 1", "af 1", "afaf 1", "fa 1", "idle 1"]),
            (path(Direction::Callees, 1, &[0]), &["a 1"]),
            (path(Direction::Callees, 0, &[1]), &["b 1", "bc 1"]),
            (path(Direction::Callers, 1, &[0]), &["a 1", "a 1"]),
        ];
        for (transform, expected) in rows {
            let merged = |words: &[String]| {
                let mut sums: BTreeMap<String, u64> = BTreeMap::new();
                for word in words {
                    let (stack, samples) = word.split_once(' ').unwrap();
                    *sums.entry(stack.to_owned()).or_default() += samples.parse::<u64>().unwrap();
                }
                sums
            };
            let expected: Vec<String> = expected.iter().map(|&it| it.to_owned()).collect();
            assert_eq!(
                merged(&after(&samples, std::slice::from_ref(&transform))),
                merged(&expected),
                "{transform:?}"
            );
        }
    }

    /// Checks every node of every tree of these stacks: what its path leaves is what flows through it, and the self time
    /// of the rest is what ends there.
    #[test]
    fn paths_are_those_of_call_trees() {
        let samples = ["abc", "ac", "ba", "abab", "aab", "abbc", "cabcab", "cab"];
        let profile = drawn(&samples);
        let selection = || Selection::of(&profile, &Threads::All);
        let key_of: Vec<u32> = (0..6).collect();
        let mut nodes = 0;
        for (root, direction) in (0..6).flat_map(|it| [(it, Direction::Callers), (it, Direction::Callees)]) {
            let mut open = vec![Vec::new()];
            while let Some(path) = open.pop() {
                let node = path_node(&selection(), &key_of, root, direction, &path);
                let transform =
                    Transform::Path { direction, key_of: key_of.clone(), root, path: path.clone() };
                let left = selection().transformed(&transform);
                let cost =
                    crate::tally::tally(&left, &key_of, 6).costs[*path.last().unwrap_or(&root) as usize];
                let kept = left.threads.iter().map(|it| it.samples).sum::<u64>();
                assert_eq!(
                    [kept, cost.total_samples],
                    [node.all.samples; 2],
                    "{root} {direction:?} {path:?}"
                );
                let own = if direction == Direction::Callees { node.own } else { node.all };
                assert_eq!(cost.self_time, own.time, "{root} {direction:?} {path:?}");
                open.extend(node.children.iter().map(|it| [&path[..], &[it.0]].concat()));
                nodes += 1;
            }
        }
        assert_eq!(nodes, 26);
    }

    #[test]
    fn they_compose() {
        let transforms = [
            Transform::Focus(functions("b")),
            Transform::Merge(functions("c")),
            Transform::Drop(functions("d")),
        ];
        assert_eq!(after(&["abca", "abcd", "ac"], &transforms), ["ba 1"]);
        assert_eq!(
            after(&["aca"], &[Transform::Merge(functions("a")), Transform::Focus(functions("c"))]),
            ["c 1"]
        );
        assert_eq!(after(&["a"], &[Transform::Merge(functions("a"))]), ["idle 1"]);
        assert_eq!(after(&["a"], &[Transform::Focus(functions(""))]), [""; 0]);
    }

    /// Takes samples of 1 ms as words, the root first; each letter is a function and followed by its line, or `-`. Returns
    /// what is left after the transforms, by function and line. Without lines of callers, only letters on top have theirs.
    fn lines_after(samples: &[&str], has_callers: bool, transforms: &[Transform]) -> String {
        let mut builder = ProfileBuilder::new("drawing");
        let functions = ('a'..='f').map(|letter| {
            let name = builder.string(&letter.to_string());
            let function = builder.function(name, None, None);
            builder.stack(None, function);
            function
        });
        let functions: Vec<FunctionId> = functions.collect();
        for word in samples {
            let (mut stack, mut place) = (None, None);
            for frame in word.split(' ') {
                let function = functions[usize::from(frame.as_bytes()[0] - b'a')];
                let caller = place.filter(|_| has_callers);
                stack = Some(builder.stack(stack, function));
                place = builder.place(SeenPlace {
                    function,
                    line: frame[1..].parse().ok(),
                    column: None,
                    caller,
                });
            }
            builder.add_at(stack.unwrap(), place, Weight { time: Amount(1_000_000), samples: 1 });
        }
        builder.end_thread(Thread::default());
        builder.end_session(0);
        let profile = builder.finish();
        let mut selection = Selection::of(&profile, &Threads::All);
        for transform in transforms {
            selection = selection.transformed(transform);
        }
        let tally = crate::tally::tally(&selection, &[0, 1, 2, 3, 4, 5], 6);
        let mut without: Vec<Amount> = tally.costs.iter().map(|it| it.self_time).collect();
        let letter = |it: usize| char::from(b'a' + it as u8);
        let mut words = Vec::new();
        for it in &tally.lines {
            let function = it.function.0 as usize;
            without[function] = Amount(without[function].0.checked_sub(it.time.0).unwrap());
            words.push(format!("{}{} {}", letter(function), it.line, it.time.0 / 1_000_000));
        }
        let without = without.iter().enumerate().filter(|it| it.1.0 > 0);
        words.extend(without.map(|(function, it)| format!("{}- {}", letter(function), it.0 / 1_000_000)));
        words.join(", ")
    }

    #[test]
    fn lines_of_what_is_left() {
        let samples = ["a1", "a1", "a3 b5", "a3 b6", "a4 b7 c8", "a3 b7 a9"];
        let b = || functions("b");
        let rows = [
            (vec![], "a1 2, a9 1, b5 1, b6 1, c8 1", "a1 2, a9 1, b5 1, b6 1, c8 1"),
            (vec![Transform::Merge(b())], "a1 2, a3 2, a9 1, c8 1", "a1 2, a9 1, c8 1, a- 2"),
            (vec![Transform::Merge(functions("bc"))], "a1 2, a3 2, a4 1, a9 1", "a1 2, a9 1, a- 3"),
            (
                vec![Transform::Merge(b()), Transform::Merge(functions("c"))],
                "a1 2, a3 2, a4 1, a9 1",
                "a1 2, a9 1, a- 3",
            ),
            (vec![Transform::Focus(b())], "a9 1, b5 1, b6 1, c8 1", "a9 1, b5 1, b6 1, c8 1"),
            (vec![Transform::Callers(b())], "b5 1, b6 1, b7 2", "b5 1, b6 1, b- 2"),
            (vec![Transform::Drop(b())], "a1 2", "a1 2"),
            (
                vec![Transform::Collapse(functions("bc"), FunctionId(5)), Transform::Merge(functions("f"))],
                "a1 2, a9 1, a- 3",
                "a1 2, a9 1, a- 3",
            ),
            (
                vec![Transform::Collapse(functions("bc"), FunctionId(5))],
                "a1 2, a9 1, f- 3",
                "a1 2, a9 1, f- 3",
            ),
        ];
        for (transforms, with_callers, without) in rows {
            assert_eq!(lines_after(&samples, true, &transforms), with_callers, "{transforms:?}");
            assert_eq!(lines_after(&samples, false, &transforms), without, "{transforms:?}");
        }
    }
}
