//! One version of an open file's text, with its lines and its outline, each computed once, on demand.
//!
//! A text that does not parse takes over the outline of the last version that did, as far as the two texts are equal. The
//! texts are compared instead of applying the edits, because some editors send the whole text for each typed letter.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use source::definition::Outline;
use source::language::Language;
use source::outline::ReadText;
use source::text::{Encoding, LineCol, LineEnds, LineIndex};
use text_size::{TextRange, TextSize};

use crate::files::FilePath;

/// One version of one file's text.
#[derive(Debug)]
pub struct Document {
    /// The file.
    pub file: FilePath,
    /// The editor's version number.
    pub version: i32,
    language: Option<Language>,
    text: Arc<Text>,
    /// The last version before this one that is known to parse.
    parsed_before: Option<Arc<Text>>,
}

/// A text that several versions refer to.
#[derive(Debug)]
struct Text {
    /// Without a byte order mark.
    text: String,
    lines: OnceLock<LineIndex>,
    read: OnceLock<ReadText>,
}

impl Document {
    /// A document as the editor opened it.
    pub fn new(file: FilePath, version: i32, text: impl Into<String>) -> Self {
        let language = Language::of_path(file.as_str());
        Self { file, version, language, text: Arc::new(Text::new(text.into())), parsed_before: None }
    }

    /// The next version. Each edit replaces a range of the text that the previous edits left (LSP 3.17,
    /// "TextDocumentContentChangeEvent"). `place` gets the text so far, and returns the range and the new text of the next edit.
    pub fn edited<E>(
        &self,
        version: i32,
        edits: impl IntoIterator<Item = E>,
        mut place: impl FnMut(&LineIndex, &str, E) -> (TextRange, String),
    ) -> Self {
        let mut text = Cow::Borrowed(self.text());
        let mut lines = Cow::Borrowed(self.lines());
        for edit in edits {
            let (range, with) = place(&lines, &text, edit);
            text = Cow::Owned(replaced(&text, range, &with));
            lines = Cow::Owned(lines.edited(&text, range, &with));
        }
        let next = Text { lines: lines.into_owned().into(), ..Text::new(text.into_owned()) };
        let parses = self.text.read.get().is_some_and(|it| it.outline.exact);
        Self {
            file: self.file.clone(),
            version,
            language: self.language,
            text: Arc::new(next),
            parsed_before: if parses { Some(Arc::clone(&self.text)) } else { self.parsed_before.clone() },
        }
    }

    /// The text, without a byte order mark.
    pub fn text(&self) -> &str {
        &self.text.text
    }

    /// Where its lines start, as editors count lines.
    pub fn lines(&self) -> &LineIndex {
        self.text.lines.get_or_init(|| LineIndex::new(self.text(), LineEnds::Editor))
    }

    /// A place in the text as editors count: 0-based, UTF-16.
    pub fn line_col(&self, offset: TextSize) -> LineCol {
        self.lines().line_col(self.text(), offset, Encoding::Utf16)
    }

    /// Its definitions; none for languages that Proflens does not read.
    pub fn outline(&self) -> &Outline {
        let read = self.text.read.get_or_init(|| {
            let Some(language) = self.language else { return ReadText::default() };
            let before = self.parsed_before.as_ref().and_then(|it| Some((&*it.text, it.read.get()?)));
            // A text that is too long or too large to be parsed has no definitions, so nothing is shown in it.
            let read = source::large_stack::read(self.text(), language, before).unwrap_or_default();
            match before.filter(|_| !read.outline.exact) {
                Some((text, older)) => older.outline.carried(text, self.text(), &read.outline).into(),
                None => read,
            }
        });
        &read.outline
    }
}

impl Text {
    fn new(text: String) -> Self {
        Self { text, lines: OnceLock::new(), read: OnceLock::new() }
    }
}

/// A text with a range of it replaced, without spare capacity.
fn replaced(text: &str, range: TextRange, with: &str) -> String {
    let (start, end) = (usize::from(range.start()), usize::from(range.end()));
    [&text[..start], with, &text[end..]].concat()
}
