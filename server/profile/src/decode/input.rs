//! Turns the bytes of a file into UTF-8 text: counted for the progress bar, unpacked, transcoded.

mod beside;
mod packed;
mod zstd;

use std::io::{self, Read};
use std::thread::Scope;

use flate2::read::MultiGzDecoder;

use super::error::{DecodeError, Result, UnsupportedFormat};
use super::progress::Progress;
use beside::Beside;
use packed::{Packed, Unpack};

/// How many of the first bytes decide what a file is.
pub(super) const HEAD: usize = 64;
/// How many times a file may be packed.
const LEVELS: usize = 2;
/// From this size on, a text that packs to a 200th counts as a bomb: profiles do not reach 0.5 %.
const BOMB_SIZE: u64 = 256 << 20;
const BOMB_RATIO: u64 = 200;
const MAX_SIZE: u64 = 16 << 30;

/// The byte order marks of UTF-8 and of both kinds of UTF-16.
const MARKS: [&[u8]; 3] = [b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"];

/// Calls `then` with a scope in which files are unpacked while they are read; see [`beside`].
pub(super) fn with_threads<'env, T>(
    then: impl for<'scope> FnOnce(&'scope std::thread::Scope<'scope, 'env>) -> T,
) -> T {
    beside::with_threads(then)
}

/// A file that is unpacked if its first bytes say that it is packed.
pub(super) struct Input<'s> {
    /// The first bytes.
    head: Vec<u8>,
    /// The bytes after the head.
    rest: Box<dyn Read + Send + 's>,
}

impl<'s> Input<'s> {
    /// Unpacks a file, on threads of a scope if it is large.
    pub(super) fn open<'env: 's>(
        file: &'env mut (dyn Read + Send),
        progress: &'env dyn Progress,
        scope: &'s Scope<'s, 'env>,
    ) -> Result<Self> {
        let mut rest: Box<dyn Read + Send + 's> = Box::new(Counted { file, progress, count: 0 });
        let mut unpacked = 0;
        loop {
            let mut head = Vec::with_capacity(HEAD);
            (&mut rest).take(HEAD as u64).read_to_end(&mut head)?;
            let (is_gzip, is_zstd) = (head.starts_with(b"\x1f\x8b"), zstd::begins(&head));
            if !is_gzip && !is_zstd {
                return Ok(Self { head, rest });
            }
            if unpacked == LEVELS {
                return Err(DecodeError::UnsupportedFormat(UnsupportedFormat::PackedTooOften));
            }
            unpacked += 1;
            let packed = Packed::new(io::Cursor::new(head).chain(rest));
            rest = if is_gzip {
                let inner = Gzip(MultiGzDecoder::new(packed));
                Box::new(Beside::new(Unpacked { inner, progress, count: 0 }, scope))
            } else {
                let inner = zstd::Frames::new(packed);
                Box::new(Beside::new(Unpacked { inner, progress, count: 0 }, scope))
            };
        }
    }

    /// The first [`HEAD`] bytes, or all of a shorter file; `None` for a text with a byte order mark.
    pub(super) fn unmarked_head(&self) -> Option<&[u8]> {
        let has_mark = MARKS.iter().any(|mark| self.head.starts_with(mark));
        (!has_mark).then_some(&self.head)
    }

    /// All bytes.
    pub(super) fn into_bytes(self) -> impl Read + 's {
        io::Cursor::new(self.head).chain(self.rest)
    }

    /// The text in UTF-8, without a byte order mark.
    pub(super) fn into_text(mut self) -> Box<dyn Read + 's> {
        let mark = MARKS.iter().position(|mark| self.head.starts_with(mark));
        self.head.drain(..mark.map_or(0, |mark| MARKS[mark].len()));
        let unit = match mark {
            Some(1) => u16::from_le_bytes,
            Some(2) => u16::from_be_bytes,
            _ => return Box::new(self.into_bytes()),
        };
        Box::new(Utf16 { source: self.into_bytes(), unit, ready: Vec::new(), carry: Vec::new() })
    }
}

/// Reports how far the file was read, and stops when asked to.
struct Counted<'s> {
    file: &'s mut (dyn Read + Send),
    progress: &'s dyn Progress,
    count: u64,
}

impl Read for Counted<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.progress.cancelled() {
            return Err(DecodeError::Cancelled.into());
        }
        let count = self.file.read(into)?;
        self.count += count as u64;
        self.progress.read(self.count);
        Ok(count)
    }
}

struct Gzip<R>(MultiGzDecoder<Packed<R>>);

impl<R: Read> Read for Gzip<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.read(into).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => {
                DecodeError::DamagedGzip.into()
            }
            _ => error,
        })
    }
}

impl<R: Read> Unpack for Gzip<R> {
    type Source = R;

    fn packed(&mut self) -> &mut Packed<R> {
        self.0.get_mut()
    }
}

/// Unpacked data, capped.
struct Unpacked<'s, U> {
    inner: U,
    progress: &'s dyn Progress,
    count: u64,
}

impl<U: Unpack> Read for Unpacked<'_, U> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.progress.cancelled() {
            return Err(DecodeError::Cancelled.into());
        }
        let read = self.inner.read(into);
        let packed = self.inner.packed();
        let count = read.map_err(|error| packed.failure.take().unwrap_or(error))?;
        self.count += count as u64;
        let bomb = self.count > BOMB_SIZE && self.count / BOMB_RATIO > packed.count;
        if bomb || self.count > MAX_SIZE {
            return Err(DecodeError::TooLarge.into());
        }
        Ok(count)
    }
}

/// Transcodes UTF-16, as Windows tools write it, to UTF-8; lone surrogates become U+FFFD.
struct Utf16<R> {
    source: R,
    unit: fn([u8; 2]) -> u16,
    ready: Vec<u8>,
    /// Bytes of a character whose end has not been read yet.
    carry: Vec<u8>,
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.ready.is_empty() {
            let mut bytes = std::mem::take(&mut self.carry);
            let old = bytes.len();
            bytes.resize(old + (16 << 10), 0);
            let count = self.source.read(&mut bytes[old..])?;
            bytes.truncate(old + count);
            if bytes.is_empty() {
                return Ok(0);
            }
            if count > 0 {
                let mut whole = bytes.len() / 2 * 2;
                let last = whole.checked_sub(2).map(|at| (self.unit)([bytes[at], bytes[at + 1]]));
                if matches!(last, Some(0xd800..0xdc00)) {
                    whole -= 2;
                }
                self.carry = bytes.split_off(whole);
            }
            let units = bytes.chunks_exact(2).map(|pair| (self.unit)([pair[0], pair[1]]));
            let text: String =
                char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
            self.ready = text.into_bytes();
            if count == 0 && self.ready.is_empty() {
                return Ok(0);
            }
        }
        let count = into.len().min(self.ready.len());
        into[..count].copy_from_slice(&self.ready[..count]);
        self.ready.drain(..count);
        Ok(count)
    }
}
