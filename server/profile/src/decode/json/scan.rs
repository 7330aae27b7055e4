//! Bytes in a row: where a string ends, what a number is, what escapes mean. Eight bytes at once where that pays.

use std::borrow::Cow;

use super::Number;

pub(super) fn ends_word(byte: u8) -> bool {
    matches!(byte, b',' | b']' | b'}' | b':' | b'"' | b'[' | b'{') || byte <= b' '
}

/// Looks at eight bytes at once: a byte of a word is zero after the exclusive or where it was the one looked for.
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

#[inline]
pub(super) fn find_brace(text: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(word) = word_at(text, at) {
        let found = zero_bytes(word ^ (u64::from(b'}') * ONES));
        if found != 0 {
            return Some(at + (found.trailing_zeros() / 8) as usize);
        }
        at += 8;
    }
    let rest = text.get(at..)?;
    rest.iter().position(|&byte| byte == b'}').map(|length| at + length)
}

/// Looks ahead over text that lies in the window and is written as programs write it: without white space.
pub(crate) struct Plain<'t> {
    text: &'t [u8],
    at: usize,
}

impl<'t> Plain<'t> {
    pub(super) fn new(text: &'t [u8], at: usize) -> Self {
        Self { text, at }
    }

    /// Where it stands in the text.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Goes behind these bytes, if they come next.
    #[inline]
    pub(crate) fn takes(&mut self, bytes: &[u8]) -> bool {
        let found = self.text[self.at..].starts_with(bytes);
        self.at += if found { bytes.len() } else { 0 };
        found
    }

    /// The whole number that comes next, before a comma or a closing bracket.
    #[inline]
    pub(crate) fn integer(&mut self) -> Option<i64> {
        let (number, next) = plain_integer(self.text, self.at)?;
        self.at = next;
        Some(number)
    }

    /// A number like [`Plain::integer`], perhaps with decimals, times a million and rounded.
    #[inline]
    pub(crate) fn millionths(&mut self) -> Option<i64> {
        let (number, next) = plain_millionths(self.text, self.at)?;
        self.at = next;
        Some(number)
    }

    /// The object that comes next up to its first closing brace, see [`Json::glimpse`](super::Json::glimpse).
    #[inline]
    pub(crate) fn braces(&mut self) -> Option<&'t [u8]> {
        let text = &self.text[self.at..];
        let length = memchr::memchr(b'}', text)? + 1;
        self.at += length;
        Some(&text[..length])
    }

    /// An object of at least one member, each of which `member` takes with its key.
    #[inline]
    pub(crate) fn members(&mut self, member: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        if self.takes(b"{") { self.list(b"}", member) } else { None }
    }

    /// An array of at least one item, each of which `item` takes.
    #[inline]
    pub(crate) fn items(&mut self, item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        if self.takes(b"[") { self.list(b"]", item) } else { None }
    }

    /// An object of just these members, whole numbers, in this order; each key with what stands before it.
    #[inline]
    pub(crate) fn row<const N: usize>(&mut self, keys: [&[u8]; N]) -> Option<[i64; N]> {
        let mut row = [0; N];
        for (value, key) in row.iter_mut().zip(keys) {
            *value = if self.takes(key) { self.integer()? } else { return None };
        }
        self.takes(b"}").then_some(row)
    }

    #[inline]
    fn list(&mut self, close: &[u8], mut next: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        loop {
            next(self)?;
            if self.takes(close) {
                return Some(());
            }
            if !self.takes(b",") {
                return None;
            }
        }
    }

    /// The string without escapes that comes next.
    #[inline]
    pub(crate) fn string(&mut self) -> Option<&'t str> {
        let start = self.at + 1;
        let end = find_quote_or_backslash(self.text, start)?;
        if self.text[self.at] != b'"' || self.text[end] != b'"' {
            return None;
        }
        self.at = end + 1;
        std::str::from_utf8(&self.text[start..end]).ok()
    }
}

const ONES: u64 = 0x0101_0101_0101_0101;

#[inline]
fn word_at(text: &[u8], at: usize) -> Option<u64> {
    text.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}

/// The high bit of the lowest byte that is zero; higher ones may be set wrongly.
#[inline]
fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word & (ONES << 7)
}

/// The whole number at `at`, if it is plain digits (at most 18) and ends before a comma or a closing bracket.
#[inline]
pub(super) fn plain_integer(text: &[u8], at: usize) -> Option<(i64, usize)> {
    let negative = text.get(at) == Some(&b'-');
    let first = at + usize::from(negative);
    let (value, next) = match short_integer(text, first) {
        Some(found) => found,
        None => longer_integer(text, first)?,
    };
    matches!(text.get(next), Some(b',' | b'}' | b']'))
        .then_some((if negative { -value } else { value }, next))
}

/// The number at `at` times a million, rounded, under the same conditions and where it is certain that arithmetic of
/// `f64` has the same result: below 2^48 that errs by less than a 15th, so a seventh decimal of 4 or 5 is left out.
#[inline]
pub(super) fn plain_millionths(text: &[u8], at: usize) -> Option<(i64, usize)> {
    const LARGEST: i64 = (1 << 48) / 1_000_000;
    const TENS: [i64; 8] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];
    let (whole, mut next) = short_integer(text, at).or_else(|| longer_integer(text, at))?;
    let mut millionths = whole.checked_mul(1_000_000).filter(|_| whole < LARGEST)?;
    if text.get(next) == Some(&b'.') {
        let first = next + 1;
        let (decimals, end) =
            short_integer(text, first).or_else(|| longer_integer(text.get(..first + 7)?, first))?;
        let decimals = decimals * TENS[7 - (end - first)];
        next = end + text.get(end..)?.iter().position(|byte| !byte.is_ascii_digit())?;
        match decimals % 10 {
            4 | 5 => return None,
            seventh => millionths += decimals / 10 + i64::from(seventh > 5),
        }
    }
    matches!(text.get(next), Some(b',' | b'}' | b']')).then_some((millionths, next))
}

/// One to seven digits, all at once: digits count from the highest byte of the word down, so what is no digit is
/// shifted out, then pairs, fours and eights are added up.
#[inline]
fn short_integer(text: &[u8], first: usize) -> Option<(i64, usize)> {
    let digits = word_at(text, first)? ^ (u64::from(b'0') * ONES);
    let others = (digits.wrapping_add(0x76 * ONES) | digits) & (ONES << 7);
    let bits = others.trailing_zeros() & !7;
    if bits == 0 || bits == 64 {
        return None;
    }
    let digits = digits << (64 - bits);
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let low = (pairs & 0xff_0000_00ff).wrapping_mul(100 + (1_000_000 << 32));
    let high = ((pairs >> 16) & 0xff_0000_00ff).wrapping_mul(1 + (10_000 << 32));
    Some((i64::from((low.wrapping_add(high) >> 32) as u32), first + (bits / 8) as usize))
}

fn longer_integer(text: &[u8], first: usize) -> Option<(i64, usize)> {
    let digits = text.get(first..text.len().min(first + 18))?;
    let length = digits.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(digits.len());
    let value = digits[..length].iter().fold(0, |value, byte| value * 10 + i64::from(byte - b'0'));
    (length > 0).then_some((value, first + length))
}

pub(super) fn parse_number(word: &[u8]) -> Option<Number> {
    if !word.last()?.is_ascii_digit() && word.last() != Some(&b'.') {
        return None; // `inf` and `nan`, which Rust would take
    }
    let text = std::str::from_utf8(word).ok()?;
    if !word.contains(&b'.')
        && let Ok(value) = text.parse()
    {
        return Some(Number::Integer(value));
    }
    text.parse().ok().filter(|value: &f64| value.is_finite()).map(Number::Float)
}

/// Resolves escapes (RFC 8259, section 7); those that are none stay as they are, lone surrogates become U+FFFD.
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
                // Not taken here: it may be the first byte of a longer character.
                rest = &raw[raw.len() - rest.len() - 1..];
            }
        }
    }
    text.push_str(&String::from_utf8_lossy(rest));
    Cow::Owned(text)
}

/// How many bytes the escape at the start of a text takes, with the second half of a surrogate pair.
pub(super) fn escape_length(text: &[u8]) -> usize {
    if text.get(1) == Some(&b'u') { 2 + unicode_escape(&text[2..]).1 } else { text.len().min(2) }
}

/// The character of the digits behind `\u`, and how many bytes make it.
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
