//! Writes what `report`, `compare` and `doctor` print as JSON into the documentation, from the types that they print.

use std::fmt::Write;

use crate::generated::between_marks_of;
use crate::protocol::{Field, Kind, PROBLEM, Presence, Shape, Type, parsed};
use crate::tree::read;

const PAGE: &str = "docs/json.md";
/// The commands, and the files with their types.
const COMMANDS: [(&str, &[&str]); 3] = [
    (
        "report",
        &[
            "server/proflens/src/cli/json.rs",
            "server/proflens/src/cli/json/calls.rs",
            "server/proflens/src/cli/json/deopts.rs",
            "server/proflens/src/cli/json/inlined.rs",
            "server/proflens/src/cli/json/rendering.rs",
            "server/proflens/src/cli/json/packages.rs",
        ],
    ),
    (
        "compare",
        &["server/proflens/src/cli/compare/json.rs", "server/proflens/src/cli/compare/json/calls.rs"],
    ),
    ("doctor", &["server/proflens/src/cli/doctor/json.rs"]),
];

#[test]
fn the_json_in_the_documentation() {
    let mut page = read(PAGE);
    for (command, sources) in COMMANDS {
        let of_file = |file: &&str| parsed(&read(file), |it| it.starts_with("Json")).types;
        let mut types: Vec<Type> = sources.iter().flat_map(of_file).collect();
        types.extend(parsed(&read(PROBLEM), |it| it == "Problem").types);
        page = between_marks_of(&page, PAGE, command, &tables(command, &types));
    }
    crate::generated::check(PAGE, &page);
}

/// Types that are one of a few words, which stand in the documentation of the field.
const WORDS: [&str; 8] =
    ["Base", "Cause", "Confidence", "Freshness", "Method", "Presence", "Unit", "Verdict"];

/// A table for each type that is a value of another one; the first one is what is printed.
fn tables(command: &str, types: &[Type]) -> String {
    let values: Vec<&str> = types.iter().flat_map(values_of).collect();
    let mut text = String::new();
    for (number, it) in types.iter().enumerate().filter(|it| it.0 == 0 || values.contains(&&*it.1.name)) {
        let Shape::Fields(fields) = &it.shape else { panic!("{} is not an object", it.name) };
        if number > 0 {
            write!(text, "\n### {}\n\n", title(command, &it.name)).unwrap();
        }
        write!(text, "{}\n\n| field | value | |\n| --- | --- | --- |\n", it.doc).unwrap();
        for field in fields {
            if field.is_flat && !field.kind.named().is_empty() {
                let flat =
                    types.iter().find(|it| it.name == field.kind.named()).expect("it is declared here");
                let Shape::Fields(fields) = &flat.shape else { panic!("{} is not an object", flat.name) };
                fields.iter().for_each(|it| text += &row(command, &flat.name, it));
            } else {
                text += &row(command, &it.name, field);
            }
        }
    }
    text
}

/// The types of the values of a type, except those whose fields stand in their place.
fn values_of(object: &Type) -> Vec<&str> {
    let Shape::Fields(fields) = &object.shape else { return Vec::new() };
    fields.iter().filter(|it| !it.is_flat).map(|it| it.kind.named()).collect()
}

fn row(command: &str, owner: &str, field: &Field) -> String {
    assert!(!field.doc.is_empty(), "{owner}: {} has no documentation", field.name);
    let or_null = if field.presence == Presence::Nullable { " or `null`" } else { "" };
    let may_be_missing = if field.presence == Presence::Optional { "?" } else { "" };
    let (name, value) = (&field.name, words(command, &field.kind, false));
    format!("| `{name}`{may_be_missing} | {value}{or_null} | {} |\n", field.doc.replace('|', "\\|"))
}

fn words(command: &str, kind: &Kind, are_several: bool) -> String {
    let plural = |word: &str| if are_several { format!("{word}s") } else { word.to_owned() };
    match kind {
        Kind::Text => plural("text"),
        Kind::Integer => plural("integer"),
        Kind::Number => plural("number"),
        Kind::Bool => "`true` or `false`".to_owned(),
        Kind::List(items) => format!("list of {}", words(command, items, true)),
        Kind::Own(name) if WORDS.contains(&&**name) => plural("text"),
        Kind::Own(name) => {
            let title = title(command, name);
            let link = title.to_lowercase().replace([':', '`'], "").replace(' ', "-");
            format!("[{}](#{link})", title.split(": ").last().unwrap_or_default())
        }
        Kind::Standard(name) => panic!("{name} belongs to another protocol"),
    }
}

/// `JsonUnplacedFunction` of `report` is `report: unplaced function`.
fn title(command: &str, name: &str) -> String {
    let mut words = String::new();
    for letter in name.trim_start_matches("Json").chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    format!("{command}: {words}")
}
