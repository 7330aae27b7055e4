//! Finds the repository of a folder, and decides what of it may be read.
//!
//! Git lets a repository be put together from folders anywhere on the disk, by links and by small files that name
//! others. Whoever made the folder that was opened made those too. So all that is followed lies in the work tree, but
//! for a linked worktree, whose main repository knows of it, and for a submodule, which lies in the repository of a
//! folder above. A configuration is never read: `core.worktree` does not count.

use std::fs;
use std::path::{Path, PathBuf};

use super::opening::Folder;

/// A repository, as far as it may be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Repository {
    /// Where its `HEAD` is.
    pub(super) git: Folder,
    /// Where its branches and objects are: elsewhere for a linked worktree.
    pub(super) common: Folder,
    /// The folder whose versions it keeps.
    pub(super) tree: Folder,
    /// Where in that the folder lies which was asked for; with a slash at its end, or empty.
    pub(super) prefix: String,
}

/// The repository that a folder lies in, by the first `.git` on the way up. A bare repository is none: it can be
/// files that were committed.
///
/// # Errors
/// Why there is one that is not read, as the end of a sentence.
pub(super) fn find(folder: &Path) -> Result<Option<Repository>, String> {
    let Some(folder) = Folder::new(folder) else { return Ok(None) };
    let Some((tree, git, common)) = above(folder.path())? else { return Ok(None) };
    if git.holds(&folder) || common.holds(&folder) {
        return Ok(None);
    }
    let rest = folder.path().strip_prefix(tree.path()).ok().and_then(Path::to_str);
    let Some(rest) = rest else { return Ok(None) }; // git's own paths are bytes, but those of editors are text
    let prefix = rest.split(std::path::MAIN_SEPARATOR).filter(|it| !it.is_empty());
    let prefix = prefix.map(|it| it.to_owned() + "/").collect();
    Ok(Some(Repository { git, common, tree, prefix }))
}

/// The first work tree from a folder upwards, with where its `HEAD` and where its objects are.
fn above(folder: &Path) -> Result<Option<(Folder, Folder, Folder)>, String> {
    for tree in folder.ancestors().filter_map(Folder::new) {
        if let Some((git, common)) = of_tree(&tree)? {
            return Ok(Some((tree, git, common)));
        }
    }
    Ok(None)
}

fn of_tree(tree: &Folder) -> Result<Option<(Folder, Folder)>, String> {
    let entry = tree.path().join(".git");
    let Ok(about) = fs::metadata(&entry) else { return Ok(None) };
    if about.is_dir() {
        let Some(git) = tree.folder(".git")? else { return Ok(None) };
        // An empty folder of this name means nothing to git either.
        let is_one = git.path().join("HEAD").symlink_metadata().is_ok();
        return if is_one { common(&git, tree).map(|it| Some((git, it))) } else { Ok(None) };
    }
    if !about.is_file() {
        return Ok(None);
    }
    let line = tree.read_line(".git")?.unwrap_or_default();
    let named = line.strip_prefix("gitdir:").map(str::trim_start);
    let named = named.ok_or_else(|| format!("{} does not name a repository", entry.display()))?;
    let target = tree.path().join(named);
    let git = Folder::new(&target)
        .ok_or_else(|| format!("{} names {}, which is not there", entry.display(), target.display()))?;
    if tree.holds(&git) {
        return common(&git, tree).map(|it| Some((git, it)));
    }
    if let Some(main) = main_repository(&git, &entry)? {
        return Ok(Some((git, main)));
    }
    let outer = tree.path().parent().map_or(Ok(None), above)?;
    if outer.is_some_and(|(_, outer, _)| git.path().starts_with(outer.path().join("modules"))) {
        return common(&git, &git).map(|it| Some((git, it)));
    }
    Err(format!("{} leads out of the folder to {}", entry.display(), git.path().display()))
}

/// Where the branches and objects of a repository are; no further away than `within`.
fn common(git: &Folder, within: &Folder) -> Result<Folder, String> {
    let Some(named) = git.read_line("commondir")? else { return Ok(git.clone()) };
    let path = git.path().join("commondir");
    match Folder::new(&git.path().join(named)) {
        None => Err(format!("{} names a folder that is not there", path.display())),
        Some(common) if within.holds(&common) => Ok(common),
        Some(common) => {
            Err(format!("{} leads out of the folder to {}", path.display(), common.path().display()))
        }
    }
}

/// The repository of which `git` keeps what is a linked worktree's own, if it knows that the `.git` at `entry` is that
/// worktree.
fn main_repository(git: &Folder, entry: &Path) -> Result<Option<Folder>, String> {
    let worktrees = git.path().parent().filter(|it| it.ends_with("worktrees"));
    let Some(main) = worktrees.and_then(Path::parent) else { return Ok(None) };
    let real = |path: PathBuf| fs::canonicalize(path).ok();
    let leads = |name: &str| -> Result<Option<PathBuf>, String> {
        Ok(git.read_line(name)?.and_then(|it| real(git.path().join(it))))
    };
    let knows = leads("gitdir")?.is_some_and(|it| Some(it) == real(entry.to_path_buf()));
    let is_its = knows && leads("commondir")?.is_some_and(|it| it == main);
    Ok(Folder::new(main).filter(|_| is_its))
}
