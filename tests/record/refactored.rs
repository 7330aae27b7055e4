//! A program is recorded, refactored, and its recordings are looked at again: each function is where it is today. One file was
//! moved, one renamed, one moved and edited; functions were renamed, edited, and moved to files that are new and to files that
//! existed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use expect_test::expect_file;
use serde_json::Value;
use tests::{Folder, proflens, root};

use crate::ended::ended;
use crate::recorded::{plain, record, report};
use crate::runners::packages;

/// The program before and after, in one repository.
struct Repository {
    folder: Folder,
    recordings: PathBuf,
}

impl Repository {
    /// With the program as it was before.
    fn new() -> Self {
        let folder = Folder::new();
        let recordings = folder.path().join("recordings");
        fs::create_dir(&recordings).unwrap();
        folder.write(".gitignore", "recordings\ndist\nnode_modules\n");
        let it = Self { folder, recordings };
        it.git(&["init", "--quiet"]);
        it.commit("before");
        std::os::unix::fs::symlink(packages(), it.path().join("node_modules")).unwrap();
        it
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn git(&self, arguments: &[&str]) {
        let status = Command::new("git")
            .args(["-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "commit.gpgsign=false"])
            .args(arguments)
            .current_dir(self.path())
            .status()
            .unwrap();
        assert!(status.success(), "git {arguments:?}");
    }

    /// Replaces the sources by those of a version.
    fn commit(&self, version: &str) {
        drop(fs::remove_dir_all(self.path().join("src"))); // there are none yet, at first
        let from = root().join("tests/workspaces/refactored").join(version);
        let mut waiting = vec![from.clone()];
        while let Some(folder) = waiting.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    waiting.push(path);
                } else {
                    let relative = path.strip_prefix(&from).unwrap().to_str().unwrap();
                    self.folder.write(relative, fs::read(&path).unwrap());
                }
            }
        }
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", version]);
    }

    /// Builds the program with a bundler.
    fn build(&self, command: &[&str]) {
        let output = ended(plain(self.path(), command), &[]).unwrap();
        assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Records a script in two ways: with what Node itself offers, and with the recorder.
    fn record(&self, script: &str, name: &str) -> [PathBuf; 2] {
        let [by_node, by_recorder] =
            ["cpuprofile", "json.gz"].map(|ending| self.recordings.join(format!("{name}.{ending}")));
        let interval = ["--cpu-prof", "--cpu-prof-interval=300", "--cpu-prof-dir=recordings"];
        let file = format!("--cpu-prof-name={name}.cpuprofile");
        let command = [&["node"][..], &interval, &[&file, script]].concat();
        assert!(plain(self.path(), &command).status().unwrap().success());
        let out = by_recorder.to_str().unwrap();
        let options = ["--interval", "300us", "--out", out];
        assert!(ended(record(self.path(), &options, &["node", script]), &[]).unwrap().status.success());
        [by_node, by_recorder]
    }

    /// The functions of the program that a comparison finds on one side only.
    fn on_one_side_only(&self, before: &Path, after: &Path) -> Vec<String> {
        let files = [before.as_os_str(), "--".as_ref(), after.as_os_str()];
        let output = Command::new(proflens())
            .args(["compare", "--format", "json"])
            .args(files)
            .current_dir(self.path())
            .output()
            .unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        let functions = answer["functions"].as_array().unwrap().iter();
        let text = |it: &Value, key: &str| it[key].as_str().unwrap().to_owned();
        let functions = functions.map(|it| ["file", "name", "measured"].map(|key| text(it, key)));
        functions.filter(|it| is_compared(it) && it[2] != "both").map(|it| it.join(" ")).collect()
    }

    /// For the places in the script where functions ran, what they are today: file, name and freshness.
    fn functions(&self, recording: &Path) -> BTreeMap<String, [String; 3]> {
        let report = report(self.path(), recording);
        let mut found = BTreeMap::new();
        for function in report["functions"].as_array().unwrap() {
            let text = |key: &str| function[key].as_str().unwrap_or_default().to_owned();
            for place in function["measuredAt"].as_array().unwrap() {
                let place = format!("{}:{}:{}", place["resource"], place["line"], place["column"]);
                found.insert(place, ["file", "name", "freshness"].map(text));
            }
        }
        found
    }
}

/// Whether it is a function of the program, other than callbacks and code outside functions: which of these are in a sample
/// is chance, and bundlers merge the latter.
fn is_compared([file, name, _]: &[String; 3]) -> bool {
    file.starts_with("src/") && !name.ends_with("callback") && name != "(top level)"
}

/// What each function of the program was and is.
fn compared(
    before: &BTreeMap<String, [String; 3]>,
    after: &BTreeMap<String, [String; 3]>,
) -> BTreeMap<String, String> {
    let mut table = BTreeMap::new();
    for (place, function) in before {
        let [file, name, _] = function;
        if is_compared(function) {
            let now = after.get(place).map_or("unplaced".to_owned(), |it| it.join(" "));
            table.insert(format!("{file} {name}"), now);
        }
    }
    table
}

#[test]
fn recordings_from_before_a_refactoring_are_on_the_definitions_of_today() {
    let repository = Repository::new();
    let mut recordings: Vec<PathBuf> = repository.record("src/main.js", "plain").into();
    repository.build(&[
        "npx",
        "esbuild",
        "src/main.js",
        "--bundle",
        "--format=esm",
        "--sourcemap",
        "--outfile=dist/esbuild.js",
    ]);
    recordings.extend(repository.record("dist/esbuild.js", "esbuild"));
    let minified = ["--bundle", "--minify", "--format=esm", "--sourcemap", "--outfile=dist/minified.js"];
    repository.build(&[&["npx", "esbuild", "src/main.js"][..], &minified].concat());
    recordings.extend(repository.record("dist/minified.js", "minified"));
    repository.build(&[
        "npx",
        "rolldown",
        "src/main.js",
        "--format",
        "esm",
        "--sourcemap",
        "--file",
        "dist/rolldown.js",
    ]);
    recordings.extend(repository.record("dist/rolldown.js", "rolldown"));

    let before: Vec<_> = recordings.iter().map(|it| repository.functions(it)).collect();
    // Commits have whole seconds, and a commit in the same second as the recordings would count as the recorded one.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    repository.commit("after");
    let mut tables = Vec::new();
    for (recording, before) in recordings.iter().zip(&before) {
        tables.push(compared(before, &repository.functions(recording)));
    }
    let shown: String = tables[0].iter().map(|(was, is)| format!("{was} -> {is}\n")).collect();
    expect_file!["../workspaces/refactored/expected.txt"].assert_eq(&shown);
    // If a map leads to a text that a file with the same name still has, nothing shows that the file was moved.
    let places = |table: &BTreeMap<String, String>| -> Vec<String> {
        let place = |is: &String| is.rsplit_once(' ').map_or(is.clone(), |it| it.0.to_owned());
        table.iter().map(|(was, is)| format!("{was} -> {}", place(is))).collect()
    };
    for (table, recording) in tables.iter().zip(&recordings) {
        assert_eq!(places(table), places(&tables[0]), "{}", recording.display());
    }

    // The next recordings are from another build, and name the same definitions.
    repository.build(&[
        "npx",
        "rolldown",
        "src/main.js",
        "--format",
        "esm",
        "--sourcemap",
        "--file",
        "dist/esbuild.js",
    ]);
    let place = |is: &String| is.rsplit_once(' ').map(|it| it.0.to_owned());
    let today: BTreeSet<String> = tables[0].values().filter_map(place).collect();
    let after = repository.record("dist/esbuild.js", "after");
    for recording in &after {
        let functions = repository.functions(recording);
        let functions = functions.values().filter(|it| is_compared(it));
        let found: BTreeSet<String> = functions.map(|[file, name, _]| format!("{file} {name}")).collect();
        assert_eq!(found, today, "{}", recording.display());
    }
    // So each has both sides in a comparison, across the refactoring and the bundlers, also plain against bundled.
    for before in [&recordings[1], &recordings[3], &recordings[5]] {
        assert_eq!(repository.on_one_side_only(before, &after[1]), [""; 0], "{}", before.display());
    }
    // What was recorded before stays where it is, though its bundle was rebuilt.
    let again = compared(&before[3], &repository.functions(&recordings[3]));
    assert_eq!(places(&again), places(&tables[0]));
}
