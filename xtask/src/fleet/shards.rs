//! Sessions of a release as shards, and what is made from them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use super::programs::Programs;
use crate::shell;

/// Shards of one release in a folder.
pub(super) struct Shards {
    pub(super) release: String,
    pub(super) folder: PathBuf,
    workspace: PathBuf,
}

impl Shards {
    /// Sessions of `examples/fleet`; `more` are further options of its generator.
    pub(super) fn generate(
        programs: &Programs,
        release: &str,
        sessions: usize,
        shard_size: usize,
        more: &[&str],
    ) -> Result<Self> {
        let folder = programs.fresh(&format!("shards-{release}"))?;
        let releases = tests::shop();
        let numbers = [sessions, shard_size.max(1)].map(|it| it.to_string());
        let mut node = Command::new("node");
        node.arg(programs.root.join("examples/fleet/generate.mjs")).arg("--releases").arg(&releases);
        node.args(["--sessions", &numbers[0], "--shard-size", &numbers[1]]);
        shell::run(node.args(["--release", release, "--out"]).arg(&folder).args(more))?;
        Ok(Self { release: release.to_owned(), folder, workspace: releases.join(release) })
    }

    /// The files, in order.
    pub(super) fn files(&self) -> Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            files.push(entry?.path());
        }
        files.sort();
        Ok(files)
    }

    /// Bytes of all of them.
    pub(super) fn bytes(&self) -> Result<u64> {
        Ok(bytes_by_path(&self.folder)?.values().sum())
    }

    pub(super) fn symbolicate(&self, programs: &Programs, lake: &Path) -> Result<()> {
        let mut command = programs.fleet(&["symbolicate", "--release", &self.release]);
        command.arg("--workspace").arg(&self.workspace).arg("--maps").arg(self.workspace.join("dist"));
        shell::run(command.arg("--out").arg(lake))
    }

    pub(super) fn ingesting(&self, programs: &Programs, lake: &Path) -> Command {
        let mut command = programs.fleet(&["ingest", "--release", &self.release, "--out"]);
        command.arg(lake).arg(&self.folder);
        command
    }

    pub(super) fn ingest(&self, programs: &Programs, lake: &Path) -> Result<()> {
        shell::run(&mut self.ingesting(programs, lake))
    }

    pub(super) fn reporting(&self, programs: &Programs) -> Command {
        let mut command = Command::new(&programs.report);
        command.arg("report").arg(&self.folder).arg("--workspace").arg(&self.workspace);
        command
    }

    /// The file with everything that `report` says.
    pub(super) fn report(&self, programs: &Programs) -> Result<PathBuf> {
        let mut command = self.reporting(programs);
        let output = command.args(["--all", "--limit", "0", "--format", "json"]).output()?;
        ensure!(output.status.success(), "report failed: {}", String::from_utf8_lossy(&output.stderr));
        let path = programs.folder.join(format!("report-{}.json", self.release));
        fs::write(&path, output.stdout)?;
        Ok(path)
    }
}

/// Whether two lakes have the same files with the same content. What a killed process had not finished does not count: it is
/// kept beside the tables.
pub(super) fn same_tables(a: &Path, b: &Path) -> Result<()> {
    let [ours, theirs] = [a, b].map(bytes_by_path);
    let (ours, theirs) = (ours?, theirs?);
    let only = |a: &Files, b: &Files| a.keys().find(|it| !b.contains_key(*it)).cloned();
    if let Some(name) = only(&ours, &theirs).or_else(|| only(&theirs, &ours)) {
        bail!("only one of them has {}", name.display());
    }
    for name in ours.keys() {
        let is_same = fs::read(a.join(name))? == fs::read(b.join(name))?;
        ensure!(is_same, "{} differs", name.display());
    }
    Ok(())
}

/// Files below a folder with their sizes.
pub(super) type Files = BTreeMap<PathBuf, u64>;

/// Paths below a folder with the sizes of the files; hidden folders are left out.
pub(super) fn bytes_by_path(folder: &Path) -> Result<Files> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        let entries = fs::read_dir(&next).with_context(|| format!("{} cannot be listed", next.display()))?;
        for entry in entries {
            let (path, data) = entry.and_then(|it| Ok((it.path(), it.metadata()?)))?;
            if path.file_name().is_some_and(|it| it.to_string_lossy().starts_with('.')) {
                continue;
            }
            if data.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.strip_prefix(folder)?.to_owned(), data.len());
            }
        }
    }
    Ok(found)
}
