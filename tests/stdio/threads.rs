//! Threads, sessions and folders on the command line.

use std::process::{Command, Output};

use serde_json::{Value, json};
use tests::{Client, Folder, proflens};

use crate::drawn;

fn run(folder: &Folder, arguments: &[&str]) -> Output {
    Command::new(proflens()).args(arguments).env("NO_COLOR", "1").current_dir(folder.path()).output().unwrap()
}

/// The traces and functions of a JSON report: `name self total sessions`, in milliseconds.
fn reported(folder: &Folder, arguments: &[&str]) -> (Value, Vec<String>) {
    let output = run(folder, &[&["report", "--format", "json"][..], arguments].concat());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let mut report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let millis = |it: &Value| it.as_u64().unwrap() / 1_000_000;
    let line = |it: &Value| {
        format!(
            "{} {} {} {}",
            it["name"].as_str().unwrap(),
            millis(&it["selfNs"]),
            millis(&it["totalNs"]),
            it["sessions"]
        )
    };
    let functions = report["functions"].as_array().unwrap().iter().map(line).collect();
    (report["traces"].take(), functions)
}

/// A Self-Profiling trace of 10 ms in `main` and, if requested, 10 ms in `work`, called by it.
fn beacon(folder: &Folder, with_work: bool) -> Value {
    let frame = |name: &str, line: u32| json!({ "name": name, "resourceId": 0, "line": line, "column": 14 });
    let mut samples = vec![json!({ "timestamp": 0, "stackId": 0 })];
    samples.extend(with_work.then(|| json!({ "timestamp": 10, "stackId": 1 })));
    json!({
        "resources": [folder.uri("app.js")],
        "frames": [frame("main", 1), frame("work", 2)],
        "stacks": [{ "frameId": 0 }, { "frameId": 1, "parentId": 0 }],
        "samples": samples,
    })
}

fn with_app() -> Folder {
    let folder = Folder::new();
    folder.write("app.js", "function main() { work(); }\nfunction work() {}\n");
    folder
}

#[test]
fn threads_are_added_up_unless_one_is_picked() {
    let folder = with_app();
    let uri = folder.uri("app.js");
    let frame = |name: &str, line: u32| json!({ "name": name, "file": uri, "line": line, "col": 14 });
    let profile = |name: &str, samples: Value| {
        let weights = vec![10; samples.as_array().unwrap().len()];
        json!({ "type": "sampled", "name": name, "unit": "milliseconds", "samples": samples, "weights": weights })
    };
    let trace = json!({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": { "frames": [frame("main", 1), frame("work", 2)] },
        "profiles": [profile("Worker", json!([[1], [1], [1]])), profile("Main thread", json!([[0], [0, 1]]))],
        "activeProfileIndex": 1,
    });
    folder.write("threads.json", trace.to_string());

    let (traces, functions) = reported(&folder, &["threads.json"]);
    assert_eq!(functions, ["work 40 40 null", "main 10 20 null"]);
    let facts = |it: &Value| {
        [&it["threads"], &it["sessions"], &it["samples"], &it["threadsInScope"]].map(Value::clone)
    };
    assert_eq!(facts(&traces[0]), [json!(2), json!(1), json!(5), json!(null)]);

    for picked in ["Worker", "2", "wor"] {
        let (traces, functions) = reported(&folder, &["threads.json", "--thread", picked]);
        assert_eq!(functions, ["work 30 30 null"], "{picked}");
        assert_eq!(facts(&traces[0]), [json!(2), json!(1), json!(3), json!(["Worker"])]);
    }
    let output = run(&folder, &["report", "threads.json", "--thread", "Renderer"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "threads.json has no thread \"Renderer\". Name one of these, or its number: 1 Main thread; 2 Worker.\n"
    );

    let text = |arguments: &[&str]| String::from_utf8(run(&folder, arguments).stdout).unwrap();
    assert!(
        text(&["report", "threads.json"])
            .ends_with("threads.json is the sum of 2 threads; --thread picks some.\n")
    );
    assert!(
        text(&["report", "threads.json", "--thread", "2"])
            .ends_with("Of 2 threads of threads.json only these were counted: Worker; --thread picks others, --thread all counts all.\n")
    );
    let annotate = ["annotate", "app.js", "--trace", "threads.json"];
    assert_eq!(
        text(&annotate),
        "function main() ⟨10ms self · 20ms total⟩ { work(); }\nfunction work() ⟨40ms self · 40ms total⟩ {}\n"
    );
    assert_eq!(
        text(&[&annotate[..], &["--thread", "Worker"]].concat()),
        "function main() { work(); }\nfunction work() ⟨30ms self · 30ms total⟩ {}\n"
    );
}

#[test]
fn a_page_is_shown_with_its_workers() {
    let folder = drawn::workspace();
    let threads = [
        (7, "CrRendererMain", "main 6, main>work 4"),
        (7, "DedicatedWorker thread", "main>work 40"),
        (9, "CrRendererMain", "main 100, main>work 1"),
    ];
    drawn::write(&folder, "chrome.json", &threads);
    let shares = |arguments: &[&str]| {
        let output = run(&folder, &[&["report", "chrome.json", "--format", "json"][..], arguments].concat());
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let line = |it: &Value| {
            let share = |name: &str| (it[name].as_f64().unwrap() * 100.0).round();
            let [own, all] = [share("selfShare"), share("totalShare")];
            format!("{} {own} % {all} % {}", it["name"].as_str().unwrap(), it["threads"])
        };
        let functions: Vec<String> = report["functions"].as_array().unwrap().iter().map(line).collect();
        (report["traces"][0]["threadsInScope"].clone(), functions)
    };
    // The busiest main thread is that of the page; that of the other process is not part of it.
    let other = "CrRendererMain (pid 9, tid 3)";
    assert_eq!(
        shares(&[]),
        (json!([other]), vec!["main 99 % 100 % null".to_owned(), "work 1 % 1 % null".to_owned()])
    );
    let page = json!(["CrRendererMain (pid 7, tid 1)", "DedicatedWorker thread (pid 7, tid 2)"]);
    let picked = shares(&["--thread", "pid 7, tid 1", "--thread", "Worker"]);
    let worker = r#"["CrRendererMain","DedicatedWorker thread"]"#;
    assert_eq!(picked.0, page);
    assert_eq!(picked.1, [format!("work 88 % 88 % {worker}"), format!("main 12 % 100 % {worker}")]);

    let all = shares(&["--thread", "all"]);
    assert_eq!(all.0, json!(null));
}

/// Vitest's worker for a file is such a thread, and its script may be such a file.
#[test]
fn names_may_have_what_divides_our_own_texts() {
    let folder = drawn::workspace();
    let worker = "worker · schemas.test.ts";
    drawn::write(&folder, "speedscope.json", &[(7, "main", "main 5"), (7, worker, "main>schemas 31")]);
    let text = |arguments: &[&str]| String::from_utf8(run(&folder, arguments).stdout).unwrap();
    let refused = String::from_utf8(run(&folder, &["report", "speedscope.json", "--thread", "no"]).stderr);
    assert!(
        refused.unwrap().contains("Name one of these, or its number: 1 main; 2 worker · schemas.test.ts.")
    );
    for picked in [worker, "schemas", "2"] {
        let report = text(&["report", "speedscope.json", "--thread", picked]);
        assert!(report.contains("schemas   worker · schemas.test.ts:1:10\n"), "{report}");
        assert!(report.contains("only these were counted: worker · schemas.test.ts; --thread"), "{report}");
    }
    let mut client = Client::open(proflens(), folder.path(), json!({}));
    let uri = folder.uri("speedscope.json");
    let load = json!({ "command": "proflens.loadTrace", "arguments": [uri] });
    let loaded = client.request("workspace/executeCommand", load);
    let names: Vec<&Value> = loaded["threads"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["main", worker]);
    client.did_open(folder.path(), "app.js");
    let at = json!({ "textDocument": { "uri": folder.uri("app.js") }, "position": { "line": 0, "character": 10 } });
    let hover = client.request("textDocument/hover", at)["contents"]["value"].to_string();
    assert!(
        hover.contains("On 2 of 2 threads: worker · schemas.test.ts 31.0 ms (100 % of it) · main"),
        "{hover}"
    );
}

#[test]
fn a_function_says_in_how_many_sessions_it_is() {
    let folder = with_app();
    let lines = [true, false, false].map(|it| format!("{}\n", beacon(&folder, it)));
    folder.write("beacons.ndjson", lines.concat());
    let (traces, functions) = reported(&folder, &["beacons.ndjson"]);
    assert_eq!(functions, ["main 30 40 3", "work 10 10 1"]);
    assert_eq!([&traces[0]["threads"], &traces[0]["sessions"]], [&json!(3), &json!(3)]);
    let table = String::from_utf8(run(&folder, &["report", "beacons.ndjson"]).stdout).unwrap();
    let columns: Vec<Vec<&str>> = table.lines().take(3).map(|it| it.split_whitespace().collect()).collect();
    assert_eq!(columns[0], ["Self", "Total", "Samples", "Sessions", "Function", "Where"]);
    assert_eq!(columns[2][8..11], ["1", "1", "work"]);

    let (traces, functions) = reported(&folder, &["beacons.ndjson", "--thread", "2"]);
    assert_eq!(functions, ["main 10 10 null"]);
    assert_eq!([&traces[0]["sessions"], &traces[0]["threadsInScope"]], [&json!(1), &json!(["session 2"])]);
}

#[test]
fn a_folder_stands_for_the_traces_in_it() {
    let folder = with_app();
    folder.write("beacons/a.json", beacon(&folder, true).to_string());
    folder.write("beacons/b.json", beacon(&folder, false).to_string());
    folder.write("beacons/notes.md", "# Notes\n");
    folder.write("beacons/deeper/c.json", beacon(&folder, false).to_string());
    folder.write("beacons/.hidden", beacon(&folder, false).to_string());
    let (traces, functions) = reported(&folder, &["beacons"]);
    assert_eq!(functions, ["main 20 30 2", "work 10 10 1"]);
    assert_eq!(
        traces.as_array().unwrap().iter().map(|it| &it["path"]).collect::<Vec<_>>(),
        ["beacons/a.json", "beacons/b.json"]
    );
    let output = run(&folder, &["report", "beacons"]);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains(
            "Note: beacons: beacons/notes.md is not a profile that Proflens reads: it is not JSON."
        ),
        "{text}"
    );
    assert!(text.contains("; the other files of the folder were used."), "{text}");

    let refused = |name: &str| {
        let output = run(&folder, &["report", name]);
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stderr).unwrap()
    };
    folder.write("none/notes.md", "# Notes\n");
    assert!(
        refused("none")
            .starts_with("none is a folder without a trace that can be used. none/notes.md is not ")
    );
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    assert_eq!(refused("empty"), "empty is a folder without files. Name one with traces in it.\n");
}
