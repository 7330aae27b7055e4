//! Git's objects: commits, folders and files, each with a kind; and the limits beyond which an object is not read.

use std::io::{self, Read};
use std::time::Instant;

use profile::problem::Problem;

/// Why an answer that takes too long is abandoned.
const TOO_LATE: &str = "it takes longer than 10 seconds";

/// Larger objects are neither source texts written by people, nor commits or folders.
pub(super) const MAX_TEXT_BYTES: u64 = 8 << 20;

/// How long it may take to read an object, and how large it may be.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub(super) deadline: Instant,
    pub(super) bytes: u64,
}

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

/// Reads exactly `size` inflated bytes, after which the stream must end; its checksum is checked there.
///
/// # Errors
/// If there are more or fewer bytes, or the stream is damaged.
pub(super) fn read_exactly(from: impl Read, size: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(usize::try_from(size).map_err(|_| io::ErrorKind::OutOfMemory)?);
    from.take(size + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == size { Ok(bytes) } else { Err(io::ErrorKind::InvalidData.into()) }
}

/// Checks that the time is not over.
///
/// # Errors
/// If it is.
pub(super) fn check_deadline(deadline: Instant) -> io::Result<()> {
    if Instant::now() < deadline { Ok(()) } else { Err(io::Error::new(io::ErrorKind::TimedOut, TOO_LATE)) }
}

/// An error about data that git would not have written.
pub(super) fn invalid(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

/// An error whose text says what it is about.
pub(super) fn without_place(error: &io::Error) -> Problem {
    Problem::new(error.to_string(), "")
}
