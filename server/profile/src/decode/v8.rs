//! What the samples of a V8 profile mean: the rules of DevTools' `CPUProfileDataModel`, on our tables.
//!
//! A sample stands for the time until the next one, the last for the average. The collector stands on top of the stack
//! that it interrupted; a lone `(program)` between two samples below the same outermost function is a failed look at
//! that function. `(root)`, `(program)` and `(idle)` are no functions.

mod calls;

use rustc_hash::FxHashMap;

pub(crate) use self::calls::Recorded;
use super::cpuprofile::{NONE, Node, Parts, Tick};
use crate::builder::{GARBAGE_COLLECTOR, ProfileBuilder};
use crate::problem::count;
use crate::weigh::{Timeline, share};
use crate::{Amount, FunctionId, KnownPlace, LineTicks, OffStack, StackId, Thread, Weight};

/// In nanoseconds, 104 days.
const LONGEST_DURATION: f64 = 9_007_199_254_740_992.0;

/// Makes one thread of a profile of this format; `false` if nothing was measured.
pub(crate) fn finish(mut parts: Parts, format: &'static str, builder: &mut ProfileBuilder) -> bool {
    let hits: u64 = parts.nodes.iter().map(|node| u64::from(node.hits)).sum();
    if parts.samples.is_empty() && hits == 0 {
        return false;
    }
    builder.format(format);
    let index = Index::new(&parts.nodes);
    let tree = Tree::new(&parts, &index, builder);
    parts.children = Vec::new();

    // Ticks of a node stand together, and nodes mostly in the order of stacks: little is left to sort later.
    for ticks in parts.ticks.chunk_by_mut(|a, b| a.node == b.node) {
        ticks.sort_unstable_by_key(|tick| tick.line);
        if let Some(stack) = tree.at[ticks[0].node as usize].stack() {
            let ticks = ticks.iter().map(|&Tick { line, ticks, .. }| LineTicks { stack, line, ticks });
            ticks.for_each(|ticks| builder.line_ticks(ticks));
        }
    }
    for &(node, location) in &parts.locations {
        for (path, position) in parts.vscode.get(location as usize).into_iter().flatten() {
            let function = parts.nodes[node as usize].function;
            builder.known_place(KnownPlace { function, path: path.clone(), position: *position });
        }
    }
    let thread = if parts.samples.is_empty() {
        spend_hits(&parts, &tree, hits, builder)
    } else {
        let mut samples = std::mem::take(&mut parts.samples);
        let unknown = index.to_indices(&mut samples);
        for event in parts.recorded.iter_mut().flat_map(|it| &mut it.events) {
            event.sample = index.get(event.sample).unwrap_or(NONE);
        }
        if unknown > 0 {
            let what = format!("{} of nodes that do not exist", count(unknown, "sample", "samples"));
            builder.problem(what, "their time is booked as unknown");
        }
        drop(index);
        (parts.nodes, parts.ticks) = (Vec::new(), Vec::new());
        spend_samples(&mut parts, samples, &tree, builder)
    };
    builder.end_thread(Thread { name: std::mem::take(&mut parts.title), ..thread });
    true
}

/// From node ids to indices. Of nodes with the same id the first counts.
enum Index {
    Dense(Vec<u32>),
    Sparse(FxHashMap<u32, u32>),
}

impl Index {
    fn new(nodes: &[Node]) -> Self {
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
    fn get(&self, id: u32) -> Option<u32> {
        match self {
            Self::Dense(indices) => indices.get(id as usize).copied().filter(|&index| index != NONE),
            Self::Sparse(indices) => indices.get(&id).copied(),
        }
    }

    /// Turns ids into indices in place, unknown ones into [`NONE`], whose number it tells.
    fn to_indices(&self, ids: &mut [u32]) -> u64 {
        let mut unknown = 0;
        for id in ids {
            *id = self.get(*id).unwrap_or(NONE);
            unknown += u64::from(*id == NONE);
        }
        unknown
    }
}

/// Where the time of a node goes: the number of a stack, or one that stands for what is none. There are millions.
#[derive(Clone, Copy, PartialEq, Eq)]
struct At(u32);

impl At {
    /// Not looked at yet.
    const OPEN: Self = Self(u32::MAX);
    /// Not below any root.
    const NOWHERE: Self = Self(u32::MAX - 1);
    const ROOT: Self = Self(u32::MAX - 2);
    const PROGRAM: Self = Self(u32::MAX - 3);
    const IDLE: Self = Self(u32::MAX - 4);
    const COLLECTOR: Self = Self(u32::MAX - 5);

    fn stack(self) -> Option<StackId> {
        (self.0 < Self::COLLECTOR.0).then_some(StackId(self.0))
    }

    /// What its time is where it is no stack.
    fn off_stack(self) -> OffStack {
        match self {
            Self::ROOT | Self::PROGRAM => OffStack::Program,
            Self::IDLE => OffStack::Idle,
            Self::COLLECTOR => OffStack::GarbageCollector,
            _ => OffStack::Unknown,
        }
    }
}

struct Tree {
    /// By node.
    at: Vec<At>,
    /// The outermost node above each node, or itself.
    bottom: Vec<u32>,
}

impl Tree {
    fn new(parts: &Parts, index: &Index, builder: &mut ProfileBuilder) -> Self {
        let nodes = &parts.nodes;
        let parents = parents(parts, index, builder);
        let is_pseudo =
            |node: usize, name: &str, builder: &ProfileBuilder| builder.is_pseudo(nodes[node].function, name);

        let roots = || (0..nodes.len()).filter(|&node| parents[node] == NONE && is_first(nodes, index, node));
        let mut root = roots().find(|&node| is_pseudo(node, "(root)", builder));
        if root.is_none() && roots().nth(1).is_none() {
            root = roots().next(); // a single root is the root, whatever it is called
        }
        let mut at = vec![At::OPEN; nodes.len()];
        let mut bottom: Vec<u32> = (0..nodes.len() as u32).collect();
        if let Some(root) = root {
            at[root] = At::ROOT;
        }
        let root = root.map_or(NONE, |root| root as u32);
        let is_top = |node: usize| parents[node] == root || parents[node] == NONE;
        let tops = (0..nodes.len()).filter(|&node| is_top(node) && is_first(nodes, index, node));
        let tops: Vec<usize> = tops.filter(|&node| at[node] != At::ROOT).collect();
        for (name, place) in
            [("(program)", At::PROGRAM), ("(idle)", At::IDLE), (GARBAGE_COLLECTOR, At::COLLECTOR)]
        {
            if let Some(&first) = tops.iter().find(|&&node| is_pseudo(node, name, builder)) {
                at[first] = place;
            }
        }

        // Each node after the one above it. What never meets a root runs in circles and stays nowhere.
        let (mut path, mut circles) = (Vec::new(), 0);
        for start in 0..nodes.len() {
            let mut node = start;
            while at[node] == At::OPEN {
                at[node] = At::NOWHERE;
                path.push(node);
                if is_top(node) {
                    break;
                }
                node = parents[node] as usize;
            }
            for node in path.drain(..).rev() {
                let mut caller = None;
                if !is_top(node) {
                    let above = parents[node] as usize;
                    if at[above] == At::NOWHERE {
                        circles += 1;
                        continue;
                    }
                    // Of those that are no stack none calls anybody: such nodes are outermost.
                    caller = at[above].stack();
                    bottom[node] = bottom[above];
                }
                at[node] = At(builder.new_stack(caller, nodes[node].function).0);
            }
        }
        if circles > 0 {
            let what = format!("{} below no root, or in a circle", count(circles, "node is", "nodes are"));
            builder.problem(what, "their time is booked as unknown");
        }
        Self { at, bottom }
    }

    #[inline]
    fn at(&self, node: u32) -> At {
        self.at.get(node as usize).copied().unwrap_or(At::NOWHERE)
    }
}

/// The index of each node's parent, or [`NONE`]. Lists of children win; the first to list a child has it.
fn parents(parts: &Parts, index: &Index, builder: &mut ProfileBuilder) -> Vec<u32> {
    let nodes = &parts.nodes;
    if parts.nested {
        return nodes.iter().map(|node| node.parent).collect();
    }
    let mut parents = vec![NONE; nodes.len()];
    let (mut doubles, mut twice_listed) = (0, 0);
    for (node, row) in nodes.iter().enumerate() {
        if !is_first(nodes, index, node) {
            doubles += 1;
            continue;
        }
        let end = nodes.get(node + 1).map_or(parts.children.len(), |next| next.children);
        for child in parts.children[row.children..end].iter().filter_map(|&id| index.get(id)) {
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

fn is_first(nodes: &[Node], index: &Index, node: usize) -> bool {
    let id = nodes[node].id;
    id == NONE || index.get(id) == Some(node as u32)
}

fn spend_samples(
    parts: &mut Parts,
    mut samples: Vec<u32>,
    tree: &Tree,
    builder: &mut ProfileBuilder,
) -> Thread {
    let deltas = std::mem::take(&mut parts.time_deltas);
    let mut timeline = if deltas.len() > 0 { deltas } else { std::mem::take(&mut parts.timestamps) };
    let mut booking = Booking::new(tree, builder);
    let mut calls = Vec::new();
    if timeline.len() == 0 {
        builder
            .problem("the samples have no times".to_owned(), "each was given the same share of the duration");
        let weights = share(duration(parts), std::iter::repeat_n(1, samples.len()));
        for (index, weight) in weights.enumerate() {
            booking.spend(filled(&samples, index, tree), weight, builder);
        }
    } else {
        if timeline.len() < samples.len() {
            let what = format!(
                "{} no time",
                count((samples.len() - timeline.len()) as u64, "sample has", "samples have")
            );
            builder.problem(what, "each was put a median interval after the one before");
        }
        let last = fit(&mut timeline, samples.len());
        let earliest = timeline.earliest();
        timeline.sort(&mut samples);
        if let Some(recorded) = parts.recorded.take() {
            calls = calls::of_thread(&recorded, earliest, &samples, &timeline, tree, builder);
        }
        for (index, weight) in timeline.weights(last).enumerate() {
            booking.spend(filled(&samples, index, tree), weight, builder);
        }
    }
    Thread {
        samples: samples.len() as u64,
        duration: booking.duration,
        interval: timeline.into_median().map(|median| Amount(median.max(0).unsigned_abs())),
        calls,
        ..Thread::default()
    }
}

/// Where the samples of a node stand, in a profile that only counts them.
fn spend_hits(parts: &Parts, tree: &Tree, hits: u64, builder: &mut ProfileBuilder) -> Thread {
    let whole = duration(parts);
    let mut duration = Amount(0);
    let times = share(whole, parts.nodes.iter().map(|node| u64::from(node.hits)));
    for ((node, &at), time) in parts.nodes.iter().zip(&tree.at).zip(times) {
        let spent = Weight { time, samples: u64::from(node.hits) };
        if spent == Weight::default() {
            continue;
        }
        duration += time;
        builder.spend_on(at.stack().ok_or(at.off_stack()), spent);
    }
    Thread { samples: hits, duration, ..Thread::default() }
}

/// Time as it is booked sample by sample, in order of time.
struct Booking<'t> {
    tree: &'t Tree,
    collector: FunctionId,
    /// The collector's stack by the one that it interrupted.
    collected: FxHashMap<StackId, StackId>,
    /// Where the last sample was that was not the collector.
    last: At,
    duration: Amount,
}

impl<'t> Booking<'t> {
    fn new(tree: &'t Tree, builder: &mut ProfileBuilder) -> Self {
        let (collector, collected) = (builder.garbage_collector(), FxHashMap::default());
        Self { tree, collector, collected, last: At::NOWHERE, duration: Amount(0) }
    }

    #[inline]
    fn spend(&mut self, node: u32, time: Amount, builder: &mut ProfileBuilder) {
        self.duration += time;
        let at = self.tree.at(node);
        let mut on = at.stack();
        if at != At::COLLECTOR {
            self.last = at;
        } else if let Some(stack) = self.last.stack() {
            let on_top = self.collected.entry(stack);
            on = Some(*on_top.or_insert_with(|| builder.new_stack(Some(stack), self.collector)));
        }
        builder.spend_on(on.ok_or(at.off_stack()), Weight { time, samples: 1 });
    }
}

/// The node of a sample; a lone `(program)` within the same outermost function takes that of the sample before.
/// Compared are the samples as recorded, so two `(program)` in a row stay.
#[inline]
fn filled(samples: &[u32], index: usize, tree: &Tree) -> u32 {
    let node = samples[index];
    if tree.at(node) != At::PROGRAM || index == 0 || index + 1 == samples.len() {
        return node;
    }
    let (before, after) = (samples[index - 1], samples[index + 1]);
    let real = |node: u32| !matches!(tree.at(node), At::PROGRAM | At::IDLE | At::COLLECTOR | At::NOWHERE);
    if real(before) && real(after) && tree.bottom[before as usize] == tree.bottom[after as usize] {
        before
    } else {
        node
    }
}

/// Gives each sample a time, and tells what the last one is worth: until the one time too many that some producers
/// write, else the average.
fn fit(timeline: &mut Timeline, samples: usize) -> i64 {
    if timeline.len() < samples {
        let median = timeline.clone().into_median().unwrap_or(0);
        while timeline.len() < samples {
            timeline.push_nanos(median);
        }
    }
    let (mut time, mut first, mut last) = (0i64, 0i64, 0i64);
    for index in 1..samples {
        time = time.saturating_add(timeline.distance(index));
        first = first.min(time);
        last = last.max(time);
    }
    let end = (timeline.len() == samples + 1).then(|| time.saturating_add(timeline.distance(samples)));
    timeline.truncate(samples);
    match end {
        Some(end) => end.saturating_sub(last).max(0),
        None if samples > 1 => last.saturating_sub(first) / (samples as i64 - 1),
        None => 0,
    }
}

/// From the profile's start to its end; nothing if these make no sense.
fn duration(parts: &Parts) -> Amount {
    let unit = if parts.nested { 1e9 } else { 1e3 };
    Amount(((parts.end - parts.start) * unit).round().clamp(0.0, LONGEST_DURATION) as u64)
}
