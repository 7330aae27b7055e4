//! Scans bytes: where a word or a string ends, and what escapes mean.

use std::borrow::Cow;

#[inline]
pub(super) fn ends_word(byte: u8) -> bool {
    matches!(byte, b',' | b']' | b'}' | b':' | b'"' | b'[' | b'{') || byte <= b' '
}

/// Examines eight bytes at once: after the exclusive or, a byte of the word is zero if it was the one searched for.
#[inline]
pub(super) fn find_quote_or_backslash(text: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(word) = word_at(text, at) {
        let found =
            zero_bytes(word ^ (u64::from(b'"') * ONES)) | zero_bytes(word ^ (u64::from(b'\\') * ONES));
        if found != 0 {
            return Some(at + (found.trailing_zeros() / 8) as usize);
        }
        at += 8;
    }
    let rest = text.get(at..)?;
    rest.iter().position(|&byte| byte == b'"' || byte == b'\\').map(|length| at + length)
}

pub(super) const ONES: u64 = 0x0101_0101_0101_0101;

#[inline]
fn word_at(text: &[u8], at: usize) -> Option<u64> {
    text.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}

/// The high bit of the lowest byte that is zero; higher ones may be set incorrectly.
#[inline]
fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word & (ONES << 7)
}

/// Resolves escapes (RFC 8259, section 7). Invalid ones stay as they are; lone surrogates become U+FFFD.
pub(super) fn unescape(raw: &[u8]) -> Cow<'_, str> {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(found) = rest.iter().position(|&byte| byte == b'\\') {
        text.push_str(&String::from_utf8_lossy(&rest[..found]));
        rest = &rest[found + 1..];
        let Some(&letter) = rest.first() else { return Cow::Owned(text) };
        rest = &rest[1..];
        match letter {
            b'n' => text.push('\n'),
            b't' => text.push('\t'),
            b'r' => text.push('\r'),
            b'b' => text.push('\u{8}'),
            b'f' => text.push('\u{c}'),
            b'"' | b'\\' | b'/' => text.push(char::from(letter)),
            b'u' => {
                let (character, length) = unicode_escape(rest);
                text.push(character);
                rest = &rest[length..];
            }
            _ => {
                text.push('\\');
                // Not consumed here, as it may be the first byte of a longer character.
                rest = &raw[raw.len() - rest.len() - 1..];
            }
        }
    }
    text.push_str(&String::from_utf8_lossy(rest));
    Cow::Owned(text)
}

/// The length in bytes of the escape at the start of a text, including the second half of a surrogate pair.
pub(super) fn escape_length(text: &[u8]) -> usize {
    if text.get(1) == Some(&b'u') { 2 + unicode_escape(&text[2..]).1 } else { text.len().min(2) }
}

/// The character given by the digits after `\u`, and the number of bytes that make it up.
fn unicode_escape(digits: &[u8]) -> (char, usize) {
    let unit = |at: usize| {
        let digits = std::str::from_utf8(digits.get(at..at + 4)?).ok()?;
        u32::from_str_radix(digits, 16).ok()
    };
    let Some(first) = unit(0) else { return ('\u{fffd}', 0) };
    if let Some(character) = char::from_u32(first) {
        return (character, 4);
    }
    if first < 0xdc00
        && digits.get(4..6) == Some(b"\\u")
        && let Some(second @ 0xdc00..0xe000) = unit(6)
    {
        let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        return (char::from_u32(code).unwrap_or('\u{fffd}'), 10);
    }
    ('\u{fffd}', 4)
}
