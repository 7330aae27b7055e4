//! `cargo xtask yield [CASE…]`: what each rule of placing yields, over the recorded traces of the tests and over folders of cases. A
//! case has a folder `workspace` with the sources and a folder `profiles` with traces of them.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::shell;

/// Prints the table of docs/accuracy.md.
///
/// # Errors
/// If a case does not have these folders, or a trace cannot be read.
pub(crate) fn run(root: &Path, cases: &[&str]) -> Result<()> {
    let mut pairs = recorded(root)?;
    for case in cases {
        let workspace = Path::new(case).join("workspace");
        let profiles = files(&Path::new(case).join("profiles"))?;
        pairs.extend(profiles.into_iter().map(|profile| (workspace.clone(), profile)));
    }
    // It needs the crates that the server is made of, so it is one of its examples.
    let mut run =
        shell::command(root, "cargo run --quiet --release --package proflens --example rule_yield --");
    run.env("CARGO_PROFILE_RELEASE_LTO", "off"); // which would take longer than the run
    shell::run(run.args(pairs.into_iter().flat_map(|(workspace, trace)| [workspace, trace])))
}

/// The recorded traces of the tests, each with its workspace, whose name the trace's name begins with.
fn recorded(root: &Path) -> Result<Vec<(PathBuf, PathBuf)>> {
    let mut pairs = Vec::new();
    for format in tests::FORMATS {
        for trace in files(&root.join("tests/traces").join(format))? {
            let file_name = trace.file_name().map(OsString::from).unwrap_or_default();
            let name = file_name.to_string_lossy().split('-').next().unwrap_or_default().to_owned();
            let workspaces = ["examples", "tests/workspaces"].map(|folder| root.join(folder).join(&name));
            pairs.extend(workspaces.into_iter().find(|it| it.is_dir()).map(|workspace| (workspace, trace)));
        }
    }
    Ok(pairs)
}

/// The files of a folder, sorted.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let list = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths = list.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}
