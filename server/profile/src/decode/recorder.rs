//! What `proflens record` writes into its recordings about themselves, before the profile:
//! `{"proflens": {"time": 1700000000000, "commit": "1a2b…", "tree": "clean"}, "traceEvents": …}`.

use std::time::{Duration, UNIX_EPOCH};

use super::error::Result;
use super::json::{Json, Number};
use crate::builder::ProfileBuilder;
use crate::model::Checkout;

/// The member that holds it.
pub(super) const KEY: &[u8] = b"proflens";

/// Reads it.
pub(super) fn read(json: &mut Json, builder: &mut ProfileBuilder) -> Result<()> {
    if !json.enter_object()? {
        return Ok(());
    }
    let (mut commit, mut clean, mut counts_collected) = (None, None, false);
    while let Some(key) = json.next_key()? {
        match key.bytes() {
            b"time" => {
                if let Some(Number::Integer(millis)) = json.number()? {
                    let since = u64::try_from(millis).ok().map(Duration::from_millis);
                    builder.recorded_at(since.and_then(|it| UNIX_EPOCH.checked_add(it)));
                }
            }
            b"memory" => counts_collected = json.string(|it| it == "all")?.unwrap_or(false),
            b"commit" => commit = json.string(|it| is_id(it).then(|| it.into()))?.flatten(),
            b"tree" => clean = json.string(is_clean)?.flatten(),
            _ => json.skip()?,
        }
    }
    if counts_collected {
        let what = "all memory that was allocated is counted, also what was collected";
        builder.problem(what.to_owned(), "record with --heap alone to see what was still in use at the end");
    }
    if let Some(commit) = commit {
        builder.checkout(Checkout { commit, clean });
    }
    Ok(())
}

/// Whether a text is an id, which is a SHA-1 or SHA-256 hash.
fn is_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_clean(text: &str) -> Option<bool> {
    match text {
        "clean" => Some(true),
        "changed" => Some(false),
        _ => None,
    }
}
