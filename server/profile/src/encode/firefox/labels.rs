//! Labels of samples as runs: neighbouring samples of a thread with the same value of a label. The format has no labels
//! of samples, but it has markers, and a run can be one.

use std::collections::BTreeMap;

use crate::encode::single_samples::single_samples;
use crate::model::{Amount, Profile, StringId, Thread};

/// Neighbouring samples with the same value of a label.
pub(super) struct LabelRun {
    pub(super) key: StringId,
    pub(super) value: StringId,
    /// The row of the first sample.
    pub(super) first: usize,
    /// The number of rows.
    pub(super) samples: usize,
    /// When the first sample was taken and the last one ended, on the clock of the trace.
    pub(super) start: Amount,
    pub(super) end: Amount,
}

/// The runs of a thread, in the order in which they begin.
pub(super) fn label_runs(profile: &Profile, thread: &Thread) -> Vec<LabelRun> {
    let (mut runs, mut open) = (Vec::new(), BTreeMap::<StringId, LabelRun>::new());
    if profile.label_sets.is_empty() {
        return runs;
    }
    let clock = thread.start.unwrap_or_default().0;
    let (mut set, mut end, mut rows) = (0, Amount(0), 0);
    for (row, sample) in single_samples(profile, thread).enumerate() {
        let start = Amount(clock.saturating_add(sample.taken.max(0).unsigned_abs()));
        if sample.labels != set {
            set = sample.labels;
            let labels = &profile.label_sets[set as usize];
            let ended = open.extract_if(.., |_, run| !labels.contains(&(run.key, run.value)));
            runs.extend(ended.map(|(_, run)| LabelRun { samples: row - run.first, end, ..run }));
            for &(key, value) in labels {
                let run = LabelRun { key, value, first: row, samples: 0, start, end: start };
                open.entry(key).or_insert(run);
            }
        }
        (end, rows) = (start + sample.amount, row + 1);
    }
    runs.extend(open.into_values().map(|run| LabelRun { samples: rows - run.first, end, ..run }));
    runs.sort_by_key(|run| (run.first, run.key));
    runs
}
