//! Reads what Parquet files say about themselves, before the Parquet reader does: Thrift's compact protocol
//! (<https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md>), only in the forms that Parquet writers
//! use. What another reader could understand differently is refused, so that what is checked here is what is read there.

/// A type as it is written beside the number of a field. A boolean has its value in its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Truth,
    Byte,
    I16,
    I32,
    I64,
    Double,
    Binary,
    List,
    Struct,
}

/// Why something is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// It goes on beyond the last byte.
    CutOff,
    /// No Parquet writer makes this.
    Unusual,
}

/// The deepest nesting in a Parquet file.
const MAX_DEPTH: u32 = 16;

/// Bytes that are read from their start.
pub(crate) struct Thrift<'b> {
    all: usize,
    rest: &'b [u8],
}

impl<'b> Thrift<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Self { all: bytes.len(), rest: bytes }
    }

    /// How many bytes were read.
    pub(crate) fn position(&self) -> usize {
        self.all - self.rest.len()
    }

    /// Reads a struct: `each` gets the number and type of every field, and reads its value. The numbers only increase.
    pub(crate) fn fields(
        &mut self,
        mut each: impl FnMut(&mut Self, u8, Kind) -> Result<(), Wrong>,
    ) -> Result<(), Wrong> {
        let mut number = 0;
        loop {
            let header = self.byte()?;
            if header == 0 {
                return Ok(());
            }
            let (step, kind) = (header >> 4, kind_of(header & 15)?);
            if step == 0 {
                return Err(Wrong::Unusual);
            }
            number += step;
            if number > 100 {
                return Err(Wrong::Unusual);
            }
            each(self, number, kind)?;
        }
    }

    /// Reads a struct of fields with these numbers and types, and no others.
    pub(crate) fn known(
        &mut self,
        fields: &[(u8, Kind)],
        mut each: impl FnMut(&mut Self, u8) -> Result<(), Wrong>,
    ) -> Result<(), Wrong> {
        self.fields(
            |thrift, number, kind| {
                if fields.contains(&(number, kind)) { each(thrift, number) } else { Err(Wrong::Unusual) }
            },
        )
    }

    /// Reads a number of 32 bits.
    pub(crate) fn number(&mut self) -> Result<i32, Wrong> {
        i32::try_from(self.wide_number()?).map_err(|_| Wrong::Unusual)
    }

    /// Reads the type of a list's items, and how many there are; at least one byte follows for each.
    pub(crate) fn list(&mut self) -> Result<(Kind, usize), Wrong> {
        let header = self.byte()?;
        if header == 0 {
            return Ok((Kind::Byte, 0));
        }
        let kind = kind_of(header & 15)?;
        let count = if header >> 4 == 15 { self.length()? } else { usize::from(header >> 4) };
        if count > self.rest.len() { Err(Wrong::CutOff) } else { Ok((kind, count)) }
    }

    /// Passes over a value.
    pub(crate) fn skip(&mut self, kind: Kind) -> Result<(), Wrong> {
        self.skip_within(kind, MAX_DEPTH)
    }

    fn skip_within(&mut self, kind: Kind, depth: u32) -> Result<(), Wrong> {
        let inside = depth.checked_sub(1).ok_or(Wrong::Unusual)?;
        match kind {
            Kind::Truth => Ok(()),
            Kind::Byte => self.byte().map(|_| ()),
            Kind::I16 | Kind::I32 | Kind::I64 => self.wide_number().map(|_| ()),
            Kind::Double => self.bytes(8),
            Kind::Binary => {
                let length = self.length()?;
                self.bytes(length)
            }
            Kind::List => match self.list()? {
                // A boolean in a list is a byte for some writers, and nothing for others.
                (Kind::Truth, 1..) => Err(Wrong::Unusual),
                (item, count) => (0..count).try_for_each(|_| self.skip_within(item, inside)),
            },
            Kind::Struct => self.fields(|thrift, _, kind| thrift.skip_within(kind, inside)),
        }
    }

    fn wide_number(&mut self) -> Result<i64, Wrong> {
        let zigzag = self.unsigned()?;
        Ok((zigzag >> 1).cast_signed() ^ -(zigzag & 1).cast_signed())
    }

    fn length(&mut self) -> Result<usize, Wrong> {
        // Writers write it as a signed 32-bit number.
        let length = i32::try_from(self.unsigned()?).map_err(|_| Wrong::Unusual)?;
        usize::try_from(length).map_err(|_| Wrong::Unusual)
    }

    fn unsigned(&mut self) -> Result<u64, Wrong> {
        let mut number = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        // The tenth byte has the last bit.
        match self.byte()? {
            bit @ 0..=1 => Ok(number | u64::from(bit) << 63),
            _ => Err(Wrong::Unusual),
        }
    }

    fn byte(&mut self) -> Result<u8, Wrong> {
        let (first, rest) = self.rest.split_first().ok_or(Wrong::CutOff)?;
        self.rest = rest;
        Ok(*first)
    }

    fn bytes(&mut self, count: usize) -> Result<(), Wrong> {
        self.rest = self.rest.get(count..).ok_or(Wrong::CutOff)?;
        Ok(())
    }
}

fn kind_of(number: u8) -> Result<Kind, Wrong> {
    Ok(match number {
        1 | 2 => Kind::Truth,
        3 => Kind::Byte,
        4 => Kind::I16,
        5 => Kind::I32,
        6 => Kind::I64,
        7 => Kind::Double,
        8 => Kind::Binary,
        9 => Kind::List,
        12 => Kind::Struct,
        _ => return Err(Wrong::Unusual), // sets and maps, which Parquet has none of
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_one_form() {
        let number = |bytes: &[u8]| Thrift::new(bytes).wide_number();
        let longest = [255, 255, 255, 255, 255, 255, 255, 255, 255, 1];
        assert_eq!([number(&[0]), number(&[1]), number(&[0x96, 1])], [Ok(0), Ok(-1), Ok(75)]);
        assert_eq!([number(&longest), number(&[255; 10])], [Ok(i64::MIN), Err(Wrong::Unusual)]);
        assert_eq!(number(&[0x80]), Err(Wrong::CutOff));
    }

    #[test]
    fn a_list_has_no_more_than_there_is() {
        let list = |bytes: &[u8]| Thrift::new(bytes).list();
        assert_eq!(list(&[0x25, 1, 1]), Ok((Kind::I32, 2)));
        assert_eq!(list(&[0xf5, 0xff, 0xff, 0xff, 0xff, 0x07]), Err(Wrong::CutOff));
        assert_eq!(list(&[0xf5, 0xff, 0xff, 0xff, 0xff, 0x7f]), Err(Wrong::Unusual));
    }

    #[test]
    fn nothing_is_nested_without_end() {
        let mut deep = Thrift::new(&[0x19; 100_000]);
        assert_eq!(deep.skip(Kind::List), Err(Wrong::Unusual));
        let mut deep = Thrift::new(&[0x1c; 100_000]);
        assert_eq!(deep.skip(Kind::Struct), Err(Wrong::Unusual));
    }
}
