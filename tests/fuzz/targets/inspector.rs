//! Messages that an inspector sends: nothing panics, what is kept is a small multiple of what was sent, what is said about it does not
//! control a terminal, and what is written of a trace is JSON.

use record::running::fuzzed::hear;
use serde::de::IgnoredAny;

/// How many bytes a node of a profile takes at most for each byte of its text; whatever else is kept takes less.
const MULTIPLE: usize = 8;
/// How much more than its text a script, or a worker, counts.
const EACH: usize = 1024;

/// One message a line.
pub(crate) fn check(bytes: &[u8]) {
    let heard = hear(bytes);
    // Invalid UTF-8 becomes up to three times as long.
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
