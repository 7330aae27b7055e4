//! The commands: each reads its flags, queries the lake, and prints.

use profile::problem::Problem;
use proflens::cli::screen;
pub(crate) use proflens::cli::screen::{print, print_json};

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
    /// The outcome of a command that ends at its first error.
    pub(crate) fn of(result: Result<(), Problem>) -> Self {
        Self { errors: result.err().into_iter().collect() }
    }
}

/// Prints something for people besides the result.
pub(crate) fn note(sentence: &str) {
    screen::say(sentence);
}
