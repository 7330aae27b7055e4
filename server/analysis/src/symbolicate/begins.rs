//! Where engines say that a function begins (docs/formats.md, "Where engines place functions").

use profile::model::Position;
use source::definition::{Definition, DefinitionKind};
use text_size::TextSize;

use super::source_text::SourceText;

/// Whether a function is the top-level code of a script, which starts where the script does: in a page, right after `<script>`.
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

/// A place where an engine says that a definition begins.
struct Begins {
    /// The engine, for readers.
    #[expect(dead_code, reason = "says where the row comes from")]
    engine: &'static str,
    /// Which definitions the row is about.
    of: Kinds,
    place: StartsAt,
}

/// All definitions or some of them.
enum Kinds {
    All,
    Arrows,
    Classes,
    AllButClasses,
}

enum StartsAt {
    /// `(` of the parameters, the first character of an arrow function, `class`.
    DefinedAt,
    /// The start of the name.
    Name,
    /// What follows `async`.
    AfterAsync,
    /// `{` of the body of a class.
    BodyOfClass,
    /// A field or a static block, or what follows `static` there.
    Member,
}

/// Measured: docs/formats.md, "Where engines place functions".
const BEGINS: [Begins; 5] = [
    Begins { engine: "all", of: Kinds::All, place: StartsAt::DefinedAt },
    Begins {
        engine: "Deno, which maps positions back itself",
        of: Kinds::AllButClasses,
        place: StartsAt::Name,
    },
    Begins { engine: "Firefox", of: Kinds::Arrows, place: StartsAt::AfterAsync },
    Begins { engine: "V8", of: Kinds::Classes, place: StartsAt::BodyOfClass },
    Begins { engine: "V8, Firefox", of: Kinds::Classes, place: StartsAt::Member },
];

impl Kinds {
    fn has(&self, kind: DefinitionKind) -> bool {
        match self {
            Self::All => true,
            Self::Arrows => kind == DefinitionKind::Arrow,
            Self::Classes => kind == DefinitionKind::Class,
            Self::AllButClasses => kind != DefinitionKind::Class,
        }
    }
}

impl StartsAt {
    fn is(&self, file: &SourceText, definition: &Definition, at: TextSize) -> bool {
        let text = |from: TextSize, to: TextSize| file.text.get(usize::from(from)..usize::from(to));
        match self {
            Self::DefinedAt => at == definition.defined_at,
            Self::Name => {
                definition.header.contains(at) && definition.name_range.is_some_and(|name| name.start() == at)
            }
            Self::AfterAsync => {
                text(definition.defined_at, at).is_some_and(|before| before.trim() == "async")
            }
            Self::BodyOfClass => {
                at < definition.header.end() && file.text[usize::from(at)..].starts_with('{')
            }
            Self::Member => at >= definition.header.end() && is_member(file, at),
        }
    }
}

/// Whether an engine places a definition here.
pub(super) fn stands_at(file: &SourceText, definition: &Definition, at: TextSize) -> bool {
    BEGINS.iter().any(|row| row.of.has(definition.kind) && row.place.is(file, definition, at))
}

/// Whether a position is the start of a name, as Deno gives it.
pub(super) fn stands_at_name(file: &SourceText, definition: &Definition, at: TextSize) -> bool {
    Kinds::AllButClasses.has(definition.kind) && StartsAt::Name.is(file, definition, at)
}

/// Whether a position is the `{` of a definition, where JavaScriptCore places a generator.
pub(super) fn stands_at_body(file: &SourceText, definition: &Definition, at: TextSize) -> bool {
    let between = file.text.get(usize::from(definition.header.end())..usize::from(at));
    between.is_some_and(|between| between.trim().is_empty())
}

/// Whether a field or a static block starts here, in the body of a class.
fn is_member(file: &SourceText, at: TextSize) -> bool {
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

    /// Lists, for each definition, what follows at the places where `stands` holds.
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
            stands_at_name,
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
