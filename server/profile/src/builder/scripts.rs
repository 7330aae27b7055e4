//! What a profile says of scripts, when all its functions are known.

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

/// Finds out on which threads JavaScript ran.
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
