//! Converts the protocol's types to ours.

use std::path::{Path, PathBuf};

use analysis::document::Document;
use analysis::files::FilePath;
use source::text::{Encoding, LineCol, LineIndex};
use text_size::{TextRange, TextSize};
use tower_lsp::ls_types::{Position, Range, TextDocumentContentChangeEvent, Uri};
use url::Url;

/// The file of a URI; `None` for texts that are not files (`untitled:`, `git:`).
pub(crate) fn file_path(uri: &Uri) -> Option<FilePath> {
    let url = Url::parse(uri.as_str()).ok().filter(|url| url.scheme() == "file")?;
    Some(FilePath::new(url.to_file_path().ok()?.to_str()?))
}

/// The path that a client gives as a `file:` URL or as a plain path.
pub(crate) fn named_path(text: &str) -> Option<PathBuf> {
    if Path::new(text).is_absolute() {
        return Some(text.into());
    }
    Some(file_path(&text.parse().ok()?)?.as_str().into())
}

/// The offset of a position; one past the end of the text counts as its end.
pub(crate) fn offset(lines: &LineIndex, text: &str, position: Position, encoding: Encoding) -> TextSize {
    let place = LineCol { line: position.line, column: position.character };
    lines.offset(text, place, encoding).unwrap_or_else(|| TextSize::of(text))
}

/// The offset of a position in a document.
pub(crate) fn offset_in(document: &Document, position: Position, encoding: Encoding) -> TextSize {
    offset(document.lines(), document.text(), position, encoding)
}

/// The offsets of a range in a document.
pub(crate) fn range_in(document: &Document, range: Range, encoding: Encoding) -> TextRange {
    range_of(document.lines(), document.text(), range, encoding)
}

/// One edit: the range that it replaces, and the new text.
pub(crate) fn edit(
    lines: &LineIndex,
    text: &str,
    change: TextDocumentContentChangeEvent,
    encoding: Encoding,
) -> (TextRange, String) {
    let whole = TextRange::up_to(TextSize::of(text));
    let range = change.range.map_or(whole, |range| range_of(lines, text, range, encoding));
    (range, change.text)
}

/// A range; some clients send its ends in the wrong order.
fn range_of(lines: &LineIndex, text: &str, range: Range, encoding: Encoding) -> TextRange {
    let [a, b] = [range.start, range.end].map(|end| offset(lines, text, end, encoding));
    TextRange::new(a.min(b), a.max(b))
}

#[cfg(test)]
mod tests {
    use std::str::FromStr;

    use source::text::LineEnds;

    use super::*;

    #[test]
    fn uris_are_decoded() {
        let path = |uri: &str| file_path(&Uri::from_str(uri).unwrap()).map(|it| it.to_string());
        if cfg!(windows) {
            assert_eq!(path("file:///c%3A/w/%5Bslug%5D/a%20b%25.ts"), Some("C:/w/[slug]/a b%.ts".into()));
            assert_eq!(path("file:///C:/w/./x/../%C3%A9.ts"), Some("C:/w/é.ts".into()));
            assert_eq!(path("file://server/share/a.ts"), Some("//server/share/a.ts".into()));
        } else {
            assert_eq!(path("file:///w/%5Bslug%5D/a%20b%25.ts"), Some("/w/[slug]/a b%.ts".into()));
            assert_eq!(path("file:///w/./x/../%C3%A9.ts"), Some("/w/é.ts".into()));
        }
        assert_eq!(path("untitled:Untitled-1"), None);
        assert_eq!(path("git:/w/a.ts?x"), None);
    }

    #[test]
    fn positions_are_in_the_clients_encoding_and_never_past_the_end() {
        let text = "a\né𝄞b\n";
        let lines = LineIndex::new(text, LineEnds::Editor);
        let at = |line, character, encoding| {
            usize::from(offset(&lines, text, Position { line, character }, encoding))
        };
        assert_eq!([at(1, 6, Encoding::Utf8), at(1, 3, Encoding::Utf16), at(1, 2, Encoding::Utf32)], [8; 3]);
        assert_eq!(at(0, 99, Encoding::Utf16), 1);
        assert_eq!(at(99, 0, Encoding::Utf16), text.len());
        let backwards =
            Range { start: Position { line: 1, character: 0 }, end: Position { line: 0, character: 1 } };
        assert_eq!(range_of(&lines, text, backwards, Encoding::Utf16), TextRange::new(1.into(), 2.into()));
    }
}
