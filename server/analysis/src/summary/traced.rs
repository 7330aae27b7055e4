//! The samples of one trace that were added up, in order. Only what they are made from is kept; they are computed on demand.

use std::sync::Arc;

use profile::model::Profile;
use profile::scope::{Labels, Selection, Threads, Transform, Windows};

/// The part of a trace that is looked at.
#[derive(Clone, Debug)]
pub(crate) struct TracedSamples {
    /// The trace.
    pub(crate) profile: Arc<Profile>,
    /// Its threads.
    pub(crate) threads: Threads,
    /// In which spans of time; `None` for all.
    pub(crate) windows: Option<Windows>,
    /// With which labels; `None` for all samples.
    pub(crate) labels: Option<Labels>,
    /// How its stacks are changed; applied in order.
    pub(crate) transforms: Vec<Transform>,
}

impl TracedSamples {
    /// Threads with their samples in order.
    pub(crate) fn in_order(&self) -> Selection<'_> {
        let all = Selection::of(&self.profile, &self.threads);
        let part = self.windows.iter().fold(all, Selection::within);
        let part = self.labels.iter().fold(part, Selection::labelled);
        self.transforms.iter().fold(part, Selection::transformed_in_order)
    }
}
