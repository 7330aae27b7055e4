//! The calls of a thread of a trace, from its samples and its events.

use super::nodes::ThreadEvents;
use super::tree::{NodePlace, NodeTree, node_of_sample};
use crate::builder::ProfileBuilder;
use crate::calls::{NO_SAMPLE, Seen, calls};
use crate::model::{Calls, FunctionId};
use crate::timeline::Timeline;

/// Samples in order, of which the first was taken `earliest` after the start of the profile.
pub(super) fn of_thread(
    thread_events: &ThreadEvents,
    earliest: i64,
    samples: &[u32],
    timeline: &Timeline,
    tree: &NodeTree,
    builder: &ProfileBuilder,
) -> Vec<(FunctionId, Calls)> {
    let Some(first) = tree.at.iter().filter_map(|at| at.stack()).min() else { return Vec::new() };
    let (mut time, mut before) = (thread_events.start.saturating_add(earliest), NO_SAMPLE);
    let samples = (0..samples.len()).map(|index| {
        time = time.saturating_add(if index > 0 { timeline.distance(index) } else { 0 });
        // The collector runs on the stack that it interrupted, which goes on afterwards.
        let node = node_of_sample(samples, index, tree);
        before = if tree.at(node) == NodePlace::COLLECTOR { before } else { node };
        (time, before)
    });
    calls(builder.tables(), first, samples, &thread_events.events, |node| match tree.at(node) {
        NodePlace::NOWHERE => None,
        at => Some(at.stack().map_or(Seen::NoFunction, Seen::Stack)),
    })
}
