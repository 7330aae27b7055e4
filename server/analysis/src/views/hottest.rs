//! The hottest definitions of the workspace, and the hottest files and folders: the lists that `report` prints and editors pick
//! from.

use std::cmp::Reverse;

use profile::model::Amount;
use profile::tally::Cost;

use crate::files::FilePath;
use crate::recording::Recording;
use crate::summary::{DefinitionKey, GroupBy, Measured, Summary};

/// What the list is ordered by, descending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SortBy {
    /// Self time.
    #[default]
    SelfTime,
    /// Total time.
    TotalTime,
}

impl SortBy {
    fn time(self, cost: &Cost) -> Amount {
        match self {
            Self::SelfTime => cost.self_time,
            Self::TotalTime => cost.total_time,
        }
    }
}

/// All measured definitions, hottest first; those of equal cost are ordered by file and place.
pub fn hottest(summary: &Summary, by: SortBy) -> Vec<(&DefinitionKey, &Measured)> {
    let mut all: Vec<_> = summary.definitions.iter().collect();
    all.sort_by_key(|(key, it)| (Reverse(by.time(&it.cost)), &key.file, it.start, it.end));
    all
}

/// The hottest files or folders; see [`CallStacks::groups`](crate::summary::CallStacks::groups).
pub fn hottest_groups(recording: &Recording, group: GroupBy, by: SortBy) -> Vec<(&FilePath, &Cost)> {
    let mut all: Vec<_> =
        recording.call_stacks.groups(group).iter().map(|(file, cost)| (file, cost)).collect();
    all.sort_by_key(|&(file, cost)| (Reverse(by.time(cost)), file));
    all
}
