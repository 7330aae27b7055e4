//! Finds functions in the text that ran, by position and name.
//!
//! A position is matched by the header of a definition (docs/formats.md, "Where engines place functions").
//! Whether a file's positions can be trusted at all is decided for all its functions together: where names and
//! positions disagree, the text is not the one that ran, and only a name that is unique in the file still tells.

use profile::{FunctionId, Position, Profile};
use source::map::ReportedFunction;
use source::{DefinitionId, DefinitionKind, Outline};
use text_size::TextSize;

use super::source_text::SourceText;

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

/// The functions of a trace that ran in one file.
#[derive(Default)]
pub(super) struct Ran {
    pub(super) functions: Vec<(FunctionId, Option<Position>)>,
    /// Whether the file was found by the end of its path only.
    pub(super) guessed: bool,
    /// Whether another text than that of the file ran.
    pub(super) transformed: bool,
}

impl Ran {
    /// The same in a text that starts here. What lies before it has no place.
    pub(super) fn shifted(&self, start: Position) -> Ran {
        let shift = |position: Position| {
            let line = position.line.checked_sub(start.line)?;
            let before = if line == 0 { start.column.unwrap_or(0) } else { 0 };
            let column = match position.column {
                Some(column) => Some(column.checked_sub(before)?),
                None => None,
            };
            Some(Position { line, column })
        };
        let functions = self.functions.iter().map(|&(id, position)| (id, position.and_then(shift)));
        Ran { functions: functions.collect(), guessed: self.guessed, transformed: false }
    }
}

/// A definition, and how sure it is.
type Found = Option<(DefinitionId, Confidence)>;

/// Where a function is in the text that ran.
#[derive(Clone, Copy)]
pub(super) struct Placement {
    pub(super) function: FunctionId,
    /// What a source map is asked about; `None` for the code outside of functions, without a column, and where the
    /// positions are those of another text.
    pub(super) reported: Option<ReportedFunction>,
    pub(super) found: Found,
}

/// Whether a guessed file is the one that ran: it holds most of the named functions, or, where none has a name, all
/// of the others. A namesake from another project does not. Functions that have a name and no position are asked only
/// where none has a position.
pub(super) fn plausible(profile: &Profile, placements: &[Placement]) -> bool {
    let name = |it: &Placement| profile.name(it.function);
    let mut named: Vec<_> = placements.iter().filter(|it| is_name(name(it))).collect();
    if named.iter().any(|it| has_position(profile, it.function)) {
        named.retain(|it| has_position(profile, it.function));
    }
    let is_found = |it: &Placement| it.found.is_some();
    let hits = named.iter().filter(|it| is_found(it)).count();
    if named.is_empty() { placements.iter().all(is_found) } else { hits * 2 >= named.len() }
}

/// Where all functions of one text are, and whether its positions can be trusted.
pub(super) fn place(profile: &Profile, file: &SourceText, ran: &Ran) -> (Vec<Placement>, bool) {
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
    let mut placements: Vec<Placement> = ran.functions.iter().map(by_position).collect();

    let by_name = |function: FunctionId| {
        let is_made = || ran.transformed && is_component(profile, file, function, &ran.functions);
        let found = unique_by_name(&file.outline, profile.name(function));
        found.or_else(|| is_made().then_some(DefinitionId(0))).map(|it| (it, Confidence::Name))
    };
    let trusted = trustworthy(profile, file, &placements, ran.transformed);
    for it in &mut placements {
        if !trusted {
            *it = Placement { reported: None, found: by_name(it.function), ..*it };
        } else if it.found.is_none() && !has_position(profile, it.function) {
            it.found = by_name(it.function);
        }
    }
    (placements, trusted)
}

/// The innermost definition around an offset. It is the function's if the offset lies in its header, or if the names
/// agree.
fn by_offset(file: &SourceText, name: &str, at: TextSize) -> (DefinitionId, Found) {
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

/// Whether it is the code of a script outside of functions, which starts where the script does: in a page, right
/// after `<script>`. Bun calls it `(module)` and places it where it first called something.
fn is_top_level(file: &SourceText, name: &str, position: Option<Position>) -> bool {
    let start = Position { line: 0, column: Some(0) };
    let starts_script = |it: Position| {
        file.outline.scripts.is_some()
            && file.offset(it).is_some_and(|offset| file.outline.is_start_of_script(offset))
    };
    let is_nameless = matches!(name, "" | "(anonymous)");
    name == "(module)" || is_nameless && position.is_none_or(|it| it == start || starts_script(it))
}

/// Whether the positions are those of this text: nearly all names agree with the names at the positions. Engines
/// guess a few names (an arrow in an array may be called after its neighbour), so some may differ. TypeScript and
/// JSX from a server were transformed on their way, most likely: there every name must agree, and some must.
fn trustworthy(profile: &Profile, file: &SourceText, placements: &[Placement], transformed: bool) -> bool {
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

/// Whether it may be the code in an attribute such as `onclick`, which is in no script.
fn is_handler(file: &SourceText, profile: &Profile, id: FunctionId) -> bool {
    let event = profile.name(id).strip_prefix("on");
    file.outline.scripts.is_some()
        && event.is_some_and(|it| !it.is_empty() && it.bytes().all(|it| it.is_ascii_lowercase()))
}

/// The definition whose header stands on a line, where the trace has no columns: the only one, or the only one
/// of that name.
fn by_line(file: &SourceText, name: &str, line: u32) -> Found {
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

/// Whether it is the function that a compiler made of the code of a component: `setup` of a Vue file that has none, the
/// name of a Svelte file.
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
            // Its name has `_` for what no name may have, and starts with a capital letter.
            let stem = stem.replace(|it: char| !it.is_alphanumeric() && it != '$', "_");
            stem.eq_ignore_ascii_case(name)
        });
    let is_only = || functions.iter().filter(|(id, _)| profile.name(*id) == name).count() == 1;
    let is_defined =
        || file.outline.definitions.iter().any(|it| has_name(it) && source::names_agree(name, it));
    is_made && file.outline.scripts.is_some() && is_only() && !is_defined()
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
