//! Decides whether a map was made from a text, if the map does not say so. Words of the generated text must then come
//! from the same words in the source. Code that was rewritten for an older language has other words, but every place that
//! a map names is still the start or end of a token. If the map was made from another version of the text, the words of a
//! function also tell how many lines further down it is now.
//!
//! ```text
//! generated                       text                              an edited text, a line further down
//! function load(path) {           function load(path: string) {
//!   return read(path, 1);           return read(path, 1);           function load(path: string) {
//!                                                                     return read(path, 1);
//! load return read path           load return read path             (nothing) function load
//! ```

use std::cmp::Reverse;
use std::collections::BTreeSet;

use source::map::{Outlined, Query, Segment, SourceMap};
use source::text::{Encoding, LineCol};
use text_size::{TextRange, TextSize};

use super::source_text::is_of_word;
use crate::bars;

/// How many bytes before and after the start of a function are compared, and the most words that are.
const BEFORE: usize = 200;
const AFTER: usize = 400;
const MAX_WORDS: u32 = 100;
/// Words up to this many bytes may be names that a minifier gave.
const SHORT: usize = 2;
/// How many words, the longest ones, are used to find the lines that a function moved to.
const LOOKED_FOR: usize = 3;

/// What a map says of a function and its surroundings in a generated text.
#[derive(Default)]
pub(super) struct Surroundings<'g> {
    /// Words before and after the function, and where in the source they come from.
    words: Vec<(&'g str, LineCol)>,
    /// The same for the function itself.
    own_words: Vec<(&'g str, LineCol)>,
    /// All places that come from the source.
    places: Vec<LineCol>,
    /// How many places the map names in the generated text, and how many of these are where a token starts or ends.
    generated: (usize, usize),
}

/// How much of a function's surroundings is in a text.
#[derive(Clone, Copy)]
struct Overlap {
    /// The number of words that were looked for, without those that tools make.
    words: usize,
    /// How many of them are in the text.
    same: usize,
    places: usize,
    /// How many of these are where a token starts or ends.
    between_tokens: usize,
}

/// What a map says of the surroundings of functions, each given by its place and the source that it comes from.
pub(super) fn surroundings<'g>(
    map: &SourceMap<'_>,
    generated: Outlined<'g>,
    functions: &[(TextRange, u32)],
) -> Vec<Surroundings<'g>> {
    let place = |at: usize| {
        let at = generated.text.floor_char_boundary(at.min(generated.text.len()));
        generated.lines.line_col(generated.text, TextSize::new(at as u32), Encoding::Utf16)
    };
    let mut order: Vec<usize> = (0..functions.len()).collect();
    order.sort_by_key(|&index| functions[index].0.start());
    let queries: Vec<Query> = order
        .iter()
        .map(|&index| {
            let at = usize::from(functions[index].0.start());
            Query { at: place(at.saturating_sub(BEFORE)), end: place(at + AFTER), limit: MAX_WORDS }
        })
        .collect();
    let resolved = map.resolve(&queries);
    let mut all: Vec<Surroundings<'g>> = functions.iter().map(|_| Surroundings::default()).collect();
    for (query, index) in order.into_iter().enumerate() {
        all[index] = Surroundings::of(generated, functions[index], resolved.inside(query));
    }
    all
}

impl<'g> Surroundings<'g> {
    fn of(
        generated: Outlined<'g>,
        (function, source): (TextRange, u32),
        segments: impl Iterator<Item = Segment>,
    ) -> Self {
        let mut surroundings = Self::default();
        let offset = |at| generated.lines.offset(generated.text, at, Encoding::Utf16);
        for segment in segments {
            let Some(from) = segment.original.filter(|from| from.source == source) else { continue };
            // Maps that only know lines put everything at the start of the line.
            if from.at.column > 0 {
                surroundings.places.push(from.at);
            }
            if segment.generated.column > 0 {
                surroundings.generated.0 += 1;
                surroundings.generated.1 += usize::from(is_between_tokens(generated, segment.generated));
            }
            let word = word_at(generated, segment.generated).filter(|word| word.len() > SHORT);
            let is_own = offset(segment.generated).is_some_and(|at| function.contains(at));
            let words = if is_own { &mut surroundings.own_words } else { &mut surroundings.words };
            words.extend(word.map(|word| (word, from.at)));
        }
        surroundings
    }

    /// Whether the map was made from this text, as far as the words and places around the function show. In another
    /// version of the text, lines or columns have moved.
    pub(super) fn agrees(&self, text: Outlined<'_>) -> bool {
        let overlap = self.overlap(text);
        overlap.words < bars::MAPPED_WORDS || overlap.words_agree() || overlap.places_agree()
    }

    /// Whether the map was made for the generated text, as far as the places around the function show. In another version of it, half of
    /// the places are inside of words.
    pub(super) fn fits_generated(&self) -> bool {
        are_of_tokens(self.generated)
    }

    /// Whether enough words around the function are the same to show that the map belongs to both texts.
    pub(super) fn proves(&self, text: Outlined<'_>) -> bool {
        self.overlap(text).words_prove()
    }

    fn overlap(&self, text: Outlined<'_>) -> Overlap {
        Overlap::of(text, self.words.iter().chain(&self.own_words), &self.places)
    }

    /// How many lines further down the function is in a text, if its words are there and nowhere else.
    pub(super) fn moved_by(&self, text: Outlined<'_>) -> Option<i32> {
        let mut longest = self.own_words.clone();
        longest.sort_by_key(|(word, at)| (Reverse(word.len()), *at));
        longest.dedup_by_key(|(word, _)| *word);
        let lines = longest.iter().take(LOOKED_FOR).flat_map(|&(word, at)| lines_of(text, word, at));
        let lines: BTreeSet<i32> = lines.collect();
        let mut fitting = lines.into_iter().filter(|&by| {
            let moved: Vec<(&str, LineCol)> =
                self.own_words.iter().filter_map(|&(word, at)| Some((word, moved(at, by)?))).collect();
            moved.len() == self.own_words.len() && Overlap::of(text, moved.iter(), &[]).words_prove()
        });
        let (only, None) = (fitting.next()?, fitting.next()) else { return None };
        Some(only)
    }
}

/// The same place, this many lines further down.
fn moved(at: LineCol, by: i32) -> Option<LineCol> {
    Some(LineCol { line: at.line.checked_add_signed(by)?, ..at })
}

impl Overlap {
    /// How many of these words and places are in a text.
    fn of<'w>(
        text: Outlined<'_>,
        words: impl Iterator<Item = &'w (&'w str, LineCol)>,
        places: &[LineCol],
    ) -> Self {
        let between_tokens = places.iter().filter(|&&at| is_between_tokens(text, at)).count();
        let mut overlap = Self { words: 0, same: 0, places: places.len(), between_tokens };
        for &(word, at) in words {
            let is_same = word_at(text, at) == Some(word);
            overlap.words += usize::from(is_same || !is_made(word));
            overlap.same += usize::from(is_same);
        }
        overlap
    }

    /// Whether there are enough words to prove something, and they agree.
    fn words_prove(self) -> bool {
        self.words >= bars::MAPPED_WORDS && self.words_agree()
    }

    fn words_agree(self) -> bool {
        let (part, whole) = bars::EQUAL_WORDS;
        self.same * whole >= self.words * part
    }

    fn places_agree(self) -> bool {
        are_of_tokens((self.places, self.between_tokens))
    }
}

/// Whether so many of all places are where a token starts or ends that all of them are.
fn are_of_tokens((all, between_tokens): (usize, usize)) -> bool {
    let (part, whole) = bars::PLACES_OF_TOKENS;
    between_tokens * whole >= all * part
}

/// How many lines further down than a place a word is in a text; one answer for each line that has the word at that column.
fn lines_of<'t>(text: Outlined<'t>, word: &'t str, at: LineCol) -> impl Iterator<Item = i32> + 't {
    let places = text.text.match_indices(word).filter_map(move |(offset, _)| {
        let there = text.lines.line_col(text.text, TextSize::new(offset as u32), Encoding::Utf16);
        (there.column == at.column).then_some(there.line)
    });
    places.filter_map(move |line| i32::try_from(i64::from(line) - i64::from(at.line)).ok())
}

/// Whether a token starts or ends at a place of a text.
fn is_between_tokens(text: Outlined<'_>, at: LineCol) -> bool {
    let Some(offset) = text.lines.offset(text.text, at, Encoding::Utf16) else { return false };
    let (before, after) = text.text.split_at(usize::from(offset));
    let sides = [before.chars().next_back(), after.chars().next()];
    let is_in_word = sides.iter().all(|side| side.is_some_and(is_of_word));
    let is_in_space = sides.iter().all(|side| side.is_none_or(char::is_whitespace));
    !is_in_word && !is_in_space
}

/// Whether tools derive such words from others: for imports, for names that are taken, for constants, for exports.
fn is_made(word: &str) -> bool {
    word.ends_with(|it: char| it.is_ascii_digit())
        || word.starts_with("import_")
        || word.starts_with("__")
        || matches!(word, "this" | "return" | "var" | "module" | "default")
}

/// The word that starts at a place of a text.
fn word_at(text: Outlined<'_>, at: LineCol) -> Option<&str> {
    let start: TextSize = text.lines.offset(text.text, at, Encoding::Utf16)?;
    let rest = &text.text[usize::from(start)..];
    let end = rest.find(|character| !is_of_word(character)).unwrap_or(rest.len());
    (end > 0).then(|| &rest[..end])
}

#[cfg(test)]
mod tests {
    use source::language::Language;
    use source::large_stack::outline;
    use source::text::{LineCol, LineEnds, LineIndex};

    use super::*;

    #[test]
    fn places_where_tokens_start_or_end() {
        let text = "  a.bc(1);\n";
        let lines = LineIndex::new(text, LineEnds::Engine);
        let outline = outline(text, Language::JavaScript).expect("it can be read");
        let outlined = Outlined { text, lines: &lines, outline: &outline };
        let between: Vec<u32> =
            (0..12).filter(|&column| is_between_tokens(outlined, LineCol { line: 0, column })).collect();
        assert_eq!(between, [2, 3, 4, 6, 7, 8, 9, 10, 11], "what is behind a line is at its end");
    }

    #[test]
    fn words_and_which_tools_make() {
        let text = "const a_$1 = über;";
        let lines = LineIndex::new(text, LineEnds::Engine);
        let outline = outline(text, Language::JavaScript).expect("it can be read");
        let outlined = Outlined { text, lines: &lines, outline: &outline };
        let cases = [(0, Some("const")), (5, None), (6, Some("a_$1")), (13, Some("über")), (17, None)];
        for (column, word) in cases {
            assert_eq!(word_at(outlined, LineCol { line: 0, column }), word, "at {column}");
        }
        let words = [
            "a1",
            "import_a",
            "__name",
            "this",
            "return",
            "var",
            "module",
            "default",
            "a",
            "important",
            "_a",
            "1a",
        ];
        let made: Vec<_> = words.into_iter().filter(|word| is_made(word)).collect();
        assert_eq!(made, words[..8]);
    }
}
