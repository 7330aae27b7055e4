//! Texts as V8 writes them into its log, and where their lines start.

use std::char::decode_utf16;

/// Removes V8's escapes from a text (`LogFile::MessageBuilder`, v8/src/logging/log-file.cc): `\n`, `\\`, `\x2C`, `\u4e2d`.
pub(super) fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut parts = text.split('\\');
    plain += parts.next().unwrap_or_default();
    // Collects halves of a character that needs two UTF-16 units.
    let mut units = Vec::new();
    while let Some(part) = parts.next() {
        let (unit, rest) = match part.as_bytes().first() {
            Some(b'x') => hexadecimal(part, 2),
            Some(b'u') => hexadecimal(part, 4),
            Some(b'n') => (Some(10), &part[1..]),
            None => (Some(u16::from(b'\\')), parts.next().unwrap_or_default()),
            Some(_) => (None, part),
        };
        units.extend(unit);
        let is_half = unit.is_some_and(|unit| (0xd800..0xdc00).contains(&unit));
        if !(is_half && rest.is_empty()) {
            plain.extend(
                decode_utf16(units.drain(..)).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)),
            );
        }
        plain += rest;
    }
    plain.extend(decode_utf16(units).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)));
    plain
}

/// The unit after the first letter of a text, and the rest.
fn hexadecimal(text: &str, digits: usize) -> (Option<u16>, &str) {
    let unit = text.get(1..=digits).and_then(|digits| u16::from_str_radix(digits, 16).ok());
    (unit, unit.map_or(text, |_| &text[digits + 1..]))
}

/// Where the lines of a text start, in UTF-16 units. V8 uses the line ends of the language.
pub(super) struct LineStarts(Vec<u32>);

impl LineStarts {
    pub(super) fn of(text: &str) -> Self {
        let mut starts = vec![0];
        let mut units = 0;
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            units += letter.len_utf16() as u32;
            let is_end = match letter {
                '\r' => letters.peek() != Some(&'\n'),
                '\n' | '\u{2028}' | '\u{2029}' => true,
                _ => false,
            };
            if is_end {
                starts.push(units);
            }
        }
        Self(starts)
    }

    /// The offset of a line and column, both from 1.
    pub(super) fn offset(&self, line: u32, column: u32) -> Option<u32> {
        let start = self.0.get(line.checked_sub(1)? as usize)?;
        start.checked_add(column.checked_sub(1)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_of_v8() {
        let rows = [
            ("plain", "plain"),
            (r"a\x2C b\n", "a, b\n"),
            (r"\\n \\\\ \\", r"\n \\ \"),
            (r"\xfc\u6f22 \ud83c\udf89!", "ü漢 🎉!"),
            (r"\ud83c x \udf89\ud83c", "\u{fffd} x \u{fffd}\u{fffd}"),
            (r"\xzz \u12", r"xzz u12"),
        ];
        for (logged, expected) in rows {
            assert_eq!(unescaped(logged), expected, "{logged}");
        }
    }

    #[test]
    fn lines_of_v8() {
        let lines = LineStarts::of("🎉\r\nb\rc\u{2028}d\n");
        let starts = [1, 2, 3, 4, 5, 6].map(|line| lines.offset(line, 1));
        assert_eq!(starts, [Some(0), Some(4), Some(6), Some(8), Some(10), None]);
        assert_eq!([lines.offset(0, 1), lines.offset(2, 0), lines.offset(2, 3)], [None, None, Some(6)]);
    }
}
