//! Layouts of loaders, compared with what the tools really print for one text (`ORIGIN.md`).

#![allow(clippy::unwrap_used, reason = "these are tests, their helpers too")]

use std::fs;

use source::definition::{DefinitionKind, Outline};
use source::language::Language;
use source::large_stack::outline;
use source::loaders::{LOADERS, PrintedFunction, layouts};
use source::name::names_agree;
use source::text::{Encoding, LineCol, LineEnds, LineIndex};

/// The lines, counted from that of the first function, and the columns of functions and methods.
type Places = Vec<(i64, i64, String)>;

fn relative(mut places: Places) -> Places {
    places.sort();
    let first = places.first().unwrap().0;
    places.into_iter().map(|(line, column, name)| (line - first, column, name)).collect()
}

/// Where the functions are that a tool printed, if the text has one with that name. Functions on the line of the tool's own
/// helpers are not from the text.
fn printed(code: &str, written: &Outline) -> Places {
    let outline = outline(code, Language::JavaScript).unwrap();
    let lines = LineIndex::new(code, LineEnds::Engine);
    let is_written =
        |name: &str| written.definitions.iter().any(|it| names_agree(name, it) && it.name == name);
    let is_function = |kind| !matches!(kind, DefinitionKind::TopLevel | DefinitionKind::Class);
    let start = code.find("class Text").unwrap();
    let functions = outline.definitions.iter().filter(|it| is_function(it.kind) && is_written(&it.name));
    let places = functions.filter(|it| usize::from(it.defined_at) > start).map(|it| {
        let LineCol { line, column } = lines.line_col(code, it.defined_at, Encoding::Utf16);
        (i64::from(line), i64::from(column), it.name.clone())
    });
    relative(places.collect())
}

/// Compares the layouts of each loader whose output is there with that output; returns how many there are.
fn compare(file: &str, prefix: &str) -> usize {
    let folder = format!("{}/tests/loaders", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(format!("{folder}/{file}")).unwrap();
    let written = outline(&text, Language::TypeScript).unwrap();
    let mut compared = 0;
    for loader in &LOADERS {
        let file = loader.name.replace(' ', "-").replace(['(', ')'], "");
        let Ok(code) = fs::read_to_string(format!("{folder}/{prefix}{file}.js")) else { continue };
        let real = printed(&code, &written);
        let places = layouts(&text, Language::TypeScript, &written, loader).into_iter().map(|layout| {
            let functions = layout.functions.iter().filter(|it| {
                !matches!(written.get(it.definition).kind, DefinitionKind::TopLevel | DefinitionKind::Class)
            });
            let name = |it: &PrintedFunction| written.get(it.definition).name.clone();
            let places = functions.map(|it| (i64::from(it.line), i64::from(it.column), name(it)));
            // tsx hands functions to `__name`, so they have another name in what it prints.
            relative(places.filter(|it| real.iter().any(|real| real.2 == it.2)).collect())
        });
        // In dense text the helpers before it are on the same line.
        let by = |places: &Places| if loader.name.starts_with("tsx") { places[0].1 } else { 0 };
        let comparable = |places: Places| -> Places {
            let by = by(&places);
            places.into_iter().map(|(line, column, name)| (line, column - by, name)).collect()
        };
        let places: Vec<Places> = places.map(comparable).collect();
        let real = comparable(real);
        let nearest = places.iter().find(|it| **it == real).or(places.last()).unwrap();
        assert_eq!(nearest, &real, "{} of {prefix}", loader.name);
        compared += 1;
    }
    compared
}

#[test]
fn layouts_are_what_the_tools_print() {
    assert_eq!(compare("text.ts", ""), 6);
}

#[test]
fn lines_break_where_the_tools_break_them() {
    assert_eq!(compare("lists.ts", "lists-"), 6);
}

#[test]
fn line_ends_of_any_kind_are_lines() {
    let text =
        "export class A {\n  m(b: string) { return `x\n${b}`; }\n}\nexport const f = (a: A) => a.m('y');\n";
    for end in ["\n", "\r\n", "\r", "\u{2028}", "\u{2029}"] {
        let text = text.replace('\n', end);
        let written = outline(&text, Language::TypeScript).unwrap();
        for loader in &LOADERS {
            for layout in layouts(&text, Language::TypeScript, &written, loader) {
                let names = layout.functions.iter().map(|it| written.get(it.definition).name.as_str());
                // Engines make functions of classes at several places.
                let mut names: Vec<&str> = names.collect();
                names.dedup();
                assert_eq!(names, ["A", "m", "f"], "{} {end:?}", loader.name);
            }
        }
    }
}
