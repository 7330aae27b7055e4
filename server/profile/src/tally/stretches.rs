//! Counts how often keys began to run, which tells how certain a sampled time is.
//!
//! A stretch is a run of neighbouring samples of one thread that all have the key. Ten samples in one stretch were one
//! long call, whose length is known to within a sample; ten stretches of one sample each were luck.
//!
//! A garbage collection counts for the stack of the sample before it, but what ran between the two is not known. It is
//! not a stretch, and makes the totals of all keys less certain.
//!
//! Stretches are counted on demand, for as many keys at once as a word has bits. Each key has a bit, and each stack has
//! the bits of the keys on it: a bit that a sample has and the previous one lacks began to run. So this takes one step
//! per stack and per sample, however deep the stacks are and however much of them changes.

use rustc_hash::FxHashMap;

use crate::model::{StackId, Thread};
use crate::scope::Selection;

/// The stretches of a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stretches {
    /// Stretches in which it was on top of the stack.
    pub own: u32,
    /// Stretches in which it was on the stack at all.
    pub total: u32,
}

/// The garbage collections of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Collections {
    /// The number of samples in them.
    pub samples: u64,
    /// The sum of the squares of their times, in square nanoseconds; neighbouring samples count as one collection.
    pub squares: f64,
}

impl Collections {
    /// The collections of a thread.
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

/// How many keys are counted in one walk.
pub const AT_ONCE: usize = u64::BITS as usize;

/// The stretches of some keys, each once, in order; `None` if the samples are not in order of time. `key_of` holds each function's key.
pub fn stretches(selection: &Selection<'_>, key_of: &[u32], keys: &[u32]) -> Option<Vec<Stretches>> {
    if selection.threads.iter().any(|it| it.start.is_none() || it.in_order.is_empty()) {
        return None;
    }
    Some(keys.chunks(AT_ONCE).flat_map(|keys| counted(selection, key_of, keys)).collect())
}

/// What a sample says about the keys.
#[derive(Clone, Copy, Default)]
struct Sampled {
    /// The bits of the keys on its stack.
    all: u64,
    /// The bit of the key on top.
    own: u64,
    is_collection: bool,
}

fn counted(selection: &Selection<'_>, key_of: &[u32], keys: &[u32]) -> Vec<Stretches> {
    let stacks = &*selection.stacks;
    let bits: FxHashMap<u32, u64> = keys.iter().zip(0..).map(|(&key, place)| (key, 1 << place)).collect();
    let bit_of: Vec<u64> = key_of.iter().map(|key| bits.get(key).copied().unwrap_or(0)).collect();
    let mut keys_on: Vec<u64> = Vec::with_capacity(stacks.function.len());
    for (caller, &function) in stacks.callers().zip(&stacks.function) {
        let below = caller.map_or(0, |it| keys_on[it.0 as usize]);
        keys_on.push(below | bit_of[function.0 as usize]);
    }
    let sampled = |stack: Option<StackId>| {
        stack.map_or_else(Sampled::default, |stack| {
            let function = stacks.function[stack.0 as usize];
            let is_collection = Some(function) == selection.collector;
            Sampled { all: keys_on[stack.0 as usize], own: bit_of[function.0 as usize], is_collection }
        })
    };
    let (mut own_counts, mut counts) = (Counters::default(), Counters::default());
    for thread in &selection.threads {
        let (mut before, mut own_before) = (0, 0);
        // Time that was added between samples, such as a gap, is on no stack.
        let mut stacks = thread.in_order.iter().map(|it| it.on.ok().filter(|_| it.weight.samples > 0));
        // In batches, so that the processor waits for many places of the table at once.
        let mut some = [None; 256];
        loop {
            let read = some.iter_mut().zip(&mut stacks).map(|(it, stack)| *it = stack).count();
            let found = some.map(sampled);
            for now in &found[..read] {
                own_counts.add(now.own & !own_before);
                own_before = now.own;
                if !now.is_collection {
                    counts.add(now.all & !before);
                    before = now.all;
                }
            }
            if read < some.len() {
                break;
            }
        }
    }
    let stretches = |place| Stretches { own: own_counts.get(place), total: counts.get(place) };
    (0..keys.len()).map(stretches).collect()
}

/// A number for each bit of a word. The numbers are stored vertically: each word holds one binary digit of all of them,
/// lowest first. A step thus adds to all at once, and seldom touches more than a few digits.
#[derive(Default)]
struct Counters([u64; u32::BITS as usize]);

impl Counters {
    /// Adds one to the numbers of these bits.
    #[inline]
    fn add(&mut self, bits: u64) {
        let mut carry = bits;
        for digits in &mut self.0 {
            if carry == 0 {
                break;
            }
            (*digits, carry) = (*digits ^ carry, *digits & carry);
        }
    }

    /// The number of a bit.
    fn get(&self, place: usize) -> u32 {
        self.0.iter().rev().fold(0, |number, digits| number << 1 | (digits >> place & 1) as u32)
    }
}
