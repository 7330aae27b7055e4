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
use source::map::{ReportedFunction, SourceMap, source_mapping_url, sources_asked};
use source::text::text_of;

use super::decisions::MapDecision;
use super::executed_text::{ExecutedFunction, ExecutedText, Originals};
use super::find_map::{LooseMaps, MapFound, MapPlace, MapSettings, find_map, find_map_in_trace};
use super::mapped_text::MappedText;
use super::moved_sources::{MapWithSources, MovedSources, locate_moved};
use super::original_texts::MapOf;
use super::settings::LoadSettings;
use crate::files::{FilePath, Files};
use crate::locate::{LocatedSource, MapSources, UnplacedReason, locate_sources};
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
            follow(texts, Context { files, loose, maps, recorded: settings.recorded }, levels)
        }
        None => texts.iter().map(|_| Originals { map: MapDecision::Off, functions: None }).collect(),
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
fn map_of(executed: &ExecutedText<'_>, context: Context<'_>) -> MapFound {
    let is_chosen = executed.file.as_ref().is_some_and(|it| context.maps.locate.maps.contains_key(it));
    match (&executed.file, executed.traced.and_then(|it| it.script.map.as_deref())) {
        _ if executed.traced.is_some_and(|it| it.script.is_source) => MapFound::NotGenerated,
        (_, Some(map)) if !is_chosen => {
            MapFound::Text { at: MapPlace::Trace, text: map.to_owned(), stale: false }
        }
        (Some(file), _) => find_map(file, &executed.text.text, context.loose, &context.maps),
        (None, _) => find_map_in_trace(&executed.text.text),
    }
}

/// Whether a map is that of the text that ran: one on the disk is that of the text on the disk.
fn map_is_of(executed: &ExecutedText<'_>, at: &MapPlace, context: Context<'_>) -> MapOf {
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
    let found: Vec<MapFound> = texts.iter().map(|it| map_of(it, context)).collect();
    let mut parsed = Vec::new();
    let mut answers: Vec<Option<Originals>> = Vec::new();
    for (index, (executed, found)) in texts.iter().zip(&found).enumerate() {
        let (map, is_lost) = match found {
            MapFound::NotGenerated => (MapDecision::NotGenerated, false),
            // Without a file, the functions have nowhere to stay.
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
        let functions =
            is_lost.then(|| vec![Err(UnplacedReason::MapBroken.into()); executed.functions.len()]);
        answers.push(Some(Originals { map, functions }));
    }

    let mut located = locate_all(texts, &parsed, context);
    let moved = locate_all_moved(texts, &parsed, &mut located, context);
    let mapped: Vec<MappedText<'_>> = (parsed.iter().zip(located).zip(moved))
        .map(|(((index, at, stale, map), sources), moved)| {
            let executed = &texts[*index];
            let (path, url) = (executed.map_path(at), executed.map_url());
            let map_of = map_is_of(executed, at, context);
            MappedText { executed, at, stale: *stale, map, map_of, path, url, sources, moved }
        })
        .collect();
    let (files, recorded) = (context.files, context.recorded);
    let originals = on_all_cores(&mapped, |mapped| mapped.originals(files, recorded));
    for ((index, ..), originals) in parsed.iter().zip(originals) {
        answers[*index] = Some(originals);
    }
    let mut answers: Vec<Originals> = answers.into_iter().flatten().collect();
    if levels > 1 {
        follow_chain(&mut answers, context, levels - 1);
    }
    answers
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

/// Finds the sources that lie elsewhere today, and updates `located`; one answer per map.
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

/// The sources of a map to be located, by index and in order; see [`MAX_LOCATED`].
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
