//! Finds the original definitions of functions of generated files, through source maps.
//!
//! A source may be generated itself: TypeScript is compiled to JavaScript, which is then bundled. Then the map of the
//! source is followed too, at most four levels deep. The maps of one level are handled together, because their sources
//! are located together.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::SystemTime;

use source::definition::DefinitionKind;
use source::language::Language;
use source::large_stack::on_all_cores;
use source::map::{ReportedFunction, SourceMap, debug_id, source_mapping_url};
use source::text::text_of;

use super::decisions::{MapDecision, MapPlace};
use super::executed_text::{ExecutedFunction, ExecutedText, NoOriginal, OriginalFunction, Originals};
use super::find_map::{LooseMaps, MapSettings, MapText, find_map, find_map_in_trace};
use super::mapped_text::{MapOf, MappedText};
use super::moved_sources::locate_moved;
use super::settings::LoadSettings;
use crate::files::{FilePath, Files};
use crate::locate::{MapSources, UnplacedReason, depends, locate_sources};
use crate::package::is_of_tool;
use crate::rules::Rule;

/// TypeScript, the output of a tool, a bundle, a minified bundle: more levels have not been seen.
const MAX_LEVELS: usize = 4;

/// If a map has at most this many sources, all are located. Of a larger map, only the sources that functions come from
/// are located, plus about this many others, which help to find the root of the build.
const MAX_LOCATED: usize = 20_000;

/// Follows the maps of texts; one answer per text.
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
            let mut answers =
                follow(texts, Context { files, loose, maps, recorded: settings.recorded }, levels);
            if !settings.locate.dependencies {
                leave_out_tools(&mut answers, files.folders());
            }
            answers
        }
        None => texts.iter().map(|_| Originals { map: MapDecision::Off, functions: None }).collect(),
    }
}

/// Leaves out functions whose originals are in what a tool made below `node_modules`, as no map leads further.
fn leave_out_tools(answers: &mut [Originals], folders: &[FilePath]) {
    for function in answers.iter_mut().flat_map(|it| it.functions.iter_mut().flatten()) {
        if let Ok(OriginalFunction { file, .. }) = function
            && is_of_tool(file.as_str())
            && depends(file, folders)
        {
            let source = Some(file.as_str().into());
            *function = Err(NoOriginal { reason: UnplacedReason::Dependency, source });
        }
    }
}

/// What is needed to find maps and sources.
#[derive(Clone, Copy)]
struct Context<'a> {
    files: &'a dyn Files,
    loose: &'a LooseMaps<'a>,
    maps: MapSettings<'a>,
    recorded: Option<SystemTime>,
}

/// The map of a text. A map in the trace belongs to the text that ran; only a map that the user chose takes precedence.
///
/// # Errors
/// Why there is none.
fn map_of(executed: &ExecutedText<'_>, context: Context<'_>) -> Result<MapText, MapDecision> {
    let is_chosen = executed.file.as_ref().is_some_and(|it| context.maps.locate.maps.contains_key(it));
    match (&executed.file, executed.traced.and_then(|it| it.script.map.as_deref())) {
        _ if executed.traced.is_some_and(|it| it.script.is_source) => Err(MapDecision::NotGenerated),
        (_, Some(map)) if !is_chosen => {
            Ok(MapText { at: MapPlace::Trace, text: map.to_owned(), stale: false })
        }
        (Some(file), _) => find_map(file, &executed.text.text, context.loose, &context.maps),
        (None, _) => find_map_in_trace(&executed.text.text),
    }
}

/// Whether a map is that of the text that ran: one on the disk is that of the text on the disk, if that text names a map at all.
fn map_is_of(executed: &ExecutedText<'_>, at: &MapPlace, context: Context<'_>) -> MapOf {
    let is_chosen = executed.file.as_ref().is_some_and(|it| context.maps.locate.maps.contains_key(it));
    match map_is_of_file(executed, at, context) {
        // A build without maps leaves that of an earlier build where it was.
        MapOf::Ran if matches!(at, MapPlace::File(_)) && !is_chosen && !names_map(executed) => {
            MapOf::PerhapsOfFile
        }
        other => other,
    }
}

fn names_map(executed: &ExecutedText<'_>) -> bool {
    let text = &executed.text.text;
    source_mapping_url(text).is_some() || debug_id(text).is_some()
}

fn map_is_of_file(executed: &ExecutedText<'_>, at: &MapPlace, context: Context<'_>) -> MapOf {
    let chosen = &context.maps.locate.maps;
    let (Some(traced), Some(file)) = (executed.traced, &executed.file) else {
        let is_beside = executed.traced.is_some_and(|it| it.script.map.is_some());
        return if is_beside { MapOf::PerhapsRan } else { MapOf::Ran };
    };
    match at {
        _ if chosen.contains_key(file) => MapOf::Ran,
        MapPlace::Trace => MapOf::PerhapsRan,
        MapPlace::File(_) if traced.script.text.is_some() => {
            let today = context.files.read(file).map(|bytes| text_of(&bytes)).unwrap_or_default();
            let (today, ran) = (without_map_url(&today), without_map_url(&executed.text.text));
            let is_page = Language::of_path(file.as_str()).is_some_and(Language::is_markup);
            // Servers put code of their own behind a text.
            let is_same = if is_page { today.contains(ran) } else { ran.starts_with(today) };
            if is_same { MapOf::Ran } else { MapOf::Another }
        }
        MapPlace::File(_) | MapPlace::Inline => MapOf::Ran,
    }
}

/// A text up to the comment that names its map, which servers change.
fn without_map_url(text: &str) -> &str {
    let end = source_mapping_url(text).and_then(|url| text.rfind(url)).unwrap_or(text.len());
    let code = text[..end].rfind("//").filter(|_| end < text.len()).map_or(text, |start| &text[..start]);
    code.trim_end()
}

/// Follows the map of each text, and those of its sources, at most `levels` deep.
fn follow(texts: &[ExecutedText<'_>], context: Context<'_>, levels: usize) -> Vec<Originals> {
    let found: Vec<Result<MapText, MapDecision>> = texts.iter().map(|it| map_of(it, context)).collect();
    let mut mapped = Vec::new();
    let mut answers: Vec<Option<Originals>> = Vec::new();
    for (executed, found) in texts.iter().zip(&found) {
        let map = match found {
            Ok(MapText { at, text, stale }) => match SourceMap::parse(text) {
                Ok(map) => {
                    let map_of = map_is_of(executed, at, context);
                    mapped.push(MappedText::new(executed, (at, *stale), (map, map_of)));
                    answers.push(None);
                    continue;
                }
                Err(error) => MapDecision::Broken { at: at.clone(), reason: error.to_string() },
            },
            Err(decision) => decision.clone(),
        };
        let is_lost = match map {
            MapDecision::Broken { .. } => true,
            MapDecision::NotGenerated => false,
            // Without a file, the functions have nowhere to stay.
            _ => executed.file.is_none(),
        };
        let functions =
            is_lost.then(|| vec![Err(UnplacedReason::MapBroken.into()); executed.functions.len()]);
        answers.push(Some(Originals { map, functions }));
    }

    let (files, recorded) = (context.files, context.recorded);
    locate_all(&mut mapped, context);
    if context.maps.locate.rules.has(Rule::MovedSource) {
        locate_moved(&mut mapped, files, recorded);
    }
    let mut originals = on_all_cores(&mapped, |it| it.originals(files, recorded)).into_iter();
    let answers = answers.into_iter().map(|known| known.or_else(|| originals.next()));
    let mut answers: Vec<Originals> = answers.flatten().collect();
    if levels > 1 {
        follow_chain(&mut answers, context, levels - 1);
    }
    answers
}

/// Locates the sources of all maps that are wanted.
fn locate_all(mapped: &mut [MappedText<'_>], context: Context<'_>) {
    let wanted: Vec<Vec<u32>> = mapped.iter().map(|it| sources_wanted(it, MAX_LOCATED)).collect();
    let contents: Vec<_> = mapped
        .iter()
        .zip(&wanted)
        .map(|(it, wanted)| move |at: usize| -> Option<Cow<'_, str>> { it.map.content(wanted[at]) })
        .collect();
    let maps = mapped.iter().zip(&wanted).zip(&contents).map(|((it, wanted), content)| MapSources {
        map: it.path.clone(),
        is_output: !it.executed.is_made_on_the_way(context.files),
        url: it.url.as_deref(),
        sources: wanted.iter().map(|&source| it.name(source)).collect(),
        content,
    });
    let maps: Vec<MapSources<'_>> = maps.collect();
    let located = locate_sources(&maps, context.files, context.maps.locate);
    for ((it, wanted), located) in mapped.iter_mut().zip(wanted).zip(located) {
        wanted.into_iter().zip(located).for_each(|(at, source)| it.sources[at as usize] = Some(source));
    }
}

/// The sources of a map to be located, by index and in order; see [`MAX_LOCATED`].
fn sources_wanted(mapped: &MappedText<'_>, most: usize) -> Vec<u32> {
    let all = 0..mapped.sources.len() as u32;
    if all.len() <= most {
        return all.collect();
    }
    let mut wanted = mapped.sources_asked();
    wanted.extend(all.step_by(mapped.sources.len().div_ceil(most)));
    wanted.into_iter().collect()
}

/// Follows the maps of originals that are generated themselves, and replaces these by their own originals.
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
