//! Decodes percent-encoded paths (RFC 3986, section 2.1). It is in one place because whether a `%` in a path is an escape
//! is a guess: readers of names need the decoded form next to the plain one, and only if the two differ.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

/// Decodes a path once; `None` if it has no `%`. A `%` that encodes nothing stays, and so does any part between two
/// slashes that would not be UTF-8.
pub(super) fn decoded(path: &str) -> Option<Cow<'_, str>> {
    match percent_decode_str(path).decode_utf8() {
        _ if !path.contains('%') => None,
        Ok(decoded) => Some(decoded),
        Err(_) => Some(path.split('/').map(part_decoded).collect::<Vec<_>>().join("/").into()),
    }
}

fn part_decoded(part: &str) -> Cow<'_, str> {
    percent_decode_str(part).decode_utf8().unwrap_or(Cow::Borrowed(part))
}
