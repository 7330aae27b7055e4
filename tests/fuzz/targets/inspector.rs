//! Messages that an inspector sends: nothing panics, what is kept is a small multiple of what was sent, what is said about it steers no
//! terminal, and what is written of a trace is JSON.

use record::running::fuzzed::hear;
use serde::de::IgnoredAny;

/// A node of a profile takes at most so many bytes for each byte of its text; whatever else is kept takes less.
const MULTIPLE: usize = 8;
/// A script, or a worker, counts as so much more than its text.
const EACH: usize = 1024;

/// One message a line.
pub(crate) fn check(bytes: &[u8]) {
    let heard = hear(bytes);
    // What is no UTF-8 becomes up to three times as long.
    let most = bytes.len() * 3 * MULTIPLE + heard.messages * EACH;
    assert!(heard.kept <= most, "{} bytes are kept of {}", heard.kept, bytes.len());
    for said in &heard.said {
        assert!(
            !said.contains(|it: char| it.is_control() || ('\u{202a}'..='\u{202e}').contains(&it)),
            "{said:?}"
        );
        assert!(said.chars().count() < 500, "{said}");
    }
    let trace = [b"[", &*heard.trace, b"]"].concat();
    assert!(serde_json::from_slice::<IgnoredAny>(&trace).is_ok(), "{}", String::from_utf8_lossy(&trace));
}
