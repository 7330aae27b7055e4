//! Two outlines, and which of their definitions have been paired so far.

use std::hash::Hash;

use rustc_hash::FxHashMap;
use source::definition::{DefinitionId, DefinitionKind};

use super::freshness::Freshness;
use super::side::{DefinitionIndex, Side};
use super::similarity::Similarity;
use crate::bars;

/// If there are more siblings than this, none is asked whether it is the better partner.
const MAX_RIVALS: usize = 256;
/// In bytes.
const MAX_SHORT: usize = 4096;

/// Two outlines with the pairs found so far.
pub(super) struct Matching<'a> {
    pub(super) old: Side<'a>,
    pub(super) new: Side<'a>,
    pub(super) similarity: Similarity,
}

/// Two definitions that may belong together.
pub(super) struct Candidate {
    /// How well they fit. A pair with a score below 0 is not taken, but still rivals others.
    pub(super) score: f32,
    pub(super) old: DefinitionIndex,
    pub(super) new: DefinitionIndex,
}

impl<'a> Matching<'a> {
    pub(super) fn new(old: Side<'a>, new: Side<'a>) -> Self {
        Self { old, new, similarity: Similarity::default() }
    }

    /// Pairs two definitions.
    pub(super) fn add(&mut self, old: DefinitionIndex, new: DefinitionIndex) {
        self.old.partners[old as usize] = Some(new);
        self.new.partners[new as usize] = Some(old);
    }

    /// Pairs everything that [`Matching::unique_pairs`] finds, and returns it.
    pub(super) fn match_unique<K: Hash + Eq>(
        &mut self,
        olds: &[DefinitionIndex],
        news: &[DefinitionIndex],
        in_order: bool,
        key: impl Fn(&Side<'a>, DefinitionIndex) -> Option<K>,
    ) -> Vec<(DefinitionIndex, DefinitionIndex)> {
        let same = self.unique_pairs(olds, news, in_order, key);
        same.iter().for_each(|&(old, new)| self.add(old, new));
        same
    }

    /// Finds pairs of free definitions whose key is unique on both sides. With `in_order`, keys that occur equally often
    /// on both sides count too: the first is paired with the first, and so on.
    pub(super) fn unique_pairs<K: Hash + Eq>(
        &self,
        olds: &[DefinitionIndex],
        news: &[DefinitionIndex],
        in_order: bool,
        key: impl Fn(&Side<'a>, DefinitionIndex) -> Option<K>,
    ) -> Vec<(DefinitionIndex, DefinitionIndex)> {
        let mut groups: FxHashMap<K, (Vec<DefinitionIndex>, Vec<DefinitionIndex>)> = FxHashMap::default();
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
        groups.retain(|_, (old, new)| old.len() == new.len() && (old.len() == 1 || in_order));
        let same = groups.into_values().flat_map(|(old, new)| old.into_iter().zip(new));
        let mut same: Vec<_> = same.collect();
        same.sort_unstable();
        same
    }

    /// Pairs the candidates that are good enough and better by `margin` than all others of both sides, best first.
    /// Returns whether there were any.
    pub(super) fn match_best(&mut self, mut candidates: Vec<Candidate>, margin: f32) -> bool {
        candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then((a.old, a.new).cmp(&(b.old, b.new))));
        let mut of_old: FxHashMap<DefinitionIndex, Vec<usize>> = FxHashMap::default();
        let mut of_new: FxHashMap<DefinitionIndex, Vec<usize>> = FxHashMap::default();
        for (at, it) in candidates.iter().enumerate() {
            of_old.entry(it.old).or_default().push(at);
            of_new.entry(it.new).or_default().push(at);
        }
        let mut any = false;
        for (at, it) in candidates.iter().enumerate().take_while(|(_, it)| it.score >= 0.0) {
            let mut others = of_old[&it.old].iter().chain(&of_new[&it.new]).filter(|&&other| other != at);
            let has_rival = others.any(|&other| {
                let other = &candidates[other];
                self.is_free(other) && other.score > it.score - margin
            });
            if self.is_free(it)
                && !has_rival
                && !self.is_anothers_name(it.old, it.new)
                && !self.is_wrapped(it.old, it.new)
            {
                self.add(it.old, it.new);
                any = true;
            }
        }
        any
    }

    /// Whether neither side has a partner.
    fn is_free(&self, it: &Candidate) -> bool {
        self.old.is_free(it.old) && self.new.is_free(it.new)
    }

    /// How similar the code of two definitions is, 0..1; see [`Similarity::of`].
    pub(super) fn similarity(&mut self, old: DefinitionIndex, new: DefinitionIndex) -> f32 {
        self.similarity.of((old, self.old.code(old)), (new, self.new.code(new)))
    }

    /// Whether enough code is left for one to be an edit of the other. Only asked if everything else agrees.
    pub(super) fn is_likely_edit(&mut self, old: DefinitionIndex, new: DefinitionIndex) -> bool {
        self.has_much_in_common(old, new) && !self.is_wrapped(old, new)
    }

    /// Whether half of the text, or some of the code wherever it is now, is the same.
    pub(super) fn has_much_in_common(&mut self, old: DefinitionIndex, new: DefinitionIndex) -> bool {
        let (before, now) = (self.old.code(old).as_bytes(), self.new.code(new).as_bytes());
        let (shorter, longer) = (before.len().min(now.len()), before.len().max(now.len()));
        let head = before.iter().zip(now).take_while(|(a, b)| a == b).count();
        let tail = before.iter().rev().zip(now.iter().rev()).take(shorter - head);
        let tail = tail.take_while(|(a, b)| a == b).count();
        (head + tail) * 2 >= longer || self.similarity(old, new) >= bars::SIMILARITY_OF_EDIT
    }

    /// Whether so little of the code is left that it may be elsewhere. Not asked for long code.
    pub(super) fn may_be_elsewhere(&mut self, old: DefinitionIndex, new: DefinitionIndex) -> bool {
        self.is_short(old, new) && !self.has_much_in_common(old, new)
    }

    /// Whether comparing them with many others takes little time.
    fn is_short(&self, old: DefinitionIndex, new: DefinitionIndex) -> bool {
        self.old.code(old).len().max(self.new.code(new).len()) <= MAX_SHORT
    }

    /// Whether the code of one is more likely to be in another of the given free definitions. Then its name or its place
    /// now belongs to another function.
    pub(super) fn is_outdone(
        &mut self,
        (old, new): (DefinitionIndex, DefinitionIndex),
        (olds, news): (&[DefinitionIndex], &[DefinitionIndex]),
    ) -> bool {
        if !self.is_short(old, new) || olds.len() + news.len() > MAX_RIVALS {
            return false;
        }
        if self.old.get(old).fingerprint != self.new.get(new).fingerprint && self.is_still_written(old) {
            return true;
        }
        let enough =
            (self.similarity(old, new) + bars::SIMILARITY_MORE_THAN_PAIR).max(bars::SIMILARITY_OF_RIVAL);
        let mut rivals = news.iter().map(|&now| (old, now)).chain(olds.iter().map(|&before| (before, new)));
        rivals.any(|(before, now)| {
            (before, now) != (old, new)
                && self.old.is_free(before)
                && self.new.is_free(now)
                && self.old.category(before) == self.new.category(now)
                && self.similarity(before, now) >= enough
        })
    }

    /// Whether exactly the old code is that of a free definition, anywhere in the text.
    pub(super) fn is_still_written(&self, old: DefinitionIndex) -> bool {
        let before = self.old.get(old);
        before.tokens >= bars::TOKENS_ELSEWHERE
            && (0..).zip(self.new.definitions).any(|(new, definition)| {
                definition.fingerprint == before.fingerprint && self.new.is_free(new)
            })
    }

    /// Whether the new definition is inside a free one with the other's name, or the old one was: a function that was
    /// wrapped in a new one, or unwrapped. Its name is then on the outer one, its code in the inner one.
    pub(super) fn is_in_namesake(&self, old: DefinitionIndex, new: DefinitionIndex) -> bool {
        self.new.is_in_free(new, &self.old.get(old).name) || self.old.is_in_free(old, &self.new.get(new).name)
    }

    /// Whether the new definition has the name of another function. Then it is a copy of that function, or the function's
    /// header is now around other code. A name tells more than code, unless the code is the same and long.
    pub(super) fn is_anothers_name(&mut self, old: DefinitionIndex, new: DefinitionIndex) -> bool {
        let (before, now) = (self.old.get(old), self.new.get(new));
        let outweighs =
            before.fingerprint == now.fingerprint && before.tokens >= bars::TOKENS_TO_OUTWEIGH_NAME;
        if before.name == now.name || outweighs || !self.new.is_named(new) {
            return false;
        }
        let (category, path_hash) = (self.new.category(new), self.new.path_hash(new));
        self.old.namesakes(&now.name).into_iter().any(|it| {
            self.old.category(it) == category
                && (self.old.is_free(it)
                    || self.old.path_hash(it) == path_hash
                    || self.similarity(it, new) >= self.similarity(old, new))
        })
    }

    /// Whether one is more likely to be inside the other: a function that was wrapped in a new one, or unwrapped.
    pub(super) fn is_wrapped(&mut self, old: DefinitionIndex, new: DefinitionIndex) -> bool {
        let (before, now) = (self.old.get(old), self.new.get(new));
        if before.name == now.name && before.signature == now.signature {
            return false;
        }
        let (inner_old, inner_new) = (self.old.main_children(old), self.new.main_children(new));
        if inner_old.is_empty() && inner_new.is_empty() {
            return false;
        }
        let outside = self.similarity(old, new);
        inner_new
            .into_iter()
            .any(|it| self.old.category(old) == self.new.category(it) && self.similarity(old, it) > outside)
            || inner_old.into_iter().any(|it| {
                self.old.category(it) == self.new.category(new) && self.similarity(it, new) > outside
            })
    }

    /// The children of a pair that have no partner yet.
    pub(super) fn free_children(
        &self,
        old: DefinitionIndex,
        new: DefinitionIndex,
    ) -> (Vec<DefinitionIndex>, Vec<DefinitionIndex>) {
        let olds = self.old.children(old).filter(|&it| self.old.is_free(it));
        let news = self.new.children(new).filter(|&it| self.new.is_free(it));
        (olds.collect(), news.collect())
    }

    /// Whether two have the same body, and thus the same definitions inside.
    pub(super) fn is_same_subtree(&self, old: DefinitionIndex, new: DefinitionIndex) -> bool {
        let (before, now) = (self.old.get(old), self.new.get(new));
        let whole = !matches!(before.kind, DefinitionKind::TopLevel | DefinitionKind::Class);
        whole
            && before.fingerprint == now.fingerprint
            && self.old.category(old) == self.new.category(new)
            && self.old.subtree_sizes[old as usize] == self.new.subtree_sizes[new as usize]
    }

    /// What became of each old definition.
    pub(super) fn outcomes(&self) -> Vec<Option<(DefinitionId, Freshness)>> {
        let outcomes = self.old.definitions.iter().zip(&self.old.partners).map(|(before, new)| {
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
        });
        outcomes.collect()
    }
}
