//! The hottest definitions of the workspace: the list that `report` prints and editors pick from.

use crate::summary::{DefinitionKey, Measured, Summary};

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
