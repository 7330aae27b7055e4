//! ECMA-426's own suite, <https://github.com/tc39/source-map-tests>, which is not part of this repository:
//!
//! ```text
//! SOURCE_MAP_TESTS=path/to/source-map-tests cargo test -p source --test map -- --ignored tc39
//! ```
//!
//! Deviations from the suite are named in [`DEVIATIONS`]; the tests beside this file draw each of its cases again.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use source::map::{Query, SourceMap};
use source::text::LineCol;

/// Files that need not be read as the suite has them, and why.
const DEVIATIONS: [(&str, &str); 0] = [];

fn suite() -> PathBuf {
    PathBuf::from(std::env::var_os("SOURCE_MAP_TESTS").expect("SOURCE_MAP_TESTS is the suite's folder"))
}

fn text_of(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn json_of(text: &str) -> Value {
    // Some goldens have a comma after their last member.
    let text = text.replace(",\n}", "\n}");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn number(value: &Value) -> u32 {
    value.as_u64().and_then(|it| u32::try_from(it).ok()).expect("a number")
}

/// The source and place that a map gives for a place.
fn look_up(map: &SourceMap<'_>, at: LineCol) -> Option<(Option<String>, LineCol)> {
    let resolved = map.resolve(&[Query { at, end: at, limit: 0 }]);
    let segment = resolved.before(0)?;
    let original = segment.original?;
    let source = &map.sources[original.source as usize];
    Some((source.url.clone(), original.at))
}

fn run(list: &str) -> usize {
    let suite = suite();
    let tests = json_of(&text_of(&suite.join(list)));
    let folder = suite.join("resources").join(tests["resourceBasePath"].as_str().unwrap_or(""));
    let mut checks = 0;
    for test in tests["tests"].as_array().expect("tests") {
        let file = test["sourceMapFile"].as_str().expect("a map");
        if DEVIATIONS.iter().any(|it| it.0 == file) {
            continue;
        }
        let text = text_of(&folder.join(file));
        let parsed = SourceMap::parse(&text);
        // Mistakes in a map are read past, so some maps that are not valid are read.
        assert!(parsed.is_ok() || test["sourceMapIsValid"] == false, "{file}: {parsed:?}");
        checks += 1;
        for action in test["testActions"].as_array().into_iter().flatten() {
            let map = parsed.as_ref().expect("a map that is asked is one");
            check(&folder, map, action);
            checks += 1;
        }
    }
    checks
}

fn check(folder: &Path, map: &SourceMap<'_>, action: &Value) {
    // It is not asked which sources are not the user's own code.
    if action["actionType"] == "checkIgnoreList" {
        return;
    }
    let at = LineCol { line: number(&action["generatedLine"]), column: number(&action["generatedColumn"]) };
    let mut found = look_up(map, at);
    for next in action["intermediateMaps"].as_array().into_iter().flatten() {
        let text = text_of(&folder.join(next.as_str().expect("a file")));
        let next = SourceMap::parse(&text).expect("a map");
        found = found.and_then(|it| look_up(&next, it.1));
    }
    if action["originalLine"].is_null() {
        assert_eq!(found, None, "{action}");
        return;
    }
    let (source, original) = found.unwrap_or_else(|| panic!("nothing found: {action}"));
    assert_eq!(source.as_deref(), action["originalSource"].as_str(), "{action}");
    let wanted = LineCol { line: number(&action["originalLine"]), column: number(&action["originalColumn"]) };
    assert_eq!(original, wanted, "{action}");
}

#[test]
#[ignore = "needs the suite, see the head of the file"]
fn tc39_mappings_and_chains() {
    assert!(run("source-map-spec-tests.json") > 150);
}

#[test]
#[ignore = "needs the suite, see the head of the file"]
fn tc39_range_mappings() {
    assert!(run("range-mappings-proposal-tests.json") > 20);
}

#[test]
#[ignore = "needs the suite, see the head of the file"]
fn tc39_decoding() {
    let mut goldens = 0;
    for folder in ["debug-id", "scopes"] {
        let folder = suite().join("decoding").join(folder);
        for entry in fs::read_dir(&folder).expect("the suite has the folder") {
            let path = entry.expect("a file").path();
            if path.extension().is_some_and(|it| it == "golden") {
                let text = text_of(&path.with_extension(""));
                let map = SourceMap::parse(&text).expect("a map");
                check_golden(&map, &json_of(&text_of(&path)), &path);
                goldens += 1;
            }
        }
    }
    assert!(goldens > 10);
}

fn check_golden(map: &SourceMap<'_>, golden: &Value, path: &Path) {
    assert_eq!(map.file.as_deref(), golden["file"].as_str(), "{}", path.display());
    assert_eq!(map.debug_id.as_deref(), golden["debugId"].as_str(), "{}", path.display());
    let urls: Vec<_> =
        golden["sources"].as_array().expect("sources").iter().map(|it| it["url"].as_str()).collect();
    assert_eq!(
        map.sources.iter().map(|it| it.url.as_deref()).collect::<Vec<_>>(),
        urls,
        "{}",
        path.display()
    );
}
