//! The places of the samples of a Chrome trace, one per sample and therefore packed.

use rustc_hash::FxHashMap;

use crate::builder::ProfileBuilder;
use crate::model::SmallNumbers;
use crate::model::{FunctionId, PlaceId, SeenPlace};

/// For each sample, the place by its number, from 1, among those of its node; 0 if it has none.
#[derive(Default)]
pub(crate) struct SamplePlaces {
    /// Empty before the first sample with a place.
    numbers: SmallNumbers,
    /// The number of samples.
    samples: usize,
    /// Each place once.
    seen: Vec<NodeSeenAt>,
    /// The numbers of places, by node id, line and column.
    known: FxHashMap<(u32, u32, Option<u32>), u32>,
    /// How many places each node has, by node id.
    count: FxHashMap<u32, u32>,
}

/// A place of a node.
struct NodeSeenAt {
    /// An id.
    node: u32,
    number: u32,
    line: u32,
    column: Option<u32>,
}

/// The places of a profile, by the indices of nodes and the numbers of their places.
pub(super) struct PlacesOfNodes {
    /// Where the places of each node begin.
    first: Vec<u32>,
    places: Vec<Option<PlaceId>>,
}

impl SamplePlaces {
    /// Adds a sample of a node (an id) that was on this line and column, 0-based.
    #[inline]
    pub(crate) fn push(&mut self, node: u32, at: Option<(u32, Option<u32>)>) {
        let number = at.map_or(0, |(line, column)| self.number(node, line, column));
        if number > 0 && self.numbers.is_empty() {
            self.numbers.push_zeros(self.samples);
        }
        self.samples += 1;
        if !self.numbers.is_empty() || number > 0 {
            self.numbers.push(u64::from(number));
        }
    }

    fn number(&mut self, node: u32, line: u32, column: Option<u32>) -> u32 {
        *self.known.entry((node, line, column)).or_insert_with(|| {
            let number = self.count.entry(node).or_default();
            *number += 1;
            self.seen.push(NodeSeenAt { node, number: *number, line, column });
            *number
        })
    }

    /// Whether no sample has a place.
    pub(crate) fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// The number of each sample.
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.numbers.iter().map(|it| it as u32).chain(std::iter::repeat(0))
    }

    /// Reorders the samples.
    pub(crate) fn reorder(&mut self, order: impl FnOnce(Vec<u32>) -> Vec<u32>) {
        let mut numbers = SmallNumbers::default();
        for it in order(self.iter().take(self.samples).collect()) {
            numbers.push(u64::from(it));
        }
        self.numbers = numbers;
    }

    /// The ids of the places of this many nodes. `find` returns the index of an id, and the function if the node is one.
    pub(super) fn of_nodes(
        &mut self,
        nodes: usize,
        find: impl Fn(u32) -> Option<(u32, Option<FunctionId>)>,
        builder: &mut ProfileBuilder,
    ) -> PlacesOfNodes {
        (self.known, self.count) = (FxHashMap::default(), FxHashMap::default());
        let mut first = vec![0; if self.seen.is_empty() { 0 } else { nodes + 1 }];
        let seen = std::mem::take(&mut self.seen);
        let seen = || seen.iter().filter_map(|it| Some((find(it.node)?, it)));
        for ((node, _), _) in seen() {
            first[node as usize + 1] += 1;
        }
        for node in 1..first.len() {
            first[node] += first[node - 1];
        }
        let mut places = vec![None; first.last().map_or(0, |&it| it as usize)];
        for ((node, function), &NodeSeenAt { number, line, column, .. }) in seen() {
            if let Some(function) = function {
                let place = SeenPlace { function, line: Some(line), column, caller: None };
                places[(first[node as usize] + number - 1) as usize] = builder.place(place);
            }
        }
        PlacesOfNodes { first, places }
    }
}

impl PlacesOfNodes {
    #[inline]
    pub(super) fn get(&self, node: u32, number: u32) -> Option<PlaceId> {
        let first = *self.first.get(node as usize)?;
        *self.places.get((first + number.checked_sub(1)?) as usize)?
    }
}
