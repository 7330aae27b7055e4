//! Reads text within the window that is written without white space, as programs do, in a few instructions per value.

use super::nesting::Nesting;
use super::number::{Number, parse_number};
use super::scan::{ONES, ends_word, find_quote_or_backslash};

/// A reader of such text. It leaves anything unknown to the careful reader, [`Json`](super::reader::Json).
pub(crate) struct FastReader<'t> {
    rest: &'t [u8],
}

impl<'t> FastReader<'t> {
    #[inline]
    pub(crate) fn new(text: &'t [u8]) -> Self {
        Self { rest: text }
    }

    /// The text that is still ahead.
    #[inline]
    pub(super) fn left(&self) -> usize {
        self.rest.len()
    }

    /// Consumes these bytes if they come next. Always inlined, since it is a single comparison if their number is known.
    #[inline(always)]
    pub(crate) fn takes(&mut self, bytes: &[u8]) -> bool {
        match self.rest.split_at_checked(bytes.len()) {
            Some((start, rest)) if start == bytes => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    /// The next integer, of at most 18 digits, before a comma or a closing bracket.
    #[inline(always)]
    pub(crate) fn integer(&mut self) -> Option<i64> {
        if let Some((number, length, next)) = first_digits(self.rest)
            && ends_plainly(next)
        {
            self.rest = &self.rest[length..];
            return Some(number);
        }
        self.any_integer()
    }

    /// A non-negative number like [`FastReader::integer`], possibly with decimals, times a million and rounded. Only if
    /// `f64` arithmetic certainly gives the same result: below 2^48 its error is less than a 15th, so a seventh decimal
    /// of 4 or 5 is left to others.
    #[inline]
    pub(crate) fn millionths(&mut self) -> Option<i64> {
        const MAX_WHOLE: i64 = (1 << 48) / 1_000_000;
        const TENS: [i64; 7] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000];
        let (whole, mut rest) = match first_digits(self.rest) {
            Some((whole, length, next)) if !next.is_ascii_digit() => (whole, &self.rest[length..]),
            _ => all_digits(self.rest)?,
        };
        let mut millionths = whole.checked_mul(1_000_000).filter(|_| whole < MAX_WHOLE)?;
        if let Some(decimals) = rest.strip_prefix(b".") {
            let (first, length, next) = first_digits(decimals)?;
            if length <= 6 {
                millionths += first * TENS[6 - length];
                rest = &decimals[length..];
            } else {
                match first % 10 {
                    4 | 5 => return None,
                    seventh => millionths += first / 10 + i64::from(seventh > 5),
                }
                let length = if next.is_ascii_digit() { digits_at_start(decimals) } else { length };
                rest = &decimals[length..];
            }
        }
        ends_plainly(*rest.first()?).then(|| {
            self.rest = rest;
            millionths
        })
    }

    /// A number of any kind.
    #[inline]
    pub(crate) fn number(&mut self) -> Option<Number> {
        match self.integer() {
            Some(number) => Some(Number::Integer(number)),
            None => parse_number(self.word()?),
        }
    }

    /// The next key, without escapes; also consumes its colon.
    #[inline]
    pub(crate) fn key(&mut self) -> Option<&'t [u8]> {
        let text = self.rest.strip_prefix(b"\"")?;
        let end = find_quote_or_backslash(text, 0)?;
        self.rest = text[end..].strip_prefix(b"\":")?;
        Some(&text[..end])
    }

    /// The text of a value of any kind.
    #[inline]
    pub(crate) fn value(&mut self) -> Option<&'t [u8]> {
        let text = self.rest;
        match text.first()? {
            b'"' => self.skip_string()?,
            b'{' | b'[' => self.rest = &text[Nesting::default().end_in(text)?..],
            _ => _ = self.word()?,
        }
        Some(&text[..text.len() - self.rest.len()])
    }

    /// The next string, without escapes.
    #[inline]
    pub(crate) fn string(&mut self) -> Option<&'t str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    /// The bytes of the next string, without escapes; they may not be UTF-8.
    #[inline]
    pub(crate) fn bytes(&mut self) -> Option<&'t [u8]> {
        let text = self.rest.strip_prefix(b"\"")?;
        let end = find_quote_or_backslash(text, 0).filter(|&end| text[end] == b'"')?;
        self.rest = &text[end + 1..];
        Some(&text[..end])
    }

    /// Skips a number or another bare word before a comma or a closing bracket.
    #[inline]
    pub(crate) fn skips_word(&mut self) -> bool {
        match self.rest.iter().position(|&byte| ends_word(byte)) {
            Some(end) if end > 0 && ends_plainly(self.rest[end]) => {
                self.rest = &self.rest[end..];
                true
            }
            _ => false,
        }
    }

    /// The next object up to its first closing brace; see `Json::peek`.
    #[inline]
    pub(crate) fn braces(&mut self) -> Option<&'t [u8]> {
        let (braces, rest) = self.rest.split_at(memchr::memchr(b'}', self.rest)? + 1);
        self.rest = rest;
        Some(braces)
    }

    /// An object with at least one member; `member` takes each one with its key.
    #[inline]
    pub(crate) fn members(&mut self, member: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        if self.takes(b"{") { self.list(b"}", member) } else { None }
    }

    /// An array with at least one item; `item` takes each one.
    #[inline]
    pub(crate) fn items(&mut self, item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        if self.takes(b"[") { self.list(b"]", item) } else { None }
    }

    /// An object with exactly these members in this order, all integers; each key includes the punctuation before it.
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

    fn word(&mut self) -> Option<&'t [u8]> {
        let (word, rest) = self.rest.split_at(self.rest.iter().position(|&byte| ends_word(byte))?);
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }

    #[inline]
    fn skip_string(&mut self) -> Option<()> {
        let mut from = 1;
        loop {
            let found = find_quote_or_backslash(self.rest, from)?;
            if self.rest[found] == b'"' {
                self.rest = &self.rest[found + 1..];
                return Some(());
            }
            from = found + 2;
        }
    }

    #[cold]
    fn any_integer(&mut self) -> Option<i64> {
        let unsigned = self.rest.strip_prefix(b"-");
        let (number, rest) = all_digits(unsigned.unwrap_or(self.rest))?;
        ends_plainly(*rest.first()?).then(|| {
            self.rest = rest;
            if unsigned.is_some() { -number } else { number }
        })
    }
}

#[inline]
fn ends_plainly(byte: u8) -> bool {
    matches!(byte, b',' | b'}' | b']')
}

/// The value of up to seven digits at the start of a text, their number, and the byte after them. It is computed at once: digits
/// count from the highest byte of the word down, so other bytes are shifted out, then pairs, fours and eights are added up.
#[inline]
fn first_digits(text: &[u8]) -> Option<(i64, usize, u8)> {
    let word = u64::from_le_bytes(*text.first_chunk()?);
    let bits = (no_digits(word).trailing_zeros() & !7).min(56);
    if bits == 0 {
        return None;
    }
    let digits = (word ^ (u64::from(b'0') * ONES)) << (64 - bits);
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let low = (pairs & 0xff_0000_00ff).wrapping_mul(100 + (1_000_000 << 32));
    let high = ((pairs >> 16) & 0xff_0000_00ff).wrapping_mul(1 + (10_000 << 32));
    let number = i64::from((low.wrapping_add(high) >> 32) as u32);
    Some((number, (bits / 8) as usize, (word >> bits) as u8))
}

/// The number of digits at the start of a text.
#[inline]
fn digits_at_start(text: &[u8]) -> usize {
    let (words, rest) = text.as_chunks();
    for (index, word) in words.iter().enumerate() {
        let others = no_digits(u64::from_le_bytes(*word));
        if others != 0 {
            return index * 8 + (others.trailing_zeros() / 8) as usize;
        }
    }
    let digits = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
    text.len() - rest.len() + digits
}

/// The high bit of each byte that is not a digit.
#[inline]
fn no_digits(word: u64) -> u64 {
    let digits = word ^ (u64::from(b'0') * ONES);
    (digits.wrapping_add(0x76 * ONES) | digits) & (ONES << 7)
}

/// The value of the 1 to 18 digits at the start of a text, and the rest.
fn all_digits(text: &[u8]) -> Option<(i64, &[u8])> {
    let (digits, rest) = text.split_at(digits_at_start(text));
    let number = digits
        .iter()
        .fold(0i64, |number, digit| number.wrapping_mul(10).wrapping_add(i64::from(digit - b'0')));
    matches!(digits.len(), 1..=18).then_some((number, rest))
}
