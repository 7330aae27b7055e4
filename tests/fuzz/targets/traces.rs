//! A trace of any format, however damaged: the laws of `server/profile/tests/fuzz/laws.rs`.

#[path = "../../../server/profile/tests/fuzz/laws.rs"]
mod laws;

use crate::draw::hash;

/// Reads it whole, in pieces and packed.
pub(crate) fn check(bytes: &[u8]) {
    laws::check(bytes, 1 + hash(bytes) as usize % 200);
}
