//! The reader of Parquet panics at some bytes that no writer writes: its pages are decoded as if they were sound. A lake may have been
//! written by anybody, so such a panic is a sentence about the file.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use crate::parquet_limits::NotRead;

thread_local! {
    static READS: Cell<bool> = const { Cell::new(false) };
}
static SILENCED: Once = Once::new();

/// Reads something of a file; a panic on the way is the error that the file is damaged, and prints nothing.
///
/// # Errors
/// That of `read`, or that the file is damaged.
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
