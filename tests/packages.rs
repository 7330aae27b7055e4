//! The npm packages that tests run, installed from the registry by their lock files.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use crate::root;

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
