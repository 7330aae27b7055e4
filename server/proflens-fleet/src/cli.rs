//! The commands: each reads its flags, asks the lake, and prints.

use profile::Problem;
use proflens::cli::screen::{self, Unwritten};

pub(crate) mod compact;
pub(crate) mod compare;
pub(crate) mod ingest;
pub(crate) mod rows;
pub(crate) mod slice;
pub(crate) mod sql;
pub(crate) mod symbolicate;

/// What a command could not do.
#[derive(Debug, Default)]
pub(crate) struct Done {
    pub(crate) errors: Vec<Problem>,
}

impl Done {
    /// Of a command that ends at its first error.
    pub(crate) fn of(result: Result<(), Problem>) -> Self {
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
/// If stdout takes no more.
pub(crate) fn print(text: &str) -> Result<(), Problem> {
    screen::print(text).map_err(|unwritten| not_printed(&unwritten))
}

/// Writes a result in JSON to stdout.
///
/// # Errors
/// As [`print`].
pub(crate) fn print_json(text: &str) -> Result<(), Problem> {
    screen::print_json(text).map_err(|unwritten| not_printed(&unwritten))
}

/// Why a result did not arrive.
fn not_printed(unwritten: &Unwritten) -> Problem {
    Problem::new(unwritten.to_string().trim_end_matches('.'), "")
}
