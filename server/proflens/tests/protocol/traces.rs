//! Traces: found, followed, chosen, refused.

use std::time::Duration;
use std::{fs, thread};

use serde_json::{Value, json};

use crate::client::Client;
use crate::workspace::{
    APP, STACKS, Workspace, becomes, execute, hints, loaded, logged, ready, refreshed, refreshing,
    until_equal,
};

/// One second of self time for `main`, so that hints show which trace is loaded.
const OTHER: &[&[&str]] = &[&["main"], &["main"]];

fn watched(client: &mut Client, workspace: &Workspace, file: &str, kind: u8) {
    let change = json!({ "uri": workspace.uri(file), "type": kind });
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": [change] }));
}

fn message(client: &mut Client) -> String {
    client.expect("window/showMessage")["params"]["message"].as_str().unwrap().to_string()
}

/// The costs of [`Workspace::with_app`].
const OF_APP: [&str; 2] = ["0:16 10ms self · 40ms total", "3:16 30ms self · 30ms total"];

/// Waits until these traces are listed.
fn becomes_listed(client: &mut Client, expected: &[&str]) {
    until_equal(expected, || traces(client));
}

/// Name, state and whether shown, of all known traces.
fn traces(client: &mut Client) -> Vec<String> {
    let status = client.call("proflens/status", json!({}));
    let line = |it: &Value| {
        let shown = if it["shown"] == true { " shown" } else { "" };
        format!("{} {}{shown}", it["name"].as_str().unwrap(), it["state"].as_str().unwrap())
    };
    status["traces"].as_array().unwrap().iter().map(line).collect()
}

#[test]
fn the_newest_trace_is_shown_and_a_newer_one_takes_its_place() {
    let workspace = Workspace::with_app();
    workspace.trace("ws/deep/er/new.jsprofile", "ws/app.js", OTHER, 5);
    let (mut client, uri) = ready(&workspace);
    becomes(&mut client, &uri, &["0:16 20ms self · 20ms total"]);
    becomes_listed(&mut client, &["new.jsprofile loaded shown", "app.jsprofile found"]);

    workspace.trace("ws/newest.jsprofile", "ws/app.js", STACKS, 10);
    watched(&mut client, &workspace, "ws/newest.jsprofile", 1);
    loaded(&mut client);
    becomes(&mut client, &uri, &OF_APP);

    workspace.trace("ws/newest.jsprofile", "ws/app.js", &[&["main"]], 20);
    watched(&mut client, &workspace, "ws/newest.jsprofile", 2);
    loaded(&mut client);
    becomes(&mut client, &uri, &["0:16 10ms self · 10ms total"]);
    assert_eq!(
        traces(&mut client),
        ["newest.jsprofile loaded shown", "new.jsprofile found", "app.jsprofile found"]
    );
    client.finish();
}

#[test]
fn a_trace_that_is_still_written_is_shown_and_read_again_when_it_is_complete() {
    let is_followed = |_| {
        let workspace = Workspace::with_app();
        workspace.trace("ws/app.jsprofile", "ws/app.js", OTHER, 0);
        workspace.touch("ws/app.jsprofile");
        let (mut client, uri) = ready(&workspace);
        let first = hints(&mut client, &uri);
        workspace.trace("ws/app.jsprofile", "ws/app.js", STACKS, 0);
        workspace.touch("ws/app.jsprofile");
        let is_read_again = (0..50).any(|_| {
            thread::sleep(Duration::from_millis(100));
            hints(&mut client, &uri) == OF_APP
        });
        client.forget(&["workspace/inlayHint/refresh", "workspace/codeLens/refresh", "window/logMessage"]);
        client.finish();
        assert_eq!(first, ["0:16 20ms self · 20ms total"]);
        is_read_again
    };
    // On a machine that is very busy a writer may pause for longer than the server waits for one.
    assert!((0..5).any(is_followed));
}

#[test]
fn a_new_trace_that_is_not_complete_yet_is_waited_for() {
    let workspace = Workspace::with_app();
    workspace.trace("ws/new.jsprofile", "ws/app.js", OTHER, 0);
    let whole = fs::read(workspace.path("ws/new.jsprofile")).unwrap();
    workspace.write("ws/new.jsprofile", &whole[..whole.len() / 2]);
    let mut client = workspace.edit(json!({}));
    let uri = workspace.open(&mut client, "ws/app.js");
    workspace.write("ws/new.jsprofile", whole);
    watched(&mut client, &workspace, "ws/new.jsprofile", 2);
    becomes(&mut client, &uri, &["0:16 20ms self · 20ms total"]);
    client.forget(&["workspace/inlayHint/refresh", "workspace/codeLens/refresh", "window/logMessage"]);
    client.finish();
}

#[test]
fn a_client_that_cannot_watch_is_no_hindrance() {
    let workspace = Workspace::with_app();
    let (mut client, uri) = ready(&workspace);
    workspace.trace("ws/new.jsprofile", "ws/app.js", OTHER, 5);
    client.notify("textDocument/didSave", json!({ "textDocument": { "uri": uri } }));
    loaded(&mut client);
    becomes(&mut client, &uri, &["0:16 20ms self · 20ms total"]);
    client.finish();
}

#[test]
fn a_client_that_can_watch_is_asked_to() {
    let workspace = Workspace::with_app();
    let mut capabilities = refreshing();
    let watching = json!({ "dynamicRegistration": true, "relativePatternSupport": true });
    capabilities["workspace"]["didChangeWatchedFiles"] = watching;
    let named = workspace.path("else/where.jsprofile");
    let settings = json!({ "traces": ["**/*.cpuprofile", named] });
    let mut client =
        workspace.edit_as(json!({ "capabilities": capabilities, "initializationOptions": settings }));
    let registration = client.expect("client/registerCapability");
    client.reply(&registration, Value::Null);
    assert_eq!(
        registration["params"]["registrations"][0]["registerOptions"]["watchers"],
        json!([
            { "globPattern": "**/*.{js,mjs,cjs,jsx,ts,mts,cts,tsx,vue,svelte,astro,html,htm,mdx}" },
            { "globPattern": "**/*.map" },
            { "globPattern": "**/.vscode/launch.json" },
            { "globPattern": "**/*.cpuprofile" },
            { "globPattern": "**/*.cpuprofile.gz" },
            { "globPattern": { "baseUri": workspace.uri("else"), "pattern": "where.jsprofile" } },
        ])
    );
    client.finish();
}

#[test]
fn without_auto_load_traces_are_only_offered() {
    let workspace = Workspace::with_app();
    let mut client = workspace.edit(json!({ "autoLoad": false }));
    let uri = workspace.open(&mut client, "ws/app.js");
    while traces(&mut client).is_empty() {}
    becomes_listed(&mut client, &["app.jsprofile found"]);
    becomes(&mut client, &uri, &[]);
    let loaded = execute(&mut client, "proflens.selectTrace", json!([workspace.uri("ws/app.jsprofile")]));
    assert_eq!(loaded["state"], "loaded");
    becomes(&mut client, &uri, &OF_APP);
    refreshed(&mut client);
    logged(&mut client);
    client.finish();
}

#[test]
fn any_trace_that_the_user_names_is_loaded() {
    let workspace = Workspace::with_app();
    workspace.trace("outside/any.json", "ws/app.js", OTHER, 0);
    let (mut client, uri) = ready(&workspace);
    let loaded = execute(&mut client, "proflens.loadTrace", json!([workspace.uri("outside/any.json")]));
    assert_eq!(
        [&loaded["name"], &loaded["state"], &loaded["samples"]["text"]],
        [&json!("any.json"), &json!("loaded"), &json!("2 samples")]
    );
    becomes(&mut client, &uri, &["0:16 20ms self · 20ms total"]);
    refreshed(&mut client);
    logged(&mut client);
    client.finish();

    let mut client = workspace.edit(json!({ "traces": [workspace.path("outside/any.json")] }));
    let uri = workspace.open(&mut client, "ws/app.js");
    refreshed(&mut client);
    logged(&mut client);
    becomes(&mut client, &uri, &["0:16 20ms self · 20ms total"]);
    client.finish();
}

#[test]
fn what_is_no_profile_is_refused_in_a_sentence_and_what_was_shown_stays() {
    let workspace = Workspace::with_app();
    workspace.write("ws/trace.json", r#"{"snapshot":{"meta":{}},"nodes":[],"edges":[],"strings":[]}"#);
    let (mut client, uri) = ready(&workspace);
    let answer = execute(&mut client, "proflens.loadTrace", json!([workspace.uri("ws/trace.json")]));
    let sentence = "trace.json is not a profile that Proflens reads: it is a heap snapshot. Record a CPU profile instead.";
    assert_eq!([&answer["state"], &answer["error"]], [&json!("failed"), &json!(sentence)]);
    assert_eq!(message(&mut client), sentence);
    becomes(&mut client, &uri, &OF_APP);
    execute(&mut client, "proflens.loadTrace", json!([workspace.uri("ws/none.json")]));
    assert_eq!(
        message(&mut client),
        "none.json cannot be read: there is no such file. Check the path and its permissions."
    );
    execute(&mut client, "proflens.unloadTrace", json!([workspace.uri("ws/trace.json")]));
    execute(&mut client, "proflens.unloadTrace", json!([workspace.uri("ws/none.json")]));
    becomes_listed(&mut client, &["app.jsprofile loaded shown"]);
    client.forget(&["workspace/inlayHint/refresh", "workspace/codeLens/refresh"]);
    client.finish();
}

#[test]
fn a_broken_newest_trace_leads_to_the_next_one_without_a_message() {
    let workspace = Workspace::with_app();
    workspace.write("ws/broken.cpuprofile", "{");
    workspace.date("ws/broken.cpuprofile", 5);
    let mut client = workspace.edit(json!({}));
    let uri = workspace.open(&mut client, "ws/app.js");
    let said = [logged(&mut client), logged(&mut client)];
    assert!(said[0].starts_with("broken.cpuprofile is not a profile that Proflens reads: "), "{said:?}");
    assert_eq!(said[1], "app.jsprofile: 4 samples, 100 % of the active time placed.");
    becomes(&mut client, &uri, &OF_APP);
    becomes_listed(&mut client, &["broken.cpuprofile failed", "app.jsprofile loaded shown"]);
    refreshed(&mut client);
    client.forget(&["workspace/inlayHint/refresh", "workspace/codeLens/refresh"]);
    client.finish();
}

#[test]
fn an_unloaded_trace_stays_away_until_a_newer_one_comes() {
    let workspace = Workspace::with_app();
    let (mut client, uri) = ready(&workspace);
    execute(&mut client, "proflens.unloadTrace", json!([]));
    refreshed(&mut client);
    becomes(&mut client, &uri, &[]);
    watched(&mut client, &workspace, "ws/app.jsprofile", 2);
    becomes_listed(&mut client, &["app.jsprofile found"]);

    workspace.trace("ws/new.jsprofile", "ws/app.js", OTHER, 5);
    watched(&mut client, &workspace, "ws/new.jsprofile", 1);
    loaded(&mut client);
    becomes(&mut client, &uri, &["0:16 20ms self · 20ms total"]);
    client.finish();
}

#[test]
fn when_nothing_lies_in_the_workspace_the_user_is_told_what_to_do() {
    let workspace = Workspace::new();
    workspace.write("else/app.js", APP);
    let url = "http://localhost:3000/app.js";
    workspace.trace_of_url("ws/app.jsprofile", url, "else/app.js", STACKS, 0);
    let mut client = workspace.edit(json!({}));
    refreshed(&mut client);
    let ask = client.expect("window/showMessageRequest");
    assert_eq!(
        ask["params"],
        json!({
            "type": 2,
            "message": "No hints: the only script URL of app.jsprofile does not lie in this workspace.",
            "actions": [{ "title": "Map a path…" }, { "title": "Show log" }],
        })
    );
    client.reply(&ask, json!({ "title": "Map a path…" }));
    assert_eq!(
        message(&mut client),
        "Add to the setting proflens.pathMappings an entry { \"from\": \"…\", \"to\": \"${workspaceFolder}/…\" }, \
         where \"from\" is the beginning of http://localhost:3000/app.js."
    );
    client.forget(&["window/logMessage"]);

    // Once the file is there, so are its costs.
    workspace.write("ws/app.js", APP);
    watched(&mut client, &workspace, "ws/app.js", 1);
    refreshed(&mut client);
    let uri = workspace.open(&mut client, "ws/app.js");
    becomes(&mut client, &uri, &OF_APP);
    client.forget(&["window/logMessage"]);
    client.finish();
}

#[test]
fn a_client_of_ours_acts_on_buttons_itself_and_gets_no_messages_for_lists() {
    let workspace = Workspace::new();
    workspace.write("else/app.js", APP);
    workspace.trace_of_url("ws/app.jsprofile", "http://localhost/app.js", "else/app.js", STACKS, 0);
    let mut capabilities = refreshing();
    capabilities["experimental"] = json!({ "proflens": { "ui": true } });
    let mut client = workspace.edit_as(json!({ "capabilities": capabilities }));
    refreshed(&mut client);
    let ask = client.expect("window/showMessageRequest");
    client.reply(&ask, json!({ "title": "Show log" }));
    assert_eq!(client.expect("proflens/act")["params"], json!({ "action": "showLog" }));
    assert_eq!(execute(&mut client, "proflens.showHottest", json!([])), json!([]));
    assert_eq!(execute(&mut client, "proflens.selectTrace", json!([]))[0]["name"], "app.jsprofile");
    assert_eq!(execute(&mut client, "proflens.showLedger", json!([]))["rows"][0]["why"], "not-in-workspace");
    client.forget(&["window/logMessage"]);
    client.finish();
}

#[test]
fn without_a_client_of_ours_lists_are_messages() {
    let workspace = Workspace::with_app();
    workspace.trace("ws/b/other.jsprofile", "ws/app.js", OTHER, 0);
    workspace.date("ws/app.jsprofile", 5);
    let (mut client, uri) = ready(&workspace);
    execute(&mut client, "proflens.showHottest", json!([]));
    assert_eq!(
        message(&mut client),
        "1. work: self ~30.0 ms (75 %), total ~30.0 ms (75 %) (app.js:4)\n2. main: self ~10.0 ms (25 %), total ~40.0 ms (100 %) (app.js:1)"
    );
    execute(&mut client, "proflens.showLedger", json!([]));
    assert_eq!(
        message(&mut client),
        "40.0 ms of app.jsprofile\nOn functions of this workspace: ~40.0 ms (100 %)"
    );
    let place = json!({ "textDocument": { "uri": uri }, "position": { "line": 1, "character": 3 } });
    execute(&mut client, "proflens.showCallers", json!([place]));
    assert_eq!(
        message(&mut client),
        "main: ~40.0 ms (100 %)\nCalled by (entry) ~40.0 ms (100 %)\nCalls work (app.js:4) ~30.0 ms (75 %)"
    );
    execute(&mut client, "proflens.selectTrace", json!([]));
    let ask = client.expect("window/showMessageRequest");
    assert_eq!(
        ask["params"]["actions"],
        json!([{ "title": "app.jsprofile" }, { "title": "b/other.jsprofile" }])
    );
    client.reply(&ask, json!({ "title": "b/other.jsprofile" }));
    loaded(&mut client);
    becomes(&mut client, &uri, &["0:16 20ms self · 20ms total"]);
    for command in ["proflens.restart", "proflens.showLog"] {
        execute(&mut client, command, json!([]));
        assert!(message(&mut client).ends_with("language servers."));
    }
    client.finish();
}

#[test]
fn wrong_arguments_and_unknown_commands_are_refused() {
    let workspace = Workspace::with_app();
    let (mut client, _) = ready(&workspace);
    let mut refused = |command: &str, arguments: Value| {
        let params = json!({ "command": command, "arguments": arguments });
        let id = client.request("workspace/executeCommand", params);
        client.answer(id)["error"]["message"].as_str().unwrap().to_string()
    };
    assert_eq!(
        refused("proflens.loadTrace", json!([])),
        "Name the trace to load: its file: URL is the command's argument."
    );
    assert_eq!(
        refused("proflens.loadTrace", json!(["http://x/"])),
        "\"http://x/\" names no file. Give its file: URL."
    );
    assert_eq!(refused("proflens.selectTrace", json!([7])), "7 names no file. Give its file: URL.");
    assert_eq!(refused("proflens.cycleUnit", json!(["hours"])), "The unit is time, percent or samples.");
    assert_eq!(
        refused("proflens.showCallers", json!([])),
        "Name a function by { textDocument, position }, or as a lens does."
    );
    assert!(
        refused("proflens.dance", json!([]))
            .starts_with("There is no command proflens.dance. There are proflens.")
    );
    client.finish();
}

#[test]
fn folders_may_come_and_go() {
    let workspace = Workspace::new();
    workspace.write("second/app.js", APP);
    workspace.trace("second/app.jsprofile", "second/app.js", STACKS, 0);
    let mut client = workspace.edit(json!({}));
    let uri = workspace.open(&mut client, "second/app.js");
    let folder = json!({ "uri": workspace.uri("second"), "name": "second" });
    let added = json!({ "event": { "added": [folder], "removed": [] } });
    client.notify("workspace/didChangeWorkspaceFolders", added);
    loaded(&mut client);
    becomes(&mut client, &uri, &OF_APP);
    client.finish();
}

#[test]
fn a_load_that_takes_long_shows_its_progress() {
    let workspace = Workspace::with_app();
    let mut capabilities = refreshing();
    capabilities["window"] = json!({ "workDoneProgress": true });
    let params = json!({ "capabilities": capabilities });
    let mut client = workspace.edit_with_progress_delay(params, std::time::Duration::ZERO);
    let create = client.expect("window/workDoneProgress/create");
    let token = &create["params"]["token"];
    client.reply(&create, Value::Null);
    let mut steps = Vec::new();
    while steps.last() != Some(&json!("end")) {
        let step = client.expect("$/progress");
        assert_eq!(step["params"]["token"], *token);
        let value = &step["params"]["value"];
        if value["kind"] == "begin" {
            assert_eq!(
                [&value["title"], &value["cancellable"]],
                [&json!("Reading app.jsprofile…"), &json!(true)]
            );
            assert!(value["percentage"].is_u64(), "{value}");
        }
        steps.push(value["kind"].clone());
    }
    assert_eq!(steps[0], "begin");
    // A button that is clicked too late.
    client.notify("window/workDoneProgress/cancel", json!({ "token": token }));
    loaded(&mut client);
    client.finish();
}

#[test]
fn a_trace_that_is_gone_takes_its_costs_along() {
    let workspace = Workspace::with_app();
    workspace.trace("ws/new.jsprofile", "ws/app.js", OTHER, 5);
    let (mut client, uri) = ready(&workspace);
    becomes(&mut client, &uri, &["0:16 20ms self · 20ms total"]);
    std::fs::remove_file(workspace.path("ws/new.jsprofile")).unwrap();
    watched(&mut client, &workspace, "ws/new.jsprofile", 3);
    loaded(&mut client);
    becomes(&mut client, &uri, &OF_APP);
    becomes_listed(&mut client, &["app.jsprofile loaded shown"]);

    std::fs::remove_file(workspace.path("ws/app.jsprofile")).unwrap();
    watched(&mut client, &workspace, "ws/app.jsprofile", 3);
    refreshed(&mut client);
    becomes(&mut client, &uri, &[]);
    let none = client.call("textDocument/inlayHint", crate::workspace::hints_request(&uri));
    assert_eq!(none, json!([]), "nothing is a list of nothing: older editors keep what they have for a null");
    becomes_listed(&mut client, &[]);
    client.finish();
}

#[test]
fn a_trace_that_was_not_shown_leaves_the_list_when_it_is_deleted() {
    let workspace = Workspace::with_app();
    workspace.trace("ws/new.jsprofile", "ws/app.js", OTHER, 5);
    let (mut client, _) = ready(&workspace);
    becomes_listed(&mut client, &["new.jsprofile loaded shown", "app.jsprofile found"]);
    std::fs::remove_file(workspace.path("ws/app.jsprofile")).unwrap();
    watched(&mut client, &workspace, "ws/app.jsprofile", 3);
    refreshed(&mut client);
    becomes_listed(&mut client, &["new.jsprofile loaded shown"]);
    client.finish();
}

#[test]
fn what_could_not_be_read_stays_in_the_list_with_its_reason() {
    let workspace = Workspace::with_app();
    workspace.trace("ws/new.jsprofile", "ws/app.js", OTHER, 5);
    let (mut client, _) = ready(&workspace);
    std::fs::write(workspace.path("ws/page.html"), "<p>").unwrap();
    execute(&mut client, "proflens.loadTrace", json!([workspace.uri("ws/page.html")]));
    client.expect("window/showMessage");
    refreshed(&mut client);
    let listed = ["page.html failed", "new.jsprofile loaded shown", "app.jsprofile found"];
    becomes_listed(&mut client, &listed);
    std::fs::remove_file(workspace.path("ws/app.jsprofile")).unwrap();
    watched(&mut client, &workspace, "ws/app.jsprofile", 3);
    refreshed(&mut client);
    becomes_listed(&mut client, &["new.jsprofile loaded shown", "page.html failed"]);
    client.finish();
}

#[test]
#[cfg(unix)]
fn a_trace_that_becomes_a_link_leading_out_is_gone_unless_the_user_names_it() {
    let workspace = Workspace::with_app();
    workspace.trace("outside.jsprofile", "ws/app.js", OTHER, 5);
    let (mut client, uri) = ready(&workspace);
    let link = workspace.path("ws/app.jsprofile");
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(workspace.path("outside.jsprofile"), &link).unwrap();
    watched(&mut client, &workspace, "ws/app.jsprofile", 2);
    refreshed(&mut client);
    becomes(&mut client, &uri, &[]);
    becomes_listed(&mut client, &[]);

    execute(&mut client, "proflens.loadTrace", json!([workspace.uri("ws/app.jsprofile")]));
    loaded(&mut client);
    becomes(&mut client, &uri, &["0:16 20ms self · 20ms total"]);
    workspace.trace("outside.jsprofile", "ws/app.js", &[&["main"]], 20);
    watched(&mut client, &workspace, "ws/app.jsprofile", 2);
    loaded(&mut client);
    becomes(&mut client, &uri, &["0:16 10ms self · 10ms total"]);
    client.finish();
}

#[test]
fn a_glob_over_the_whole_disk_is_told_once() {
    let workspace = Workspace::with_app();
    let disk = if cfg!(windows) { "C:/" } else { "/" };
    let mut client = workspace.edit(json!({ "traces": [format!("{disk}**/*.jsprofile"), "*.jsprofile"] }));
    let what =
        format!("The glob {disk}**/*.jsprofile of proflens.traces spans a whole disk and is not looked for.");
    let hint = "Begin it with a folder.";
    assert_eq!(logged(&mut client), format!("{what} {hint}"));
    loaded(&mut client);
    watched(&mut client, &workspace, "ws/app.jsprofile", 2);
    let status = client.call("proflens/status", json!({}));
    assert_eq!(status["problems"], json!([{ "what": what, "where": "settings", "hint": hint }]));
    client.finish();
}

#[test]
fn one_message_names_files_of_all_kinds() {
    let workspace = Workspace::with_app();
    let mut client = workspace.edit(json!({ "traces": ["${workspaceFolder}/runs/[a].json", "*.jsprofile"] }));
    loaded(&mut client);
    workspace.trace("ws/runs/[a].json", "ws/app.js", OTHER, 5);
    let kinds = [("node_modules/x/index.js", 1), ("runs/[a].json", 1), ("dist/app.js.map", 3), ("app.js", 2)];
    let changes: Vec<_> = kinds
        .iter()
        .map(|(file, kind)| json!({ "uri": workspace.uri(&format!("ws/{file}")), "type": kind }))
        .collect();
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": changes }));
    // Several changes may be one load or two; the last one is of this file.
    while logged(&mut client) != "runs/[a].json: 2 samples, 100 % of the active time placed." {}
    becomes_listed(&mut client, &["[a].json loaded shown", "app.jsprofile found"]);
    client.finish();
}
