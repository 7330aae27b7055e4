//! One program built by real compilers: each function is on its definition, and what the compiler wrote is on none.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use expect_test::expect;
use serde_json::Value;
use tests::{Folder, installed, proflens, root};

/// Where a function of a build ended up.
#[derive(Default)]
struct Counts {
    /// On the definition that its mark names.
    right: usize,
    /// On another one, although it is marked.
    wrong: Vec<String>,
    /// Written by the compiler, and unplaced for that reason.
    compiler: usize,
    /// Around functions that are marked, or part of what was written, such as an enum: where it is.
    around: BTreeMap<String, usize>,
}

fn read(file: &Path) -> Value {
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

/// Where each function of a build is according to `report`, by its place in the build; `line:column`, counted from 1.
fn places(folder: &Path, build: &str) -> BTreeMap<String, Value> {
    let profile = format!("dist/{build}/one-of-each.cpuprofile");
    let arguments = ["report", &profile, "--workspace", ".", "--all", "--format", "json", "--limit", "0"];
    let output = Command::new(proflens()).args(arguments).current_dir(folder).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let at = |it: &Value| format!("{}:{}", it["line"], it["column"]);
    let mut places = BTreeMap::new();
    for function in report["functions"].as_array().unwrap() {
        for measured in function["measuredAt"].as_array().unwrap() {
            places.insert(at(measured), function.clone());
        }
    }
    places.extend(report["unplacedFunctions"].as_array().unwrap().iter().map(|it| (at(it), it.clone())));
    places
}

fn count(folder: &Path, build: &str) -> Counts {
    let places = places(folder, build);
    let mut counts = Counts::default();
    for function in read(&folder.join(format!("dist/{build}/functions.json"))).as_array().unwrap() {
        let number = |key: &str| function[key].as_u64().unwrap() + 1;
        let place = &places[&format!("{}:{}", number("line"), number("column"))];
        let definition = match place["file"].as_str() {
            Some(file) => format!("{file}:{}:{}", place["endLine"], place["endColumn"]),
            None => place["why"].as_str().unwrap().to_owned(),
        };
        let originals = function["originals"].as_array().unwrap();
        let shown = place["why"].as_str().or(place["name"].as_str()).unwrap().to_owned();
        match () {
            () if originals.iter().any(|it| *it == definition) => counts.right += 1,
            () if !originals.is_empty() => counts.wrong.push(format!("{} is {shown}", function["name"])),
            () if definition == "compiler" => counts.compiler += 1,
            () => *counts.around.entry(shown).or_default() += 1,
        }
    }
    counts
}

/// The time of a recording by definition, and the helpers, in milliseconds.
fn recorded(name: &str) -> String {
    let folder = Folder::copy_of(&format!("tests/compilers/recorded/{name}"));
    let arguments = ["report", "recording.json.gz", "--format", "json", "--limit", "0"];
    let output = Command::new(proflens()).args(arguments).current_dir(folder.path()).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let ms = |it: &Value| it.as_u64().unwrap() / 1_000_000;
    let functions = report["functions"].as_array().unwrap().iter();
    let functions =
        functions.map(|it| format!("{} {} of {}\n", it["name"], ms(&it["selfNs"]), ms(&it["totalNs"])));
    let unplaced =
        report["ledger"]["unplaced"].as_array().unwrap().iter().filter(|it| it["why"] == "compiler");
    let unplaced = unplaced.map(|it| format!("compiler {} {}\n", ms(&it["ns"]), it["examples"]));
    functions.chain(unplaced).collect()
}

#[test]
fn helpers_in_recordings_count_for_who_called_them() {
    expect![[r#"
        "test callback" 127 of 2495
        "(top level)" 0 of 1
        compiler 2314 ["_objectSpread","ownKeys","_iterableToArray"]
    "#]]
    .assert_eq(&recorded("babel-jest"));
    expect![[r#"
        "test" 107 of 309
        "z" 98 of 102
        "(top level)" 45 of 817
        "constructor" 0 of 31
        compiler 325 ["_objectSpread","ownKeys","_objectWithoutPropertiesLoose"]
    "#]]
    .assert_eq(&recorded("babel-register"));
}

/// What is reported as wrong in the minified bundle is right: one function is in several, and one in a loop of the top level.
#[test]
fn helpers_of_compilers_are_on_no_definition() {
    installed("tests/compilers");
    let folder = Folder::new();
    let status = Command::new("node")
        .arg(root().join("tests/compilers/build.mjs"))
        .arg(folder.path())
        .status()
        .unwrap();
    assert!(status.success(), "the program cannot be built");
    let mut table = String::new();
    for build in read(&folder.path().join("builds.json")).as_array().unwrap() {
        let build = build.as_str().unwrap();
        let Counts { right, wrong, compiler, around } = count(folder.path(), build);
        writeln!(table, "{build}: {right} right, {compiler} by the compiler, {wrong:?}, {around:?}").unwrap();
    }
    expect![[r#"
        babel: 21 right, 104 by the compiler, [], {"(top level)": 3, "Late": 1, "Market": 2, "Shop": 2, "all": 2, "f": 1, "gen": 1, "later": 5, "load": 2}
        babel, Chrome 60: 21 right, 37 by the compiler, [], {"(top level)": 2, "Market": 1, "all": 1}
        babel, Node 20: 21 right, 0 by the compiler, [], {"(top level)": 2}
        babel, loose: 21 right, 67 by the compiler, [], {"(top level)": 3, "Late": 1, "Market": 2, "Shop": 1, "all": 2, "f": 1, "gen": 1, "later": 5, "load": 3}
        babel, modules: 21 right, 104 by the compiler, [], {"(top level)": 4, "Late": 1, "Market": 2, "Shop": 2, "all": 2, "f": 1, "gen": 1, "later": 4, "load": 2}
        esbuild, es2015: 21 right, 43 by the compiler, [], {"(top level)": 1, "Market": 1, "all": 1, "f": 1, "inside": 1, "later": 1, "load": 1, "outside-map": 10}
        esbuild, es2015, minified: 19 right, 53 by the compiler, [], {"(top level)": 1, "Market": 1, "all": 1, "inside": 1, "later": 1, "load": 1}
        esbuild, es2017: 21 right, 38 by the compiler, [], {"(top level)": 1, "Market": 1, "all": 1, "inside": 1, "outside-map": 10}
        esbuild, es2017, minified: 19 right, 48 by the compiler, [], {"(top level)": 1, "Market": 1, "all": 1, "inside": 1}
        esbuild, esnext: 21 right, 4 by the compiler, [], {"(top level)": 1, "inside": 1, "outside-map": 10}
        esbuild, esnext, minified: 19 right, 14 by the compiler, [], {"(top level)": 1, "inside": 1}
        oxc, es2015: 21 right, 1 by the compiler, [], {"(top level)": 1, "Market": 1, "all": 1, "later": 1, "load": 1, "outside-map": 3}
        oxc, es2022: 21 right, 0 by the compiler, [], {"(top level)": 1, "outside-map": 1}
        swc, es2015: 21 right, 64 by the compiler, [], {"Market": 1, "all": 1, "f": 1, "inside": 1, "later": 1, "load": 1}
        swc, es2022: 21 right, 12 by the compiler, [], {"inside": 1}
        swc, es5: 21 right, 105 by the compiler, [], {"(top level)": 1, "Late": 1, "Market": 2, "Shop": 1, "all": 2, "f": 2, "gen": 1, "inside": 1, "later": 2, "load": 2}
        tsc, ES2015: 21 right, 35 by the compiler, [], {"(top level)": 1, "Market": 1, "all": 1, "f": 1, "inside": 1, "later": 1, "load": 1}
        tsc, ES2022: 21 right, 0 by the compiler, [], {"(top level)": 1, "inside": 1}
        tsc, ES5: 21 right, 53 by the compiler, [], {"(top level)": 2, "Late": 1, "Market": 2, "Shop": 1, "all": 1, "f": 1, "gen": 1, "inside": 1, "later": 1, "load": 2, "outside-map": 3}
        webpack and babel, development: 22 right, 141 by the compiler, [], {"(top level)": 7, "Late": 1, "Market": 2, "Shop": 2, "all": 2, "f": 1, "gen": 1, "later": 4, "load": 2, "no-resource": 1, "outside-map": 1}
        webpack and babel, production: 13 right, 113 by the compiler, ["\"\" is outside-map", "\"z\" is (top level)"], {"(top level)": 1, "Late": 1, "Market": 2, "Shop": 1, "all": 2, "gen": 1, "load": 2, "outside-map": 2}
    "#]]
    .assert_eq(&table);
}
