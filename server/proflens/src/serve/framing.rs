//! The base protocol: a header with `Content-Length`, an empty line, a body (LSP 3.17, "Base Protocol").

use std::io::{self, BufRead, Read};

/// A header that announces a larger body is broken.
const MAX_BODY_BYTES: u64 = 1 << 30;

/// The next body, or `None` at the end of the stream. Lines that are not headers are skipped, so that text that the
/// client prints by mistake does no harm.
pub(super) fn read_body(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut length = None;
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.by_ref().take(8192).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let header = line.trim_ascii();
        if !header.is_empty() {
            length = content_length(header).or(length);
        } else if let Some(length) = length {
            return read_exactly(input, length).map(Some);
        }
    }
}

/// A message with its header.
pub(super) fn frame(body: &[u8]) -> Vec<u8> {
    let mut framed = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    framed.extend_from_slice(body);
    framed
}

fn content_length(header: &[u8]) -> Option<u64> {
    let (name, value) = std::str::from_utf8(header).ok()?.split_once(':')?;
    let length = value.trim().parse().ok()?;
    (name.eq_ignore_ascii_case("content-length") && length <= MAX_BODY_BYTES).then_some(length)
}

fn read_exactly(input: &mut impl BufRead, length: u64) -> io::Result<Vec<u8>> {
    let mut body = Vec::new(); // grows with what comes, not with what the header claims
    input.by_ref().take(length).read_to_end(&mut body)?;
    if body.len() as u64 == length { Ok(body) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bodies(mut stream: &[u8]) -> Vec<String> {
        let next = || read_body(&mut stream).ok().flatten();
        std::iter::from_fn(next).map(|it| String::from_utf8(it).unwrap()).collect()
    }

    #[test]
    fn bodies_follow_each_other() {
        let stream = [frame(b"{}"), frame("\"é\"".as_bytes())].concat();
        assert_eq!(bodies(&stream), ["{}", "\"é\""]);
    }

    #[test]
    fn other_headers_case_and_stray_lines_do_not_matter() {
        let stream = b"hello\r\n\r\ncontent-length:2\r\nContent-Type: x\r\n\r\n[]content-LENGTH: 1\n\n1";
        assert_eq!(bodies(stream), ["[]", "1"]);
    }

    #[test]
    fn a_cut_off_body_ends_the_stream() {
        assert_eq!(bodies(b"Content-Length: 10\r\n\r\n{}"), Vec::<String>::new());
        assert_eq!(bodies(b"Content-Length: 99999999999\r\n\r\n{}"), Vec::<String>::new());
    }
}
