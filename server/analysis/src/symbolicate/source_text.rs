//! One version of a workspace file's text, with its definitions and lines.

use std::sync::Arc;
use std::time::SystemTime;

use profile::model::Position;
use source::definition::{Outline, OutlineError};
use source::language::Language;
use source::map::Outlined;
use source::text::{Encoding, LineCol, LineEnds, LineIndex, text_of};
use text_size::TextSize;

use crate::anchor::Version;
use crate::files::{FilePath, Files};

/// Why there is no [`SourceText`]: the error of the outline, or `None` if there is no file or no code in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unread(pub(crate) Option<OutlineError>);

/// A text and what is known about it. Immutable.
#[derive(Debug)]
pub struct SourceText {
    /// The text, without a byte order mark.
    pub text: Box<str>,
    /// Its definitions.
    pub outline: Outline,
    /// Its lines as editors count them.
    pub lines: LineIndex,
    /// Its lines as engines count them; `None` if editors count them alike.
    engine_lines: Option<LineIndex>,
}

impl SourceText {
    /// Creates the text of a file, if it is in a language that Proflens reads.
    pub(crate) fn of(file: &FilePath, text: String) -> Result<Arc<Self>, Unread> {
        Self::in_language(Language::of_path(file.as_str()).ok_or(Unread(None))?, text)
    }

    /// Creates a text in a language, for texts that have no file name.
    pub(crate) fn in_language(language: Language, text: String) -> Result<Arc<Self>, Unread> {
        let outline = source::large_stack::outline(&text, language).map_err(|it| Unread(Some(it)))?;
        let lines = LineIndex::new(&text, LineEnds::Editor);
        let engine_lines = LineIndex::new(&text, LineEnds::Engine);
        let engine_lines = (engine_lines.lines() != lines.lines()).then_some(engine_lines);
        Ok(Arc::new(Self { text: text.into_boxed_str(), outline, lines, engine_lines }))
    }

    /// The text that a source map holds for a file. For a Vue or Svelte file, some tools write only the code of its
    /// script, without the markup around it.
    pub(crate) fn in_map(file: &FilePath, text: String) -> Option<Arc<Self>> {
        let whole = Self::of(file, text).ok()?;
        if !matches!(&whole.outline.scripts, Some(scripts) if scripts.is_empty()) {
            return Some(whole);
        }
        let code = [Language::JavaScript, Language::TypeScript].into_iter();
        let mut code = code.filter_map(|it| source::large_stack::outline(&whole.text, it).ok());
        match code.find(|it| it.exact) {
            Some(outline) => Some(Arc::new(Self { outline, ..Arc::into_inner(whole)? })),
            None => Some(whole),
        }
    }

    /// Reads a file as it is now.
    pub(crate) fn read(file: &FilePath, files: &dyn Files) -> Result<Arc<Self>, Unread> {
        let language = Language::of_path(file.as_str()).ok_or(Unread(None))?;
        // Drop the bytes before making the outline, as a text may be large.
        let text = text_of(&files.read(file).ok_or(Unread(None))?);
        Self::in_language(language, text)
    }

    /// Like [`SourceText::read`], but returns `known` if the text has not changed: most have not, and parsing takes long.
    pub(crate) fn read_again(file: &FilePath, known: &Arc<Self>, files: &dyn Files) -> Option<Arc<Self>> {
        let language = Language::of_path(file.as_str())?;
        let text = text_of(&files.read(file)?);
        // For markup, `known` may be the outline of only its script.
        let same = *text == *known.text && !language.is_markup();
        if same { Some(Arc::clone(known)) } else { Self::of(file, text).ok() }
    }

    /// Reads a file as it was committed when the trace was recorded, if it was changed since. Returns `None` if today's
    /// text is as likely to be the one that ran, or if there is no history.
    pub(crate) fn when(
        recorded: Option<SystemTime>,
        file: &FilePath,
        files: &dyn Files,
    ) -> Option<Arc<Self>> {
        let recorded = recorded?;
        Language::of_path(file.as_str())?;
        files.modified(file).filter(|&modified| modified > recorded)?;
        let committed = files.committed(file, recorded)?;
        let same = files.read(file).is_some_and(|now| now == committed);
        if same { None } else { Self::of(file, text_of(&committed)).ok() }
    }

    /// Reads a file that does not exist any more as it was committed when the trace was recorded.
    pub(crate) fn committed(
        recorded: Option<SystemTime>,
        file: &FilePath,
        files: &dyn Files,
    ) -> Option<Arc<Self>> {
        Language::of_path(file.as_str())?;
        Self::of(file, text_of(&files.committed(file, recorded?)?)).ok()
    }

    /// Its lines as engines count them: U+2028 and U+2029 end lines too.
    fn engine_lines(&self) -> &LineIndex {
        self.engine_lines.as_ref().unwrap_or(&self.lines)
    }

    /// The line of an offset as engines count: 0-based.
    pub(crate) fn engine_line(&self, offset: TextSize) -> u32 {
        self.engine_lines().line_col(&self.text, offset, Encoding::Utf8).line
    }

    /// The text as engines and source maps see it.
    pub(crate) fn outlined(&self) -> Outlined<'_> {
        Outlined { text: &self.text, lines: self.engine_lines(), outline: &self.outline }
    }

    /// The text as `anchor` compares it.
    pub(crate) fn version(&self) -> Version<'_> {
        Version { text: &self.text, outline: &self.outline }
    }

    /// The offset of an engine's position; `None` if the text has no such line, or the position no column.
    pub(crate) fn offset(&self, position: Position) -> Option<TextSize> {
        let Position { line, column: Some(column) } = position else { return None };
        self.engine_lines().offset(&self.text, LineCol { line, column }, Encoding::Utf16)
    }

    /// The offset of this many UTF-16 units from the start, as engines count them; `None` past the end.
    pub(crate) fn offset_of_units(&self, units: u32) -> Option<TextSize> {
        self.lines.offset_of_units(&self.text, units, Encoding::Utf16)
    }

    /// The position of an offset as engines give it.
    pub(crate) fn engine_position(&self, offset: TextSize) -> Position {
        let LineCol { line, column } = self.engine_lines().line_col(&self.text, offset, Encoding::Utf16);
        Position { line, column: Some(column) }
    }

    /// The line and column of an offset as editors count: 0-based, UTF-16.
    pub fn line_col(&self, offset: TextSize) -> LineCol {
        self.lines.line_col(&self.text, offset, Encoding::Utf16)
    }
}

/// Whether a character may be part of a name or a keyword.
pub(super) fn is_of_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$')
}
