//! Tells the program which commit it is built from, for `proflens --version`.
//!
//! Commit and date are those of the source and not of the build, so that the same source gives the same bytes. A source
//! without its repository, such as an unpacked archive, is known by the version alone.

use std::path::{Path, PathBuf};
use std::process::Command;

/// This package within its repository. Below another prefix it was copied into somebody else's repository.
const PREFIX: &str = "server/proflens/";
/// Enough digits for any repository. How many `git` itself takes depends on how much of the history was cloned.
const DIGITS: usize = 9;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let version = match commit() {
        Some(commit) => format!("{version} ({commit})"),
        None => version,
    };
    println!("cargo::rustc-env=PROFLENS_VERSION={version}");
}

/// The commit and its date, as `rustc --version` writes them; `None` without `git` or a repository.
fn commit() -> Option<String> {
    if git(&["rev-parse", "--show-prefix"])? != PREFIX {
        return None;
    }
    for file in kept_in()? {
        println!("cargo::rerun-if-changed={}", file.display());
    }
    let shown =
        git(&["log", "-1", "--no-show-signature", "--date=format-local:%Y-%m-%d", "--format=%H %cd"])?;
    let (hash, date) = shown.split_once(' ')?;
    Some(format!("{} {date}", hash.get(..DIGITS)?))
}

/// What changes when another commit is checked out or made.
fn kept_in() -> Option<Vec<PathBuf>> {
    let mut files = vec![git_path("HEAD")?];
    // Without a branch, HEAD has the commit itself.
    if let Some(branch) = git(&["symbolic-ref", "--quiet", "HEAD"]) {
        let own = git_path(&branch)?;
        if own.is_file() {
            files.push(own);
        } else {
            // Cargo treats a missing file as changed, at each build. The branch is in a file with others until a commit
            // gives it one of its own in this folder.
            files.extend(git_path("packed-refs").filter(|path| path.is_file()));
            files.extend(own.ancestors().skip(1).find(|folder| folder.is_dir()).map(Path::to_path_buf));
        }
    }
    Some(files)
}

fn git_path(name: &str) -> Option<PathBuf> {
    git(&["rev-parse", "--git-path", name]).map(PathBuf::from)
}

/// What `git` prints in the folder of this package; `None` if it fails.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).env("TZ", "UTC").output().ok()?;
    if !output.status.success() {
        return None;
    }
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
