//! Finds functions in the text that ran, by position and name.
//!
//! A position belongs to the definition whose header contains it (docs/formats.md, "Where engines place functions").
//! Whether the positions of a file can be trusted at all is decided for all its functions together: if names and
//! positions disagree, the text is not the one that ran, and functions are found only by names that are unique in it.

use profile::{FunctionId, Position, Profile};
use source::map::ReportedFunction;
use source::{DefinitionId, DefinitionKind, Outline};
use text_size::TextSize;

use super::source_text::SourceText;

/// How certain a place is; the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// The position lies in the definition's header.
    Exact,
    /// The position lies elsewhere in the definition, or only its line is known.
    Snapped,
    /// The positions cannot be trusted, but the name is unique in the file.
    Name,
}

impl Confidence {
    /// The name in `report` and in the editors' protocol.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Snapped => "snapped",
            Self::Name => "name",
        }
    }
}

/// The functions of a trace that ran in one script.
#[derive(Default)]
pub(super) struct ScriptFunctions {
    pub(super) positions: Vec<(FunctionId, Option<Position>)>,
    /// Whether the file was found only by the end of its path.
    pub(super) guessed: bool,
    /// Whether the text that ran is not that of the file.
    pub(super) transformed: bool,
}

impl ScriptFunctions {
    /// The functions by their positions in a text that starts at `start` of the script; those before it have none.
    pub(super) fn shifted(&self, start: Position) -> ScriptFunctions {
        let shift = |position: Position| {
            let line = position.line.checked_sub(start.line)?;
            let before = if line == 0 { start.column.unwrap_or(0) } else { 0 };
            let column = match position.column {
                Some(column) => Some(column.checked_sub(before)?),
                None => None,
            };
            Some(Position { line, column })
        };
        let positions = self.positions.iter().map(|&(id, position)| (id, position.and_then(shift)));
        ScriptFunctions { positions: positions.collect(), guessed: self.guessed, transformed: false }
    }
}

/// The definition at a position, and how certain that is.
type PositionMatch = Option<(DefinitionId, Confidence)>;

/// Where a function is in the text that ran.
#[derive(Clone, Copy)]
pub(super) struct Placement {
    pub(super) function: FunctionId,
    /// What source maps are looked up for; `None` for code outside of functions, for positions without a column, and if
    /// the positions are those of another text.
    pub(super) reported: Option<ReportedFunction>,
    pub(super) found: PositionMatch,
}

/// Whether a guessed file may be the one that ran, and not a file of the same name from another project: it has at least
/// half of the named functions, or, if no function has a name, all of them. Named functions without a position count
/// only if none has a position.
pub(super) fn is_plausible(profile: &Profile, placements: &[Placement]) -> bool {
    let name = |it: &Placement| profile.name(it.function);
    let mut named: Vec<_> = placements.iter().filter(|it| is_name(name(it))).collect();
    if named.iter().any(|it| has_position(profile, it.function)) {
        named.retain(|it| has_position(profile, it.function));
    }
    let is_found = |it: &Placement| it.found.is_some();
    let hits = named.iter().filter(|it| is_found(it)).count();
    if named.is_empty() { placements.iter().all(is_found) } else { hits * 2 >= named.len() }
}

/// Finds all functions of one script in a text. Returns with them whether their positions are those of this text.
pub(super) fn place(
    profile: &Profile,
    file: &SourceText,
    functions: &ScriptFunctions,
) -> (Vec<Placement>, bool) {
    let by_position = |&(function, position): &(FunctionId, Option<Position>)| {
        let name = profile.name(function);
        if is_top_level(file, name, position) {
            return Placement { function, reported: None, found: Some((DefinitionId(0), Confidence::Exact)) };
        }
        if let Some(at) = position.and_then(|it| file.offset(it)) {
            let (definition, found) = by_offset(file, name, at);
            return Placement { function, reported: Some(ReportedFunction { definition, at }), found };
        }
        Placement { function, reported: None, found: position.and_then(|it| by_line(file, name, it.line)) }
    };
    let mut placements: Vec<Placement> = functions.positions.iter().map(by_position).collect();

    let by_name = |function: FunctionId| {
        let is_made = || functions.transformed && is_component(profile, file, function, &functions.positions);
        let found = unique_by_name(&file.outline, profile.name(function));
        found.or_else(|| is_made().then_some(DefinitionId(0))).map(|it| (it, Confidence::Name))
    };
    let trusted = is_trustworthy(profile, file, &placements, functions.transformed);
    for it in &mut placements {
        if !trusted {
            *it = Placement { reported: None, found: by_name(it.function), ..*it };
        } else if it.found.is_none() && !has_position(profile, it.function) {
            it.found = by_name(it.function);
        }
    }
    (placements, trusted)
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

/// Whether the positions are those of this text: nearly all functions have the name of the definition at their position.
/// A few may differ, as engines infer some names (an arrow in an array may get the name of its neighbour). If the text
/// was probably transformed before it ran (TypeScript and JSX from a server), all must agree, and at least two.
fn is_trustworthy(profile: &Profile, file: &SourceText, placements: &[Placement], transformed: bool) -> bool {
    let (mut agree, mut differ, mut missed) = (0, 0, 0);
    let any_position = placements.iter().any(|it| has_position(profile, it.function));
    let asked = |id: FunctionId| is_name(profile.name(id)) && (!any_position || has_position(profile, id));
    let named = placements.iter().filter(|it| asked(it.function));
    for it in named.filter(|it| it.found.is_some() || !is_handler(file, profile, it.function)) {
        match it.found.map(|(id, _)| file.outline.get(id)) {
            Some(definition) if !has_name(definition) => {}
            Some(definition) if source::names_agree(profile.name(it.function), definition) => agree += 1,
            Some(_) => differ += 1,
            None => missed += 1,
        }
    }
    if transformed {
        return agree >= 2 && differ + missed == 0;
    }
    missed + differ <= 1 + agree / 3 && (agree > 0 || missed == 0)
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

/// Whether a function of a profile has a real name, neither missing nor a placeholder.
pub(super) fn is_name(name: &str) -> bool {
    !matches!(name, "" | "anonymous" | "default") && !name.starts_with('(') && !name.starts_with('<')
}

/// Whether a definition has a name with which that of a function can be compared.
fn has_name(definition: &source::Definition) -> bool {
    definition.name_range.is_some()
}
