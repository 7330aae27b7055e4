//! What an editor shows: hints, lenses, hovers, and the costs of a document.

use expect_test::expect;
use serde_json::{Value, json};

use crate::client::Client;
use crate::workspace::{Workspace, hints, logged, position, refreshed};

fn ready(workspace: &Workspace) -> (Client, String) {
    let mut client = workspace.edit(json!({}));
    let uri = workspace.open(&mut client, "ws/app.js");
    refreshed(&mut client);
    assert_eq!(logged(&mut client), "app.jsprofile: 4 samples, 100 % of the active time placed.");
    (client, uri)
}

#[test]
fn hints_stand_behind_headers_and_explain_themselves_lazily() {
    let workspace = Workspace::with_app();
    let (mut client, uri) = ready(&workspace);
    assert_eq!(hints(&mut client, &uri), ["0:16 10ms self · 40ms total", "3:16 30ms self · 30ms total"]);
    let range = json!({ "start": position("1:0"), "end": position("4:0") });
    let params = json!({ "textDocument": { "uri": uri }, "range": range });
    let below = client.call("textDocument/inlayHint", params);
    assert_eq!(below.as_array().unwrap().len(), 1, "only those of the range: {below}");
    assert_eq!(below[0]["tooltip"], Value::Null);
    let full = client.call("inlayHint/resolve", below[0].clone());
    let hover = json!({ "textDocument": { "uri": uri }, "position": position("3:10") });
    let hover = client.call("textDocument/hover", hover);
    assert_eq!(full["tooltip"], hover["contents"]);
    client.finish();
}

#[test]
fn hints_are_brief_where_lenses_have_the_words() {
    let workspace = Workspace::with_app();
    let shown = |client: &str, ours: bool, lens: bool| {
        let mut capabilities = crate::workspace::refreshing();
        capabilities["textDocument"] = json!({ "codeLens": {} });
        capabilities["experimental"] = json!({ "proflens": { "ui": ours } });
        let options = json!({ "lens": { "enable": lens } });
        let params = json!({ "clientInfo": { "name": client }, "capabilities": capabilities, "initializationOptions": options });
        let mut client = workspace.edit_as(params);
        let uri = workspace.open(&mut client, "ws/app.js");
        refreshed(&mut client);
        let shown = hints(&mut client, &uri);
        logged(&mut client);
        client.finish();
        shown
    };
    let brief = ["0:16 10ms · 40ms", "3:16 30ms · 30ms"];
    let in_words = ["0:16 10ms self · 40ms total", "3:16 30ms self · 30ms total"];
    assert_eq!(shown("any", false, true), brief);
    assert_eq!(shown("any", false, false), in_words);
    assert_eq!(shown("Neovim", true, true), brief);
    assert_eq!(shown("Neovim", false, true), in_words); // it says that it can, and does not by default
}

/// Emacs and Helix ask once, when a file is opened, and cannot be asked to ask again.
#[test]
fn a_client_that_does_not_refresh_waits_for_the_first_trace() {
    let workspace = Workspace::with_app();
    let mut client = workspace.edit_as(json!({ "capabilities": {} }));
    let uri = workspace.open(&mut client, "ws/app.js");
    assert_eq!(hints(&mut client, &uri), ["0:16 10ms self · 40ms total", "3:16 30ms self · 30ms total"]);
    logged(&mut client);
    client.finish();
}

#[test]
fn lenses_are_filled_when_they_come_into_view() {
    let workspace = Workspace::with_app();
    let (mut client, uri) = ready(&workspace);
    let lenses = client.call("textDocument/codeLens", json!({ "textDocument": { "uri": uri } }));
    let mut shown = Vec::new();
    for lens in lenses.as_array().unwrap() {
        let full = client.call("codeLens/resolve", lens.clone());
        let command = &full["command"];
        shown.push(format!(
            "line {}: {} {}",
            full["range"]["start"]["line"], command["title"], command["command"]
        ));
        let callers = json!({ "command": command["command"], "arguments": command["arguments"] });
        let callers = client.call("workspace/executeCommand", callers);
        shown.push(format!("called by {}", callers["callers"][0]["name"]));
        client.expect("window/showMessage");
    }
    expect![[r#"
        line 0: "Self ~10.0 ms (25 %) · Total ~40.0 ms (100 %) · 4 samples" "proflens.showCallers"
        called by "(entry)"
        line 3: "Self ~30.0 ms (75 %) · Total ~30.0 ms (75 %) · 3 samples" "proflens.showCallers"
        called by "main""#]]
    .assert_eq(&shown.join("\n"));
    client.finish();
}

#[test]
fn a_hover_shows_callers_with_links_and_where_the_numbers_come_from() {
    let workspace = Workspace::with_app();
    let (mut client, uri) = ready(&workspace);
    let hover = json!({ "textDocument": { "uri": uri }, "position": position("3:10") });
    let hover = client.call("textDocument/hover", hover);
    assert_eq!(hover["contents"]["kind"], "markdown");
    assert_eq!(hover["range"], json!({ "start": position("3:0"), "end": position("3:16") }));
    let text = hover["contents"]["value"].as_str().unwrap();
    for part in ["30.0 ms ± 13 ms |  75 % |", &format!("[main]({uri}#L1)"), "app.jsprofile"] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    let nothing = json!({ "textDocument": { "uri": uri }, "position": position("1:3") });
    assert_eq!(client.call("textDocument/hover", nothing), Value::Null);
    // Callers are where they are now, also before the text is saved.
    let change =
        json!({ "range": { "start": position("0:0"), "end": position("0:0") }, "text": "// later\n\n" });
    let document = json!({ "uri": uri, "version": 2 });
    client.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": [change] }));
    let edited = json!({ "textDocument": { "uri": uri }, "position": position("5:10") });
    let hover = client.call("textDocument/hover", edited);
    let text = hover["contents"]["value"].as_str().unwrap();
    assert!(text.contains(&format!("[main]({uri}#L3) app.js:3\n")), "{text}");
    client.finish();
}

/// The second `work` is at another place of the same header, as lowered functions are.
#[test]
fn a_trace_with_events_shows_how_often_a_function_was_called() {
    let workspace = Workspace::with_app();
    let frame = |name: &str, line: i32, column: i32| json!({ "functionName": name, "url": workspace.uri("ws/app.js"), "lineNumber": line, "columnNumber": column });
    let nodes = json!([
        { "id": 1, "callFrame": { "functionName": "(root)" } },
        { "id": 2, "parent": 1, "callFrame": frame("main", 0, 13) },
        { "id": 3, "parent": 2, "callFrame": frame("work", 3, 13) },
        { "id": 4, "parent": 2, "callFrame": frame("work", 3, 9) },
    ]);
    let samples = json!({
        "cpuProfile": { "nodes": nodes, "samples": [2, 3, 3, 2, 4, 2] },
        "timeDeltas": [10_000, 10_000, 10_000, 10_000, 10_000, 10_000],
    });
    let event = |name: &str, start: i32, duration: i32| json!({ "name": name, "ph": "X", "pid": 1, "tid": 1, "ts": start, "dur": duration });
    let events = json!([
        { "name": "Profile", "ph": "P", "pid": 1, "tid": 1, "ts": 1_000_000, "id": "0x1", "args": {} },
        { "name": "ProfileChunk", "ph": "P", "pid": 1, "tid": 2, "ts": 1_000_001, "id": "0x1", "args": { "data": samples } },
        event("RunTask", 1_000_000, 65_000),
        event("FunctionCall", 1_005_000, 60_000),
    ]);
    workspace.write("ws/app.jsprofile", events.to_string());
    let mut client = workspace.edit(json!({}));
    let uri = workspace.open(&mut client, "ws/app.js");
    refreshed(&mut client);
    assert_eq!(logged(&mut client), "app.jsprofile: 6 samples, 100 % of the active time placed.");
    let costs = client.call("proflens/documentCosts", json!({ "textDocument": { "uri": uri } }));
    let calls = |it: &Value| format!("{}: {} {}", it["name"], it["calls"], it["longTasks"]);
    let calls: Vec<String> = costs["functions"].as_array().unwrap().iter().map(calls).collect();
    assert_eq!(calls, [r#""main": null 1"#, r#""work": null 1"#]);
    let hover = json!({ "textDocument": { "uri": uri }, "position": position("3:10") });
    let text = client.call("textDocument/hover", hover)["contents"]["value"].to_string();
    assert!(text.contains("\\nIn 1 long task\\n"), "{text}");
    client.finish();
}

#[test]
fn document_costs_are_the_numbers_behind() {
    let workspace = Workspace::with_app();
    let (mut client, uri) = ready(&workspace);
    let costs = client.call("proflens/documentCosts", json!({ "textDocument": { "uri": uri } }));
    assert_eq!((&costs["version"], &costs["unit"]), (&json!(1), &json!("time")));
    let amount = json!({ "ns": 30_000_000, "text": "~30.0 ms", "beside": "75 %" });
    assert_eq!(
        costs["functions"][1],
        json!({
            "name": "work",
            "range": { "start": position("3:0"), "end": position("3:18") },
            "selectionRange": { "start": position("3:9"), "end": position("3:13") },
            "self": amount, "total": amount, "selfNs": 30_000_000, "totalNs": 30_000_000,
            "selfSamples": 3, "totalSamples": 3,
            "selfShare": 0.75, "totalShare": 0.75, "confidence": "exact", "freshness": "fresh",
            "calls": null, "longTasks": null, "withoutLine": null, "change": null,
        })
    );
    let closed = json!({ "textDocument": { "uri": workspace.uri("ws/other.js") } });
    assert_eq!(
        client.call("proflens/documentCosts", closed),
        json!({ "version": null, "unit": "time", "functions": [], "lines": [], "ran": [], "onLines": null })
    );
    client.finish();
}

#[test]
fn status_has_what_is_loaded_and_where_the_time_went() {
    let workspace = Workspace::with_app();
    workspace.trace("ws/older.jsprofile", "ws/app.js", &[&["main"]], 0);
    workspace.date("ws/app.jsprofile", 10);
    let (mut client, _) = ready(&workspace);
    let amount = |millis: u64| {
        let text = if millis > 0 { format!("{millis}.0 ms") } else { "0 ms".to_owned() };
        json!({ "ns": millis * 1_000_000, "text": text })
    };
    let placed = json!({ "ns": 40_000_000, "text": "~40.0 ms", "beside": "100 %" });
    let counted = |shown| match shown {
        true => json!({ "number": 1, "text": "1 session" }),
        false => json!({ "number": 0, "text": "0 sessions" }),
    };
    let trace = |name: &str, state: &str, shown: bool, samples: u64, duration: u64| {
        let (format, unit) = (shown.then_some("self-profiling"), shown.then_some("time"));
        json!({
            "uri": workspace.uri(&format!("ws/{name}")), "name": name, "state": state, "shown": shown, "format": format, "unit": unit,
            "samples": { "number": samples, "text": format!("{samples} samples") }, "duration": amount(duration),
            "sessions": counted(shown), "threads": [], "scope": null, "markers": [], "labels": [], "hasLines": false, "error": null,
        })
    };
    let mut status = client.call("proflens/status", json!({}));
    assert!(status["recording"].take().is_u64());
    assert_eq!(
        status,
        json!({
            "enabled": true, "unit": "time", "base": "active", "recording": null,
            "traces": [
                trace("app.jsprofile", "loaded", true, 4, 40),
                trace("older.jsprofile", "found", false, 0, 0),
            ],
            "ledger": {
                "total": amount(40), "base": amount(40), "placed": { "part": 1.0, "text": "100 %" },
                "rows": [{ "why": "placed", "label": "On functions of this workspace", "amount": placed, "examples": [] }],
            },
            "comparison": null, "lostMaps": [],
            "problems": [],
        })
    );
    client.finish();
}

#[test]
fn the_example_of_the_readme_is_shown() {
    let workspace = Workspace::new();
    let example = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/primes");
    for file in ["generate.js", "main.js"] {
        workspace.write(&format!("ws/{file}"), std::fs::read(example.join(file)).unwrap());
    }
    let recording = std::fs::read(example.join("recordings/self-profiling.json")).unwrap();
    workspace.write("ws/.proflens/primes.json", recording);
    let mut client = workspace.edit(json!({}));
    let uri = workspace.open(&mut client, "ws/generate.js");
    refreshed(&mut client);
    logged(&mut client);
    assert_eq!(
        hints(&mut client, &uri),
        ["5:20 14.6ms self · 14.6ms total", "14:28 6.7ms self · 21.3ms total"]
    );
    client.finish();
}
