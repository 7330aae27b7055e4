//! The hottest definitions of the workspace, and who called one: lists that `report` prints and editors pick from.

use profile::Weight;

use crate::Recording;
use crate::summary::{Call, DefinitionKey, Measured, Other, Summary};

/// What a list is ordered by, descending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    /// Self time.
    #[default]
    SelfTime,
    /// Total time.
    TotalTime,
}

/// All measured definitions, the hottest first; ties by file and place.
pub fn hottest(summary: &Summary, by: By) -> Vec<(&DefinitionKey, &Measured)> {
    let mut all: Vec<_> = summary.definitions.iter().collect();
    let time = |it: &Measured| match by {
        By::SelfTime => it.cost.self_time,
        By::TotalTime => it.cost.total_time,
    };
    all.sort_by(|(a_key, a), (b_key, b)| {
        time(b).cmp(&time(a)).then_with(|| (&a_key.file, a.start, a.end).cmp(&(&b_key.file, b.start, b.end)))
    });
    all
}

/// The callers of a definition that are definitions themselves, with their places, the hottest first.
pub fn callers<'a>(
    recording: &'a Recording,
    key: &DefinitionKey,
) -> Vec<(&'a DefinitionKey, &'a Measured, Weight)> {
    let Some(measured) = recording.summary.definitions.get(key) else { return Vec::new() };
    placed(&recording.summary, &measured.callers)
}

/// Those ends of calls that are definitions.
pub fn placed<'a>(summary: &'a Summary, calls: &'a [Call]) -> Vec<(&'a DefinitionKey, &'a Measured, Weight)> {
    let placed = calls.iter().filter_map(|call| match &*call.other {
        Other::Definition(key) => summary.definitions.get(key).map(|it| (key, it, call.spent)),
        Other::Entry | Other::Unplaced(_) => None,
    });
    placed.collect()
}
