//! Today's text of one file, one version, and what follows from it; each derived once, when first asked.
//!
//! A text that does not parse keeps the last good outline, carried along by the edits: exact everywhere outside
//! of them, and what was typed just now has no costs anyway.

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
    /// The outline of the last version that parsed, carried to this version's offsets.
    carried: Option<Arc<Outline>>,
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
            carried: None,
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
        let mut carried = self.good_outline();
        let mut lines = None;
        for edit in edits {
            let index = lines.take().unwrap_or_else(|| LineIndex::new(&text, LineEnds::Editor));
            let (range, with) = place(&index, &text, edit);
            carried = carried.map(|it| Arc::new(it.edited(&text, range, &with)));
            text.replace_range(std::ops::Range::<usize>::from(range), &with);
        }
        Self { carried, ..Self::new(self.file.clone(), version, text) }
    }

    /// Where its lines start, as editors count lines.
    pub fn lines(&self) -> &LineIndex {
        self.lines.get_or_init(|| LineIndex::new(&self.text, LineEnds::Editor))
    }

    /// Its definitions; none in languages that Proflens does not read.
    pub fn outline(&self) -> &Outline {
        self.outline.get_or_init(|| {
            let Some(language) = self.language else { return Arc::default() };
            match (source::outline(&self.text, language), &self.carried) {
                (Ok(outline), _) if outline.exact => Arc::new(outline),
                (_, Some(carried)) => Arc::clone(carried),
                (Ok(repaired), None) => Arc::new(repaired),
                // Too deeply nested to be parsed: no function is known, so none is annotated.
                (Err(_), None) => Arc::default(),
            }
        })
    }

    /// The newest outline that is known without parsing anew.
    fn good_outline(&self) -> Option<Arc<Outline>> {
        self.outline.get().or(self.carried.as_ref()).cloned()
    }
}
