//! Which traces a command reads: those that are named, stdin, or the newest in the folder; and which traces of a folder
//! have a sum.

use std::fs::File;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use tests::{Folder, proflens};

fn run(folder: &Folder, arguments: &[&str]) -> (Option<i32>, String, String) {
    told(Command::new(proflens()).args(arguments).current_dir(folder.path()).output().unwrap())
}

fn told(output: Output) -> (Option<i32>, String, String) {
    let [out, said] = [output.stdout, output.stderr].map(|it| String::from_utf8(it).unwrap());
    (output.status.code(), out, said)
}

/// A profile of `work`, which ran for this many milliseconds.
fn profile(millis: usize) -> String {
    let frame = |name: &str, url: &str, line: i32| json!({ "functionName": name, "scriptId": "1", "url": url, "lineNumber": line, "columnNumber": 13 });
    let nodes = json!([
        { "id": 1, "callFrame": frame("(root)", "", -1), "children": [2] },
        { "id": 2, "callFrame": frame("work", "file:///app/app.js", 0) },
    ]);
    let deltas: Vec<u32> = (0..millis).map(|it| if it == 0 { 0 } else { 1000 }).collect();
    json!({ "nodes": nodes, "startTime": 0, "endTime": millis * 1000, "samples": vec![2; millis], "timeDeltas": deltas }).to_string()
}

/// Writes a profile that is this many minutes old.
fn write(folder: &Folder, file: &str, millis: usize, minutes: u64) {
    let path = folder.write(file, profile(millis));
    let time = SystemTime::now() - Duration::from_secs(minutes * 60 + 1);
    File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

/// The traces that are in a report, and the milliseconds of all its time.
fn counted(report: &str) -> (Vec<String>, u64) {
    let report: Value = serde_json::from_str(report).unwrap();
    let traces = report["traces"].as_array().unwrap();
    let names = traces.iter().map(|it| it["path"].as_str().unwrap().to_owned()).collect();
    (names, report["ledger"]["totalNs"].as_u64().unwrap() / 1_000_000)
}

#[test]
fn a_trace_among_the_sources_to_print_is_a_trace() {
    let folder = Folder::new();
    folder.write("app.js", "function work() {}\n");
    write(&folder, "one.cpuprofile", 5, 1);
    write(&folder, "other.json", 7, 1);
    let rows: [&[&str]; 4] = [
        &["annotate", "app.js", "one.cpuprofile"],
        &["annotate", "one.cpuprofile", "other.json", "app.js"],
        &["annotate", "app.js", "--trace", "one.cpuprofile"],
        &["annotate", "one.cpuprofile"],
    ];
    let shown = rows.map(|arguments| {
        let (status, out, said) = run(&folder, arguments);
        format!("{status:?} {out}{said}")
    });
    expect_test::expect![[r#"
        Some(0) function work() ⟨5ms self · 5ms total⟩ {}
        Some(0) function work() ⟨12ms self · 12ms total⟩ {}
        Some(0) function work() ⟨5ms self · 5ms total⟩ {}
        Some(2) No file is named. Name the sources to print: proflens annotate app.ts --trace app.cpuprofile
    "#]]
    .assert_eq(&shown.join(""));
}

#[test]
fn without_a_name_it_is_the_newest() {
    let folder = Folder::new();
    folder.write("app.js", "function work() {}\n");
    let (status, out, said) = run(&folder, &["report"]);
    let sentence = format!(
        "No trace lies in {}. Record one with proflens record COMMAND, or name a file.\n",
        folder.path().canonicalize().unwrap().display()
    );
    assert_eq!((status, out, said), (Some(1), String::new(), sentence));
    write(&folder, "old.cpuprofile", 5, 120);
    write(&folder, "deep/new.cpuprofile", 7, 2);
    let newest = "Newest trace: deep/new.cpuprofile, 2 minutes ago.\n";
    let rows: [(&[&str], &str); 5] = [
        (&["report"], "7.00 ms active time"),
        (&["annotate", "app.js"], "7ms self"),
        (&["doctor"], "deep/new.cpuprofile: 7.00 ms of active time"),
        (&["convert", "--to", "collapsed"], ":1:14 7000"),
        (&["flame"], "new.flame.html\n"),
    ];
    for (arguments, part) in rows {
        let (status, out, said) = run(&folder, arguments);
        assert_eq!((status, &*said), (Some(0), newest), "{arguments:?}");
        assert!(out.contains(part), "{arguments:?}: {out}");
    }
    let (_, out, said) = run(&folder, &["report", "old.cpuprofile", "--format", "json"]);
    assert_eq!((counted(&out), &*said), ((vec!["old.cpuprofile".to_owned()], 5), ""));
}

#[test]
fn a_dash_is_stdin() {
    let folder = Folder::new();
    folder.write("app.js", "function work() {}\n");
    let trace = folder.write("a.cpuprofile", profile(5));
    let rows: [(&[&str], &str); 5] = [
        (&["report", "-"], "5.00 ms active time"),
        (&["annotate", "app.js", "--trace", "-"], "5ms self"),
        (&["doctor", "-"], "stdin: 5.00 ms of active time"),
        (&["convert", "-", "--to", "collapsed"], ":1:14 5000"),
        (&["flame", "-"], "stdin.flame.html\n"),
    ];
    for (arguments, part) in rows {
        let mut command = Command::new(proflens());
        command.args(arguments).current_dir(folder.path()).stdin(File::open(&trace).unwrap());
        let (status, out, said) = told(command.output().unwrap());
        assert_eq!((status, &*said), (Some(0), ""), "{arguments:?}");
        assert!(out.contains(part), "{arguments:?}: {out}");
    }
    let annotate = ["annotate", "--trace", "-", "app.js"];
    let mut command = Command::new(proflens());
    command.args(annotate).current_dir(folder.path()).stdin(File::open(&trace).unwrap());
    let (status, out, _) = told(command.output().unwrap());
    assert_eq!(status, Some(0));
    assert!(out.contains("5ms self"), "a source behind a trace is the file to print: {out}");
    let with_nothing = |arguments: &[&str]| {
        let mut command = Command::new(proflens());
        told(command.args(arguments).stdin(Stdio::null()).output().unwrap())
    };
    let sentence = "stdin is not a profile that Proflens reads: the file is empty. Record it again.\n";
    assert_eq!(with_nothing(&["report", "-"]), (Some(1), String::new(), sentence.to_owned()));
    let sentence = "stdin is named twice, and can be read once. Name - once.\n";
    assert_eq!(with_nothing(&["report", "-", "-"]), (Some(1), String::new(), sentence.to_owned()));
}

#[test]
fn only_what_belongs_together_has_a_sum() {
    let folder = Folder::new();
    folder.write("app.js", "function work() {}\n");
    write(&folder, "saved/monday.cpuprofile", 5, 300);
    write(&folder, "saved/tuesday.cpuprofile", 7, 120);
    let report = |arguments: &[&str]| {
        let (status, out, said) = run(&folder, &[&["report", "--format", "json"], arguments].concat());
        assert_eq!(status, Some(0), "{said}");
        (counted(&out), said)
    };
    let names = |names: &[&str]| names.iter().map(|&it| it.to_owned()).collect::<Vec<_>>();
    let note = "Note: the 2 recordings in saved are not of one run and have no sum: this is the newest, tuesday.cpuprofile, 2 hours ago; name files to add them up.\n";
    assert_eq!(report(&["saved"]), ((names(&["saved/tuesday.cpuprofile"]), 7), note.to_owned()));
    let both = ["saved/monday.cpuprofile", "saved/tuesday.cpuprofile"];
    assert_eq!(report(&both), ((names(&both), 12), String::new()), "who names them wants the sum");
    // A program, a process that it started, and a program of the day before.
    let processes = [
        "run/CPU.20261123.100000.9.0.001.cpuprofile",
        "run/CPU.20261124.100000.10.0.001.cpuprofile",
        "run/CPU.20261124.100001.11.0.001.cpuprofile",
    ];
    for (file, minutes) in processes.iter().zip([1000, 3, 2]) {
        write(&folder, file, 10, minutes);
    }
    let note = "Note: the 3 recordings in run are not of one run and have no sum: this is the newest 2, 2 minutes ago; name files to add them up.\n";
    assert_eq!(report(&["run"]), ((names(&processes[1..]), 20), note.to_owned()));
}

#[test]
fn a_name_that_one_of_the_traces_has() {
    let folder = Folder::new();
    folder.write("app.js", "function work() {}\nfunction rest() {}\n");
    folder.write("a.cpuprofile", profile(5));
    let other = profile(7).replace("\"work\"", "\"rest\"").replace("\"lineNumber\":0", "\"lineNumber\":1");
    folder.write("b.cpuprofile", other);
    let report = |arguments: &[&str]| {
        let (status, out, said) = run(&folder, &[&["report", "--format", "json"], arguments].concat());
        (status, if out.is_empty() { 0 } else { counted(&out).1 }, said)
    };
    let both = |arguments: &[&'static str]| [&["a.cpuprofile", "b.cpuprofile"], arguments].concat();
    assert_eq!(report(&both(&[])), (Some(0), 12, String::new()));
    assert_eq!(
        report(&both(&["--focus", "rest"])),
        (Some(0), 7, String::new()),
        "the other has no time below it"
    );
    assert_eq!(
        report(&both(&["--drop", "rest"])),
        (Some(0), 5, String::new()),
        "it changes nothing in the other"
    );
    let sentence = "2 traces: wrok did not run. Did you mean work?\n";
    assert_eq!(report(&both(&["--focus", "wrok"])), (Some(1), 0, sentence.to_owned()));
}

#[test]
fn what_cannot_be_shown_is_said() {
    let folder = Folder::new();
    folder.write("app.js", "function work() {}\n");
    folder.write("other.js", "function other() {}\n");
    folder.write("a.cpuprofile", profile(5));
    let said = |arguments: &[&str]| {
        let (status, _, said) = run(&folder, arguments);
        (status, said)
    };
    let rows: [(&[&str], i32, &str); 3] = [
        (
            &["annotate", "other.js", "--trace", "a.cpuprofile"],
            0,
            "Note: other.js: nothing of it ran in what was recorded, or it could not be placed there.\n",
        ),
        (
            &["annotate", "--trace", "a.cpuprofile"],
            2,
            "No file is named. Name the sources to print: proflens annotate app.ts --trace app.cpuprofile\n",
        ),
        (
            &["report", "a.cpuprofile", "--path", "work > work"],
            1,
            "a.cpuprofile: nothing ran below work › work. List what did with proflens report --all.\n",
        ),
    ];
    for (arguments, status, sentence) in rows {
        assert_eq!(said(arguments), (Some(status), sentence.to_owned()), "{arguments:?}");
    }
}
