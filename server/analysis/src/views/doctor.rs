//! Explains what became of each script of a trace, for users who miss a cost: which workspace file it is, which source
//! map that file has, where its functions were placed, and why others were not.

use std::collections::BTreeMap;

use profile::model::{Amount, FunctionId, OffStack, Profile, Unit};

use crate::files::{FilePath, Files};
use crate::locate::{FoundBy, Located, Namesake, UnplacedReason, namesakes};
use crate::symbolicate::{MapDecision, Place, ScriptDecision, Symbols, WhichText};
use crate::wasm_names::named_modules;

/// The examination of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Examination {
    /// What the trace measured.
    pub unit: Unit,
    /// All time except idle time and samples without a stack.
    pub active: Amount,
    /// The scripts of the trace, costliest first.
    pub scripts: Vec<ExaminedScript>,
    /// Functions without a script, by reason.
    pub without_script: Vec<NotPlaced>,
}

/// A script that the trace names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExaminedScript {
    /// Its resource, exactly as in the trace.
    pub resource: String,
    /// Self time of its functions.
    pub time: Amount,
    /// The number of its functions.
    pub functions: usize,
    /// The workspace file that it is, or why there is none.
    pub file: Located,
    /// Workspace files with the same name, likeliest first, if none of them is certainly the file.
    pub namesakes: Vec<Namesake>,
    /// The text in which its functions were looked for; `None` if none was looked for.
    pub text: Option<WhichText>,
    /// Whether it was transformed in memory, so that its functions are found by their order or their names.
    pub transformed: bool,
    /// The WebAssembly module that its functions got their names from, if they had none.
    pub names: Option<FilePath>,
    /// What became of its source map; `None` if there is no text that could have one.
    pub map: Option<MapDecision>,
    /// The files in which its functions were placed, each with the number of functions, largest first.
    pub placed: Vec<(FilePath, usize)>,
    /// Its other functions by reason, costliest first.
    pub not_placed: Vec<NotPlaced>,
}

/// Functions that were not placed for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotPlaced {
    /// The reason.
    pub reason: UnplacedReason,
    /// How many there are.
    pub functions: usize,
    /// Their self time.
    pub time: Amount,
}

/// Shows, by the names in the trace, what [`crate::symbolicate()`] decided. `files` is used to look for files with the same name.
pub fn examine(profile: &Profile, symbols: &Symbols, files: &dyn Files) -> Examination {
    let self_times = self_times(profile);
    let mut functions: Vec<Vec<FunctionId>> = vec![Vec::new(); profile.resources.len()];
    let mut without_resource = Vec::new();
    for (id, function) in (0..).map(FunctionId).zip(&profile.functions) {
        match function.resource {
            Some(resource) => functions[resource.0 as usize].push(id),
            None => without_resource.push(id),
        }
    }
    let decisions = decisions(profile, symbols);
    let resources = profile.resources.iter().map(|&it| profile.strings.get(it));
    let scripts = resources.zip(&symbols.resources).zip(functions.iter().zip(decisions));
    let modules = named_modules(profile, files);
    let scripts = scripts.filter(|(_, (functions, _))| !functions.is_empty());
    let script = |((resource, located), (functions, decision)): ((&str, &Located), (&Vec<_>, Option<_>))| {
        let decision: Option<&ScriptDecision> = decision;
        ExaminedScript {
            resource: resource.to_owned(),
            time: functions.iter().map(|it: &FunctionId| self_times[it.0 as usize]).sum(),
            functions: functions.len(),
            file: file_of(located, decision),
            namesakes: candidates(resource, located, files),
            text: decision.map(|it| it.text),
            transformed: decision.is_some_and(|it| it.transformed),
            names: modules.iter().find(|it| it.resource == resource).map(|it| it.file.clone()),
            map: decision.and_then(|it| it.map.clone()),
            placed: placed(functions, symbols),
            not_placed: not_placed(functions, symbols, &self_times),
        }
    };
    let mut scripts: Vec<ExaminedScript> = scripts.map(script).collect();
    scripts.sort_by(|a, b| b.time.cmp(&a.time).then_with(|| a.resource.cmp(&b.resource)));
    let without_script = not_placed(&without_resource, symbols, &self_times);
    Examination { unit: profile.unit, active: active(profile), scripts, without_script }
}

/// The file of a script. What a tool keeps below `node_modules` is not code of the workspace, but its map was followed.
fn file_of(located: &Located, decision: Option<&ScriptDecision>) -> Located {
    match (located, decision.and_then(|it| it.file.clone())) {
        (Located::Unplaced(UnplacedReason::Dependency), Some(file)) => {
            Located::File { file, found_by: FoundBy::Path, transformed: false }
        }
        _ => located.clone(),
    }
}

/// The decision about the script in which most functions of a resource ran, by `ResourceId`.
fn decisions<'a>(profile: &Profile, symbols: &'a Symbols) -> Vec<Option<&'a ScriptDecision>> {
    let mut most: Vec<Option<(usize, &ScriptDecision)>> = vec![None; profile.resources.len()];
    for decision in &symbols.scripts {
        let resources = decision.functions.iter().filter_map(|it| profile.functions[it.0 as usize].resource);
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        resources.for_each(|it| *counts.entry(it.0 as usize).or_default() += 1);
        for (resource, count) in counts {
            if most[resource].is_none_or(|(other, _)| count > other) {
                most[resource] = Some((count, decision));
            }
        }
    }
    most.into_iter().map(|it| it.map(|it| it.1)).collect()
}

/// The self time of each function, by `FunctionId`.
fn self_times(profile: &Profile) -> Vec<Amount> {
    let mut times = vec![Amount(0); profile.functions.len()];
    for (stack, spent) in profile.measured().flat_map(|it| &it.on_stack) {
        times[profile.stacks.function[stack.0 as usize].0 as usize] += spent.time;
    }
    times
}

/// All time except idle time and samples without a stack.
fn active(profile: &Profile) -> Amount {
    let on_stack = profile.measured().flat_map(|it| &it.on_stack).map(|it| it.1.time);
    let off_stack = profile.measured().flat_map(|it| &it.off_stack);
    let off_stack = off_stack.filter(|it| !matches!(it.0, OffStack::Idle | OffStack::NoStack));
    on_stack.chain(off_stack.map(|it| it.1.time)).sum()
}

/// The files in which functions were placed, with the number of functions.
fn placed(functions: &[FunctionId], symbols: &Symbols) -> Vec<(FilePath, usize)> {
    let mut files: BTreeMap<&FilePath, usize> = BTreeMap::new();
    for function in functions {
        if let Place::At { found, .. } = symbols.places[function.0 as usize] {
            *files.entry(&symbols.definitions[found as usize].file).or_default() += 1;
        }
    }
    let mut files: Vec<_> = files.into_iter().map(|(file, count)| (file.clone(), count)).collect();
    files.sort_by_key(|it| std::cmp::Reverse(it.1));
    files
}

/// The functions that were not placed, by reason.
fn not_placed(functions: &[FunctionId], symbols: &Symbols, self_times: &[Amount]) -> Vec<NotPlaced> {
    let mut reasons: BTreeMap<UnplacedReason, (usize, Amount)> = BTreeMap::new();
    for function in functions {
        if let Place::Unplaced(reason) = symbols.places[function.0 as usize] {
            let (count, time) = reasons.entry(reason).or_default();
            *count += 1;
            *time += self_times[function.0 as usize];
        }
    }
    let all = reasons.into_iter().map(|(reason, (functions, time))| NotPlaced { reason, functions, time });
    let mut all: Vec<_> = all.collect();
    all.sort_by_key(|it| std::cmp::Reverse(it.time));
    all
}

/// Workspace files with the same name as a script, if none of them is certainly the script.
fn candidates(resource: &str, located: &Located, files: &dyn Files) -> Vec<Namesake> {
    match located {
        Located::Unplaced(UnplacedReason::NotInWorkspace | UnplacedReason::Ambiguous) => {
            namesakes(resource, files)
        }
        _ => Vec::new(),
    }
}
