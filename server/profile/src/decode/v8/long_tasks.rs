//! Finds the long tasks of a thread in which each function was seen:
//!
//! ```text
//! long tasks   [----- 0 -----]      [----- 1 -----]
//! samples        a   a   b      a     b   b   (gc)        a in 0; b in 0 and 1
//! ```

use super::events::{EventKind, ThreadEvents};
use super::tree::{NodePlace, NodeTree, node_of_sample};
use crate::builder::ProfileBuilder;
use crate::model::FunctionId;
use crate::timeline::Timeline;

/// The functions that were seen in long tasks, each with the numbers of the tasks; `None` for a thread without any tasks.
/// The samples are in order of time, and the first one was taken `earliest` after the start of the profile.
pub(super) fn of_functions(
    thread: &ThreadEvents,
    earliest: i64,
    samples: &[u32],
    timeline: &Timeline,
    tree: &NodeTree,
    builder: &ProfileBuilder,
) -> Option<Vec<(FunctionId, Vec<u32>)>> {
    if thread.events.iter().all(|event| event.kind != EventKind::Task) {
        return None;
    }
    let mut tasks: Vec<(i64, i64)> = Vec::new();
    for task in thread.events.iter().filter(|event| event.is_long_task()) {
        // A task that another one runs and waits for is part of that.
        if tasks.last().is_none_or(|before| before.1 <= task.start) {
            tasks.push((task.start, task.end));
        }
    }
    let profile = builder.tables();
    let mut of_function: Vec<Vec<u32>> = vec![Vec::new(); profile.functions.len()];
    // For each stack, the number of the task in which it was last seen, plus 1.
    let mut seen_in = vec![0; profile.stacks.function.len()];
    let (mut number, mut time) = (0, thread.start.saturating_add(earliest));
    let mut interrupted = NodePlace::NOWHERE;
    for index in 0..samples.len() {
        time = time.saturating_add(if index > 0 { timeline.distance(index) } else { 0 });
        let at = tree.at(node_of_sample(samples, index, tree));
        // The collector runs on the stack that it interrupted.
        interrupted = if at == NodePlace::COLLECTOR { interrupted } else { at };
        number += tasks[number..].iter().take_while(|task| task.1 <= time).count();
        let Some(task) = tasks.get(number) else { break };
        let mut next = interrupted.stack().filter(|_| task.0 <= time);
        while let Some(stack) = next
            && seen_in[stack.0 as usize] <= number
        {
            seen_in[stack.0 as usize] = number + 1;
            let of_this = &mut of_function[profile.stacks.function[stack.0 as usize].0 as usize];
            if of_this.last() != Some(&(number as u32)) {
                of_this.push(number as u32);
            }
            next = profile.stacks.caller(stack);
        }
    }
    let seen = (0..).map(FunctionId).zip(of_function).filter(|(_, tasks)| !tasks.is_empty());
    Some(seen.collect())
}
