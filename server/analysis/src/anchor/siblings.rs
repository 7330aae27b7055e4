//! Pairs the children of two definitions that belong together, then the children of those, and so on.
//!
//! ```text
//! measured: a b c d e       a and e are equal on both sides: paired at once, from both ends
//! today:    a c x d' e      c is paired by name and body
//!                           d' has the name of d: edited
//!                           b is free, x is free: neighbours and similarity decide, or nothing does
//! ```

use std::hash::Hasher;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use source::definition::Definition;

use super::matching::{Candidate, Matching};
use super::side::{DefinitionIndex, Side};
use crate::bars;

/// Up to this many pairs of siblings are all compared; if there are more, only pairs that have something else in common are.
const MAX_PAIRS_COMPARED: usize = 4096;

/// Pairs the definitions inside an old definition that was found, as far as names and bodies decide.
pub(super) fn match_below(matching: &mut Matching<'_>, from: DefinitionIndex) {
    let mut waiting = vec![from];
    while let Some(old) = waiting.pop() {
        let Some(new) = matching.old.partner(old) else { continue };
        if matching.is_same_subtree(old, new) {
            let inside = 1..matching.old.subtree_sizes[old as usize];
            for (old, new) in inside.map(|it| (old + it, new + it)) {
                let free = matching.old.is_free(old) && matching.new.is_free(new);
                if free && matching.old.category(old) == matching.new.category(new) {
                    matching.add(old, new);
                }
            }
            continue;
        }
        let (olds, news) = matching.free_children(old, new);
        match_siblings(matching, &olds, &news);
        waiting.extend(matching.old.children(old));
    }
}

/// Pairs what is still free inside definitions that were found, by neighbours and similarity.
pub(super) fn match_by_context(matching: &mut Matching<'_>) {
    let mut done = None;
    for old in 0..matching.old.subtree_sizes.len() as DefinitionIndex {
        let parent = matching.old.get(old).parent.map(|it| it.0);
        if let Some(parent) = parent.filter(|_| matching.old.is_free(old) && parent != done)
            && let Some(now) = matching.old.partner(parent)
        {
            done = Some(parent);
            let (olds, news) = matching.free_children(parent, now);
            if !news.is_empty() {
                let family = Family { parents: (parent, now), olds: &olds, news: &news };
                match_siblings_by_context(matching, family);
                olds.into_iter().for_each(|it| match_below(matching, it));
            }
        }
    }
}

/// Pairs siblings by names and bodies. Almost always, all but a few in the middle are unchanged.
fn match_siblings(matching: &mut Matching<'_>, olds: &[DefinitionIndex], news: &[DefinitionIndex]) {
    let mut head = olds.iter().zip(news).take_while(|(old, new)| is_same(matching, **old, **new)).count();
    let backwards = olds[head..].iter().rev().zip(news[head..].iter().rev());
    let mut tail = backwards.take_while(|(old, new)| is_same(matching, **old, **new)).count();
    let (middle_old, middle_new) = (&olds[head..olds.len() - tail], &news[head..news.len() - tail]);
    if !middle_old.is_empty() || !middle_new.is_empty() {
        // Nobody can tell which of several equal definitions next to the middle was changed or deleted, so they join the middle.
        let is_twin = |twin: &&DefinitionIndex| {
            middle_old.iter().any(|&it| is_alike(&matching.old, it, &matching.old, **twin))
                || middle_new.iter().any(|&it| is_alike(&matching.new, it, &matching.old, **twin))
        };
        let twins = olds[..head].iter().rev().take_while(is_twin).count();
        tail -= olds[olds.len() - tail..].iter().take_while(is_twin).count();
        head -= twins;
    }
    let (tail_old, tail_new) = (olds.len() - tail, news.len() - tail);
    let sure = olds[..head].iter().zip(&news[..head]).chain(olds[tail_old..].iter().zip(&news[tail_new..]));
    for (&old, &new) in sure {
        matching.add(old, new);
    }
    let (olds, news) = (&olds[head..tail_old], &news[head..tail_new]);
    if !olds.is_empty() && !news.is_empty() {
        match_middle(matching, olds, news);
    }
}

/// Whether two are equal, including their signatures.
fn is_same(matching: &Matching<'_>, old: DefinitionIndex, new: DefinitionIndex) -> bool {
    matching.old.get(old).signature == matching.new.get(new).signature
        && is_alike(&matching.old, old, &matching.new, new)
}

/// Whether two could be taken for each other: same body, kind and name, and the same tokens in front of them.
fn is_alike(a: &Side<'_>, one: DefinitionIndex, b: &Side<'_>, other: DefinitionIndex) -> bool {
    let (x, y) = (a.get(one), b.get(other));
    x.fingerprint == y.fingerprint
        && x.kind == y.kind
        && x.name == y.name
        && (x.preceding_hash == y.preceding_hash
            || a.is_named(one) && a.name_in_parent(one) == b.name_in_parent(other))
}

/// Pairs siblings that are not equal at either end, from the strongest sign to the weakest.
fn match_middle(matching: &mut Matching<'_>, olds: &[DefinitionIndex], news: &[DefinitionIndex]) {
    matching.match_unique(olds, news, true, |side, it| {
        let Definition { fingerprint, preceding_hash, signature, .. } = *side.get(it);
        Some((side.name_in_parent(it), side.category(it), fingerprint, preceding_hash, signature))
    });
    matching.match_unique(olds, news, false, |side, it| {
        Some((side.name_in_parent(it), side.get(it).fingerprint, side.category(it)))
    });
    // Renamed functions. The old name must no longer be in use, and the new one must not have been in use before, unless
    // the body is long enough to outweigh that.
    let [before, now] = [(&matching.old, olds), (&matching.new, news)].map(|(side, all)| -> FxHashSet<_> {
        all.iter().filter_map(|&it| Some((name_of(side, it)?, side.category(it)))).collect()
    });
    let is_renamed = |side: &Side<'_>, it: DefinitionIndex| {
        let others = if side.is_old { &now } else { &before };
        let kept = name_of(side, it).is_some_and(|name| others.contains(&(name, side.category(it))));
        !kept || side.is_old && side.get(it).tokens >= bars::TOKENS_TO_OUTWEIGH_NAME
    };
    matching.match_unique(olds, news, false, |side, it| {
        let last_name = hash(&side.get(it).name);
        is_renamed(side, it).then(|| (last_name, side.get(it).fingerprint, side.category(it)))
    });
    let same_body = matching.unique_pairs(olds, news, false, |side, it| {
        let tells = side.get(it).tokens >= bars::TOKENS_OF_DISTINCTIVE && is_renamed(side, it);
        tells.then(|| (side.get(it).fingerprint, side.category(it)))
    });
    for (old, new) in same_body {
        if !matching.is_anothers_name(old, new) {
            matching.add(old, new);
        }
    }
    let same_name =
        matching.unique_pairs(olds, news, false, |side, it| Some((name_of(side, it)?, side.category(it))));
    let mut doubtful = Vec::new();
    for (old, new) in same_name {
        if matching.may_be_elsewhere(old, new) {
            doubtful.push((old, new));
        } else {
            matching.add(old, new);
        }
    }
    for (old, new) in doubtful {
        if !matching.is_outdone((old, new), (olds, news)) {
            matching.add(old, new);
        }
    }
    // `name` became `#name` or `_name`.
    let private = matching.unique_pairs(olds, news, false, |side, it| {
        let name = side.is_named(it).then(|| public_name(side.name_in_parent(it)))?;
        Some((name, side.category(it)))
    });
    for (old, new) in private {
        let (before, now) = (matching.old.name_in_parent(old), matching.new.name_in_parent(new));
        // `_name` may well be a different function from `name`.
        let is_it = before.replace('#', "") == now.replace('#', "") || matching.has_much_in_common(old, new);
        if before != now && is_it {
            matching.add(old, new);
        }
    }
}

/// The hash of its [`Side::distinctive_name`].
fn name_of(side: &Side<'_>, it: DefinitionIndex) -> Option<u64> {
    side.distinctive_name(it).map(|(name, preceding_hash)| hash(name) ^ preceding_hash)
}

/// Two definitions that belong together, and their children that had no partner yet.
#[derive(Clone, Copy)]
struct Family<'s> {
    parents: (DefinitionIndex, DefinitionIndex),
    olds: &'s [DefinitionIndex],
    news: &'s [DefinitionIndex],
}

/// Pairs siblings for which names and bodies did not decide.
fn match_siblings_by_context(matching: &mut Matching<'_>, family: Family<'_>) {
    by_neighbours(matching, family);
    if by_similarity(matching, family) {
        by_neighbours(matching, family);
    }
    in_order(matching, family);
}

/// Pairs siblings between the same neighbours as before.
fn by_neighbours(matching: &mut Matching<'_>, family: Family<'_>) {
    let Some(neighbours) = NeighbourTable::new(matching, family) else { return };
    let Family { olds, news, .. } = family;
    // Equal definitions, as many as before.
    matching.match_unique(olds, news, true, |side, it| {
        Some((
            side.name_in_parent(it),
            side.get(it).fingerprint,
            side.category(it),
            neighbours.around(side, it),
        ))
    });
    // An equal call with a different callback.
    let same = matching.unique_pairs(olds, news, false, |side, it| {
        Some((
            side.name_in_parent(it),
            side.get(it).preceding_hash,
            side.category(it),
            neighbours.around(side, it),
        ))
    });
    for (old, new) in same {
        if matching.is_likely_edit(old, new) && !matching.is_outdone((old, new), (olds, news)) {
            matching.add(old, new);
        }
    }
}

/// Pairs runs of siblings between the same neighbours, if each run is as long as before and all its pairs, in order, have similar code.
fn in_order(matching: &mut Matching<'_>, family: Family<'_>) {
    let Some(neighbours) = NeighbourTable::new(matching, family) else { return };
    let Family { olds, news, .. } = family;
    let same = matching.unique_pairs(olds, news, true, |side, it| Some(neighbours.around(side, it)));
    for run in same.chunk_by(|a, b| neighbours.old.get(&a.0) == neighbours.old.get(&b.0)) {
        let are_alike = run.iter().all(|&(old, new)| {
            let same_name = matching.old.name_in_parent(old) == matching.new.name_in_parent(new);
            let enough =
                if same_name { bars::SIMILARITY_IN_ORDER_SAME_NAME } else { bars::SIMILARITY_IN_ORDER };
            matching.old.category(old) == matching.new.category(new)
                && matching.similarity(old, new) >= enough
                && !matching.is_anothers_name(old, new)
                && !matching.is_wrapped(old, new)
        });
        if are_alike {
            run.iter().for_each(|&(old, new)| matching.add(old, new));
        }
    }
}

/// Pairs siblings that are more similar to each other than to anything else. Returns whether there were any.
fn by_similarity(matching: &mut Matching<'_>, family: Family<'_>) -> bool {
    let Some(neighbours) = NeighbourTable::new(matching, family) else { return false };
    let olds: Vec<_> = family.olds.iter().copied().filter(|&it| matching.old.is_free(it)).collect();
    let news: Vec<_> = family.news.iter().copied().filter(|&it| matching.new.is_free(it)).collect();
    let many = olds.len() * news.len() > MAX_PAIRS_COMPARED;
    let mut candidates = Vec::new();
    for &old in &olds {
        let still_written = !matching.old.is_named(old) && matching.is_still_written(old);
        for &new in &news {
            let same_code = matching.old.get(old).fingerprint == matching.new.get(new).fingerprint;
            if matching.old.category(old) != matching.new.category(new) || still_written && !same_code {
                continue;
            }
            let (before, now) =
                (neighbours.around(&matching.old, old), neighbours.around(&matching.new, new));
            let named = matching.old.is_named(old) || matching.new.is_named(new);
            let same_name = matching.old.name_in_parent(old) == matching.new.name_in_parent(new);
            let same_before = if named {
                same_name
            } else {
                matching.old.get(old).preceding_hash == matching.new.get(new).preceding_hash
            };
            let other_title = !same_before && matching.old.is_titled(old) && matching.new.is_titled(new);
            let signs = sign_if(before.0 == now.0, bars::SIGN_NEIGHBOUR)
                + sign_if(before.1 == now.1, bars::SIGN_NEIGHBOUR)
                + sign_if(same_before, bars::SIGN_BEFORE)
                + sign_if(same_name && !named, bars::SIGN_NAME);
            if many && signs < bars::SIGNS_OF_MANY {
                continue;
            }
            let bar = bars::SIMILARITY_OF_SIBLINGS;
            let enough = match () {
                () if named && same_name => bar.same_name,
                () if other_title && same_name => bar.other_title_same_path,
                () if other_title => bar.other_title,
                () if same_before && !same_name => bar.same_before,
                () if same_before => bar.same_before_and_path,
                () => bar.nothing_in_common,
            };
            let score = signs + matching.similarity(old, new) - enough;
            if score > -bars::MARGIN_OF_SIBLINGS {
                candidates.push(Candidate { score, old, new });
            }
        }
    }
    matching.match_best(candidates, bars::MARGIN_OF_SIBLINGS)
}

/// The neighbours of each free definition.
struct NeighbourTable {
    old: FxHashMap<DefinitionIndex, Neighbours>,
    new: FxHashMap<DefinitionIndex, Neighbours>,
}

/// The nearest siblings before and after it that have a partner, by their new index.
type Neighbours = (Option<DefinitionIndex>, Option<DefinitionIndex>);

impl NeighbourTable {
    /// Returns `None` if nothing is left to be paired.
    fn new(matching: &Matching<'_>, Family { parents, olds, news }: Family<'_>) -> Option<Self> {
        let free_old = olds.iter().any(|&it| matching.old.is_free(it));
        if !free_old || !news.iter().any(|&it| matching.new.is_free(it)) {
            return None;
        }
        let old_children: Vec<_> = matching.old.children(parents.0).collect();
        let new_children: Vec<_> = matching.new.children(parents.1).collect();
        let (old, new) = (&matching.old, &matching.new);
        Some(Self {
            old: around(&old_children, old, |it| {
                old.partner(it).filter(|&it| new.parent(it) == Some(parents.1))
            }),
            new: around(&new_children, new, |it| {
                new.partner(it).filter(|&before| old.parent(before) == Some(parents.0)).map(|_| it)
            }),
        })
    }

    fn around(&self, side: &Side<'_>, it: DefinitionIndex) -> Neighbours {
        let neighbours = if side.is_old { &self.old } else { &self.new };
        neighbours.get(&it).copied().unwrap_or_default()
    }
}

fn around(
    children: &[DefinitionIndex],
    side: &Side<'_>,
    found: impl Fn(DefinitionIndex) -> Option<DefinitionIndex>,
) -> FxHashMap<DefinitionIndex, Neighbours> {
    let mut neighbours: FxHashMap<DefinitionIndex, Neighbours> = FxHashMap::default();
    let mut last = None;
    for &it in children {
        if side.is_free(it) {
            neighbours.entry(it).or_default().0 = last;
        }
        last = found(it).or(last);
    }
    last = None;
    for &it in children.iter().rev() {
        if side.is_free(it) {
            neighbours.entry(it).or_default().1 = last;
        }
        last = found(it).or(last);
    }
    neighbours
}

/// The contribution of a sign to a score: its weight if it is present.
fn sign_if(given: bool, weight: f32) -> f32 {
    if given { weight } else { 0.0 }
}

/// A name or path without the marks of a private one.
pub(super) fn public_name(name: &str) -> String {
    name.replace(['#', '_'], "")
}

fn hash(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}
