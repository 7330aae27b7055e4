//! The hottest definitions of the workspace, and the hottest files and folders: the lists that `report` prints and editors pick
//! from.

use profile::Cost;

use crate::summary::{CallEnd, DefinitionKey, Measured, Summary};
use crate::{FilePath, Recording};

/// What the list is ordered by, descending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SortBy {
    /// Self time.
    #[default]
    SelfTime,
    /// Total time.
    TotalTime,
}

/// All measured definitions, the hottest first; those of equal cost by file and place.
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

/// What is added up to one row of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupBy {
    /// The definitions of a file.
    File,
    /// Those of the files of a folder, without the folders in it.
    Folder,
}

/// The hottest files or folders. The total of a group is the time in which any of it was on the stack.
pub fn hottest_groups(recording: &Recording, group: GroupBy, by: SortBy) -> Vec<(FilePath, Cost)> {
    let group_of = |end: &CallEnd| match (end, group) {
        (CallEnd::Definition(key), GroupBy::File) => Some(key.file.clone()),
        (CallEnd::Definition(key), GroupBy::Folder) => {
            Some(key.file.parent().unwrap_or_else(|| key.file.clone()))
        }
        (CallEnd::Entry | CallEnd::Unplaced(_), _) => None,
    };
    let mut all: Vec<_> = recording.call_stacks.costs_by(group_of).into_iter().collect();
    all.retain(|(_, cost)| *cost != Cost::default());
    let time = |it: &Cost| match by {
        SortBy::SelfTime => it.self_time,
        SortBy::TotalTime => it.total_time,
    };
    all.sort_by(|a, b| time(&b.1).cmp(&time(&a.1)).then_with(|| a.0.cmp(&b.0)));
    all
}
