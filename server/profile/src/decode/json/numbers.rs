//! Reading numbers, one by one and by the million.

use super::fast_reader::FastReader;
use super::number::{Number, index_of, parse_number};
use super::reader::Json;
use super::value::Kind;
use crate::decode::error::Result;

impl Json<'_> {
    /// Reads a number, which may be in quotes; `None` skips anything else, including infinite numbers.
    pub(crate) fn number(&mut self) -> Result<Option<Number>> {
        let mut plain = FastReader::new(&self.window[self.at..self.end]);
        if let Some(value) = plain.integer() {
            self.at = self.end - plain.left();
            return Ok(Some(Number::Integer(value)));
        }
        match self.kind()? {
            Kind::Other => {
                let (start, end) = self.hold_word()?;
                Ok(parse_number(&self.window[start..end]))
            }
            Kind::String => Ok(self.string(|text| parse_number(text.trim().as_bytes()))?.flatten()),
            Kind::Object | Kind::Array => {
                self.skip()?;
                Ok(None)
            }
        }
    }

    /// Reads an integer from 0 to 2^32 - 2.
    pub(crate) fn index(&mut self) -> Result<Option<u32>> {
        Ok(match self.number()? {
            Some(Number::Integer(value)) => index_of(value),
            Some(Number::Float(value)) if value.fract() == 0.0 => index_of(value as i64),
            _ => None,
        })
    }

    /// Reads a number as [`Json::index`] does, or 1 for `true` and 0 for `false`.
    pub(crate) fn index_or_flag(&mut self) -> Result<Option<u32>> {
        match self.flag()? {
            Some(flag) => Ok(Some(u32::from(flag))),
            None => self.index(),
        }
    }

    /// Reads `true` or `false`; `None` leaves anything else to be read.
    pub(crate) fn flag(&mut self) -> Result<Option<bool>> {
        let flag = match self.token()? {
            b't' => true,
            b'f' => false,
            _ => return Ok(None),
        };
        self.skip()?;
        Ok(Some(flag))
    }

    /// Reads the rest of an entered array, each item as [`Json::number`] does.
    pub(crate) fn numbers(&mut self, mut take: impl FnMut(Option<Number>)) -> Result<()> {
        loop {
            self.fast_items(|item| item.integer().map(|value| take(Some(Number::Integer(value)))));
            // Something other than digits and commas, or the end of the window: reads one item the careful way.
            if !self.next_item()? {
                return Ok(());
            }
            take(self.number()?);
        }
    }
}
