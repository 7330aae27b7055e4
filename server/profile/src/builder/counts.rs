//! What was counted or logged in another run stands beside a profile as it is: no table of the profile knows of it.

use std::sync::Arc;

use crate::builder::ProfileBuilder;
use crate::model::{Counts, Deopts};

impl ProfileBuilder {
    /// Says how often functions were called in another run.
    pub(crate) fn counts(&mut self, counts: Counts) {
        self.profile.counts = Some(Arc::new(counts));
    }

    /// Says what V8's compiler did with functions in another run.
    pub(crate) fn deopts(&mut self, deopts: Deopts) {
        self.profile.deopts = Some(Arc::new(deopts));
    }
}
