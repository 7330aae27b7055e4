//! The stacks of a flame graph: each way from an outermost function up, by what functions stand for, once.

use profile::{FunctionId, StackId, Stacks};
use rustc_hash::FxHashMap;

/// Stacks as a forest, in columns: callers always have lower indices. No two have the same caller and function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlameStacks {
    /// By stack: the function on top of it, an index into [`crate::FlameGraph::functions`].
    pub function: Vec<u32>,
    /// By stack: the stack below, `None` for an outermost function.
    pub caller: Vec<Option<u32>>,
    known: FxHashMap<(Option<u32>, u32), u32>,
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

    /// The stacks that those of a profile are; only the used ones count, and what they stand on.
    pub(crate) fn add(
        &mut self,
        stacks: &Stacks,
        used: impl Iterator<Item = StackId>,
        mut function: impl FnMut(FunctionId) -> u32,
    ) -> Vec<u32> {
        let mut is_used = vec![false; stacks.function.len()];
        used.for_each(|it| is_used[it.0 as usize] = true);
        for (stack, caller) in stacks.callers().enumerate().rev() {
            if let Some(caller) = caller.filter(|_| is_used[stack]) {
                is_used[caller.0 as usize] = true;
            }
        }
        let mut became = vec![u32::MAX; stacks.function.len()];
        for (stack, caller) in stacks.callers().enumerate().filter(|it| is_used[it.0]) {
            let caller = caller.map(|it| became[it.0 as usize]);
            became[stack] = self.intern(caller, function(stacks.function[stack]));
        }
        became
    }

    /// Their number.
    pub fn len(&self) -> usize {
        self.function.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.function.is_empty()
    }
}
