//! Finds the originals of the functions of one generated text whose map and sources were found.

use std::sync::Arc;
use std::time::SystemTime;

use profile::model::Position;
use rustc_hash::FxHashMap;
use source::map::{FunctionOrigin, OriginPart, SourceMap, origins_of};

use super::decisions::{FollowedMap, MapDecision};
use super::executed_text::{ExecutedText, NoOriginal, OriginalFunction, Originals};
use super::mapped_text::MappedText;
use super::original_lines::{MappedFunction, original_places};
use super::original_texts::{ConfirmedOrigin, OriginalTexts};
use super::placement::Confidence;
use crate::files::Files;
use crate::locate::{LocatedSource, UnplacedReason, depends};
use crate::package::is_of_tool;

impl MappedText<'_> {
    /// The originals of its functions in the sources as they are now, or as they were when the trace was recorded.
    pub(super) fn originals(&self, files: &dyn Files, recorded: Option<SystemTime>) -> Originals {
        let unshipped = is_unshipped(self.executed, &self.sources, files);
        let moved = self
            .moved
            .iter()
            .map(|(&source, to)| (self.name(source).unwrap_or_default().to_owned(), to.file.clone()));
        let followed = FollowedMap {
            at: self.at.clone(),
            stale: self.stale,
            sources: self.map.sources.len(),
            not_found: not_found(&self.map, &self.sources),
            moved: moved.collect(),
            unshipped,
            of_sources: Vec::new(),
        };
        let functions = (!unshipped).then(|| self.original_functions(files, recorded));
        Originals { map: MapDecision::Followed(followed), functions }
    }

    fn original_functions(
        &self,
        files: &dyn Files,
        recorded: Option<SystemTime>,
    ) -> Vec<Result<OriginalFunction, NoOriginal>> {
        let MappedText { executed, map, sources, moved, .. } = self;
        let functions = self.functions();
        let generated = executed.text.outlined();
        let at = |recorded| OriginalTexts::new(self, files, recorded);
        let placed = |texts: &OriginalTexts<'_>| {
            let origins = origins_of(map, generated, &functions, |source| {
                texts.get(source).map(|text| text.outlined())
            });
            texts.confirmed(generated, &functions, &origins)
        };
        let mut texts = at(None);
        let mut origins = placed(&texts);
        // If the map holds no texts, the files as of the recording are used, unless they fit worse.
        let then = at(recorded);
        if then.differ() {
            let origins_then = placed(&then);
            if confirmed(&origins_then) >= confirmed(&origins) {
                (texts, origins) = (then, origins_then);
            }
        }
        let seen = places_seen(map, executed, &origins, &texts);
        let lonely = shared_reason(sources);
        // Cached, as thousands of functions may come from one source.
        let mut lost: FxHashMap<u32, NoOriginal> = FxHashMap::default();
        let mut why =
            |source| lost.entry(source).or_insert_with(|| self.not_of_workspace(source, files)).clone();
        // What the map does not cover comes from its only source too.
        let lonely = match (lonely, &sources[..]) {
            (Some(_), [_]) => Some(why(0)),
            (None, [_]) if map.is_without_mappings() => {
                let source = self.path_of(0, files).map(|path| path.as_str().into());
                Some(NoOriginal { reason: UnplacedReason::OutsideMap, source })
            }
            (reason, _) => reason.map(NoOriginal::from),
        };
        let uncovered = |reason: UnplacedReason| lonely.clone().unwrap_or_else(|| reason.into());
        let answers = executed.functions.iter().zip(origins).zip(seen).map(|((function, origin), seen)| {
            let (placing, confidence) = match origin {
                ConfirmedOrigin::AsMapped(origin) => match origin {
                    FunctionOrigin::Definition(placing) if placing.part == OriginPart::Header => {
                        (placing, function.confidence)
                    }
                    FunctionOrigin::Definition(placing) => {
                        (placing, function.confidence.max(Confidence::Snapped))
                    }
                    FunctionOrigin::Source(source) => return Err(why(source)),
                    FunctionOrigin::Compiler => return Err(uncovered(UnplacedReason::Compiler)),
                    FunctionOrigin::Unknown => return Err(uncovered(UnplacedReason::OutsideMap)),
                },
                ConfirmedOrigin::Moved(placing) => (placing, function.confidence.max(Confidence::Snapped)),
                ConfirmedOrigin::Name(placing) => (placing, Confidence::Name),
                ConfirmedOrigin::OtherText => return Err(UnplacedReason::OtherText.into()),
            };
            match (&sources[placing.source as usize], texts.get(placing.source)) {
                (Some(LocatedSource::File { file, .. }), Some(text)) => {
                    let (file, text) = (file.clone(), Arc::clone(text));
                    let (definition, moved) = (placing.definition, moved.contains_key(&placing.source));
                    Ok(OriginalFunction { file, text, definition, confidence, moved, seen })
                }
                _ => Err(why(placing.source)),
            }
        });
        answers.collect()
    }

    /// Why a function of a source has no original. For a dependency and for a file that is not there, it also says which file
    /// that is.
    fn not_of_workspace(&self, source: u32, files: &dyn Files) -> NoOriginal {
        let reason = reason(&self.sources[source as usize]).unwrap_or(UnplacedReason::NoDefinition);
        match self.name(source) {
            Some(name) if matches!(reason, UnplacedReason::Dependency | UnplacedReason::NotInWorkspace) => {
                let inside = self.path_of(source, files).map(|path| path.as_str().to_owned());
                let path = inside.or_else(|| self.path_outside(name)).unwrap_or_else(|| name.to_owned());
                NoOriginal { reason, source: Some(path.into()) }
            }
            _ => reason.into(),
        }
    }
}

/// Whether this is a file of a dependency that came without any of its sources. All there is to show is what ran. The
/// sources of a file that was built from this workspace, in contrast, are somewhere, wherever the tool put that file.
fn is_unshipped(executed: &ExecutedText<'_>, sources: &[Option<LocatedSource>], files: &dyn Files) -> bool {
    executed.file.as_ref().is_some_and(|it| depends(it, files.folders()) && !is_of_tool(it.as_str()))
        && sources.iter().flatten().all(|it| it.file().is_none())
}

/// The names of sources that may be in the workspace but are not found there.
fn not_found(map: &SourceMap<'_>, sources: &[Option<LocatedSource>]) -> Vec<String> {
    use UnplacedReason::{Ambiguous, NotInWorkspace};
    let lost = (map.sources.iter().zip(sources))
        .filter(|(_, it)| matches!(it, Some(LocatedSource::Unplaced(NotInWorkspace | Ambiguous))));
    lost.filter_map(|(source, _)| source.url.clone()).collect()
}

/// How many functions are where the map says.
fn confirmed(origins: &[ConfirmedOrigin]) -> usize {
    origins.iter().filter(|origin| origin.as_mapped().is_some()).count()
}

/// Where functions were seen running in their original texts; one answer per function.
fn places_seen(
    map: &SourceMap<'_>,
    executed: &ExecutedText<'_>,
    origins: &[ConfirmedOrigin],
    texts: &OriginalTexts<'_>,
) -> Vec<Vec<Option<Position>>> {
    let mut places = vec![Vec::new(); origins.len()];
    let (mut asked, mut functions) = (Vec::new(), Vec::new());
    for (index, (function, origin)) in executed.functions.iter().zip(origins).enumerate() {
        // Places in another version of the text are on unknown lines.
        let Some(placing) = origin.as_mapped() else { continue };
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

/// Why no source of a map is in the workspace, if the reason is the same for all: then it also holds for functions that
/// the map does not cover.
fn shared_reason(sources: &[Option<LocatedSource>]) -> Option<UnplacedReason> {
    let mut reasons = sources.iter().map(reason);
    let first = reasons.next()??;
    reasons.all(|it| it == Some(first)).then_some(first)
}

/// The reason why a source is not in the workspace, if it is not.
fn reason(source: &Option<LocatedSource>) -> Option<UnplacedReason> {
    match source {
        Some(LocatedSource::File { .. }) => None,
        Some(LocatedSource::Unplaced(reason)) => Some(*reason),
        None => Some(UnplacedReason::NotInWorkspace),
    }
}
