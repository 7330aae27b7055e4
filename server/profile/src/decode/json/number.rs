//! Numbers as written in the text of a trace.

/// A number as written in the text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Integer(i64),
    /// Finite.
    Float(f64),
}

impl Number {
    /// Parses a text as a number.
    pub(crate) fn of(text: &[u8]) -> Option<Self> {
        parse_number(text)
    }

    #[inline]
    pub(crate) fn as_f64(self) -> f64 {
        match self {
            Self::Integer(value) => value as f64,
            Self::Float(value) => value,
        }
    }
}

/// A number from 0 to 2^32 - 2.
#[inline]
pub(crate) fn index_of(number: i64) -> Option<u32> {
    u32::try_from(number).ok().filter(|&index| index != u32::MAX)
}

/// Parses a whole word as a number.
pub(super) fn parse_number(word: &[u8]) -> Option<Number> {
    if !word.last()?.is_ascii_digit() && word.last() != Some(&b'.') {
        return None; // `inf` and `nan`, which Rust would accept
    }
    let text = std::str::from_utf8(word).ok()?;
    if !word.contains(&b'.')
        && let Ok(value) = text.parse()
    {
        return Some(Number::Integer(value));
    }
    text.parse().ok().filter(|value: &f64| value.is_finite()).map(Number::Float)
}
