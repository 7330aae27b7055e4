//! From the bytes of a file to UTF-8 text: counted for the progress bar, unpacked, transcoded.

mod zstd;

use std::io::{self, Read};

use flate2::read::MultiGzDecoder;

use super::{DecodeError, Progress, UnsupportedFormat, pprof};

/// How much of the start decides what a file is.
const HEAD: usize = 64;
/// So many times a file may be packed.
const LEVELS: usize = 2;
/// From here on a text that packs to a 200th is a bomb: 0.5 % is beyond what profiles reach.
const BOMB_SIZE: u64 = 256 << 20;
const BOMB_RATIO: u64 = 200;
const LARGEST: u64 = 16 << 30;

/// What a file holds when it is unpacked.
pub(crate) enum Source<'s> {
    /// UTF-8 without a byte order mark.
    Text(Box<dyn Read + 's>),
    /// Binary data that begins like a pprof profile.
    Protobuf(Box<dyn Read + 's>),
}

/// Unpacks a file, as far as its first bytes say that it is packed, and looks what it is.
pub(crate) fn open<'s>(file: &'s mut dyn Read, watch: &'s dyn Progress) -> Result<Source<'s>, DecodeError> {
    let mut source: Box<dyn Read + 's> = Box::new(Counted { file, watch, count: 0 });
    let mut unpacked = 0;
    loop {
        let mut head = Vec::with_capacity(HEAD);
        while head.len() < HEAD {
            let mut more = [0; HEAD];
            let count = read_some(&mut *source, &mut more[..HEAD - head.len()])?;
            if count == 0 {
                break;
            }
            head.extend_from_slice(&more[..count]);
        }
        let marks: [&[u8]; 3] = [b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"];
        let mark = marks.iter().position(|mark| head.starts_with(mark));
        let start = mark.map_or(0, |mark| marks[mark].len());
        if mark.is_none() {
            let (gzip, zstd) = (head.starts_with(b"\x1f\x8b"), zstd::begins(&head));
            if gzip || zstd {
                if unpacked == LEVELS {
                    return Err(DecodeError::UnsupportedFormat(UnsupportedFormat::PackedTooOften));
                }
                unpacked += 1;
                let packed = Packed::new(io::Cursor::new(head).chain(source));
                source = if gzip {
                    Box::new(Unpacked { inner: Gzip(MultiGzDecoder::new(packed)), watch, count: 0 })
                } else {
                    Box::new(Unpacked { inner: zstd::Frames::new(packed), watch, count: 0 })
                };
                continue;
            }
            if pprof::begins(&head) {
                return Ok(Source::Protobuf(Box::new(io::Cursor::new(head).chain(source))));
            }
            refuse_foreign(&head)?;
        }
        let whole = io::Cursor::new(head.split_off(start)).chain(source);
        return Ok(Source::Text(match mark {
            Some(1) => Box::new(Utf16 {
                source: whole,
                unit: u16::from_le_bytes,
                ready: Vec::new(),
                carry: Vec::new(),
            }),
            Some(2) => Box::new(Utf16 {
                source: whole,
                unit: u16::from_be_bytes,
                ready: Vec::new(),
                carry: Vec::new(),
            }),
            _ => Box::new(whole),
        }));
    }
}

/// Reads at least one byte unless the source has ended.
pub(crate) fn read_some(source: &mut dyn Read, into: &mut [u8]) -> Result<usize, DecodeError> {
    loop {
        match source.read(into) {
            Ok(count) => return Ok(count),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.downcast::<DecodeError>().unwrap_or_else(DecodeError::Io)),
        }
    }
}

/// Takes our own error through an interface that knows [`io::Error`] only; [`read_some`] takes it out again.
pub(crate) fn smuggle(error: DecodeError) -> io::Error {
    io::Error::other(error)
}

/// Binary formats by their first bytes.
const MAGIC: [(&[u8], UnsupportedFormat); 6] = [
    (b"PK\x03\x04", UnsupportedFormat::Zip),
    (b"PERFILE2", UnsupportedFormat::PerfData),
    (b"SIMPLEPERF", UnsupportedFormat::PerfData),
    (b"Nettrace", UnsupportedFormat::DotNet),
    (b"FLR\0", UnsupportedFormat::Java),
    (b"JSLB", UnsupportedFormat::JsonSlabs),
];

fn refuse_foreign(head: &[u8]) -> Result<(), DecodeError> {
    let text = head.trim_ascii_start();
    let is_binary = text.iter().any(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace());
    let found = if let Some((_, found)) = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)) {
        *found
    } else if head.first() == Some(&0x0a) && is_binary {
        UnsupportedFormat::Perfetto // its first field is a packet
    } else if text.starts_with(b")]}'") {
        UnsupportedFormat::SourceMap
    } else {
        match text.first() {
            None if head.len() == HEAD => return Ok(()), // much white space
            None => return Err(DecodeError::Empty),
            Some(b'{' | b'[' | b'"') => return Ok(()),
            Some(b'<') => UnsupportedFormat::Html,
            Some(b'0'..=b'9' | b'-') => UnsupportedFormat::OtherJson,
            Some(_) if text.trim_ascii_end() == b"null" => UnsupportedFormat::EmptyJson,
            Some(_) if is_binary => UnsupportedFormat::NotJson,
            Some(_) => return Ok(()), // perhaps collapsed stacks
        }
    };
    Err(DecodeError::UnsupportedFormat(found))
}

/// Tells the watcher how far the file was read, and stops when it asks for that.
struct Counted<'s> {
    file: &'s mut dyn Read,
    watch: &'s dyn Progress,
    count: u64,
}

impl Read for Counted<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.watch.cancelled() {
            return Err(smuggle(DecodeError::Cancelled));
        }
        let count = self.file.read(into)?;
        self.count += count as u64;
        self.watch.read(self.count);
        Ok(count)
    }
}

/// Compressed data, counted.
struct Packed<R> {
    source: R,
    count: u64,
    /// Why reading failed: unpackers make errors of their own of that.
    failure: Option<io::Error>,
}

impl<R> Packed<R> {
    fn new(source: R) -> Self {
        Self { source, count: 0, failure: None }
    }
}

impl<R: Read> Read for Packed<R> {
    /// Fills what there is to fill: how much of damaged data can be unpacked must not depend on the pieces in which it
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
trait Unpack: Read {
    type Source;
    /// Where it takes the compressed bytes from.
    fn packed(&mut self) -> &mut Packed<Self::Source>;
}

struct Gzip<R>(MultiGzDecoder<Packed<R>>);

impl<R: Read> Read for Gzip<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.read(into).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => {
                smuggle(DecodeError::DamagedGzip)
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
    watch: &'s dyn Progress,
    count: u64,
}

impl<U: Unpack> Read for Unpacked<'_, U> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.watch.cancelled() {
            return Err(smuggle(DecodeError::Cancelled));
        }
        let read = self.inner.read(into);
        let packed = self.inner.packed();
        let count = read.map_err(|error| packed.failure.take().unwrap_or(error))?;
        self.count += count as u64;
        let bomb = self.count > BOMB_SIZE && self.count / BOMB_RATIO > packed.count;
        if bomb || self.count > LARGEST {
            return Err(smuggle(DecodeError::TooLarge));
        }
        Ok(count)
    }
}

/// UTF-16 as Windows tools write it, to UTF-8; lone surrogates become U+FFFD.
struct Utf16<R> {
    source: R,
    unit: fn([u8; 2]) -> u16,
    ready: Vec<u8>,
    /// Bytes of a character whose end was not read yet.
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
