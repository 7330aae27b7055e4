//! What an outline depends on, and that it does not depend on the pieces that a text is read in.

use std::path::{Path, PathBuf};

use super::*;
use crate::text::text_of;

const ROOM: usize = 256 << 20;

/// Pieces of a size, or everything at once; a part that cannot be split is never too large.
fn in_pieces(piece: Option<u32>) -> Limits {
    Limits {
        short: if piece.is_some() { 0 } else { usize::MAX },
        piece: piece.unwrap_or(0),
        largest: u32::MAX,
        stack: ROOM,
    }
}

/// Pieces of a size, without tolerance for wrong splits.
fn without_a_second_chance(piece: u32, text: &str) -> Limits {
    let split_points = SplitPoints::new(text, piece);
    Limits { largest: split_points.whole.size() - 1, ..in_pieces(Some(piece)) }
}

/// The files of the repository's tests that are JavaScript or TypeScript.
fn texts() -> Vec<(PathBuf, String, Language)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders =
        ["tests", "examples", "server/source/tests", "editors"].map(|it| root.join(it)).to_vec();
    let mut texts = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let language = Language::of_path(&path.to_string_lossy()).filter(|it| !it.is_markup());
            // Built or installed files are not the same everywhere.
            let is_built = path.ends_with("node_modules") || path.ends_with("vscode/dist");
            if path.is_dir() && !is_built {
                folders.push(path);
            } else if let Some(language) = language {
                let text = text_of(&std::fs::read(&path).expect("it is there"));
                texts.push((path, text, language));
            }
        }
    }
    texts
}

#[test]
fn pieces_of_any_size_make_no_difference() {
    let mut texts = texts();
    let long = |text: &str| text.replace("();", "('so long that it is worth a cut', 1, 2, 3);");
    texts.extend(DRAWN.map(|it| (PathBuf::from(it), long(it), Language::JavaScript)));
    assert!(texts.len() > 50, "the tests of the repository hold code");
    let compare = move || {
        for (path, text, language) in &texts {
            let Ok(whole) = parse_in(in_pieces(None), text, *language, ROOM) else { continue };
            // Sizes that are unrelated to each other.
            for piece in [1, 7, 50, 333, 4_000] {
                let pieces = parse_in(in_pieces(Some(piece)), text, *language, ROOM);
                assert_eq!(pieces.as_ref(), Ok(&whole), "{} in pieces of {piece}", path.display());
            }
        }
    };
    let roomy = std::thread::Builder::new().stack_size(ROOM).spawn(compare).expect("a thread");
    roomy.join().expect("no text makes a difference");
}

/// Where splits could go wrong.
const DRAWN: [&str; 14] = [
    "if (a) b(); else c(function () { d(); });\ndo e(); while (f)\ng = function () { h(() => { i(); }) }",
    "for await (const x of y) { z(function () { return 1; }); }\nswitch (a) { case 1: b(() => { c(); }); }",
    "const o = { a() { return `}${b(() => { c('}'); })}{`; }, [d(function () { e(); })]: () => { f(); } };",
    "if (a) /'\"{/.test(b); c = function () { d(); };\nif (e) { } /}/.exec(f); g(() => { h(); });",
    "n++ / 2; a = function () { b(); }; c = n-- / d / (() => { e(); })();",
    "class A extends b(function () { c(); }) { static { d(() => { e(); }); } f = () => { g(); }; h() { i(); } }",
    "export const a = () => { b(); };\nawait (c)(() => { d(); });\nexport default function () { e(); }\n",
    "await (() => { a(); })(1);\nb(function () { c(); });\nimport d from 'd';\n",
    "async function* a() { yield* b(async () => { await (c)(() => { d(); }); for await (e of f) { g(); } }); }",
    "function a(b = function () { c(); d(); e(); f(); g(); h(); i(); j(); k(); }) { return b; }\n",
    "promise.catch(function () { a(); }).then(() => { b(); }); x = { catch() { c(() => { d(); }); } };",
    "label: { a(() => { b(); }); }\nvar c = {}\nfunction d() { return function d() { e(); } }\nfunction d() { }",
    "// }\na(() => { /* } */ b(); // {\n});;;\n'use strict'; c(function () { 'use strict'; d(); })\n",
    "(function () { var a = function () { b(); }, c = () => ({ d: function () { e(); } }); f.g = () => { h(); } })()",
];

#[test]
fn cuts_are_right_at_the_first_go() {
    let function = "function name(a, b) { if (a) { return b.map(it => { return it * a; }); } return [a, b, a + b, a - b]; }\n";
    let list = function.repeat(40);
    let method = function.replace("function name", "name").repeat(40).replace("}\nname", "},\nname");
    let rows = [
        ("many functions on one line", list.replace('\n', " ")),
        ("a bundle in one function", format!("(() => {{ 'use strict';\n{list}}})();\n")),
        (
            "functions in functions",
            format!("var a = function () {{ {list} }}, b = async () => {{ {list} }};"),
        ),
        ("an object of modules", format!("modules = {{\n{method}}};\n")),
        (
            "calls",
            format!("define('a', [], function* (b) {{ {list} }});\ndefine('b', function () {{ {list} }});"),
        ),
    ];
    for (what, text) in rows {
        let whole = parse_in(in_pieces(None), &text, Language::JavaScript, ROOM);
        let pieces = parse_in(without_a_second_chance(200, &text), &text, Language::JavaScript, ROOM);
        assert_eq!(pieces, whole, "{what}");
    }
}

#[test]
fn what_cannot_be_cut_is_refused_above_a_size() {
    let text = format!("const table = [{}];\n", "1, ".repeat(1_000));
    let read = |largest| {
        parse_in(Limits { short: 0, piece: 100, largest, stack: ROOM }, &text, Language::JavaScript, ROOM)
    };
    assert_eq!(read(1_000), Err(ParseFailure::TooLarge));
    assert!(read(3_000).is_ok());
    let broken = "function f() { return 1; }\n".repeat(50) + "function (";
    let whole = parse_in(in_pieces(None), &broken, Language::JavaScript, ROOM);
    assert_eq!(parse_in(in_pieces(Some(100)), &broken, Language::JavaScript, ROOM), whole);
}

/// The code outside of functions stays the same while only functions come, go and change.
#[test]
fn the_top_level_without_its_definitions() {
    let fingerprint = |text| parse(text, Language::JavaScript, 64 << 20).unwrap().definitions[0].fingerprint;
    let rows = [
        ("f();\nfunction f() {}\n", "f();\n", true),
        ("f();\nexport function f() { g(); }\n", "f();\n", true),
        ("f();\nexport const f = async () => 1;\n", "f();\n", true),
        ("f();\nmodule.exports.f = function () {};\n", "f();\n", true),
        ("f();\nexport default class { x = () => 1; }\n", "f();\n", true),
        ("f();\nconst f = () => 1, one = 1;\n", "f();\n", false),
        ("f();\n(function () { g(); })();\n", "f();\n", true),
        ("on('click', () => 1);\n", "on('click', () => 2);\n", true),
        ("on('click', () => 1);\n", "on('press', () => 1);\n", false),
        ("f();\n", "\n\n// more\nf();\n", true),
    ];
    for (before, after, same) in rows {
        assert_eq!(fingerprint(before) == fingerprint(after), same, "{before} -> {after}");
    }
}

#[test]
fn a_class_without_its_definitions() {
    let fingerprint = |text| parse(text, Language::JavaScript, 64 << 20).unwrap().definitions[1].fingerprint;
    let rows = [
        ("class C { x = 1; m() {} }", "class C { x = 1; }", true),
        ("export class C { x = 1; f = () => 1; }", "export class C { x = 1; }", true),
        ("class C { x = 1; }", "class C { x = 2; }", false),
    ];
    for (before, after, same) in rows {
        assert_eq!(fingerprint(before) == fingerprint(after), same, "{before} -> {after}");
    }
}

#[test]
fn a_backslash_at_the_end_is_a_mistake_but_not_in_a_comment() {
    let is_read = |text| parse(text, Language::JavaScript, 64 << 20).is_ok();
    let rows = [
        ("1 == fun * fu\\", false),
        ("1 == fun * fu\\ \n", false),
        ("1; // fu\\", true),
        ("1; /* \\ */", true),
    ];
    assert_eq!(rows.map(|it| is_read(it.0)), rows.map(|it| it.1));
}

#[test]
fn a_hashbang_that_slipped_down_is_a_mistake() {
    assert!(parse("\n#!/usr/bin/env node\nfunction f() {}\n", Language::JavaScript, 64 << 20).is_err());
    assert!(parse("#!/usr/bin/env node\nfunction f() {}\n", Language::JavaScript, 64 << 20).is_ok());
}

#[test]
fn the_top_level_begins_at_the_first_character_that_is_seen() {
    let anchor =
        |text| usize::from(parse(text, Language::JavaScript, 64 << 20).unwrap().definitions[0].anchor());
    assert_eq!([anchor("f();"), anchor("\n\n  // more\nf();"), anchor("\n"), anchor("")], [0, 4, 0, 0]);
}
