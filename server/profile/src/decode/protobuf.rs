//! The wire format of protobuf, as far as pprof and OTLP use it.
//!
//! <https://protobuf.dev/programming-guides/encoding/>. A field is a tag, with its number and kind, and a value. Small messages are
//! held in memory as a whole ([`Value`]); those that may be as long as a file are entered and read field by field ([`Fields`]).

use std::io::{BufRead, Read};

use crate::decode::error::{DecodeError, Result};

/// The longest field that is held in memory as a whole, in bytes.
pub(super) const MAX_FIELD: u64 = 64 << 20;

/// The kinds of values, which are the lowest three bits of a tag.
pub(super) const VARINT: u64 = 0;
pub(super) const FIXED64: u64 = 1;
pub(super) const BYTES: u64 = 2;
const FIXED32: u64 = 5;

/// The value of a field.
pub(super) enum Value<'b> {
    Number(u64),
    Bytes(&'b [u8]),
}

impl Value<'_> {
    pub(super) fn number(&self) -> u64 {
        if let Self::Number(number) = self { *number } else { 0 }
    }

    /// A text; invalid UTF-8 is replaced by U+FFFD.
    pub(super) fn text(&self) -> String {
        if let Self::Bytes(bytes) = self {
            String::from_utf8_lossy(bytes).into_owned()
        } else {
            String::new()
        }
    }

    /// The numbers of a repeated field, packed or individual.
    pub(super) fn numbers(&self, mut take: impl FnMut(u64)) -> Result<()> {
        match self {
            Self::Number(number) => take(*number),
            Self::Bytes(bytes) => {
                let mut rest = *bytes;
                while let Some(number) = read_number(&mut rest)? {
                    take(number);
                }
            }
        }
        Ok(())
    }

    /// The eight-byte numbers of a repeated field, packed or individual.
    pub(super) fn fixed_numbers(&self, mut take: impl FnMut(u64)) -> Result<()> {
        match self {
            Self::Number(number) => take(*number),
            Self::Bytes(bytes) => {
                let (numbers, []) = bytes.as_chunks::<8>() else { return Err(DecodeError::DamagedProtobuf) };
                numbers.iter().for_each(|number| take(u64::from_le_bytes(*number)));
            }
        }
        Ok(())
    }

    /// The fields of a message.
    pub(super) fn fields(&self, mut take: impl FnMut(u64, Value) -> Result<()>) -> Result<()> {
        let &Self::Bytes(mut rest) = self else { return Ok(()) };
        while let Some(tag) = read_number(&mut rest)? {
            let length = match tag & 7 {
                VARINT => {
                    let number = read_number(&mut rest)?.ok_or(DecodeError::DamagedProtobuf)?;
                    take(tag >> 3, Value::Number(number))?;
                    continue;
                }
                BYTES => read_number(&mut rest)?.ok_or(DecodeError::DamagedProtobuf)?,
                FIXED64 => 8,
                FIXED32 => 4,
                _ => return Err(DecodeError::DamagedProtobuf),
            };
            let length = usize::try_from(length).ok().filter(|&length| length <= rest.len());
            let (bytes, behind) = rest.split_at(length.ok_or(DecodeError::DamagedProtobuf)?);
            take(tag >> 3, if tag & 7 == BYTES { Value::Bytes(bytes) } else { fixed(bytes) })?;
            rest = behind;
        }
        Ok(())
    }
}

/// A number of four or eight bytes, lowest first.
fn fixed(bytes: &[u8]) -> Value<'static> {
    Value::Number(bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
}

/// The size of a unit in nanoseconds; `None` if it is not a time.
pub(super) fn nanoseconds_in(unit: &str) -> Option<f64> {
    Some(match unit {
        "nanoseconds" | "ns" => 1.0,
        "microseconds" | "us" => 1e3,
        "milliseconds" | "ms" => 1e6,
        "seconds" | "s" => 1e9,
        _ => return None,
    })
}

/// A number with seven bits per byte, lowest first; `None` at the end of the source.
pub(super) fn read_number(source: &mut impl BufRead) -> Result<Option<u64>> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let Some(&byte) = source.fill_buf()?.first() else {
            return if shift == 0 { Ok(None) } else { Err(DecodeError::DamagedProtobuf) };
        };
        source.consume(1);
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(Some(number));
        }
    }
    Err(DecodeError::DamagedProtobuf)
}

/// Reads messages of any length, with only one field at a time in memory.
pub(super) struct Fields<'s> {
    source: &'s mut dyn Read,
    window: Vec<u8>,
    /// The position of the unread part of the window.
    at: usize,
    end: usize,
    /// The number of bytes read before the window.
    base: u64,
}

/// A field whose value comes next.
#[derive(Clone, Copy)]
pub(super) struct Field {
    pub(super) number: u64,
    /// One of the kinds of values.
    pub(super) kind: u64,
    /// The length of bytes, otherwise the number itself.
    value: u64,
}

/// An entered message, given by where it ends.
#[derive(Clone, Copy)]
pub(super) struct Entered(u64);

impl<'s> Fields<'s> {
    /// Creates a reader of a file, and the message that is the whole file.
    pub(super) fn new(source: &'s mut dyn Read) -> (Self, Entered) {
        (Self { source, window: vec![0; 256 << 10], at: 0, end: 0, base: 0 }, Entered(u64::MAX))
    }

    /// The next field of a message; `None` at its end. Its value must be read, entered or skipped before the next call.
    pub(super) fn next(&mut self, of: Entered) -> Result<Option<Field>> {
        if self.offset() >= of.0 || (self.at == self.end && !self.more(1)?) {
            // A file may end anywhere, a message only where it said.
            return if of.0 == u64::MAX || self.offset() == of.0 {
                Ok(None)
            } else {
                Err(DecodeError::DamagedProtobuf)
            };
        }
        let tag = self.number()?;
        let kind = tag & 7;
        let value = match kind {
            VARINT | BYTES => self.number()?,
            FIXED64 => fixed(self.take(8)?).number(),
            FIXED32 => fixed(self.take(4)?).number(),
            _ => return Err(DecodeError::DamagedProtobuf),
        };
        let length = if kind == BYTES { value } else { 0 };
        if self.offset().checked_add(length).is_none_or(|end| end > of.0) {
            return Err(DecodeError::DamagedProtobuf);
        }
        Ok(Some(Field { number: tag >> 3, kind, value }))
    }

    /// The value of a field as a whole.
    pub(super) fn value(&mut self, field: Field) -> Result<Value<'_>> {
        match field.kind {
            BYTES if field.value > MAX_FIELD => Err(DecodeError::DamagedProtobuf),
            BYTES => Ok(Value::Bytes(self.take(field.value as usize)?)),
            _ => Ok(Value::Number(field.value)),
        }
    }

    /// Enters the message in a field; `None` if it is not one.
    pub(super) fn enter(&mut self, field: Field) -> Option<Entered> {
        (field.kind == BYTES).then(|| Entered(self.offset() + field.value))
    }

    /// Skips the value of a field.
    pub(super) fn skip(&mut self, field: Field) -> Result<()> {
        let mut left = if field.kind == BYTES { field.value } else { 0 };
        while left > 0 {
            if self.at == self.end && !self.more(1)? {
                return Err(DecodeError::DamagedProtobuf);
            }
            let part = left.min((self.end - self.at) as u64);
            self.at += part as usize;
            left -= part;
        }
        Ok(())
    }

    fn offset(&self) -> u64 {
        self.base + self.at as u64
    }

    fn number(&mut self) -> Result<u64> {
        // A number has ten bytes at most.
        if self.end - self.at < 10 {
            self.more(10)?;
        }
        let mut rest = &self.window[self.at..self.end];
        let before = rest.len();
        let number = read_number(&mut rest)?.ok_or(DecodeError::DamagedProtobuf)?;
        self.at += before - rest.len();
        Ok(number)
    }

    fn take(&mut self, length: usize) -> Result<&[u8]> {
        if self.end - self.at < length && !self.more(length)? {
            return Err(DecodeError::DamagedProtobuf);
        }
        self.at += length;
        Ok(&self.window[self.at - length..self.at])
    }

    /// Reads on until this many bytes are in the window; `false` if the file has fewer. The window grows as they arrive.
    fn more(&mut self, wanted: usize) -> Result<bool> {
        self.window.copy_within(self.at..self.end, 0);
        (self.base, self.end, self.at) = (self.offset(), self.end - self.at, 0);
        while self.end < wanted {
            if self.end == self.window.len() {
                self.window.resize(self.end * 2, 0);
            }
            match self.source.read(&mut self.window[self.end..]) {
                Ok(0) => return Ok(false),
                Ok(count) => self.end += count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(true)
    }
}
