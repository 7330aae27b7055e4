//! Folders for tests and packages.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// What tells programs that search a folder to leave it out (Cache Directory Tagging Specification, <https://bford.info/cachedir>).
const CACHE_TAG: &str = "Signature: 8a477f597d28d172789f06886806bc55\n";

/// `.editors`, which keeps what was fetched for tests, and what they write. Its tens of thousands of folders are tagged as a cache, as Cargo's
/// `target` is, so that Proflens and others do not search them when they are asked about this repository.
///
/// # Errors
/// If it cannot be made or written.
pub(crate) fn kept(root: &Path) -> Result<PathBuf> {
    let folder = root.join(".editors");
    fs::create_dir_all(&folder)?;
    let tag = folder.join("CACHEDIR.TAG");
    if !tag.exists() {
        fs::write(&tag, CACHE_TAG).with_context(|| format!("{} cannot be written", tag.display()))?;
    }
    Ok(folder)
}

/// An empty folder with this name below `.editors/run`.
pub(crate) fn fresh(root: &Path, name: &str) -> Result<PathBuf> {
    let folder = kept(root)?.join("run").join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Waits until nobody else does `what` in this repository: checks run side by side, and some of the programs that they call share a
/// single folder. The turn ends when the file is dropped.
///
/// # Errors
/// If `target/<what>.lock` cannot be written or locked.
pub(crate) fn turn(root: &Path, what: &str) -> Result<fs::File> {
    let target = root.join("target");
    fs::create_dir_all(&target)?;
    let lock = target.join(what).with_extension("lock");
    let turn = fs::File::create(&lock).with_context(|| format!("{} cannot be written", lock.display()))?;
    turn.lock().with_context(|| format!("{} cannot be locked", lock.display()))?;
    Ok(turn)
}

/// Copies all that is in a folder.
pub(crate) fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let goal = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_tree(&entry.path(), &goal)?;
        } else {
            fs::copy(entry.path(), goal)?;
        }
    }
    Ok(())
}
