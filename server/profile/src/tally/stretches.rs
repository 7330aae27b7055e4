//! How often each key began to run: from it follows how sure a time is that was sampled.
//!
//! A stretch is neighbouring samples of one thread that all have the key. Ten samples in one stretch were one long call, whose
//! length is known to a sample; ten stretches of one sample each were luck.
//!
//! A collection of garbage counts for the stack of the sample before it, but what ran between the two is not known: it is no stretch, and
//! makes the totals of all keys less sure.

use crate::model::{FunctionId, StackId, Stacks, Thread};
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

/// No stack, key or sample.
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
    selection.threads.iter().try_for_each(|it| counter.add(it))?;
    Some(counter.stretches)
}

struct StretchCounter<'a> {
    stacks: &'a Stacks,
    collector: Option<FunctionId>,
    key_of: &'a [u32],
    depth: Vec<u32>,
    stretches: Vec<Stretches>,
    /// By key: how often it is on the stack of the current sample.
    on_stack: Vec<u32>,
    /// By key: the sample at which it left the stack.
    left_at: Vec<u32>,
    /// The number of the current sample, over all threads.
    sample: u32,
    steps: u64,
    /// Stacks that are added in a step, the last first.
    entered: Vec<u32>,
}

impl<'a> StretchCounter<'a> {
    fn new(selection: &'a Selection<'_>, key_of: &'a [u32], keys: u32) -> Self {
        let stacks = &*selection.stacks;
        let mut depth: Vec<u32> = Vec::with_capacity(stacks.function.len());
        for caller in stacks.callers() {
            depth.push(caller.map_or(0, |it| depth[it.0 as usize] + 1));
        }
        let keys = keys as usize;
        let (stretches, on_stack, left_at) =
            (vec![Stretches::default(); keys], vec![0; keys], vec![NONE; keys]);
        Self {
            stacks,
            collector: selection.collector,
            key_of,
            depth,
            stretches,
            on_stack,
            left_at,
            sample: 0,
            steps: 0,
            entered: Vec::new(),
        }
    }

    /// Adds a thread, which begins and ends without a stack; `None` where that takes too long.
    fn add(&mut self, thread: &Thread) -> Option<()> {
        let (mut before, mut own_before) = (NONE, NONE);
        for sample in thread.in_order.iter() {
            // Time that was put beside a sample, such as a gap, is none.
            let stack = if sample.weight.samples == 0 { NONE } else { sample.on.map_or(NONE, |it| it.0) };
            let own = self.key(stack);
            if own != own_before && own != NONE {
                self.stretches[own as usize].own += 1;
            }
            own_before = own;
            if stack != NONE && Some(self.stacks.function[stack as usize]) == self.collector {
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
        self.step(before, NONE);
        self.sample += 1;
        Some(())
    }

    /// Goes from the stack of one sample to that of the next: down to where they part, and up again.
    fn step(&mut self, mut from: u32, mut to: u32) {
        self.entered.clear();
        while from != to {
            self.steps += 1;
            let down = |stack: u32| self.stacks.caller(StackId(stack)).map_or(NONE, |it| it.0);
            let depth = |stack: u32| if stack == NONE { -1 } else { i64::from(self.depth[stack as usize]) };
            if depth(from) >= depth(to) {
                let key = self.key(from) as usize;
                self.on_stack[key] -= 1;
                if self.on_stack[key] == 0 {
                    self.left_at[key] = self.sample;
                }
                from = down(from);
            } else {
                self.entered.push(to);
                to = down(to);
            }
        }
        for stack in std::mem::take(&mut self.entered) {
            let key = self.key(stack) as usize;
            self.on_stack[key] += 1;
            // What left and came back between two samples is in both.
            if self.on_stack[key] == 1 && self.left_at[key] != self.sample {
                self.stretches[key].total += 1;
            }
        }
    }

    fn key(&self, stack: u32) -> u32 {
        if stack == NONE { NONE } else { self.key_of[self.stacks.function[stack as usize].0 as usize] }
    }
}
