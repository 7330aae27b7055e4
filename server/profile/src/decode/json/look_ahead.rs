//! Looks ahead without consuming anything: the value is still to be read afterwards.

use super::nesting::Nesting;
use super::reader::Json;
use super::value::{Items, Kind};
use crate::decode::error::{DecodeError, Result};

impl Json<'_> {
    /// How the next array begins.
    pub(crate) fn peek_items(&mut self) -> Result<Items> {
        let Some(start) = self.start_of_items()? else { return Ok(Items::NoArray) };
        match self.window[self.at + start] {
            b']' => Ok(Items::None),
            byte => match Kind::of(byte) {
                Some(kind) => Ok(Items::Begin(kind)),
                None => {
                    let offset = self.offset() + start as u64;
                    Err(DecodeError::Syntax { offset, expected: "a value" })
                }
            },
        }
    }

    /// The text of the next object up to its first closing brace, if that is within the window. It is the whole object
    /// unless that brace is in a string or in an inner object.
    pub(crate) fn peek(&self) -> Option<&[u8]> {
        let text = &self.window[self.at..self.end];
        if text.first() != Some(&b'{') {
            return None;
        }
        memchr::memchr(b'}', text).map(|end| &text[..=end])
    }

    /// Skips what [`Json::peek`] returned, which must be known to be complete.
    pub(crate) fn skip_peeked(&mut self, length: usize) {
        self.at += length;
    }

    /// The text of the next object, if it fits into the window.
    pub(crate) fn peek_object(&mut self) -> Result<Option<&[u8]>> {
        let length = self.whole_object(0)?;
        Ok(length.map(|length| &self.window[self.at..self.at + length]))
    }

    /// Whether the next object has one of these keys, if it fits into the window.
    pub(crate) fn next_has_key(&mut self, keys: &[&[u8]]) -> Result<bool> {
        // Errors in an object are reported when it is read.
        Ok(self.peek_object()?.is_some_and(|text| has_key(text, keys).unwrap_or(false)))
    }

    /// Whether the next array begins with an object that has one of these keys, if that fits into the window.
    pub(crate) fn items_have_key(&mut self, keys: &[&[u8]]) -> Result<bool> {
        if self.peek_items()? != Items::Begin(Kind::Object) {
            return Ok(false);
        }
        let Some(start) = self.start_of_items()? else { return Ok(false) };
        let Some(length) = self.whole_object(start)? else { return Ok(false) };
        let item = &self.window[self.at + start..][..length];
        Ok(has_key(item, keys).unwrap_or(false))
    }

    /// Skips a value. Returns whether it is an object with one of these keys.
    pub(crate) fn has_key(&mut self, keys: &[&[u8]]) -> Result<bool> {
        let mut found = false;
        if self.enter_object()? {
            while let Some(key) = self.next_key()? {
                found |= keys.contains(&key.bytes());
                self.skip()?;
            }
        }
        Ok(found)
    }

    /// The distance to the first item of the next array, or to its closing bracket; `None` if the next value is not an array.
    fn start_of_items(&mut self) -> Result<Option<usize>> {
        if self.kind()? != Kind::Array {
            return Ok(None);
        }
        let mut start = 1;
        loop {
            let text = &self.window[self.at + start..self.end];
            match text.iter().position(|byte| !matches!(byte, b' ' | b'\n' | b'\r' | b'\t')) {
                Some(length) => return Ok(Some(start + length)),
                None => start = self.end - self.at,
            }
            if !self.read_more(self.at)? {
                return Err(DecodeError::Truncated { offset: self.base + self.end as u64 });
            }
        }
    }

    /// The length of the object that begins `start` bytes ahead, once all of it is in the window, which does not grow for it.
    fn whole_object(&mut self, start: usize) -> Result<Option<usize>> {
        loop {
            let length = Nesting::default().end_in(&self.window[self.at + start..self.end]);
            let seen = self.end - self.at;
            // Searches again once there is twice as much, because it searches from the start.
            while length.is_none() && self.end - self.at < (2 * seen).max(1) {
                let is_full = self.at == 0 && self.end == self.window.len();
                if is_full || !self.read_more(self.at)? {
                    break;
                }
            }
            if length.is_some() || self.end - self.at == seen {
                return Ok(length);
            }
        }
    }
}

/// Whether this is the text of an object with one of these keys.
fn has_key(mut text: &[u8], keys: &[&[u8]]) -> Result<bool> {
    let mut object = Json::small(&mut text);
    object.enter_object()?;
    while let Some(key) = object.next_key()? {
        if keys.contains(&key.bytes()) {
            return Ok(true);
        }
        object.skip()?;
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_left_to_others() {
        let text = format!("{{\"long\":\"{}\"}}", "x".repeat(100));
        let mut source = text.as_bytes();
        let mut json = Json::with_window(&mut source, 64);
        assert_eq!(json.peek_object().expect("nothing wrong"), None);
        assert_eq!(json.offset(), 0);
        json.skip().expect("an object");
        assert!(json.at_end().expect("the end"));
    }
}
