//! Percent-decoding of paths (RFC 3986, section 2.1), in one place: whether a `%` of a path is an escape is a guess, so
//! readers of names need the decoded form beside the plain one, and only if the two differ.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

/// A path decoded once; `None` if it has no `%`, or if the result is not UTF-8. A `%` that encodes nothing stays.
pub(super) fn decoded(path: &str) -> Option<Cow<'_, str>> {
    if path.contains('%') { percent_decode_str(path).decode_utf8().ok() } else { None }
}
