//! Finds functions by the starts of their names in the source as it was written. A slice has these: the functions were
//! already found once, so nothing has to be guessed about what a tool made of the text.

use rustc_hash::FxHashMap;
use source::definition::DefinitionId;
use source::text::LineCol;

use super::by_name::unique_by_name;
use super::placement::{Confidence, Placement, ScriptInText};
use crate::rules::Rule;

/// Finds all functions of a text. If it `is_theirs`, the positions belong to it. Otherwise it is a later version, in
/// which a function whose position now has another name is found only by its name.
pub(super) fn place_by_start(script: ScriptInText<'_>, is_theirs: bool) -> Vec<Placement> {
    let ScriptInText { profile, text, functions } = script;
    let mut starts: FxHashMap<LineCol, Vec<DefinitionId>> = FxHashMap::default();
    for (id, definition) in (0..).map(DefinitionId).zip(&text.outline.definitions) {
        starts.entry(text.line_col(definition.anchor())).or_default().push(id);
    }
    let placements = functions.positions.iter().map(|&(function, position)| {
        let name = profile.name(function);
        let at = position.and_then(|it| Some(LineCol { line: it.line, column: it.column? }));
        let here = at.and_then(|it| starts.get(&it)).map_or(&[][..], Vec::as_slice);
        let exact = match here {
            _ if !functions.rules.has(Rule::StartOfName) => None,
            [one] if is_theirs => Some(*one),
            several => several.iter().find(|it| text.outline.get(**it).name == name).copied(),
        };
        let by_name =
            || unique_by_name(&text.outline, name).filter(|_| !is_theirs && functions.rules.has(Rule::Name));
        let found = exact.map(|it| (it, Confidence::Exact));
        let found = found.or_else(|| by_name().map(|it| (it, Confidence::Name)));
        Placement { function, reported: None, found }
    });
    placements.collect()
}
