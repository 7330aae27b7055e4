//! From the stacks of a session to the costs of its definitions.
//!
//! Several generated functions can belong to one definition, and a definition counts once in the total of a stack, however often
//! it recurs.

use profile::model::Weight;
use rustc_hash::FxHashMap;

use crate::buckets::bucket;
use crate::ids::{self, Id};
use crate::names::NodeRow;

/// A row of `costs`, without its session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct CostRow {
    /// The definition.
    pub definition: Id,
    /// Time in which it ran on top, in nanoseconds.
    pub self_ns: u64,
    /// Time in which it was on the stack, in nanoseconds.
    pub total_ns: u64,
    /// The number of samples of `self_ns`.
    pub self_samples: u64,
    /// The number of samples of `total_ns`.
    pub total_samples: u64,
}

impl CostRow {
    /// The buckets of self and total time.
    pub fn buckets(&self) -> [i64; 2] {
        [bucket(self.self_ns), bucket(self.total_ns)]
    }
}

/// No index.
const NONE: u32 = u32::MAX;

/// The nodes of stacks, with the definitions on the way from each of them to its outermost caller.
#[derive(Debug, Default)]
pub struct Paths {
    definitions: Vec<Id>,
    index: FxHashMap<Id, u32>,
    nodes: Vec<Node>,
    /// By definition: its cost in the session that is added up.
    costs: Vec<CostRow>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    /// The definition that runs there, an index into `definitions`.
    definition: u32,
    /// The nearest node from here outwards, including this one, whose definition is not on the stack further out.
    first: u32,
    /// The same, starting from the caller of `first`.
    next: u32,
}

impl Paths {
    /// Made from nodes in any order, some of which may be repeated, and from the definition of each function; functions without a
    /// definition do not count.
    pub fn new(nodes: &[NodeRow], definition_of: &FxHashMap<Id, Id>) -> Self {
        let mut paths = Self::default();
        let by_id: FxHashMap<Id, &NodeRow> = nodes.iter().map(|row| (row.node, row)).collect();
        let mut numbers: FxHashMap<Id, u32> = FxHashMap::default();
        let mut open = Vec::new();
        for row in nodes {
            let mut at = Some(row);
            while let Some(row) = at.filter(|row| !paths.index.contains_key(&row.node)) {
                open.push(row);
                // There should be no cycles: the id of a node is a hash of the id of its parent. A bad file may have one all
                // the same.
                at = by_id.get(&row.parent).copied().filter(|_| open.len() <= nodes.len());
            }
            while let Some(row) = open.pop() {
                paths.add(row, definition_of, &mut numbers);
            }
        }
        paths.costs = paths
            .definitions
            .iter()
            .map(|&definition| CostRow { definition, ..CostRow::default() })
            .collect();
        paths
    }

    fn add(&mut self, row: &NodeRow, definition_of: &FxHashMap<Id, Id>, numbers: &mut FxHashMap<Id, u32>) {
        if self.index.contains_key(&row.node) {
            return;
        }
        let number = self.nodes.len() as u32;
        let outer = self.index.get(&row.parent).map_or(NONE, |&parent| self.nodes[parent as usize].first);
        let definition = match definition_of.get(&row.function) {
            Some(&id) if id != ids::NONE => *numbers.entry(id).or_insert_with(|| {
                self.definitions.push(id);
                self.definitions.len() as u32 - 1
            }),
            _ => NONE,
        };
        let is_first = definition != NONE && !self.chain(outer).any(|node| node.definition == definition);
        let (first, next) = if is_first { (number, outer) } else { (outer, NONE) };
        self.nodes.push(Node { definition, first, next });
        self.index.insert(row.node, number);
    }

    fn node(&self, number: u32) -> Option<Node> {
        self.nodes.get(number as usize).copied()
    }

    /// From a node outwards, each definition once.
    fn chain(&self, first: u32) -> impl Iterator<Item = Node> {
        std::iter::successors(self.node(first), |node| self.node(node.next))
    }

    /// The costs of the definitions in a session of these stacks, sorted. Stacks that are not nodes count for nothing.
    pub fn costs(&mut self, stacks: &[(Id, Weight)]) -> Vec<CostRow> {
        let mut ran: Vec<u32> = Vec::new();
        for (stack, Weight { time, samples }) in stacks {
            let Some(&number) = self.index.get(stack) else { continue };
            let node = self.nodes[number as usize];
            if let Some(own) = self.costs.get_mut(node.definition as usize) {
                own.self_ns += time.0;
                own.self_samples += samples;
            }
            let mut at = node.first;
            while let Some(Node { definition, next, .. }) = self.node(at) {
                let cost = &mut self.costs[definition as usize];
                if cost.total_ns == 0 && cost.total_samples == 0 {
                    ran.push(definition);
                }
                cost.total_ns += time.0;
                cost.total_samples += samples;
                at = next;
            }
        }
        ran.sort_unstable();
        ran.dedup();
        let mut rows: Vec<CostRow> = ran.into_iter().map(|definition| self.take(definition)).collect();
        rows.sort_unstable_by_key(|row| row.definition);
        rows
    }

    /// The cost of a definition in this session; in the next session there is none at first.
    fn take(&mut self, definition: u32) -> CostRow {
        let cost = &mut self.costs[definition as usize];
        std::mem::replace(cost, CostRow { definition: cost.definition, ..CostRow::default() })
    }
}

#[cfg(test)]
mod tests {
    use profile::model::Amount;

    use super::*;

    #[test]
    fn a_definition_counts_once_a_stack() {
        // main > load > parse > load, where two functions are parse, with native code in between.
        let row = |node, parent, function| NodeRow { node, parent, function };
        let nodes = [
            row(104, 103, 22),
            row(101, 0, 21),
            row(102, 101, 22),
            row(103, 102, 23),
            row(105, 103, 29),
            row(106, 105, 24),
            row(101, 0, 21),
        ];
        let definition_of = [(21, 1001), (22, 1002), (23, 1003), (24, 1003), (29, 0)].into_iter().collect();
        let mut paths = Paths::new(&nodes, &definition_of);
        let weight = |time| Weight { time: Amount(time), samples: 1 };
        let session =
            [(101, weight(1)), (104, weight(10)), (105, weight(100)), (106, weight(1000)), (7, weight(5))];
        let cost = |definition, self_ns, total_ns, self_samples, total_samples| CostRow {
            definition,
            self_ns,
            total_ns,
            self_samples,
            total_samples,
        };
        let expected = [cost(1001, 1, 1111, 1, 4), cost(1002, 10, 1110, 1, 3), cost(1003, 1000, 1110, 1, 3)];
        assert_eq!(paths.costs(&session), expected);
        assert_eq!(
            paths.costs(&session[..1]),
            [cost(1001, 1, 1, 1, 1)],
            "nothing of the session before is left"
        );
    }
}
