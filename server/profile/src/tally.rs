//! Self and total time of any key, and who called whom, in one walk over the stacks that is linear in their number.
//!
//! A key is whatever the caller decides a function counts for: a definition, a package, the function itself. In `total`,
//! a key counts once per stack, however deep the recursion, so no total exceeds the whole.
//!
//! Four samples of 1 ms, in which `a` calls `b`, and `b` calls `a` again:
//!
//! ```text
//! samples             self  total  callers    callees
//! a               a   2     4      nobody: 4  b: 2
//! a;b             b   2     3      a: 3       a: 1
//! a;b;a
//! a;b;a;b
//! ```
//!
//! The walk goes down each branch and comes back up. On the way down, it records at which depth each key is innermost. On
//! the way up, it knows the time of everything above a stack, and counts it:
//!
//! - `total` and callers at the outermost occurrence of a key, so that the callers of `a` add up to its total of 4;
//! - callees at the innermost occurrence: in `a;b;a;b`, the inner `a` called the inner `b`, and that 1 ms does not count
//!   again at the outer `a`. So the self time of `a` (2) and its callees (2) add up to its total, too.

mod cost;
mod family;
mod groups;
mod lines;
mod stretches;

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

pub use self::cost::Cost;
use self::family::{FamiliesOfParts, NONE, Relatives, family, own};
pub use self::groups::{Groups, group_costs};
pub use self::lines::LineCost;
use self::lines::lines;
pub use self::stretches::{AT_ONCE, Collections, Stretches, stretches};
use crate::model::{Squares, StackId, Stacks, Thread, Weight};
use crate::scope::Selection;

/// The other end of a key's calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Its key; `None` for the entry: the stack begins with the key.
    pub other: Option<u32>,
    /// The time and samples of these calls.
    pub weight: Weight,
}

/// The costs of all keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// The cost of each key.
    pub costs: Vec<Cost>,
    /// The callers of each key, hottest first. Counted at the outermost occurrence, so that they add up to its total.
    pub callers: Vec<Vec<Call>>,
    /// The callees of each key, hottest first. Counted at the innermost occurrence, so that they add up to its total with its self time.
    pub callees: Vec<Vec<Call>>,
    /// By function and place, if the trace has lines.
    pub lines: Vec<LineCost>,
    /// The number of sessions in which each key was on a stack.
    pub sessions: Vec<u32>,
    /// The costs of keys on the threads of each role (see [`Selection::roles`]), by key; only those that cost anything.
    pub by_role: Vec<Vec<(u32, Cost)>>,
    /// For each key, the sums over sessions of the squares of its self and total time, which tell how much sessions
    /// differ. For a single session, these are just the squares.
    pub squares: Vec<Squares>,
}

/// Adds up a part of a profile. `key_of` holds each function's key, all below `keys`.
pub fn tally(selection: &Selection<'_>, key_of: &[u32], keys: u32) -> Tally {
    let walk = || Walk::new(&selection.stacks, key_of, keys);
    let is_one_session = selection.threads.windows(2).all(|it| it[0].session == it[1].session);
    let (walked, by_role, squares) = if selection.roles.len() > 1 || !is_one_session {
        let mut walk = walk();
        let (by_role, squares) = walk.by_part(selection);
        (walk, by_role, squares)
    } else {
        let own = own(selection.threads.iter().map(AsRef::as_ref));
        // The cost of two sets of samples is the sum of the cost of each.
        let (lower, upper) = own.split_at(if own.len() < WORTH_A_THREAD { 0 } else { own.len() / 2 });
        let (mut walked, others) = both(!lower.is_empty(), || walk().over(upper), || walk().over(lower));
        walked.add(others);
        let costs = (0..).zip(walked.costs.iter().copied()).filter(|it| it.1 != Cost::default());
        let by_role = vec![costs.collect()];
        let squares = walked.costs.iter().map(|it| squares(*it)).collect();
        (walked, by_role, squares)
    };
    let lines = lines(selection);
    let Walk { costs, edges, .. } = walked;
    let many = edges.len() >= WORTH_A_THREAD;
    let (callers, callees) = both(
        many,
        || by_key(&edges, keys, CallEdge::of_callee),
        || by_key(&edges, keys, CallEdge::of_caller),
    );
    let sessions = sessions(selection, key_of, &costs);
    Tally { costs, callers, callees, lines, sessions, by_role, squares }
}

fn squares(cost: Cost) -> Squares {
    [cost.self_time, cost.total_time].map(|it| (it.0 as f64).powi(2))
}

/// From this number of stacks on, a second thread goes through half of them.
const WORTH_A_THREAD: usize = 1 << 14;

/// Runs both, either `at_once` or one after the other. A second thread halves the time of the longest steps, and does
/// not affect the result.
#[allow(clippy::disallowed_methods, reason = "it ends before the function does")]
fn both<A, B: Send>(at_once: bool, one: impl FnOnce() -> A, other: impl FnOnce() -> B + Send) -> (A, B) {
    if !at_once {
        return (one(), other());
    }
    std::thread::scope(|scope| {
        let other = scope.spawn(other);
        (one(), other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// The number of sessions in which each key was on a stack. Each session only visits its own stacks, and each of them
/// once: a thousand sessions cost no more than their stacks together. The threads of a session are adjacent.
fn sessions(selection: &Selection<'_>, key_of: &[u32], costs: &[Cost]) -> Vec<u32> {
    let mut numbers = selection.threads.iter().map(|it| it.session);
    let first = numbers.next();
    if numbers.all(|it| Some(it) == first) {
        return costs.iter().map(|it| u32::from(*it != Cost::default())).collect();
    }
    let stacks = &selection.stacks;
    let mut counts = vec![0; costs.len()];
    // The last session in which each key was seen.
    let mut seen = vec![NONE; costs.len()];
    let mut passed = vec![NONE; stacks.function.len()];
    for thread in &selection.threads {
        for (stack, _) in thread.on_stack.iter().filter(|it| it.1 != Weight::default()) {
            let mut at = Some(stack);
            while let Some(stack) = at {
                let index = stack.0 as usize;
                if std::mem::replace(&mut passed[index], thread.session) == thread.session {
                    break;
                }
                let key = key_of[stacks.function[index].0 as usize] as usize;
                counts[key] += u32::from(std::mem::replace(&mut seen[key], thread.session) != thread.session);
                at = stacks.caller(stack);
            }
        }
    }
    counts
}

struct Walk<'a> {
    stacks: &'a Stacks,
    key_of: &'a [u32],
    costs: Vec<Cost>,
    /// The stacks from the root to the current one.
    path: Vec<Step>,
    /// The depth of each key's innermost occurrence on the path.
    innermost: Vec<u32>,
    edges: Vec<CallEdge>,
    /// The index of each edge, by caller and callee. The edges themselves are stored separately, as a hash table is copied when it grows.
    edge_at: FxHashMap<(u32, u32), u32>,
}

struct Step {
    next_sibling: u32,
    key: u32,
    /// The previous value of `innermost` for this key.
    innermost_before: u32,
    /// The time of this stack, and of those above it that the path has left.
    all: Weight,
    /// The part of it in which the caller's key occurs again further up, where it is counted instead.
    not_of_caller: Weight,
}

/// The two ways to count a call.
struct CallEdge {
    /// [`NONE`] for the entry.
    caller: u32,
    callee: u32,
    /// The time in which the callee is outermost.
    of_callee: Weight,
    /// The time in which the caller is innermost.
    of_caller: Weight,
}

impl<'a> Walk<'a> {
    fn new(stacks: &'a Stacks, key_of: &'a [u32], keys: u32) -> Self {
        Self {
            stacks,
            key_of,
            costs: vec![Cost::default(); keys as usize],
            path: Vec::new(),
            innermost: vec![NONE; keys as usize],
            edges: Vec::new(),
            edge_at: FxHashMap::default(),
        }
    }

    /// Adds these stacks.
    fn over(mut self, own: &[(StackId, Weight)]) -> Self {
        let (family, first) = family(self.stacks, own);
        self.run(own, &family, first);
        self
    }

    /// Adds the threads of each session and role. Returns what keys cost by role, and the squares of what they cost by
    /// session. A part only visits its own stacks: a thousand sessions take no longer than their stacks together.
    fn by_part(&mut self, selection: &Selection<'_>) -> (Vec<Vec<(u32, Cost)>>, Vec<Squares>) {
        let mut parts: BTreeMap<(u32, u32), Vec<&Thread>> = BTreeMap::new();
        for (thread, &role) in selection.threads.iter().zip(&selection.role_of) {
            parts.entry((thread.session, role)).or_default().push(thread);
        }
        let mut families = FamiliesOfParts::new(self.stacks);
        let mut of_role: Vec<FxHashMap<u32, Cost>> = vec![FxHashMap::default(); selection.roles.len()];
        let mut of_session: FxHashMap<u32, Cost> = FxHashMap::default();
        let mut sums = vec![[0.0; 2]; self.costs.len()];
        let mut parts = parts.into_iter().peekable();
        while let Some(((session, role), threads)) = parts.next() {
            let own = own(threads);
            let (stacks, first) = families.find(self.stacks, &own);
            let keys = stacks.iter().map(|&it| self.key_of[self.stacks.function[it as usize].0 as usize]);
            let mut keys: Vec<u32> = keys.collect();
            keys.sort_unstable();
            keys.dedup();
            let before: Vec<Cost> = keys.iter().map(|&it| self.costs[it as usize]).collect();
            self.run(&own, &families.family, first);
            for (key, before) in keys.into_iter().zip(before) {
                let cost = self.costs[key as usize] - before;
                *of_role[role as usize].entry(key).or_default() += cost;
                *of_session.entry(key).or_default() += cost;
            }
            if parts.peek().is_none_or(|((next, _), _)| *next != session) {
                for (key, cost) in of_session.drain() {
                    let [own, total] = squares(cost);
                    sums[key as usize][0] += own;
                    sums[key as usize][1] += total;
                }
            }
        }
        (of_role.into_iter().map(sorted_by_key).collect(), sums)
    }

    /// Depth first, with an explicit path: stacks of 100,000 frames occur.
    fn run(&mut self, own: &[(StackId, Weight)], family: &[Relatives], first: u32) {
        let mut next = first;
        loop {
            if next != NONE {
                let relatives = family[next as usize];
                let own = own.get(relatives.own as usize).map_or(Weight::default(), |own| own.1);
                next = self.enter(next, relatives, own);
            } else if let Some(step) = self.path.pop() {
                next = step.next_sibling;
                self.leave(step);
            } else {
                return;
            }
        }
    }

    /// Adds the costs of other stacks.
    fn add(&mut self, other: Self) {
        for (cost, &other) in self.costs.iter_mut().zip(&other.costs) {
            *cost += other;
        }
        for CallEdge { caller, callee, of_callee, of_caller } in other.edges {
            let edge = self.edge(caller, callee);
            edge.of_callee += of_callee;
            edge.of_caller += of_caller;
        }
    }

    #[inline]
    fn edge(&mut self, caller: u32, callee: u32) -> &mut CallEdge {
        let next = self.edges.len() as u32;
        let at = *self.edge_at.entry((caller, callee)).or_insert(next);
        if at == next {
            let (of_callee, of_caller) = (Weight::default(), Weight::default());
            self.edges.push(CallEdge { caller, callee, of_callee, of_caller });
        }
        &mut self.edges[at as usize]
    }

    /// Puts a stack on the path, and returns the first one above it.
    #[inline]
    fn enter(&mut self, stack: u32, relatives: Relatives, own: Weight) -> u32 {
        let key = self.key_of[self.stacks.function[stack as usize].0 as usize];
        let depth = self.path.len() as u32;
        let innermost_before = std::mem::replace(&mut self.innermost[key as usize], depth);
        let cost = &mut self.costs[key as usize];
        cost.self_time += own.time;
        cost.self_samples += own.samples;
        let next_sibling = relatives.next_sibling;
        let not_of_caller = Weight::default();
        self.path.push(Step { next_sibling, key, innermost_before, all: own, not_of_caller });
        relatives.first_child
    }

    /// Counts a stack that was just taken off the path; all stacks above it have been counted.
    #[inline]
    fn leave(&mut self, step: Step) {
        let Step { key, innermost_before, all, not_of_caller, .. } = step;
        self.innermost[key as usize] = innermost_before;
        let is_outermost = innermost_before == NONE;
        let caller = self.path.last_mut().map_or(NONE, |caller| {
            caller.all += all;
            caller.key
        });
        if is_outermost {
            let cost = &mut self.costs[key as usize];
            cost.total_time += all.time;
            cost.total_samples += all.samples;
        }
        // A key that calls itself is still running; only a call to another key counts.
        if caller == key {
            return;
        }
        let edge = self.edge(caller, key);
        edge.of_caller.time += all.time - not_of_caller.time;
        edge.of_caller.samples += all.samples - not_of_caller.samples;
        if is_outermost {
            edge.of_callee += all;
        } else {
            self.path[innermost_before as usize + 1].not_of_caller += all;
        }
    }
}

impl CallEdge {
    /// The callee, and its entry about the caller.
    fn of_callee(&self) -> Option<(u32, Call)> {
        let other = (self.caller != NONE).then_some(self.caller);
        (self.of_callee != Weight::default()).then_some((self.callee, Call { other, weight: self.of_callee }))
    }

    /// The caller, and its entry about the callee.
    fn of_caller(&self) -> Option<(u32, Call)> {
        let call = Call { other: Some(self.callee), weight: self.of_caller };
        (self.of_caller != Weight::default() && self.caller != NONE).then_some((self.caller, call))
    }
}

/// The entries of each key, hottest first.
fn by_key(edges: &[CallEdge], keys: u32, told: impl Fn(&CallEdge) -> Option<(u32, Call)>) -> Vec<Vec<Call>> {
    let mut lengths = vec![0; keys as usize];
    edges.iter().filter_map(&told).for_each(|(key, _)| lengths[key as usize] += 1);
    let mut calls: Vec<Vec<Call>> = lengths.into_iter().map(Vec::with_capacity).collect();
    edges.iter().filter_map(&told).for_each(|(key, call)| calls[key as usize].push(call));
    for calls in &mut calls {
        calls.sort_unstable_by(|a, b| b.weight.time.cmp(&a.weight.time).then(a.other.cmp(&b.other)));
    }
    calls
}

fn sorted_by_key(costs: FxHashMap<u32, Cost>) -> Vec<(u32, Cost)> {
    let mut costs: Vec<(u32, Cost)> = costs.into_iter().collect();
    costs.sort_unstable_by_key(|(key, _)| *key);
    costs
}

#[cfg(test)]
mod tests;
