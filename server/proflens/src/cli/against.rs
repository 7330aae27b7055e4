//! The two versions of a program that `proflens record --against` runs by turns: the one in this folder, and the one that
//! it is compared with, which is a commit, written to a folder of its own, or another folder.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use profile::problem::Problem;
use record::base::BaseFolder;
use record::head::{Checkout, TreeState};

use super::repeat::ending_of;
use super::{note, say, shown};
use crate::history;

/// One of the two versions.
#[derive(Debug)]
pub(super) struct Version {
    /// Display name: `main (1a2b3c4d5e6f)`.
    pub(super) title: String,
    /// The root of its files: of the repository if it is a commit, otherwise of the workspace.
    pub(super) root: PathBuf,
    /// The folder whose files they stand for: that of the version here.
    pub(super) stands_for: PathBuf,
    /// The folder that the command runs in.
    pub(super) folder: PathBuf,
    /// The commit, if it is one.
    pub(super) checkout: Option<Checkout>,
}

/// Both versions, starting with the one compared with. A folder that was made for a commit is removed when this is dropped.
#[derive(Debug)]
pub(super) struct Versions {
    pub(super) sides: [Version; 2],
    _made: Option<BaseFolder>,
}

/// What a user compares with.
enum Against {
    Folder(PathBuf),
    Commit(String),
}

impl Versions {
    /// Finds the version to compare with, and writes its files to a folder if it is a commit. The command runs in the
    /// current folder, and in the same folder of the other version.
    ///
    /// # Errors
    /// If `against` names nothing, or something that cannot be compared, or if the command names a file of one version by its whole path.
    pub(super) fn prepare(against: &str, workspace: &Path, command: &[OsString]) -> Result<Self, Problem> {
        let workspace = real(workspace)?;
        let (here, there) = match meant(against, &workspace)? {
            Against::Folder(folder) => (workspace, Err(folder)),
            Against::Commit(commit) => {
                let root = history::work_tree(&workspace)?.map_or(Ok(workspace), |root| real(&root))?;
                (root, Ok(commit))
            }
        };
        let below = current_below(&here)?;
        check_relative(command, &here)?;
        let (title, root, checkout, made) = match there {
            Err(folder) => (shown(&folder).display().to_string(), folder, None, None),
            Ok(commit) => {
                let title = format!("{against} ({})", &commit[..12.min(commit.len())]);
                say(&format!("The files of {title} are written to a folder of their own."));
                let made = BaseFolder::create()?;
                let submodules = history::write_files(&here, &commit, made.files())?;
                if !submodules.is_empty() {
                    note(&format!(
                        "submodules of {title} are missing there, unless --setup gets them: {}",
                        submodules.join(", ")
                    ));
                }
                let checkout = Checkout { commit, branch: None, tree: Some(TreeState::Clean) };
                (title, real(made.files())?, Some(checkout), Some(made))
            }
        };
        let folder = inside(&root, &below);
        if !folder.is_dir() {
            let what = format!("{title} has no folder {}, in which the command runs here", below.display());
            return Err(Problem::new(what, "run it where both versions have the folder"));
        }
        let base = Version { title, root, stands_for: here.clone(), folder, checkout };
        let this = Version {
            title: "this folder".to_owned(),
            folder: inside(&here, &below),
            stands_for: here.clone(),
            root: here,
            checkout: None,
        };
        Ok(Self { sides: [base, this], _made: made })
    }

    /// Runs the setup of both versions, in the folders that the command runs in.
    ///
    /// # Errors
    /// If it fails in one of them.
    pub(super) fn set_up(&self, line: &str) -> Result<(), Problem> {
        for Version { title, folder, .. } in &self.sides {
            say(&format!("Setup of {title}: {line}"));
            let status = record::launch::run_line(line, folder)?;
            if !status.success() {
                let what =
                    format!("The setup of {title} ended with {}: nothing was recorded", ending_of(status));
                return Err(Problem::new(what, "see what it printed above"));
            }
        }
        Ok(())
    }

    /// Notes that packages are installed here but not there, since git does not keep them.
    pub(super) fn note_missing_packages(&self) {
        let [base, this] = &self.sides;
        let has_packages = |version: &Version| {
            let mut folders =
                version.folder.ancestors().take_while(|folder| folder.starts_with(&version.root));
            folders.any(|folder| folder.join("node_modules").is_dir())
        };
        if has_packages(this) && !has_packages(base) {
            note(&format!(
                "{} has no node_modules, as git does not keep it; if the command needs packages, install them with --setup 'npm ci'",
                base.title
            ));
        }
    }
}

/// What a name stands for.
fn meant(against: &str, workspace: &Path) -> Result<Against, Problem> {
    let path = Path::new(against);
    let is_path = path.is_absolute() || against.starts_with('.');
    if !is_path && !path.is_dir() && history::work_tree(workspace)?.is_none() {
        let what = format!(
            "{against} is no folder, and no commit, as {} is in no git repository",
            workspace.display()
        );
        return Err(Problem::new(what, "name a folder with the other version"));
    }
    let commit = if is_path { None } else { Some(history::commit_named(workspace, against)) };
    match commit {
        Some(Ok(_)) if path.is_dir() => Err(Problem::new(
            format!("--against {against} names a folder, and a commit, too"),
            format!("write ./{against} for the folder, and the id of the commit for that"),
        )),
        Some(Ok(commit)) => Ok(Against::Commit(commit)),
        Some(Err(problem)) if !path.is_dir() => Err(problem),
        Some(Err(_)) | None => {
            let folder = real(path)?;
            if workspace.starts_with(&folder) || folder.starts_with(workspace) {
                let what = format!("--against {against} is this folder, or one in or around it");
                return Err(Problem::new(what, "name a folder beside it, with the other version"));
            }
            Ok(Against::Folder(folder))
        }
    }
}

fn inside(root: &Path, below: &Path) -> PathBuf {
    if below.as_os_str().is_empty() { root.to_path_buf() } else { root.join(below) }
}

fn real(folder: &Path) -> Result<PathBuf, Problem> {
    let found = fs::canonicalize(folder).ok().filter(|path| path.is_dir());
    found.ok_or_else(|| Problem::new(format!("{} is not a folder", folder.display()), "name one"))
}

/// The current folder, relative to the root of this version.
fn current_below(root: &Path) -> Result<PathBuf, Problem> {
    let current = real(Path::new("."))?;
    current.strip_prefix(root).map(Path::to_path_buf).map_err(|_| {
        let what = format!("The command runs in {}, which is not in {}", current.display(), root.display());
        Problem::new(what, "run proflens record in the folder that is compared")
    })
}

/// Checks that no word of the command, and no value of an option, is the whole path of a file of this version: both
/// versions would run it.
fn check_relative(command: &[OsString], root: &Path) -> Result<(), Problem> {
    let is_here = |word: &OsStr| {
        let text = word.to_string_lossy();
        let value = text.split_once('=').map_or(&*text, |(_, value)| value);
        [&*text, value].iter().any(|path| Path::new(path).starts_with(root))
    };
    match command.iter().find(|word| is_here(word)) {
        None => Ok(()),
        Some(word) => {
            let what =
                format!("{} is of this folder, and both versions would run it", word.to_string_lossy());
            Err(Problem::new(what, "name it from the current folder on, so that each version has its own"))
        }
    }
}
