//! Joins the pieces in which the recorder of a thread hands over its profile.
//!
//! Two neighbouring pieces overlap: V8 keeps what it knows about optimised code only while a profile is running, so the recorder
//! starts the next one before it ends the previous one (preload/samples.cjs). The earlier piece counts until the later one
//! starts. V8 itself takes the first sample of each later piece, inside the recorder (v8/src/profiler/cpu-profiler.cc,
//! `StartProcessorIfNotStarted`): that one is left out, and its time counts for the sample before.
//!
//! While the recorder itself works, the program waits: those samples are idle.

use std::collections::HashMap;

use crate::v8_profile::{CallFrame, Node, PositionTick, V8Profile};

/// The url of the recorder's own functions (preload/samples.cjs, `hideFrame`).
const RECORDER: &str = "node:internal/proflens";

/// The recorder's functions that only pass on what the program asked for: the traps of its proxies.
const PASSES_ON: [&str; 2] = ["apply", "construct"];

/// Joins pieces in order, up to this many microseconds after the start of the first; `None` if there are no pieces.
pub(crate) fn join(pieces: Vec<V8Profile>, lasts: Option<i64>) -> Option<V8Profile> {
    let mut left = pieces.into_iter().peekable();
    let mut joined = Joined::default();
    let mut is_first = true;
    let start = left.peek()?.start_time;
    let last = lasts.map_or(i64::MAX, |lasts| start.saturating_add(lasts));
    let mut end = start;
    while let Some(piece) = left.next() {
        end = piece.end_time.min(last);
        let until = left.peek().map_or(last, |later| later.start_time.min(last));
        joined.add(piece, until, is_first);
        is_first = false;
    }
    Some(joined.finish(start, end))
}

/// The tree and the samples of the pieces so far.
#[derive(Default)]
struct Joined {
    nodes: Vec<Node>,
    /// A node by its parent's index and its function.
    of_function: HashMap<(usize, CallFrame), usize>,
    /// The node of each sample by its index, and when it was taken.
    samples: Vec<(usize, i64)>,
    /// The node of what the recorder did, once it was seen at work.
    idle: Option<usize>,
}

impl Joined {
    fn add(&mut self, piece: V8Profile, until: i64, is_first: bool) {
        let samples = times(&piece);
        let taken: Vec<(u32, i64)> = match is_first {
            true => samples.collect(),
            false => samples.skip(1).collect(),
        };
        let index_of = self.add_tree(piece.nodes);
        let counted = taken.into_iter().filter(|(_, time)| *time < until);
        let placed = counted.filter_map(|(node, time)| Some((*index_of.get(&node)?, time)));
        self.samples.extend(placed);
    }

    /// Adds a tree, and gives the index of each of its nodes.
    fn add_tree(&mut self, nodes: Vec<Node>) -> HashMap<u32, usize> {
        let position: HashMap<u32, usize> =
            nodes.iter().enumerate().map(|(at, node)| (node.id, at)).collect();
        let children: Vec<Vec<usize>> = nodes
            .iter()
            .map(|node| node.children.iter().filter_map(|child| position.get(child).copied()).collect())
            .collect();
        let mut index_of = HashMap::with_capacity(nodes.len());
        let mut unplaced: Vec<Option<Node>> = nodes.into_iter().map(Some).collect();
        // The root comes first, and has no parent.
        let mut open = vec![(0, usize::MAX)];
        while let Some((at, parent)) = open.pop() {
            // V8 never writes a node that is the child of several; such a node belongs to the first of them.
            let Some(node) = unplaced.get_mut(at).and_then(Option::take) else { continue };
            let id = node.id;
            let index = match self.is_recorder_at_work(&node.call_frame, parent) {
                true => self.idle(),
                false => self.add_node(node, parent),
            };
            index_of.insert(id, index);
            open.extend(children[at].iter().map(|child| (*child, index)));
        }
        index_of
    }

    /// Whether a function of the recorder runs, or one that it called: all of these are one node.
    fn is_recorder_at_work(&self, function: &CallFrame, parent: usize) -> bool {
        let is_own = function.url == RECORDER && !PASSES_ON.contains(&&*function.function_name);
        is_own || self.idle == Some(parent)
    }

    /// The node of idle time, which V8 writes below the root.
    fn idle(&mut self) -> usize {
        let index = self.add_node(Node::of(CallFrame::idle()), 0);
        self.idle = Some(index);
        index
    }

    fn add_node(&mut self, node: Node, parent: usize) -> usize {
        let index = *self.of_function.entry((parent, node.call_frame.clone())).or_insert_with(|| {
            let index = self.nodes.len();
            let id = id(index);
            self.nodes.push(Node { id, ..Node::of(node.call_frame) });
            if let Some(parent) = self.nodes.get_mut(parent) {
                parent.children.push(id);
            }
            index
        });
        add_ticks(&mut self.nodes[index].position_ticks, node.position_ticks);
        index
    }

    fn finish(self, start: i64, end: i64) -> V8Profile {
        let times = self.samples.iter().map(|(_, time)| *time);
        let times_before = [start].into_iter().chain(times.clone());
        let time_deltas = times.zip(times_before).map(|(time, before)| time - before).collect();
        let samples = self.samples.iter().map(|(index, _)| id(*index)).collect();
        V8Profile {
            nodes: self.nodes,
            start_time: start,
            end_time: end,
            samples,
            time_deltas,
            ..V8Profile::default()
        }
    }
}

/// The number of the node at an index; V8 counts from 1.
fn id(index: usize) -> u32 {
    u32::try_from(index + 1).unwrap_or(u32::MAX)
}

/// The node of each sample and when it was taken.
fn times(piece: &V8Profile) -> impl Iterator<Item = (u32, i64)> {
    let times = piece.time_deltas.iter().scan(piece.start_time, |time, delta| {
        *time = time.saturating_add(*delta);
        Some(*time)
    });
    piece.samples.iter().copied().zip(times)
}

fn add_ticks(all: &mut Vec<PositionTick>, more: Vec<PositionTick>) {
    for PositionTick { line, ticks } in more {
        match all.iter_mut().find(|known| known.line == line) {
            Some(known) => known.ticks = known.ticks.saturating_add(ticks),
            None => all.push(PositionTick { line, ticks }),
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    /// A piece: when it starts and ends, its stacks as `root a b`, and samples as `stack@time`.
    fn piece(start: i64, end: i64, samples: &[(&str, i64)]) -> V8Profile {
        let mut joined = Joined::default();
        for (stack, time) in samples {
            let mut parent = usize::MAX;
            for name in stack.split(' ') {
                parent = joined.add_node(node(name), parent);
            }
            joined.nodes[parent].position_ticks.push(PositionTick { line: 1, ticks: 1 });
            joined.samples.push((parent, *time));
        }
        joined.finish(start, end)
    }

    /// A function of the program, or of the recorder: `next@recorder`.
    fn node(name: &str) -> Node {
        let (name, url) = name.strip_suffix("@recorder").map_or((name, "a.js"), |own| (own, RECORDER));
        let call_frame = CallFrame {
            function_name: name.to_owned(),
            script_id: "1".to_owned(),
            url: url.to_owned(),
            line_number: 0,
            column_number: 0,
        };
        Node::of(call_frame)
    }

    fn drawn(profile: &V8Profile) -> String {
        let mut stacks: HashMap<u32, String> = HashMap::new();
        for node in &profile.nodes {
            let stack = stacks.get(&node.id).map_or_else(String::new, |above| format!("{above} "));
            let stack = stack + &node.call_frame.function_name;
            node.children.iter().for_each(|child| drop(stacks.insert(*child, stack.clone())));
            stacks.insert(node.id, stack);
        }
        let samples = times(profile).map(|(node, time)| format!("{time} {}\n", stacks[&node]));
        let ticks: u32 =
            profile.nodes.iter().flat_map(|node| &node.position_ticks).map(|tick| tick.ticks).sum();
        let about = format!("{} to {}, {ticks} ticks\n", profile.start_time, profile.end_time);
        about + &samples.collect::<String>()
    }

    #[test]
    fn a_piece_counts_until_the_next_one_starts() {
        let pieces = vec![
            piece(0, 33, &[("root a", 10), ("root a b", 20), ("root recorder", 31)]),
            piece(30, 62, &[("root recorder", 31), ("root a b", 40), ("root c", 50), ("root recorder", 61)]),
            piece(60, 80, &[("root recorder", 61), ("root c b", 70)]),
        ];
        let joined = join(pieces, None).unwrap();
        expect![[r#"
            0 to 80, 9 ticks
            10 root a
            20 root a b
            40 root a b
            50 root c
            70 root c b
        "#]]
        .assert_eq(&drawn(&joined));
        assert_eq!(joined.time_deltas, [10, 10, 20, 10, 20]);
    }

    #[test]
    fn what_is_after_the_time_that_was_asked_for_does_not_count() {
        let pieces = || {
            vec![
                piece(5, 33, &[("root a", 10), ("root b", 20)]),
                piece(30, 62, &[("root r", 31), ("root b", 50)]),
            ]
        };
        let shown = |lasts| drawn(&join(pieces(), Some(lasts)).unwrap());
        assert_eq!(shown(10), "5 to 15, 4 ticks\n10 root a\n");
        assert_eq!(shown(50), "5 to 55, 4 ticks\n10 root a\n20 root b\n50 root b\n");
        assert_eq!(shown(i64::MAX), shown(60));
    }

    #[test]
    fn what_the_recorder_does_is_idle_and_what_it_passes_on_is_not() {
        let samples = [
            ("root a b", 1),
            ("root a next@recorder", 2),
            ("root a next@recorder dispatch", 3),
            ("root a apply@recorder spawn", 4),
            ("root a apply@recorder change@recorder join", 5),
        ];
        expect![[r#"
            0 to 9, 2 ticks
            1 root a b
            2 root (idle)
            3 root (idle)
            4 root a apply spawn
            5 root (idle)
        "#]]
        .assert_eq(&drawn(&join(vec![piece(0, 9, &samples)], None).unwrap()));
    }

    #[test]
    fn one_piece_stays_as_it_is() {
        let (alone, same) =
            (piece(5, 9, &[("root a", 6), ("root", 8)]), piece(5, 9, &[("root a", 6), ("root", 8)]));
        assert_eq!(drawn(&join(vec![alone], None).unwrap()), drawn(&same));
        assert!(join(Vec::new(), None).is_none());
    }
}
