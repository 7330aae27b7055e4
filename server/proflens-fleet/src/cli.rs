//! The commands: each reads its flags, asks the lake, and prints.

pub(crate) mod ingest;
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
