//! Looks anywhere in the text for definitions that are no longer among their siblings: moved into a class, wrapped in a
//! new scope, taken out of a function.

use super::matching::{Candidate, Matching};
use super::siblings::{match_below, public_name};
use super::side::{Category, DefinitionIndex};
use crate::bars;

/// If there are more pairs than this, none is compared.
const MAX_PAIRS_COMPARED: usize = 1024;

/// Pairs the leftovers by name and body, by name, and by similarity, and then the definitions inside them.
pub(super) fn match_by_weaker_signs(matching: &mut Matching<'_>) {
    let (olds, news) = free(matching);
    let same = matching.match_unique(&olds, &news, false, |side, it| {
        let definition = side.get(it);
        let tells = side.is_named(it) || definition.tokens >= bars::TOKENS_OF_DISTINCTIVE / 2;
        tells.then(|| (definition.name.as_str(), definition.fingerprint, side.category(it)))
    });
    same.into_iter().for_each(|(old, _)| match_below(matching, old));
    by_name(matching, str::to_owned);
    by_name(matching, public_name);
    by_similarity(matching);
}

/// The definitions of both sides that have no partner yet.
fn free(matching: &Matching<'_>) -> (Vec<DefinitionIndex>, Vec<DefinitionIndex>) {
    (matching.old.free(), matching.new.free())
}

/// Pairs definitions with a name, or a call and its arguments in front of them, that is unique on both sides, if the
/// code is similar enough.
fn by_name(matching: &mut Matching<'_>, name: fn(&str) -> String) {
    let (olds, news) = free(matching);
    if olds.is_empty() || news.is_empty() {
        return;
    }
    let same = matching.unique_pairs(&olds, &news, false, |side, it| {
        let definition = side.get(it);
        let preceding_hash = if side.is_named(it) { 0 } else { definition.preceding_hash };
        Some((name(&definition.name), preceding_hash, side.category(it)))
    });
    for (old, new) in same {
        let free = matching.old.is_free(old) && matching.new.is_free(new);
        let is_called_alike = matching.old.is_named(old) || matching.old.is_titled(old);
        let enough = match is_called_alike {
            true => bars::SIMILARITY_ANYWHERE_SAME_NAME,
            false => bars::SIMILARITY_ANYWHERE_SAME_BEFORE,
        };
        let is_other = matching.is_in_namesake(old, new) || matching.is_wrapped(old, new);
        if free && matching.similarity(old, new) >= enough && !is_other {
            matching.add(old, new);
            match_below(matching, old);
        }
    }
}

/// Pairs definitions that have enough code and most of it in common.
fn by_similarity(matching: &mut Matching<'_>) {
    let (mut olds, mut news) = free(matching);
    for (side, definitions) in [(&matching.old, &mut olds), (&matching.new, &mut news)] {
        definitions.retain(|&it| {
            side.get(it).tokens >= bars::TOKENS_FOR_SIMILARITY
                && !matches!(side.category(it), Category::TopLevel | Category::Constructor)
        });
    }
    if olds.len() * news.len() > MAX_PAIRS_COMPARED {
        return;
    }
    let mut candidates = Vec::new();
    for &old in &olds {
        for &new in &news {
            let same_category = matching.old.category(old) == matching.new.category(new);
            if same_category && !matching.is_in_namesake(old, new) {
                let score = matching.similarity(old, new) - bars::SIMILARITY_ANYWHERE;
                candidates.push(Candidate { score, old, new });
            }
        }
    }
    if matching.match_best(candidates, bars::MARGIN_ANYWHERE) {
        olds.into_iter().for_each(|it| match_below(matching, it));
    }
}
