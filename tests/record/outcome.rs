//! Runs `proflens record` for something that already exists, and looks at what it leaves.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tests::{Folder, proflens, state_of};

use crate::ended::ended;
use crate::recorded::unfinished;

/// Runs `proflens record` in a folder.
pub(crate) fn record(folder: &Folder, arguments: &[&str]) -> Output {
    let mut record = Command::new(proflens());
    record.env("XDG_STATE_HOME", state_of(folder.path()));
    record.arg("record").args(arguments).current_dir(folder.path());
    ended(record, &[]).unwrap()
}

/// The lines that it wrote for people.
pub(crate) fn said(output: &Output) -> Vec<String> {
    String::from_utf8_lossy(&output.stderr).lines().map(str::to_owned).collect()
}

/// The recordings of a folder, oldest first; nothing else may be left there.
pub(crate) fn recordings(folder: &Folder) -> Vec<String> {
    assert_eq!(unfinished(folder.path()), [""; 0].map(PathBuf::from));
    let entries = std::fs::read_dir(folder.path().join(".proflens/recordings")).into_iter().flatten();
    let mut names: Vec<_> = entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The functions of the workspace in a recording, in the order of their names: `hot app.js:3`.
pub(crate) fn functions(folder: &Folder, recording: &str) -> Vec<String> {
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

pub(crate) fn report(folder: &Path, arguments: &[&str]) -> Value {
    let format = ["report", "--format", "json", "--limit", "0"];
    let output = Command::new(proflens()).args(format).args(arguments).current_dir(folder).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    serde_json::from_slice(&output.stdout).unwrap()
}
