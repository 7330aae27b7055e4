//! Walks through JSON and keeps its values as slices of the text: a map has megabytes, of which a reader wants little.
//!
//! `serde_json` with `RawValue` would take 1.15 times (an artificial map of 47 MB) to 1.6 times (real maps of 1.5 MB) as
//! long. It also rejects what only lax tools write: half a surrogate pair, control characters in strings, commas after
//! the last item. Mistakes in skipped values do no harm, but a text that ends early is always an error.

use std::borrow::Cow;

/// The text is not JSON from this byte on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NoJson(pub(super) usize);

/// What a value is, by its first character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Object,
    List,
    Text,
    /// A number, `true`, `false` or `null`.
    Word,
}

/// A place in a JSON text.
pub(super) struct Json<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Json<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// What the next value is.
    pub(super) fn kind(&mut self) -> Result<Kind, NoJson> {
        match self.peek() {
            Some(b'{') => Ok(Kind::Object),
            Some(b'[') => Ok(Kind::List),
            Some(b'"') => Ok(Kind::Text),
            Some(b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => Ok(Kind::Word),
            _ => Err(NoJson(self.at)),
        }
    }

    /// Goes through the members of an object. `each` must read exactly the member's value.
    pub(super) fn members(
        &mut self,
        mut each: impl FnMut(&str, &mut Self) -> Result<(), NoJson>,
    ) -> Result<(), NoJson> {
        self.expect(b'{')?;
        while !self.take(b'}') {
            let key = unescape(self.string()?);
            self.expect(b':')?;
            each(&key, self)?;
            if !self.take(b',') && self.peek() != Some(b'}') {
                return Err(NoJson(self.at));
            }
        }
        Ok(())
    }

    /// Goes through the items of a list. `each` must read exactly the item.
    pub(super) fn items(
        &mut self,
        mut each: impl FnMut(&mut Self) -> Result<(), NoJson>,
    ) -> Result<(), NoJson> {
        self.expect(b'[')?;
        while !self.take(b']') {
            each(self)?;
            if !self.take(b',') && self.peek() != Some(b']') {
                return Err(NoJson(self.at));
            }
        }
        Ok(())
    }

    /// Skips the next value, and returns it as written. Nesting needs no stack.
    pub(super) fn value(&mut self) -> Result<&'a str, NoJson> {
        let bytes = self.text.as_bytes();
        match self.kind()? {
            Kind::Text => self.string(),
            Kind::Word => {
                let start = self.at;
                let end = bytes[start..].iter().position(|byte| b",]} \t\r\n:\"".contains(byte));
                self.at = end.map_or(bytes.len(), |length| start + length);
                Ok(&self.text[start..self.at])
            }
            Kind::Object | Kind::List => {
                let start = self.at;
                let mut depth = 0_usize;
                loop {
                    match bytes.get(self.at) {
                        Some(b'"') => {
                            self.string()?;
                            continue;
                        }
                        Some(b'{' | b'[') => depth += 1,
                        Some(b'}' | b']') => depth -= 1,
                        Some(_) => {}
                        None => return Err(NoJson(self.at)),
                    }
                    self.at += 1;
                    if depth == 0 {
                        return Ok(&self.text[start..self.at]);
                    }
                }
            }
        }
    }

    /// Whether nothing but white space is left.
    pub(super) fn is_done(&mut self) -> bool {
        self.peek().is_none()
    }

    /// The byte that is read next.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// A string as written, with its quotes.
    fn string(&mut self) -> Result<&'a str, NoJson> {
        self.expect(b'"')?;
        let start = self.at - 1;
        let bytes = self.text.as_bytes();
        loop {
            let found = memchr::memchr2(b'"', b'\\', &bytes[self.at..]).ok_or(NoJson(bytes.len()))?;
            self.at += found + 1;
            if bytes[self.at - 1] == b'"' {
                return Ok(&self.text[start..self.at]);
            }
            // An escaped character is one byte, or the first of several that are neither quote nor backslash.
            if self.at == bytes.len() {
                return Err(NoJson(self.at));
            }
            self.at += 1;
        }
    }

    fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = bytes.get(self.at) {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8) -> Result<(), NoJson> {
        if self.take(byte) { Ok(()) } else { Err(NoJson(self.at)) }
    }
}

/// The value of a string as it is written; `None` if it is not a string.
pub(super) fn text(raw: &str) -> Option<Cow<'_, str>> {
    raw.starts_with('"').then(|| unescape(raw))
}

/// The value of an integer from 0 to `u32::MAX`, however it is written (`3`, `3.0`, `3e0`).
pub(super) fn index(raw: &str) -> Option<u32> {
    let number = raw.parse::<f64>().ok()?;
    (number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number)).then_some(number as u32)
}

/// The value of a string that is written with its quotes. Half a surrogate pair, which only JSON can express, becomes
/// U+FFFD: that is one UTF-16 unit as well, so columns do not change.
fn unescape(raw: &str) -> Cow<'_, str> {
    let inner = &raw[1..raw.len() - 1];
    let Some(mut next) = memchr::memchr(b'\\', inner.as_bytes()) else { return Cow::Borrowed(inner) };
    let mut value = String::with_capacity(inner.len());
    let mut rest = inner;
    loop {
        value.push_str(&rest[..next]);
        rest = &rest[next + 1..];
        let (char, length) = escaped(rest);
        value.push(char);
        rest = &rest[length..];
        match memchr::memchr(b'\\', rest.as_bytes()) {
            Some(found) => next = found,
            None => break,
        }
    }
    value.push_str(rest);
    Cow::Owned(value)
}

/// The character after a backslash, and how many bytes it takes.
fn escaped(rest: &str) -> (char, usize) {
    let first = rest.chars().next().unwrap_or(char::REPLACEMENT_CHARACTER);
    let char = match first {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'u' => {
            let Some(high) = unit(&rest[1..]) else { return (char::REPLACEMENT_CHARACTER, 1) };
            let low = rest[5..].strip_prefix("\\u").and_then(unit);
            return match (char::from_u32(high), low) {
                (Some(char), _) => (char, 5),
                (None, Some(low)) => match char::decode_utf16([high as u16, low as u16]).next() {
                    Some(Ok(char)) => (char, 11),
                    _ => (char::REPLACEMENT_CHARACTER, 5),
                },
                (None, None) => (char::REPLACEMENT_CHARACTER, 5),
            };
        }
        other => other,
    };
    (char, first.len_utf8().min(rest.len()))
}

fn unit(text: &str) -> Option<u32> {
    let digits = text.get(..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The items of a list as they are written; `None` if the value is not a list.
    fn items(raw: &str) -> Option<Vec<&str>> {
        let mut json = Json::new(raw);
        let mut items = Vec::new();
        json.items(|item| {
            items.push(item.value()?);
            Ok(())
        })
        .ok()?;
        Some(items)
    }

    #[test]
    fn strings_are_unescaped() {
        let cases = [
            (r#""plain""#, "plain"),
            (r#""a\n\t\"\\\/b""#, "a\n\t\"\\/b"),
            (r#""\u00e9\ud83d\ude00""#, "\u{e9}\u{1F600}"),
            (r#""\ud83d-\ude00\ud83d""#, "\u{FFFD}-\u{FFFD}\u{FFFD}"),
            (r#""\ud83d\u0041""#, "\u{FFFD}A"),
            (r#""\uzz\u12""#, "\u{FFFD}zz\u{FFFD}12"),
        ];
        for (raw, value) in cases {
            assert_eq!(text(raw).as_deref(), Some(value), "{raw}");
        }
    }

    #[test]
    fn values_are_slices() {
        let raw = r#" [ 1, "a]\"", {"b": [2, "}"]} , null,[], ] "#;
        assert_eq!(items(raw), Some(vec!["1", r#""a]\"""#, r#"{"b": [2, "}"]}"#, "null", "[]"]));
    }

    #[test]
    fn what_ends_early_is_an_error() {
        for raw in ["", "[", "[1", "[1,", "[\"a", "[\"a\\", "[{\"a\":", "[1 2]", "{}", "[,]", "[x]"] {
            assert_eq!(items(raw), None, "{raw}");
        }
    }

    #[test]
    fn indexes_are_whole_numbers() {
        assert_eq!(["3", "3.0", "3e2", "0"].map(index), [Some(3), Some(3), Some(300), Some(0)]);
        assert_eq!(["-1", "1.5", "4294967296", "\"3\"", "true", "inf", "NaN"].map(index), [None; 7]);
    }
}
