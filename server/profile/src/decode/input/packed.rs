//! Where unpackers take their compressed bytes from.

use std::io::{self, Read};

/// Compressed data, counted.
pub(super) struct Packed<R> {
    source: R,
    pub(super) count: u64,
    /// Why reading failed: unpackers make errors of their own of that.
    pub(super) failure: Option<io::Error>,
}

impl<R> Packed<R> {
    pub(super) fn new(source: R) -> Self {
        Self { source, count: 0, failure: None }
    }
}

impl<R: Read> Read for Packed<R> {
    /// Fills the whole buffer: how much of damaged data can be unpacked must not depend on the pieces in which it
    /// arrives.
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

/// Unpacks what was compressed.
pub(super) trait Unpack: Read {
    type Source;
    /// Where it takes the compressed bytes from.
    fn packed(&mut self) -> &mut Packed<Self::Source>;
}
