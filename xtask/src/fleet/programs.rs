//! The programs that are run, and the folder that they work in.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::{server, shell};

/// What all steps need to know.
pub(super) struct Programs {
    pub(super) root: PathBuf,
    /// `proflens`.
    pub(super) report: PathBuf,
    /// `proflens-fleet`.
    pub(super) fleet: PathBuf,
    /// Where shards, lakes and results are.
    pub(super) folder: PathBuf,
}

impl Programs {
    /// As they are released.
    pub(super) fn released(root: &Path) -> Result<Self> {
        Self::at(root, |name| {
            let line = format!("cargo build --quiet --release --package {name} --message-format json");
            shell::built(&mut shell::command(root, &line)).with_context(|| format!("`{line}` fails"))
        })
    }

    /// As in the tests.
    pub(super) fn of_tests(root: &Path) -> Result<Self> {
        Self::at(root, |name| server::build_for_tests(root, name))
    }

    /// The programs that `PROFLENS` and `PROFLENS_FLEET` name; otherwise they are built.
    fn at(root: &Path, build: impl Fn(&str) -> Result<PathBuf>) -> Result<Self> {
        let program = |variable, name| {
            let named = std::env::var_os(variable).map(PathBuf::from);
            named.map_or_else(|| build(name), Ok)
        };
        let [report, fleet] =
            [program(server::PROGRAM, "proflens")?, program(server::FLEET, "proflens-fleet")?];
        let folder = root.join("target/fleet");
        fs::create_dir_all(&folder)?;
        Ok(Self { root: root.to_owned(), report, fleet, folder })
    }

    /// An empty place for a file or a folder with this name.
    pub(super) fn fresh(&self, name: &str) -> Result<PathBuf> {
        let path = self.folder.join(name);
        if path.exists() {
            fs::remove_dir_all(&path).with_context(|| format!("{} cannot be removed", path.display()))?;
        }
        Ok(path)
    }

    /// `proflens-fleet` with arguments.
    pub(super) fn fleet<T: AsRef<OsStr>>(&self, arguments: &[T]) -> Command {
        let mut command = Command::new(&self.fleet);
        command.args(arguments);
        command
    }
}
