//! Rules that look at one file at a time.

use std::collections::{BTreeMap, BTreeSet};

use tests::root;

use crate::tree::{rust, texts};

/// Nobody reads a longer file to its end. Tests are tables of cases, which are only looked up.
const MAX_LINES: usize = 500;

const OURS: [&str; 11] =
    [".rs", ".md", ".ts", ".mjs", ".js", ".lua", ".toml", ".json", ".yml", ".txt", ".sh"];

/// Whether a file is a test, judging by its place.
fn is_test(path: &str) -> bool {
    let folders = ["/tests/", "/fixtures/"];
    path.ends_with("/tests.rs") || path.starts_with("tests/") || folders.iter().any(|it| path.contains(it))
}

/// Whether a file is generated from others, and so looked up rather than read.
fn is_generated(text: &str) -> bool {
    text.lines().next().is_some_and(|it| it.contains("Written by `cargo xtask generate`"))
}

#[test]
fn every_rust_file_says_why_it_exists() {
    let silent: Vec<_> =
        rust().into_iter().filter(|it| !it.text.starts_with("//! ")).map(|it| it.path).collect();
    assert_eq!(silent, [""; 0], "open each file with a `//!` sentence");
}

#[test]
fn no_file_is_long() {
    let code = texts(&[".rs", ".ts", ".lua"]);
    let long: Vec<_> = code
        .iter()
        .filter(|it| !is_test(&it.path) && !is_generated(&it.text) && it.text.lines().count() > MAX_LINES)
        .map(|it| it.path.as_str())
        .collect();
    assert_eq!(long, [""; 0], "cut each in two");
}

#[test]
fn no_type_name_is_taken_twice_in_a_crate() {
    let declared = |line: &str| -> Option<String> {
        let line = line.trim_start();
        let line = line.strip_prefix("pub(crate) ").or(line.strip_prefix("pub(super) ")).unwrap_or(line);
        let line = line.strip_prefix("pub ").unwrap_or(line);
        let kinds = ["struct ", "enum ", "trait ", "type "];
        let name = kinds.iter().find_map(|it| line.strip_prefix(it))?;
        let end = name.find(|it: char| !it.is_alphanumeric() && it != '_').unwrap_or(name.len());
        name.starts_with(char::is_uppercase).then(|| name[..end].to_owned())
    };
    let mut files: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for file in rust().into_iter().filter(|it| !is_test(&it.path)) {
        let Some((room, _)) = file.path.split_once("/src/") else { continue };
        let code = file.text.split("\n#[cfg(test)]\nmod tests").next().unwrap();
        // `type Output = ..` of an `impl` is the name that its trait requires.
        let lines = code.lines().filter(|it| !it.starts_with("    type "));
        for name in lines.filter_map(declared) {
            files.entry((room.to_owned(), name)).or_default().insert(file.path.clone());
        }
    }
    let twice = files.into_iter().filter(|(_, files)| files.len() > 1);
    let twice: Vec<String> = twice.map(|((_, name), files)| format!("{name}: {files:?}")).collect();
    assert_eq!(twice, [""; 0], "give each a name that tells it from the other");
}

#[test]
fn what_is_left_to_do_is_an_issue() {
    // It is put together here, so that this file passes.
    let words = ["TO", "FIX"].map(|it| it.to_owned() + if it == "TO" { "DO" } else { "ME" });
    let code = texts(&[".rs", ".ts", ".mjs", ".lua"]);
    let lines =
        code.iter().flat_map(|it| it.text.lines().map(|line| format!("{}: {}", it.path, line.trim())));
    let left: Vec<_> =
        lines.filter(|line| words.iter().any(|it| line.contains(it)) && !line.contains("(#")).collect();
    assert_eq!(left, [""; 0], "write the number of its issue after it: (#12)");
}

#[test]
fn no_file_names_the_folder_that_it_was_written_in() {
    let home = std::env::var("HOME").ok().filter(|it| it.len() > 5 && it != "/root");
    let folders: Vec<String> = [Some(format!("{}/", root().display())), home].into_iter().flatten().collect();
    let named = |text: &str| folders.iter().any(|it| text.contains(it.as_str()));
    let naming: Vec<_> = texts(&OURS).into_iter().filter(|it| named(&it.text)).map(|it| it.path).collect();
    assert_eq!(naming, [""; 0]);
}

#[test]
fn the_server_runs_no_program() {
    let is_built =
        |path: &str| path.starts_with("server/") && path.contains("/src/") && !path.contains("/tests");
    let runs = |text: &str| {
        let code = text.split("\nmod tests {").next().unwrap();
        ["Command::new", "open::that"].iter().any(|it| code.contains(it))
    };
    let running = rust().into_iter().filter(|it| is_built(&it.path) && runs(&it.text));
    let running: Vec<_> = running.map(|it| it.path).collect();
    // `record` runs the command or the browser that it is asked to run, `mcp --allow-record` runs `record`, and `flame --open` asks the
    // system for the browser.
    let allowed = [
        "server/proflens/src/cli/flame.rs",
        "server/proflens/src/cli/mcp/recorded.rs",
        "server/record/src/launch.rs",
        "server/record/src/running/browser.rs",
    ];
    assert_eq!(running, allowed, "a folder can bring programs of any name");
}

#[test]
fn only_the_door_prints() {
    let prints = |line: &str| {
        let is_asked = ["is_terminal", "use_stderr"].iter().any(|asked| line.contains(asked));
        !is_asked && ["println!", "stdout()", "stderr()"].iter().any(|way| line.contains(way))
    };
    let files = rust().into_iter().filter(|file| file.path.starts_with("server/proflens/src/"));
    let printing = files.filter(|file| file.text.lines().any(prints)).map(|file| file.path);
    let printing: Vec<_> = printing.filter(|path| path != "server/proflens/src/cli/screen.rs").collect();
    // `convert` writes data, and `lsp` serves an editor; the log makes its lines plain.
    let allowed = ["cli/convert.rs", "logging.rs", "lsp.rs"];
    let others: Vec<_> =
        printing.iter().filter(|path| !allowed.iter().any(|it| path.ends_with(it))).collect();
    assert_eq!(others, [""; 0], "print with cli/screen.rs, which makes text of others harmless");
}

#[test]
fn one_word_for_one_thing() {
    // docs/architecture.md, "Words".
    let words = [
        ("demangle", "symbolicate"),
        ("exclusive time", "self time"),
        ("inclusive time", "total time"),
        ("aggregate time", "total time"),
        ("self cost", "self time"),
    ];
    let mut wrong = Vec::new();
    for file in texts(&[".rs", ".ts", ".lua"]) {
        for (number, line) in file.text.lines().enumerate() {
            let other = words.iter().find(|it| line.to_lowercase().contains(it.0));
            // The table above.
            let other = other.filter(|it| !line.contains(&format!("(\"{}\"", it.0)));
            wrong.extend(
                other.map(|it| format!("{}:{}: `{}`, write `{}`", file.path, number + 1, it.0, it.1)),
            );
        }
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn protocol_types_stay_in_their_room() {
    let crates = ["ls_types", "tower_lsp", "lsp_types"];
    let rooms = ["server/profile/", "server/source/", "server/analysis/", "server/collect/"];
    let named = |text: &str| crates.iter().any(|it| text.contains(it));
    let inside = |path: &str| rooms.iter().any(|it| path.starts_with(it));
    let naming: Vec<_> =
        rust().into_iter().filter(|it| inside(&it.path) && named(&it.text)).map(|it| it.path).collect();
    assert_eq!(naming, [""; 0], "only server/proflens speaks LSP");
}
