//! Finds functions in the text that ran, by position and name.
//!
//! A position belongs to the definition whose header contains it (docs/formats.md, "Where engines place functions").
//! Whether the positions of a file can be trusted at all is decided for all its functions together: if they do not stand
//! where engines place functions, or names disagree, the text is not the one that ran. Then functions are found by their
//! order (`transformed`), or only by names that are unique in the text.

use profile::{FunctionId, Position, Profile};
use rustc_hash::{FxHashMap, FxHashSet};
use source::map::ReportedFunction;
use source::{DefinitionId, DefinitionKind, Language, Outline};
use text_size::TextSize;

use super::source_text::SourceText;
use crate::rules::{Rule, Rules};

/// How certain a place is; the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// The position lies in the definition's header.
    Exact,
    /// The position lies elsewhere in the definition, or only its line is known.
    Snapped,
    /// The positions are those of a transformed text, but order, names and distances leave no other definition.
    Order,
    /// The positions cannot be trusted, but the name is unique in the file.
    Name,
}

impl Confidence {
    /// The name in `report` and in the editors' protocol.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Snapped => "snapped",
            Self::Order | Self::Name => "name",
        }
    }
}

/// The functions of a trace that ran in one script.
#[derive(Default)]
pub(super) struct ScriptFunctions {
    /// The rules by which they are placed.
    pub(super) rules: Rules,
    pub(super) positions: Vec<(FunctionId, Option<Position>)>,
    /// Whether the file was found only by the end of its path.
    pub(super) guessed: bool,
    /// Whether the text that ran is not that of the file.
    pub(super) transformed: bool,
    /// Whether positions are those of the text that was written ([`profile::Script::is_source`]).
    pub(super) in_source: bool,
}

impl ScriptFunctions {
    /// The functions by their positions in a text that starts at `start` of the script; those before it have none.
    pub(super) fn shifted(&self, start: Position) -> Self {
        let shift = |it: Position| shifted(it, start);
        let positions = self.positions.iter().map(|&(id, position)| (id, position.and_then(shift)));
        Self { positions: positions.collect(), transformed: false, ..*self }
    }
}

/// A position of a script in a text that starts at `start` of it; `None` for one before.
pub(super) fn shifted(position: Position, start: Position) -> Option<Position> {
    let line = position.line.checked_sub(start.line)?;
    let before = if line == 0 { start.column.unwrap_or(0) } else { 0 };
    let column = match position.column {
        Some(column) => Some(column.checked_sub(before)?),
        None => None,
    };
    Some(Position { line, column })
}

/// Whether the positions of a script are those of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Trust {
    /// They are.
    Yes,
    /// All could be, but the text is in a language that no engine runs as it is, and no name proves it.
    Unproven,
    /// They are those of another text.
    No,
}

/// The definition at a position, and how certain that is.
type PositionMatch = Option<(DefinitionId, Confidence)>;

/// Where a function is in the text that ran.
#[derive(Clone, Copy)]
pub(super) struct Placement {
    pub(super) function: FunctionId,
    /// What source maps are looked up for; `None` for positions without a column, and if the positions are those of another
    /// text.
    pub(super) reported: Option<ReportedFunction>,
    pub(super) found: PositionMatch,
}

/// Whether a guessed file may be the one that ran, and not a file of the same name from another project: it has at least
/// half of the named functions, or, if no function has a name, all of them. Named functions without a position count
/// only if none has a position.
pub(super) fn is_plausible(profile: &Profile, file: &SourceText, placements: &[Placement]) -> bool {
    let name = |it: &Placement| profile.name(it.function);
    let mut named: Vec<_> = placements.iter().filter(|it| is_name(name(it))).collect();
    if named.iter().any(|it| has_position(profile, it.function)) {
        named.retain(|it| has_position(profile, it.function));
    }
    let is_found = |it: &Placement| it.found.is_some();
    let has = |name: &str| {
        let mut definitions = file.outline.definitions.iter().skip(1);
        definitions.any(|it| source::is_name_of(name, it))
    };
    let hits = named.iter().filter(|it| is_found(it) || has(name(it))).count();
    if named.is_empty() { placements.iter().all(is_found) } else { hits * 2 >= named.len() }
}

/// Finds all functions of one script in a text. Returns with them whether their positions are those of this text.
pub(super) fn place(
    profile: &Profile,
    file: &SourceText,
    language: Language,
    functions: &ScriptFunctions,
) -> (Vec<Placement>, Trust) {
    let mut placements = by_position(profile, file, functions);
    let trust = Fits::of(profile, file, language, &placements, functions).trust();
    if trust == Trust::No {
        place_by_name(profile, file, functions, &mut placements);
    } else {
        let unpositioned = |it: &&mut Placement| it.found.is_none() && !has_position(profile, it.function);
        for it in placements.iter_mut().filter(unpositioned) {
            it.found = by_name(profile, file, it.function, functions);
        }
    }
    (placements, trust)
}

/// Finds the functions of a script as if their positions were those of this text.
fn by_position(profile: &Profile, file: &SourceText, functions: &ScriptFunctions) -> Vec<Placement> {
    let place = |&(function, position): &(FunctionId, Option<Position>)| {
        let name = profile.name(function);
        if is_top_level(file, name, position) {
            // V8 gives none to many modules.
            let at = position.map_or(Some(TextSize::new(0)), |it| file.offset(it));
            let reported = at.map(|at| ReportedFunction { definition: DefinitionId(0), at });
            return Placement { function, reported, found: Some((DefinitionId(0), Confidence::Exact)) };
        }
        if let Some(at) = position.and_then(|it| file.offset(it)) {
            let (definition, found) = by_offset(file, name, at);
            let found = found.filter(|_| functions.rules.has(Rule::Position));
            return Placement { function, reported: Some(ReportedFunction { definition, at }), found };
        }
        let line = position.filter(|_| functions.rules.has(Rule::Line)).map(|it| it.line);
        Placement { function, reported: None, found: line.and_then(|line| by_line(file, name, line)) }
    };
    functions.positions.iter().map(place).collect()
}

/// Places functions by names that are unique in the text, because their positions are those of another text.
fn place_by_name(
    profile: &Profile,
    file: &SourceText,
    functions: &ScriptFunctions,
    placements: &mut [Placement],
) {
    let position = |it: &Placement| profile.functions[it.function.0 as usize].defined_at;
    let mut places: FxHashMap<&str, FxHashSet<Option<Position>>> = FxHashMap::default();
    for it in placements.iter() {
        places.entry(profile.name(it.function)).or_default().insert(position(it));
    }
    let is_top_level =
        |it: &Placement| matches!(it.found, Some((DefinitionId(0), _))) && position(it).is_some();
    for it in placements.iter_mut() {
        it.reported = None;
        if !is_top_level(it) {
            // Of two functions of that name, a tool made one: it exports the other, or wraps it.
            let is_only = places[profile.name(it.function)].len() == 1;
            it.found = by_name(profile, file, it.function, functions).filter(|_| is_only);
        }
    }
}

fn by_name(
    profile: &Profile,
    file: &SourceText,
    function: FunctionId,
    functions: &ScriptFunctions,
) -> PositionMatch {
    let is_made = || {
        functions.transformed
            && functions.rules.has(Rule::Component)
            && is_component(profile, file, function, &functions.positions)
    };
    let name = Some(profile.name(function)).filter(|_| functions.rules.has(Rule::Name));
    let found = name.and_then(|name| unique_by_name(&file.outline, name));
    found.or_else(|| is_made().then_some(DefinitionId(0))).map(|it| (it, Confidence::Name))
}

/// The innermost definition around an offset. It is the function's if its header contains the offset, or if it has the
/// same name.
fn by_offset(file: &SourceText, name: &str, at: TextSize) -> (DefinitionId, PositionMatch) {
    let id = file.outline.around(at).unwrap_or(DefinitionId(0));
    let definition = file.outline.get(id);
    let agrees = || is_name(name) && has_name(definition) && source::names_agree(name, definition);
    let found = match definition.kind {
        DefinitionKind::TopLevel => None,
        _ if definition.header.contains(at) => Some((id, Confidence::Exact)),
        DefinitionKind::Class => Some((id, Confidence::Exact)),
        _ => agrees().then_some((id, Confidence::Snapped)),
    };
    (id, found)
}

fn has_position(profile: &Profile, id: FunctionId) -> bool {
    profile.functions[id.0 as usize].defined_at.is_some()
}

/// Whether it is the top-level code of a script, which starts where the script does: in a page, right after `<script>`.
/// Bun calls it `(module)`, at the position of its first call.
fn is_top_level(file: &SourceText, name: &str, position: Option<Position>) -> bool {
    let start = Position { line: 0, column: Some(0) };
    let starts_script = |it: Position| {
        file.outline.scripts.is_some()
            && file.offset(it).is_some_and(|offset| file.outline.is_start_of_script(offset))
    };
    let is_nameless = matches!(name, "" | "(anonymous)");
    name == "(module)" || is_nameless && position.is_none_or(|it| it == start || starts_script(it))
}

/// Whether an engine places a definition here. V8 says at the `(` of its parameters, at an arrow function's first character,
/// and for a class at the keyword, at the `{` of its body or at a field; Firefox leaves out `async`, and `static`.
pub(super) fn stands_at(file: &SourceText, definition: &source::Definition, at: TextSize) -> bool {
    match definition.kind {
        _ if at == definition.defined_at => true,
        _ if stands_at_name(definition, at) => true,
        DefinitionKind::Class => is_member(file, definition, at),
        DefinitionKind::Arrow => {
            file.text[usize::from(definition.defined_at)..usize::from(at.max(definition.defined_at))].trim()
                == "async"
        }
        _ => false,
    }
}

/// Whether a position is the start of a name, as Deno gives it, which maps positions back itself.
fn stands_at_name(definition: &source::Definition, at: TextSize) -> bool {
    let is_function = definition.kind != DefinitionKind::Class;
    is_function && definition.header.contains(at) && definition.name_range.is_some_and(|it| it.start() == at)
}

/// Whether the body of a class, or one of its fields or static blocks, starts here.
fn is_member(file: &SourceText, class: &source::Definition, at: TextSize) -> bool {
    if at < class.header.end() {
        return file.text[usize::from(at)..].starts_with('{');
    }
    let before = file.text[..usize::from(at)].trim_end_matches([' ', '\t']);
    let line = before.rsplit(['\n', '\r']).next().unwrap_or(before).trim_start();
    let is_comment =
        line.starts_with("//") || line.starts_with('*') || line.starts_with("/*") && !line.ends_with("*/");
    let starts =
        file.text[usize::from(at)..].starts_with(|it: char| it.is_alphabetic() || "_$#[\"'".contains(it));
    let follows = before.ends_with(['{', '}', ';', '\n', '\r']) || before.ends_with("*/");
    starts && !is_comment && (follows || before.ends_with("static"))
}

/// What a function says about whether the positions of its script are those of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum NameFit {
    /// Nothing: it has no name, or what stands there has none.
    #[default]
    Neutral,
    /// The definition at its position has its name.
    Agrees,
    /// It has another one.
    Differs,
    /// There is no definition at its position.
    Missed,
    /// Nor is there one for it, which has no name.
    Nameless,
}

/// What functions of a script say of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Verdict {
    trust: Trust,
    /// Whether a guessed file may be the one that ran.
    is_plausible: bool,
}

/// How well the functions of one script fit a text.
#[derive(Debug)]
pub(crate) struct Fits {
    runs_as_it_is: bool,
    transformed: bool,
    guessed: bool,
    of_functions: Vec<FunctionFit>,
}

#[derive(Clone, Copy, Debug)]
struct FunctionFit {
    function: FunctionId,
    fit: NameFit,
    is_named: bool,
    is_found: bool,
    /// Whether it stands at a name, as what was mapped back does.
    is_at_name: bool,
}

impl Fits {
    fn of(
        profile: &Profile,
        file: &SourceText,
        language: Language,
        placements: &[Placement],
        functions: &ScriptFunctions,
    ) -> Self {
        let runs_as_it_is = matches!(language, Language::JavaScript | Language::Html);
        let any_position = placements.iter().any(|it| has_position(profile, it.function));
        let stands = |it: &Placement, definition: &source::Definition| match it.reported {
            Some(ReportedFunction { at, .. }) if !runs_as_it_is => {
                definition.kind == DefinitionKind::TopLevel || stands_at(file, definition, at)
            }
            _ => true,
        };
        let fit = |it: &Placement| {
            let name = profile.name(it.function);
            let found = it.found.map(|(id, _)| file.outline.get(id)).filter(|found| stands(it, found));
            match found {
                _ if any_position && !has_position(profile, it.function) => NameFit::Neutral,
                None if !is_name(name) => NameFit::Nameless,
                None if is_handler(file, profile, it.function) => NameFit::Neutral,
                None => NameFit::Missed,
                Some(definition) if !is_name(name) || !has_name(definition) => NameFit::Neutral,
                // The fields of a class may stand at any of its lines.
                Some(definition)
                    if !runs_as_it_is && it.reported.is_some_and(|it| it.at != definition.defined_at) =>
                {
                    NameFit::Neutral
                }
                Some(definition) if source::names_agree(name, definition) => NameFit::Agrees,
                Some(_) => NameFit::Differs,
            }
        };
        let is_at_name = |it: &Placement| match (it.reported, it.found) {
            (Some(ReportedFunction { at, .. }), Some((id, _))) => stands_at_name(file.outline.get(id), at),
            _ => false,
        };
        let of_function = |it: &Placement| FunctionFit {
            function: it.function,
            fit: fit(it),
            is_named: is_name(profile.name(it.function)),
            is_found: it.found.is_some(),
            is_at_name: is_at_name(it),
        };
        Self {
            runs_as_it_is,
            transformed: functions.transformed,
            guessed: functions.guessed,
            of_functions: placements.iter().map(of_function).collect(),
        }
    }

    /// How well the functions of a script fit a text of its file, before anything is said of other texts.
    pub(super) fn in_text(
        profile: &Profile,
        file: &SourceText,
        language: Language,
        functions: &ScriptFunctions,
    ) -> Self {
        Self::of(profile, file, language, &by_position(profile, file, functions), functions)
    }

    /// The functions, in the order of their script.
    pub(crate) fn functions(&self) -> impl Iterator<Item = FunctionId> {
        self.of_functions.iter().map(|it| it.function)
    }

    /// What all functions say.
    fn trust(&self) -> Trust {
        self.trust_of(self.of_functions.iter())
    }

    /// What some of the functions, by their indices, say when they are asked alone.
    pub(crate) fn verdict(&self, some: impl Iterator<Item = usize> + Clone) -> Verdict {
        let mut some = some.map(|it| &self.of_functions[it]);
        let trust = self.trust_of(some.clone());
        let is_nameless = some.clone().all(|it| !it.is_named);
        // As [`is_plausible`] wants it.
        let is_plausible = !(self.guessed && is_nameless) || some.all(|it| it.is_found);
        Verdict { trust, is_plausible }
    }

    /// What all of them say.
    pub(crate) fn verdict_of_all(&self) -> Verdict {
        self.verdict(0..self.of_functions.len())
    }

    /// Whether the positions are those of this text: nearly all functions have the name of the definition at their position.
    /// A few may differ, as engines infer some names (an arrow in an array may get the name of its neighbour).
    ///
    /// TypeScript and the like were transformed before they ran. Loaders that only blank types keep all positions, so that all
    /// functions stand exactly where engines place them; of a file that a server transformed at least two must have names.
    fn trust_of<'a>(&self, asked: impl Iterator<Item = &'a FunctionFit>) -> Trust {
        let (mut agree, mut differ, mut missed, mut nameless, mut is_mapped_back) = (0, 0, 0, 0, false);
        for it in asked {
            // Then what a tool made, such as the function around an enum, stands somewhere in the text too.
            is_mapped_back |= it.is_at_name;
            match it.fit {
                NameFit::Neutral => {}
                NameFit::Agrees => agree += 1,
                NameFit::Differs => differ += 1,
                NameFit::Missed => missed += 1,
                NameFit::Nameless => nameless += 1,
            }
        }
        let is_trusted = match (self.transformed, self.runs_as_it_is) {
            (true, _) => agree >= 2 && differ + missed + nameless == 0,
            (false, true) => missed + differ <= 1 + agree / 3 && (agree > 0 || missed == 0),
            (false, false) => missed == 0 && (nameless == 0 || is_mapped_back) && differ <= agree / 3,
        };
        match is_trusted {
            true if self.runs_as_it_is || agree > 0 => Trust::Yes,
            true => Trust::Unproven,
            false => Trust::No,
        }
    }
}

/// Whether it may be the code of an attribute such as `onclick`, which is in no script.
fn is_handler(file: &SourceText, profile: &Profile, id: FunctionId) -> bool {
    let event = profile.name(id).strip_prefix("on");
    file.outline.scripts.is_some()
        && event.is_some_and(|it| !it.is_empty() && it.bytes().all(|it| it.is_ascii_lowercase()))
}

/// The definition with its header on a line, for traces without columns: the only one, or the only one of that name.
fn by_line(file: &SourceText, name: &str, line: u32) -> PositionMatch {
    let line_of = |offset| file.engine_line(offset);
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

/// Whether it is the function that a compiler generated around the code of a component: `setup` for a Vue file that has
/// no such function, or the name of a Svelte file.
fn is_component(
    profile: &Profile,
    file: &SourceText,
    id: FunctionId,
    functions: &[(FunctionId, Option<Position>)],
) -> bool {
    let name = profile.name(id);
    let url = profile.resource(id).unwrap_or_default();
    let path = url.split(['?', '#']).next().unwrap_or(url);
    let is_made = path.ends_with(".vue") && name == "setup"
        || path.rsplit('/').next().and_then(|it| it.strip_suffix(".svelte")).is_some_and(|stem| {
            // Svelte's compiler replaces characters that no identifier has by `_`, and starts with a capital letter.
            let stem = stem.replace(|it: char| !it.is_alphanumeric() && it != '$', "_");
            stem.eq_ignore_ascii_case(name)
        });
    let is_only = || functions.iter().filter(|(id, _)| profile.name(*id) == name).count() == 1;
    let is_defined =
        || file.outline.definitions.iter().any(|it| has_name(it) && source::names_agree(name, it));
    is_made && file.outline.scripts.is_some() && is_only() && !is_defined()
}

/// The only definition of a name.
pub(super) fn unique_by_name(outline: &Outline, name: &str) -> Option<DefinitionId> {
    use DefinitionKind::{Class, Constructor, Getter, Setter, TopLevel};
    if !is_name(name) {
        return None;
    }
    // What tools make of accessors has these names, what they make of `#name` has that one, and `_name` is their own.
    let is_accessor = |it: &source::Definition| matches!(it.kind, Getter | Setter);
    if matches!(name, "get" | "set") && outline.definitions.iter().any(is_accessor) {
        return None;
    }
    let is_same = |it: &source::Definition| {
        let own = it.name.strip_prefix('#').unwrap_or(&it.name);
        own == name || source::is_name_of(name, it) && (it.name.starts_with('_') || !name.starts_with('_'))
    };
    let mut same = (0..)
        .map(DefinitionId)
        .zip(&outline.definitions)
        .filter(|(_, it)| !matches!(it.kind, TopLevel | Class | Constructor) && is_same(it));
    let first = same.next()?.0;
    same.next().is_none().then_some(first)
}

/// Whether a function of a profile has a real name, neither missing nor a placeholder.
pub(super) fn is_name(name: &str) -> bool {
    !matches!(name, "" | "anonymous" | "default") && !name.starts_with('(') && !name.starts_with('<')
}

/// Whether a definition has a name with which that of a function can be compared.
pub(super) fn has_name(definition: &source::Definition) -> bool {
    definition.name_range.is_some()
}
