//! What formats and engines say of a profile as a whole.

use crate::builder::ProfileBuilder;

impl ProfileBuilder {
    /// Says that the trace only counts samples.
    pub fn counts_samples(&mut self) {
        self.profile.counts_samples = true;
    }

    /// Says that places may be of code that was inlined into the function that they are of.
    pub fn inlines(&mut self) {
        self.profile.inlines = true;
    }
}
