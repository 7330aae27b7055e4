//! Today's text of one file, one version, and what follows from it; each derived once, when first asked.
//!
//! A text that does not parse keeps the outline of the last version that did, carried along to this one: by what the
//! two texts have in common, for some editors send a whole text for each letter that is typed.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use source::{Language, LineEnds, LineIndex, Outline};
use text_size::TextRange;

use crate::FilePath;

/// One version of one file's text.
#[derive(Debug)]
pub struct Document {
    /// The file.
    pub file: FilePath,
    /// The editor's version number.
    pub version: i32,
    /// The text, without a byte order mark.
    pub text: Arc<str>,
    language: Option<Language>,
    lines: OnceLock<LineIndex>,
    outline: OnceLock<Arc<Outline>>,
    /// The last version before this one that was seen to parse.
    good: Option<Arc<Good>>,
}

/// A text that parses.
#[derive(Debug)]
struct Good {
    text: Arc<str>,
    outline: Arc<Outline>,
}

impl Document {
    /// A document as the editor opened it.
    pub fn new(file: FilePath, version: i32, text: impl Into<Arc<str>>) -> Self {
        let language = Language::of_path(file.as_str());
        Self {
            file,
            version,
            text: text.into(),
            language,
            lines: OnceLock::new(),
            outline: OnceLock::new(),
            good: None,
        }
    }

    /// The next version: each edit replaces a range of the text as the edits before it left it (LSP 3.17,
    /// "TextDocumentContentChangeEvent"). `edit` is called with the text so far and gives the range and the new
    /// text of the next edit.
    pub fn edited<E>(
        &self,
        version: i32,
        edits: impl IntoIterator<Item = E>,
        mut place: impl FnMut(&LineIndex, &str, E) -> (TextRange, String),
    ) -> Self {
        let mut text = self.text.to_string();
        let mut lines = Cow::Borrowed(self.lines());
        let mut edits = edits.into_iter().peekable();
        while let Some(edit) = edits.next() {
            let (range, with) = place(&lines, &text, edit);
            text.replace_range(std::ops::Range::<usize>::from(range), &with);
            if edits.peek().is_some() {
                lines = Cow::Owned(LineIndex::new(&text, LineEnds::Editor));
            }
        }
        Self { good: self.last_good(), ..Self::new(self.file.clone(), version, text) }
    }

    /// Where its lines start, as editors count lines.
    pub fn lines(&self) -> &LineIndex {
        self.lines.get_or_init(|| LineIndex::new(&self.text, LineEnds::Editor))
    }

    /// Its definitions; none in languages that Proflens does not read.
    pub fn outline(&self) -> &Outline {
        self.outline.get_or_init(|| {
            let Some(language) = self.language else { return Arc::default() };
            // Too deeply nested to be parsed: no function is known, so none is annotated.
            let read = source::outline(&self.text, language).unwrap_or_default();
            Arc::new(match &self.good {
                Some(good) if !read.exact => good.outline.carried(&good.text, &self.text, &read),
                _ => read,
            })
        })
    }

    /// What the next version has to go on.
    fn last_good(&self) -> Option<Arc<Good>> {
        let exact = self.outline.get().filter(|it| it.exact);
        let this = exact.map(|it| Good { text: Arc::clone(&self.text), outline: Arc::clone(it) });
        this.map(Arc::new).or_else(|| self.good.clone())
    }
}
