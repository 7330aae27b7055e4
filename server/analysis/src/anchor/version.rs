//! A text with its definitions, as versions of it are compared.

use source::definition::Outline;

/// One version of a text, with its definitions.
#[derive(Clone, Copy, Debug)]
pub struct Version<'a> {
    /// The text that the outline is of.
    pub text: &'a str,
    /// Its definitions.
    pub outline: &'a Outline,
}
