//! Finds functions in the text that ran by their positions.
//!
//! A position belongs to the definition whose header contains it (docs/formats.md, "Where engines place functions").
//! Whether the positions of a file can be trusted is decided for all its functions together: if they do not stand where
//! engines place functions, or names disagree, the text is not the one that ran (`statements`). Then functions are found
//! by their order (`transformed`), or only by names that are unique in the text (`by_name`).

use source::definition::{Definition, DefinitionId, DefinitionKind};
use source::language::Language;
use source::map::ReportedFunction;
use source::name::names_agree;
use text_size::TextSize;

use super::begins::is_top_level;
use super::by_name::{by_name, has_name, is_name, place_by_name};
use super::placement::{Confidence, Placement, PositionMatch, ScriptInText};
use super::source_text::SourceText;
use super::statements::{Positions, Statements};
use crate::rules::Rule;

/// Finds all functions of one script in a text, and returns whether their positions are positions in this text.
pub(super) fn place(script: ScriptInText<'_>, language: Language) -> (Vec<Placement>, Positions) {
    let mut placements = by_position(script);
    let positions = Statements::new(script, language, &placements).positions();
    if positions == Positions::InAnother {
        place_by_name(script, &mut placements);
    } else {
        for it in &mut placements {
            if it.found.is_none() && script.profile.functions[it.function.0 as usize].defined_at.is_none() {
                it.found = by_name(script, it.function);
            }
        }
    }
    (placements, positions)
}

/// What the functions of a script say of a text of its file, before other texts are considered.
pub(super) fn statements_in(script: ScriptInText<'_>, language: Language) -> Statements {
    Statements::new(script, language, &by_position(script))
}

/// Finds the functions of a script as if their positions were positions in this text.
fn by_position(script: ScriptInText<'_>) -> Vec<Placement> {
    let ScriptInText { profile, text: file, functions } = script;
    let placements = functions.positions.iter().map(|&(function, position)| {
        let name = profile.name(function);
        if is_top_level(file, name, position) {
            // V8 gives no position for many modules.
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
    });
    placements.collect()
}

/// Finds the innermost definition around an offset. It is the function's own if its header contains the offset, or if
/// it has the same name.
fn by_offset(file: &SourceText, name: &str, at: TextSize) -> (DefinitionId, PositionMatch) {
    let id = file.outline.around(at).unwrap_or(DefinitionId(0));
    let definition = file.outline.get(id);
    let found = match definition.kind {
        DefinitionKind::TopLevel => None,
        DefinitionKind::Class => may_be_class(file, name, at, id).then_some((id, Confidence::Exact)),
        _ if definition.header.contains(at) => Some((id, Confidence::Exact)),
        _ if is_name(name) && has_name(definition) && names_agree(name, definition) => {
            Some((id, Confidence::Snapped))
        }
        _ => None,
    };
    (id, found)
}

/// Whether a function at an offset of a class may be something that engines make of the class itself. At the `{` or
/// anywhere after it, that is the code of the fields, without a name or with that of the class. Before the `{`, it is the
/// constructor, if none is written.
fn may_be_class(file: &SourceText, name: &str, at: TextSize, id: DefinitionId) -> bool {
    let class = file.outline.get(id);
    let is_before_body = class.header.contains(at) && !file.text[usize::from(at)..].starts_with('{');
    match is_before_body {
        _ if !is_name(name) => true,
        true => file.outline.constructor(id).is_none(),
        false => has_name(class) && names_agree(name, class),
    }
}

/// The definition whose header is on a line, for traces without columns: the only one there, or the only one with that name.
fn by_line(file: &SourceText, name: &str, line: u32) -> PositionMatch {
    let on_line = (0..).map(DefinitionId).zip(&file.outline.definitions).filter(|(_, it)| {
        let lines = file.engine_line(it.header.start())..=file.engine_line(it.header.end());
        it.kind != DefinitionKind::TopLevel && lines.contains(&line)
    });
    let mut candidates: Vec<(DefinitionId, &Definition)> = on_line.collect();
    if candidates.len() > 1 {
        candidates.retain(|(_, it)| names_agree(name, it));
    }
    match candidates[..] {
        [(only, _)] => Some((only, Confidence::Snapped)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::FilePath;

    /// A function in a class may be the class itself: the code of its fields, or its constructor if none is written.
    #[test]
    fn functions_of_a_class_by_their_offsets() {
        let text = "class A { x = 1; constructor() {} } class B { y = 2; } (class { z = 3; })";
        let file = SourceText::of(&FilePath::new("/a.js"), text.to_owned()).expect("it can be read");
        let at = |mark: &str| TextSize::new(text.find(mark).expect("it is there") as u32);
        let cases = [
            ("A", "class A", None),
            ("", "class A", Some("A")),
            ("A", "{ x", Some("A")),
            ("A", "x = 1", Some("A")),
            ("run", "x = 1", None),
            ("", "x = 1", Some("A")),
            ("A", "() {}", Some("A.constructor")),
            ("B", "class B", Some("B")),
            ("renamed", "class B", Some("B")),
            ("B", "y = 2", Some("B")),
            ("run", "y = 2", None),
            ("run", "z = 3", None),
            ("<instance_members_initializer>", "z = 3", Some("(anonymous)")),
        ];
        let found = cases.map(|(name, mark, _)| {
            let found = by_offset(&file, name, at(mark)).1;
            (name, mark, found.map(|(id, _)| file.outline.get(id).path.as_str()))
        });
        assert_eq!(found, cases);
    }

    /// Traces without columns: a function is the only one on its line, or the only one with its name there.
    #[test]
    fn functions_by_their_lines() {
        let text = "function one() {\n  two(() => 1);\n}\nconst three = () => 1, four = () => 2;\nf(() => 1, () => 2);\nfunction five(\n  a,\n) {}\n";
        let file = SourceText::of(&FilePath::new("/a.js"), text.to_owned()).expect("it can be read");
        let cases = [
            ("one", 0, Some("one")),
            ("other", 0, Some("one")),
            ("", 1, Some("one.two callback")),
            ("", 2, None),
            ("three", 3, Some("three")),
            ("four", 3, Some("four")),
            ("other", 3, None),
            ("", 4, None),
            ("five", 6, Some("five")),
            ("five", 7, Some("five")),
            ("", 9, None),
        ];
        let found = cases.map(|(name, line, _)| {
            let found = by_line(&file, name, line);
            let found = found.inspect(|(_, confidence)| assert_eq!(*confidence, Confidence::Snapped));
            (name, line, found.map(|(id, _)| file.outline.get(id).path.as_str()))
        });
        assert_eq!(found, cases);
    }
}
