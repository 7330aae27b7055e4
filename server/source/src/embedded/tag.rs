//! One start tag: its name, the attributes that tell what a script is, and where it ends.

/// A start tag, `<` to `>`.
pub(super) struct Tag<'a> {
    /// As it is written.
    pub(super) name: &'a str,
    /// Names and values as they are written, without quotes.
    attributes: Vec<(&'a str, Option<&'a str>)>,
    /// Just after the `>`.
    pub(super) end: usize,
    /// Whether it ends in `/>`.
    pub(super) is_closed: bool,
    /// Whether its `>` is there, and the end of each value.
    pub(super) is_whole: bool,
}

impl<'a> Tag<'a> {
    /// The tag whose `<` stands at an offset; `None` where no name follows.
    pub(super) fn read(text: &'a str, start: usize) -> Option<Self> {
        let bytes = text.as_bytes();
        if !bytes.get(start + 1)?.is_ascii_alphabetic() {
            return None;
        }
        let name_end = find(bytes, start + 1, |byte| is_space(byte) || matches!(byte, b'/' | b'>'));
        let mut tag = Tag {
            name: &text[start + 1..name_end],
            attributes: Vec::new(),
            end: bytes.len(),
            is_closed: false,
            is_whole: true,
        };
        let mut at = name_end;
        loop {
            at = find(bytes, at, |byte| !is_space(byte));
            match bytes.get(at) {
                None => {
                    tag.is_whole = false;
                    return Some(tag);
                }
                Some(b'>') => {
                    tag.is_closed = bytes[at - 1] == b'/';
                    tag.end = at + 1;
                    return Some(tag);
                }
                Some(b'/') => at += 1,
                Some(_) => match tag.attribute(text, at) {
                    Some(end) => at = end,
                    None => return Some(tag),
                },
            }
        }
    }

    /// The value of an attribute, whose name is matched in any case; empty if it has none.
    pub(super) fn value(&self, name: &str) -> Option<&'a str> {
        let found = self.attributes.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.unwrap_or_default())
    }

    /// Reads the attribute at an offset and returns where it ends, or `None` if its value, and so the tag, does not end.
    fn attribute(&mut self, text: &'a str, start: usize) -> Option<usize> {
        let bytes = text.as_bytes();
        // A `=` at the start belongs to the name (HTML, "before attribute name state").
        let name_end = find(bytes, start + 1, |byte| is_space(byte) || matches!(byte, b'/' | b'>' | b'='));
        let name = &text[start..name_end];
        let equals = find(bytes, name_end, |byte| !is_space(byte));
        if bytes.get(equals) != Some(&b'=') {
            self.attributes.push((name, None));
            return Some(name_end);
        }
        let start = find(bytes, equals + 1, |byte| !is_space(byte));
        let (value, end) = match bytes.get(start) {
            Some(&quote @ (b'"' | b'\'')) => {
                let end = find(bytes, start + 1, |byte| byte == quote);
                let inside = &text[start + 1..end];
                // A quote that is being typed would otherwise extend to the next one, far below.
                let cut = inside.find("\n<").map(|offset| start + 1 + offset);
                if cut.is_some() || end == bytes.len() {
                    self.is_whole = false;
                    self.end = cut.unwrap_or_else(|| find(bytes, start, |byte| byte == b'\n'));
                    return None;
                }
                (inside, end + 1)
            }
            _ => {
                let end = find(bytes, start, |byte| is_space(byte) || byte == b'>');
                (&text[start..end], end)
            }
        };
        self.attributes.push((name, Some(value)));
        Some(end)
    }
}

/// The first place at or after an offset with a byte that is wanted; the end if there is no such place.
pub(super) fn find(bytes: &[u8], from: usize, wanted: impl Fn(u8) -> bool) -> usize {
    let start = from.min(bytes.len());
    bytes[start..].iter().position(|&byte| wanted(byte)).map_or(bytes.len(), |offset| start + offset)
}

/// Whether a text starts with a tag of a given name.
pub(super) fn is_tag(text: &str, name: &str, any_case: bool) -> bool {
    let Some((start, rest)) = text.as_bytes().split_at_checked(name.len()) else { return false };
    let same = if any_case { start.eq_ignore_ascii_case(name.as_bytes()) } else { start == name.as_bytes() };
    same && rest.first().is_none_or(|&byte| is_space(byte) || matches!(byte, b'/' | b'>'))
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0C')
}
