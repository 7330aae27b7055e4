//! How much of a text is parsed at once, in which dialect, and why it may fail.

use oxc_span::SourceType;

use crate::language::Language;
use crate::stack_budget::{MAX_STACK, stack_needed};

/// The sizes of the pieces that texts are read in.
pub(super) const LIMITS: Limits =
    Limits { short: 2 << 20, piece: 200_000, largest: 7_000_000, stack: MAX_STACK };

/// How much of a text is parsed at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The bytes of a text that is parsed at once.
    pub(super) short: usize,
    /// The tokens of a piece, where a text can be split that finely.
    pub(super) piece: u32,
    /// The tokens that a piece that cannot be split may have before it is too large to be read.
    pub(super) largest: u32,
    /// The bytes of stack that a piece may need before it is nested too deeply to be read.
    pub(super) stack: usize,
}

/// Why a text was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ParseFailure {
    /// It cannot be parsed from an offset on.
    At(usize),
    /// A part of it that cannot be split is too large.
    TooLarge,
    /// It needs this many bytes of stack.
    NeedsStack(usize),
    /// It is nested too deeply for any stack.
    TooDeep,
}

impl Limits {
    /// Whether `stack` bytes of stack are enough for a piece. If `stack` is small, it is not yet checked whether any
    /// stack would be enough.
    pub(super) fn check_stack(self, piece: &str, stack: usize) -> Result<(), ParseFailure> {
        match stack_needed(piece, stack, self.stack) {
            Some(needed) if needed <= stack => Ok(()),
            Some(needed) => Err(ParseFailure::NeedsStack(needed)),
            None if stack < self.stack => Err(ParseFailure::NeedsStack(self.stack)),
            None => Err(ParseFailure::TooDeep),
        }
    }
}

/// The source type as which a text in a language is parsed.
pub(crate) fn source_type(language: Language) -> SourceType {
    match language {
        Language::JavaScript => SourceType::unambiguous().with_jsx(true),
        Language::TypeScript => SourceType::ts().with_unambiguous(true),
        // The code in markup is read as a language of its own.
        Language::TypeScriptJsx
        | Language::Vue
        | Language::Svelte
        | Language::Astro
        | Language::Html
        | Language::Mdx => SourceType::tsx().with_unambiguous(true),
    }
}
