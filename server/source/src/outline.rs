//! From a text to its outline, whatever the text.

use std::fmt;

use crate::definition::Outline;
use crate::language::Language;
use crate::tree;

/// Why a text has no outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutlineError {
    /// Brackets or operators are nested deeper than can be read safely.
    TooDeep,
    /// The text is longer than 4 GB.
    TooLong,
}

impl fmt::Display for OutlineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooDeep => "the code is nested too deeply to be read",
            Self::TooLong => "the file is too long to be read",
        })
    }
}

impl std::error::Error for OutlineError {}

/// The definitions of a text. A text that does not parse is repaired first; then the outline is not
/// [`exact`](Outline::exact). A byte order mark must have been taken off: it would count as three bytes.
pub fn outline(text: &str, language: Language) -> Result<Outline, OutlineError> {
    if u32::try_from(text.len()).is_err() {
        return Err(OutlineError::TooLong);
    }
    Ok(tree::parse(text, language).unwrap_or_default())
}
