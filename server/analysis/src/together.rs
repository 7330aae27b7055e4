//! Places the traces of a joined profile together, so that each text is read once, but with the same result as if each were placed alone.
//!
//! Two things are decided for all functions of a profile together: which files its resources are, and whether the text of
//! a file is the one that ran. A trace for which the answer alone would differ is placed apart from the others:
//!
//! ```text
//! 1.json  app.js of release 7, lib.js     app.js is dist/app.js, and fits
//! 2.json  app.js of release 7             app.js is dist/app.js, and fits             together with 1.json
//! 3.json  app.js of release 6             app.js is dist/app.js, and does not fit     apart
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;

use profile::model::{Profile, ResourceId};
use rustc_hash::FxHashMap;

use crate::counts::{CallCounts, place_counts};
use crate::deopts::{CompilerLog, place_deopts};
use crate::files::Files;
use crate::locate::{Located, UnplacedReason, locate};
use crate::symbolicate::{LoadSettings, Positions, Statements, Symbols, symbolicate, symbolicate_located};
use crate::wasm_names::with_names_of_modules;

/// A profile with the places of its functions.
#[derive(Debug)]
pub struct Placed {
    /// The profile, or some of the traces that it was joined from.
    pub profile: Arc<Profile>,
    /// Where its functions are.
    pub symbols: Symbols,
    /// How often definitions were called, if that was counted in another run.
    pub counts: Option<Arc<CallCounts>>,
    /// What V8's compiler did with definitions, if that was logged in another run.
    pub deopts: Option<Arc<CompilerLog>>,
}

/// After this many attempts to find traces that belong together, each is placed alone.
const MAX_ROUNDS: usize = 2;

/// Finds the definitions of all functions of a profile. If it was joined from several traces, each is placed as it would
/// be alone; traces for which that gives the same answers become one profile.
pub fn place(profile: &Arc<Profile>, files: &dyn Files, settings: &LoadSettings<'_>) -> Vec<Placed> {
    let profile = &with_names_of_modules(profile, files);
    if profile.joined.is_empty() {
        let symbols = symbolicate(profile, files, settings);
        let counts = profile.counts.as_ref().map(|counts| Arc::new(place_counts(counts, files, settings)));
        let deopts = profile.deopts.as_ref().map(|deopts| Arc::new(place_deopts(deopts, files, settings)));
        return vec![Placed { profile: Arc::clone(profile), symbols, counts, deopts }];
    }
    let mut placed = Vec::new();
    for LocatedAlike { files: located, traces } in located_alike(profile, files, settings) {
        let mut open = vec![(traces, 0)];
        while let Some((traces, round)) = open.pop() {
            let is_all = traces.len() == profile.joined.len();
            let some = if is_all { Arc::clone(profile) } else { Arc::new(profile.of_joined(&traces)) };
            let located = some.resources.iter().map(|it| {
                let found = located.get(some.strings.get(*it)).cloned();
                found.unwrap_or(Located::Unplaced(UnplacedReason::NotInWorkspace))
            });
            let symbols = symbolicate_located(&some, Some(located.collect()), files, settings);
            let mut classes = classes(&some, &symbols.statements);
            let alike = classes.remove(&Vec::new()).unwrap_or_default();
            if classes.is_empty() {
                placed.push(Placed { profile: some, symbols, counts: None, deopts: None });
                continue;
            }
            let of_profile = |class: Vec<usize>| class.into_iter().map(|it| traces[it]).collect::<Vec<_>>();
            for class in classes.into_values().map(of_profile) {
                if round < MAX_ROUNDS && class.len() < traces.len() {
                    open.push((class, round + 1));
                } else {
                    open.extend(class.into_iter().map(|it| (vec![it], round + 1)));
                }
            }
            open.extend((!alike.is_empty()).then(|| (of_profile(alike), round + 1)));
        }
    }
    placed
}

/// Traces in which each resource is the same file.
struct LocatedAlike<'a> {
    /// The file of each resource.
    files: FxHashMap<&'a str, Located>,
    /// The traces.
    traces: Vec<usize>,
}

/// Groups the traces by what their resources are when each trace is asked alone.
fn located_alike<'a>(
    profile: &'a Profile,
    files: &dyn Files,
    settings: &LoadSettings<'_>,
) -> Vec<LocatedAlike<'a>> {
    let mut all: Vec<LocatedAlike<'a>> = Vec::new();
    let mut known: FxHashMap<Vec<ResourceId>, usize> = FxHashMap::default();
    for (index, trace) in profile.joined.iter().enumerate() {
        let mut resources = trace.resources.clone();
        resources.sort_unstable();
        let number = *known.entry(resources).or_insert_with(|| {
            let urls = trace.resources.iter().map(|it| profile.resources[it.0 as usize]);
            let urls: Vec<&str> = urls.map(|it| profile.strings.get(it)).collect();
            let located = locate(&urls, files, settings.locate);
            let alike = all.iter().position(|it| {
                let mut both = urls.iter().zip(&located);
                both.all(|(url, located)| it.files.get(url).is_none_or(|it| it == located))
            });
            let number = alike.unwrap_or_else(|| {
                all.push(LocatedAlike { files: FxHashMap::default(), traces: Vec::new() });
                all.len() - 1
            });
            all[number].files.extend(urls.into_iter().zip(located));
            number
        });
        all[number].traces.push(index);
    }
    all
}

/// Groups the traces of a profile by the scripts for which a trace alone disagrees with all traces together on whether
/// the text is the one that ran.
fn classes(profile: &Profile, scripts: &[Statements]) -> BTreeMap<Vec<(u32, Option<Positions>)>, Vec<usize>> {
    let mut script_of = vec![None; profile.functions.len()];
    for (script, statements) in (0..).zip(scripts) {
        for (index, function) in statements.functions().enumerate() {
            script_of[function.0 as usize] = Some((script, index));
        }
    }
    let together: Vec<Option<Positions>> = scripts.iter().map(Statements::all_asked).collect();
    let mut classes: BTreeMap<Vec<(u32, Option<Positions>)>, Vec<usize>> = BTreeMap::new();
    for (index, trace) in profile.joined.iter().enumerate() {
        let in_scripts = trace.functions.iter().filter_map(|it| script_of[it.0 as usize]);
        let mut in_scripts: Vec<(u32, usize)> = in_scripts.collect();
        in_scripts.sort_unstable();
        let of_script = in_scripts.chunk_by(|a, b| a.0 == b.0).map(|functions| {
            let script = functions[0].0;
            (script, scripts[script as usize].asked_alone(functions.iter().map(|it| it.1)))
        });
        let odd = of_script.filter(|it| it.1 != together[it.0 as usize]);
        classes.entry(odd.collect()).or_default().push(index);
    }
    classes
}
