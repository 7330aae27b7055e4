//! From a function of the profile to its definition in the workspace: the only file where engine positions
//! become places in a text.
//!
//! A function is found in the text that ran (`placing`), through source maps in the text that was written
//! (`originals`), and from there in the file as it is now (`anchor`).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use profile::{Function, FunctionId, FunctionKind, Position, Profile};
use rustc_hash::FxHashMap;
use source::{DefinitionId, LineCol, OutlineError};

use crate::anchor::{Freshness, anchor};
use crate::locate::{Certainty, LocateSettings, Located, locate};
use crate::measured::{SourceText, Unread};
use crate::originals::{Answer, LoadSettings, LostMap, Traced, Written, originals};
use crate::placing::{self, Confidence};
use crate::ran::{Script, text_that_ran};
use crate::{FilePath, Files, UnplacedReason, component};

/// Where each function of a profile was found.
#[derive(Debug, Default)]
pub struct Symbols {
    /// By `FunctionId`.
    pub places: Vec<Place>,
    /// The definitions that were found, each once.
    pub definitions: Vec<Found>,
    /// Today's text of every file that a function was placed in.
    pub files: BTreeMap<FilePath, Arc<SourceText>>,
    /// The files whose texts ran.
    pub scripts: BTreeMap<FilePath, Origin>,
    /// Resources whose maps the trace holds.
    pub traced_maps: BTreeSet<String>,
    /// Maps that could not be used; their functions stay on the generated file.
    pub lost_maps: Vec<LostMap>,
    /// Files whose texts ran and have no outline.
    pub unread: BTreeMap<FilePath, OutlineError>,
}

/// How a text that ran came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Somebody wrote it as it stands, as far as can be told.
    Written,
    /// It was built from other sources, whether or not its source map could be used.
    Generated,
}

/// The definition that a function was found to be, or why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A definition of a workspace file.
    At {
        /// An index into [`Symbols::definitions`].
        found: u32,
        /// How sure that is.
        confidence: Confidence,
    },
    /// None was found.
    Unplaced(UnplacedReason),
}

/// A measured definition and what became of it.
#[derive(Clone, Debug)]
pub struct Found {
    /// The file, a key of [`Symbols::files`].
    pub file: FilePath,
    /// Its path in the outline of today's text; of the measured text where it is gone.
    pub path: Arc<str>,
    /// Its name, from the same text.
    pub name: Arc<str>,
    /// Where it is in today's text; `None` where it is gone.
    pub definition: Option<DefinitionId>,
    /// What became of it since it was measured.
    pub freshness: Freshness,
    /// [`Definition::code`](source::Definition::code) of what was measured.
    pub code: u64,
    /// Start of its name, or of itself where it has none, as editors count; in the measured text where it is gone.
    pub start: LineCol,
    /// Just behind the last character of its body.
    pub end: LineCol,
    /// Whether today's text is the very text that ran, so that its lines are those of the trace.
    pub as_it_ran: bool,
}

/// Finds the definition of every function of a profile.
pub fn symbolicate(profile: &Profile, files: &dyn Files, settings: &LoadSettings<'_>) -> Symbols {
    let mut places = vec![Place::Unplaced(UnplacedReason::NoResource); profile.functions.len()];
    let mut finder = Finder { files, symbols: Symbols::default(), versions: FxHashMap::default() };
    let mut ran_in = Vec::new();
    for script in scripts(profile, files, settings.locate, &mut places) {
        match text_that_ran(profile, &script, files, settings.recorded) {
            Ok(text) => ran_in.push(text),
            Err((why, Unread(error))) => {
                finder.symbols.unread.extend(script.file.clone().zip(error));
                let ids = script.ran.functions.iter().map(|(id, _)| id.0 as usize);
                ids.for_each(|id| places[id] = Place::Unplaced(why));
            }
        }
    }

    let (texts, placed): (Vec<_>, Vec<_>) = ran_in.into_iter().unzip();
    for ((ran, placed), answer) in texts.iter().zip(placed).zip(originals(&texts, files, settings)) {
        let origin = if let Answer::Written = answer { Origin::Written } else { Origin::Generated };
        finder.symbols.scripts.extend(ran.file.clone().map(|it| (it, origin)));
        if let Answer::Mapped(written) = answer {
            let traced = ran.traced.filter(|it| ran.file.is_none() || it.script.map.is_some());
            finder.symbols.traced_maps.extend(traced.map(|it| it.url.to_owned()));
            placed
                .iter()
                .for_each(|(id, _)| places[id.0 as usize] = Place::Unplaced(UnplacedReason::OutsideMap));
            for (running, written) in ran.functions.iter().zip(written) {
                places[running.function.0 as usize] = match written {
                    Ok(written) => finder.place(&written, false),
                    Err(why) => Place::Unplaced(why),
                };
            }
            continue;
        }
        // Without a map its functions stay where they ran.
        for (id, definition) in placed {
            places[id.0 as usize] = match (definition, ran.file.clone()) {
                (Some((definition, confidence)), Some(file)) => {
                    let text = Arc::clone(&ran.text);
                    finder.place(&Written { file, text, definition, confidence }, true)
                }
                (None, Some(_)) => Place::Unplaced(UnplacedReason::NoDefinition),
                (_, None) => Place::Unplaced(UnplacedReason::NotInWorkspace),
            };
        }
        if let Answer::Lost(lost) = answer {
            finder.symbols.lost_maps.push(lost);
        }
    }
    Symbols { places, ..finder.symbols }
}

/// What ran: files, and texts that only the trace holds. All other functions are unplaced at once.
fn scripts<'a>(
    profile: &'a Profile,
    files: &dyn Files,
    settings: &LocateSettings,
    places: &mut [Place],
) -> Vec<Script<'a>> {
    let urls: Vec<&str> = (profile.resources.iter())
        .map(|&it| profile.strings.get(it))
        .chain(profile.known_places.iter().map(|it| it.path.as_str()))
        .collect();
    let located = locate(&urls, files, settings);
    let (of_resources, of_known) = located.split_at(profile.resources.len());
    let known = known_places(profile, of_known);

    let mut scripts: BTreeMap<(Option<FilePath>, Option<usize>), Script<'a>> = BTreeMap::new();
    for (index, function) in profile.functions.iter().enumerate() {
        let id = FunctionId(index as u32);
        let mut add = |file: Option<FilePath>, traced: Option<usize>, position, guessed, transformed| {
            let script = scripts.entry((file.clone(), traced)).or_insert_with(|| {
                let url = profile.resource(id).unwrap_or_default();
                let traced = traced.map(|it| Traced { url, script: &profile.scripts[it] });
                Script { file, traced, ran: placing::Ran::default() }
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
        match whereabouts(function, of_resources) {
            Ok((file, certainty, transformed)) => {
                let guessed = certainty == Certainty::Suffix;
                add(Some(file), traced, function.defined_at, guessed, transformed);
            }
            Err(why) => {
                places[index] = Place::Unplaced(why);
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
fn whereabouts(
    function: &Function,
    located: &[Located],
) -> Result<(FilePath, Certainty, bool), UnplacedReason> {
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

/// Collects what is found, each definition once, at its place in today's texts.
struct Finder<'a> {
    files: &'a dyn Files,
    symbols: Symbols,
    /// By file and address of a text that was measured.
    versions: FxHashMap<(FilePath, usize), Measured>,
}

/// A text that was measured, where its definitions are today, and which of them were found so far.
struct Measured {
    /// Keeps the address taken.
    text: Arc<SourceText>,
    /// By definition; `None` where today's text is the same.
    anchors: Option<Vec<Option<(DefinitionId, Freshness)>>>,
    found: FxHashMap<DefinitionId, u32>,
    /// Whether the text is only the code of a component.
    is_code: bool,
}

impl Finder<'_> {
    /// The place of a definition; `ran` if its text is what the engine ran.
    fn place(&mut self, written: &Written, ran: bool) -> Place {
        let Written { file, text, definition, confidence } = written;
        let key = (file.clone(), Arc::as_ptr(text).addr());
        let today = self.today(file, text);
        let measured = self.versions.entry(key).or_insert_with(|| {
            let is_code = component::is_code_of(text, &today);
            let anchors = (text.text != today.text).then(|| match is_code {
                true => component::anchor_code(text, &today),
                false => anchor(text.version(), today.version()),
            });
            Measured { text: Arc::clone(text), anchors, found: FxHashMap::default(), is_code }
        });
        // It was never in the file.
        if measured.is_code && measured.anchors.as_ref().is_some_and(|it| it[definition.0 as usize].is_none())
        {
            return Place::Unplaced(UnplacedReason::OutsideMap);
        }
        let found = *measured.found.entry(*definition).or_insert_with(|| {
            let now = match &measured.anchors {
                None => Some((*definition, Freshness::Fresh)),
                Some(anchors) => anchors[definition.0 as usize],
            };
            let as_it_ran = ran && measured.anchors.is_none();
            let found = found(file, &measured.text, *definition, &today, now);
            self.symbols.definitions.push(Found { as_it_ran, ..found });
            self.symbols.definitions.len() as u32 - 1
        });
        Place::At { found, confidence: *confidence }
    }

    /// A file's text as it is now; the measured one where it cannot be read any more.
    fn today(&mut self, file: &FilePath, measured: &Arc<SourceText>) -> Arc<SourceText> {
        let files = self.files;
        let read = || SourceText::read_again(file, measured, files).unwrap_or_else(|| Arc::clone(measured));
        Arc::clone(self.symbols.files.entry(file.clone()).or_insert_with(read))
    }
}

/// A definition of a measured text, as it is today.
fn found(
    file: &FilePath,
    measured: &SourceText,
    definition: DefinitionId,
    today: &SourceText,
    now: Option<(DefinitionId, Freshness)>,
) -> Found {
    let (text, id) = now.map_or((measured, definition), |(id, _)| (today, id));
    let shown = text.outline.get(id);
    Found {
        file: file.clone(),
        path: shown.path.as_str().into(),
        name: shown.name.as_str().into(),
        definition: now.map(|(id, _)| id),
        freshness: now.map_or(Freshness::Gone, |(_, freshness)| freshness),
        code: measured.outline.get(definition).code(),
        start: text.line_col(shown.anchor()),
        end: text.line_col(shown.range.end()),
        as_it_ran: false,
    }
}
