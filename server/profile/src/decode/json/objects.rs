//! Whole objects: found within the window without reading what is in them.

use super::nesting::Nesting;
use super::{Json, Result};

impl Json<'_> {
    /// The text of the object that comes next, if it fits into the window.
    pub(crate) fn peek_object(&mut self) -> Result<Option<&[u8]>> {
        let length = self.whole_object()?;
        Ok(length.map(|length| &self.window[self.at..self.at + length]))
    }

    /// Whether the object that comes next has one of these keys, if it fits into the window. Takes nothing.
    pub(crate) fn next_has_key(&mut self, keys: &[&[u8]]) -> Result<bool> {
        match self.peek_object()? {
            Some(mut text) => Ok(Json::small(&mut text).has_key(keys).unwrap_or(false)),
            None => Ok(false),
        }
    }

    /// Skips a value; whether it is an object with one of these keys.
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

    /// Takes the object that comes next whole into the window, which does not grow for it.
    fn whole_object(&mut self) -> Result<Option<usize>> {
        loop {
            let length = Nesting::default().end_in(&self.window[self.at..self.end]);
            let seen = self.end - self.at;
            // Looks again when there is twice as much, as it looks from the start.
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
