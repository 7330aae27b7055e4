//! Measures how similar two pieces of code are by the pairs of neighbouring tokens (bigrams) that they share.
//!
//! The bigrams of a definition are collected on demand, and kept. The total cost per keystroke is bounded: once the
//! budget is used up, every similarity is 0, and definitions that only similarity could find count as gone.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use source::token_hashes::token_hashes;

use super::side::DefinitionIndex;
use crate::bars;

/// The bigrams collected so far, and what may still be spent.
pub(super) struct Similarity {
    old: FxHashMap<DefinitionIndex, Rc<Bigrams>>,
    new: FxHashMap<DefinitionIndex, Rc<Bigrams>>,
    /// In bytes of code read plus bigrams compared.
    budget: usize,
}

/// A few milliseconds.
const BUDGET: usize = 1 << 20;

impl Default for Similarity {
    fn default() -> Self {
        Self { old: FxHashMap::default(), new: FxHashMap::default(), budget: BUDGET }
    }
}

impl Similarity {
    /// The similarity of two definitions by their code, 0..1; see [`Bigrams::similarity`].
    pub(super) fn of(&mut self, old: (DefinitionIndex, &str), new: (DefinitionIndex, &str)) -> f32 {
        let (shorter, longer) = (old.1.len().min(new.1.len()), old.1.len().max(new.1.len()));
        if shorter * 8 < longer {
            return 0.0;
        }
        let Some(old) = bigrams(&mut self.old, old, &mut self.budget) else { return 0.0 };
        let Some(new) = bigrams(&mut self.new, new, &mut self.budget) else { return 0.0 };
        let Some(rest) = self.budget.checked_sub(old.0.len() + new.0.len()) else { return 0.0 };
        self.budget = rest;
        old.similarity(&new)
    }
}

/// The bigrams of a definition; `None` once the budget is used up.
fn bigrams(
    known: &mut FxHashMap<DefinitionIndex, Rc<Bigrams>>,
    (index, code): (DefinitionIndex, &str),
    budget: &mut usize,
) -> Option<Rc<Bigrams>> {
    if let Some(known) = known.get(&index) {
        return Some(Rc::clone(known));
    }
    *budget = budget.checked_sub(code.len())?;
    let bigrams = Rc::new(Bigrams::of(code));
    known.insert(index, Rc::clone(&bigrams));
    Some(bigrams)
}

/// The sorted hashes of the pairs of neighbouring tokens of a piece of code.
pub(crate) struct Bigrams(Box<[u32]>);

impl Bigrams {
    pub(crate) fn of(code: &str) -> Self {
        let mut before = 0;
        let hashes = token_hashes(code).map(|token| {
            let pair = token.rotate_left(17) ^ std::mem::replace(&mut before, token);
            (pair.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as u32
        });
        let mut sorted: Vec<u32> = hashes.collect();
        sorted.sort_unstable();
        Self(sorted.into())
    }

    /// The Sørensen-Dice coefficient of the two, 0..1, scaled down for short code.
    pub(crate) fn similarity(&self, other: &Self) -> f32 {
        let all = self.0.len() + other.0.len();
        let weight = (all as f32 / 2.0 / bars::PAIRS_OF_FULL_WEIGHT).min(1.0);
        weight * 2.0 * common(&self.0, &other.0) as f32 / all.max(1) as f32
    }
}

/// How many elements two sorted multisets share.
fn common(a: &[u32], b: &[u32]) -> usize {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        i += usize::from(x <= y);
        j += usize::from(y <= x);
        common += usize::from(x == y);
    }
    common
}
