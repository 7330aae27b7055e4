//! What tests need that others made: npm packages, installed by their lock files, and the shop that is built with some of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

use crate::paths::root;

/// The packages of a folder of the repository, installed once.
///
/// # Panics
/// If npm cannot install them.
pub fn installed(folder: &str) -> PathBuf {
    static INSTALLING: Mutex<()> = Mutex::new(());
    let folder = root().join(folder);
    let _one = INSTALLING.lock().unwrap_or_else(PoisonError::into_inner);
    let time = |file: &str| fs::metadata(folder.join(file)).and_then(|it| it.modified()).ok();
    if time("node_modules/.package-lock.json") < time("package-lock.json") {
        let flags = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"];
        let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
        let status = Command::new(npm).args(flags).current_dir(&folder).status().expect("npm is there");
        assert!(status.success(), "npm cannot install {}", folder.display());
    }
    folder.join("node_modules")
}

/// The folder with both releases of the shop of `examples/fleet`, built once after each change of it.
///
/// # Panics
/// If it cannot be built.
pub fn shop() -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    let build = || {
        let (target, example) = (root().join("target"), root().join("examples/fleet"));
        let releases = target.join("shop");
        fs::create_dir_all(&target).expect("a folder for what is built");
        // Others may want it at the same time.
        let turn = fs::File::create(target.join("shop.lock")).expect("a file in target");
        turn.lock().expect("a turn");
        let sources = ["shop", "shop.mjs", "build.mjs", "package-lock.json"];
        let changed = sources.iter().filter_map(|source| newest(&example.join(source))).max();
        // What is written last.
        if newest(&releases.join("42/functions.json")) < changed {
            installed("examples/fleet");
            let mut node = Command::new("node");
            let status = node.arg(example.join("build.mjs")).arg("--out").arg(&releases).status();
            assert!(status.expect("node starts").success(), "the shop does not build");
        }
        releases
    };
    BUILT.get_or_init(build).clone()
}

/// When a file was written, or the last one of a folder.
fn newest(path: &Path) -> Option<SystemTime> {
    match fs::read_dir(path) {
        Ok(entries) => entries.filter_map(|entry| newest(&entry.ok()?.path())).max(),
        Err(_) => fs::metadata(path).and_then(|data| data.modified()).ok(),
    }
}
