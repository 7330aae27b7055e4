//! Source maps: where costs are shown, what happens when generated files change, and how users can help.

use serde_json::{Value, json};

use crate::client::Client;
use crate::workspace::{APP, STACKS, Workspace, becomes, execute, hints, refreshed, refreshing};

/// What [`APP`] is built to: the same lines after a first one, so that each line maps to the one before it.
fn build(workspace: &Workspace, map: Option<&str>) {
    workspace.write("ws/dist/app.js", format!("\"use strict\";\n{APP}//# sourceMappingURL=app.js.map\n"));
    if let Some(map) = map {
        workspace.write(map, map_to("app.ts"));
    }
}

fn map_to(source: &str) -> String {
    // Each token of `APP` that begins a function or ends a name.
    let mappings = ";AAAA,SAAS,IAAI;AACX;AACF;AACA,SAAS,IAAI,KAAK;AAClB";
    json!({ "version": 3, "sources": [format!("../src/{source}")], "names": [], "mappings": mappings })
        .to_string()
}

/// A workspace with a build of `src/app.ts` and a trace of it.
fn built(map: Option<&str>) -> Workspace {
    let workspace = Workspace::new();
    workspace.write("ws/src/app.ts", APP);
    build(&workspace, map);
    workspace.trace("ws/app.jsprofile", "ws/dist/app.js", STACKS, 0);
    workspace
}

fn loaded(client: &mut Client) {
    refreshed(client);
    client.forget(&["window/logMessage"]);
}

fn watched(client: &mut Client, workspace: &Workspace, files: &[(&str, u8)]) {
    let changes: Vec<_> =
        files.iter().map(|(file, kind)| json!({ "uri": workspace.uri(file), "type": kind })).collect();
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": changes }));
}

fn message(client: &mut Client) -> String {
    client.expect("window/showMessage")["params"]["message"].as_str().unwrap().to_string()
}

/// These tests do not check how often a trace is placed and reported.
fn finish(client: Client) {
    client.finish_ignoring(&["window/logMessage"]);
}

const ON_SOURCE: [&str; 2] = ["0:16 10ms self · 40ms total", "3:16 30ms self · 30ms total"];
const ON_BUILD: [&str; 2] = ["1:16 10ms self · 40ms total", "4:16 30ms self · 30ms total"];
const NONE: [&str; 0] = [];

#[test]
fn costs_are_shown_where_functions_were_written() {
    let workspace = built(Some("ws/dist/app.js.map"));
    let mut client = workspace.edit(json!({}));
    let source = workspace.open(&mut client, "ws/src/app.ts");
    let build = workspace.open(&mut client, "ws/dist/app.js");
    loaded(&mut client);
    assert_eq!(hints(&mut client, &source), ON_SOURCE);
    assert_eq!(hints(&mut client, &build), NONE);
    let settings = json!({ "settings": { "proflens": { "sourceMaps": { "enable": false } } } });
    client.notify("workspace/didChangeConfiguration", settings);
    becomes(&mut client, &build, &ON_BUILD);
    assert_eq!(hints(&mut client, &source), NONE);
    assert_eq!(client.call("proflens/status", json!({}))["problems"], json!([]));
    finish(client);
}

/// Of many sources, only those are searched for that functions come from.
#[test]
fn costs_are_shown_on_one_of_very_many_sources() {
    let workspace = built(None);
    let unused = (0..40_001).map(|it| format!("../src/part{}/file{it}.ts", it % 100));
    let sources: Vec<String> = unused.chain(["../src/app.ts".to_owned()]).collect();
    // As in `map_to`, but with the source after 40,001 others.
    let mappings = ";AikuCAA,SAAS,IAAI;AACX;AACF;AACA,SAAS,IAAI,KAAK;AAClB";
    let map = json!({ "version": 3, "sources": sources, "names": [], "mappings": mappings });
    workspace.write("ws/dist/app.js.map", map.to_string());
    let mut client = workspace.edit(json!({}));
    let source = workspace.open(&mut client, "ws/src/app.ts");
    loaded(&mut client);
    assert_eq!(hints(&mut client, &source), ON_SOURCE);
    finish(client);
}

#[test]
fn a_missing_map_is_told_once_and_found_once_it_is_there() {
    let workspace = built(None);
    let mut client = workspace.edit(json!({}));
    let source = workspace.open(&mut client, "ws/src/app.ts");
    refreshed(&mut client);
    let ask = client.expect("window/showMessageRequest");
    assert_eq!(
        ask["params"],
        json!({
            "type": 2,
            "message": "dist/app.js.map is missing: 100 % of the time stays on minified lines.",
            "actions": [{ "title": "Choose map…" }, { "title": "Ignore" }],
        })
    );
    client.reply(&ask, json!({ "title": "Choose map…" }));
    let how = "Add to the setting proflens.sourceMaps.maps an entry \"dist/app.js\": \"…\" with the path of its source map.";
    assert_eq!(message(&mut client), how);
    execute(&mut client, "proflens.chooseMap", json!([]));
    assert_eq!(message(&mut client), how);
    execute(&mut client, "proflens.mapPath", json!([]));
    assert_eq!(message(&mut client), "All scripts of the trace that can be in this workspace are.");
    execute(&mut client, "proflens.showLedger", json!([]));
    assert_eq!(
        message(&mut client),
        "40.0 ms of app.jsprofile\nOn generated lines, whose source map is missing: ~40.0 ms (100 %)"
    );
    assert_eq!(
        client.call("proflens/status", json!({}))["lostMaps"],
        json!([{
            "generated": workspace.uri("ws/dist/app.js"),
            "wanted": workspace.path("ws/dist/app.js.map").to_str().unwrap().replace('\\', "/"),
            "reason": null,
            "self": { "ns": 40_000_000, "text": "~40.0 ms", "beside": "100 %" },
        }])
    );
    client.forget(&["window/logMessage"]);

    build(&workspace, Some("ws/dist/app.js.map"));
    watched(&mut client, &workspace, &[("ws/dist/app.js", 2)]);
    watched(&mut client, &workspace, &[("ws/dist/app.js", 2), ("ws/dist/app.js.map", 1)]);
    becomes(&mut client, &source, &ON_SOURCE);

    std::fs::remove_file(workspace.path("ws/dist/app.js.map")).unwrap();
    watched(&mut client, &workspace, &[("ws/dist/app.js.map", 3)]);
    becomes(&mut client, &source, &NONE);
    finish(client);
}

#[test]
fn several_missing_maps_are_one_message() {
    let workspace = built(None);
    workspace.write("ws/dist/lib.js", "function lib() {}\n//# sourceMappingURL=lib.js.map\n");
    let url = |file: &str| workspace.uri(file);
    let frame = |name: &str, script: u32, line: u32, column: u32| json!({ "name": name, "resourceId": script, "line": line, "column": column });
    let samples: Vec<_> = (0..5).map(|at| json!({ "timestamp": 10 * at, "stackId": at / 3 })).collect();
    let trace = json!({
        "resources": [url("ws/dist/app.js"), url("ws/dist/lib.js")],
        "frames": [frame("work", 0, 5, 14), frame("lib", 1, 1, 13)],
        "stacks": [{ "frameId": 0 }, { "frameId": 1 }],
        "samples": samples,
    });
    workspace.write("ws/app.jsprofile", trace.to_string());
    let mut client = workspace.edit(json!({}));
    refreshed(&mut client);
    let ask = client.expect("window/showMessageRequest");
    assert_eq!(
        ask["params"]["message"],
        "dist/app.js.map is missing, and so is 1 other source map: 100 % of the time stays on minified lines."
    );
    client.reply(&ask, Value::Null);
    finish(client);
}

#[test]
fn a_map_is_where_the_user_says() {
    let workspace = built(None);
    workspace.write("ws/elsewhere/private.json", map_to("../src/app.ts"));
    let mut client =
        workspace.edit(json!({ "sourceMaps": { "maps": { "dist/app.js": "elsewhere/private.json" } } }));
    let source = workspace.open(&mut client, "ws/src/app.ts");
    loaded(&mut client);
    assert_eq!(hints(&mut client, &source), ON_SOURCE);
    finish(client);
}

#[test]
fn maps_are_read_only_where_the_user_wants() {
    let workspace = built(Some("ws/dist/app.js.map"));
    let mut client = workspace.edit(json!({ "sourceMaps.locations": ["**", "!dist/**"] }));
    let source = workspace.open(&mut client, "ws/src/app.ts");
    refreshed(&mut client);
    let ask = client.expect("window/showMessageRequest");
    assert_eq!(
        ask["params"]["message"],
        "dist/app.js.map is not used (the setting proflens.sourceMaps.locations leaves the source map out): \
         100 % of the time stays on minified lines."
    );
    client.reply(&ask, json!({ "title": "Ignore" }));
    assert_eq!(hints(&mut client, &source), NONE);
    // The user is not asked again about the next trace: an unexpected message would fail the test.
    workspace.trace("ws/next.jsprofile", "ws/dist/app.js", &[&["main"]], 5);
    watched(&mut client, &workspace, &[("ws/next.jsprofile", 1)]);
    let build = workspace.open(&mut client, "ws/dist/app.js");
    becomes(&mut client, &build, &["1:16 10ms self · 10ms total"]);
    assert_eq!(client.call("proflens/status", json!({}))["lostMaps"].as_array().unwrap().len(), 1);
    finish(client);
}

#[test]
fn the_debugger_knows_where_scripts_are() {
    let workspace = Workspace::new();
    workspace.write("ws/one/app.js", APP);
    workspace.write("ws/two/app.js", APP);
    workspace.trace_of_url("ws/t.jsprofile", "http://localhost/app.js", "ws/one/app.js", STACKS, 0);
    let launch = |folder: &str| {
        let configuration = json!({ "type": "chrome", "webRoot": format!("${{workspaceFolder}}/{folder}") });
        workspace.write(
            "ws/.vscode/launch.json",
            format!("{{ \"configurations\": [{configuration}] }} // for F5"),
        );
    };
    launch("one");
    let mut client = workspace.edit(json!({}));
    let [one, two] = ["ws/one/app.js", "ws/two/app.js"].map(|it| workspace.open(&mut client, it));
    loaded(&mut client);
    assert_eq!(hints(&mut client, &one).len(), 2);
    launch("two");
    watched(&mut client, &workspace, &[("ws/.vscode/launch.json", 2)]);
    becomes(&mut client, &two, &ON_SOURCE);
    assert_eq!(hints(&mut client, &one), NONE);
    workspace.write("ws/.vscode/launch.json", "{");
    watched(&mut client, &workspace, &[("ws/.vscode/launch.json", 2)]);
    becomes(&mut client, &two, &NONE);
    let problems = client.call("proflens/status", json!({}))["problems"].to_string();
    assert!(problems.contains("launch.json is not valid"), "{problems}");
    client.expect("window/showMessageRequest");
    client.forget(&["window/logMessage"]);
    finish(client);
}

#[test]
fn a_file_of_the_debugger_that_nobody_wrote_is_not_read() {
    let workspace = Workspace::with_app();
    workspace.write("ws/.vscode/launch.json", " ".repeat(1 << 20) + "{}");
    let mut client = workspace.edit(json!({}));
    loaded(&mut client);
    let problems = client.call("proflens/status", json!({}))["problems"].to_string();
    assert!(problems.contains("launch.json is larger than 1 MB and was not read"), "{problems}");
    client.forget(&["window/logMessage"]);
    finish(client);
}

#[test]
fn a_client_that_cannot_watch_sees_a_new_map_when_it_comes_back() {
    let workspace = built(None);
    let mut client = workspace.edit(json!({}));
    let source = workspace.open(&mut client, "ws/src/app.ts");
    refreshed(&mut client);
    let ask = client.expect("window/showMessageRequest");
    client.reply(&ask, Value::Null);
    client.forget(&["window/logMessage"]);
    build(&workspace, Some("ws/dist/app.js.map"));
    client.notify("textDocument/didSave", json!({ "textDocument": { "uri": source } }));
    becomes(&mut client, &source, &ON_SOURCE);
    finish(client);
}

#[test]
fn what_was_measured_stays_what_it_was_when_a_trace_is_placed_again() {
    let workspace = Workspace::with_app();
    let mut client = workspace.edit(json!({}));
    loaded(&mut client);
    // The functions swap places: by position alone, each would get the costs of the other.
    workspace.write("ws/app.js", "function work() {}\nfunction main() {\n  work();\n}\nmain();\n");
    watched(&mut client, &workspace, &[("ws/app.js", 2), ("ws/new.js.map", 1)]);
    loaded(&mut client);
    let uri = workspace.open(&mut client, "ws/app.js");
    assert_eq!(hints(&mut client, &uri), ["0:16 30ms self · 30ms total", "1:16 10ms self · 40ms total"]);
    finish(client);
}

#[test]
fn a_client_of_ours_chooses_itself() {
    let workspace = built(None);
    let mut capabilities = refreshing();
    capabilities["experimental"] = json!({ "proflens": { "ui": true } });
    let mut client = workspace.edit_as(json!({ "capabilities": capabilities }));
    refreshed(&mut client);
    let ask = client.expect("window/showMessageRequest");
    client.reply(&ask, json!({ "title": "Choose map…" }));
    assert_eq!(client.expect("proflens/act")["params"], json!({ "action": "chooseMap" }));
    finish(client);
}
