//! The hottest definitions of the workspace, and the hottest files and folders: the lists that `report` prints and editors pick
//! from.

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

/// All measured definitions, hottest first; those of equal cost are ordered by file and place.
pub fn hottest(summary: &Summary, by: SortBy) -> Vec<(&DefinitionKey, &Measured)> {
    let mut all: Vec<_> = summary.definitions.iter().collect();
    let time = |it: &Measured| match by {
        SortBy::SelfTime => it.cost.self_time,
        SortBy::TotalTime => it.cost.total_time,
    };
    all.sort_by(|(a_key, a), (b_key, b)| {
        time(b).cmp(&time(a)).then_with(|| (&a_key.file, a.start, a.end).cmp(&(&b_key.file, b.start, b.end)))
    });
    all
}

/// The hottest files or folders; see [`CallStacks::groups`](crate::summary::CallStacks::groups).
pub fn hottest_groups(recording: &Recording, group: GroupBy, by: SortBy) -> Vec<(&FilePath, &Cost)> {
    let mut all: Vec<_> =
        recording.call_stacks.groups(group).iter().map(|(file, cost)| (file, cost)).collect();
    let time = |it: &Cost| match by {
        SortBy::SelfTime => it.self_time,
        SortBy::TotalTime => it.total_time,
    };
    all.sort_by(|a, b| time(b.1).cmp(&time(a.1)).then_with(|| a.0.cmp(b.0)));
    all
}
