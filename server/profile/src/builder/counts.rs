//! Adds what was counted or logged in another run. It is stored next to the profile unchanged; no table of the profile refers to it.

use std::sync::Arc;

use crate::builder::ProfileBuilder;
use crate::model::{Counts, Deopts};

impl ProfileBuilder {
    /// Sets how often functions were called in another run.
    pub(crate) fn counts(&mut self, counts: Counts) {
        self.profile.counts = Some(Arc::new(counts));
    }

    /// Sets what V8's compiler did with functions in another run.
    pub(crate) fn deopts(&mut self, deopts: Deopts) {
        self.profile.deopts = Some(Arc::new(deopts));
    }
}
