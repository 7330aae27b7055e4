//! The small part of JSON that is needed to write it.

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

/// Writes nanoseconds as milliseconds, exactly.
pub(super) fn millis(nanos: u64, out: &mut dyn Write) -> io::Result<()> {
    let (whole, rest) = (nanos / 1_000_000, nanos % 1_000_000);
    match rest {
        0 => write!(out, "{whole}"),
        _ if rest.is_multiple_of(1000) => write!(out, "{whole}.{:03}", rest / 1000),
        _ => write!(out, "{whole}.{rest:06}"),
    }
}

/// Writes the items of a list, separated by commas.
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

    #[test]
    fn milliseconds_are_exact() {
        let written = [0, 1, 1_000, 20_000_000, 1_000_001, 1_050_000, u64::MAX].map(|nanos| {
            let mut written = Vec::new();
            millis(nanos, &mut written).expect("a list of bytes takes all");
            String::from_utf8(written).expect("digits")
        });
        let exact = ["0", "0.000001", "0.001", "20", "1.000001", "1.050", "18446744073709.551615"];
        assert_eq!(written, exact);
    }
}
