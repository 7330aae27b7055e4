//! Threads of a trace, of which one is shown; sessions and folders, whose sum is shown.

use serde_json::{Value, json};

use crate::client::Client;
use crate::workspace::{
    APP, STACKS, Workspace, becomes, execute, loaded, logged, position, ready, refreshed,
};

/// What the main thread did, and a worker.
const MAIN: (&str, &[&[&str]]) = ("main (pid 1)", &[&["main"], &["main", "work"]]);
const WORKER: (&str, &[&[&str]]) = ("worker (pid 1)", &[&["work"], &["work"], &["work"]]);

const OF_MAIN: [&str; 2] = ["0:16 10ms self · 20ms total", "3:16 10ms self · 10ms total"];
const OF_BOTH: [&str; 2] = ["0:16 10ms self · 20ms total", "3:16 40ms self · 40ms total"];
const OF_WORKER: [&str; 1] = ["3:16 30ms self · 30ms total"];

/// Writes a trace of these threads; stacks are worth 10 ms each.
fn write(workspace: &Workspace, trace: &str, threads: &[(&str, &[&[&str]])], newer: u64) {
    let uri = workspace.uri("ws/app.js");
    let names = ["main", "work"];
    let frames = [
        json!({ "name": "main", "file": uri, "line": 1, "col": 14 }),
        json!({ "name": "work", "file": uri, "line": 4, "col": 14 }),
    ];
    let profile = |(name, stacks): &(&str, &[&[&str]])| {
        let index = |name: &&str| names.iter().position(|it| it == name).unwrap();
        let samples: Vec<Vec<usize>> = stacks.iter().map(|it| it.iter().map(index).collect()).collect();
        json!({ "type": "sampled", "name": name, "unit": "milliseconds", "samples": samples,
                "weights": vec![10; stacks.len()] })
    };
    let profiles: Vec<Value> = threads.iter().map(profile).collect();
    let file = json!({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": { "frames": frames }, "profiles": profiles,
    });
    workspace.write(trace, file.to_string());
    workspace.date(trace, newer);
}

fn select(client: &mut Client, arguments: Value) {
    execute(client, "proflens.selectTrace", arguments);
    loaded(client);
}

/// Name, samples, active time and whether shown, of the threads of the first trace.
fn threads(client: &mut Client) -> Vec<String> {
    let status = client.call("proflens/status", json!({}));
    let line = |it: &Value| {
        let shown = if it["shown"] == true { " shown" } else { "" };
        format!("{} {} {}{shown}", it["name"].as_str().unwrap(), it["samples"]["number"], it["active"]["ns"])
    };
    status["traces"][0]["threads"].as_array().unwrap().iter().map(line).collect()
}

fn hover(client: &mut Client, uri: &str, at: &str) -> String {
    let place = json!({ "textDocument": { "uri": uri }, "position": position(at) });
    let hover = client.call("textDocument/hover", place);
    hover["contents"]["value"].as_str().unwrap().to_string()
}

#[test]
fn the_page_is_shown_and_threads_of_it_can_be_chosen() {
    let workspace = Workspace::new();
    workspace.write("ws/app.js", APP);
    write(&workspace, "ws/app.jsprofile", &[MAIN, WORKER], 0);
    let trace = workspace.uri("ws/app.jsprofile");
    let (mut client, uri) = ready(&workspace);
    becomes(&mut client, &uri, &OF_BOTH);
    assert_eq!(threads(&mut client), ["main (pid 1) 2 20000000 shown", "worker (pid 1) 3 30000000 shown"]);
    let text = hover(&mut client, &uri, "3:10");
    assert!(text.contains("app.jsprofile, main (pid 1) and 1 more thread · "), "{text}");
    assert!(
        text.contains("On 2 of 2 threads: worker 30.0 ms (100 % of it) · main 10.0 ms (50 % of it)"),
        "{text}"
    );
    let text = hover(&mut client, &uri, "0:10");
    assert!(text.contains("On 1 of 2 threads: main 20.0 ms (100 % of it)"), "{text}");

    select(&mut client, json!([trace, "worker (pid 1)"]));
    becomes(&mut client, &uri, &OF_WORKER);
    assert_eq!(threads(&mut client), ["main (pid 1) 2 20000000", "worker (pid 1) 3 30000000 shown"]);
    let text = hover(&mut client, &uri, "3:10");
    assert!(text.contains("app.jsprofile, worker (pid 1) · "), "{text}");
    assert!(text.contains("| 100 % |"), "100 % is the time of the thread: {text}");

    select(&mut client, json!([trace, 1]));
    becomes(&mut client, &uri, &OF_MAIN);
    select(&mut client, json!([trace, "WORK"]));
    becomes(&mut client, &uri, &OF_WORKER);
    select(&mut client, json!([trace, ["main", 2]]));
    becomes(&mut client, &uri, &OF_BOTH);
    select(&mut client, json!([trace, "main"]));
    becomes(&mut client, &uri, &OF_MAIN);
    select(&mut client, json!([trace]));
    // Without threads, those of the page are meant.
    becomes(&mut client, &uri, &OF_BOTH);

    let refused = |client: &mut Client, arguments: Value| {
        let params = json!({ "command": "proflens.selectTrace", "arguments": arguments });
        let id = client.request("workspace/executeCommand", params);
        client.answer(id)["error"]["message"].as_str().unwrap().to_string()
    };
    assert_eq!(
        refused(&mut client, json!([trace, "nobody"])),
        "app.jsprofile has no thread \"nobody\". Name one of these, or its number: 1 main (pid 1); 2 worker (pid 1)."
    );
    assert_eq!(refused(&mut client, json!([trace, {}])), "{} names no thread. Give its name.");
    becomes(&mut client, &uri, &OF_BOTH);
    client.finish();
}

#[test]
fn the_choice_outlives_another_placing_and_another_recording() {
    let workspace = Workspace::new();
    workspace.write("ws/app.js", APP);
    write(&workspace, "ws/app.jsprofile", &[MAIN, WORKER], 0);
    let trace = workspace.uri("ws/app.jsprofile");
    let (mut client, uri) = ready(&workspace);
    select(&mut client, json!([trace, "worker (pid 1)"]));

    let changed = |client: &mut Client| {
        let change = json!({ "uri": trace, "type": 2 });
        client.notify("workspace/didChangeWatchedFiles", json!({ "changes": [change] }));
        loaded(client);
    };
    let folder = json!({ "uri": workspace.uri("second"), "name": "second" });
    let added = json!({ "event": { "added": [folder], "removed": [] } });
    client.notify("workspace/didChangeWorkspaceFolders", added);
    loaded(&mut client);
    becomes(&mut client, &uri, &OF_WORKER);

    // Processes have other numbers each time.
    let again = [("main (pid 7)", MAIN.1), ("worker (pid 7)", &WORKER.1[..2])];
    write(&workspace, "ws/app.jsprofile", &again, 10);
    changed(&mut client);
    becomes(&mut client, &uri, &["3:16 20ms self · 20ms total"]);

    write(&workspace, "ws/app.jsprofile", &[MAIN, ("other", WORKER.1)], 20);
    changed(&mut client);
    becomes(&mut client, &uri, &OF_BOTH);
    assert_eq!(
        logged(&mut client),
        "app.jsprofile: app.jsprofile has no thread \"worker (pid 1)\". Name one of these, or its number: \
         1 main (pid 1); 2 other; the threads of the page are shown."
    );
    client.finish();
}

#[test]
fn threads_are_offered_in_a_message_where_there_are_no_lists() {
    let workspace = Workspace::new();
    workspace.write("ws/app.js", APP);
    workspace.trace("ws/b/other.jsprofile", "ws/app.js", STACKS, 0);
    write(&workspace, "ws/app.jsprofile", &[MAIN, WORKER], 5);
    let (mut client, uri) = ready(&workspace);
    execute(&mut client, "proflens.selectTrace", json!([]));
    let ask = client.expect("window/showMessageRequest");
    let titles = [
        "app.jsprofile",
        "app.jsprofile: main (pid 1)",
        "app.jsprofile: worker (pid 1)",
        "b/other.jsprofile",
    ];
    assert_eq!(ask["params"]["actions"], json!(titles.map(|title| json!({ "title": title }))));
    client.reply(&ask, json!({ "title": titles[2] }));
    loaded(&mut client);
    becomes(&mut client, &uri, &OF_WORKER);
    client.finish();
}

#[test]
fn sessions_are_added_up_and_each_function_says_in_how_many_it_is() {
    let workspace = Workspace::with_app();
    workspace.trace("ws/second.json", "ws/app.js", &[&["main"]], 0);
    let [first, second] =
        ["ws/app.jsprofile", "ws/second.json"].map(|it| std::fs::read_to_string(workspace.path(it)).unwrap());
    workspace.write("ws/app.jsprofile", format!("{first}\n{second}\n"));
    workspace.date("ws/app.jsprofile", 0);
    let (mut client, uri) = ready(&workspace);
    becomes(&mut client, &uri, &["0:16 20ms self · 50ms total", "3:16 30ms self · 30ms total"]);
    let status = client.call("proflens/status", json!({}));
    let shown = &status["traces"][0];
    assert_eq!([&shown["sessions"]["text"], &shown["threads"]], [&json!("2 sessions"), &json!([])]);
    for (at, expected) in [("0:10", "In 2 of 2 sessions"), ("3:10", "In 1 of 2 sessions")] {
        let text = hover(&mut client, &uri, at);
        assert!(text.contains(expected), "{text}");
    }
    client.finish();
}

#[test]
fn all_traces_of_a_folder_are_one_sum() {
    let workspace = Workspace::with_app();
    let (mut client, uri) = ready(&workspace);
    let beacons = workspace.uri("beacons");
    execute(&mut client, "proflens.loadTrace", json!([beacons]));
    let message = |client: &mut Client| {
        client.expect("window/showMessage")["params"]["message"].as_str().unwrap().to_string()
    };
    assert!(message(&mut client).ends_with("there is no such file. Check the path and its permissions."));
    refreshed(&mut client);

    workspace.trace("beacons/a.json", "ws/app.js", &[&["main"]], 0);
    workspace.trace("beacons/b.json", "ws/app.js", STACKS, 0);
    workspace.write("beacons/notes.json", "{}");
    let loaded_folder = execute(&mut client, "proflens.loadTrace", json!([beacons]));
    assert_eq!(
        [
            &loaded_folder["name"],
            &loaded_folder["state"],
            &loaded_folder["samples"]["text"],
            &loaded_folder["sessions"]["text"]
        ],
        [&json!("beacons"), &json!("loaded"), &json!("5 samples"), &json!("2 sessions")]
    );
    loaded(&mut client);
    assert!(
        logged(&mut client).contains("notes.json is not a profile that Proflens reads: its JSON is empty.")
    );
    becomes(&mut client, &uri, &["0:16 20ms self · 50ms total", "3:16 30ms self · 30ms total"]);

    workspace.trace("beacons/c.json", "ws/app.js", &[&["main"]], 10);
    let change = json!({ "uri": workspace.uri("beacons/c.json"), "type": 1 });
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": [change] }));
    loaded(&mut client);
    logged(&mut client);
    becomes(&mut client, &uri, &["0:16 30ms self · 60ms total", "3:16 30ms self · 30ms total"]);
    client.finish();
}
