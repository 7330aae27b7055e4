//! A text with its definitions, in the form in which versions are compared.

use source::definition::Outline;

/// One version of a text, with its definitions.
#[derive(Clone, Copy, Debug)]
pub struct Version<'a> {
    /// The text that the outline belongs to.
    pub text: &'a str,
    /// Its definitions.
    pub outline: &'a Outline,
}
