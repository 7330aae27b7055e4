//! The commands: each reads its flags, asks the lake, and prints.

use proflens::cli::screen;

pub(crate) mod compact;
pub(crate) mod compare;
pub(crate) mod ingest;
pub(crate) mod rows;
pub(crate) mod slice;
pub(crate) mod sql;
pub(crate) mod symbolicate;

/// What a command could not do, one sentence each.
#[derive(Debug, Default)]
pub(crate) struct Done {
    pub(crate) errors: Vec<String>,
}

impl Done {
    /// Of a command that ends at its first error.
    pub(crate) fn of(result: Result<(), String>) -> Self {
        Self { errors: result.err().into_iter().collect() }
    }
}

/// Says something to people beside the result.
pub(crate) fn note(sentence: &str) {
    screen::say(sentence);
}

/// Writes a result to stdout. A reader that has closed its pipe is no error.
///
/// # Errors
/// One sentence.
pub(crate) fn print(text: &str) -> Result<(), String> {
    screen::print(text).map_err(|unwritten| unwritten.to_string())
}

/// Writes a result in JSON to stdout.
///
/// # Errors
/// As [`print`].
pub(crate) fn print_json(text: &str) -> Result<(), String> {
    screen::print_json(text).map_err(|unwritten| unwritten.to_string())
}
