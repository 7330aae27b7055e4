//! Finds which functions of a profile ran in which script, and which workspace file that is.

use std::collections::{BTreeMap, BTreeSet};

use profile::model::{Function, FunctionId, FunctionKind, Position, Profile};

use super::executed_text::Traced;
use super::moved_scripts::{MovedScripts, locate_moved, scripts_of_resources};
use super::placement::ScriptFunctions;
use super::settings::LoadSettings;
use super::symbols::{Place, Symbols};
use super::text_that_ran::ExecutedScript;
use crate::files::{FilePath, Files};
use crate::locate::{FoundBy, Located, UnplacedReason, locate, locate_below, locate_by_text, path_inside};
use crate::package::is_of_tool;
use crate::rules::{Rule, Rules};

/// The scripts that ran: workspace files, and texts that only the trace holds. All other functions get their
/// [`UnplacedReason`] at once. `located` holds the files of the resources, if known.
pub(super) fn scripts<'a>(
    profile: &'a Profile,
    located: Option<Vec<Located>>,
    files: &dyn Files,
    settings: &LoadSettings<'_>,
    symbols: &mut Symbols,
) -> Vec<ExecutedScript<'a>> {
    let urls: Vec<&str> = (profile.resources.iter())
        .map(|&it| profile.strings.get(it))
        .chain(profile.known_places.iter().map(|it| it.path.as_str()))
        .collect();
    symbols.resources = located.unwrap_or_else(|| locate(&urls, files, settings.locate));
    let of_known = symbols.resources.split_off(profile.resources.len());
    let rules = settings.locate.rules;
    if rules.has(Rule::PathInSlice) {
        locate_sources(profile, &mut symbols.resources, files, settings);
    }
    let known = if rules.has(Rule::KnownPlace) { known_places(profile, &of_known) } else { BTreeMap::new() };
    if rules.has(Rule::SameText) {
        locate_by_text(texts_of_resources(profile), &mut symbols.resources, files, settings.locate);
    }
    let moved = match rules.has(Rule::MovedScript) {
        true => locate_moved(profile, &mut symbols.resources, files, settings),
        false => MovedScripts::default(),
    };

    let mut scripts = Scripts { profile, moved: &moved, rules, by_text: BTreeMap::new() };
    for (index, function) in profile.functions.iter().enumerate() {
        let id = FunctionId(index as u32);
        if let Some((file, position)) = known.get(&id) {
            let (file, position) = (Some(file.clone()), Some(*position));
            scripts.add(id, RanIn { file, position, ..RanIn::default() });
            continue;
        }
        let traced = profile.script(id);
        let ran_in = RanIn { traced, position: function.defined_at, ..RanIn::default() };
        match file_of(function, &symbols.resources) {
            Ok((file, found_by, transformed)) => {
                let guessed = found_by == FoundBy::EndOfPath;
                scripts.add(id, RanIn { file: Some(file), guessed, transformed, ..ran_in });
            }
            Err(reason) => {
                symbols.places[index] = Place::Unplaced(reason);
                let gone = function.resource.and_then(|resource| moved.gone.get(&(resource.0 as usize)));
                if let Some(was) = gone {
                    scripts.add(id, RanIn { file: Some(was.clone()), ..ran_in });
                } else if matches!(reason, UnplacedReason::NotInWorkspace | UnplacedReason::Ambiguous)
                    && traced.is_some_and(|script| !profile.scripts[script].is_source)
                {
                    scripts.add(id, ran_in);
                } else if reason == UnplacedReason::Dependency
                    && let Some(url) = profile.resource(id).filter(|url| is_of_tool(url))
                {
                    // Its map decides whose code it is.
                    let file = path_inside(url, files).and_then(|path| files.resolve(&path));
                    scripts.add(id, RanIn { file, ..ran_in });
                }
            }
        }
    }
    scripts.by_text.into_values().collect()
}

/// The text that a function ran in.
#[derive(Default)]
struct RanIn {
    /// The workspace file, if there is one.
    file: Option<FilePath>,
    /// The script that the trace holds, an index into [`Profile::scripts`].
    traced: Option<usize>,
    position: Option<Position>,
    /// Whether the file was only found by the end of its path.
    guessed: bool,
    /// Whether its address says that the text that ran is not the file's.
    transformed: bool,
}

/// The scripts found so far, by file and by the script of the trace.
struct Scripts<'p, 'm> {
    profile: &'p Profile,
    moved: &'m MovedScripts,
    rules: Rules,
    by_text: BTreeMap<(Option<FilePath>, Option<usize>), ExecutedScript<'p>>,
}

impl Scripts<'_, '_> {
    fn add(&mut self, id: FunctionId, ran_in: RanIn) {
        let RanIn { file, traced, position, guessed, transformed } = ran_in;
        let profile = self.profile;
        let script = self.by_text.entry((file.clone(), traced)).or_insert_with(|| {
            let url = profile.resource(id).unwrap_or_default();
            let was = file.as_ref().and_then(|file| self.moved.was.get(file).cloned());
            ExecutedScript {
                file,
                was,
                traced: traced.map(|script| Traced { url, script: &profile.scripts[script] }),
                functions: ScriptFunctions { rules: self.rules, ..ScriptFunctions::default() },
            }
        });
        script.functions.positions.push((id, position));
        script.functions.guessed |= guessed;
        script.functions.transformed |= transformed;
        script.functions.in_source |= traced.is_some_and(|script| profile.scripts[script].is_source);
    }
}

/// The number, the url and the text of each resource of which the trace has one text and no map: what has one was built.
fn texts_of_resources(profile: &Profile) -> impl Iterator<Item = (usize, &str, &str)> {
    let mut texts: BTreeMap<usize, Option<&str>> = BTreeMap::new();
    for (resource, script) in scripts_of_resources(profile) {
        let text = script.text.as_deref().filter(|_| script.map.is_none() && !script.is_source);
        let known = texts.entry(resource).or_insert(text);
        *known = known.filter(|it| Some(*it) == text);
    }
    texts
        .into_iter()
        .filter_map(|(number, text)| Some((number, profile.strings.get(profile.resources[number]), text?)))
}

/// Finds the resources that are paths below the workspace: no vote is needed for them. What has no file there may have been moved, or
/// was made in another folder.
fn locate_sources(
    profile: &Profile,
    located: &mut [Located],
    files: &dyn Files,
    settings: &LoadSettings<'_>,
) {
    let sources = scripts_of_resources(profile).filter(|(_, script)| script.is_source);
    for index in sources.map(|(resource, _)| resource).collect::<BTreeSet<usize>>() {
        let path = profile.strings.get(profile.resources[index]);
        let is_mapped = matches!(located[index], Located::File { found_by: FoundBy::Path, .. });
        let below = if is_mapped { None } else { locate_below(path, files, settings.locate) };
        if let Some(below) = below {
            located[index] = below;
        }
    }
}

/// The file of a function by its resource, how it was found, and whether the text that ran differs from the file's.
fn file_of(function: &Function, located: &[Located]) -> Result<(FilePath, FoundBy, bool), UnplacedReason> {
    match (function.kind, function.resource) {
        (FunctionKind::GarbageCollector, _) => Err(UnplacedReason::GarbageCollector),
        (FunctionKind::Native, _) => Err(UnplacedReason::Native),
        (FunctionKind::Script, None) => Err(UnplacedReason::NoResource),
        (FunctionKind::Script, Some(resource)) => match &located[resource.0 as usize] {
            Located::File { file, found_by, transformed } => Ok((file.clone(), *found_by, *transformed)),
            Located::Unplaced(reason) => Err(*reason),
        },
    }
}

/// The places to which the producer of the trace itself mapped functions, if they are in the workspace. If a function has
/// several, they are the compiled file and the original; the one that is not the resource is the original.
fn known_places(profile: &Profile, located: &[Located]) -> BTreeMap<FunctionId, (FilePath, Position)> {
    let mut known = BTreeMap::new();
    for (place, located) in profile.known_places.iter().zip(located) {
        let Located::File { file, found_by: FoundBy::Path, .. } = located else { continue };
        let compiled = profile.resource(place.function).is_some_and(|it| it.ends_with(&place.path));
        if !compiled {
            known.entry(place.function).or_insert((file.clone(), place.position));
        }
    }
    known
}
