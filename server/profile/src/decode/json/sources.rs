//! Parts of a JSON text that are texts themselves: a string that contains JSON, and one line of many.

use std::io::{self, Read};

use super::reader::Json;
use super::scan::{escape_length, find_quote_or_backslash, unescape};
use crate::decode::error::{DecodeError, Result};

impl<'r> Json<'r> {
    /// The next string, unescaped, as a source of its own: for JSON inside JSON.
    pub(crate) fn string_source(&mut self) -> StringSource<'_, 'r> {
        self.at += 1;
        StringSource::new(self)
    }

    /// The rest of this line, as a source of its own.
    pub(crate) fn line_source(&mut self) -> LineSource<'_, 'r> {
        LineSource::new(self)
    }
}

/// See [`Json::string_source`].
pub(crate) struct StringSource<'j, 'r> {
    json: &'j mut Json<'r>,
    ready: Vec<u8>,
    given: usize,
    ended: bool,
}

impl<'j, 'r> StringSource<'j, 'r> {
    /// `json` is after the opening quote.
    pub(super) fn new(json: &'j mut Json<'r>) -> Self {
        Self { json, ready: Vec::new(), given: 0, ended: false }
    }

    /// Skips what was not read, so that the outer reader is past the string.
    pub(crate) fn finish(mut self) -> Result<()> {
        while !self.ended {
            self.prepare()?;
        }
        Ok(())
    }

    /// Unescapes what is in the window; an escape at its end waits for the bytes after it.
    fn prepare(&mut self) -> Result<()> {
        const MAX_ESCAPE: usize = 12;
        self.ready.clear();
        self.given = 0;
        let json = &mut *self.json;
        while json.end - json.at < MAX_ESCAPE && json.read_more(json.at)? {}
        if json.at == json.end {
            return Err(DecodeError::Truncated { offset: json.offset() });
        }
        let text = &json.window[json.at..json.end];
        let mut at = 0;
        while at < text.len() {
            let found = find_quote_or_backslash(text, at).unwrap_or(text.len());
            self.ready.extend_from_slice(&text[at..found]);
            at = found;
            if text.get(at) == Some(&b'"') {
                self.ended = true;
                at += 1;
                break;
            }
            if at > 0 && at + MAX_ESCAPE > text.len() {
                break;
            }
            let length = escape_length(&text[at..]);
            self.ready.extend_from_slice(unescape(&text[at..at + length]).as_bytes());
            at += length;
        }
        json.at += at;
        Ok(())
    }
}

impl Read for StringSource<'_, '_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.given == self.ready.len() {
            if self.ended {
                return Ok(0);
            }
            self.prepare()?;
        }
        let count = into.len().min(self.ready.len() - self.given);
        into[..count].copy_from_slice(&self.ready[self.given..self.given + count]);
        self.given += count;
        Ok(count)
    }
}

/// See [`Json::line_source`].
pub(crate) struct LineSource<'j, 'r> {
    json: &'j mut Json<'r>,
}

impl<'j, 'r> LineSource<'j, 'r> {
    pub(super) fn new(json: &'j mut Json<'r>) -> Self {
        Self { json }
    }
}

impl Read for LineSource<'_, '_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let json = &mut *self.json;
        if json.at == json.end && !json.read_more(json.at)? {
            return Ok(0);
        }
        let text = &json.window[json.at..json.end];
        let line = text.iter().position(|&byte| byte == b'\n').unwrap_or(text.len());
        let count = into.len().min(line);
        into[..count].copy_from_slice(&text[..count]);
        json.at += count;
        Ok(count)
    }
}
