//! Where engines say that a function begins (docs/formats.md, "Where engines place functions").

use profile::model::Position;
use source::definition::{Definition, DefinitionKind};
use text_size::TextSize;

use super::source_text::SourceText;

/// Whether it is the top-level code of a script, which starts where the script does: in a page, right after `<script>`.
/// Bun calls it `(module)`, at the position of its first call.
pub(super) fn is_top_level(file: &SourceText, name: &str, position: Option<Position>) -> bool {
    let start = Position { line: 0, column: Some(0) };
    let starts_script = |at: Position| {
        file.outline.scripts.is_some()
            && file.offset(at).is_some_and(|offset| file.outline.is_start_of_script(offset))
    };
    let is_nameless = matches!(name, "" | "(anonymous)");
    name == "(module)" || is_nameless && position.is_none_or(|at| at == start || starts_script(at))
}

/// Whether an engine places a definition here. V8 says at the `(` of its parameters, at an arrow function's first character,
/// and for a class at the keyword, at the `{` of its body or at a field; Firefox leaves out `async`, and `static`.
pub(super) fn stands_at(file: &SourceText, definition: &Definition, at: TextSize) -> bool {
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
pub(super) fn stands_at_name(definition: &Definition, at: TextSize) -> bool {
    let is_function = definition.kind != DefinitionKind::Class;
    is_function && definition.header.contains(at) && definition.name_range.is_some_and(|it| it.start() == at)
}

/// Whether a position is the `{` of a definition, where JavaScriptCore places a generator.
pub(super) fn stands_at_body(file: &SourceText, definition: &Definition, at: TextSize) -> bool {
    let between = file.text.get(usize::from(definition.header.end())..usize::from(at));
    between.is_some_and(|between| between.trim().is_empty())
}

/// Whether the body of a class, or one of its fields or static blocks, starts here.
fn is_member(file: &SourceText, class: &Definition, at: TextSize) -> bool {
    if at < class.header.end() {
        return file.text[usize::from(at)..].starts_with('{');
    }
    let before = file.text[..usize::from(at)].trim_end_matches([' ', '\t']);
    let line = before.rsplit(['\n', '\r']).next().unwrap_or(before).trim_start();
    let is_open = line.rfind("/*") > line.rfind("*/");
    let is_comment = line.starts_with("//") || line.starts_with('*') || is_open;
    let starts = file.text[usize::from(at)..]
        .starts_with(|first: char| first.is_alphabetic() || "_$#[\"'".contains(first));
    let follows = before.ends_with(['{', '}', ';', '\n', '\r']) || before.ends_with("*/");
    starts && !is_comment && (follows || before.ends_with("static"))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::files::FilePath;

    const TEXT: &str = "\
async function one() {}
const two = async (a) => a;
class Three extends Four {
  static size = 1;
  /* a */ name = two; #key;
  // comment
  ['x'] = 2;
  * five() { yield 1; }
  static { one(); }
}
";

    /// What follows at the places of each definition where it stands.
    fn check(stands: fn(&SourceText, &Definition, TextSize) -> bool, expected: Expect) {
        let file = SourceText::of(&FilePath::new("/a.js"), TEXT.to_owned()).expect("it can be read");
        let definitions = file.outline.definitions.iter().skip(1).map(|definition| {
            let range = definition.range;
            let places = (usize::from(range.start())..usize::from(range.end()))
                .filter(|at| stands(&file, definition, TextSize::new(*at as u32)))
                .map(|at| TEXT[at..].chars().take_while(|letter| *letter != '\n').take(6).collect())
                .collect::<Vec<String>>();
            format!("{}: {}\n", definition.path, places.join(" | "))
        });
        expected.assert_eq(&definitions.collect::<String>());
    }

    #[test]
    fn where_engines_place_functions() {
        check(
            stands_at,
            expect![[r#"
            one: one()  | () {}
            two: async  |  (a) = | (a) =>
            Three: class  | { | static | size = | name = | #key; | ['x']  | static | one();
            Three.five: five() | () { y
        "#]],
        );
        check(
            |_, definition, at| stands_at_name(definition, at),
            expect![[r#"
            one: one() 
            two: 
            Three: 
            Three.five: five()
        "#]],
        );
        check(
            stands_at_body,
            expect![[r#"
            one: {}
            two: a;
            Three:  |   stat |  stati | static
            Three.five: { yiel
        "#]],
        );
    }

    #[test]
    fn where_code_outside_of_functions_starts() {
        let page = "<script>a();</script>\n<script>b();</script>\n";
        let [script, page] = [("/a.js", TEXT), ("/a.html", page)].map(|(path, text)| {
            SourceText::of(&FilePath::new(path), text.to_owned()).expect("it can be read")
        });
        let at = |line, column| Some(Position { line, column: Some(column) });
        let cases = [
            ("", None, [true, true]),
            ("", at(0, 0), [true, true]),
            ("(anonymous)", at(0, 0), [true, true]),
            ("one", at(0, 0), [false, false]),
            ("one", None, [false, false]),
            ("(module)", at(7, 3), [true, true]),
            ("", at(0, 8), [false, true]),
            ("", at(1, 8), [false, true]),
            ("", at(1, 9), [false, false]),
        ];
        for (name, position, expected) in cases {
            let are = [&script, &page].map(|file| is_top_level(file, name, position));
            assert_eq!(are, expected, "{name} at {position:?}");
        }
    }
}
