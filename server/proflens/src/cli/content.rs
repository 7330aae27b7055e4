//! What every format of the report is made from.

use analysis::views::SortBy;
use analysis::{FilePath, Recording};

/// What every format of the report is made from.
pub(super) struct Report<'a> {
    /// The sum of all traces that could be read.
    pub(super) recording: &'a Recording,
    /// The workspace folder, which printed paths are relative to.
    pub(super) folder: &'a FilePath,
    /// The order.
    pub(super) by: SortBy,
    /// At most that many functions.
    pub(super) limit: usize,
    /// Whether the base is all time.
    pub(super) whole: bool,
    /// Whether unplaced functions are listed.
    pub(super) all: bool,
}
