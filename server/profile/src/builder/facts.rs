//! Sets what formats and engines say about a profile as a whole.

use crate::builder::ProfileBuilder;

impl ProfileBuilder {
    /// Records that the trace only counts samples.
    pub fn counts_samples(&mut self) {
        self.profile.counts_samples = true;
    }

    /// Records that places may be in code that was inlined into the function that they are recorded for.
    pub fn inlines(&mut self) {
        self.profile.inlines = true;
    }
}
