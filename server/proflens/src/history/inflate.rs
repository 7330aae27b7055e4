//! Inflates what git has deflated, never more than is asked for.

use std::io::{self, BufRead, Read};

use flate2::{Decompress, FlushDecompress, Status};

/// A deflated stream in a file. The decompressor is borrowed: making a new one for each small object would take longer
/// than reading the object.
pub(super) struct InflateReader<'a, R> {
    from: R,
    decompressor: &'a mut Decompress,
}

impl<'a, R: BufRead> InflateReader<'a, R> {
    pub(super) fn new(from: R, decompressor: &'a mut Decompress) -> Self {
        decompressor.reset(true);
        Self { from, decompressor }
    }

    /// Reads exactly `size` bytes, after which the stream must end; its checksum is checked there.
    pub(super) fn exactly(mut self, size: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(usize::try_from(size).map_err(|_| io::ErrorKind::OutOfMemory)?);
        self.by_ref().take(size + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 == size { Ok(bytes) } else { Err(io::ErrorKind::InvalidData.into()) }
    }
}

impl<R: BufRead> Read for InflateReader<'_, R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            let input = self.from.fill_buf()?;
            let (was_in, was_out) = (self.decompressor.total_in(), self.decompressor.total_out());
            let status = self.decompressor.decompress(input, out, FlushDecompress::None)?;
            let (taken, given) =
                (self.decompressor.total_in() - was_in, self.decompressor.total_out() - was_out);
            let (taken, given) = (taken as usize, given as usize); // no more than the two slices hold
            let is_stuck = taken == 0 && given == 0;
            self.from.consume(taken);
            if given > 0 || out.is_empty() || matches!(status, Status::StreamEnd) {
                return Ok(given);
            }
            if is_stuck {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }
}
