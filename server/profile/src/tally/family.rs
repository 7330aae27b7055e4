//! The relations of stacks in the forest (above, beside) that a walk needs. Stacks without time are left out.

use crate::model::{StackId, Stacks, Thread, Weight, summed};

/// No stack, depth or key.
pub(super) const NONE: u32 = u32::MAX;

/// The neighbours of a stack in the forest: indices, or [`NONE`].
#[derive(Clone, Copy)]
pub(super) struct Relatives {
    pub(super) first_child: u32,
    pub(super) next_sibling: u32,
    /// The index of its self time.
    pub(super) own: u32,
}

const NOBODY: Relatives = Relatives { first_child: NONE, next_sibling: NONE, own: NONE };

/// The self time of each stack, by stack.
pub(super) fn own<'a>(threads: impl IntoIterator<Item = &'a Thread> + Clone) -> Vec<(StackId, Weight)> {
    let mut first = threads.clone().into_iter();
    if let (Some(only), None) = (first.next(), first.next()) {
        return only.on_stack.iter().collect();
    }
    summed(threads.into_iter().flat_map(|it| &it.on_stack).collect())
}

/// The relatives of each stack, and the first of the outermost ones.
pub(super) fn family(stacks: &Stacks, own: &[(StackId, Weight)]) -> (Vec<Relatives>, u32) {
    let mut family = vec![NOBODY; own.last().map_or(0, |last| last.0.0 as usize + 1)];
    add_own(&mut family, own);
    let mut first = NONE;
    // From the last to the first: then what is above a stack is known before it, siblings come in order, and neighbours
    // in memory stay neighbours.
    for (stack, caller) in stacks.callers().enumerate().take(family.len()).rev() {
        add_to_caller(&mut family, stack as u32, caller, &mut first);
    }
    (family, first)
}

/// The relatives of parts of the stacks, one part after the other. Each takes as long as its own stacks, not as all.
pub(super) struct FamiliesOfParts {
    pub(super) family: Vec<Relatives>,
    /// Whether each stack is in the part.
    is_part: Vec<bool>,
    /// The stacks of the part, in order.
    part: Vec<u32>,
}

impl FamiliesOfParts {
    pub(super) fn new(stacks: &Stacks) -> Self {
        let all = stacks.function.len();
        Self { family: vec![NOBODY; all], is_part: vec![false; all], part: Vec::new() }
    }

    /// Finds the relatives of these stacks and of all below them. Returns all of these stacks, and the first of the outermost ones.
    pub(super) fn find(&mut self, stacks: &Stacks, own: &[(StackId, Weight)]) -> (&[u32], u32) {
        for &stack in &self.part {
            (self.family[stack as usize], self.is_part[stack as usize]) = (NOBODY, false);
        }
        self.part.clear();
        for (stack, _) in own.iter().filter(|it| it.1 != Weight::default()) {
            let mut at = Some(*stack);
            while let Some(stack) = at
                && !std::mem::replace(&mut self.is_part[stack.0 as usize], true)
            {
                self.part.push(stack.0);
                at = stacks.caller(stack);
            }
        }
        self.part.sort_unstable();
        add_own(&mut self.family, own);
        let mut first = NONE;
        for &stack in self.part.iter().rev() {
            add_to_caller(&mut self.family, stack, stacks.caller(StackId(stack)), &mut first);
        }
        (&self.part, first)
    }
}

fn add_own(family: &mut [Relatives], own: &[(StackId, Weight)]) {
    for (index, &(stack, weight)) in own.iter().enumerate() {
        if weight != Weight::default() {
            family[stack.0 as usize].own = index as u32;
        }
    }
}

/// Makes a stack the first child of its caller, unless neither it nor what is above it has time.
#[inline]
fn add_to_caller(family: &mut [Relatives], stack: u32, caller: Option<StackId>, outermost: &mut u32) {
    let Relatives { first_child, own, .. } = family[stack as usize];
    if first_child != NONE || own != NONE {
        let first = caller.map_or(outermost, |it| &mut family[it.0 as usize].first_child);
        let next = std::mem::replace(first, stack);
        family[stack as usize].next_sibling = next;
    }
}
