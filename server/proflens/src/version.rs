//! The version of the program, for those who report a mistake in it.

/// With the commit and its date where they are known; `build.rs` asks for them.
pub(crate) const VERSION: &str = env!("PROFLENS_VERSION");
