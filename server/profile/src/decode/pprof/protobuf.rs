//! The wire format of protobuf, as far as pprof uses it.
//!
//! <https://protobuf.dev/programming-guides/encoding/>. A field is a tag, which has its number and kind, and a value.

use std::io::BufRead;

use crate::decode::error::{DecodeError, Result};

/// The value of a field.
pub(super) enum Value<'b> {
    Number(u64),
    Bytes(&'b [u8]),
}

impl Value<'_> {
    pub(super) fn number(&self) -> u64 {
        if let Self::Number(number) = self { *number } else { 0 }
    }

    /// The numbers of a repeated field, packed or one by one.
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

    /// The fields of a message.
    pub(super) fn fields(&self, mut take: impl FnMut(u64, Value) -> Result<()>) -> Result<()> {
        let &Self::Bytes(mut rest) = self else { return Ok(()) };
        while let Some(tag) = read_number(&mut rest)? {
            let number = match tag & 7 {
                0 | 2 => read_number(&mut rest)?.ok_or(DecodeError::DamagedProtobuf)?,
                _ => return Err(DecodeError::DamagedProtobuf),
            };
            if tag & 7 == 0 {
                take(tag >> 3, Value::Number(number))?;
                continue;
            }
            let length = usize::try_from(number).ok().filter(|&length| length <= rest.len());
            let (bytes, behind) = rest.split_at(length.ok_or(DecodeError::DamagedProtobuf)?);
            take(tag >> 3, Value::Bytes(bytes))?;
            rest = behind;
        }
        Ok(())
    }
}

/// A number of seven bits a byte, the lowest first; `None` at the end of the source.
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
