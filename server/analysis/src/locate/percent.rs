//! Paths as urls write them (RFC 3986, section 2.1).

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

/// A path decoded once; `None` where nothing is encoded or the result is no text. A `%` that encodes nothing stays.
pub(super) fn decoded(path: &str) -> Option<Cow<'_, str>> {
    if path.contains('%') { percent_decode_str(path).decode_utf8().ok() } else { None }
}
