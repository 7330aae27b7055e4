//! Sums up a thread of which only some samples are kept.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::model::{Amount, Population, Sample, SampleLog, StackId, Thread, Weight};

/// Adds up the samples that are kept.
#[derive(Default)]
pub(super) struct KeptSamples {
    on_stack: FxHashMap<StackId, Weight>,
    off_stack: BTreeMap<crate::model::OffStack, Weight>,
    in_order: SampleLog,
    /// When the first sample was taken.
    first: Option<u64>,
    all: Weight,
}

impl KeptSamples {
    /// Adds a sample taken at this moment on the axis of its session, with the numbers of its place and its labels.
    pub(super) fn add(&mut self, taken: u64, Sample { on, weight }: Sample, place: u32, labels: u32) {
        let first = *self.first.get_or_insert(taken);
        self.in_order.next_at(taken.saturating_sub(first) as i64);
        self.in_order.next_has(labels);
        self.in_order.push_at(on, weight, place);
        self.all += weight;
        match on {
            Ok(stack) => *self.on_stack.entry(stack).or_default() += weight,
            Err(why) => *self.off_stack.entry(why).or_default() += weight,
        }
    }

    /// The thread with only these samples; `None` if there are none.
    pub(super) fn of(self, thread: &Thread) -> Option<Thread> {
        let Self { on_stack, off_stack, mut in_order, first, all } = self;
        let mut on_stack: Vec<_> = on_stack.into_iter().collect();
        on_stack.sort_unstable_by_key(|&(stack, _)| stack);
        in_order.shrink();
        let first = first?;
        Some(Thread {
            name: thread.name.clone(),
            start: thread.start.map(|_| Amount(first)),
            samples: all.samples,
            duration: all.time,
            on_stack: on_stack.into_iter().collect(),
            off_stack,
            in_order,
            ticks: thread.ticks.clone(),
            on_place: Vec::new(), // the samples have their places
            in_long_tasks: None,  // those cover whole tasks
            forced: Vec::new(),
            population: thread.population.as_ref().map(Population::changed),
            ..*thread
        })
    }
}
