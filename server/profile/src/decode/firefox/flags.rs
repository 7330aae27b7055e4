//! Flags of frames and functions, which say which cells of their tables mean something in the newest processed profiles.
//!
//! A cell whose bit is not set holds 0, which means nothing; before there were flags, it held `null` or -1. The bits are
//! those with which the profiler's processed-profile-versioning.ts upgrades older profiles.

pub(super) const FRAME_CATEGORY: u32 = 4;
pub(super) const FRAME_LINE: u32 = 16;
pub(super) const FRAME_COLUMN: u32 = 32;
pub(super) const IS_JS: u32 = 1;
pub(super) const RELEVANT_FOR_JS: u32 = 2;
pub(super) const FUNCTION_SOURCE: u32 = 8;
pub(super) const FUNCTION_LINE: u32 = 16;
pub(super) const FUNCTION_COLUMN: u32 = 32;
pub(super) const FUNCTION_ORIGINAL: u32 = 64;

/// Whether a bit is set; a cell that is not a number, which is [`u32::MAX`](super::tables::NONE), has none.
fn is_set(flags: u32, bit: u32) -> bool {
    flags != u32::MAX && flags & bit != 0
}

/// Keeps the cells of a column whose row has this bit, if there are flags, and replaces all others with `none`.
pub(super) fn keep(column: &mut [u32], flags: &[u32], bit: u32, none: u32) {
    for (cell, flags) in column.iter_mut().zip(flags) {
        if !is_set(*flags, bit) {
            *cell = none;
        }
    }
}

/// A column with 1 for each row with this bit, and 0 for all others.
pub(super) fn column_of(flags: &[u32], bit: u32) -> Vec<u32> {
    flags.iter().map(|flags| u32::from(is_set(*flags, bit))).collect()
}
