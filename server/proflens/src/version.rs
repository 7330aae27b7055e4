//! The version of the program, for people who report a bug.

/// With the commit and its date if they are known; `build.rs` finds them.
pub(crate) const VERSION: &str = env!("PROFLENS_VERSION");
