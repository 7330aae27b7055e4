//! What these tests share: sessions, a lake, and the program.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tests::{Folder, proflens_fleet, root, shop};

/// Generated sessions of a release, on two days, in shards of 20; the same each time.
pub(crate) fn generate(folder: &Folder, release: &str, sessions: u32) -> PathBuf {
    let out = folder.path().join(format!("shards-{release}"));
    let mut node = Command::new("node");
    node.arg(root().join("examples/fleet/generate.mjs")).arg("--releases").arg(shop());
    node.args(["--release", release, "--days", "2", "--shard-size", "20"]);
    node.args(["--sessions", &sessions.to_string(), "--out"]).arg(&out);
    let output = node.output().expect("node starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    out
}

/// The folder of a release of the shop.
pub(crate) fn release(release: &str) -> PathBuf {
    shop().join(release)
}

/// What a run of the program left.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ran {
    pub(crate) ok: bool,
    pub(crate) stdout: String,
    /// With the folder of the test as `DIR`.
    pub(crate) stderr: String,
}

/// Runs it in a folder.
pub(crate) fn run(folder: &Folder, arguments: &[&str]) -> Ran {
    ran(folder, &mut command(folder, arguments))
}

pub(crate) fn command(folder: &Folder, arguments: &[&str]) -> Command {
    let mut command = Command::new(proflens_fleet());
    command.args(arguments).current_dir(folder.path());
    command
}

pub(crate) fn ran(folder: &Folder, command: &mut Command) -> Ran {
    let Output { status, stdout, stderr } = command.output().expect("the program starts");
    let text = |it: Vec<u8>| String::from_utf8(it).expect("it prints text");
    let stderr = text(stderr).replace(&folder.path().display().to_string(), "DIR");
    Ran { ok: status.success(), stdout: text(stdout), stderr }
}

/// Runs it and expects success; returns what it printed.
pub(crate) fn good(folder: &Folder, arguments: &[&str]) -> String {
    let ran = run(folder, arguments);
    assert!(ran.ok, "{arguments:?}: {}", ran.stderr);
    ran.stdout
}

/// Takes a release of the shop into a lake.
pub(crate) fn symbolicate(folder: &Folder, name: &str, lake: &str) {
    let shop = release(name);
    let [workspace, dist] = [shop.clone(), shop.join("dist")].map(|it| it.display().to_string());
    good(
        folder,
        &["symbolicate", "--release", name, "--workspace", &workspace, "--maps", &dist, "--out", lake],
    );
}

/// All files of a lake, with their bytes.
pub(crate) fn files(lake: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut open = vec![lake.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in
            fs::read_dir(folder).expect("a folder of the lake").map(|it| it.expect("an entry").path())
        {
            if entry.is_dir() {
                open.push(entry);
            } else {
                let name = entry.strip_prefix(lake).expect("it is in the lake").display().to_string();
                files.insert(name, fs::read(&entry).expect("a file of the lake"));
            }
        }
    }
    files
}
