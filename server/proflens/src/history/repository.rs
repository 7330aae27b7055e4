//! Finds the repository of a folder, and decides what of it may be read.
//!
//! The parts of a git repository can lie anywhere on the disk, connected by links and by small files with paths.
//! Whoever made the opened folder also made those. So only paths inside the work tree are followed, with two
//! exceptions: a linked worktree, which its main repository must know, and a submodule, whose repository lies in that
//! of a folder above. The configuration is never read: `core.worktree` does not count.

use std::fs;
use std::path::{Path, PathBuf};

use super::confined::ConfinedFolder;

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
/// Why a repository is not read, as the end of a sentence.
pub(super) fn find(folder: &Path) -> Result<Option<Repository>, String> {
    let Some(folder) = ConfinedFolder::new(folder) else { return Ok(None) };
    let Some((work_tree, git_dir, common_dir)) = above(folder.path())? else { return Ok(None) };
    if git_dir.holds(&folder) || common_dir.holds(&folder) {
        return Ok(None);
    }
    let rest = folder.path().strip_prefix(work_tree.path()).ok().and_then(Path::to_str);
    let Some(rest) = rest else { return Ok(None) }; // git's own paths are bytes, but those of editors are text
    let prefix = rest.split(std::path::MAIN_SEPARATOR).filter(|it| !it.is_empty());
    let prefix = prefix.map(|it| it.to_owned() + "/").collect();
    Ok(Some(Repository { git_dir, common_dir, work_tree, prefix }))
}

/// The first work tree from a folder upwards, with where its `HEAD` and where its objects are.
fn above(folder: &Path) -> Result<Option<(ConfinedFolder, ConfinedFolder, ConfinedFolder)>, String> {
    for work_tree in folder.ancestors().filter_map(ConfinedFolder::new) {
        if let Some((git_dir, common_dir)) = of_tree(&work_tree)? {
            return Ok(Some((work_tree, git_dir, common_dir)));
        }
    }
    Ok(None)
}

fn of_tree(work_tree: &ConfinedFolder) -> Result<Option<(ConfinedFolder, ConfinedFolder)>, String> {
    let entry = work_tree.path().join(".git");
    let Ok(about) = fs::metadata(&entry) else { return Ok(None) };
    if about.is_dir() {
        let Some(git_dir) = work_tree.folder(".git")? else { return Ok(None) };
        // Git ignores an empty folder of this name, too.
        let is_one = git_dir.path().join("HEAD").symlink_metadata().is_ok();
        return if is_one { common_dir(&git_dir, work_tree).map(|it| Some((git_dir, it))) } else { Ok(None) };
    }
    if !about.is_file() {
        return Ok(None);
    }
    let line = work_tree.read_line(".git")?.unwrap_or_default();
    let named = line.strip_prefix("gitdir:").map(str::trim_start);
    let named = named.ok_or_else(|| format!("{} does not name a repository", entry.display()))?;
    let target = work_tree.path().join(named);
    let git_dir = ConfinedFolder::new(&target)
        .ok_or_else(|| format!("{} names {}, which is not there", entry.display(), target.display()))?;
    if work_tree.holds(&git_dir) {
        return common_dir(&git_dir, work_tree).map(|it| Some((git_dir, it)));
    }
    if let Some(main) = main_repository(&git_dir, &entry)? {
        return Ok(Some((git_dir, main)));
    }
    let outer = work_tree.path().parent().map_or(Ok(None), above)?;
    if outer.is_some_and(|(_, outer, _)| git_dir.path().starts_with(outer.path().join("modules"))) {
        return common_dir(&git_dir, &git_dir).map(|it| Some((git_dir, it)));
    }
    Err(format!("{} leads out of the folder to {}", entry.display(), git_dir.path().display()))
}

/// Where the branches and objects of a repository are, which must be inside of `within`.
fn common_dir(git_dir: &ConfinedFolder, within: &ConfinedFolder) -> Result<ConfinedFolder, String> {
    let Some(named) = git_dir.read_line("commondir")? else { return Ok(git_dir.clone()) };
    let path = git_dir.path().join("commondir");
    match ConfinedFolder::new(&git_dir.path().join(named)) {
        None => Err(format!("{} names a folder that is not there", path.display())),
        Some(common_dir) if within.holds(&common_dir) => Ok(common_dir),
        Some(common_dir) => {
            Err(format!("{} leads out of the folder to {}", path.display(), common_dir.path().display()))
        }
    }
}

/// The main repository of a linked worktree, whose own files are in `git_dir`; `None` unless it knows the worktree
/// whose `.git` is at `entry`.
fn main_repository(git_dir: &ConfinedFolder, entry: &Path) -> Result<Option<ConfinedFolder>, String> {
    let worktrees = git_dir.path().parent().filter(|it| it.ends_with("worktrees"));
    let Some(main) = worktrees.and_then(Path::parent) else { return Ok(None) };
    let real = |path: PathBuf| fs::canonicalize(path).ok();
    let leads = |name: &str| -> Result<Option<PathBuf>, String> {
        Ok(git_dir.read_line(name)?.and_then(|it| real(git_dir.path().join(it))))
    };
    let knows = leads("gitdir")?.is_some_and(|it| Some(it) == real(entry.to_path_buf()));
    let is_its = knows && leads("commondir")?.is_some_and(|it| it == main);
    Ok(ConfinedFolder::new(main).filter(|_| is_its))
}
