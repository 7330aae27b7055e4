//! A trace of any format, however damaged: the laws of `server/profile/tests/fuzz/laws.rs`.

#[path = "../../../server/profile/tests/fuzz/laws.rs"]
mod laws;

use crate::draw::hash;

/// Reads it whole, in pieces and packed; some on two threads as well.
pub(crate) fn check(bytes: &[u8]) {
    let number = hash(bytes);
    laws::check(bytes, 1 + number as usize % 200);
    if number.is_multiple_of(16) {
        laws::check_on_two_threads(bytes);
    }
}
