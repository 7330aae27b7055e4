//! `proflens record` with real programs: what it records, and that it leaves them as they were.

#![allow(clippy::unwrap_used, reason = "these are tests, their helpers too")]

mod attach;
mod page;

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tests::{Folder, proflens};

/// Runs `proflens record` in a folder.
fn record(folder: &Folder, arguments: &[&str]) -> Output {
    Command::new(proflens()).arg("record").args(arguments).current_dir(folder.path()).output().unwrap()
}

/// The lines that it wrote for people.
fn said(output: &Output) -> Vec<String> {
    String::from_utf8_lossy(&output.stderr).lines().map(str::to_owned).collect()
}

/// The recordings of a folder, the oldest first; nothing else may be left there.
fn recordings(folder: &Folder) -> Vec<String> {
    let names = |below: &str| -> Vec<String> {
        let entries = std::fs::read_dir(folder.path().join(below)).into_iter().flatten();
        let mut names: Vec<_> = entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(names(".proflens/.unfinished"), [""; 0]);
    names(".proflens/recordings")
}

/// The functions of the workspace in a recording, in the order of their names: `hot app.js:3`.
fn functions(folder: &Folder, recording: &str) -> Vec<String> {
    let report = report(folder.path(), &[&format!(".proflens/recordings/{recording}")]);
    let all = report["functions"].as_array().unwrap().iter();
    let mut all: Vec<String> = all
        .map(|it| {
            let text = |key: &str| it[key].as_str().unwrap_or_default();
            format!("{} {}:{}", text("name"), text("file"), it["line"])
        })
        .collect();
    all.sort();
    all
}

fn report(folder: &Path, arguments: &[&str]) -> Value {
    let format = ["report", "--format", "json", "--limit", "0"];
    let output = Command::new(proflens()).args(format).args(arguments).current_dir(folder).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    serde_json::from_slice(&output.stdout).unwrap()
}
