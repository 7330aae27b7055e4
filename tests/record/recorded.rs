//! Runs a command under `proflens record`, and reads the result.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tests::{Folder, proflens, state_of};

/// What the programs share: work that takes at least this many milliseconds of a processor. It is counted, not timed: a program
/// that gets a processor only now and then would not be seen in any of its functions.
pub(crate) const WORK: &str = "
exports.for = (ms) => { let sum = 0; for (let i = 0; i < ms * 4e5; i++) sum += Math.sqrt(i % 1e4); return sum; };
";

/// A folder with programs, each of which can use `./work.cjs`.
pub(crate) fn programs(programs: &[(&str, &str)]) -> Folder {
    let folder = Folder::new();
    folder.write("work.cjs", WORK);
    for (file, text) in programs {
        folder.write(file, text);
    }
    folder
}

/// `proflens record` with options and a command, in a folder.
pub(crate) fn record(folder: &Path, options: &[&str], command: &[&str]) -> Command {
    let mut record = Command::new(proflens());
    record.arg("record").args(options).arg("--").args(command);
    prepared(record, folder)
}

/// The command itself.
pub(crate) fn plain(folder: &Path, command: &[&str]) -> Command {
    let mut plain = Command::new(command[0]);
    plain.args(&command[1..]);
    prepared(plain, folder)
}

fn prepared(mut command: Command, folder: &Path) -> Command {
    command
        .env_remove("NODE_OPTIONS")
        .env_remove("FORCE_COLOR")
        .env("NO_COLOR", "1")
        .env("CI", "1")
        .env("XDG_STATE_HOME", state_of(folder))
        .stdin(Stdio::null())
        .current_dir(folder);
    command
}

/// The recordings of a folder, in order.
pub(crate) fn recordings(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder.join(".proflens/recordings")) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.map(|it| it.unwrap().path()).collect();
    files.sort();
    files
}

/// What was left of unfinished recordings in a folder, in order.
pub(crate) fn unfinished(folder: &Path) -> Vec<PathBuf> {
    let below = |folder: PathBuf| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).into_iter().flatten();
        entries.map(|it| it.unwrap().path()).collect()
    };
    let workspaces = below(state_of(folder).join("proflens/unfinished"));
    let mut folders: Vec<PathBuf> = workspaces.into_iter().flat_map(below).collect();
    folders.sort();
    folders
}

/// What `report` says about a recording of a folder.
pub(crate) fn report(folder: &Path, recording: &Path) -> Value {
    let format = ["report", "--format", "json", "--limit", "0", "--all", "--workspace"];
    let output = Command::new(proflens()).args(format).arg(folder).arg(recording).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The functions of all recordings whose names start with `work`, and the files that they are in.
pub(crate) fn worked(folder: &Path) -> Vec<String> {
    let mut found = BTreeSet::new();
    for recording in recordings(folder) {
        let report = report(folder, &recording);
        for function in report["functions"].as_array().unwrap() {
            let name = function["name"].as_str().unwrap();
            if name.starts_with("work") {
                found.insert(format!("{name} {}", function["file"].as_str().unwrap()));
            }
        }
    }
    found.into_iter().collect()
}

/// How something ended: `3`, or `signal 9`.
pub(crate) fn ending(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("signal {signal}");
    }
    status.code().unwrap().to_string()
}

/// The notes on stderr, without numbers of processes.
pub(crate) fn notes(output: &Output) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stderr);
    let masked = |line: &str| {
        let words = line.split(' ').map(|it| if it.bytes().any(|it| it.is_ascii_digit()) { "N" } else { it });
        words.collect::<Vec<_>>().join(" ")
    };
    text.lines().filter(|it| it.starts_with("Note: ")).map(masked).collect()
}

/// Waits for something that must come, however slow the machine is.
pub(crate) fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(300), "{what} does not come");
        thread::sleep(Duration::from_millis(20));
    }
}
