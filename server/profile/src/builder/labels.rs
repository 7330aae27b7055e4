//! Sets of labels, each once.

use rustc_hash::FxHashMap;

use crate::model::Label;

/// The number of each set.
#[derive(Debug, Default)]
pub(super) struct LabelSets(FxHashMap<Vec<Label>, u32>);

impl LabelSets {
    /// The number of a set, which is added to `sets` if it is new; 0 if it has no labels. Of several labels with one
    /// key, the last counts.
    pub(super) fn number(&mut self, sets: &mut Vec<Vec<Label>>, mut labels: Vec<Label>) -> u32 {
        labels.reverse();
        labels.sort_by_key(|it| it.0);
        labels.dedup_by_key(|it| it.0);
        if labels.is_empty() {
            return 0;
        }
        if sets.is_empty() {
            sets.push(Vec::new());
        }
        *self.0.entry(labels).or_insert_with_key(|labels| {
            sets.push(labels.clone());
            sets.len() as u32 - 1
        })
    }
}
