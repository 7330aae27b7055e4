//! Pairs functions that are in another file today and were edited on the way: the one that is gone has the kind, the name
//! and half of the code of one that appeared.
//!
//! A name that several functions have proves nothing, so the code must be clearly more similar than that of any other
//! function with that name. And if code under another name is clearly more similar, the function may have been renamed,
//! and something else may have taken its name.

use std::cell::OnceCell;

use rustc_hash::FxHashMap;
use source::definition::{Definition, DefinitionId, DefinitionKind};

use super::source_text::SourceText;
use crate::anchor::Bigrams;
use crate::bars;
use crate::files::FilePath;

/// Once this many pairs of tokens were compared, no further function is looked for: about a tenth of a second.
const MAX_BIGRAMS: usize = 32 << 20;

/// A definition without a partner in its own file: one that is gone from the measured text with this number, or one
/// that is new in today's.
#[derive(Clone, Copy)]
pub(super) struct Unpaired<'a> {
    /// The number of the text on its side.
    pub(super) number: usize,
    pub(super) file: &'a FilePath,
    pub(super) text: &'a SourceText,
    pub(super) id: DefinitionId,
}

impl<'a> Unpaired<'a> {
    pub(super) fn definition(self) -> &'a Definition {
        self.text.outline.get(self.id)
    }

    pub(super) fn key(self) -> (usize, DefinitionId) {
        (self.number, self.id)
    }
}

/// Pairs a function that is gone with one that appeared in another file, if they are the same function after an edit.
pub(super) fn moved_and_edited<'a>(
    gone: &[Unpaired<'a>],
    appeared: &[Unpaired<'a>],
) -> Vec<(Unpaired<'a>, Unpaired<'a>)> {
    let [olds, news] = [gone, appeared].map(|all| all.iter().filter_map(|&one| Compared::of(one)));
    let (olds, news): (Vec<Compared<'_>>, Vec<Compared<'_>>) = (olds.collect(), news.collect());
    let mut namesakes: FxHashMap<(DefinitionKind, &str), Vec<usize>> = FxHashMap::default();
    for (index, new) in news.iter().enumerate() {
        namesakes.entry(new.kind_and_name()).or_default().push(index);
    }
    let mut budget = MAX_BIGRAMS;
    let mut pairs = Vec::new();
    for old in &olds {
        for &index in namesakes.get(&old.kind_and_name()).into_iter().flatten() {
            let new = &news[index];
            let similarity = old.similarity(new, &mut budget);
            let is_enough = similarity >= bars::SIMILARITY_OF_MOVED && old.place.file != new.place.file;
            if is_enough && is_clear((old, new), similarity, (&olds, &news), &mut budget) && budget > 0 {
                pairs.push((old.place, new.place));
            }
        }
    }
    pairs
}

/// Whether no other definition is so similar that it could be the partner instead.
fn is_clear(
    (old, new): (&Compared<'_>, &Compared<'_>),
    similarity: f32,
    (olds, news): (&[Compared<'_>], &[Compared<'_>]),
    budget: &mut usize,
) -> bool {
    let allowed = |is_namesake: bool| {
        similarity + if is_namesake { -bars::MARGIN_ANYWHERE } else { bars::MARGIN_ANYWHERE }
    };
    // Several versions of one file may have been measured.
    let is_same = |one: &Compared<'_>, other: &Compared<'_>| {
        one.place.file == other.place.file && one.definition.path == other.definition.path
    };
    let mut is_rival = |one: &Compared<'_>, other: &Compared<'_>| {
        one.similarity(other, budget) > allowed(one.kind_and_name() == other.kind_and_name())
    };
    !news.iter().any(|rival| !is_same(rival, new) && is_rival(old, rival))
        && !olds.iter().any(|rival| !is_same(rival, old) && is_rival(rival, new))
}

/// A definition with its code as it is compared.
struct Compared<'a> {
    place: Unpaired<'a>,
    definition: &'a Definition,
    bigrams: OnceCell<Bigrams>,
}

impl<'a> Compared<'a> {
    /// Returns the definition if it has a name and enough code.
    fn of(place: Unpaired<'a>) -> Option<Self> {
        let definition = place.definition();
        let is_named = definition.name_range.is_some() && definition.kind != DefinitionKind::Constructor;
        let is_enough = definition.tokens >= bars::TOKENS_FOR_SIMILARITY;
        (is_named && is_enough).then(|| Self { place, definition, bigrams: OnceCell::new() })
    }

    fn kind_and_name(&self) -> (DefinitionKind, &'a str) {
        (self.definition.kind, &self.definition.name)
    }

    /// How similar the code of two definitions is, 0..1; 0 if one is much longer, or if nothing more may be compared.
    fn similarity(&self, other: &Self, budget: &mut usize) -> f32 {
        let (a, b) = (self.definition.tokens as usize, other.definition.tokens as usize);
        if a.min(b) * 4 < a.max(b) {
            return 0.0;
        }
        *budget = budget.saturating_sub(a + b);
        if *budget == 0 {
            return 0.0;
        }
        self.bigrams().similarity(other.bigrams())
    }

    fn bigrams(&self) -> &Bigrams {
        self.bigrams.get_or_init(|| Bigrams::of(&self.place.text.text[self.definition.range]))
    }
}
