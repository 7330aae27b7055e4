//! How often each key began to run: from it follows how sure a time is that was sampled.
//!
//! A stretch is neighbouring samples of one thread that all have the key. Ten samples in one stretch were one long call, whose
//! length is known to a sample; ten stretches of one sample each were luck.
//!
//! A collection of garbage counts for the stack of the sample before it, but what ran between the two is not known: it is no stretch, and
//! makes the totals of all keys less sure.

use crate::model::Thread;
use crate::scope::Selection;

/// The stretches of a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stretches {
    /// Stretches in which it was on top of the stack.
    pub own: u32,
    /// Stretches in which it was on the stack at all.
    pub total: u32,
}

/// The collections of garbage of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Collections {
    /// The number of samples in them.
    pub samples: u64,
    /// The sum of the squares of their times, in square nanoseconds; neighbouring samples are one collection.
    pub squares: f64,
}

impl Collections {
    /// Those of a thread.
    pub fn of(thread: &Thread, selection: &Selection<'_>) -> Self {
        let (mut all, mut collected) = (Self::default(), 0.0);
        for sample in thread.in_order.iter() {
            let function = sample.on.ok().map(|it| selection.stacks.function[it.0 as usize]);
            if function.is_some() && function == selection.collector {
                all.samples += sample.weight.samples;
                collected += sample.weight.time.0 as f64;
            } else {
                all.squares += collected * collected;
                collected = 0.0;
            }
        }
        all.squares += collected * collected;
        all
    }
}

impl std::ops::Add for Stretches {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { own: self.own + other.own, total: self.total + other.total }
    }
}

/// No function or sample.
const NONE: u32 = u32::MAX;
/// How many frames may change from sample to sample on average: else the stretches of a recording with very deep stacks would take
/// far longer than all the rest.
const MAX_STEPS_A_SAMPLE: u64 = 256;

/// The stretches of all keys; `None` where the samples are not in order of time, or their stacks are too deep.
pub(super) fn stretches(selection: &Selection<'_>, key_of: &[u32], keys: u32) -> Option<Vec<Stretches>> {
    if selection.threads.iter().any(|it| it.start.is_none() || it.in_order.is_empty()) {
        return None;
    }
    let mut counter = StretchCounter::new(selection, key_of, keys);
    selection.threads.iter().try_for_each(|thread| counter.add(thread))?;
    Some(counter.stretches())
}

struct StretchCounter {
    collector: Option<u32>,
    /// By stack; the last one stands for no stack, which calls all outermost ones.
    frames: Vec<Frame>,
    /// By key; the last one is that of no stack.
    keys: Vec<KeyCount>,
    /// The number of the current sample, over all threads.
    sample: u32,
    steps: u64,
    /// Stacks that are added in a step, the last first.
    entered: Vec<u32>,
}

/// What a step asks of a stack, side by side, as steps go through stacks in no order.
struct Frame {
    caller: u32,
    /// 0 for no stack.
    depth: u32,
    key: u32,
    function: u32,
}

#[derive(Clone)]
struct KeyCount {
    stretches: Stretches,
    /// How often it is on the stack of the current sample.
    on_stack: u32,
    /// The sample at which it left the stack.
    left_at: u32,
}

impl StretchCounter {
    fn new(selection: &Selection<'_>, key_of: &[u32], keys: u32) -> Self {
        let stacks = &*selection.stacks;
        let no_stack = stacks.function.len() as u32;
        let mut frames: Vec<Frame> = Vec::with_capacity(stacks.function.len() + 1);
        for (caller, &function) in stacks.callers().zip(&stacks.function) {
            let depth = caller.map_or(0, |caller| frames[caller.0 as usize].depth) + 1;
            let (caller, key) = (caller.map_or(no_stack, |caller| caller.0), key_of[function.0 as usize]);
            frames.push(Frame { caller, depth, key, function: function.0 });
        }
        frames.push(Frame { caller: no_stack, depth: 0, key: keys, function: NONE });
        let key = KeyCount { stretches: Stretches::default(), on_stack: 0, left_at: NONE };
        Self {
            collector: selection.collector.map(|function| function.0),
            frames,
            keys: vec![key; keys as usize + 1],
            sample: 0,
            steps: 0,
            entered: Vec::new(),
        }
    }

    /// Adds a thread, which begins and ends without a stack; `None` where that takes too long.
    fn add(&mut self, thread: &Thread) -> Option<()> {
        let no_stack = self.frames.len() as u32 - 1;
        let no_key = self.keys.len() as u32 - 1;
        let (mut before, mut own_before) = (no_stack, no_key);
        for sample in thread.in_order.iter() {
            // Time that was put beside a sample, such as a gap, is none.
            let stack =
                if sample.weight.samples == 0 { no_stack } else { sample.on.map_or(no_stack, |on| on.0) };
            let Frame { key: own, function, .. } = self.frames[stack as usize];
            if own != own_before && own != no_key {
                self.keys[own as usize].stretches.own += 1;
            }
            own_before = own;
            if Some(function) == self.collector {
                continue;
            }
            if stack != before {
                self.step(before, stack);
            }
            before = stack;
            self.sample += 1;
            if self.steps > MAX_STEPS_A_SAMPLE * (u64::from(self.sample) + 4096) {
                return None;
            }
        }
        self.step(before, no_stack);
        self.sample += 1;
        Some(())
    }

    /// Goes from the stack of one sample to that of the next: down to where they part, and up again.
    fn step(&mut self, mut from: u32, mut to: u32) {
        self.entered.clear();
        while from != to {
            self.steps += 1;
            let [left, entered] = [from, to].map(|stack| &self.frames[stack as usize]);
            if left.depth >= entered.depth {
                let key = &mut self.keys[left.key as usize];
                key.on_stack -= 1;
                if key.on_stack == 0 {
                    key.left_at = self.sample;
                }
                from = left.caller;
            } else {
                self.entered.push(to);
                to = entered.caller;
            }
        }
        for &stack in &self.entered {
            let key = &mut self.keys[self.frames[stack as usize].key as usize];
            key.on_stack += 1;
            // What left and came back between two samples is in both.
            if key.on_stack == 1 && key.left_at != self.sample {
                key.stretches.total += 1;
            }
        }
    }

    /// By key.
    fn stretches(mut self) -> Vec<Stretches> {
        self.keys.pop();
        self.keys.into_iter().map(|key| key.stretches).collect()
    }
}
