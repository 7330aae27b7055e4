//! The samples of one trace that were added up, in their order: kept as what they are made of, and made when somebody asks.

use std::sync::Arc;

use profile::model::Profile;
use profile::scope::{Labels, Selection, Threads, Transform, Windows};

/// What is looked at of a trace.
#[derive(Clone, Debug)]
pub(crate) struct TracedSamples {
    /// The trace.
    pub(crate) profile: Arc<Profile>,
    /// Its threads.
    pub(crate) threads: Threads,
    /// In which spans of time; `None` for all of it.
    pub(crate) windows: Option<Windows>,
    /// With which labels; `None` for all samples.
    pub(crate) labels: Option<Labels>,
    /// How its stacks are changed, one after the other.
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
