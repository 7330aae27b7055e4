//! Texts that are no JSON, line by line, and what their first line says that they are.

use std::borrow::Cow;
use std::io::Read;

use super::json::Json;
use super::{DecodeError, UnsupportedFormat, collapsed, perf};
use crate::Profile;
use crate::builder::ProfileBuilder;

/// No line is longer, in bytes.
const LONGEST: u64 = 16 << 20;

/// Reads a whole text that is no JSON.
pub(super) fn read(text: &mut Json, builder: ProfileBuilder) -> Result<Profile, DecodeError> {
    let mut lines = Lines { text, line: Vec::new(), is_held: false, has_ended: false, error: None };
    while let Some(line) = lines.next() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(foreign) = foreign(line) {
            return Err(DecodeError::UnsupportedFormat(foreign));
        }
        let is_perf = perf::is_header(line);
        lines.is_held = true;
        return if is_perf { perf::read(&mut lines, builder) } else { collapsed::read(&mut lines, builder) };
    }
    Err(lines.error.unwrap_or(DecodeError::UnsupportedFormat(UnsupportedFormat::NotJson)))
}

fn foreign(first: &str) -> Option<UnsupportedFormat> {
    let begins = [
        ("v8-version,", UnsupportedFormat::V8Log),
        ("TN:", UnsupportedFormat::Coverage),
        ("SF:", UnsupportedFormat::Coverage),
    ];
    begins.into_iter().find(|(begin, _)| first.starts_with(begin)).map(|(_, foreign)| foreign)
}

/// The lines of a text. Broken UTF-8 is replaced by U+FFFD.
pub(super) struct Lines<'j, 'r> {
    text: &'j mut Json<'r>,
    line: Vec<u8>,
    /// Whether the last line is to be given again.
    is_held: bool,
    has_ended: bool,
    /// Why reading ended before the text did.
    error: Option<DecodeError>,
}

impl Lines<'_, '_> {
    /// The next line without its end; `None` at the end of what can be read.
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

    /// Notes that reading ended before the text did, where something can be used all the same.
    pub(super) fn end(&mut self, is_useful: bool, builder: &mut ProfileBuilder) -> Result<(), DecodeError> {
        let Some(error) = self.error.take() else { return Ok(()) };
        let what = error.damage(self.text.offset()).filter(|_| is_useful);
        builder.problem(what.ok_or(error)?, "what is whole before that was read");
        Ok(())
    }

    fn read(&mut self) -> Result<(), DecodeError> {
        self.line.clear();
        let mut source = self.text.line_source();
        let read = (&mut source).take(LONGEST).read_to_end(&mut self.line);
        read.map_err(|error| error.downcast::<DecodeError>().unwrap_or_else(DecodeError::Io))?;
        self.has_ended = !self.text.skip_line()?;
        Ok(())
    }
}
