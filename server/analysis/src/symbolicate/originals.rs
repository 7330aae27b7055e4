//! From functions of generated files to the definitions that they were written as, through source maps.
//!
//! A source may be generated itself (TypeScript, then a bundle): then its own map is asked, up to four levels.
//! All maps of a level are looked at together, since their sources are located together.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::SystemTime;

use profile::{Amount, FunctionId, Script};
use source::map::{Evidence, Placing, SourceMap, definitions_of, sources_asked};
use source::{DefinitionId, DefinitionKind};
use text_size::TextSize;

use super::by_position::Confidence;
use super::find_map::{MapFound, MapPlace, MapSettings, map_of, map_within};
use super::source_text::SourceText;
use crate::locate::{LocateSettings, address};
use crate::locate::{LocatedSource, MapSources, locate_sources};
use crate::{FilePath, Files, UnplacedReason};

/// TypeScript to a tool's output to a bundle to a smaller bundle; more has not been seen.
const LEVELS: usize = 4;

/// So many sources of a map are all located. Of a map with more, those are that functions come from, and this many of
/// the others, which tell where the build lies.
const MOST_LOCATED: usize = 20_000;

/// What the user and the disk say about loading.
#[derive(Clone, Copy)]
pub struct LoadSettings<'a> {
    /// How resources are found.
    pub locate: &'a LocateSettings,
    /// Whether a source map may be read; of an inline map the generated file is asked about. `None`: maps are
    /// neither read nor missed, and every text was written as it stands.
    pub maps: Option<&'a dyn Fn(&FilePath) -> bool>,
    /// When the trace was recorded, as far as its file tells: sources that were changed later are looked up in the
    /// history.
    pub recorded: Option<SystemTime>,
}

/// Functions that ran in a text.
#[derive(Clone, Debug)]
pub(crate) struct Ran<'a> {
    /// The file; `None` for a text that only the trace holds.
    pub(crate) file: Option<FilePath>,
    /// Its text.
    pub(crate) text: Arc<SourceText>,
    /// What the trace holds of it.
    pub(crate) traced: Option<Traced<'a>>,
    /// The functions, each with its place in the text.
    pub(crate) functions: Vec<Running>,
}

/// A script in a trace.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Traced<'a> {
    /// The resource.
    pub(crate) url: &'a str,
    pub(crate) script: &'a Script,
}

/// A function at a place of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Running {
    pub(crate) function: FunctionId,
    pub(crate) at: TextSize,
    pub(crate) confidence: Confidence,
}

/// What a function was written as.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub(crate) file: FilePath,
    /// The text that the map was made from.
    pub(crate) text: Arc<SourceText>,
    pub(crate) definition: DefinitionId,
    pub(crate) confidence: Confidence,
}

/// A map that could not be used, and the time that depends on it once it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostMap {
    /// The generated file.
    pub generated: FilePath,
    /// Where the map ought to be.
    pub wanted: String,
    /// Why it was not used; `None` where it is not there.
    pub reason: Option<String>,
    /// Time of the functions that stay on the generated file, or nowhere.
    pub time: Amount,
}

/// The answer of a text for its functions.
pub(crate) enum Answer {
    /// It was generated: what each function was written as, in order, or why that is not known.
    Mapped(Vec<Result<Written, UnplacedReason>>),
    /// It was generated, but its map is not there or must not be read: functions stay where they are.
    Lost(LostMap),
    /// It was written as it stands.
    Written,
}

/// Asks the maps of texts; one answer for each.
pub(crate) fn originals(texts: &[Ran<'_>], files: &dyn Files, settings: &LoadSettings<'_>) -> Vec<Answer> {
    match settings.maps {
        Some(allowed) => {
            let maps = MapSettings { allowed, locate: settings.locate };
            level(texts, Outside { files, maps, recorded: settings.recorded }, LEVELS)
        }
        None => texts.iter().map(|_| Answer::Written).collect(),
    }
}

/// What is asked for maps and sources.
#[derive(Clone, Copy)]
struct Outside<'a> {
    files: &'a dyn Files,
    maps: MapSettings<'a>,
    recorded: Option<SystemTime>,
}

impl Ran<'_> {
    /// Which map it has. What the trace holds is that of the text that ran; only what the user chose goes before it.
    fn map(&self, outside: Outside<'_>) -> MapFound {
        let is_chosen = self.file.as_ref().is_some_and(|it| outside.maps.locate.maps.contains_key(it));
        match (&self.file, self.traced.and_then(|it| it.script.map.as_deref())) {
            (_, Some(map)) if !is_chosen => {
                MapFound::Text { at: MapPlace::Trace, text: map.to_owned(), stale: false }
            }
            (Some(file), _) => map_of(file, &self.text.text, outside.files, &outside.maps),
            (None, _) => map_within(&self.text.text),
        }
    }

    /// Where a map that the trace holds would lie if it were a file: as the script says, or else beside it.
    fn map_beside(&self) -> FilePath {
        let Some(file) = &self.file else { return FilePath::new("/") };
        let folder = file.as_str().rsplit_once('/').map_or("", |(folder, _)| folder);
        let named = self.traced.and_then(|Traced { url, script }| {
            let map = script.map_url.as_deref()?;
            let relative = map.strip_prefix(&url[..url.rfind('/')? + 1]).unwrap_or(map);
            (address::scheme(relative).is_none() && !relative.starts_with('/')).then_some(relative)
        });
        FilePath::new(&named.map_or_else(|| format!("{file}.map"), |it| format!("{folder}/{it}")))
    }

    /// The url from which the map's sources count, of a script that is no file of the workspace.
    fn map_url(&self) -> Option<String> {
        let Traced { url, script } = self.traced.filter(|_| self.file.is_none())?;
        let map = script.map_url.as_deref().filter(|it| !it.starts_with("data:"));
        Some(map.map_or_else(|| url.to_owned(), |map| address::join(url, map)))
    }
}

fn level(texts: &[Ran<'_>], outside: Outside<'_>, levels: usize) -> Vec<Answer> {
    let found: Vec<MapFound> = texts.iter().map(|it| it.map(outside)).collect();

    let mut answers: Vec<Option<Answer>> = Vec::new();
    let mut parsed = Vec::new();
    for (index, (ran, found)) in texts.iter().zip(&found).enumerate() {
        let broken = || Answer::Mapped(vec![Err(UnplacedReason::MapBroken); ran.functions.len()]);
        let lost = |wanted: &String, reason| {
            let Some(generated) = ran.file.clone() else { return broken() };
            Answer::Lost(LostMap { generated, wanted: wanted.clone(), reason, time: Amount::default() })
        };
        answers.push(match found {
            MapFound::NotGenerated => Some(Answer::Written),
            MapFound::Missing { wanted } => Some(lost(wanted, None)),
            MapFound::Refused { wanted, why } => Some(lost(wanted, Some(why.to_string()))),
            MapFound::Text { at, text, .. } => match SourceMap::parse(text) {
                Ok((map, _)) => {
                    parsed.push((index, at, map));
                    None
                }
                Err(_) => Some(broken()),
            },
        });
    }

    let located = locate_all(texts, &parsed, outside);
    for ((index, _, map), sources) in parsed.iter().zip(located) {
        answers[*index] = Some(Answer::Mapped(read(map, &texts[*index], &sources, outside)));
    }
    let mut answers: Vec<Answer> = answers.into_iter().map(|it| it.unwrap_or(Answer::Written)).collect();
    if levels > 1 {
        deeper(&mut answers, outside, levels - 1);
    }
    answers
}

/// One answer for each source of each map; nowhere are those that nobody asks for.
fn locate_all(
    texts: &[Ran<'_>],
    parsed: &[(usize, &MapPlace, SourceMap<'_>)],
    outside: Outside<'_>,
) -> Vec<Vec<LocatedSource>> {
    let wanted: Vec<Vec<u32>> =
        parsed.iter().map(|(index, _, map)| sources_wanted(map, &texts[*index], MOST_LOCATED)).collect();
    let contents: Vec<_> = parsed
        .iter()
        .zip(&wanted)
        .map(|((_, _, map), wanted)| move |at: usize| -> Option<Cow<'_, str>> { map.content(wanted[at]) })
        .collect();
    let urls: Vec<Option<String>> = texts.iter().map(Ran::map_url).collect();
    let maps: Vec<MapSources<'_>> = parsed
        .iter()
        .zip(&wanted)
        .zip(&contents)
        .map(|(((index, at, map), wanted), content)| MapSources {
            map: match at {
                MapPlace::File(file) => file.clone(),
                MapPlace::Inline => texts[*index].file.clone().unwrap_or_else(|| FilePath::new("/")),
                MapPlace::Trace => texts[*index].map_beside(),
            },
            url: urls[*index].as_deref(),
            sources: wanted.iter().map(|&it| map.sources[it as usize].url.as_deref()).collect(),
            content,
        })
        .collect();
    let located = locate_sources(&maps, outside.files, outside.maps.locate);
    let all = parsed.iter().zip(&wanted).zip(located).map(|(((_, _, map), wanted), located)| {
        let mut all = vec![LocatedSource::Unplaced(UnplacedReason::NotInWorkspace); map.sources.len()];
        wanted.iter().zip(located).for_each(|(&source, located)| all[source as usize] = located);
        all
    });
    all.collect()
}

/// The sources of a map that are to be located, in order, see [`MOST_LOCATED`].
fn sources_wanted(map: &SourceMap<'_>, ran: &Ran<'_>, most: usize) -> Vec<u32> {
    let all = 0..map.sources.len() as u32;
    if all.len() <= most {
        return all.collect();
    }
    let places: Vec<TextSize> = ran.functions.iter().map(|it| it.at).collect();
    let mut wanted = sources_asked(map, ran.text.outlined(), &places);
    wanted.extend(all.step_by(map.sources.len().div_ceil(most)));
    wanted.into_iter().collect()
}

/// What the functions of one generated text were written as.
fn read(
    map: &SourceMap<'_>,
    ran: &Ran<'_>,
    sources: &[LocatedSource],
    outside: Outside<'_>,
) -> Vec<Result<Written, UnplacedReason>> {
    let places: Vec<TextSize> = ran.functions.iter().map(|it| it.at).collect();
    let placed = |texts: &Texts<'_>| {
        definitions_of(map, ran.text.outlined(), &places, |source| texts.get(source).map(|it| it.outlined()))
    };
    let mut texts = Texts::new(map, sources, Outside { recorded: None, ..outside });
    let mut placings = placed(&texts);
    // Where the map has no texts, they are those of the files when the trace was recorded, if that fits as well.
    let then = Texts::new(map, sources, outside);
    if then.differ() {
        let count = |placings: &[Option<Placing>]| placings.iter().flatten().count();
        let placings_then = placed(&then);
        if count(&placings_then) >= count(&placings) {
            (texts, placings) = (then, placings_then);
        }
    }
    let lonely = lonely_reason(sources);
    let answers = ran.functions.iter().zip(placings).map(|(running, placing)| {
        let Some(placing) = placing else { return Err(lonely.unwrap_or(UnplacedReason::OutsideMap)) };
        match (&sources[placing.source as usize], texts.get(placing.source)) {
            (LocatedSource::File { file, .. }, Some(text)) => {
                let confidence = match placing.evidence {
                    Evidence::Header => running.confidence,
                    Evidence::Line | Evidence::Body => running.confidence.max(Confidence::Snapped),
                };
                let (file, text) = (file.clone(), Arc::clone(text));
                Ok(Written { file, text, definition: placing.definition, confidence })
            }
            (LocatedSource::NoFile(why) | LocatedSource::Unplaced(why), _) => Err(*why),
            (LocatedSource::File { .. }, None) => Err(UnplacedReason::NoDefinition),
        }
    });
    answers.collect()
}

/// The texts of a map's sources: each is read when the map first speaks of it, and only if it is in the workspace.
struct Texts<'a> {
    map: &'a SourceMap<'a>,
    sources: &'a [LocatedSource],
    outside: Outside<'a>,
    read: Vec<OnceCell<Option<Arc<SourceText>>>>,
}

impl<'a> Texts<'a> {
    /// `outside.recorded`: files as they were then.
    fn new(map: &'a SourceMap<'a>, sources: &'a [LocatedSource], outside: Outside<'a>) -> Self {
        Self { map, sources, outside, read: vec![OnceCell::new(); sources.len()] }
    }

    fn get(&self, source: u32) -> Option<&Arc<SourceText>> {
        let LocatedSource::File { file, content_matches, .. } = &self.sources[source as usize] else {
            return None;
        };
        let Outside { files, recorded, .. } = self.outside;
        let text = self.read[source as usize].get_or_init(|| match content_matches {
            Some(false) => SourceText::in_map(file, self.map.content(source)?.into_owned()),
            Some(true) => SourceText::read(file, files).ok(),
            None => SourceText::when(recorded, file, files).or_else(|| SourceText::read(file, files).ok()),
        });
        text.as_ref()
    }

    /// Whether any text that the map lacks was another one then.
    fn differ(&self) -> bool {
        let Outside { files, recorded, .. } = self.outside;
        recorded.is_some()
            && self.sources.iter().any(|it| match it {
                LocatedSource::File { file, content_matches: None, .. } => {
                    SourceText::when(recorded, file, files).is_some()
                }
                _ => false,
            })
    }
}

/// Where no source of a map is in the workspace, and all for one reason, that is the reason for its functions.
fn lonely_reason(sources: &[LocatedSource]) -> Option<UnplacedReason> {
    let mut reasons = sources.iter().map(|it| match it {
        LocatedSource::File { .. } => None,
        LocatedSource::NoFile(why) | LocatedSource::Unplaced(why) => Some(*why),
    });
    let first = reasons.next()??;
    reasons.all(|it| it == Some(first)).then_some(first)
}

/// Asks the originals whether they were generated themselves.
fn deeper(answers: &mut [Answer], outside: Outside<'_>, levels: usize) {
    let mut texts: BTreeMap<(FilePath, usize), Ran<'_>> = BTreeMap::new();
    let mut origin: BTreeMap<(FilePath, usize), Vec<(usize, usize)>> = BTreeMap::new();
    for (answer, written) in answers.iter().enumerate() {
        let Answer::Mapped(written) = written else { continue };
        for (place, it) in written.iter().enumerate() {
            let Ok(it) = it else { continue };
            let key = (it.file.clone(), Arc::as_ptr(&it.text).addr());
            let ran = texts.entry(key.clone()).or_insert_with(|| Ran {
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
            ran.functions.push(Running { function: FunctionId(0), at, confidence: it.confidence });
            origin.entry(key).or_default().push((answer, place));
        }
    }
    let texts: Vec<Ran<'_>> = texts.into_values().collect();
    if texts.is_empty() {
        return;
    }
    for (answer, places) in level(&texts, outside, levels).into_iter().zip(origin.into_values()) {
        // A source whose own map is lost stays what it is: it is what somebody wrote, as far as can be told.
        let Answer::Mapped(written) = answer else { continue };
        for (written, (answer, place)) in written.into_iter().zip(places) {
            if let Answer::Mapped(above) = &mut answers[answer] {
                above[place] = written;
            }
        }
    }
}
