//! The stacks of a flame graph: each path from an outermost function upwards, by what the functions stand for, once.

use profile::model::{FunctionId, OffStack, StackId};
use profile::scope::Selection;
use rustc_hash::FxHashMap;

/// Stacks as a forest, in columns: callers always have lower indices. No two have the same caller and function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlameStacks {
    /// By stack: the function on top of it, an index into [`crate::graph::FlameGraph::functions`].
    pub function: Vec<u32>,
    /// By stack: the stack below, `None` for an outermost function.
    pub caller: Vec<Option<u32>>,
    known: FxHashMap<(Option<u32>, u32), u32>,
}

/// The stacks of the flame graph that belong to those of a selection.
pub(crate) struct Became {
    /// By stack of the selection: the stack of the graph.
    pub(crate) stacks: Vec<u32>,
    /// The functions that stand for time without a stack.
    pub(crate) off_stack: [u32; OffStack::ALL.len()],
}

impl FlameStacks {
    /// The stack with this function on top.
    pub(crate) fn intern(&mut self, caller: Option<u32>, function: u32) -> u32 {
        *self.known.entry((caller, function)).or_insert_with(|| {
            self.caller.push(caller);
            self.function.push(function);
            self.function.len() as u32 - 1
        })
    }

    /// The stacks that those of a selection become; only the used ones count, and what they stand on.
    pub(crate) fn add(
        &mut self,
        selection: &Selection<'_>,
        mut function: impl FnMut(FunctionId) -> u32,
    ) -> Vec<u32> {
        let stacks = &selection.stacks;
        let mut is_used = vec![false; stacks.function.len()];
        for (stack, _) in selection.threads.iter().flat_map(|thread| thread.on_stack.iter()) {
            is_used[stack.0 as usize] = true;
        }
        for (stack, caller) in stacks.callers().enumerate().rev() {
            if let Some(caller) = caller.filter(|_| is_used[stack]) {
                is_used[caller.0 as usize] = true;
            }
        }
        let mut became = vec![u32::MAX; stacks.function.len()];
        for (stack, caller) in stacks.callers().enumerate().filter(|(stack, _)| is_used[*stack]) {
            let below = caller.map(|caller| became[caller.0 as usize]);
            became[stack] = self.intern(below, function(stacks.function[stack]));
        }
        became
    }

    /// The stack that time without a stack is on.
    pub(crate) fn place(&mut self, on: Result<StackId, OffStack>, became: &Became) -> u32 {
        match on {
            Ok(stack) => became.stacks[stack.0 as usize],
            Err(why) => self.intern(None, became.off_stack[why as usize]),
        }
    }

    /// Their number.
    pub fn len(&self) -> usize {
        self.function.len()
    }

    /// Whether there are no stacks.
    pub fn is_empty(&self) -> bool {
        self.function.is_empty()
    }
}
