//! What became of each script of a trace, for people who miss something: which workspace file it is, which source map
//! that has, where its functions were placed, and why others were not.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use profile::{Amount, FunctionId, OffStack, Profile, Unit};
use source::map::SourceMap;

use crate::locate::{Certainty, Located, locate};
use crate::locate::{LocatedSource, MapSources, locate_sources};
use crate::symbolicate::LoadSettings;
use crate::symbolicate::{MapFound, MapPlace, MapSettings, Refusal, map_of};
use crate::symbolicate::{Place, Symbols};
use crate::{FilePath, Files, UnplacedReason};

/// The examination of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Examination {
    /// What the trace measured.
    pub unit: Unit,
    /// All time but idle time and samples without a stack.
    pub active: Amount,
    /// Its scripts, those that cost most first.
    pub scripts: Vec<Script>,
    /// Functions without a script, by reason.
    pub without_script: Vec<NotPlaced>,
}

/// A script that the trace names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// Exactly as in the trace.
    pub resource: String,
    /// Own time of its functions.
    pub time: Amount,
    /// Number of its functions.
    pub functions: usize,
    /// Which file it is.
    pub file: WhichFile,
    /// Which source map it has; `None` where there is neither a file nor a map in the trace.
    pub map: Option<WhichMap>,
    /// Where its functions were placed, the files with most of them first.
    pub placed: Vec<(FilePath, usize)>,
    /// The others, those that cost most first.
    pub not_placed: Vec<NotPlaced>,
}

/// Functions that were not placed for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotPlaced {
    /// The reason.
    pub why: UnplacedReason,
    /// How many.
    pub functions: usize,
    /// Their own time.
    pub time: Amount,
}

/// Which workspace file a script is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhichFile {
    /// This one.
    File {
        /// As [`Files::resolve`] gives it.
        file: FilePath,
        /// How it was found.
        certainty: Certainty,
        /// Whether another text than that of the file ran, as development servers compile what they send.
        transformed: bool,
    },
    /// None, or none for sure.
    None {
        /// Why.
        why: UnplacedReason,
        /// Workspace files of the same name.
        namesakes: Vec<FilePath>,
    },
}

/// Which source map a file has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhichMap {
    /// It needs none: nothing says that it was generated.
    NotGenerated,
    /// The settings want none to be read.
    Off,
    /// The one that the trace holds, of the very text that ran.
    InTrace,
    /// This one.
    Read {
        /// Where.
        at: MapPlace,
        /// Whether it is of another build, as debug ids tell.
        stale: bool,
        /// How many sources it names.
        sources: usize,
        /// Those that ought to be in the workspace and were not found.
        not_found: Vec<String>,
    },
    /// It cannot be read.
    Broken {
        /// Where.
        at: MapPlace,
        /// What is wrong.
        reason: String,
    },
    /// It is not there.
    Missing {
        /// The path or url at which it ought to be.
        wanted: String,
    },
    /// It must not or cannot be read.
    Refused {
        /// Its path or url.
        wanted: String,
        /// Why not.
        why: Refusal,
    },
}

/// Examines how a profile was placed; with the same files and settings as [`crate::symbolicate`].
pub fn examine(
    profile: &Profile,
    symbols: &Symbols,
    files: &dyn Files,
    settings: &LoadSettings<'_>,
) -> Examination {
    let own = own_times(profile);
    let resources = profile.resources.iter().map(|&it| profile.strings.get(it));
    let known = profile.known_places.iter().map(|it| it.path.as_str());
    let urls: Vec<&str> = resources.clone().chain(known).collect();
    let mut located = locate(&urls, files, settings.locate);
    located.truncate(profile.resources.len());
    let maps = maps(&located, files, settings);

    let mut functions: Vec<Vec<FunctionId>> = vec![Vec::new(); profile.resources.len()];
    let mut homeless = Vec::new();
    for (id, function) in (0..).map(FunctionId).zip(&profile.functions) {
        match function.resource {
            Some(resource) => functions[resource.0 as usize].push(id),
            None => homeless.push(id),
        }
    }
    let scripts = resources.zip(located).zip(&functions).map(|((resource, located), functions)| {
        let (file, map) = match located {
            Located::File { file, certainty, transformed } => {
                let map = maps.get(&file).cloned();
                (WhichFile::File { file, certainty, transformed }, map)
            }
            Located::Unplaced(why) => {
                (WhichFile::None { why, namesakes: namesakes(resource, why, files) }, None)
            }
        };
        let map = if symbols.traced_maps.contains(resource) { Some(WhichMap::InTrace) } else { map };
        Script {
            resource: resource.to_owned(),
            time: functions.iter().map(|it| own[it.0 as usize]).sum(),
            functions: functions.len(),
            file,
            map,
            placed: placed(functions, symbols),
            not_placed: not_placed(functions, symbols, &own),
        }
    });
    let mut scripts: Vec<Script> = scripts.filter(|it| it.functions > 0).collect();
    scripts.sort_by(|a, b| b.time.cmp(&a.time).then_with(|| a.resource.cmp(&b.resource)));
    let without_script = not_placed(&homeless, symbols, &own);
    Examination { unit: profile.unit, active: active(profile), scripts, without_script }
}

/// By function.
fn own_times(profile: &Profile) -> Vec<Amount> {
    let mut own = vec![Amount(0); profile.functions.len()];
    for &(stack, spent) in profile.measured().flat_map(|it| &it.on_stack) {
        own[profile.stacks.function[stack.0 as usize].0 as usize] += spent.time;
    }
    own
}

fn active(profile: &Profile) -> Amount {
    let on_stack = profile.measured().flat_map(|it| &it.on_stack).map(|it| it.1.time);
    let off_stack = profile.measured().flat_map(|it| &it.off_stack);
    let off_stack = off_stack.filter(|it| !matches!(it.0, OffStack::Idle | OffStack::NoStack));
    on_stack.chain(off_stack.map(|it| it.1.time)).sum()
}

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

fn not_placed(functions: &[FunctionId], symbols: &Symbols, own: &[Amount]) -> Vec<NotPlaced> {
    let mut reasons: BTreeMap<UnplacedReason, (usize, Amount)> = BTreeMap::new();
    for function in functions {
        if let Place::Unplaced(why) = symbols.places[function.0 as usize] {
            let (count, time) = reasons.entry(why).or_default();
            *count += 1;
            *time += own[function.0 as usize];
        }
    }
    let all = reasons.into_iter().map(|(why, (functions, time))| NotPlaced { why, functions, time });
    let mut all: Vec<_> = all.collect();
    all.sort_by_key(|it| std::cmp::Reverse(it.time));
    all
}

/// Files of the workspace that have the name of a script which none of them is for sure.
fn namesakes(resource: &str, why: UnplacedReason, files: &dyn Files) -> Vec<FilePath> {
    if !matches!(why, UnplacedReason::NotInWorkspace | UnplacedReason::Ambiguous) {
        return Vec::new();
    }
    let path = resource.split(['?', '#']).next().unwrap_or(resource);
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    files.list().iter().filter(|it| it.name() == name).cloned().collect()
}

/// The maps of all files; what they name is located together.
fn maps(located: &[Located], files: &dyn Files, settings: &LoadSettings<'_>) -> BTreeMap<FilePath, WhichMap> {
    let all: BTreeSet<&FilePath> = located
        .iter()
        .filter_map(|it| if let Located::File { file, .. } = it { Some(file) } else { None })
        .collect();
    let Some(allowed) = settings.maps else {
        return all.into_iter().map(|file| (file.clone(), WhichMap::Off)).collect();
    };
    let map_settings = MapSettings { allowed, locate: settings.locate };
    let found = |file: &FilePath| {
        let text = source::text_of(&files.read(file)?);
        Some(map_of(file, &text, files, &map_settings))
    };
    let all: Vec<(&FilePath, MapFound)> =
        all.into_iter().filter_map(|file| Some((file, found(file)?))).collect();
    let parsed: Vec<_> = all
        .iter()
        .filter_map(|(file, found)| {
            let MapFound::Text { at, text, stale } = found else { return None };
            Some((*file, at, *stale, SourceMap::parse(text).map(|it| it.0)))
        })
        .collect();
    let good: Vec<_> = parsed
        .iter()
        .filter_map(|(file, at, stale, map)| Some((*file, *at, *stale, map.as_ref().ok()?)))
        .collect();
    let contents: Vec<_> = good
        .iter()
        .map(|(.., map)| move |index: usize| -> Option<Cow<'_, str>> { map.content(index as u32) })
        .collect();
    let sources: Vec<MapSources<'_>> = good
        .iter()
        .zip(&contents)
        .map(|((file, at, _, map), content)| MapSources {
            map: if let MapPlace::File(at) = at { at.clone() } else { (*file).clone() },
            url: None,
            sources: map.sources.iter().map(|it| it.url.as_deref()).collect(),
            content,
        })
        .collect();

    let mut maps: BTreeMap<FilePath, WhichMap> = BTreeMap::new();
    for ((file, at, stale, map), located) in good.iter().zip(locate_sources(&sources, files, settings.locate))
    {
        let is_lost = |it: &LocatedSource| {
            matches!(it, LocatedSource::Unplaced(UnplacedReason::NotInWorkspace | UnplacedReason::Ambiguous))
        };
        let names = map.sources.iter().zip(&located).filter(|(_, located)| is_lost(located));
        let not_found = names.filter_map(|(source, _)| source.url.clone()).collect();
        let read = WhichMap::Read { at: (*at).clone(), stale: *stale, sources: map.sources.len(), not_found };
        maps.insert((*file).clone(), read);
    }
    for (file, at, _, map) in &parsed {
        if let Err(error) = map {
            maps.insert((*file).clone(), WhichMap::Broken { at: (*at).clone(), reason: error.to_string() });
        }
    }
    for (file, found) in &all {
        let which = match found {
            MapFound::NotGenerated => WhichMap::NotGenerated,
            MapFound::Missing { wanted } => WhichMap::Missing { wanted: wanted.clone() },
            MapFound::Refused { wanted, why } => WhichMap::Refused { wanted: wanted.clone(), why: *why },
            MapFound::Text { .. } => continue,
        };
        maps.insert((*file).clone(), which);
    }
    maps
}
