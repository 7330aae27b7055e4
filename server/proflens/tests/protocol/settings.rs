//! Settings, wherever clients send them, and their effects.

use serde_json::{Value, json};

use crate::client::Client;
use crate::workspace::{APP, Workspace, execute, hints, logged, refreshed, refreshing};

fn ready(workspace: &Workspace, settings: Value) -> (Client, String) {
    let mut client = workspace.edit(settings);
    let uri = workspace.open(&mut client, "ws/app.js");
    refreshed(&mut client);
    logged(&mut client);
    (client, uri)
}

fn lenses(client: &mut Client, uri: &str) -> Value {
    client.call("textDocument/codeLens", json!({ "textDocument": { "uri": uri } }))
}

#[test]
fn initialization_options_count_from_the_start() {
    let workspace = Workspace::with_app();
    let (mut client, uri) =
        ready(&workspace, json!({ "hints": { "format": "${rank}: ${totalPercent}" }, "lens.enable": false }));
    assert_eq!(hints(&mut client, &uri), ["0:16 2: 100%", "3:16 1: 75%"]);
    assert_eq!(lenses(&mut client, &uri), Value::Null);
    client.finish();
}

#[test]
fn changed_settings_are_shown_at_once() {
    let workspace = Workspace::with_app();
    let (mut client, uri) = ready(&workspace, json!({}));
    let mut with = |settings: Value| {
        client.notify("workspace/didChangeConfiguration", json!({ "settings": { "proflens": settings } }));
        refreshed(&mut client);
        let hints = hints(&mut client, &uri);
        (hints.join(", "), lenses(&mut client, &uri).as_array().map_or(0, Vec::len))
    };
    assert_eq!(
        with(json!({ "unit": "percent" })),
        ("0:16 25% self · 100% total, 3:16 75% self · 75% total".into(), 2)
    );
    assert_eq!(
        with(json!({ "unit": "samples" })),
        ("0:16 1 self · 4 total, 3:16 3 self · 3 total".into(), 2)
    );
    assert_eq!(with(json!({ "hints.enable": false })), (String::new(), 2));
    assert_eq!(with(json!({ "exclude": ["*.js"] })), (String::new(), 0));
    let untouched = "0:16 10ms self · 40ms total, 3:16 30ms self · 30ms total";
    assert_eq!(with(json!({ "include": ["app.*"] })), (untouched.into(), 2));
    // Each change of `exclude` places the trace again, and then says so.
    client.finish_ignoring(&["window/logMessage"]);
}

#[test]
fn settings_are_asked_for_where_the_client_can_be_asked() {
    let workspace = Workspace::with_app();
    let mut capabilities = refreshing();
    capabilities["workspace"]["configuration"] = json!(true);
    capabilities["workspace"]["didChangeConfiguration"] = json!({ "dynamicRegistration": true });
    let mut client = workspace
        .edit_as(json!({ "capabilities": capabilities, "initializationOptions": { "unit": "samples" } }));
    let uri = workspace.open(&mut client, "ws/app.js");
    let registration = client.expect("client/registerCapability");
    assert_eq!(
        registration["params"]["registrations"][0]["registerOptions"],
        json!({ "section": "proflens" })
    );
    client.reply(&registration, Value::Null);
    let pull = client.expect("workspace/configuration");
    assert_eq!(pull["params"]["items"], json!([{ "section": "proflens" }]));
    client.reply(&pull, json!([{ "hints": { "format": "${self}" } }]));
    refreshed(&mut client);
    logged(&mut client);
    assert_eq!(hints(&mut client, &uri), ["0:16 1", "3:16 3"], "both those given first and those asked for");

    client.notify("workspace/didChangeConfiguration", json!({ "settings": null }));
    let pull = client.expect("workspace/configuration");
    client.reply(&pull, json!([{ "unit": "time", "hints": { "format": "${total}" } }]));
    refreshed(&mut client);
    assert_eq!(hints(&mut client, &uri), ["0:16 40ms", "3:16 30ms"]);
    client.finish();
}

#[test]
fn a_wrong_setting_is_logged_and_in_the_status_and_costs_nothing_else() {
    let workspace = Workspace::with_app();
    let mut client = workspace.edit(json!({ "unit": "hours", "hints": { "format": "${self}" } }));
    let uri = workspace.open(&mut client, "ws/app.js");
    refreshed(&mut client);
    let what = "The setting proflens.unit must be \"time\", \"percent\" or \"samples\", and is \"hours\".";
    assert_eq!(logged(&mut client), format!("{what} Its default is used."));
    logged(&mut client);
    assert_eq!(hints(&mut client, &uri), ["0:16 10ms", "3:16 30ms"]);
    let status = client.call("proflens/status", json!({}));
    assert_eq!(
        status["problems"],
        json!([{ "what": what, "where": "settings", "hint": "Its default is used." }])
    );
    client.finish();
}

#[test]
fn the_threshold_leaves_out_what_is_not_among_the_hottest() {
    let workspace = Workspace::new();
    let functions: String = (0..12).map(|at| format!("function f{at}() {{}}\n")).collect();
    workspace.write("ws/app.js", functions);
    let names: Vec<String> = (0..12).map(|at| format!("f{at}")).collect();
    // f0 has 13 samples, f1 has 12, and so on down to f11 with 2.
    let stacks: Vec<[&str; 1]> =
        names.iter().enumerate().flat_map(|(at, name)| vec![[name.as_str()]; 13 - at]).collect();
    let stacks: Vec<&[&str]> = stacks.iter().map(|it| &it[..]).collect();
    workspace.trace("ws/app.jsprofile", "ws/app.js", &stacks, 0);
    let (mut client, uri) = ready(&workspace, json!({ "threshold": 3 }));
    assert_eq!(hints(&mut client, &uri).len(), 11, "f11 has 2 of 90 samples");
    client.notify(
        "workspace/didChangeConfiguration",
        json!({ "settings": { "proflens": { "threshold": 100 } } }),
    );
    refreshed(&mut client);
    assert_eq!(hints(&mut client, &uri).len(), 10);
    client.finish();
}

#[test]
fn path_mappings_say_where_scripts_lie() {
    let workspace = Workspace::new();
    workspace.write("ws/public/app.js", APP);
    workspace.write("ws/copy/app.js", APP);
    workspace.trace_of_url("ws/t.jsprofile", "http://localhost/app.js", "ws/public/app.js", &[&["main"]], 0);
    let mappings = json!([{ "from": "http://localhost/", "to": "${workspaceFolder}/public/" }]);
    let mut client = workspace.edit(json!({ "pathMappings": mappings }));
    refreshed(&mut client);
    logged(&mut client);
    let uri = workspace.open(&mut client, "ws/public/app.js");
    let copy = workspace.open(&mut client, "ws/copy/app.js");
    assert_eq!(hints(&mut client, &uri).len(), 1);
    assert_eq!(hints(&mut client, &copy).len(), 0);
    client.finish();
}

#[test]
fn unit_and_visibility_are_commands_too() {
    let workspace = Workspace::with_app();
    let (mut client, uri) = ready(&workspace, json!({}));
    let mut after = |command: &str, arguments: Value| {
        execute(&mut client, command, arguments);
        refreshed(&mut client);
        hints(&mut client, &uri).first().cloned().unwrap_or_default()
    };
    assert_eq!(after("proflens.cycleUnit", json!([])), "0:16 25% self · 100% total");
    assert_eq!(after("proflens.cycleUnit", json!([])), "0:16 1 self · 4 total");
    assert_eq!(after("proflens.cycleUnit", json!([])), "0:16 10ms self · 40ms total");
    assert_eq!(after("proflens.cycleUnit", json!(["percent"])), "0:16 25% self · 100% total");
    assert_eq!(after("proflens.toggle", json!([])), "");
    assert_eq!(after("proflens.toggle", json!([])), "0:16 25% self · 100% total");
    client.finish();
}
