//! Whether a map was made from a text, where it does not say so: then the words of the generated text come from the same words. What
//! was rewritten for an older language has other words; but all that a map names is where a token starts or ends.
//!
//! ```text
//! generated                       text                              an edited text, a line further down
//! function load(path) {           function load(path: string) {
//!   return read(path, 1);           return read(path, 1);           function load(path: string) {
//!                                                                     return read(path, 1);
//! load return read path           load return read path             (nothing) function load
//! ```

use source::map::{Outlined, Query, SourceMap};
use source::text::{Encoding, LineCol};
use text_size::TextSize;

use crate::bars;

/// How many bytes before and after the start of a function are compared, and at most how many words.
const WINDOW: (usize, usize) = (200, 400);
const MAX_WORDS: u32 = 100;

/// A function of the generated text, and the source that it comes from.
#[derive(Clone, Copy)]
pub(super) struct MappedStart {
    /// Where it starts.
    pub(super) at: TextSize,
    /// An index into the map's sources.
    pub(super) source: u32,
}

/// For each function, whether the map was made from the text of its source, as far as the words and places around its start show. In another
/// version of a text lines or columns moved. `original` gives the texts of sources.
pub(super) fn words_agree<'o>(
    map: &SourceMap<'_>,
    generated: Outlined<'_>,
    functions: &[MappedStart],
    original: impl Fn(u32) -> Option<Outlined<'o>>,
) -> Vec<bool> {
    let place = |at: usize| {
        let at = generated.text.floor_char_boundary(at.min(generated.text.len()));
        generated.lines.line_col(generated.text, TextSize::new(at as u32), Encoding::Utf16)
    };
    let mut queries: Vec<(Query, usize)> = functions
        .iter()
        .enumerate()
        .map(|(index, function)| {
            let at = usize::from(function.at);
            let (start, end) = (place(at.saturating_sub(WINDOW.0)), place(at + WINDOW.1));
            (Query { at: start, end, limit: MAX_WORDS }, index)
        })
        .collect();
    queries.sort_by_key(|(query, _)| query.at);
    let resolved = map.resolve(&queries.iter().map(|(query, _)| *query).collect::<Vec<_>>());
    let mut agree = vec![true; functions.len()];
    for (query, &(_, index)) in queries.iter().enumerate() {
        let source = functions[index].source;
        let Some(text) = original(source) else { continue };
        let (mut all, mut same) = (0, 0);
        let (mut places, mut fits) = (0, 0);
        for segment in resolved.inside(query) {
            let Some(from) = segment.original.filter(|from| from.source == source) else { continue };
            // Maps that know lines only put everything at the start of the line.
            if from.at.column > 0 {
                places += 1;
                fits += usize::from(is_between_tokens(text, from.at));
            }
            let Some(word) = word_at(generated, segment.generated).filter(|word| word.len() > SHORT) else {
                continue;
            };
            let is_same = word_at(text, from.at) == Some(word);
            all += usize::from(is_same || !is_made(word));
            same += usize::from(is_same);
        }
        let is_part = |some: usize, all: usize, (part, whole): (usize, usize)| some * whole >= all * part;
        agree[index] = all < bars::MAPPED_WORDS
            || is_part(same, all, bars::EQUAL_WORDS)
            || is_part(fits, places, bars::PLACES_OF_TOKENS);
    }
    agree
}

/// Whether a token starts or ends at a place of a text.
fn is_between_tokens(text: Outlined<'_>, at: LineCol) -> bool {
    let Some(offset) = text.lines.offset(text.text, at, Encoding::Utf16) else { return false };
    let (before, after) = text.text.split_at(usize::from(offset));
    let [before, after] = [before.chars().next_back(), after.chars().next()];
    let is_in_word = |side: Option<char>| side.is_some_and(is_of_word);
    let is_space = |side: Option<char>| side.is_none_or(char::is_whitespace);
    !(is_in_word(before) && is_in_word(after)) && !(is_space(before) && is_space(after))
}

fn is_of_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$')
}

/// Words of this many bytes may be names that a minifier gave.
const SHORT: usize = 2;

/// Whether tools make such words of others: of what is imported, of names that are taken, of constants, of exports.
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
