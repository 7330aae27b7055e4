//! Zstandard by frames: `ruzstd` decodes one at a time, but files have several, some of which are empty.
//!
//! RFC 8878, sections 3.1.1 (frames) and 3.1.2 (skippable frames). The memory for a frame is bounded by its window, of
//! which `ruzstd` accepts at most 128 MB, like the `zstd` program.

use std::io::{self, BufRead, BufReader, Read};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::packed::{Packed, Unpack};
use crate::decode::error::{DecodeError, UnsupportedFormat};

/// Whether a file begins with a frame, or with a skippable one, as parallel compressors write first.
pub(super) fn begins(head: &[u8]) -> bool {
    head.starts_with(b"\x28\xb5\x2f\xfd") || (head.get(1..4) == Some(b"\x2a\x4d\x18") && head[0] >> 4 == 5)
}

pub(super) struct Frames<R: Read> {
    source: BufReader<Packed<R>>,
    decoder: FrameDecoder,
    in_frame: bool,
}

impl<R: Read> Frames<R> {
    pub(super) fn new(source: Packed<R>) -> Self {
        Self {
            source: BufReader::with_capacity(32 << 10, source),
            decoder: FrameDecoder::new(),
            in_frame: false,
        }
    }

    /// Advances to the next frame with content; `false` at the end of the file.
    fn next_frame(&mut self) -> io::Result<bool> {
        while !self.source.fill_buf()?.is_empty() {
            match self.decoder.init(&mut self.source) {
                Ok(()) => {
                    self.in_frame = true;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let length = u64::from(length);
                    if io::copy(&mut (&mut self.source).take(length), &mut io::sink())? < length {
                        return Err(DecodeError::DamagedZstd.into());
                    }
                }
                Err(error) => return Err(reason(&error)),
            }
        }
        Ok(false)
    }

    /// Checks that what was read is what was written.
    fn check(&self) -> io::Result<()> {
        let written = self.decoder.get_checksum_from_data();
        if written.is_some() && written != self.decoder.get_calculated_checksum() {
            return Err(DecodeError::DamagedZstd.into());
        }
        Ok(())
    }
}

impl<R: Read> Read for Frames<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.in_frame {
                let count = self.decoder.read(into)?;
                if count > 0 || into.is_empty() {
                    return Ok(count);
                }
            }
            if self.in_frame && !self.decoder.is_finished() {
                // Returns nothing until a window is full.
                let one = BlockDecodingStrategy::UptoBlocks(1);
                self.decoder.decode_blocks(&mut self.source, one).map_err(|error| reason(&error))?;
                continue;
            }
            if std::mem::take(&mut self.in_frame) {
                self.check()?;
            }
            if !self.next_frame()? {
                return Ok(0);
            }
        }
    }
}

impl<R: Read> Unpack for Frames<R> {
    type Source = R;

    fn packed(&mut self) -> &mut Packed<R> {
        self.source.get_mut()
    }
}

fn reason(error: &FrameDecoderError) -> io::Error {
    let error = match error {
        FrameDecoderError::WindowSizeTooBig { .. } => DecodeError::TooLarge,
        FrameDecoderError::DictNotProvided { .. } => {
            DecodeError::UnsupportedFormat(UnsupportedFormat::ZstdDictionary)
        }
        _ => DecodeError::DamagedZstd,
    };
    error.into()
}
