//! Looks anywhere in the text for what is not among its siblings any more: moved into a class, wrapped in a new scope,
//! taken out of a function.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::pairs::{Candidate, Pairs};
use super::siblings::{TELLING, descend};
use super::side::{Index, Side, Sort};

/// More pairs than these are not compared.
const MANY: usize = 1024;
/// Less code does not tell by likeness.
const ENOUGH: u32 = 24;

/// Pairs what has a body that tells and that nothing else has, wherever it is, and then what is inside.
pub(super) fn by_body(pairs: &mut Pairs<'_>) {
    let (olds, news) = free(pairs);
    if olds.is_empty() || news.is_empty() {
        return;
    }
    let counts = |side: &Side<'_>| {
        let mut counts: FxHashMap<u64, u32> = FxHashMap::default();
        side.definitions.iter().for_each(|it| *counts.entry(it.fingerprint).or_default() += 1);
        counts
    };
    let (before, now) = (counts(&pairs.old), counts(&pairs.new));
    for (old, new) in pairs.only(&olds, &news, false, |side, it| {
        let definition = side.get(it);
        let once = if side.is_old { &before } else { &now }[&definition.fingerprint] == 1;
        (once && definition.tokens >= TELLING).then(|| (definition.fingerprint, side.sort(it)))
    }) {
        // The one around it may have been found by now, and it with that.
        if pairs.old.is_free(old) && pairs.new.is_free(new) {
            pairs.take(old, new);
            descend(pairs, old);
        }
    }
}

/// Pairs what is left over by weaker signs, and then what is inside.
pub(super) fn pair(pairs: &mut Pairs<'_>) {
    unique(pairs, |side, it| {
        let definition = side.get(it);
        let tells = side.is_named(it) || definition.tokens >= TELLING / 2;
        tells.then(|| (definition.name.as_str(), definition.fingerprint, side.sort(it)))
    });
    by_name(pairs);
    by_likeness(pairs);
}

fn free(pairs: &Pairs<'_>) -> (Vec<Index>, Vec<Index>) {
    let of = |side: &Side<'_>| -> Vec<Index> {
        (0..side.definitions.len() as Index).filter(|&it| side.is_free(it)).collect()
    };
    (of(&pairs.old), of(&pairs.new))
}

fn unique<'a, K: Hash + Eq>(pairs: &mut Pairs<'a>, key: impl Fn(&Side<'a>, Index) -> Option<K>) {
    let (olds, news) = free(pairs);
    if olds.is_empty() || news.is_empty() {
        return;
    }
    for (old, _) in pairs.take_unique(&olds, &news, false, key) {
        descend(pairs, old);
    }
}

/// Pairs what has a name, or a call and its arguments in front of it, that nothing else has on either side, if it
/// looks like it.
fn by_name(pairs: &mut Pairs<'_>) {
    let (olds, news) = free(pairs);
    if olds.is_empty() || news.is_empty() {
        return;
    }
    let same = pairs.only(&olds, &news, false, |side, it| {
        let definition = side.get(it);
        let preceding_hash = if side.is_named(it) { 0 } else { definition.preceding_hash };
        Some((definition.name.as_str(), preceding_hash, side.sort(it)))
    });
    for (old, new) in same {
        let free = pairs.old.is_free(old) && pairs.new.is_free(new);
        let enough = if pairs.old.is_titled(old) { 0.2 } else { 0.4 };
        if free && pairs.likeness(old, new) >= enough && !pairs.is_wrapped(old, new) {
            pairs.take(old, new);
            descend(pairs, old);
        }
    }
}

/// Pairs what has enough code, and most of it in common.
fn by_likeness(pairs: &mut Pairs<'_>) {
    let (mut olds, mut news) = free(pairs);
    let tells = |side: &Side<'_>, it: &Index| {
        side.get(*it).tokens >= ENOUGH && !matches!(side.sort(*it), Sort::TopLevel | Sort::Constructor)
    };
    olds.retain(|it| tells(&pairs.old, it));
    news.retain(|it| tells(&pairs.new, it));
    if olds.len() * news.len() > MANY {
        return;
    }
    let mut candidates = Vec::new();
    for &old in &olds {
        for &new in &news {
            if pairs.old.sort(old) == pairs.new.sort(new) {
                let score = pairs.likeness(old, new) - 0.7;
                candidates.push(Candidate { score, old, new });
            }
        }
    }
    if pairs.take_best(candidates, 0.1) {
        olds.into_iter().for_each(|it| descend(pairs, it));
    }
}
