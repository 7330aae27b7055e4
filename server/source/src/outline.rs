//! Makes the outline of any text, on the stack of the calling thread.

use crate::definition::{Outline, OutlineError};
use crate::embedded;
use crate::language::Language;
use crate::parse::{self, Before, ParseFailure, Pieces};
use crate::recovery;
use crate::stack_budget::stack_left;

/// A text that was read in such a way that after an edit, only the edited part is parsed again.
#[derive(Debug, Default)]
pub struct ReadText {
    /// Its definitions.
    pub outline: Outline,
    /// `None` if the text does not parse, contains more than code, or is too long to be read at once.
    pieces: Option<Pieces>,
}

impl From<Outline> for ReadText {
    /// A text of which only the outline is known.
    fn from(outline: Outline) -> Self {
        Self { outline, pieces: None }
    }
}

/// The definitions of a text, as returned by [`outline`](crate::outline), if the stack of this thread is large enough.
///
/// # Errors
/// As with `outline`; and [`OutlineError::NeedsStack`].
pub fn outline_here(text: &str, language: Language) -> Result<Outline, OutlineError> {
    if u32::try_from(text.len()).is_err() {
        return Err(OutlineError::TooLong);
    }
    if language.is_markup() {
        return embedded::outline_of_scripts(text, language, outline_here);
    }
    parse_or_recover(text, language, stack_left())
}

/// The same, with the help of an older version of the text that parsed. If this text parses, its outline does not depend on it.
///
/// # Errors
/// As with [`outline_here`].
pub(crate) fn read_here(
    text: &str,
    language: Language,
    older: Option<(&str, &ReadText)>,
) -> Result<ReadText, OutlineError> {
    if language.is_markup() || u32::try_from(text.len()).is_err() {
        return outline_here(text, language).map(ReadText::from);
    }
    let stack = stack_left();
    let before = older.and_then(|(text, read)| {
        read.pieces.as_ref().map(|pieces| Before { text, outline: &read.outline, pieces })
    });
    if let Some((outline, pieces)) = before.and_then(|it| it.reread(text, stack)) {
        return Ok(ReadText { outline, pieces: Some(pieces) });
    }
    let broken_at = before.and_then(|it| it.broken_at(text, stack));
    let read = broken_at
        .map_or_else(|| parse::parse_in_lines(text, language, stack), |at| Err(ParseFailure::At(at)));
    match read {
        Ok((outline, pieces)) => Ok(ReadText { outline, pieces }),
        Err(ParseFailure::At(at)) => {
            let around_the_edit =
                || before.and_then(|it| it.recovered(text, |new| parse_or_recover(new, language, stack)));
            let outline = parse_otherwise_or(text, language, stack, || {
                around_the_edit().unwrap_or_else(|| recovery::outline_of_broken(text, language, at, stack))
            })?;
            Ok(outline.into())
        }
        Err(failure) => Err(error(failure)),
    }
}

fn parse_or_recover(text: &str, language: Language, stack: usize) -> Result<Outline, OutlineError> {
    match parse::parse(text, language, stack) {
        Ok(outline) => Ok(outline),
        Err(ParseFailure::At(at)) => parse_otherwise_or(text, language, stack, || {
            recovery::outline_of_broken(text, language, at, stack)
        }),
        Err(failure) => Err(error(failure)),
    }
}

/// A text that does not parse as JavaScript may be Flow, or TypeScript in a file that is named as JavaScript.
fn parse_otherwise_or(
    text: &str,
    language: Language,
    stack: usize,
    recover: impl FnOnce() -> Result<Outline, OutlineError>,
) -> Result<Outline, OutlineError> {
    if language != Language::JavaScript {
        return recover();
    }
    match parse::parse(text, Language::TypeScriptJsx, stack) {
        Err(ParseFailure::At(_)) => recover(),
        read => read.map_err(error),
    }
}

fn error(failure: ParseFailure) -> OutlineError {
    match failure {
        ParseFailure::At(_) | ParseFailure::TooLarge => OutlineError::TooLarge,
        ParseFailure::TooDeep => OutlineError::TooDeep,
        ParseFailure::NeedsStack(bytes) => OutlineError::needs(bytes),
    }
}
