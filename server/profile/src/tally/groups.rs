//! The cost of groups of functions, such as all of a file. It is only self and total time, not who called whom, because
//! somebody is waiting for the answer.

use super::cost::Cost;
use super::family::{NONE, family, own};
use crate::model::Weight;
use crate::scope::Selection;

/// One way to group functions.
pub struct Groups {
    /// The group of each function.
    pub of_function: Vec<u32>,
    /// An upper bound of all groups, exclusive.
    pub number: u32,
}

/// A stack on the path.
struct GroupStep<const N: usize> {
    next_sibling: u32,
    groups: [u32; N],
    is_outermost: [bool; N],
    /// The time of this stack, and of those above it that the path has left.
    all: Weight,
}

/// The cost of each group, for several groupings at once. A group counts once per stack.
pub fn group_costs<const N: usize>(selection: &Selection<'_>, groups: &[Groups; N]) -> [Vec<Cost>; N] {
    let own = own(selection.threads.iter().map(AsRef::as_ref));
    let (family, mut next) = family(&selection.stacks, &own);
    let mut costs = groups.each_ref().map(|it| vec![Cost::default(); it.number as usize]);
    let mut is_on_path = groups.each_ref().map(|it| vec![false; it.number as usize]);
    let mut path: Vec<GroupStep<N>> = Vec::new();
    loop {
        if next != NONE {
            let relatives = family[next as usize];
            let own = own.get(relatives.own as usize).map_or(Weight::default(), |own| own.1);
            let function = selection.stacks.function[next as usize].0 as usize;
            let groups = groups.each_ref().map(|it| it.of_function[function]);
            let mut is_outermost = [false; N];
            for way in 0..N {
                let group = groups[way] as usize;
                costs[way][group].self_time += own.time;
                costs[way][group].self_samples += own.samples;
                is_outermost[way] = !std::mem::replace(&mut is_on_path[way][group], true);
            }
            path.push(GroupStep { next_sibling: relatives.next_sibling, groups, is_outermost, all: own });
            next = relatives.first_child;
        } else if let Some(GroupStep { next_sibling, groups, is_outermost, all }) = path.pop() {
            for way in (0..N).filter(|&way| is_outermost[way]) {
                let group = groups[way] as usize;
                is_on_path[way][group] = false;
                costs[way][group].total_time += all.time;
                costs[way][group].total_samples += all.samples;
            }
            if let Some(caller) = path.last_mut() {
                caller.all += all;
            }
            next = next_sibling;
        } else {
            return costs;
        }
    }
}
