//! From any text to its outline, on the stack of the thread that asks.

use crate::definition::{Outline, OutlineError};
use crate::embedded;
use crate::language::Language;
use crate::parse::{self, ParseFailure};
use crate::recovery;
use crate::stack_budget::stack_left;

/// The definitions of a text, as [`outline`](crate::outline) gives them, if the stack of this thread is enough.
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

fn parse_or_recover(text: &str, language: Language, stack: usize) -> Result<Outline, OutlineError> {
    let mut read = parse::parse(text, language, stack);
    let at = match read {
        // Flow, and TypeScript in a file named as JavaScript.
        Err(ParseFailure::At(at)) if language == Language::JavaScript => {
            read = parse::parse(text, Language::TypeScriptJsx, stack);
            at
        }
        Err(ParseFailure::At(at)) => at,
        _ => 0,
    };
    match read {
        Ok(outline) => Ok(outline),
        Err(ParseFailure::At(_)) => recovery::outline_of_broken(text, language, at, stack),
        Err(ParseFailure::TooLarge) => Err(OutlineError::TooLarge),
        Err(ParseFailure::TooDeep) => Err(OutlineError::TooDeep),
        Err(ParseFailure::NeedsStack(bytes)) => Err(OutlineError::needs(bytes)),
    }
}
