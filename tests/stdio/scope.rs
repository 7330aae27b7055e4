//! Parts of a recording on the command line: windows of time, and markers.

use std::process::{Command, Output};

use serde_json::{Value, json};
use tests::{Folder, proflens, root};

fn run(folder: &Folder, arguments: &[&str]) -> Output {
    Command::new(proflens()).args(arguments).env("NO_COLOR", "1").current_dir(folder.path()).output().unwrap()
}

/// A Chrome trace of `main` from 0 to 10 ms and `work` from 10 to 20 ms, in which `checkout` marks 5 to 8 and 12 to 20 ms.
fn with_trace() -> Folder {
    let folder = Folder::new();
    folder.write("app.js", "function main() { work(); }\nfunction work() {}\n");
    let frame = |name: &str, line: i32| json!({ "functionName": name, "scriptId": 1, "url": folder.uri("app.js"), "lineNumber": line, "columnNumber": 13 });
    let root = json!({ "functionName": "(root)", "scriptId": 0, "lineNumber": -1, "columnNumber": -1 });
    let nodes = json!([
        { "id": 1, "callFrame": root },
        { "id": 2, "parent": 1, "callFrame": frame("main", 0) },
        { "id": 3, "parent": 2, "callFrame": frame("work", 1) },
    ]);
    let samples: Vec<u32> = (0..20).map(|it| if it < 10 { 2 } else { 3 }).collect();
    let deltas: Vec<u32> = (0..20).map(|it| if it == 0 { 0 } else { 1000 }).collect();
    let profile = |name: &str, args: Value| json!({ "ph": "P", "name": name, "cat": "disabled-by-default-v8.cpu_profiler", "pid": 7, "tid": 1, "id": "0x1", "ts": 5000, "args": args });
    let edge = |phase: &str, id: &str, at: u32| json!({ "ph": phase, "name": "checkout", "cat": "blink.user_timing", "pid": 7, "tid": 1, "id2": { "local": id }, "ts": 5000 + at * 1000, "args": {} });
    let chunk = json!({ "cpuProfile": { "nodes": nodes, "samples": samples }, "timeDeltas": deltas });
    let events = json!([
        json!({ "ph": "M", "name": "thread_name", "cat": "__metadata", "pid": 7, "tid": 1, "ts": 0, "args": { "name": "CrRendererMain" } }),
        profile("Profile", json!({ "data": { "startTime": 1000 } })),
        profile("ProfileChunk", json!({ "data": chunk })),
        edge("b", "0x1", 5),
        edge("e", "0x1", 8),
        edge("b", "0x2", 12),
        edge("e", "0x2", 20),
    ]);
    folder.write("page.json", json!({ "traceEvents": events }).to_string());
    folder.write("stacks.txt", "main;work 12\nmain 3\n");
    folder
}

/// What a report is about, and its functions: `work 8 of 8 in 8`, in milliseconds and samples.
fn reported(folder: &Folder, arguments: &[&str]) -> (Value, Vec<String>) {
    let output = run(folder, &[&["report", "page.json", "--format", "json"][..], arguments].concat());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
    let mut report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let millis = |it: &Value| it.as_f64().unwrap() / 1e6;
    let line = |it: &Value| {
        let name = it["name"].as_str().unwrap();
        format!("{name} {} of {} in {}", millis(&it["selfNs"]), millis(&it["totalNs"]), it["totalSamples"])
    };
    let functions = report["functions"].as_array().unwrap().iter().map(line).collect();
    (report["traces"][0]["scope"].take(), functions)
}

#[test]
fn a_report_is_about_a_window_of_time() {
    let folder = with_trace();
    assert_eq!(
        reported(&folder, &[]),
        (Value::Null, vec!["main 10 of 20 in 20".into(), "work 10 of 10 in 10".into()])
    );
    let between = |from, to| reported(&folder, &["--between", from, to]);
    let expected = vec!["work 2.5 of 2.5 in 3".to_owned(), "main 1.5 of 4 in 4".to_owned()];
    assert_eq!(between("8.5ms", "12.5ms"), (json!("8.5 ms to 12.5 ms"), expected.clone()));
    assert_eq!(between("0.0085", "0.0125").1, expected);
    let (scope, functions) = reported(&folder, &["--marker", "checkout"]);
    assert_eq!(scope, "checkout (2 times, 11.0 ms)");
    assert_eq!(functions, ["work 8 of 8 in 8", "main 3 of 11 in 11"]);
    let (scope, functions) = reported(&folder, &["--marker", "checkout#1", "--between", "7ms", "1s"]);
    assert_eq!(scope, "checkout#1 (3.00 ms), within 7 ms to 1 s");
    assert_eq!(functions, ["main 1 of 1 in 1"]);
}

#[test]
fn a_scope_is_said_in_words() {
    let folder = with_trace();
    let text = |arguments: &[&str]| {
        let output = run(&folder, arguments);
        assert_eq!((output.status.code(), &*String::from_utf8_lossy(&output.stderr)), (Some(0), ""));
        String::from_utf8(output.stdout).unwrap()
    };
    let table = text(&["report", "page.json", "--marker", "checkout"]);
    assert!(
        table.ends_with("Of the time of page.json only this was counted: checkout (2 times, 11.0 ms).\n"),
        "{table}"
    );
    let table = text(&["report", "page.json", "--between", "1s", "2s"]);
    assert!(
        table.ends_with(
            "Note: page.json: no sample lies in 1 s to 2 s; choose another part of the recording, or all of it.\n"
        ),
        "{table}"
    );
    assert_eq!(
        text(&["annotate", "app.js", "--trace", "page.json", "--marker", "checkout"]),
        "function main() ⟨3ms self · 11ms total⟩ { work(); }\nfunction work() ⟨8ms self · 8ms total⟩ {}\n"
    );
    let stacks = text(&["convert", "page.json", "--to", "collapsed", "--marker", "checkout#1"]);
    assert_eq!(stacks.lines().count(), 1, "{stacks}");
    assert!(stacks.starts_with("main ") && stacks.ends_with(" 3000\n"), "{stacks}");
}

#[test]
fn what_is_no_scope_is_told_in_a_sentence() {
    let folder = with_trace();
    let told = |arguments: &[&str]| {
        let output = run(&folder, arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert_eq!(
        told(&["report", "page.json", "--marker", "pay"]),
        "page.json has no marker \"pay\". Name one of these: checkout (2 times).\n"
    );
    assert_eq!(
        told(&["report", "page.json", "--between", "2s", "1s"]),
        "A window of time ends after it begins. Name the earlier moment first.\n"
    );
    assert_eq!(
        told(&["report", "stacks.txt", "--between", "0", "1s"]),
        "stacks.txt (collapsed) does not say when its samples were taken. A .cpuprofile with samples, a performance trace of \
         Chrome or a Firefox profile does.\n"
    );
    let output = run(&folder, &["report", "page.json", "--between", "soon", "1s"]);
    let sentence = "\"soon\" is no time. Write it as 1.2s, 300ms or 1.5, which are seconds, or as end.";
    assert!(String::from_utf8_lossy(&output.stderr).contains(sentence), "{output:?}");
}

#[test]
fn a_report_is_about_a_part_of_the_stacks() {
    let folder = with_trace();
    let rows: [(&[&str], Value, &[&str]); 7] = [
        (&["--focus", "work"], json!("below work"), &["work 10 of 10 in 10"]),
        (&["--callers-of", "work"], json!("callers of work"), &["work 10 of 10 in 10", "main 0 of 10 in 10"]),
        (&["--drop", "app.js:work"], json!("without app.js:work"), &["main 10 of 10 in 10"]),
        (&["--merge", "work"], json!("work merged"), &["main 20 of 20 in 20"]),
        (
            &["--between", "5ms", "12ms", "--focus", "work"],
            json!("5 ms to 12 ms, below work"),
            &["work 2 of 2 in 2"],
        ),
        (&["--path", "main > work"], json!("below main › work"), &["work 10 of 10 in 10"]),
        (&["--between", "18ms", "end"], json!("18 ms to the end"), &["work 2 of 2 in 2", "main 0 of 2 in 2"]),
    ];
    for (arguments, scope, functions) in rows {
        let (told, mut reported) = reported(&folder, arguments);
        let mut functions: Vec<String> = functions.iter().map(|&it| it.to_owned()).collect();
        functions.sort();
        reported.sort();
        assert_eq!((told, reported), (scope, functions), "{arguments:?}");
    }
}

#[test]
fn a_name_that_is_not_there_is_no_reason_to_show_other_numbers() {
    let folder = with_trace();
    let none = "List what did with proflens report --all.";
    let rows: [(&[&str], String); 7] = [
        (&["--focus", "nobody"], format!("nobody did not run. {none}")),
        (&["--focus", "wrok"], "wrok did not run. Did you mean work?".into()),
        (&["--path", "main > wokr"], "wokr did not run. Did you mean work?".into()),
        (&["--callers-of", "app.js:MAIN"], "app.js:MAIN did not run. Did you mean main?".into()),
        (&["--drop", "wor"], "wor did not run. Did you mean work?".into()),
        (&["--merge", "mian"], "mian did not run. Did you mean main?".into()),
        (&["--collapse", "react"], format!("nothing of the package react ran. {none}")),
    ];
    for (arguments, sentence) in rows {
        for command in [&["report"][..], &["flame"], &["convert", "--to", "collapsed"]] {
            let output = run(&folder, &[command, &["page.json"], arguments].concat());
            let [out, said] = [output.stdout, output.stderr].map(|it| String::from_utf8(it).unwrap());
            let expected = (Some(1), String::new(), format!("page.json: {sentence}\n"));
            assert_eq!((output.status.code(), out, said), expected, "{command:?} {arguments:?}");
        }
    }
}

#[test]
fn what_is_converted_is_a_part_of_the_stacks() {
    let folder = with_trace();
    let stacks = |arguments: &[&str]| {
        let output = run(&folder, &[&["convert", "page.json", "--to", "collapsed"], arguments].concat());
        assert_eq!((output.status.code(), &*String::from_utf8_lossy(&output.stderr)), (Some(0), ""));
        let text = String::from_utf8(output.stdout).unwrap();
        // The places of functions are those of the folder.
        let line = |it: &str| {
            let (stack, time) = it.rsplit_once(' ').unwrap();
            let names: Vec<&str> = stack.split(';').map(|it| it.split(' ').next().unwrap()).collect();
            format!("{} {time}", names.join(";"))
        };
        text.lines().map(line).collect::<Vec<_>>()
    };
    assert_eq!(stacks(&[]), ["main 10000", "main;work 10000"]);
    for workspace in [&[][..], &["--workspace", "."]] {
        let with = |arguments: &[&'static str]| stacks(&[arguments, workspace].concat());
        assert_eq!(with(&["--focus", "work"]), ["work 10000"]);
        assert_eq!(with(&["--callers-of", "work"]), ["main;work 10000"]);
        assert_eq!(with(&["--drop", "work"]), ["main 10000"]);
        assert_eq!(with(&["--merge", "work"]), ["main 20000"]);
        assert_eq!(with(&["--focus", "work", "--between", "0", "12ms"]), ["work 2000"]);
    }
}

/// On a recorded page: what the listener of a click cost until the page was drawn, and what the page did in one part of that.
#[test]
fn an_interaction_is_a_window() {
    let folder = Folder::copy_of("tests/workspaces/interactions");
    let trace = root().join("tests/traces/chrome-trace/interactions-chromium156.json.gz");
    std::fs::copy(trace, folder.path().join("page.json.gz")).unwrap();
    let listed = |marker: &str| {
        let arguments = ["report", "page.json.gz", "--format", "json", "--marker", marker];
        let report: Value = serde_json::from_slice(&run(&folder, &arguments).stdout).unwrap();
        let functions = report["functions"].as_array().unwrap().iter();
        let names = functions.map(|function| function["name"].as_str().unwrap().to_owned());
        (report["traces"][0]["scope"].as_str().unwrap().to_owned(), names.collect::<Vec<_>>())
    };
    let (scope, functions) = listed("click interaction#1");
    assert_eq!(scope, "click interaction#1 (168 ms)");
    assert_eq!(functions, ["busy", "draw", "sortRows", "sort callback"]);
    let (scope, functions) = listed("click interaction: presentation delay#1");
    assert_eq!(scope, "click interaction: presentation delay#1 (34.6 ms)");
    assert_eq!(functions, ["draw", "sortRows"], "the last sample of the listener reaches into it");

    let unknown = run(&folder, &["report", "page.json.gz", "--marker", "interaction"]);
    let said = String::from_utf8_lossy(&unknown.stderr).into_owned();
    assert!(
        said.contains("Name one of these: click interaction (3 times); keypress interaction (2 times);"),
        "{said}"
    );
}
