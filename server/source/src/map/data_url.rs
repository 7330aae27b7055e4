//! Maps that are in the generated text itself, as `data:` URLs (RFC 2397).

use std::borrow::Cow;
use std::fmt;

use percent_encoding::percent_decode_str;

use crate::text::text_of;

/// The most bytes that an inline map may have. Real ones have at most some tens of megabytes.
const MAX_BYTES: usize = 512 << 20;

/// Why a `data:` URL has no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataUrlError {
    /// It has no comma, after which the data starts.
    NoData,
    /// It is larger than half a gigabyte.
    TooLarge,
    /// Its base64 has an invalid character, or ends in the middle.
    NoBase64,
}

impl fmt::Display for DataUrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoData => "the inline source map has no data",
            Self::TooLarge => "the inline source map is larger than 512 MB",
            Self::NoBase64 => "the inline source map is not valid base64",
        })
    }
}

impl std::error::Error for DataUrlError {}

/// The text of a `data:` URL, or `None` for any other URL. The media type does not matter. The character set is UTF-8
/// whatever it says, unless a mark says UTF-16: JSON allows no other (RFC 8259, 8.1).
///
/// # Errors
/// If it holds no data, too much, or broken base64.
pub fn data_url(url: &str) -> Option<Result<String, DataUrlError>> {
    let scheme = url.get(..5).filter(|scheme| scheme.eq_ignore_ascii_case("data:"))?;
    Some(decode(&url[scheme.len()..]))
}

fn decode(rest: &str) -> Result<String, DataUrlError> {
    let (kind, data) = rest.split_once(',').ok_or(DataUrlError::NoData)?;
    if data.len() > MAX_BYTES {
        return Err(DataUrlError::TooLarge);
    }
    let is_base64 = kind.rsplit(';').next().is_some_and(|word| word.trim().eq_ignore_ascii_case("base64"));
    let bytes: Cow<'_, [u8]> = percent_decode_str(data).into();
    if !is_base64 {
        return Ok(text_of(&bytes));
    }
    Ok(text_of(&from_base64(&bytes).ok_or(DataUrlError::NoBase64)?))
}

/// Decodes base64, including the digits used in URLs and white space, with or without padding (URL Standard, "forgiving-base64 decode").
fn from_base64(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut decoded = Vec::with_capacity(bytes.len() / 4 * 3 + 3);
    let (mut bits, mut count) = (0_u32, 0);
    let mut digits = 0_usize;
    let mut padding = 0;
    for &byte in bytes {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b' ' | b'\t' | b'\r' | b'\n' | b'\x0C' => continue,
            b'=' => {
                padding += 1;
                continue;
            }
            _ => return None,
        };
        if padding > 0 {
            return None;
        }
        digits += 1;
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            decoded.push((bits >> count) as u8);
        }
    }
    (digits % 4 != 1 && padding < 3).then_some(decoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_data_urls() {
        let cases = [
            ("data:application/json;base64,eyJhIjoxfQ==", "{\"a\":1}"),
            ("data:application/json;charset=utf-8;base64,eyJhIjoxfQ", "{\"a\":1}"),
            ("DATA:application/json;charset=utf-8;BASE64,eyJh%49joxfQ%3D%3D", "{\"a\":1}"),
            ("data:;base64,w6nwn5iA", "\u{e9}\u{1F600}"),
            ("data:;base64,_-7_ 7w==", "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
            ("data:application/json,%7B%22a%22:%C3%A9%7d", "{\"a\":\u{e9}}"),
            ("data:,100%-%zz%4", "100%-%zz%4"),
            ("data:,", ""),
        ];
        for (url, text) in cases {
            assert_eq!(data_url(url), Some(Ok(text.to_owned())), "{url}");
        }
    }

    #[test]
    fn what_is_no_data_url() {
        assert_eq!(data_url("main.js.map"), None);
        assert_eq!(data_url("\u{e9}\u{e9}\u{e9}"), None);
        assert_eq!(data_url("data:application/json"), Some(Err(DataUrlError::NoData)));
        for broken in ["data:;base64,eyJh*", "data:;base64,eyJhI", "data:;base64,e=yJ", "data:;base64,ey==="]
        {
            assert_eq!(data_url(broken), Some(Err(DataUrlError::NoBase64)), "{broken}");
        }
    }
}
