//! What a map says of the words of functions: whether it was made from a text.

use rustc_hash::FxHashMap;
use source::definition::DefinitionId;
use source::map::{Outlined, Query, ReportedFunction, SourceMap};
use source::text::{Encoding, LineCol};
use text_size::{TextRange, TextSize};

use crate::bars;

/// At most this many words of a function are compared.
const MAX_WORDS: u32 = 10_000;

/// What a map tells of the words of a function: of how many the origin, and how many are the same there.
#[derive(Clone, Copy, Default)]
struct Words {
    all: usize,
    same: usize,
}

/// The words of functions of a cached text, by its map and a text of the file.
pub(super) struct MappedWords<'a> {
    generated: Outlined<'a>,
    of: FxHashMap<TextRange, Words>,
}

impl<'a> MappedWords<'a> {
    pub(super) fn new(
        map: &SourceMap<'_>,
        source: u32,
        generated: Outlined<'a>,
        original: Outlined<'_>,
        reported: &[ReportedFunction],
    ) -> Self {
        let around = reported.iter().flat_map(|it| Self::around(generated, it.definition));
        let mut ranges: Vec<TextRange> = around.collect();
        ranges.sort_by_key(|it| (it.start(), it.end()));
        ranges.dedup();
        let place = |at| generated.lines.line_col(generated.text, at, Encoding::Utf16);
        let queries =
            ranges.iter().map(|it| Query { at: place(it.start()), end: place(it.end()), limit: MAX_WORDS });
        let queries: Vec<Query> = queries.collect();
        let resolved = map.resolve(&queries);
        let of = ranges.iter().enumerate().map(|(query, range)| {
            let mut words = Words::default();
            for it in resolved.inside(query) {
                let Some(from) = it.original.filter(|it| it.source == source) else { continue };
                let Some(word) = word_at(generated, it.generated) else { continue };
                let Some(there) = word_at(original, from.at) else { continue };
                words.all += usize::from(there == word || !is_made(word));
                words.same += usize::from(there == word);
            }
            (*range, words)
        });
        Self { generated, of: of.collect() }
    }

    /// The ranges of a function and of those around it, the innermost first.
    fn around(generated: Outlined<'a>, id: DefinitionId) -> impl Iterator<Item = TextRange> {
        let chain = std::iter::successors(Some(id), move |it| generated.outline.get(*it).parent);
        chain.map(move |it| generated.outline.get(it).range)
    }

    /// Whether the map was made from this text, as far as a function shows: most of its words are those of the text. In
    /// another version of a text lines or columns moved. Of a short function the one around it is asked.
    pub(super) fn agree(&self, id: DefinitionId) -> bool {
        let (part, whole) = bars::EQUAL_WORDS;
        let mut words = Self::around(self.generated, id).filter_map(|it| self.of.get(&it));
        words
            .find(|words| words.all >= bars::MAPPED_WORDS)
            .is_none_or(|words| words.same * whole >= words.all * part)
    }
}

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
    let end = rest.find(|it: char| !(it.is_alphanumeric() || it == '_' || it == '$')).unwrap_or(rest.len());
    (end > 0).then(|| &rest[..end])
}

#[cfg(test)]
mod tests {
    use source::language::Language;
    use source::large_stack::outline;
    use source::text::{LineCol, LineEnds, LineIndex};

    use super::*;

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
