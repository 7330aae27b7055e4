//! The little of JSON that is needed to write it.

use std::io::{self, Write};

/// Writes a text in quotes.
pub(super) fn text(text: &str, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"\"")?;
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| byte < 0x20 || matches!(byte, b'"' | b'\\')) {
        out.write_all(&rest.as_bytes()[..at])?;
        match rest.as_bytes()[at] {
            byte @ (b'"' | b'\\') => out.write_all(&[b'\\', byte])?,
            byte => write!(out, "\\u{byte:04x}")?,
        }
        rest = &rest[at + 1..];
    }
    out.write_all(rest.as_bytes())?;
    out.write_all(b"\"")
}

/// Writes the items of a list, divided by commas.
pub(super) fn list<T>(
    items: impl IntoIterator<Item = T>,
    out: &mut dyn Write,
    mut item: impl FnMut(T, &mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    out.write_all(b"[")?;
    for (index, it) in items.into_iter().enumerate() {
        if index > 0 {
            out.write_all(b",")?;
        }
        item(it, out)?;
    }
    out.write_all(b"]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_what_a_parser_reads() {
        for original in ["", "plain", "a\"b\\c", "\n\t\u{0}\u{1f}", "ünï 💩 \u{2028}\u{7f}"] {
            let mut written = Vec::new();
            text(original, &mut written).expect("a list of bytes takes all");
            assert_eq!(serde_json::from_slice::<String>(&written).expect("JSON"), original);
        }
    }
}
