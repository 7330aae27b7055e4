//! From a function of the profile to its definition in the workspace: the only file where engine positions
//! become places in a text.
//!
//! A position is matched by the header of a definition (docs/formats.md, "Where engines place functions").
//! Whether a file's positions can be trusted at all is decided for all its functions together: where names and
//! positions disagree, the text is not the one that ran, and only a name that is unique in the file still tells.

use std::collections::BTreeMap;
use std::sync::Arc;

use profile::{Function, FunctionId, FunctionKind, Position, Profile};
use source::{DefinitionId, DefinitionKind, Encoding, Language, LineCol, LineEnds, LineIndex, Outline};

use crate::locate::{Certainty, LocateSettings, Located, locate};
use crate::{FilePath, Files, Why};

/// Where each function of a profile was found.
#[derive(Debug)]
pub struct Symbols {
    /// By `FunctionId`.
    pub places: Vec<Place>,
    /// The measured text of every file that a function was placed in.
    pub files: BTreeMap<FilePath, Arc<MeasuredFile>>,
}

/// The definition that a function was found to be, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A definition of a workspace file.
    At {
        /// The file, a key of [`Symbols::files`].
        file: FilePath,
        /// The definition in that file's measured outline.
        definition: DefinitionId,
        /// How sure that is.
        confidence: Confidence,
    },
    /// None was found.
    Unplaced(Why),
}

/// How sure a place is; the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// The position lies in the definition's header.
    Exact,
    /// The position lies elsewhere in the definition, or only its line is known.
    Snapped,
    /// The position cannot be trusted; the name is unique in the file.
    Name,
}

/// A workspace file as it was when the trace was loaded.
#[derive(Debug)]
pub struct MeasuredFile {
    /// Its text, without a byte order mark.
    pub text: Box<str>,
    /// Its definitions.
    pub outline: Outline,
    /// Its lines as editors count them.
    pub lines: LineIndex,
    /// Whether it was generated from other sources, as the source map beside it says.
    pub generated: bool,
    /// Whether no engine runs the language as it stands.
    transformable: bool,
}

impl Confidence {
    /// As `report` and the editors' protocol write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Snapped => "snapped",
            Self::Name => "name",
        }
    }
}

impl MeasuredFile {
    /// Reads a file's text; `None` where it holds no JavaScript or TypeScript that could be read.
    fn read(file: &FilePath, files: &dyn Files) -> Option<Self> {
        let language = Language::of_path(file.as_str())?;
        let text = source::text_of(&files.read(file)?).into_boxed_str();
        let outline = source::outline(&text, language).ok()?;
        let lines = LineIndex::new(&text, LineEnds::Editor);
        let generated = names_a_source_map(&text);
        let transformable = language != Language::JavaScript || file.as_str().ends_with(".jsx");
        Some(Self { text, outline, lines, generated, transformable })
    }

    /// A place in it as editors count: 0-based, UTF-16.
    pub fn line_col(&self, offset: text_size::TextSize) -> LineCol {
        self.lines.line_col(&self.text, offset, Encoding::Utf16)
    }
}

/// Finds the definition of every function of a profile.
pub fn symbolicate(profile: &Profile, files: &dyn Files, settings: &LocateSettings) -> Symbols {
    let urls: Vec<&str> = (profile.resources.iter())
        .map(|&it| profile.strings.get(it))
        .chain(profile.known_places.iter().map(|it| it.path.as_str()))
        .collect();
    let located = locate(&urls, files, settings);
    let (of_resources, of_known) = located.split_at(profile.resources.len());
    let known = known_places(profile, of_known);

    let mut places = vec![Place::Unplaced(Why::NoResource); profile.functions.len()];
    let mut by_file: BTreeMap<FilePath, Ran> = BTreeMap::new();
    for (index, function) in profile.functions.iter().enumerate() {
        let id = FunctionId(index as u32);
        if let Some((file, position)) = known.get(&id) {
            by_file.entry(file.clone()).or_default().functions.push((id, Some(*position)));
            continue;
        }
        match whereabouts(function, of_resources) {
            Ok((file, certainty)) => {
                let ran = by_file.entry(file).or_default();
                ran.functions.push((id, function.defined_at));
                ran.guessed |= certainty == Certainty::Suffix;
                ran.served |= profile.resource(id).is_some_and(|it| it.starts_with("http"));
            }
            Err(why) => places[index] = Place::Unplaced(why),
        }
    }

    let mut measured = BTreeMap::new();
    for (file, ran) in by_file {
        let Some(text) = MeasuredFile::read(&file, files) else {
            ran.functions
                .iter()
                .for_each(|(id, _)| places[id.0 as usize] = Place::Unplaced(Why::NoDefinition));
            continue;
        };
        let mut any = false;
        let found = place_all(profile, &text, &ran);
        if ran.guessed && !plausible(profile, &found) {
            found.iter().for_each(|(id, _)| places[id.0 as usize] = Place::Unplaced(Why::NotInWorkspace));
            continue;
        }
        for (id, found) in found {
            places[id.0 as usize] = match found {
                Some((definition, confidence)) => {
                    any = true;
                    Place::At { file: file.clone(), definition, confidence }
                }
                None => Place::Unplaced(Why::NoDefinition),
            };
        }
        if any {
            measured.insert(file, Arc::new(text));
        }
    }
    Symbols { places, files: measured }
}

/// The file of a function, from its resource.
fn whereabouts(function: &Function, located: &[Located]) -> Result<(FilePath, Certainty), Why> {
    match (function.kind, function.resource) {
        (FunctionKind::GarbageCollector, _) => Err(Why::GarbageCollector),
        (FunctionKind::Native, _) => Err(Why::Native),
        (FunctionKind::Script, None) => Err(Why::NoResource),
        (FunctionKind::Script, Some(resource)) => match &located[resource.0 as usize] {
            Located::File { file, certainty } => Ok((file.clone(), *certainty)),
            Located::Unplaced(why) => Err(*why),
        },
    }
}

/// What the producer of the trace had mapped itself, as far as it lies in the workspace. Several candidates of
/// one function are the compiled file and the original: the original is the one that is not the resource itself.
fn known_places(profile: &Profile, located: &[Located]) -> BTreeMap<FunctionId, (FilePath, Position)> {
    let mut known = BTreeMap::new();
    for (place, located) in profile.known_places.iter().zip(located) {
        let Located::File { file, certainty: Certainty::Exact } = located else { continue };
        let compiled = profile.resource(place.function).is_some_and(|it| it.ends_with(&place.path));
        if !compiled {
            known.entry(place.function).or_insert((file.clone(), place.position));
        }
    }
    known
}

/// The functions of a trace that ran in one file.
#[derive(Default)]
struct Ran {
    functions: Vec<(FunctionId, Option<Position>)>,
    /// Whether the file was found by the end of its path only.
    guessed: bool,
    /// Whether a server sent it.
    served: bool,
}

type Found = Option<(DefinitionId, Confidence)>;

/// Whether a guessed file is the one that ran: it holds most of the named functions, or, where none has a name, all
/// of the others. A namesake from another project does not.
fn plausible(profile: &Profile, found: &[(FunctionId, Found)]) -> bool {
    let named: Vec<_> = found.iter().filter(|(id, _)| is_name(profile.name(*id))).collect();
    let hits = named.iter().filter(|(_, found)| found.is_some()).count();
    if named.is_empty() { found.iter().all(|(_, found)| found.is_some()) } else { hits * 2 >= named.len() }
}

/// The definitions of all functions of one file.
fn place_all(profile: &Profile, file: &MeasuredFile, ran: &Ran) -> Vec<(FunctionId, Found)> {
    let functions = &ran.functions;
    let engine = LineIndex::new(&file.text, LineEnds::Engine);
    let at = |position: Option<Position>| {
        let Position { line, column: Some(column) } = position? else { return None };
        engine.offset(&file.text, LineCol { line, column }, Encoding::Utf16)
    };
    let by_position = |id: FunctionId, position: Option<Position>| -> Found {
        let name = profile.name(id);
        let start = Position { line: 0, column: Some(0) };
        let from_the_start = matches!(name, "" | "(anonymous)") && position.is_none_or(|it| it == start);
        // Bun's name for the code outside of functions, at the place where it first called something.
        if from_the_start || name == "(module)" {
            return Some((DefinitionId(0), Confidence::Exact));
        }
        let Some(offset) = at(position) else { return by_line(file, &engine, name, position?.line) };
        if let Some(found) = file.outline.with_header_at(offset).filter(|&it| it != DefinitionId(0)) {
            return Some((found, Confidence::Exact));
        }
        let around = file.outline.around(offset).filter(|&it| it != DefinitionId(0))?;
        let definition = file.outline.get(around);
        match definition.kind {
            DefinitionKind::Class => Some((around, Confidence::Exact)),
            _ if is_name(name) && has_name(definition) && source::names_agree(name, definition) => {
                Some((around, Confidence::Snapped))
            }
            _ => None,
        }
    };

    let found: Vec<(FunctionId, Found)> =
        functions.iter().map(|&(id, position)| (id, by_position(id, position))).collect();
    if trustworthy(profile, file, &found, ran.served && file.transformable) {
        return found;
    }
    let by_name =
        |id: FunctionId| unique_by_name(&file.outline, profile.name(id)).map(|it| (it, Confidence::Name));
    functions.iter().map(|&(id, _)| (id, by_name(id))).collect()
}

/// Whether the positions are those of this text: nearly all names agree with the names at the positions. Engines
/// guess a few names (an arrow in an array may be called after its neighbour), so some may differ. TypeScript and
/// JSX from a server were transformed on their way, most likely: there every name must agree, and some must.
fn trustworthy(
    profile: &Profile,
    file: &MeasuredFile,
    found: &[(FunctionId, Found)],
    transformed: bool,
) -> bool {
    let (mut agree, mut differ, mut missed) = (0, 0, 0);
    for (id, found) in found.iter().filter(|(id, _)| is_name(profile.name(*id))) {
        match found.map(|(it, _)| file.outline.get(it)) {
            Some(it) if !has_name(it) => {}
            Some(it) if source::names_agree(profile.name(*id), it) => agree += 1,
            Some(_) => differ += 1,
            None => missed += 1,
        }
    }
    if transformed {
        return agree >= 2 && differ + missed == 0;
    }
    missed + differ <= 1 + agree / 3 && (agree > 0 || missed == 0)
}

/// The definition whose header stands on a line, where the trace has no columns: the only one, or the only one
/// of that name.
fn by_line(file: &MeasuredFile, engine: &LineIndex, name: &str, line: u32) -> Found {
    let line_of = |offset| engine.line_col(&file.text, offset, Encoding::Utf8).line;
    let on_line = |it: &source::Definition| {
        it.kind != DefinitionKind::TopLevel
            && (line_of(it.header.start())..=line_of(it.header.end())).contains(&line)
    };
    let candidates = || (0..).map(DefinitionId).zip(&file.outline.definitions).filter(|(_, it)| on_line(it));
    let only = |mut all: Vec<DefinitionId>| if all.len() == 1 { all.pop() } else { None };
    only(candidates().map(|(id, _)| id).collect())
        .or_else(|| {
            only(candidates().filter(|(_, it)| source::names_agree(name, it)).map(|(id, _)| id).collect())
        })
        .map(|it| (it, Confidence::Snapped))
}

fn unique_by_name(outline: &Outline, name: &str) -> Option<DefinitionId> {
    if !is_name(name) {
        return None;
    }
    let mut same = (0..).map(DefinitionId).zip(&outline.definitions).filter(|(_, it)| {
        has_name(it)
            && !matches!(
                it.kind,
                DefinitionKind::TopLevel | DefinitionKind::Class | DefinitionKind::Constructor
            )
            && source::names_agree(name, it)
    });
    let first = same.next()?.0;
    same.next().is_none().then_some(first)
}

/// Whether a profile's name says anything: it is neither missing nor a stand-in.
fn is_name(name: &str) -> bool {
    !matches!(name, "" | "anonymous" | "default") && !name.starts_with('(') && !name.starts_with('<')
}

/// Whether a definition has a name that could agree or differ.
fn has_name(definition: &source::Definition) -> bool {
    definition.name_range.is_some()
}

/// Whether a text names a source map among its last lines (ECMA-426, "Source map comment", leniently).
fn names_a_source_map(text: &str) -> bool {
    let mut start = text.len().saturating_sub(4096);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    text[start..].lines().any(|line| {
        let line = line.trim_start();
        ["//# sourceMappingURL=", "//@ sourceMappingURL=", "/*# sourceMappingURL="]
            .iter()
            .any(|it| line.starts_with(it))
    })
}
