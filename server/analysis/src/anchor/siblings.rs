//! Pairs the children of two definitions that belong together, and theirs, and so on.

use std::hash::Hasher;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::pairs::{Candidate, Pairs};
use super::side::{Index, Side};

/// A body of so many tokens is hardly written twice by chance.
pub(super) const TELLING: u32 = 16;
/// A body of so many tokens is what was measured, also where its name now stands for something else.
const OUTWEIGHS_NAME: u32 = 48;
/// So many pairs of siblings are all compared; of more only those with something else in common.
const MANY: usize = 4096;
/// How much better than any other a likeness must be.
const MARGIN: f32 = 0.08;

/// Pairs what is below an old definition that was found, as far as names and bodies tell.
pub(super) fn descend(pairs: &mut Pairs<'_>, from: Index) {
    let mut waiting = vec![from];
    while let Some(old) = waiting.pop() {
        let Some(new) = pairs.old.partner(old) else { continue };
        if pairs.same_inside(old, new) {
            let inside = 1..pairs.old.sizes[old as usize];
            for (old, new) in inside.map(|it| (old + it, new + it)) {
                let free = pairs.old.is_free(old) && pairs.new.is_free(new);
                if free && pairs.old.sort(old) == pairs.new.sort(new) {
                    pairs.take(old, new);
                }
            }
            continue;
        }
        let (olds, news) = pairs.free_children(old, new);
        pair(pairs, &olds, &news);
        waiting.extend(pairs.old.children(old));
    }
}

/// Pairs by place and likeness what is still free below definitions that were found.
pub(super) fn guess(pairs: &mut Pairs<'_>) {
    let mut done = None;
    for old in 0..pairs.old.sizes.len() as Index {
        let parent = pairs.old.get(old).parent.map(|it| it.0);
        if let Some(parent) = parent.filter(|_| pairs.old.is_free(old) && parent != done)
            && let Some(now) = pairs.old.partner(parent)
        {
            done = Some(parent);
            let (olds, news) = pairs.free_children(parent, now);
            if !news.is_empty() {
                guess_siblings(pairs, (parent, now), &olds, &news);
                olds.into_iter().for_each(|it| descend(pairs, it));
            }
        }
    }
}

/// Pairs siblings. Almost always they are the same but for a few in the middle.
fn pair(pairs: &mut Pairs<'_>, olds: &[Index], news: &[Index]) {
    let same = |(old, new): &(&Index, &Index)| is_same(pairs, **old, **new);
    let mut head = olds.iter().zip(news).take_while(same).count();
    let backwards = olds[head..].iter().rev().zip(news[head..].iter().rev());
    let mut tail = backwards.take_while(same).count();
    let (middle_old, middle_new) = (&olds[head..olds.len() - tail], &news[head..news.len() - tail]);
    if !middle_old.is_empty() || !middle_new.is_empty() {
        // A twin of something in the middle may as well be that.
        let is_twin = |twin: &&Index| {
            middle_old.iter().any(|&it| is_alike(&pairs.old, it, &pairs.old, **twin))
                || middle_new.iter().any(|&it| is_alike(&pairs.new, it, &pairs.old, **twin))
        };
        let twins = olds[..head].iter().rev().take_while(is_twin).count();
        tail -= olds[olds.len() - tail..].iter().take_while(is_twin).count();
        head -= twins;
    }
    let (tail_old, tail_new) = (olds.len() - tail, news.len() - tail);
    let sure = olds[..head].iter().zip(&news[..head]).chain(olds[tail_old..].iter().zip(&news[tail_new..]));
    for (&old, &new) in sure {
        pairs.take(old, new);
    }
    let (olds, news) = (&olds[head..tail_old], &news[head..tail_new]);
    if !olds.is_empty() && !news.is_empty() {
        pair_middle(pairs, olds, news);
    }
}

fn is_same(pairs: &Pairs<'_>, old: Index, new: Index) -> bool {
    pairs.old.get(old).signature == pairs.new.get(new).signature && is_alike(&pairs.old, old, &pairs.new, new)
}

/// Whether two could be taken for each other by what they are and what stands in front of them.
fn is_alike(a: &Side<'_>, one: Index, b: &Side<'_>, other: Index) -> bool {
    let (x, y) = (a.get(one), b.get(other));
    x.fingerprint == y.fingerprint
        && x.kind == y.kind
        && x.name == y.name
        && (x.preceding_hash == y.preceding_hash
            || a.is_named(one) && a.name_in_parent(one) == b.name_in_parent(other))
}

fn pair_middle(pairs: &mut Pairs<'_>, olds: &[Index], news: &[Index]) {
    let name = |side: &Side<'_>, it| hash(side.name_in_parent(it));
    let body = |side: &Side<'_>, it| side.get(it).fingerprint;
    pairs.take_unique(olds, news, true, |side, it| {
        let definition = side.get(it);
        Some((name(side, it), body(side, it), side.sort(it), definition.preceding_hash, definition.signature))
    });
    pairs.take_unique(olds, news, false, |side, it| Some((name(side, it), body(side, it), side.sort(it))));
    // Renamed. A name that was there before is nobody else's; one that is still there needs a body to outweigh it.
    let names = |side: &Side<'_>, all: &[Index]| -> FxHashSet<_> {
        all.iter().filter_map(|&it| Some((name_of(side, it)?, side.sort(it)))).collect()
    };
    let (before, now) = (names(&pairs.old, olds), names(&pairs.new, news));
    let is_renamed = |side: &Side<'_>, it: Index| {
        let others = if side.is_old { &now } else { &before };
        let kept = name_of(side, it).is_some_and(|name| others.contains(&(name, side.sort(it))));
        !kept || side.is_old && side.get(it).tokens >= OUTWEIGHS_NAME
    };
    pairs.take_unique(olds, news, false, |side, it| {
        let last_name = hash(&side.get(it).name);
        is_renamed(side, it).then(|| (last_name, body(side, it), side.sort(it)))
    });
    pairs.take_unique(olds, news, false, |side, it| {
        let tells = side.get(it).tokens >= TELLING && is_renamed(side, it);
        tells.then(|| (body(side, it), side.sort(it)))
    });
    pairs.take_unique(olds, news, false, |side, it| Some((name_of(side, it)?, side.sort(it))));
}

/// The hash of its own name.
fn name_of(side: &Side<'_>, it: Index) -> Option<u64> {
    side.own_name(it).map(|(name, preceding_hash)| hash(name) ^ preceding_hash)
}

fn guess_siblings(pairs: &mut Pairs<'_>, parents: (Index, Index), olds: &[Index], news: &[Index]) {
    by_place(pairs, parents, olds, news);
    if by_likeness(pairs, parents, olds, news) {
        by_place(pairs, parents, olds, news);
    }
    in_order(pairs, parents, olds, news);
}

/// Pairs what stands between the same neighbours as before.
fn by_place(pairs: &mut Pairs<'_>, parents: (Index, Index), olds: &[Index], news: &[Index]) {
    let Some(gaps) = Gaps::new(pairs, parents, olds, news) else { return };
    let name = |side: &Side<'_>, it| hash(side.name_in_parent(it));
    // Twins, as many as before.
    pairs.take_unique(olds, news, true, |side, it| {
        Some((name(side, it), side.get(it).fingerprint, side.sort(it), gaps.around(side, it)))
    });
    // The same call with another callback.
    let same = pairs.only(olds, news, false, |side, it| {
        Some((name(side, it), side.get(it).preceding_hash, side.sort(it), gaps.around(side, it)))
    });
    for (old, new) in same {
        if pairs.has_remains(old, new) {
            pairs.take(old, new);
        }
    }
}

/// Pairs what has as many others between the same neighbours as before, all of them alike in this order.
fn in_order(pairs: &mut Pairs<'_>, parents: (Index, Index), olds: &[Index], news: &[Index]) {
    let Some(gaps) = Gaps::new(pairs, parents, olds, news) else { return };
    let same = pairs.only(olds, news, true, |side, it| Some(gaps.around(side, it)));
    for run in same.chunk_by(|a, b| gaps.old.get(&a.0) == gaps.old.get(&b.0)) {
        let alike = |&(old, new): &(Index, Index)| {
            pairs.old.sort(old) == pairs.new.sort(new)
                && pairs.likeness(old, new) >= 0.5
                && !pairs.is_wrapped(old, new)
        };
        if run.iter().all(alike) {
            run.iter().for_each(|&(old, new)| pairs.take(old, new));
        }
    }
}

/// Pairs what is more like each other than like anything else; whether there was any.
fn by_likeness(pairs: &mut Pairs<'_>, parents: (Index, Index), olds: &[Index], news: &[Index]) -> bool {
    let Some(gaps) = Gaps::new(pairs, parents, olds, news) else { return false };
    let olds: Vec<_> = olds.iter().copied().filter(|&it| pairs.old.is_free(it)).collect();
    let news: Vec<_> = news.iter().copied().filter(|&it| pairs.new.is_free(it)).collect();
    let many = olds.len() * news.len() > MANY;
    let mut candidates = Vec::new();
    for &old in &olds {
        for &new in &news {
            if pairs.old.sort(old) != pairs.new.sort(new) {
                continue;
            }
            let (before, now) = (gaps.around(&pairs.old, old), gaps.around(&pairs.new, new));
            let named = pairs.old.is_named(old) || pairs.new.is_named(new);
            let same_name = pairs.old.name_in_parent(old) == pairs.new.name_in_parent(new);
            let preceding_hash = if named {
                same_name
            } else {
                pairs.old.get(old).preceding_hash == pairs.new.get(new).preceding_hash
            };
            let other_title = !preceding_hash && pairs.old.is_titled(old) && pairs.new.is_titled(new);
            let sign = |given: bool, weight: f32| if given { weight } else { 0.0 };
            let signs = sign(before.0 == now.0, 0.1)
                + sign(before.1 == now.1, 0.1)
                + sign(preceding_hash, 0.25)
                + sign(same_name && !named, 0.1);
            if many && signs < 0.2 {
                continue;
            }
            let enough = if !same_name || other_title { 0.7 } else { 0.6 };
            let score = signs + pairs.likeness(old, new) - enough;
            if score > -MARGIN {
                candidates.push(Candidate { score, old, new });
            }
        }
    }
    pairs.take_best(candidates, MARGIN)
}

/// The neighbours of what is free: the nearest siblings before and behind that were found, by their new index.
struct Gaps {
    old: FxHashMap<Index, Gap>,
    new: FxHashMap<Index, Gap>,
}

type Gap = (Option<Index>, Option<Index>);

impl Gaps {
    /// `None` where nothing is left to be paired.
    fn new(pairs: &Pairs<'_>, parents: (Index, Index), olds: &[Index], news: &[Index]) -> Option<Self> {
        let free_old = olds.iter().any(|&it| pairs.old.is_free(it));
        if !free_old || !news.iter().any(|&it| pairs.new.is_free(it)) {
            return None;
        }
        let old_children: Vec<_> = pairs.old.children(parents.0).collect();
        let new_children: Vec<_> = pairs.new.children(parents.1).collect();
        let parent = |side: &Side<'_>, it: Index| side.get(it).parent.map(|it| it.0);
        let partner = |it| pairs.old.partner(it).filter(|&it| parent(&pairs.new, it) == Some(parents.1));
        let itself = |it: Index| {
            pairs.new.partner(it).filter(|&old| parent(&pairs.old, old) == Some(parents.0)).map(|_| it)
        };
        Some(Self {
            old: around(&old_children, |it| pairs.old.is_free(it), partner),
            new: around(&new_children, |it| pairs.new.is_free(it), itself),
        })
    }

    fn around(&self, side: &Side<'_>, it: Index) -> Gap {
        let gaps = if side.is_old { &self.old } else { &self.new };
        gaps.get(&it).copied().unwrap_or_default()
    }
}

fn around(
    children: &[Index],
    is_free: impl Fn(Index) -> bool,
    found: impl Fn(Index) -> Option<Index>,
) -> FxHashMap<Index, Gap> {
    let mut gaps: FxHashMap<Index, Gap> = FxHashMap::default();
    let mut last = None;
    for &it in children {
        if is_free(it) {
            gaps.entry(it).or_default().0 = last;
        }
        last = found(it).or(last);
    }
    last = None;
    for &it in children.iter().rev() {
        if is_free(it) {
            gaps.entry(it).or_default().1 = last;
        }
        last = found(it).or(last);
    }
    gaps
}

fn hash(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}
