//! V8's `.cpuprofile`, `Profiler.Profile` of the DevTools protocol, for a single thread.
//!
//! <https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile>. It is written such that the rules of
//! DevTools' `CPUProfileDataModel`, which are also ours, reproduce our times:
//! - A sample lasts until the next one, the last for the average. If that is not how long it lasted, an `(idle)` sample
//!   ends it. (An extra time would do that for DevTools, but VS Code's viewer fails on it.)
//! - The collector is at the root, and belongs on top of the previous sample. Elsewhere it is an ordinary frame.
//! - A lone `(program)` within one outermost function is taken for that function, so one that is not is written twice.
//!
//! Times are whole microseconds, rounded as sums so that errors never add up. The format has no other time without a
//! stack than `(idle)` and `(program)`: no stack and gaps become the former, everything else the latter.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::json;
use super::single_samples::{SingleSample, single_samples};
use crate::model::{Amount, FunctionId, FunctionKind, OffStack, Profile, StackId, Thread};
use crate::timeline::Rounded;

/// Ids of nodes; those of stacks follow.
const ROOT: u32 = 1;
const PROGRAM: u32 = 2;
const IDLE: u32 = 3;
const COLLECTOR: u32 = 4;
const FIRST_STACK: u32 = 5;

/// In microseconds. Readers take 0 for a missing time.
const START: u64 = 1_000_000;

/// No stack.
const NONE: u32 = u32::MAX;

pub(super) fn write(profile: &Profile, thread: &Thread, out: &mut dyn Write) -> io::Result<()> {
    let tree = WrittenTree::new(profile, thread);
    let samples = WrittenSamples::of(thread, profile, &tree);
    let mut hits = vec![0u32; tree.nodes as usize];
    for &(node, _) in &samples {
        hits[node as usize] += 1;
    }
    out.write_all(br#"{"nodes":["#)?;
    tree.write_root(&hits, out)?;
    let ticks = line_ticks(profile, thread);
    let mut ticks = ticks.iter().peekable();
    for stack in (0..tree.node_of.len() as u32).filter(|&it| tree.node_of[it as usize] != NONE) {
        let node = tree.node_of[stack as usize];
        write!(out, r#",{{"id":{node},"callFrame":"#)?;
        write_call_frame(profile, profile.stacks.function[stack as usize], out)?;
        write!(out, r#","hitCount":{},"children":"#, hits[node as usize])?;
        json::list(tree.children(stack), out, |it, out| write!(out, "{it}"))?;
        if ticks.peek().is_some_and(|it| it.0.0.0 == stack) {
            out.write_all(br#","positionTicks":"#)?;
            let of_stack = std::iter::from_fn(|| ticks.next_if(|it| it.0.0.0 == stack));
            json::list(of_stack, out, |&((_, line), ticks), out| {
                write!(out, r#"{{"line":{},"ticks":{ticks}}}"#, u64::from(line) + 1)
            })?;
        }
        out.write_all(b"}")?;
    }
    let duration: u64 = samples.iter().map(|&(_, micros)| micros).sum();
    write!(out, r#"],"startTime":{START},"endTime":{},"samples":"#, START + duration)?;
    json::list(&samples, out, |(node, _), out| write!(out, "{node}"))?;
    out.write_all(br#","timeDeltas":"#)?;
    // Each distance is relative to the previous sample.
    let before = std::iter::once(0).chain(samples.iter().map(|&(_, micros)| micros));
    json::list(before.take(samples.len()), out, |micros, out| write!(out, "{micros}"))?;
    if !thread.name.is_empty() {
        out.write_all(br#","title":"#)?;
        json::text(&thread.name, out)?;
    }
    out.write_all(b"}\n")
}

/// How often each stack of a thread was seen on each line, sorted; the format has no columns.
fn line_ticks(profile: &Profile, thread: &Thread) -> Vec<((StackId, u32), u32)> {
    let mut ticks: BTreeMap<(StackId, u32), u32> = BTreeMap::new();
    let mut add = |stack, place, number: u64| {
        if let Some(line) = profile.places.get(place).line {
            let sum = ticks.entry((stack, line)).or_default();
            *sum = sum.saturating_add(u32::try_from(number).unwrap_or(u32::MAX));
        }
    };
    if thread.ticks.is_empty() {
        thread.self_places(&profile.stacks, &profile.places, |stack, place, weight| {
            add(stack, place, weight.samples);
        });
    }
    thread.ticks.iter().for_each(|it| add(it.stack, it.place, u64::from(it.ticks)));
    ticks.retain(|_, number| *number > 0);
    ticks.into_iter().collect()
}

/// The stacks of a thread, as nodes below `(root)`.
struct WrittenTree {
    /// The node of each stack; [`NONE`] if it is not on the thread.
    node_of: Vec<u32>,
    /// For each stack, the first one above it and the next one beside it, or [`NONE`].
    relatives: Vec<(u32, u32)>,
    first: u32,
    /// One more than the last id.
    nodes: u32,
}

impl WrittenTree {
    fn new(profile: &Profile, thread: &Thread) -> Self {
        let count = profile.stacks.function.len();
        let mut used = vec![false; count];
        for (stack, _) in &thread.on_stack {
            used[stack.0 as usize] = true;
        }
        let (mut relatives, mut first) = (vec![(NONE, NONE); count], NONE);
        // From the last to the first: then what is above a stack is known before it, and siblings end up in order.
        for (stack, caller) in profile.stacks.callers().enumerate().rev() {
            if !used[stack] {
                continue;
            }
            let above = match caller {
                None => &mut first,
                Some(caller) => {
                    used[caller.0 as usize] = true;
                    &mut relatives[caller.0 as usize].0
                }
            };
            relatives[stack].1 = std::mem::replace(above, stack as u32);
        }
        let mut nodes = FIRST_STACK;
        let node_of = used.into_iter().map(|used| {
            nodes += u32::from(used);
            if used { nodes - 1 } else { NONE }
        });
        Self { node_of: node_of.collect(), relatives, first, nodes }
    }

    /// The nodes that a stack called.
    fn children(&self, stack: u32) -> impl Iterator<Item = u32> {
        self.siblings(self.relatives[stack as usize].0)
    }

    fn siblings(&self, first: u32) -> impl Iterator<Item = u32> {
        std::iter::successors(known(first), move |&it| known(self.relatives[it as usize].1))
            .map(|it| self.node_of[it as usize])
    }

    /// `(root)` and V8's own nodes.
    fn write_root(&self, hits: &[u32], out: &mut dyn Write) -> io::Result<()> {
        for (id, name) in [
            (ROOT, "(root)"),
            (PROGRAM, OffStack::Program.frame()),
            (IDLE, OffStack::Idle.frame()),
            (COLLECTOR, OffStack::GarbageCollector.frame()),
        ] {
            let comma = if id == ROOT { "" } else { "," };
            write!(
                out,
                r#"{comma}{{"id":{id},"callFrame":{{"functionName":"{name}","scriptId":"0","url":"","#
            )?;
            write!(out, r#""lineNumber":-1,"columnNumber":-1}},"hitCount":{}"#, hits[id as usize])?;
            if id == ROOT {
                out.write_all(br#","children":"#)?;
                let children = [PROGRAM, IDLE, COLLECTOR].into_iter().chain(self.siblings(self.first));
                json::list(children, out, |it, out| write!(out, "{it}"))?;
            }
            out.write_all(b"}")?;
        }
        Ok(())
    }
}

/// A stack in the tree, which has [`NONE`] if there is no further one.
fn known(stack: u32) -> Option<u32> {
    (stack != NONE).then_some(stack)
}

fn write_call_frame(profile: &Profile, id: FunctionId, out: &mut dyn Write) -> io::Result<()> {
    let function = &profile.functions[id.0 as usize];
    let script = function.resource.map_or(0, |it| u64::from(it.0) + 1);
    out.write_all(br#"{"functionName":"#)?;
    json::text(profile.name(id), out)?;
    write!(out, r#","scriptId":"{script}","url":"#)?;
    json::text(profile.resource(id).unwrap_or_default(), out)?;
    let line = function.defined_at.map_or(-1, |it| i64::from(it.line));
    let column = function.defined_at.and_then(|it| it.column).map_or(-1, i64::from);
    write!(out, r#","lineNumber":{line},"columnNumber":{column}}}"#)
}

/// A node for each sample, and its time in microseconds.
struct WrittenSamples<'p> {
    profile: &'p Profile,
    tree: &'p WrittenTree,
    rows: Vec<(u32, u64)>,
    /// The stack of the previous sample, ignoring the collector.
    before: Option<StackId>,
    /// The stack of the sample before that, if there is a lone `(program)` in between.
    before_program: Option<StackId>,
}

impl<'p> WrittenSamples<'p> {
    fn of(thread: &Thread, profile: &'p Profile, tree: &'p WrittenTree) -> Vec<(u32, u64)> {
        let mut samples = Self { profile, tree, rows: Vec::new(), before: None, before_program: None };
        let (mut rounded, mut last) = (Rounded::new(1000), Amount(0));
        for SingleSample { on, amount, .. } in single_samples(profile, thread) {
            last = amount;
            samples.push(on, rounded.next(amount));
        }
        samples.end(last);
        samples.rows
    }

    fn push(&mut self, on: Result<StackId, OffStack>, micros: u64) {
        let before_program = self.before_program.take();
        match on {
            Ok(stack) => {
                if self.before.is_some() && self.before == interrupted(self.profile, stack) {
                    self.rows.push((COLLECTOR, micros));
                    return;
                }
                if before_program.is_some_and(|it| self.outermost(it) == self.outermost(stack)) {
                    self.rows.push((PROGRAM, 0));
                }
                self.rows.push((self.tree.node_of[stack.0 as usize], micros));
                self.before = Some(stack);
                return;
            }
            Err(OffStack::Idle | OffStack::NoStack | OffStack::Unsampled) => self.rows.push((IDLE, micros)),
            Err(OffStack::GarbageCollector) => {
                if self.before.is_some() {
                    self.rows.push((PROGRAM, 0));
                }
                self.rows.push((COLLECTOR, micros));
            }
            Err(OffStack::Program | OffStack::Native | OffStack::Unknown) => {
                let is_behind_collector = self.rows.last().is_some_and(|it| it.0 == COLLECTOR);
                self.before_program = self.before.filter(|_| !is_behind_collector);
                self.rows.push((PROGRAM, micros));
            }
        }
        self.before = None;
    }

    /// Makes the last sample last this long.
    fn end(&mut self, last: Amount) {
        let start: u64 = self.rows.iter().rev().skip(1).map(|&(_, micros)| micros).sum();
        let average = (start * 1000).checked_div(self.rows.len().saturating_sub(1) as u64);
        if average.is_none_or(|average| average.abs_diff(last.0) >= 1000) {
            self.rows.push((IDLE, 0));
        }
    }

    fn outermost(&self, stack: StackId) -> StackId {
        let mut at = stack;
        while let Some(caller) = self.profile.stacks.caller(at) {
            at = caller;
        }
        at
    }
}

/// The stack that the collector interrupted, if it runs on top.
fn interrupted(profile: &Profile, stack: StackId) -> Option<StackId> {
    let on_top = profile.stacks.function[stack.0 as usize];
    let is_collector = profile.functions[on_top.0 as usize].kind == FunctionKind::GarbageCollector;
    profile.stacks.caller(stack).filter(|_| is_collector)
}
