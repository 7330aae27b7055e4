//! Whole objects: found within the window without reading what is in them.

use super::nesting::Nesting;
use super::{Json, Result};

impl Json<'_> {
    /// The text of the object that comes next, if it fits into the window.
    pub(crate) fn peek_object(&mut self) -> Result<Option<&[u8]>> {
        let length = self.whole_object()?;
        Ok(length.map(|length| &self.window[self.at..self.at + length]))
    }

    /// Takes the object that comes next whole into the window, which does not grow for it.
    fn whole_object(&mut self) -> Result<Option<usize>> {
        loop {
            let length = Nesting::default().end_in(&self.window[self.at..self.end]);
            let is_full = self.at == 0 && self.end == self.window.len();
            if length.is_some() || is_full || !self.read_more(self.at)? {
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
