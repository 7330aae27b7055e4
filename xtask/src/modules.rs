//! npm, and the packages that parts of this repository need.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::debian;
use crate::folders::turn;

/// Installs the packages that a folder's lock file names, unless they are installed.
pub(crate) fn modules(folder: &Path) -> Result<()> {
    let _turn = turn(tests::root(), "modules")?;
    let lock = fs::read(folder.join("package-lock.json"))?;
    let done = folder.join("node_modules/.proflens-lock");
    if fs::read(&done).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    eprintln!("installing the npm packages of {}", folder.display());
    debian::run(npm().current_dir(folder).args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]))?;
    fs::write(done, lock)?;
    Ok(())
}

/// npm, to be given its command.
pub(crate) fn npm() -> Command {
    Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" })
}
