//! Loads that take long: they are shown, can be cancelled, and do not hold up anything else.

use std::fs::File;
use std::io::Write;
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Client;
use crate::workspace::{Workspace, execute, hints, logged, position, refreshed, refreshing};

/// A trace whose last string has almost a terabyte, in a sparse file: no load of it ever ends.
fn endless(workspace: &Workspace) {
    let mut file = File::create(workspace.path("endless.json")).unwrap();
    file.write_all(br#"{"traceEvents":[{"args":{"snapshot":""#).unwrap();
    file.set_len(1 << 40).unwrap();
}

/// An editor that shows a trace of `app.js` and loads the endless one; its document, the request, and the progress.
fn loading(workspace: &Workspace) -> (Client, String, i64, Value) {
    reading(workspace, "proflens.loadTrace", json!(workspace.uri("endless.json")))
}

/// The same with any command that reads the endless one.
fn reading(workspace: &Workspace, command: &str, argument: Value) -> (Client, String, i64, Value) {
    let mut capabilities = refreshing();
    capabilities["window"] = json!({ "workDoneProgress": true });
    let params = json!({ "capabilities": capabilities });
    let mut client = workspace.edit_with_progress_delay(params, Duration::ZERO);
    let uri = workspace.open(&mut client, "ws/app.js");
    begun(&mut client);
    ended(&mut client);
    refreshed(&mut client);
    logged(&mut client);
    endless(workspace);
    let load = json!({ "command": command, "arguments": [argument] });
    let load = client.request("workspace/executeCommand", load);
    let token = begun(&mut client);
    (client, uri, load, token)
}

/// Waits until a load shows its progress; returns the token.
fn begun(client: &mut Client) -> Value {
    let mut create = client.expect("window/workDoneProgress/create");
    client.reply(&create, Value::Null);
    assert_eq!(client.expect("$/progress")["params"]["value"]["kind"], "begin");
    create["params"]["token"].take()
}

fn ended(client: &mut Client) {
    while client.expect("$/progress")["params"]["value"]["kind"] != "end" {}
}

#[test]
fn everything_else_is_answered_while_a_trace_loads() {
    let workspace = Workspace::with_app();
    let (mut client, uri, load, token) = loading(&workspace);
    let shown = ["0:16 10ms self · 40ms total", "3:16 30ms self · 30ms total"];
    assert_eq!(hints(&mut client, &uri), shown);
    let place = json!({ "textDocument": { "uri": uri }, "position": position("0:10") });
    assert!(client.call("textDocument/hover", place)["contents"]["value"].as_str().unwrap().contains("main"));
    assert_eq!(execute(&mut client, "proflens.cycleUnit", json!(["percent"]))["unit"], "percent");
    refreshed(&mut client);
    assert_eq!(hints(&mut client, &uri), ["0:16 25% self · 100% total", "3:16 75% self · 75% total"]);
    let traces = client.call("proflens/status", json!({}))["traces"].take();
    let states: Vec<_> = traces.as_array().unwrap().iter().map(|it| (&it["name"], &it["state"])).collect();
    assert!(states.contains(&(&json!("endless.json"), &json!("loading"))), "{states:?}");

    client.notify("window/workDoneProgress/cancel", json!({ "token": token }));
    ended(&mut client);
    client.answer(load);
    refreshed(&mut client);
    client.finish();
}

#[test]
fn a_cancelled_load_ends_at_once_and_what_was_shown_stays() {
    let workspace = Workspace::with_app();
    let (mut client, uri, load, token) = loading(&workspace);
    client.notify("window/workDoneProgress/cancel", json!({ "token": token }));
    ended(&mut client);
    let answer = client.answer(load);
    assert_eq!([&answer["result"]["name"], &answer["result"]["state"]], ["endless.json", "found"]);
    refreshed(&mut client);
    assert_eq!(hints(&mut client, &uri), ["0:16 10ms self · 40ms total", "3:16 30ms self · 30ms total"]);
    client.finish();
}

#[test]
fn a_side_before_that_takes_long_can_be_cancelled_too() {
    let workspace = Workspace::with_app();
    let before = json!({ "before": [workspace.uri("endless.json")] });
    let (mut client, uri, compare, token) = reading(&workspace, "proflens.compareWith", before);
    let shown = ["0:16 10ms self · 40ms total", "3:16 30ms self · 30ms total"];
    assert_eq!(hints(&mut client, &uri), shown);
    client.notify("window/workDoneProgress/cancel", json!({ "token": token }));
    ended(&mut client);
    assert_eq!(client.answer(compare)["result"], Value::Null);
    assert_eq!(client.call("proflens/status", json!({}))["comparison"], Value::Null);
    assert_eq!(hints(&mut client, &uri), shown);
    client.finish();
}

#[test]
fn a_session_ends_though_a_trace_loads() {
    let workspace = Workspace::with_app();
    let (mut client, ..) = loading(&workspace);
    assert_eq!(client.call("shutdown", Value::Null), Value::Null);
    client.notify("exit", Value::Null);
    assert_eq!(client.exit_code(), 0);
}
