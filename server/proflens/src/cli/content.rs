//! The content of a report, from which every format is made.

use analysis::files::FilePath;
use analysis::recording::Recording;
use analysis::summary::Base;
use analysis::views::{SortBy, Unit};

use super::packages::Package;
use crate::proto::amounts::Amounts;

/// The content of a report, from which every format is made.
pub(super) struct Report<'a> {
    /// The sum of all traces that could be read.
    pub(super) recording: &'a Recording,
    /// The workspace folder: printed paths are relative to it.
    pub(super) folder: &'a FilePath,
    /// The order.
    pub(super) by: SortBy,
    /// The most functions that are listed.
    pub(super) limit: usize,
    /// What 100 % is.
    pub(super) base: Base,
    /// The packages that are not in the workspace, hottest first.
    pub(super) packages: Vec<Package>,
    /// Whether unplaced functions are listed.
    pub(super) all: bool,
    /// Whether the lines of functions are listed.
    pub(super) lines: bool,
}

impl<'a> Report<'a> {
    /// What writes its amounts.
    pub(super) fn amounts(&self) -> Amounts<'a> {
        Amounts { recording: self.recording, unit: Unit::Time, base: self.base }
    }
}
