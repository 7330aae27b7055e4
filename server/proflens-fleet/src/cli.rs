//! The commands: each reads its flags, asks the lake, and prints.

use std::io::Write;

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
    eprintln!("{sentence}");
}

/// Writes a result to stdout. A reader that has closed its pipe is no error.
pub(crate) fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
