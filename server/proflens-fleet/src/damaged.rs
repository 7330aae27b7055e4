//! The Parquet reader panics on some bytes that no writer writes: it decodes pages as if they were sound. Anybody may have written a
//! lake, so such a panic becomes a sentence about the file.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use crate::parquet_limits::NotRead;

thread_local! {
    static READS: Cell<bool> = const { Cell::new(false) };
}
static SILENCED: Once = Once::new();

/// Reads something from a file; a panic on the way becomes the error that the file is damaged, and prints nothing.
///
/// # Errors
/// The error of `read`, or that the file is damaged.
pub(crate) fn guarded<T>(read: impl FnOnce() -> Result<T, NotRead>) -> Result<T, NotRead> {
    SILENCED.call_once(|| {
        let others = take_hook();
        set_hook(Box::new(move |panic| {
            if !READS.get() {
                others(panic);
            }
        }));
    });
    READS.set(true);
    // What was read so far is dropped with the reader.
    let answer = catch_unwind(AssertUnwindSafe(read));
    READS.set(false);
    answer.unwrap_or(Err(NotRead::Wrong("it is damaged")))
}
