//! The extension as a file for one platform, with its program inside, or for all of them, without one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::debian;
use crate::folders::{copy_tree, fresh, turn};
use crate::modules::{modules, npm};
use crate::target::TARGETS;

/// The parts of `editors/vscode` that go into the extension; `.vscodeignore` says it in more detail.
const FILES: [&str; 7] =
    ["package.json", "README.md", "CHANGELOG.md", "LICENSE", ".vscodeignore", "dist", "media"];
/// The earliest time that an archive of this kind can express, for every file in it: 1980-01-01, in seconds since 1970.
const TIME: &str = "315532800";

/// Packs the extension into `out`: for a target of vsce with this program inside, or with neither the file that looks
/// for a program on the user's machine. The same input gives the same bytes.
///
/// # Errors
/// If only one of program and target is given, vsce does not know the target, or `npm` is missing or fails.
pub(crate) fn package_for(
    root: &Path,
    program: Option<&Path>,
    target: Option<&str>,
    out: &Path,
) -> Result<PathBuf> {
    if let Some(target) = target {
        let known = TARGETS.map(|it| it.vscode);
        ensure!(known.contains(&target), "vsce knows no platform `{target}`; there are {}", known.join(", "));
    }
    let _turn = turn(root, "packages")?;
    let extension = root.join("editors/vscode");
    // The extension's own script also builds the page of the flame graph.
    modules(&root.join("editors/flame"))?;
    modules(&extension)?;
    debian::run(npm().current_dir(&extension).args(["run", "--silent", "build"]))?;

    // It is packed from a folder of its own, so that no program of another platform can get into the file.
    let staged = fresh(root, &format!("vsix-{}", target.unwrap_or("any")))?;
    for name in FILES {
        let from = extension.join(name);
        if from.is_dir() {
            copy_tree(&from, &staged.join(name))?;
        } else {
            fs::copy(&from, staged.join(name))
                .with_context(|| format!("{} cannot be read", from.display()))?;
        }
    }
    let name = match (program, target) {
        (Some(program), Some(target)) => {
            let name = if target.starts_with("win32") { "proflens.exe" } else { "proflens" };
            fs::create_dir_all(staged.join("server"))?;
            fs::copy(program, staged.join("server").join(name))
                .with_context(|| format!("{} cannot be copied into the extension", program.display()))?;
            format!("proflens-{target}.vsix")
        }
        (None, None) => "proflens.vsix".to_string(),
        _ => bail!("an extension file has both a program and the platform that it is for, or neither"),
    };
    same_everywhere(&staged)?;

    fs::create_dir_all(out)?;
    // vsce runs in another folder.
    let vsix = fs::canonicalize(out)?.join(name);
    let mut vsce = Command::new("node");
    vsce.arg(extension.join("node_modules/@vscode/vsce/vsce")).current_dir(&staged);
    vsce.args(["package", "--no-dependencies", "--allow-missing-repository", "--no-rewrite-relative-links"]);
    if let Some(target) = target {
        vsce.args(["--target", target]);
    }
    // Times in the archive are local ones, and the order of its files depends on a language.
    vsce.env("SOURCE_DATE_EPOCH", TIME).env("TZ", "UTC").env("LC_ALL", "C");
    debian::run(vsce.arg("--out").arg(&vsix))?;
    Ok(vsix)
}

/// Modes are part of the archive: no user's `umask` may show in them, and only the program can be run.
#[cfg(unix)]
fn same_everywhere(folder: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;

    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            same_everywhere(&entry.path())?;
        } else {
            let runs = folder.ends_with("server");
            fs::set_permissions(entry.path(), fs::Permissions::from_mode(if runs { 0o755 } else { 0o644 }))?;
        }
    }
    Ok(())
}

/// Windows has no modes; the extension makes its program runnable where they count.
#[cfg(not(unix))]
fn same_everywhere(_folder: &Path) -> Result<()> {
    Ok(())
}
