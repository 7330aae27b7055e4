//! Folders that tests and packages are made in.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

/// An empty folder of this name below `.editors/run`.
pub(crate) fn fresh(root: &Path, name: &str) -> Result<PathBuf> {
    let folder = root.join(".editors/run").join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    Ok(folder)
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
