//! What went wrong without stopping the work: it is always reported.

/// A message of one sentence: what, where, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Problem {
    /// What is wrong: `3 samples name nodes that do not exist`.
    pub what: String,
    /// The trace, file or resource in which it is wrong; empty until the name is known.
    pub place: String,
    /// What the user can do, or what was done instead: `their time is counted as unknown`.
    pub hint: String,
}

/// `1 sample`, `2 samples`.
pub(crate) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
