//! Arrows only point down: between rooms, and between the modules of one room.

use std::collections::BTreeSet;

use crate::imports::{Crate, circles, scripts};
use crate::tree::{Text, read, rust, texts};

/// The rooms from the top floor to the bottom; a room only depends on rooms of lower floors.
const ROOMS: [&[&str]; 7] = [
    &["proflens-fleet"],
    &["proflens"],
    &["fleet"],
    &["compare", "flame"],
    &["analysis", "collect", "record"],
    &["profile", "source"],
    &["testkit"],
];

/// The modules of each room from the top floor to the bottom. Modules on one floor do not know each other.
const MODULES: [(&str, &[&[&str]]); 10] = [
    ("testkit", &[&["fixture"], &["columns"], &["markers"]]),
    (
        "profile",
        &[
            &["decode", "encode", "join", "rename"],
            &["builder", "tally"],
            &["scope"],
            &["timeline"],
            &["model"],
            &["problem"],
            &["plain", "uncertainty"],
        ],
    ),
    (
        "source",
        &[
            &["large_stack", "loaders"],
            &["edit", "map", "outline"],
            &["embedded", "recovery"],
            &["parse"],
            &["beginnings", "call_sites", "name", "stack_budget", "token_hashes"],
            &["definition", "scanner"],
            &["built", "language", "text", "wasm"],
        ],
    ),
    (
        "analysis",
        &[
            &["fixtures"],
            &["views"],
            &["recording"],
            &["scope", "together"],
            &["counts", "deopts", "rendering"],
            &["other_run"],
            &["summary"],
            &["symbolicate"],
            &["locate"],
            &["anchor", "document", "format", "package", "similar", "wasm_names"],
            &["bars", "files", "rules"],
        ],
    ),
    (
        "record",
        &[
            &["base", "launch", "leftovers", "running"],
            &["moved"],
            &["parts"],
            &["folder", "heap", "maps", "output", "trace"],
            &["recorder"],
            &["destination", "state"],
            &["own"],
            &["counted", "deopts", "in_memory", "made", "pieces", "refusals", "runtimes"],
            &["texts", "v8_log"],
            &["head", "lock", "namespace", "place", "programs", "regular", "signals", "v8_profile"],
        ],
    ),
    (
        "compare",
        &[
            &["fixtures"],
            &["views"],
            &["sequential", "texts"],
            &["comparison"],
            &["change", "machine"],
            &["drift"],
            &["adjust"],
            &["covariate", "factors"],
            &["calls", "side", "verdict"],
            &["power", "run"],
            &["statistics"],
            &["work"],
        ],
    ),
    (
        "fleet",
        &[
            &["sql"],
            &["comparison", "slice"],
            &["session"],
            &["moments"],
            &["rows"],
            &["costs"],
            &["names"],
            &["envelope"],
            &["buckets", "condition", "ids", "tables"],
        ],
    ),
    (
        "flame",
        &[
            &["html", "svg"],
            &["bytes", "compared"],
            &["graph"],
            &["difference", "functions", "stacks", "stretches"],
        ],
    ),
    (
        "collect",
        &[
            &["connections"],
            &["service"],
            &["line", "writer"],
            &["store"],
            &["recovery"],
            &["dimensions", "nesting", "quota", "settings"],
            &["clock", "origins", "places", "refusal"],
        ],
    ),
    (
        "proflens",
        &[
            &["main"],
            &["cli", "lsp"],
            &["server"],
            &["handlers"],
            &["loader"],
            &["state"],
            &["proto"],
            &["coverage", "scope_request", "serve", "traces"],
            &["commands", "locating"],
            &["config", "disk", "logging", "memory", "recordings"],
            &["history"],
            &["open", "shell", "version"],
        ],
    ),
];

/// Folders whose files do not know each other, and the files in them that hold what the others share.
const STRANGERS: [(&str, &[&str]); 1] =
    [("server/analysis/src/views/", &["measured_document", "settings", "template"])];

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
    for room in ["proflens", "compare", "flame", "analysis", "collect", "profile", "source"] {
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
        let floor = |module: &str| floors.iter().position(|it| it.contains(&module));
        for (file, used) in Crate::read(&source, &files).uses() {
            let module = module_of(&file[source.len()..]);
            let Some(own) = floor(module) else {
                if module != "lib" {
                    wrong.push(format!("{file}: give the module `{module}` a floor"));
                }
                continue;
            };
            for other in used.into_iter().map(|it| module_of(&it[source.len()..])).filter(|it| *it != module)
            {
                if floor(other).is_none_or(|it| it <= own) {
                    wrong.push(format!("{file}: `{module}` uses `{other}`, which is no lower"));
                }
            }
        }
    }
    wrong.dedup();
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn no_files_use_each_other() {
    let files = rust();
    let roots = files.iter().filter_map(|it| {
        let folder = it.path.strip_suffix("lib.rs").or_else(|| it.path.strip_suffix("main.rs"))?;
        folder.ends_with('/').then_some(folder)
    });
    let roots: BTreeSet<&str> = roots.collect();
    let found: Vec<String> = roots
        .iter()
        .flat_map(|root| {
            circles(&Crate::read(root, &files).uses()).into_iter().map(|it| it.join(", ")).collect::<Vec<_>>()
        })
        .collect();
    let editors = texts(&[".ts", ".lua"]);
    let editors = circles(&scripts(&editors)).into_iter().map(|it| it.join(", "));
    let found: Vec<String> = found.into_iter().chain(editors).collect();
    assert_eq!(found, [""; 0], "give what they share a home below them");
}

#[test]
fn imports_name_modules() {
    let roots = rust().into_iter().filter(|file| file.path.ends_with("/src/lib.rs"));
    let passed_on = roots.flat_map(|file| {
        let lines = file.text.lines().filter(|line| line.starts_with("pub use "));
        lines.map(|line| format!("{}: {line}", file.path)).collect::<Vec<_>>()
    });
    assert_eq!(passed_on.collect::<Vec<_>>(), [""; 0], "name the module that has it");
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
            let code = file.text.split("\n#[cfg(test)]\nmod tests").next().unwrap();
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

/// `decode/json.rs` belongs to `decode`.
fn module_of(path: &str) -> &str {
    path.split('/').next().unwrap().trim_end_matches(".rs")
}
