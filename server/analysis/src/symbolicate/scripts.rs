//! Which functions of a profile ran in which script, and which workspace file that is.

use std::collections::BTreeMap;

use profile::{Function, FunctionId, FunctionKind, Position, Profile};

use super::by_position;
use super::originals::Traced;
use super::symbols::{Place, Symbols};
use super::text_that_ran::Script;
use crate::locate::{Certainty, LocateSettings, Located, locate};
use crate::{FilePath, Files, UnplacedReason};

/// What ran: files, and texts that only the trace holds. All other functions are unplaced at once.
pub(super) fn scripts<'a>(
    profile: &'a Profile,
    files: &dyn Files,
    settings: &LocateSettings,
    symbols: &mut Symbols,
) -> Vec<Script<'a>> {
    let urls: Vec<&str> = (profile.resources.iter())
        .map(|&it| profile.strings.get(it))
        .chain(profile.known_places.iter().map(|it| it.path.as_str()))
        .collect();
    symbols.resources = locate(&urls, files, settings);
    let of_known = symbols.resources.split_off(profile.resources.len());
    let known = known_places(profile, &of_known);

    let mut scripts: BTreeMap<(Option<FilePath>, Option<usize>), Script<'a>> = BTreeMap::new();
    for (index, function) in profile.functions.iter().enumerate() {
        let id = FunctionId(index as u32);
        let mut add = |file: Option<FilePath>, traced: Option<usize>, position, guessed, transformed| {
            let script = scripts.entry((file.clone(), traced)).or_insert_with(|| {
                let url = profile.resource(id).unwrap_or_default();
                let traced = traced.map(|it| Traced { url, script: &profile.scripts[it] });
                Script { file, traced, ran: by_position::Ran::default() }
            });
            script.ran.functions.push((id, position));
            script.ran.guessed |= guessed;
            script.ran.transformed |= transformed;
        };
        if let Some((file, position)) = known.get(&id) {
            add(Some(file.clone()), None, Some(*position), false, false);
            continue;
        }
        let traced = profile.script(id);
        match file_of(function, &symbols.resources) {
            Ok((file, certainty, transformed)) => {
                let guessed = certainty == Certainty::Suffix;
                add(Some(file), traced, function.defined_at, guessed, transformed);
            }
            Err(why) => {
                symbols.places[index] = Place::Unplaced(why);
                if matches!(why, UnplacedReason::NotInWorkspace | UnplacedReason::Ambiguous)
                    && traced.is_some()
                {
                    add(None, traced, function.defined_at, false, false);
                }
            }
        }
    }
    scripts.into_values().collect()
}

/// The file of a function, from its resource, how sure that is, and whether another text ran.
fn file_of(function: &Function, located: &[Located]) -> Result<(FilePath, Certainty, bool), UnplacedReason> {
    match (function.kind, function.resource) {
        (FunctionKind::GarbageCollector, _) => Err(UnplacedReason::GarbageCollector),
        (FunctionKind::Native, _) => Err(UnplacedReason::Native),
        (FunctionKind::Script, None) => Err(UnplacedReason::NoResource),
        (FunctionKind::Script, Some(resource)) => match &located[resource.0 as usize] {
            Located::File { file, certainty, transformed } => Ok((file.clone(), *certainty, *transformed)),
            Located::Unplaced(why) => Err(*why),
        },
    }
}

/// What the producer of the trace had mapped itself, as far as it lies in the workspace. Several candidates of
/// one function are the compiled file and the original: the original is the one that is not the resource itself.
fn known_places(profile: &Profile, located: &[Located]) -> BTreeMap<FunctionId, (FilePath, Position)> {
    let mut known = BTreeMap::new();
    for (place, located) in profile.known_places.iter().zip(located) {
        let Located::File { file, certainty: Certainty::Exact, .. } = located else { continue };
        let compiled = profile.resource(place.function).is_some_and(|it| it.ends_with(&place.path));
        if !compiled {
            known.entry(place.function).or_insert((file.clone(), place.position));
        }
    }
    known
}
