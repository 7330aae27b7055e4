//! From functions of generated files to their original definitions, through source maps.
//!
//! A source may be generated itself: TypeScript is compiled to JavaScript, and that is bundled. Then the map of the source
//! is followed too, at most four levels deep. The maps of one level are handled together, as their sources are located
//! together.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::SystemTime;

use profile::model::Script;
use source::definition::{DefinitionId, DefinitionKind};
use source::map::{OriginPart, ReportedFunction, SourceMap, origins_of, source_mapping_url, sources_asked};
use source::text::text_of;

use super::decisions::{FollowedMap, MapDecision};
use super::find_map::{LooseMaps, MapFound, MapPlace, MapSettings, find_map, find_map_in_trace};
use super::moved_sources::{MapWithSources, MovedSources, locate_moved, path_of_source};
use super::original_lines::{MappedFunction, SeenAt, original_places};
use super::original_texts::{ConfirmedOrigin, OriginalTexts};
use super::placement::Confidence;
use super::settings::LoadSettings;
use super::source_text::SourceText;
use crate::files::{FilePath, Files};
use crate::locate::{LocatedSource, MapSources, UnplacedReason, address, depends, locate_sources};
use crate::rules::Rule;

/// TypeScript, the output of a tool, a bundle, a minified bundle: more levels have not been seen.
const MAX_LEVELS: usize = 4;

/// If a map has at most this many sources, all are located. Of a map with more, those are located from which functions
/// come, plus about this many others, which help to find the root of the build.
const MAX_LOCATED: usize = 20_000;

/// A text that may be generated, with the functions whose originals are wanted.
#[derive(Clone, Debug)]
pub(super) struct ExecutedText<'a> {
    /// The file; `None` for a text that only the trace holds.
    pub(super) file: Option<FilePath>,
    pub(super) text: Arc<SourceText>,
    /// What the trace holds of the script.
    pub(super) traced: Option<Traced<'a>>,
    pub(super) functions: Vec<ExecutedFunction>,
}

/// A function at an offset of a text, and how certain that place is.
#[derive(Clone, Debug)]
pub(super) struct ExecutedFunction {
    pub(super) reported: ReportedFunction,
    pub(super) confidence: Confidence,
    /// Where it was seen running in this text; `None` for places that are not known any more.
    pub(super) seen: Vec<Option<SeenAt>>,
}

/// A script in a trace.
#[derive(Clone, Copy, Debug)]
pub(super) struct Traced<'a> {
    /// The resource of the script.
    pub(super) url: &'a str,
    pub(super) script: &'a Script,
}

/// The original definition of a function.
#[derive(Clone, Debug)]
pub(super) struct OriginalFunction {
    pub(super) file: FilePath,
    /// The text that the map was made from.
    pub(super) text: Arc<SourceText>,
    pub(super) definition: DefinitionId,
    pub(super) confidence: Confidence,
    /// Whether the file was elsewhere when the text was that of the file.
    pub(super) moved: bool,
    /// Where it was seen running in this text, for each place in the text that ran.
    pub(super) seen: Vec<Option<SeenAt>>,
}

/// What became of the map of a text, and with it of its functions.
pub(super) struct Originals {
    pub(super) map: MapDecision,
    /// The original of each function, in order, or why there is none; `None` if functions stay where they are, as the text
    /// is not generated, or its map or its sources are not available.
    pub(super) functions: Option<Vec<Result<OriginalFunction, UnplacedReason>>>,
}

/// Follows the maps of texts; one answer for each text.
pub(super) fn originals(
    texts: &[ExecutedText<'_>],
    files: &dyn Files,
    settings: &LoadSettings<'_>,
) -> Vec<Originals> {
    match settings.maps {
        Some(allowed) => {
            let maps = MapSettings { allowed, locate: settings.locate };
            let levels = if settings.locate.rules.has(Rule::MapOfSource) { MAX_LEVELS } else { 1 };
            let loose = &LooseMaps::new(files);
            follow(texts, Context { files, loose, maps, recorded: settings.recorded }, levels)
        }
        None => texts.iter().map(|_| Originals { map: MapDecision::Off, functions: None }).collect(),
    }
}

/// What it takes to find maps and sources.
#[derive(Clone, Copy)]
struct Context<'a> {
    files: &'a dyn Files,
    loose: &'a LooseMaps<'a>,
    maps: MapSettings<'a>,
    recorded: Option<SystemTime>,
}

impl ExecutedText<'_> {
    /// The map of the text. One in the trace is that of the text that ran; only a map that the user chose precedes it.
    fn map(&self, context: Context<'_>) -> MapFound {
        let is_chosen = self.file.as_ref().is_some_and(|it| context.maps.locate.maps.contains_key(it));
        match (&self.file, self.traced.and_then(|it| it.script.map.as_deref())) {
            _ if self.traced.is_some_and(|it| it.script.is_source) => MapFound::NotGenerated,
            (_, Some(map)) if !is_chosen => {
                MapFound::Text { at: MapPlace::Trace, text: map.to_owned(), stale: false }
            }
            (Some(file), _) => find_map(file, &self.text.text, context.loose, &context.maps),
            (None, _) => find_map_in_trace(&self.text.text),
        }
    }

    /// Whether it was made from its file on the way from there, as servers of development do: another text ran than that of the
    /// file, which leads to no map by itself.
    fn is_made_on_the_way(&self, files: &dyn Files) -> bool {
        let is_traced = self.traced.is_some_and(|it| it.script.text.is_some());
        let file = self.file.as_ref().filter(|_| is_traced).and_then(|it| files.read(it));
        let written = file.map(|it| text_of(&it));
        written.is_some_and(|it| *it != *self.text.text && source_mapping_url(&it).is_none())
    }

    /// The path that a map in the trace would have as a file: the one that the script names, or else beside the file.
    fn map_beside(&self) -> FilePath {
        let Some(file) = &self.file else { return FilePath::new("/") };
        let folder = file.folder();
        let named = self.traced.and_then(|Traced { url, script }| {
            let map = script.map_url.as_deref()?;
            let relative = map.strip_prefix(&url[..url.rfind('/')? + 1]).unwrap_or(map);
            (address::scheme(relative).is_none() && !relative.starts_with('/')).then_some(relative)
        });
        FilePath::new(&named.map_or_else(|| format!("{file}.map"), |it| format!("{folder}/{it}")))
    }

    /// The path from which the sources of the map count.
    fn map_path(&self, at: &MapPlace) -> FilePath {
        match at {
            MapPlace::File(file) => file.clone(),
            MapPlace::Inline => self.file.clone().unwrap_or_else(|| FilePath::new("/")),
            MapPlace::Trace => self.map_beside(),
        }
    }

    /// The url from which the sources of the map count, if the script is no file of the workspace.
    fn map_url(&self) -> Option<String> {
        let Traced { url, script } = self.traced.filter(|_| self.file.is_none())?;
        let map = script.map_url.as_deref().filter(|it| !it.starts_with("data:"));
        Some(map.map_or_else(|| url.to_owned(), |map| address::join(url, map)))
    }
}

/// Follows the map of each text, and those of its sources, at most `levels` deep.
fn follow(texts: &[ExecutedText<'_>], context: Context<'_>, levels: usize) -> Vec<Originals> {
    let found: Vec<MapFound> = texts.iter().map(|it| it.map(context)).collect();
    let mut parsed = Vec::new();
    let mut answers: Vec<Option<Originals>> = Vec::new();
    for (index, (executed, found)) in texts.iter().zip(&found).enumerate() {
        let (map, is_lost) = match found {
            MapFound::NotGenerated => (MapDecision::NotGenerated, false),
            // Without a file there is nothing where the functions could stay.
            MapFound::Missing { wanted } => {
                (MapDecision::Missing { wanted: wanted.clone() }, executed.file.is_none())
            }
            MapFound::Refused { wanted, refusal } => {
                (MapDecision::Refused { wanted: wanted.clone(), refusal: *refusal }, executed.file.is_none())
            }
            MapFound::Text { at, text, stale } => match SourceMap::parse(text) {
                Ok(map) => {
                    parsed.push((index, at, *stale, map));
                    answers.push(None);
                    continue;
                }
                Err(error) => (MapDecision::Broken { at: at.clone(), reason: error.to_string() }, true),
            },
        };
        let functions = is_lost.then(|| vec![Err(UnplacedReason::MapBroken); executed.functions.len()]);
        answers.push(Some(Originals { map, functions }));
    }

    let mut located = locate_all(texts, &parsed, context);
    let moved = locate_all_moved(texts, &parsed, &mut located, context);
    for (((index, at, stale, map), sources), moved) in parsed.iter().zip(located).zip(moved) {
        let unshipped = is_unshipped(&texts[*index], &sources, context.files);
        let executed = &texts[*index];
        let (path, url) = (executed.map_path(at), executed.map_url());
        let named = |source: u32| {
            let name = map.sources[source as usize].url.as_deref()?;
            path_of_source(name, &path, url.as_deref(), context.files)
        };
        let functions = (!unshipped).then(|| read(map, executed, (&sources, &moved), &named, context));
        let followed = FollowedMap {
            at: (*at).clone(),
            stale: *stale,
            sources: map.sources.len(),
            not_found: not_found(map, &sources),
            moved: moved.into_iter().map(|(source, it)| (name_of(map, source), it.file)).collect(),
            unshipped,
            of_sources: Vec::new(),
        };
        let map = MapDecision::Followed(followed);
        answers[*index] = Some(Originals { map, functions });
    }
    let mut answers: Vec<Originals> = answers.into_iter().flatten().collect();
    if levels > 1 {
        follow_chain(&mut answers, context, levels - 1);
    }
    answers
}

/// Whether it is a file of a dependency that came without any of its sources. What ran is all that there is to show of it, while
/// the sources of a file that was built from this workspace are somewhere.
fn is_unshipped(executed: &ExecutedText<'_>, sources: &[Option<LocatedSource>], files: &dyn Files) -> bool {
    executed.file.as_ref().is_some_and(|it| depends(it, files.folders()))
        && sources.iter().flatten().all(|it| it.file().is_none())
}

/// The names of sources that may be in the workspace and are not found there.
fn not_found(map: &SourceMap<'_>, sources: &[Option<LocatedSource>]) -> Vec<String> {
    use UnplacedReason::{Ambiguous, NotInWorkspace};
    let lost = (map.sources.iter().zip(sources))
        .filter(|(_, it)| matches!(it, Some(LocatedSource::Unplaced(NotInWorkspace | Ambiguous))));
    lost.filter_map(|(source, _)| source.url.clone()).collect()
}

/// Locates the sources of all maps; `None` for those that are not wanted.
fn locate_all(
    texts: &[ExecutedText<'_>],
    parsed: &[(usize, &MapPlace, bool, SourceMap<'_>)],
    context: Context<'_>,
) -> Vec<Vec<Option<LocatedSource>>> {
    let wanted: Vec<Vec<u32>> =
        parsed.iter().map(|(index, _, _, map)| sources_wanted(map, &texts[*index], MAX_LOCATED)).collect();
    let contents: Vec<_> = parsed
        .iter()
        .zip(&wanted)
        .map(|((.., map), wanted)| move |at: usize| -> Option<Cow<'_, str>> { map.content(wanted[at]) })
        .collect();
    let urls: Vec<Option<String>> = texts.iter().map(ExecutedText::map_url).collect();
    let maps: Vec<MapSources<'_>> = parsed
        .iter()
        .zip(&wanted)
        .zip(&contents)
        .map(|(((index, at, _, map), wanted), content)| MapSources {
            map: texts[*index].map_path(at),
            is_output: !texts[*index].is_made_on_the_way(context.files),
            url: urls[*index].as_deref(),
            sources: wanted.iter().map(|&it| map.sources[it as usize].url.as_deref()).collect(),
            content,
        })
        .collect();
    let located = locate_sources(&maps, context.files, context.maps.locate);
    let all = parsed.iter().zip(&wanted).zip(located).map(|(((.., map), wanted), located)| {
        let mut all = vec![None; map.sources.len()];
        wanted.iter().zip(located).for_each(|(&source, located)| all[source as usize] = Some(located));
        all
    });
    all.collect()
}

/// Finds those sources that lie elsewhere today, and changes `located`; one answer for each map.
fn locate_all_moved(
    texts: &[ExecutedText<'_>],
    parsed: &[(usize, &MapPlace, bool, SourceMap<'_>)],
    located: &mut [Vec<Option<LocatedSource>>],
    context: Context<'_>,
) -> Vec<MovedSources> {
    if !context.maps.locate.rules.has(Rule::MovedSource) {
        return located.iter().map(|_| MovedSources::new()).collect();
    }
    let maps = parsed.iter().zip(located).map(|((index, at, _, map), located)| {
        let executed = &texts[*index];
        MapWithSources {
            map,
            path: executed.map_path(at),
            url: executed.map_url(),
            generated: executed.file.clone(),
            located,
            asked: || {
                let functions: Vec<ReportedFunction> =
                    executed.functions.iter().map(|it| it.reported).collect();
                sources_asked(map, executed.text.outlined(), &functions)
            },
        }
    });
    locate_moved(maps.collect(), context.files, context.recorded)
}

/// The name of a source.
fn name_of(map: &SourceMap<'_>, source: u32) -> String {
    map.sources[source as usize].url.clone().unwrap_or_default()
}

/// The sources of a map that are to be located, by index and in order; see [`MAX_LOCATED`].
fn sources_wanted(map: &SourceMap<'_>, executed: &ExecutedText<'_>, most: usize) -> Vec<u32> {
    let all = 0..map.sources.len() as u32;
    if all.len() <= most {
        return all.collect();
    }
    let functions: Vec<ReportedFunction> = executed.functions.iter().map(|it| it.reported).collect();
    let mut wanted = sources_asked(map, executed.text.outlined(), &functions);
    wanted.extend(all.step_by(map.sources.len().div_ceil(most)));
    wanted.into_iter().collect()
}

/// The originals of the functions of one generated text.
fn read(
    map: &SourceMap<'_>,
    executed: &ExecutedText<'_>,
    (sources, moved): (&[Option<LocatedSource>], &MovedSources),
    named: &dyn Fn(u32) -> Option<FilePath>,
    context: Context<'_>,
) -> Vec<Result<OriginalFunction, UnplacedReason>> {
    let functions: Vec<ReportedFunction> = executed.functions.iter().map(|it| it.reported).collect();
    let generated = executed.text.outlined();
    let at = |recorded| OriginalTexts {
        map,
        sources,
        moved,
        named,
        files: context.files,
        recorded,
        read: vec![OnceCell::new(); sources.len()],
    };
    let placed = |texts: &OriginalTexts<'_>| {
        let origins =
            origins_of(map, generated, &functions, |source| texts.get(source).map(|text| text.outlined()));
        texts.confirmed(generated, &functions, &origins)
    };
    let mut texts = at(None);
    let mut origins = placed(&texts);
    // If the map has no texts, those of the files when the trace was recorded are taken, unless they fit worse.
    let then = at(context.recorded);
    if then.differ() {
        let origins_then = placed(&then);
        if confirmed(&origins_then) >= confirmed(&origins) {
            (texts, origins) = (then, origins_then);
        }
    }
    let mut seen = places_seen(map, executed, &origins, &texts).into_iter();
    let lonely = shared_reason(sources);
    let answers = executed.functions.iter().zip(origins).map(|(function, origin)| {
        let seen = seen.next().unwrap_or_default();
        let (placing, confidence) = match origin {
            ConfirmedOrigin::Definition(placing) if placing.part == OriginPart::Header => {
                (placing, function.confidence)
            }
            ConfirmedOrigin::Definition(placing) | ConfirmedOrigin::Moved(placing) => {
                (placing, function.confidence.max(Confidence::Snapped))
            }
            ConfirmedOrigin::Name(placing) => (placing, Confidence::Name),
            ConfirmedOrigin::OtherText => return Err(UnplacedReason::OtherText),
            ConfirmedOrigin::Compiler => return Err(lonely.unwrap_or(UnplacedReason::Compiler)),
            ConfirmedOrigin::Unknown => return Err(lonely.unwrap_or(UnplacedReason::OutsideMap)),
        };
        match (&sources[placing.source as usize], texts.get(placing.source)) {
            (Some(LocatedSource::File { file, .. }), Some(text)) => {
                let (file, text) = (file.clone(), Arc::clone(text));
                let (definition, moved) = (placing.definition, moved.contains_key(&placing.source));
                Ok(OriginalFunction { file, text, definition, confidence, moved, seen })
            }
            (Some(LocatedSource::NoFile(refusal) | LocatedSource::Unplaced(refusal)), _) => Err(*refusal),
            (None, _) => Err(UnplacedReason::NotInWorkspace),
            (Some(LocatedSource::File { .. }), None) => Err(UnplacedReason::NoDefinition),
        }
    });
    answers.collect()
}

/// How many functions are where the map says.
fn confirmed(origins: &[ConfirmedOrigin]) -> usize {
    origins.iter().filter(|origin| matches!(origin, ConfirmedOrigin::Definition(_))).count()
}

/// Where functions were seen running in their original texts, one answer for each function.
fn places_seen(
    map: &SourceMap<'_>,
    executed: &ExecutedText<'_>,
    origins: &[ConfirmedOrigin],
    texts: &OriginalTexts<'_>,
) -> Vec<Vec<Option<SeenAt>>> {
    let mut places = vec![Vec::new(); origins.len()];
    let (mut asked, mut functions) = (Vec::new(), Vec::new());
    for (index, (function, origin)) in executed.functions.iter().zip(origins).enumerate() {
        // Places in another version of the text are on lines that nobody knows.
        let ConfirmedOrigin::Definition(placing) = *origin else { continue };
        if function.seen.is_empty() {
            continue;
        }
        let Some(text) = texts.get(placing.source) else { continue };
        let (generated, original, seen) = (function.reported.definition, text.outlined(), &function.seen);
        asked.push(index);
        functions.push(MappedFunction { generated, placing, original, seen });
    }
    if !functions.is_empty() {
        let found = original_places(map, executed.text.outlined(), &functions);
        asked.into_iter().zip(found).for_each(|(index, found)| places[index] = found);
    }
    places
}

/// The reason why no source of a map is in the workspace, if it is the same for all: then it also holds for functions
/// that the map does not cover.
fn shared_reason(sources: &[Option<LocatedSource>]) -> Option<UnplacedReason> {
    let mut reasons = sources.iter().map(|it| match it {
        Some(LocatedSource::File { .. }) => None,
        Some(LocatedSource::NoFile(reason) | LocatedSource::Unplaced(reason)) => Some(*reason),
        None => Some(UnplacedReason::NotInWorkspace),
    });
    let first = reasons.next()??;
    reasons.all(|it| it == Some(first)).then_some(first)
}

/// Follows the maps of the originals that were generated themselves, and replaces these by their own originals.
fn follow_chain(answers: &mut [Originals], context: Context<'_>, levels: usize) {
    let mut texts: BTreeMap<(FilePath, usize), ExecutedText<'_>> = BTreeMap::new();
    let mut asked_by: BTreeMap<(FilePath, usize), Vec<(usize, usize)>> = BTreeMap::new();
    for (answer, originals) in answers.iter().enumerate() {
        let functions = originals.functions.iter().flatten().enumerate();
        for (place, it) in functions.filter_map(|(place, it)| Some((place, it.as_ref().ok()?))) {
            let key = (it.file.clone(), Arc::as_ptr(&it.text).addr());
            let executed = texts.entry(key.clone()).or_insert_with(|| ExecutedText {
                file: Some(it.file.clone()),
                text: Arc::clone(&it.text),
                traced: None,
                functions: Vec::new(),
            });
            let definition = it.text.outline.get(it.definition);
            let at = match definition.kind {
                DefinitionKind::TopLevel => definition.anchor(),
                _ => definition.header.start(),
            };
            let reported = ReportedFunction { definition: it.definition, at };
            let seen = it.seen.clone();
            executed.functions.push(ExecutedFunction { reported, confidence: it.confidence, seen });
            asked_by.entry(key).or_default().push((answer, place));
        }
    }
    let texts: Vec<ExecutedText<'_>> = texts.into_values().collect();
    if texts.is_empty() {
        return;
    }
    let files = texts.iter().filter_map(|it| it.file.clone());
    let next = files.zip(follow(&texts, context, levels)).zip(asked_by.into_values());
    for ((file, Originals { map, functions }), places) in next {
        let mut askers: Vec<usize> = places.iter().map(|it| it.0).collect();
        askers.dedup();
        for asker in askers.into_iter().filter(|_| map.is_generated()) {
            if let MapDecision::Followed(followed) = &mut answers[asker].map {
                followed.of_sources.push((file.clone(), map.clone()));
            }
        }
        // Without a map of its own, a source counts as written by hand, and its functions stay where they are.
        for (function, (answer, place)) in functions.into_iter().flatten().zip(places) {
            if let Some(functions) = &mut answers[answer].functions {
                functions[place] = function;
            }
        }
    }
}
