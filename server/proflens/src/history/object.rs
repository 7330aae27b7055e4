//! Git's objects: commits, folders and files, each of a kind; and the limits beyond which one is not read.

use std::io;
use std::time::Instant;

/// Why an answer that takes too long is not waited for.
const TOO_LATE: &str = "it takes longer than 10 seconds";

/// Larger objects are not read: they are no source texts written by people, and no commits or folders either.
pub(super) const MAX_OBJECT_BYTES: u64 = 8 << 20;

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

/// An object, unless it is larger than [`MAX_OBJECT_BYTES`].
pub(super) enum Found {
    Object(Object),
    TooLarge,
}

/// Checks that there is time left.
///
/// # Errors
/// If there is none.
pub(super) fn check_deadline(deadline: Instant) -> io::Result<()> {
    if Instant::now() < deadline { Ok(()) } else { Err(io::Error::new(io::ErrorKind::TimedOut, TOO_LATE)) }
}

/// An error about data that git would not have written.
pub(super) fn invalid(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}
