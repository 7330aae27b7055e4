//! Takes a value as text, for code that reads it later or passes it on.

use super::reader::Json;
use super::value::Kind;
use crate::decode::error::Result;

impl Json<'_> {
    /// Reads the text of a string, or a number or another bare word as written; `None` skips anything else.
    pub(crate) fn word(&mut self) -> Result<Option<String>> {
        match self.kind()? {
            Kind::String => self.string(str::to_owned),
            Kind::Other => {
                let (start, end) = self.hold_word()?;
                Ok(Some(String::from_utf8_lossy(&self.window[start..end]).into_owned()))
            }
            Kind::Object | Kind::Array => {
                self.skip()?;
                Ok(None)
            }
        }
    }

    /// Reads the text of an object; `None` skips anything else, and objects of more than `most` bytes.
    pub(crate) fn object_text(&mut self, most: usize) -> Result<Option<Vec<u8>>> {
        if self.kind()? != Kind::Object {
            self.skip()?;
            return Ok(None);
        }
        let (mut text, mut fits) = (Vec::new(), true);
        self.take_nested(|piece| {
            fits = fits && text.len() + piece.len() <= most;
            if fits {
                text.extend_from_slice(piece);
            }
        })?;
        Ok(fits.then_some(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_taken_as_it_stands() {
        let objects = ["{}", r#"{"a":[{"}":"\"}\\"}],"b":{}}"#, r#"{ "ends with a backslash" : "\\" }"#];
        for object in objects {
            let text = format!("[{object},1,\"two\"]");
            for window in 1..text.len() + 1 {
                let mut source = text.as_bytes();
                let mut json = Json::with_window(&mut source, window);
                json.enter_array().expect("an array");
                json.next_item().expect("an item");
                let taken = json.object_text(100).expect("an object");
                assert_eq!(taken.as_deref(), Some(object.as_bytes()), "with {window} bytes");
                for _ in 0..2 {
                    assert!(json.next_item().expect("an item"));
                    assert_eq!(json.object_text(100).expect("a value"), None);
                }
                assert!(!json.next_item().expect("the end"));
            }
            let mut source = object.as_bytes();
            let mut json = Json::with_window(&mut source, 8);
            assert_eq!(json.object_text(object.len() - 1).expect("an object"), None);
            assert!(json.at_end().expect("the end"));
        }
    }
}
