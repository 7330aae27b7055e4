//! Outlines of whole texts: what is found, where, under which name, and that nothing ends the process.

mod broken;
mod deep;
mod embedded;
mod kinds;
mod lookup;
mod names;

use source::definition::Outline;
use source::language::Language;
use source::large_stack::outline;

/// Each definition except the top level: kind, path, and the header with `|` where a hint goes.
fn drawn(text: &str, outline: &Outline) -> String {
    let mut lines = String::new();
    for definition in &outline.definitions[1..] {
        let before = &text[text_size::TextRange::new(definition.header.start(), definition.hint_at)];
        let behind = &text[text_size::TextRange::new(definition.hint_at, definition.header.end())];
        let header = format!("{before}|{behind}").split_whitespace().collect::<Vec<_>>().join(" ");
        lines += &format!("{:?} {}: {header}\n", definition.kind, definition.path);
    }
    lines
}

fn check(language: Language, text: &str, expected: expect_test::Expect) {
    let outline = outline(text, language).expect("it is not deep");
    assert!(outline.exact, "the text parses");
    expected.assert_eq(&drawn(text, &outline));
}
