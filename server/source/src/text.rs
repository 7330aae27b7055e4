//! From byte offsets to lines and columns, and back, in the units of engines and of editors.

use text_size::TextSize;

/// What one column is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// One byte of UTF-8.
    Utf8,
    /// One unit of UTF-16, as engines count and LSP does by default.
    Utf16,
    /// One Unicode scalar value.
    Utf32,
}

/// What ends a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LineEnds {
    /// LF, CRLF and CR: editors and LSP.
    Editor,
    /// The same and U+2028, U+2029: JavaScript engines (ECMA-262, LineTerminator).
    Engine,
}

/// A place in a text: 0-based line, 0-based column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineCol {
    /// 0-based.
    pub line: u32,
    /// 0-based, in some [`Encoding`].
    pub column: u32,
}

/// Where the lines of a text start. The text itself is handed in with each question.
#[derive(Clone, Debug)]
pub struct LineIndex {
    starts: Vec<TextSize>,
}

impl LineIndex {
    /// The lines of a text.
    pub fn new(text: &str, ends: LineEnds) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![TextSize::new(0)];
        let mut at = 0;
        while at < bytes.len() {
            let step = match bytes[at] {
                b'\r' if bytes.get(at + 1) == Some(&b'\n') => 2,
                b'\r' | b'\n' => 1,
                0xE2 if ends == LineEnds::Engine
                    && matches!(bytes.get(at + 1..at + 3), Some([0x80, 0xA8 | 0xA9])) =>
                {
                    3
                }
                _ => 0,
            };
            at += step.max(1);
            if step > 0 {
                starts.push(TextSize::new(at as u32));
            }
        }
        Self { starts }
    }

    /// Number of lines, at least 1.
    pub fn lines(&self) -> u32 {
        self.starts.len() as u32
    }

    /// The offset of a place. A column behind the end of its line gives the end of the line (LSP 3.17,
    /// "Position"); a line behind the last gives `None`.
    pub fn offset(&self, text: &str, place: LineCol, encoding: Encoding) -> Option<TextSize> {
        let start = usize::from(*self.starts.get(place.line as usize)?);
        let end = self.starts.get(place.line as usize + 1).map_or(text.len(), |&it| it.into());
        let line = text[start..end].trim_end_matches(['\r', '\n', '\u{2028}', '\u{2029}']);
        let mut column = 0;
        for (at, char) in line.char_indices() {
            let next = column + width(char, encoding);
            if next > place.column {
                return Some(TextSize::new((start + at) as u32));
            }
            column = next;
        }
        Some(TextSize::new((start + line.len()) as u32))
    }

    /// The place of an offset, which must lie on a character boundary of the text.
    pub fn line_col(&self, text: &str, offset: TextSize, encoding: Encoding) -> LineCol {
        let line = self.starts.partition_point(|&it| it <= offset) - 1;
        let before = &text[usize::from(self.starts[line])..usize::from(offset)];
        LineCol { line: line as u32, column: before.chars().map(|it| width(it, encoding)).sum() }
    }
}

/// The text of a file's bytes: UTF-8 or, by its byte order mark, UTF-16. Marks are taken off; what is no
/// character becomes U+FFFD.
pub fn text_of(bytes: &[u8]) -> String {
    let utf16 = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units = bytes.chunks(2).map(|it| it.try_into().map_or(0xFFFD, unit));
        char::decode_utf16(units).map(|it| it.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    match bytes {
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

fn width(char: char, encoding: Encoding) -> u32 {
    match encoding {
        Encoding::Utf8 => char.len_utf8() as u32,
        Encoding::Utf16 => char.len_utf16() as u32,
        Encoding::Utf32 => 1,
    }
}
