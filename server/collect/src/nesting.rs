//! Puts JSON on one line, if every tool can read it there. A trace has three levels, and some tools stop at a few
//! hundred; a number such as `1e999` is valid JSON that few tools can represent; and half a surrogate pair, which
//! `JSON.stringify` writes for a name that has one, cannot be read by all of them.

/// The deepest nesting that a value of a trace may have.
const MAX_DEPTH: u32 = 32;

/// Replaces half a surrogate pair, as decoders of UTF-8 do.
const REPLACEMENT: &[u8] = br"\ufffd";

/// A number that is shorter, and has no exponent, can always be represented.
const SURE: usize = 300;

/// Appends valid JSON without its line ends, which are white space wherever they are, and without halves of surrogate
/// pairs. Returns `false` if it is nested too deeply, or a number is too large: then only a part was appended.
pub(crate) fn append_on_one_line(json: &str, line: &mut Vec<u8>) -> bool {
    let bytes = json.as_bytes();
    let (mut depth, mut copied, mut at) = (0u32, 0, 0);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at = end_of_string(bytes, at + 1, |half| {
                    line.extend_from_slice(&bytes[copied..half]);
                    line.extend_from_slice(REPLACEMENT);
                    copied = half + REPLACEMENT.len();
                });
            }
            b'[' | b'{' => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return false;
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'0'..=b'9' => {
                let rest = &bytes[at..];
                let end = rest
                    .iter()
                    .position(|byte| !matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
                let length = end.unwrap_or(rest.len());
                if !is_held(&json[at..at + length]) {
                    return false;
                }
                at += length - 1;
            }
            b'\n' | b'\r' => {
                line.extend_from_slice(&bytes[copied..at]);
                copied = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    line.extend_from_slice(&bytes[copied..]);
    true
}

fn is_held(number: &str) -> bool {
    let is_sure = number.len() < SURE && !number.contains(['e', 'E']);
    is_sure || number.parse().is_ok_and(f64::is_finite)
}

/// Where the `"` is that ends a string whose text begins at `at`. `on_half` is called with the start of each escape that
/// is half a surrogate pair without the other half (RFC 8259, section 8.2).
fn end_of_string(bytes: &[u8], mut at: usize, mut on_half: impl FnMut(usize)) -> usize {
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        at += found;
        if bytes[at] == b'"' {
            return at;
        }
        at += match (code_unit(&bytes[at..]), bytes.get(at + 6..).and_then(code_unit)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                on_half(at);
                6
            }
            (Some(_), _) => 6,
            (None, _) => 2,
        };
    }
    bytes.len()
}

/// The UTF-16 code unit that an escape such as `\u00e9` stands for, if the bytes begin with one.
fn code_unit(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.strip_prefix(br"\u")?.get(..4)?;
    u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_can_read_the_line() {
        let one_line = |json: &str| {
            let mut line = Vec::new();
            append_on_one_line(json, &mut line).then(|| String::from_utf8(line).unwrap())
        };
        let same = |json: &str| assert_eq!(one_line(json).as_deref(), Some(json));
        same("{}");
        same(r#"{"a\\\"[[[{\n":["\\",1.5e3,null]}"#);
        assert_eq!(one_line("{\r\n \"a\":\n[\r1,\n2]\n}\n").as_deref(), Some(r#"{ "a":[1,2]}"#));
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        same(&nested(32));
        assert_eq!(one_line(&nested(33)), None);
        same(&format!("[{}]", ["[]"; 100].join(",")));
        same("[1e300,-1E-999,0.5,true,false,null]");
        same(r#"["1e999"]"#);
        same(r#"["\ud83d\ude00\ud83d\uDE00","\\ud800","\u00e9"]"#);
        let halves = r#"["\ud83d","\uDE00x\ud83d\ud83d\ude00\ude00",
"\ud83d\n"]"#;
        let whole = r#"["\ufffd","\ufffdx\ufffd\ud83d\ude00\ufffd","\ufffd\n"]"#;
        assert_eq!(one_line(halves).as_deref(), Some(whole));
        let digits = "9".repeat(400);
        for number in ["1e999", "-1E+999", &digits] {
            assert_eq!(one_line(&format!("[{number}]")), None);
        }
    }
}
