//! Drawings: a workspace, what a trace holds of one script, and where its functions are placed.

use profile::{Amount, FunctionId, Position, ProfileBuilder, Script, Thread, Weight};

use crate::files::drawn::DrawnFiles;
use crate::symbolicate::{Place, symbolicate};
use crate::{FilePath, LoadSettings, LocateSettings};

const URL: &str = "http://localhost:3000/assets/app.js";
/// What was built from `MAIN`: `a` stands at column 10, `b` at 27.
const BUILT: &str = "function a(){b()}function b(){}";
const MAIN: &str =
    r"/ws/src/main.ts = export function alpha(): void {\n  beta();\n}\nfunction beta(): void {}\n";
const MAPPINGS: &str = "AAAO,QAAS,CAAK,QAGrB,SAAS,CAAI";
const ALPHA_AND_BETA: [&str; 2] =
    ["a /ws/src/main.ts alpha fresh exact", "b /ws/src/main.ts beta fresh exact"];

/// Functions: name, line, column.
type Functions<'a> = &'a [(&'a str, u32, u32)];
const A_AND_B: Functions = &[("a", 0, 10), ("b", 0, 27)];

fn map(source: &str) -> String {
    format!(r#"{{"version":3,"sources":["{source}"],"names":[],"mappings":"{MAPPINGS}"}}"#)
}

/// A script that starts its resource.
fn script(text: Option<&str>, map: Option<String>) -> Script {
    let text = text.map(Into::into);
    let map = map.map(String::into_boxed_str);
    Script {
        text,
        map,
        map_url: Some("app.js.map".into()),
        start: Some(Position { line: 0, column: Some(0) }),
    }
}

fn placed_with(
    workspace: &[&str],
    url: &str,
    script: Option<Script>,
    functions: Functions,
    maps: &[(&str, &str)],
) -> Vec<String> {
    let files = DrawnFiles::new(&["/ws/"].iter().chain(workspace).copied().collect::<Vec<_>>().join("\n"));
    let mut builder = ProfileBuilder::new("drawing");
    let script = script.map(|it| builder.script(it));
    let resource = builder.resource(url);
    for &(name, line, column) in functions {
        let name = builder.string(name);
        let position = Position { line, column: Some(column) };
        let function = builder.function(name, Some(resource), Some(position));
        if let Some(script) = script {
            builder.in_script(function, script);
        }
        let stack = builder.stack(None, function);
        builder.spend(stack, Weight { time: Amount(1), samples: 1 });
    }
    builder.end_thread(Thread::default());
    let profile = builder.finish();
    let maps = maps.iter().map(|(file, map)| (FilePath::new(file), FilePath::new(map))).collect();
    let locate = LocateSettings { maps, ..LocateSettings::default() };
    let settings = LoadSettings { locate: &locate, maps: Some(&|_| true), recorded: None };
    let symbols = symbolicate(&profile, &files, &settings);
    let shown = |(index, place): (usize, &Place)| {
        let name = profile.name(FunctionId(index as u32));
        match place {
            Place::At { found, confidence } => {
                let found = &symbols.definitions[*found as usize];
                let (path, freshness) = (&found.path, found.freshness.name());
                format!("{name} {} {path} {freshness} {}", found.file, confidence.name())
            }
            Place::Unplaced(why) => format!("{name} {}", why.name()),
        }
    };
    symbols.places.iter().enumerate().map(shown).collect()
}

fn placed(workspace: &[&str], url: &str, script: Script, functions: Functions) -> Vec<String> {
    placed_with(workspace, url, Some(script), functions, &[])
}

#[test]
fn what_was_built_lies_nowhere() {
    let found = |source: &str| placed(&[MAIN], URL, script(Some(BUILT), Some(map(source))), A_AND_B);
    assert_eq!(found("../../src/main.ts"), ALPHA_AND_BETA);
    assert_eq!(found("webpack://app/./src/main.ts"), ALPHA_AND_BETA);
    assert_eq!(found("/ws/src/main.ts"), ALPHA_AND_BETA);
    assert_eq!(found("../../src/gone.ts"), ["a not-in-workspace", "b not-in-workspace"]);

    let found = |text, map| placed(&[MAIN], URL, script(text, map), A_AND_B);
    let map = || Some(map("../../src/main.ts"));
    assert_eq!(found(None, map()), ["a not-in-workspace", "b not-in-workspace"], "it is no map of any text");
    assert_eq!(found(Some(BUILT), None), ["a not-in-workspace", "b not-in-workspace"]);
    assert_eq!(found(Some(BUILT), Some("{".into())), ["a map-broken", "b map-broken"]);
    let url = "data:application/json,".to_owned() + &map().expect("a map").replace('"', "%22");
    let inline = format!("{BUILT}\n//# sourceMappingURL={url}\n");
    assert_eq!(found(Some(&inline), None), ALPHA_AND_BETA);
}

#[test]
fn the_map_in_the_trace_is_the_one_that_ran() {
    let built = format!("/ws/dist/assets/app.js = {BUILT}");
    let stale =
        format!("/ws/dist/assets/app.js.map = {}", map("../../src/main.ts").replace("main.ts", "other.ts"));
    let other = MAIN.replace("main.ts", "other.ts");
    let workspace = [MAIN, &other, &built, &stale];
    let in_other = ALPHA_AND_BETA.map(|it| it.replace("main.ts", "other.ts"));
    assert_eq!(placed_with(&workspace, URL, None, A_AND_B, &[]), in_other, "without a map in the trace");
    for text in [None, Some(BUILT)] {
        let traced = script(text, Some(map("../../src/main.ts")));
        assert_eq!(placed(&workspace, URL, traced.clone(), A_AND_B), ALPHA_AND_BETA);
        let chosen = [("/ws/dist/assets/app.js", "/ws/dist/assets/app.js.map")];
        let found = placed_with(&workspace, URL, Some(traced), A_AND_B, &chosen);
        assert_eq!(found, in_other, "what the user chose is the last word");
    }
    // Since then it was built anew, and all places in it are others.
    let rebuilt = "/ws/dist/assets/app.js = function x(){y()}function y(){}function a(){}function b(){}";
    let traced = script(Some(BUILT), Some(map("../../src/main.ts")));
    assert_eq!(placed(&[MAIN, rebuilt, &stale], URL, traced, A_AND_B), ALPHA_AND_BETA);
}

#[test]
fn the_text_in_the_trace_is_the_one_that_ran() {
    let today = r"/ws/assets/app.js = // new\nfunction b() {}\nfunction a() { return 1; }";
    let found = placed(&[today], URL, script(Some(BUILT), None), A_AND_B);
    assert_eq!(found, ["a /ws/assets/app.js a edited exact", "b /ws/assets/app.js b moved exact"]);
    let same = format!("/ws/assets/app.js = {BUILT}");
    let found = placed(&[&same], URL, script(Some(BUILT), None), A_AND_B);
    assert_eq!(found, ["a /ws/assets/app.js a fresh exact", "b /ws/assets/app.js b fresh exact"]);
    let wrong = placed(&[&same], URL, script(Some("function b(){}"), None), A_AND_B);
    assert_eq!(wrong, found, "a text that does not fit is not the one that ran");
}

#[test]
fn scripts_in_a_page() {
    let page = "http://localhost:3000/";
    // `<script>` on line 2 ends at column 8.
    let traced = |start| Script { start, ..script(Some(BUILT), Some(map("../src/main.ts"))) };
    let functions: Functions = &[("", 2, 8), ("a", 2, 18), ("b", 2, 35)];
    let mut expected = vec![" outside-map"];
    expected.extend(ALPHA_AND_BETA);
    let told = Some(Position { line: 2, column: Some(8) });
    assert_eq!(placed(&[MAIN], page, traced(told), functions), expected);
    assert_eq!(
        placed(&[MAIN], page, traced(None), functions),
        expected,
        "as the code outside of functions says"
    );
    let unknown = placed(&[MAIN], page, traced(None), &functions[1..]);
    assert_eq!(unknown, ["a not-in-workspace", "b not-in-workspace"], "nobody knows where it starts");

    let on_disk = format!(r"/ws/index.html = <!doctype html>\n<body>\n<script>{BUILT}</script>");
    assert_eq!(placed(&[MAIN, &on_disk], page, traced(told), functions), expected);
    let without_map = Script { map: None, ..traced(told) };
    let found = placed(&[MAIN, &on_disk], page, without_map, &functions[1..]);
    assert_eq!(found, ["a /ws/index.html a fresh exact", "b /ws/index.html b fresh exact"]);
}

#[test]
fn a_page_that_was_edited() {
    let whole = "<!doctype html>\n<body>\n<script>function a(){b()}function b(){}</script>";
    let today = r"/ws/index.html = <!doctype html>\n<script>function b(){}</script>";
    let traced = Script { start: None, ..script(Some(whole), None) };
    let found = placed(&[today], "http://localhost:3000/", traced, &[("a", 2, 18), ("b", 2, 35)]);
    assert_eq!(found, ["a /ws/index.html a gone exact", "b /ws/index.html b moved exact"]);
}

#[test]
fn what_a_development_server_compiled() {
    let url = "http://localhost:3000/src/main.ts";
    let map = map("main.ts");
    let found = placed(&[MAIN], url, script(Some(BUILT), Some(map)), A_AND_B);
    assert_eq!(found, ALPHA_AND_BETA);
}
