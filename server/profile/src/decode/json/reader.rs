//! The reader itself: its position in the text, and the part of the text that is in memory.

use std::io::{self, Read};

use super::nesting::Nesting;
use super::scan::{ends_word, find_quote_or_backslash, unescape};
use super::value::{Key, Kind};
use crate::decode::error::{DecodeError, Result};

pub(super) const WINDOW: usize = 256 << 10;
/// The longest name, url or number; otherwise, a lone quote at the start of a huge file would pull all of it into memory.
const MAX_TOKEN: usize = 64 << 20;
const MAX_DEPTH: u64 = 1_000_000;

/// A reader at a position in the text: before, inside or after a value.
pub(crate) struct Json<'r> {
    source: &'r mut dyn Read,
    pub(super) window: Vec<u8>,
    /// The next byte to look at.
    pub(super) at: usize,
    /// The end of the data in the window.
    pub(super) end: usize,
    /// Where the window begins in the text.
    pub(super) base: u64,
    /// Whether an object or array was entered and nothing of it has been read yet.
    pub(super) entered: bool,
}

impl<'r> Json<'r> {
    /// Reads UTF-8 text without a byte order mark.
    pub(crate) fn new(source: &'r mut dyn Read) -> Self {
        Self::with_window(source, WINDOW)
    }

    /// Like [`Json::new`], but with a small window, for texts of which there may be many.
    pub(crate) fn small(source: &'r mut dyn Read) -> Self {
        Self::with_window(source, WINDOW / 16)
    }

    /// Reads a part of a text that begins at this offset. `nothing` is the source after the part.
    pub(crate) fn part(nothing: &'r mut io::Empty, text: Vec<u8>, offset: u64) -> Self {
        let end = text.len();
        Self { source: nothing, window: text, at: 0, end, base: offset, entered: false }
    }

    pub(super) fn with_window(source: &'r mut dyn Read, size: usize) -> Self {
        Self { source, window: vec![0; size], at: 0, end: 0, base: 0, entered: false }
    }

    /// The offset of the next byte in the text.
    pub(crate) fn offset(&self) -> u64 {
        self.base + self.at as u64
    }

    /// Whether nothing but white space is left.
    pub(crate) fn at_end(&mut self) -> Result<bool> {
        Ok(self.next_token()?.is_none())
    }

    /// Whether the text continues with an object or array.
    pub(crate) fn begins_with_bracket(&mut self) -> Result<bool> {
        Ok(matches!(self.next_token()?, Some(b'{' | b'[')))
    }

    /// The kind of the next value.
    pub(crate) fn kind(&mut self) -> Result<Kind> {
        Kind::of(self.token()?).ok_or_else(|| self.expected("a value"))
    }

    /// Enters an object; `false` skips a value of another kind. Then call [`Json::next_key`] until it returns `None`.
    pub(crate) fn enter_object(&mut self) -> Result<bool> {
        self.enter(Kind::Object)
    }

    /// Enters an array; `false` skips a value of another kind. Then call [`Json::next_item`] until it returns `false`.
    pub(crate) fn enter_array(&mut self) -> Result<bool> {
        self.enter(Kind::Array)
    }

    /// The next key; its value must be read or skipped before the next call. `None` leaves the object.
    #[inline]
    pub(crate) fn next_key(&mut self) -> Result<Option<Key>> {
        if let Some((key, next)) = self.plain_key() {
            (self.at, self.entered) = (next, false);
            return Ok(Some(key));
        }
        self.any_key()
    }

    fn any_key(&mut self) -> Result<Option<Key>> {
        if !self.step(b'}')? {
            return Ok(None);
        }
        if self.token()? != b'"' {
            return Err(self.expected("a key"));
        }
        let (start, end, escaped) = self.hold_string()?;
        let text = &self.window[start..end];
        let key = if escaped { Key::new(unescape(text).as_bytes()) } else { Key::new(text) };
        if self.token()? != b':' {
            return Err(self.expected("a colon"));
        }
        self.at += 1;
        Ok(Some(key))
    }

    /// Whether another item follows, which must be read or skipped before the next call. `false` leaves the array.
    pub(crate) fn next_item(&mut self) -> Result<bool> {
        self.step(b']')
    }

    /// Passes a string to `take`; `None` skips a value of another kind. Invalid UTF-8 is replaced by U+FFFD.
    pub(crate) fn string<R>(&mut self, take: impl FnOnce(&str) -> R) -> Result<Option<R>> {
        if self.kind()? != Kind::String {
            self.skip()?;
            return Ok(None);
        }
        let (start, end, escaped) = self.hold_string()?;
        let text = &self.window[start..end];
        Ok(Some(if escaped { take(&unescape(text)) } else { take(&String::from_utf8_lossy(text)) }))
    }

    /// Skips a value.
    pub(crate) fn skip(&mut self) -> Result<()> {
        match self.kind()? {
            Kind::Object | Kind::Array => self.take_nested(|_| ()),
            Kind::String => self.skip_string(),
            Kind::Other => self.skip_word(),
        }
    }

    /// Skips past the next line feed; `false` at the end of the text.
    pub(crate) fn skip_line(&mut self) -> Result<bool> {
        loop {
            match self.window[self.at..self.end].iter().position(|&byte| byte == b'\n') {
                Some(length) => {
                    self.at += length + 1;
                    return Ok(true);
                }
                None => {
                    self.at = self.end;
                    if !self.read_more(self.end)? {
                        return Ok(false);
                    }
                }
            }
        }
    }

    fn enter(&mut self, kind: Kind) -> Result<bool> {
        if self.kind()? != kind {
            self.skip()?;
            return Ok(false);
        }
        self.at += 1;
        self.entered = true;
        Ok(true)
    }

    /// A key of at most 31 bytes without escapes, if there is no white space around it and all of it is in the window.
    #[inline]
    fn plain_key(&self) -> Option<(Key, usize)> {
        let text = &self.window[..self.end];
        let mut at = self.at;
        if !self.entered {
            if text.get(at) != Some(&b',') {
                return None;
            }
            at += 1;
        }
        let start = at + 1;
        if text.get(at) != Some(&b'"') {
            return None;
        }
        let bytes: [u8; 31] = *text.get(start..)?.first_chunk()?;
        let end = find_quote_or_backslash(text, start)?;
        if end - start > 31 || text[end] != b'"' || text.get(end + 1) != Some(&b':') {
            return None;
        }
        Some((Key { bytes, len: (end - start) as u8 }, end + 2))
    }

    /// Advances to the next member of an object or array, past a comma; `false` after `close`.
    fn step(&mut self, close: u8) -> Result<bool> {
        let mut byte = self.token()?;
        if !self.entered && byte != close {
            if byte != b',' {
                return Err(self.expected("a comma or a closing bracket"));
            }
            self.at += 1;
            byte = self.token()?;
        }
        self.entered = false;
        if byte == close {
            self.at += 1;
            return Ok(false);
        }
        Ok(true)
    }

    /// The next byte that is not white space; the end of the text is an error.
    #[inline]
    pub(super) fn token(&mut self) -> Result<u8> {
        if let Some(&byte) = self.window[..self.end].get(self.at)
            && byte > b' '
        {
            return Ok(byte);
        }
        match self.next_token()? {
            Some(byte) => Ok(byte),
            None => Err(DecodeError::Truncated { offset: self.offset() }),
        }
    }

    pub(super) fn next_token(&mut self) -> Result<Option<u8>> {
        loop {
            let text = &self.window[self.at..self.end];
            if let Some(length) = text.iter().position(|byte| !matches!(byte, b' ' | b'\n' | b'\r' | b'\t')) {
                self.at += length;
                return Ok(Some(self.window[self.at]));
            }
            self.at = self.end;
            if !self.read_more(self.at)? {
                return Ok(None);
            }
        }
    }

    /// Gets the whole next string into the window. Returns its start, its end, and whether it has escapes.
    pub(super) fn hold_string(&mut self) -> Result<(usize, usize, bool)> {
        let mut start = self.at + 1;
        let (mut scanned, mut escaped) = (start, false);
        loop {
            match find_quote_or_backslash(&self.window[..self.end], scanned) {
                Some(found) if self.window[found] == b'"' => {
                    self.at = found + 1;
                    return Ok((start, found, escaped));
                }
                Some(found) if found + 1 < self.end => {
                    escaped = true;
                    scanned = found + 2;
                }
                found => {
                    scanned = found.unwrap_or(self.end) - start;
                    if !self.read_more(start)? {
                        return Err(DecodeError::Truncated { offset: self.base + self.end as u64 });
                    }
                    scanned += self.at;
                    start = self.at;
                }
            }
        }
    }

    /// Gets a whole number or other bare word into the window.
    pub(super) fn hold_word(&mut self) -> Result<(usize, usize)> {
        let mut length = 0;
        loop {
            let text = &self.window[self.at + length..self.end];
            match text.iter().position(|&byte| ends_word(byte)) {
                Some(more) => {
                    let start = self.at;
                    self.at += length + more;
                    return Ok((start, self.at));
                }
                None => {
                    length += text.len();
                    if !self.read_more(self.at)? {
                        let start = self.at;
                        self.at = self.end;
                        return Ok((start, self.end));
                    }
                }
            }
        }
    }

    /// Skips the next object or array, and passes on its text piece by piece.
    pub(super) fn take_nested(&mut self, mut take: impl FnMut(&[u8])) -> Result<()> {
        let mut nesting = Nesting::default();
        loop {
            let text = &self.window[self.at..self.end];
            let end = nesting.end_in(text);
            let length = end.unwrap_or(text.len());
            take(&text[..length]);
            self.at += length;
            if end.is_some() {
                return Ok(());
            }
            if nesting.depth() > MAX_DEPTH {
                return Err(DecodeError::TooDeep);
            }
            if !self.read_more(self.at)? {
                return Err(DecodeError::Truncated { offset: self.offset() });
            }
        }
    }

    fn skip_word(&mut self) -> Result<()> {
        loop {
            if let Some(length) = self.window[self.at..self.end].iter().position(|&byte| ends_word(byte)) {
                self.at += length;
                return Ok(());
            }
            self.at = self.end;
            if !self.read_more(self.at)? {
                return Ok(());
            }
        }
    }

    fn skip_string(&mut self) -> Result<()> {
        self.at += 1;
        loop {
            match find_quote_or_backslash(&self.window[..self.end], self.at) {
                Some(found) if self.window[found] == b'"' => {
                    self.at = found + 1;
                    return Ok(());
                }
                Some(found) if found + 1 < self.end => self.at = found + 2,
                found => {
                    self.at = found.unwrap_or(self.end);
                    if !self.read_more(self.at)? {
                        return Err(DecodeError::Truncated { offset: self.base + self.end as u64 });
                    }
                }
            }
        }
    }

    /// Reads on, keeping the window from `keep` on, which then is `at`; `false` at the end of the text.
    pub(super) fn read_more(&mut self, keep: usize) -> Result<bool> {
        self.window.copy_within(keep..self.end, 0);
        self.end -= keep;
        self.base += keep as u64;
        self.at = 0;
        if self.end == self.window.len() {
            if self.end >= MAX_TOKEN {
                return Err(DecodeError::TooLarge);
            }
            self.window.resize(self.end * 2, 0);
        }
        let count = read_some(self.source, &mut self.window[self.end..])?;
        self.end += count;
        Ok(count > 0)
    }

    pub(super) fn expected(&self, expected: &'static str) -> DecodeError {
        DecodeError::Syntax { offset: self.offset(), expected }
    }
}

/// Reads at least one byte unless the source has ended.
fn read_some(source: &mut dyn Read, into: &mut [u8]) -> Result<usize> {
    loop {
        match source.read(into) {
            Ok(count) => return Ok(count),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
}
