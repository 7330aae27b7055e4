//! Finds the repository of a folder, and decides which parts of it may be read.
//!
//! The parts of a git repository can be anywhere on the disk, connected by links and by small files with paths. Whoever
//! made the opened folder also made those. So only paths inside the work tree are followed, with two exceptions: a
//! linked worktree, which its main repository must know, and a submodule, whose repository is inside that of a folder
//! above. The configuration is never read: `core.worktree` does not count.

use std::fs;
use std::path::{Path, PathBuf};

use profile::problem::Problem;

use super::confined::{ConfinedFolder, about};

/// A repository, as far as it may be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Repository {
    /// Where its `HEAD` is.
    pub(super) git_dir: ConfinedFolder,
    /// Where its branches and objects are: elsewhere for a linked worktree.
    pub(super) common_dir: ConfinedFolder,
    /// The folder with the files.
    pub(super) work_tree: ConfinedFolder,
    /// The path of the workspace folder below the work tree; empty, or with a slash at its end.
    pub(super) prefix: String,
}

/// The repository that a folder lies in, by the first `.git` on the way up. A bare repository does not count:
/// it can be files that somebody committed.
///
/// # Errors
/// Why a repository is not read.
pub(super) fn find(folder: &Path) -> Result<Option<Repository>, Problem> {
    let Some(folder) = ConfinedFolder::new(folder) else { return Ok(None) };
    let Some(found) = above(folder.path())? else { return Ok(None) };
    if found.git_dir.holds(&folder) || found.common_dir.holds(&folder) {
        return Ok(None);
    }
    let below = folder.path().strip_prefix(found.work_tree.path()).ok().and_then(Path::to_str);
    let Some(below) = below else { return Ok(None) }; // git's own paths are bytes, but those of editors are text
    let names = below.split(std::path::MAIN_SEPARATOR).filter(|name| !name.is_empty());
    let prefix = names.map(|name| format!("{name}/")).collect();
    Ok(Some(Repository { prefix, ..found }))
}

/// The work tree of the folder, or of the first one upwards that has one.
fn above(folder: &Path) -> Result<Option<Repository>, Problem> {
    for work_tree in folder.ancestors().filter_map(ConfinedFolder::new) {
        if let Some(repository) = of_tree(work_tree)? {
            return Ok(Some(repository));
        }
    }
    Ok(None)
}

/// The repository that the `.git` of a folder is or names.
fn of_tree(work_tree: ConfinedFolder) -> Result<Option<Repository>, Problem> {
    let entry = work_tree.path().join(".git");
    let Ok(metadata) = fs::metadata(&entry) else { return Ok(None) };
    let git_dir = match () {
        () if metadata.is_file() => Some(named_by(&work_tree, &entry)?),
        // Git also ignores an empty folder with this name.
        () if metadata.is_dir() => work_tree.folder(".git")?.filter(has_head),
        () => None,
    };
    let Some(git_dir) = git_dir else { return Ok(None) };
    let common_dir = if work_tree.holds(&git_dir) {
        common_dir(&git_dir, &work_tree)?
    } else if let Some(main) = main_repository(&git_dir, &entry)? {
        main
    } else if is_submodule(&work_tree, &git_dir)? {
        common_dir(&git_dir, &git_dir)?
    } else {
        return Err(about(&entry, format!("leads out of the folder to {}", git_dir.path().display())));
    };
    Ok(Some(Repository { git_dir, common_dir, work_tree, prefix: String::new() }))
}

fn has_head(git_dir: &ConfinedFolder) -> bool {
    git_dir.path().join("HEAD").symlink_metadata().is_ok()
}

/// The folder that a `.git` file names.
fn named_by(work_tree: &ConfinedFolder, entry: &Path) -> Result<ConfinedFolder, Problem> {
    let line = work_tree.read_line(".git")?.unwrap_or_default();
    let named = line.strip_prefix("gitdir:").ok_or_else(|| about(entry, "does not name a repository"))?;
    let target = work_tree.path().join(named.trim_start());
    ConfinedFolder::new(&target)
        .ok_or_else(|| about(entry, format!("names {}, which is not there", target.display())))
}

/// Where the branches and objects of a repository are, which must be inside `within`.
fn common_dir(git_dir: &ConfinedFolder, within: &ConfinedFolder) -> Result<ConfinedFolder, Problem> {
    let Some(named) = git_dir.read_line("commondir")? else { return Ok(git_dir.clone()) };
    let path = git_dir.path().join("commondir");
    match ConfinedFolder::new(&git_dir.path().join(named)) {
        None => Err(about(&path, "names a folder that is not there")),
        Some(common_dir) if within.holds(&common_dir) => Ok(common_dir),
        Some(common_dir) => {
            Err(about(&path, format!("leads out of the folder to {}", common_dir.path().display())))
        }
    }
}

/// The main repository of a linked worktree, whose own files are in `git_dir`; `None` unless it knows the worktree
/// whose `.git` is at `entry`.
fn main_repository(git_dir: &ConfinedFolder, entry: &Path) -> Result<Option<ConfinedFolder>, Problem> {
    let worktrees = git_dir.path().parent().filter(|folder| folder.ends_with("worktrees"));
    let Some(main) = worktrees.and_then(Path::parent) else { return Ok(None) };
    let knows = leads(git_dir, "gitdir")?.is_some_and(|path| Some(path) == fs::canonicalize(entry).ok());
    let is_its = knows && leads(git_dir, "commondir")?.is_some_and(|path| path == main);
    Ok(ConfinedFolder::new(main).filter(|_| is_its))
}

/// The real path that a file of a repository names.
fn leads(git_dir: &ConfinedFolder, file: &str) -> Result<Option<PathBuf>, Problem> {
    let line = git_dir.read_line(file)?;
    Ok(line.and_then(|path| fs::canonicalize(git_dir.path().join(path)).ok()))
}

/// Whether a repository is kept by the one around its work tree.
fn is_submodule(work_tree: &ConfinedFolder, git_dir: &ConfinedFolder) -> Result<bool, Problem> {
    let outer = work_tree.path().parent().map_or(Ok(None), above)?;
    Ok(outer.is_some_and(|outer| git_dir.path().starts_with(outer.git_dir.path().join("modules"))))
}
