//! Two outlines and which of their definitions belong together so far.

use std::hash::Hash;

use rustc_hash::FxHashMap;
use source::{Definition, DefinitionId, DefinitionKind};

use super::freshness::Freshness;
use super::likeness::Likeness;
use super::side::{Index, Side};

/// What is known of the two.
pub(super) struct Pairs<'a> {
    pub(super) old: Side<'a>,
    pub(super) new: Side<'a>,
    pub(super) likeness: Likeness,
}

/// Two that may belong together.
pub(super) struct Candidate {
    /// How good that would be; below 0 it is not good enough, but speaks against others.
    pub(super) score: f32,
    pub(super) old: Index,
    pub(super) new: Index,
}

impl<'a> Pairs<'a> {
    pub(super) fn new(old: Side<'a>, new: Side<'a>) -> Self {
        Self { old, new, likeness: Likeness::default() }
    }

    /// These two belong together.
    pub(super) fn take(&mut self, old: Index, new: Index) {
        self.old.partners[old as usize] = Some(new);
        self.new.partners[new as usize] = Some(old);
    }

    /// The pairs that [`Pairs::only`] gives, taken.
    pub(super) fn take_unique<K: Hash + Eq>(
        &mut self,
        olds: &[Index],
        news: &[Index],
        in_order: bool,
        key: impl Fn(&Side<'a>, Index) -> Option<K>,
    ) -> Vec<(Index, Index)> {
        let same = self.only(olds, news, in_order, key);
        same.iter().for_each(|&(old, new)| self.take(old, new));
        same
    }

    /// What is free and alone with its key on either side; where `in_order` says that this is enough, also
    /// what is there several times, as often before as now.
    pub(super) fn only<K: Hash + Eq>(
        &self,
        olds: &[Index],
        news: &[Index],
        in_order: bool,
        key: impl Fn(&Side<'a>, Index) -> Option<K>,
    ) -> Vec<(Index, Index)> {
        let mut groups: FxHashMap<K, (Vec<Index>, Vec<Index>)> = FxHashMap::default();
        for &old in olds.iter().filter(|&&it| self.old.is_free(it)) {
            if let Some(key) = key(&self.old, old) {
                groups.entry(key).or_default().0.push(old);
            }
        }
        if groups.is_empty() {
            return Vec::new();
        }
        for &new in news.iter().filter(|&&it| self.new.is_free(it)) {
            if let Some(group) = key(&self.new, new).and_then(|it| groups.get_mut(&it)) {
                group.1.push(new);
            }
        }
        let fits = |(old, new): &(Vec<_>, Vec<_>)| old.len() == new.len() && (old.len() == 1 || in_order);
        let same = groups.into_values().filter(fits).flat_map(|(old, new)| old.into_iter().zip(new));
        let mut same: Vec<_> = same.collect();
        same.sort_unstable();
        same
    }

    /// Takes the candidates that are good enough and better than all others of both sides, the best first; whether
    /// there was any.
    pub(super) fn take_best(&mut self, mut candidates: Vec<Candidate>, margin: f32) -> bool {
        candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then((a.old, a.new).cmp(&(b.old, b.new))));
        let mut of_old: FxHashMap<Index, Vec<usize>> = FxHashMap::default();
        let mut of_new: FxHashMap<Index, Vec<usize>> = FxHashMap::default();
        for (at, it) in candidates.iter().enumerate() {
            of_old.entry(it.old).or_default().push(at);
            of_new.entry(it.new).or_default().push(at);
        }
        let mut any = false;
        for (at, it) in candidates.iter().enumerate().take_while(|(_, it)| it.score >= 0.0) {
            let free = |it: &Candidate| self.old.is_free(it.old) && self.new.is_free(it.new);
            let rival = |&other: &usize| {
                let rival = &candidates[other];
                other != at && free(rival) && rival.score > it.score - margin
            };
            let best = free(it) && !of_old[&it.old].iter().any(rival) && !of_new[&it.new].iter().any(rival);
            if best && !self.is_wrapped(it.old, it.new) {
                self.take(it.old, it.new);
                any = true;
            }
        }
        any
    }

    /// How much of the code of one is code of the other, 0..1; little where there is little code to tell by.
    pub(super) fn likeness(&mut self, old: Index, new: Index) -> f32 {
        self.likeness.of((old, self.old.code(old)), (new, self.new.code(new)))
    }

    /// Whether enough of the code of one is left in the other to be an edit of it: asked where all else agrees.
    pub(super) fn has_remains(&mut self, old: Index, new: Index) -> bool {
        let (before, now) = (self.old.code(old).as_bytes(), self.new.code(new).as_bytes());
        let (shorter, longer) = (before.len().min(now.len()), before.len().max(now.len()));
        let head = before.iter().zip(now).take_while(|(a, b)| a == b).count();
        let tail = before.iter().rev().zip(now.iter().rev()).take(shorter - head);
        let tail = tail.take_while(|(a, b)| a == b).count();
        ((head + tail) * 2 >= longer || self.likeness(old, new) >= 0.3) && !self.is_wrapped(old, new)
    }

    /// Whether one is rather what is inside the other: a function that was wrapped in a new one, or unwrapped.
    pub(super) fn is_wrapped(&mut self, old: Index, new: Index) -> bool {
        let (before, now) = (self.old.get(old), self.new.get(new));
        if before.name == now.name && before.signature == now.signature {
            return false;
        }
        let (inner_old, inner_new) = (self.old.filling(old), self.new.filling(new));
        if inner_old.is_empty() && inner_new.is_empty() {
            return false;
        }
        let outside = self.likeness(old, new);
        inner_new
            .into_iter()
            .any(|it| self.old.sort(old) == self.new.sort(it) && self.likeness(old, it) > outside)
            || inner_old
                .into_iter()
                .any(|it| self.old.sort(it) == self.new.sort(new) && self.likeness(it, new) > outside)
    }

    /// The children of a pair that are still free.
    pub(super) fn free_children(&self, old: Index, new: Index) -> (Vec<Index>, Vec<Index>) {
        let olds = self.old.children(old).filter(|&it| self.old.is_free(it));
        let news = self.new.children(new).filter(|&it| self.new.is_free(it));
        (olds.collect(), news.collect())
    }

    /// Whether two have the same body, with the same definitions inside.
    pub(super) fn same_inside(&self, old: Index, new: Index) -> bool {
        let (before, now) = (self.old.get(old), self.new.get(new));
        let whole = !matches!(before.kind, DefinitionKind::TopLevel | DefinitionKind::Class);
        whole
            && before.fingerprint == now.fingerprint
            && self.old.sort(old) == self.new.sort(new)
            && self.old.sizes[old as usize] == self.new.sizes[new as usize]
    }

    /// What became of each old definition.
    pub(super) fn found(&self) -> Vec<Option<(DefinitionId, Freshness)>> {
        let partner = |(before, new): (&Definition, &Option<Index>)| {
            let new = (*new)?;
            let now = self.new.get(new);
            let freshness = match () {
                () if before.fingerprint != now.fingerprint || before.signature != now.signature => {
                    Freshness::Edited
                }
                () if before.range.start() == now.range.start() && before.name == now.name => {
                    Freshness::Fresh
                }
                () => Freshness::Moved,
            };
            Some((DefinitionId(new), freshness))
        };
        self.old.definitions.iter().zip(&self.old.partners).map(partner).collect()
    }
}
