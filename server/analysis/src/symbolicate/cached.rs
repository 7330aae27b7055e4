//! Places the functions of a text that a runner transformed in memory, if the runner keeps its output in a cache that the
//! user allows to be read.
//!
//! Nothing says which of the cached texts ran, or which version of the file they were made from. So everything must fit:
//! all functions of the trace stand in the cached text where engines place functions, under agreeing names; its source
//! map names the file; and what the map says of these functions holds in a known text of the file. If two cached texts
//! fit, they must say the same. Otherwise neither is used, and functions are found by their order (`transformed`).

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use profile::model::{FunctionId, Position, Profile};
use source::definition::{DefinitionId, DefinitionKind};
use source::language::Language;
use source::map::{FunctionOrigin, OriginPart, Outlined, ReportedFunction, SourceMap, origins_of};
use source::name::names_agree;
use text_size::TextRange;

use super::begins::stands_at;
use super::by_name::{has_name, is_name};
use super::mapped_words::surroundings;
use super::placement::{Confidence, Placement, ScriptFunctions};
use super::source_text::SourceText;
use crate::bars;
use crate::files::{CachedText, FilePath, Files, Runner};
use crate::locate::address::{self, Resource};

/// At most this many cached texts, the newest ones, are compared for a script.
const MAX_TEXTS: usize = 32;
/// Tolerance for file times: the text that ran was made before the trace was written.
const LATE: Duration = Duration::from_secs(2);
/// How much Jest writes before the code on its first line, in addition to saying that the line begins later:
/// `({"Object.<anonymous>":function(module,exports,require,__dirname,__filename,jest){`.
const JEST_WRAPPER: u32 = 82;

/// Finds the functions of a script through the caches; `None` if no cached text certainly ran. `known` are the known texts of the file.
pub(super) fn places_by_cache(
    profile: &Profile,
    file: &FilePath,
    functions: &ScriptFunctions,
    known: Vec<Arc<SourceText>>,
    files: &dyn Files,
    recorded: Option<SystemTime>,
) -> Option<CachedPlaces> {
    let positioned = functions.positions.iter().map(|&(id, position)| {
        let position: Position = position?;
        position.column.map(|_| (id, position))
    });
    let functions: Option<Vec<_>> = positioned.collect();
    let functions = functions?;
    let recorded_path = match address::read(profile.resource(functions.first()?.0)?) {
        Resource::Absolute(addresses) => parts(addresses.first()?.path()),
        _ => return None,
    };
    Search { profile, file, recorded_path, functions, known, recorded }.find(files)
}

/// Where a cached text says that the functions of a script are in its file.
pub(super) struct CachedPlaces {
    pub(super) runner: Runner,
    /// The text of the file that the cached text was made from.
    pub(super) text: Arc<SourceText>,
    pub(super) placements: Vec<Placement>,
}

/// The search for the cached text of one script.
struct Search<'a> {
    profile: &'a Profile,
    file: &'a FilePath,
    /// The parts of the path that the script had where it was recorded.
    recorded_path: Vec<String>,
    /// The functions of the trace, all with a line and a column.
    functions: Vec<(FunctionId, Position)>,
    /// The known texts of the file.
    known: Vec<Arc<SourceText>>,
    /// When the trace was written.
    recorded: Option<SystemTime>,
}

impl<'a> Search<'a> {
    /// Finds what all cached texts that fit agree on.
    fn find(&self, files: &dyn Files) -> Option<CachedPlaces> {
        let mut found: Option<CachedPlaces> = None;
        let mut texts = files.cached_texts(self.file);
        texts.retain(|it| self.recorded.is_none_or(|recorded| it.made <= recorded + LATE));
        for cached in texts.into_iter().take(MAX_TEXTS) {
            let Some(places) = self.places(cached) else { continue };
            match &found {
                Some(other) if !other.agrees(&places) => return None,
                Some(_) => {}
                None => found = Some(places),
            }
        }
        found
    }

    /// The places according to one cached text; `None` if it did not run, or was made from a text that is not known.
    fn places(&self, cached: CachedText) -> Option<CachedPlaces> {
        let map = SourceMap::parse(&cached.map).ok()?;
        let source = self.source(&map)?;
        let text = SourceText::in_language(Language::JavaScript, cached.text).ok()?;
        let stands: Option<Vec<_>> =
            self.functions.iter().map(|it| self.stands(cached.runner, &text, *it)).collect();
        let stands = stands?;
        let is_any_named = self.functions.iter().zip(&stands).any(|((id, _), it)| {
            let definition = it.map(|it| text.outline.get(it.definition));
            is_name(self.profile.name(*id)) && definition.is_some_and(has_name)
        });
        if !is_any_named && stands.iter().flatten().count() < bars::NAMELESS_IN_CACHE {
            return None;
        }
        let reported: Vec<ReportedFunction> = stands.iter().flatten().copied().collect();
        let original = self.original(&map, source, text.outlined(), &reported)?;
        let origins =
            origins_of(&map, text.outlined(), &reported, |it| (it == source).then(|| original.outlined()));
        let mut origins = origins.into_iter();
        let placements = self.functions.iter().zip(&stands).map(|(&(function, _), it)| {
            if it.is_none() {
                let found = Some((DefinitionId(0), Confidence::Exact));
                return Placement { function, reported: None, found };
            };
            let found = origins.next().and_then(FunctionOrigin::definition).map(|it| match it.part {
                OriginPart::Header => (it.definition, Confidence::Exact),
                OriginPart::Line | OriginPart::Body => (it.definition, Confidence::Snapped),
            });
            // If the file itself was generated, its own source map is asked for these.
            let reported = found.map(|(definition, _)| {
                let it = original.outline.get(definition);
                let is_top_level = it.kind == DefinitionKind::TopLevel;
                let at = if is_top_level { it.anchor() } else { it.header.start() };
                ReportedFunction { definition, at }
            });
            Placement { function, reported, found }
        });
        let placements = placements.collect();
        Some(CachedPlaces { runner: cached.runner, text: original, placements })
    }

    /// The only source of a map whose path is that of the script or its end.
    fn source(&self, map: &SourceMap<'_>) -> Option<u32> {
        let named = (0..).zip(&map.sources).filter(|(_, it)| {
            let url = it.url.as_deref().unwrap_or_default();
            let parts = parts(url.strip_prefix("file://").unwrap_or(url));
            !parts.is_empty() && self.recorded_path.ends_with(&parts)
        });
        let mut named = named.map(|it| it.0);
        let (first, None) = (named.next()?, named.next()) else { return None };
        Some(first)
    }

    /// The function that stands at a position of a cached text. `Some(None)` is the code outside of functions, or the
    /// wrapper that the runner or Node put around it.
    fn stands(
        &self,
        runner: Runner,
        text: &SourceText,
        (id, position): (FunctionId, Position),
    ) -> Option<Option<ReportedFunction>> {
        let name = self.profile.name(id);
        let (is_first, is_nameless) = (position.line == 0, matches!(name, "" | "(anonymous)"));
        let start = |column| is_first && is_nameless && position.column == Some(column);
        let is_wrapper = is_first && name == "Object.<anonymous>";
        if is_wrapper || start(0) || runner == Runner::Jest && start(JEST_WRAPPER) {
            return Some(None);
        }
        let reported = Self::function_at(text, name, position).or_else(|| {
            let column = position.column?.checked_sub(2 * JEST_WRAPPER)?;
            let position = Position { column: Some(column), ..position };
            (runner == Runner::Jest && is_first).then(|| Self::function_at(text, name, position)).flatten()
        });
        reported.map(Some)
    }

    fn function_at(text: &SourceText, name: &str, position: Position) -> Option<ReportedFunction> {
        let at = text.offset(position)?;
        let id = text.outline.around(at)?;
        let definition = text.outline.get(id);
        let is_comparable = is_name(name) && has_name(definition);
        let fits = definition.kind != DefinitionKind::TopLevel
            && stands_at(text, definition, at)
            && (!is_comparable || names_agree(name, definition));
        fits.then_some(ReportedFunction { definition: id, at })
    }

    /// The text that a cached text was made from: the one in the map, if it is one of the known texts or the map has the
    /// whole path of the script; otherwise the known text that agrees with the map.
    fn original(
        &self,
        map: &SourceMap<'_>,
        source: u32,
        text: Outlined<'_>,
        reported: &[ReportedFunction],
    ) -> Option<Arc<SourceText>> {
        let Some(content) = map.content(source) else {
            let ranges: Vec<(TextRange, u32)> = reported
                .iter()
                .map(|function| (text.outline.get(function.definition).range, source))
                .collect();
            let all = surroundings(map, text, &ranges);
            let known =
                self.known.iter().find(|known| all.iter().all(|around| around.agrees(known.outlined())));
            return known.cloned();
        };
        let content = content.strip_prefix('\u{feff}').unwrap_or(&content);
        let url = map.sources[source as usize].url.as_deref().unwrap_or_default();
        let is_whole_path = parts(url.strip_prefix("file://").unwrap_or(url)) == self.recorded_path;
        let known = self.known.iter().find(|it| *it.text == *content).cloned();
        known.or_else(|| is_whole_path.then(|| SourceText::in_map(self.file, content.to_owned())).flatten())
    }
}

impl CachedPlaces {
    /// Whether both say the same of every function.
    fn agrees(&self, other: &Self) -> bool {
        let path =
            |places: &Self, it: &Placement| it.found.map(|it| places.text.outline.get(it.0).path.clone());
        let mut pairs = self.placements.iter().zip(&other.placements);
        pairs.all(|(a, b)| path(self, a) == path(other, b))
    }
}

/// The parts of a path; a drive counts as one.
fn parts(path: &str) -> Vec<String> {
    path.split(['/', '\\']).filter(|it| !matches!(*it, "" | ".")).map(String::from).collect()
}
