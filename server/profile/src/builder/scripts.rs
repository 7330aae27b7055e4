//! Completes what a profile says about scripts, once all its functions are known.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::model::{FunctionKind, Profile};

/// Leaves out scripts of which no function is left.
pub(super) fn keep_scripts(profile: &mut Profile) {
    let mut new_id: Vec<Option<u32>> = vec![None; profile.scripts.len()];
    let mut kept = Vec::new();
    for (_, script) in &mut profile.script_of {
        let id = &mut new_id[*script as usize];
        *script = *id.get_or_insert_with(|| {
            kept.push(std::mem::take(&mut profile.scripts[*script as usize]));
            kept.len() as u32 - 1
        });
    }
    profile.scripts = kept;
}

/// Gives scripts that were counted the texts of the trace: if it has a single text for a script, that is not stored again.
pub(super) fn add_texts_of_counts(profile: &mut Profile) {
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

/// Finds the threads on which JavaScript ran.
pub(super) fn find_scripts_of_threads(profile: &mut Profile) {
    let mut has_script: Vec<bool> = Vec::with_capacity(profile.stacks.function.len());
    for (function, caller) in profile.stacks.function.iter().zip(profile.stacks.callers()) {
        let is_script = profile.functions[function.0 as usize].kind == FunctionKind::Script;
        has_script.push(is_script || caller.is_some_and(|it| has_script[it.0 as usize]));
    }
    for thread in &mut profile.threads {
        thread.ran_script = thread.on_stack.iter().any(|(stack, _)| has_script[stack.0 as usize]);
    }
}
