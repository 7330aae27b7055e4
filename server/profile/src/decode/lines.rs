//! Reads texts that are not JSON line by line.

use std::borrow::Cow;
use std::io::Read;

use super::error::{DecodeError, Result};
use super::json::Json;
use crate::builder::ProfileBuilder;

/// The longest line, in bytes.
const MAX_LINE: u64 = 16 << 20;

/// The lines of a text. Invalid UTF-8 is replaced by U+FFFD.
pub(super) struct Lines<'j, 'r> {
    text: &'j mut Json<'r>,
    line: Vec<u8>,
    /// Whether the last line is to be returned again.
    is_held: bool,
    has_ended: bool,
    /// Why reading ended before the text did.
    error: Option<DecodeError>,
}

impl<'j, 'r> Lines<'j, 'r> {
    pub(super) fn new(text: &'j mut Json<'r>) -> Self {
        Self { text, line: Vec::new(), is_held: false, has_ended: false, error: None }
    }

    /// Makes the last line the next one again.
    pub(super) fn hold(&mut self) {
        self.is_held = true;
    }

    /// Why reading ended before the text did.
    pub(super) fn error(self) -> Option<DecodeError> {
        self.error
    }

    /// The next line without its line end; `None` if the text ends or cannot be read.
    pub(super) fn next(&mut self) -> Option<Cow<'_, str>> {
        if !std::mem::take(&mut self.is_held) {
            if self.has_ended {
                return None;
            }
            if let Err(error) = self.read() {
                (self.error, self.has_ended) = (Some(error), true);
                return None;
            }
        }
        Some(String::from_utf8_lossy(&self.line))
    }

    /// Reports that reading ended before the text did, if something can be used nonetheless.
    pub(super) fn end(&mut self, is_useful: bool, builder: &mut ProfileBuilder) -> Result<()> {
        let Some(error) = self.error.take() else { return Ok(()) };
        let what = error.damage(self.text.offset()).filter(|_| is_useful);
        builder.problem(what.ok_or(error)?, "what is whole before that was read");
        Ok(())
    }

    fn read(&mut self) -> Result<()> {
        self.line.clear();
        let mut source = self.text.line_source();
        let read = (&mut source).take(MAX_LINE).read_to_end(&mut self.line);
        read?;
        self.has_ended = !self.text.skip_line()?;
        Ok(())
    }
}
