//! Arrows only ever point down: between rooms, and between the modules of one room.

use std::collections::BTreeMap;

use crate::tree::{Text, read, rust};

/// The rooms from the top floor to the bottom; a room depends on rooms of lower floors only.
const ROOMS: [&[&str]; 4] = [&["proflens"], &["analysis"], &["profile", "source"], &["testkit"]];

/// The modules of each room from the top floor to the bottom. Modules of one floor do not know each other.
const MODULES: [(&str, &[&[&str]]); 5] = [
    ("testkit", &[&["drawing"], &["columns"], &["markers"]]),
    (
        "profile",
        &[
            &["decode", "encode", "rename"],
            &["calls"],
            &["builder", "tally"],
            &["weigh"],
            &["model"],
            &["problem", "strings", "units"],
        ],
    ),
    (
        "source",
        &[
            &["map", "outline", "shift"],
            &["embedded"],
            &["repair"],
            &["tree", "token_hashes"],
            &["piece"],
            &["cuts", "finish"],
            &["collect", "depth", "fingerprint"],
            &["changes", "name", "skim"],
            &["definition"],
            &["language", "text"],
        ],
    ),
    (
        "analysis",
        &[
            &["drawings"],
            &["fixture"],
            &["views"],
            &["recording"],
            &["renaming", "summary"],
            &["symbolicate"],
            &["component", "ran"],
            &["originals"],
            &["launch", "maps", "placing", "sources"],
            &["locate"],
            &["measured"],
            &["anchor", "display", "document"],
            &["files", "threads", "why"],
        ],
    ),
    (
        "proflens",
        &[
            &["main"],
            &["cli", "lsp"],
            &["server"],
            &["handlers"],
            &["state"],
            &["proto"],
            &["serve"],
            &["folder", "locating"],
            &["amounts", "config", "disk", "logging", "memory"],
            &["history"],
        ],
    ),
];

/// Folders whose files do not know each other, and the files in them that hold what the others share.
const STRANGERS: [(&str, &[&str]); 1] = [("server/analysis/src/views/", &["shown", "template"])];

#[test]
fn rooms_depend_on_lower_rooms_only() {
    let floor =
        |room: &str| ROOMS.iter().position(|it| it.contains(&room)).unwrap_or_else(|| panic!("{room}?"));
    let mut upward = Vec::new();
    for room in ROOMS.concat() {
        let manifest = read(&format!("server/{room}/Cargo.toml"));
        let needs = manifest.lines().filter_map(|it| it.split_once(".workspace = true")).map(|it| it.0);
        let rooms = needs.filter(|it| ROOMS.concat().contains(it));
        upward.extend(rooms.filter(|it| floor(it) <= floor(room)).map(|it| format!("{room} -> {it}")));
    }
    assert_eq!(upward, [""; 0]);
}

#[test]
fn the_kit_for_tests_is_for_tests() {
    for room in ["proflens", "analysis", "profile", "source"] {
        let manifest = read(&format!("server/{room}/Cargo.toml"));
        let (built, _) = manifest.split_once("[dev-dependencies]").unwrap_or((&manifest, ""));
        assert!(!built.contains("testkit"), "{room} depends on testkit outside of its tests");
    }
}

#[test]
fn modules_use_lower_modules_only() {
    let files = rust();
    let mut wrong = Vec::new();
    for (room, floors) in MODULES {
        let source = format!("server/{room}/src/");
        let inside: Vec<&Text> = files.iter().filter(|it| it.path.starts_with(&source)).collect();
        let door =
            inside.iter().find(|it| it.path.ends_with("src/lib.rs")).expect("every room has a front door");
        let exports = exports(&door.text);
        let floor = |module: &str| floors.iter().position(|it| it.contains(&module));
        for file in &inside {
            let module = module_of(&file.path[source.len()..]);
            let Some(own) = floor(module) else {
                if module != "lib" {
                    wrong.push(format!("{}: give the module `{module}` a floor", file.path));
                }
                continue;
            };
            for name in names_of_this_crate(without_tests(&file.text)) {
                let used = exports.get(name.as_str()).map_or(name.as_str(), String::as_str);
                match floor(used) {
                    Some(other) if other < own || (other == own && used != module) => {
                        wrong.push(format!("{}: `{module}` uses `{used}`, which is no lower", file.path));
                    }
                    Some(_) => {}
                    None => wrong.push(format!("{}: `crate::{name}` is of no known module", file.path)),
                }
            }
        }
    }
    wrong.dedup();
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn every_module_with_a_floor_exists() {
    let files = rust();
    for (room, floors) in MODULES {
        for module in floors.concat() {
            let source = format!("server/{room}/src/");
            let found = files
                .iter()
                .any(|it| it.path.strip_prefix(&source).is_some_and(|it| module_of(it) == module));
            assert!(found, "{room} has no module `{module}`: take it from the list");
        }
    }
}

#[test]
fn strangers_stay_strangers() {
    for (folder, shared) in STRANGERS {
        let files: Vec<Text> = rust().into_iter().filter(|it| it.path.starts_with(folder)).collect();
        for file in &files {
            let code = without_tests(&file.text);
            let module = folder.trim_end_matches('/').rsplit('/').next().unwrap();
            let others = files.iter().map(|it| it.path[folder.len()..].trim_end_matches(".rs"));
            for other in others.filter(|it| !shared.contains(it)) {
                for path in [format!("super::{other}"), format!("crate::{module}::{other}")] {
                    assert!(!code.contains(&path), "{} uses {path}", file.path);
                }
            }
        }
    }
}

#[test]
fn how_imports_are_read() {
    let names = |code| names_of_this_crate(code);
    assert_eq!(names("use crate::a::{b, c};\nfn f() -> crate::d::E {}"), ["a", "d"]);
    assert_eq!(names("use crate::{\n    A, b::{C, D},\n    e::F as G,\n};"), ["A", "b", "e"]);
    assert_eq!(names("pub(crate) fn f() {}\n// see crate::x\n"), [""; 0]);
    let door = exports("mod a;\npub mod b;\npub use a::{B, C as D};\npub use b::c::E;\n");
    assert_eq!(
        door.into_iter().collect::<Vec<_>>(),
        [("B", "a"), ("D", "a"), ("E", "b")].map(|it| (it.0.into(), it.1.into()))
    );
}

/// `decode/json.rs` is of `decode`.
fn module_of(path: &str) -> &str {
    path.split('/').next().unwrap().trim_end_matches(".rs")
}

fn without_tests(text: &str) -> &str {
    text.split("\n#[cfg(test)]\nmod ").next().unwrap()
}

/// What follows `crate::`, in `use` and elsewhere, comments left out.
fn names_of_this_crate(code: &str) -> Vec<String> {
    let code: String = code.lines().map(|it| it.split("//").next().unwrap().to_owned() + "\n").collect();
    let mut names = Vec::new();
    for after in code.split("crate::").skip(1) {
        match after.strip_prefix('{') {
            Some(list) => names.extend(heads(list)),
            None => names.extend(identifier(after)),
        }
    }
    names
}

/// The first name of each entry of `a, b::{c, d}, e}`.
fn heads(list: &str) -> Vec<String> {
    let mut names = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (at, char) in list.char_indices() {
        match char {
            '{' => depth += 1,
            ',' | '}' if depth == 0 => {
                names.extend(identifier(list[start..at].trim()));
                start = at + 1;
                if char == '}' {
                    break;
                }
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    names
}

fn identifier(text: &str) -> Option<String> {
    let name: String = text.chars().take_while(|it| it.is_alphanumeric() || *it == '_').collect();
    (!name.is_empty()).then_some(name)
}

/// From each name that the front door gives to the module that it comes from.
fn exports(door: &str) -> BTreeMap<String, String> {
    let mut exports = BTreeMap::new();
    for statement in door.split(';') {
        let Some((_, path)) = statement.split_once("use ") else { continue };
        let path = path.trim().trim_start_matches("crate::");
        let Some(module) = identifier(path) else { continue };
        let names = path.rsplit_once("::").map_or(path, |it| it.1);
        let names = path.split_once("::{").map_or(names, |it| it.1.trim_end_matches('}'));
        for name in names.split(',') {
            let shown = name.rsplit(" as ").next().unwrap().trim();
            if !shown.is_empty() {
                exports.insert(shown.to_owned(), module.clone());
            }
        }
    }
    exports
}
