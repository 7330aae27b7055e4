//! What was counted or logged in another run stands beside a profile as it is: no table of the profile knows of it.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::builder::ProfileBuilder;
use crate::model::{Counts, Deopts, Profile};

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

/// Gives the scripts that were counted the texts of the trace: where it has one text of a script, that is not written again.
pub(super) fn add_texts(profile: &mut Profile) {
    let Some(mut counts) = profile.counts.take() else { return };
    let mut scripts: FxHashMap<&str, Option<u32>> = FxHashMap::default();
    for &(function, script) in &profile.script_of {
        let Some(url) = profile.resource(function) else { continue };
        match scripts.entry(url) {
            Entry::Vacant(free) => _ = free.insert(Some(script)),
            Entry::Occupied(known) if *known.get() == Some(script) => {}
            Entry::Occupied(mut several) => _ = several.insert(None),
        }
    }
    for counted in &mut Arc::make_mut(&mut counts).scripts {
        if counted.script.text.is_none()
            && let Some(&Some(script)) = scripts.get(counted.url.as_str())
        {
            counted.script = profile.scripts[script as usize].clone();
        }
    }
    profile.counts = Some(counts);
}
