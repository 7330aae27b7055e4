//! The sources from which unpackers take their compressed bytes.

use std::io::{self, Read};

/// Compressed data that is counted as it is read.
pub(super) struct Packed<R> {
    source: R,
    pub(super) count: u64,
    /// Why reading failed, because unpackers replace such errors with their own.
    pub(super) failure: Option<io::Error>,
}

impl<R> Packed<R> {
    pub(super) fn new(source: R) -> Self {
        Self { source, count: 0, failure: None }
    }
}

impl<R: Read> Read for Packed<R> {
    /// Fills the whole buffer: how much of damaged data can be unpacked must not depend on the pieces in which it arrives.
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut count = 0;
        while count < into.len() && self.failure.is_none() {
            match self.source.read(&mut into[count..]) {
                Ok(0) => break,
                Ok(more) => count += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => self.failure = Some(error),
            }
        }
        self.count += count as u64;
        match &self.failure {
            Some(failure) if count == 0 => Err(failure.kind().into()),
            _ => Ok(count),
        }
    }
}

/// A reader that unpacks compressed data.
pub(super) trait Unpack: Read {
    type Source;
    /// The source of the compressed bytes.
    fn packed(&mut self) -> &mut Packed<Self::Source>;
}
