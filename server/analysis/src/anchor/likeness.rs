//! How much two pieces of code have in common: their pairs of neighbouring words, as bags.
//!
//! Bags are made when first asked for and kept; what all of them may cost together is bounded, for a keystroke
//! must not wait. When that is used up nothing is alike any more, and what cannot be told is gone.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::side::Index;

/// The bags that were made, and what may still be spent.
pub(super) struct Likeness {
    old: FxHashMap<Index, Rc<[u32]>>,
    new: FxHashMap<Index, Rc<[u32]>>,
    /// In bytes of code read, and words compared.
    budget: usize,
}

/// Some milliseconds.
const BUDGET: usize = 1 << 20;
/// Code with fewer pairs of words says less.
const LITTLE: f32 = 12.0;

impl Default for Likeness {
    fn default() -> Self {
        Self { old: FxHashMap::default(), new: FxHashMap::default(), budget: BUDGET }
    }
}

impl Likeness {
    /// The likeness (Dice's) of two definitions by their code, 0..1.
    pub(super) fn of(&mut self, old: (Index, &str), new: (Index, &str)) -> f32 {
        let (shorter, longer) = (old.1.len().min(new.1.len()), old.1.len().max(new.1.len()));
        if shorter * 8 < longer {
            return 0.0;
        }
        let Some(old) = bag(&mut self.old, old, &mut self.budget) else { return 0.0 };
        let Some(new) = bag(&mut self.new, new, &mut self.budget) else { return 0.0 };
        let all = old.len() + new.len();
        let Some(rest) = self.budget.checked_sub(all) else { return 0.0 };
        self.budget = rest;
        let weight = (all as f32 / 2.0 / LITTLE).min(1.0);
        weight * 2.0 * common(&old, &new) as f32 / all.max(1) as f32
    }
}

fn bag(
    bags: &mut FxHashMap<Index, Rc<[u32]>>,
    (index, code): (Index, &str),
    budget: &mut usize,
) -> Option<Rc<[u32]>> {
    if let Some(bag) = bags.get(&index) {
        return Some(Rc::clone(bag));
    }
    *budget = budget.checked_sub(code.len())?;
    let mut before = 0;
    let pairs = source::token_hashes(code).map(|word| {
        let pair = word.rotate_left(17) ^ std::mem::replace(&mut before, word);
        (pair.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as u32
    });
    let mut bag: Vec<u32> = pairs.collect();
    bag.sort_unstable();
    let bag: Rc<[u32]> = bag.into();
    bags.insert(index, Rc::clone(&bag));
    Some(bag)
}

/// How many elements two sorted bags share.
fn common(a: &[u32], b: &[u32]) -> usize {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        i += usize::from(x <= y);
        j += usize::from(y <= x);
        common += usize::from(x == y);
    }
    common
}
