//! What git keeps: commits, folders and files, each an object of a kind; and when not to read one.

use std::io;
use std::time::Instant;

/// Why an answer that takes too long is given up.
const TOO_LATE: &str = "it takes longer than 10 seconds";

/// Larger objects are no source texts that somebody wrote, and no commits or folders either.
pub(super) const LARGEST_OBJECT: u64 = 8 << 20;

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectKind {
    Commit,
    Tree,
    Blob,
    Tag,
}

pub(super) struct Object {
    pub(super) kind: ObjectKind,
    pub(super) content: Vec<u8>,
}

/// An object, unless it is larger than [`LARGEST_OBJECT`].
pub(super) enum Found {
    Object(Object),
    TooLarge,
}

/// Whether an answer may still take time.
///
/// # Errors
/// If not.
pub(super) fn check_deadline(deadline: Instant) -> io::Result<()> {
    if Instant::now() < deadline { Ok(()) } else { Err(io::Error::new(io::ErrorKind::TimedOut, TOO_LATE)) }
}

/// What is not as git writes it.
pub(super) fn invalid(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}
