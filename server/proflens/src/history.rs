//! Texts as they were committed: what a file looked like when a trace was recorded, which commit is checked out and whether
//! anything has changed since, which commit a name stands for, and all files of it.
//!
//! Only the objects of a git repository are read here. No program is run, not even git, because a repository can name
//! programs in its configuration; that is not read either. Nothing is fetched: in a partial or shallow clone only the
//! objects that are there are found. Files are read, not mapped into memory: a mapped file that is truncated while it
//! is read would end the process.
//!
//! No library works like that. Gitoxide was tried in November 2026 (`gix-odb` 0.87.0, `gix-pack` 0.77.0, `gix-ref` 0.69.1,
//! `gix-index` 0.58.0), on repositories like those of the tests:
//!
//! - `gix-odb` maps packs, their indices and loose objects into memory, and has no setting to read them instead. A pack
//!   or index that was truncated between two questions ended the process by SIGBUS. `gix-pack` accepts bytes in place of
//!   a map, but all bytes of a pack at once, which may be gigabytes.
//! - It opens files by their paths. Alternates and links led it to other repositories. It waited forever for a named pipe
//!   in place of `HEAD` or of the alternates; a `HEAD` of 3 GB took 11 seconds and 6.3 GB of memory, and alternates of 3
//!   GB more than a minute. Checking beforehand would not help, because it looks at all of them again by itself.
//! - No question has a deadline: opening an index of 60 GB, which takes no room on the disk, took 11 seconds.
//! - The sizes that objects claim can be limited (`alloc_limit_bytes`), and that worked. Paths of an index cannot: with a
//!   limit of 64 MB, `gix_index::State::from_bytes` took 1.2 GB for 0.8 MB of paths that repeat each other.
//!
//! Its parsers could be given bytes that are read here: using `gix-object` for commits, trees and tags would save 40
//! lines, and cost 18 more crates and 59 KB of program. With `gix-index` it is 33 crates and 123 KB, with all of the above
//! 40 crates and 418 KB.

mod clean;
mod commits;
mod confined;
mod delta;
mod numbers;
mod object;
mod objects;
mod pack;
mod refs;
mod repository;
mod revision;
mod staged;
#[cfg(test)]
mod tests;
mod trees;
mod write;

use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use commits::Branch;
use object::without_place;
use objects::Objects;
use profile::problem::Problem;
use refs::Id;
use repository::Repository;

/// How long an answer may take; if it takes longer, the history is not used any more.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// The history of the repository that a workspace folder lies in. Nothing is opened before the first question.
pub(crate) struct History {
    folder: PathBuf,
    time_limit: Duration,
    access: Mutex<Access>,
    /// It is not part of `access`, which is locked while an answer is being found.
    problem: Mutex<Option<Problem>>,
    outdated: AtomicBool,
}

enum Access {
    /// There has been no question yet.
    NotOpened,
    Open(Box<OpenRepository>),
    /// There is no repository, it cannot be read, or it took too long.
    Unavailable,
}

/// What is checked out around a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Checkout {
    /// The id of the commit.
    pub(crate) commit: String,
    /// The branch, without `refs/heads/`.
    pub(crate) branch: Option<String>,
    /// Whether all tracked files of the work tree are as they were committed, or why that cannot be determined.
    pub(crate) clean: Result<bool, Problem>,
}

struct OpenRepository {
    repository: Repository,
    objects: Objects,
    branch: Branch,
}

impl History {
    /// The history around a folder.
    pub(crate) fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            time_limit: TIME_LIMIT,
            access: Mutex::new(Access::NotOpened),
            problem: Mutex::default(),
            outdated: AtomicBool::new(false),
        }
    }

    /// The content of a file as it was committed at the time `when`: in the newest commit of the current branch (first
    /// parents only) that is not later. `None` if the file did not exist under this path, is too large, or there is no
    /// history. The file must be in the folder. This may take a while, so it must only be called from worker threads.
    ///
    /// Line ends may differ from those in the folder, because git can convert them on checkout.
    pub(crate) fn at(&self, file: &Path, when: SystemTime) -> Option<Vec<u8>> {
        let path = self.path_below(file)?;
        let seconds = when.duration_since(UNIX_EPOCH).ok()?.as_secs();
        self.ask(|opened| opened.at(&path, seconds))
    }

    /// The paths, with `/`, of all files below the folder in the commit that [`History::at`] uses; `None` without a
    /// history. This may take a while too.
    pub(crate) fn files(&self, when: SystemTime) -> Option<Vec<String>> {
        let seconds = when.duration_since(UNIX_EPOCH).ok()?.as_secs();
        self.ask(|opened| opened.files(seconds))
    }

    /// When a commit was made, if it is in the repository and is not the one that is checked out. From then on, it is the
    /// commit of that second, even if it is on another branch.
    pub(crate) fn made_earlier(&self, commit: &str) -> Option<SystemTime> {
        let id = Id::of_hex(commit.as_bytes())?;
        let seconds = self.ask(|opened| Ok(opened.made_earlier(&id)))?;
        Some(UNIX_EPOCH + Duration::from_secs(seconds))
    }

    /// The answer of the repository to a question; an error if it takes too long.
    fn ask<T>(&self, question: impl FnOnce(&mut OpenRepository) -> std::io::Result<Option<T>>) -> Option<T> {
        let mut access = self.lock();
        let deadline = Instant::now() + self.time_limit;
        let outdated = self.outdated.swap(false, Ordering::SeqCst);
        if outdated || matches!(*access, Access::NotOpened) {
            self.open(&mut access, deadline);
        }
        let Access::Open(opened) = &mut *access else { return None };
        opened.objects.deadline = deadline;
        let answer = question(opened);
        let problem = opened.objects.problem.take();
        if let Some(why) = answer.as_ref().err().map(without_place).or(problem) {
            self.note("read whole", &why);
        }
        if Instant::now() > deadline {
            *access = Access::Unavailable; // or each file would take that long
        }
        answer.ok()?
    }

    /// Why a repository is not read, or not completely; `None` also without a repository.
    pub(crate) fn problem(&self) -> Option<Problem> {
        self.noted().clone()
    }

    /// The branch may have changed: it is looked up again for the next question. Never waits.
    pub(crate) fn invalidate(&self) {
        self.outdated.store(true, Ordering::SeqCst);
    }

    /// The path below the folder, with `/`; `None` if it leads out, or is not Unicode.
    fn path_below(&self, file: &Path) -> Option<String> {
        let below = file.strip_prefix(&self.folder).ok()?;
        let names: Option<Vec<&str>> = below.components().map(name_of).collect();
        names.filter(|names| !names.is_empty()).map(|names| names.join("/"))
    }

    /// Opens the repository, or looks up again which commit is checked out; what was read of the same branch is kept.
    fn open(&self, access: &mut Access, deadline: Instant) {
        *self.noted() = None;
        let before = match std::mem::replace(access, Access::Unavailable) {
            Access::Open(opened) => Some(opened),
            Access::NotOpened | Access::Unavailable => None,
        };
        match repository_with_head(&self.folder) {
            Ok(None) => {}
            Ok(Some((repository, head))) => {
                let objects = Objects::new(&repository, deadline);
                let before = before.filter(|before| before.repository == repository);
                let mut branch = before.map(|before| before.branch).unwrap_or_default();
                branch.check_out(head);
                *access = Access::Open(Box::new(OpenRepository { repository, objects, branch }));
            }
            Err(why) => self.note("read", &why),
        }
    }

    fn note(&self, what: &str, why: &Problem) {
        let folder = self.folder.display();
        self.noted().get_or_insert_with(|| {
            let what = format!("The git history of {folder} is not {what}: {}", why.clause());
            Problem::new(what, "costs are compared with today's texts only")
        });
    }

    fn noted(&self) -> MutexGuard<'_, Option<Problem>> {
        self.problem.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, Access> {
        self.access.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn name_of(part: Component<'_>) -> Option<&str> {
    match part {
        Component::Normal(name) => name.to_str(),
        _ => None,
    }
}

/// The repository around a folder, and the commit that is checked out, if there is one.
fn repository_with_head(folder: &Path) -> Result<Option<(Repository, Option<Id>)>, Problem> {
    let Some(repository) = repository::find(folder)? else { return Ok(None) };
    let head = refs::head(&repository)?;
    Ok(Some((repository, head)))
}

/// What is checked out around a folder; `None` without a repository or a commit. May take as long as `git status`.
///
/// # Errors
/// If there is a repository that cannot be read.
pub(crate) fn checked_out(folder: &Path) -> Result<Option<Checkout>, Problem> {
    read_checked_out(folder).map_err(|why| {
        Problem::new(format!("The commit of {} is not known: {}", folder.display(), why.clause()), "")
    })
}

fn read_checked_out(folder: &Path) -> Result<Option<Checkout>, Problem> {
    let Some((repository, Some(commit))) = repository_with_head(folder)? else { return Ok(None) };
    let branch = refs::branch(&repository)?;
    let mut objects = Objects::new(&repository, Instant::now() + TIME_LIMIT);
    let clean = clean::is_clean(&repository, &commit, &mut objects);
    Ok(Some(Checkout { commit: commit.hex(), branch, clean }))
}

/// The id of the commit that a revision names in the repository around a folder: `main`, `v1.2`, `HEAD~2`, `1a2b3c4`.
///
/// # Errors
/// If the name is not there or not understood, or the repository cannot be read.
pub(crate) fn commit_named(folder: &Path, revision: &str) -> Result<String, Problem> {
    let place = folder.display();
    let found = repository::find(folder).map_err(|why| {
        Problem::new(format!("{revision} cannot be looked up in {place}: {}", why.clause()), "")
    })?;
    let repository = found.ok_or_else(|| {
        let what = format!("{revision} names nothing, as {place} is in no git repository");
        Problem::new(format!("{what}: name the recordings themselves"), "")
    })?;
    let mut objects = Objects::new(&repository, Instant::now() + TIME_LIMIT);
    Ok(revision::resolve(revision, &repository, &mut objects)?.hex())
}

/// The folder with the files of the repository around a folder; `None` without a repository.
///
/// # Errors
/// If there is a repository that cannot be read.
pub(crate) fn work_tree(folder: &Path) -> Result<Option<PathBuf>, Problem> {
    Ok(repository::find(folder)?.map(|repository| repository.work_tree.path().to_path_buf()))
}

/// Writes the files of a commit of the repository around a folder into an empty folder, as `git worktree add` does, but
/// without anything that depends on the configuration: no hook runs, no filter (Git LFS), and line ends stay as
/// committed. Returns the paths of submodules, of which nothing is written.
///
/// # Errors
/// If the clone lacks the commit, or something of it, or if a file cannot be written.
pub(crate) fn write_files(folder: &Path, commit: &str, into: &Path) -> Result<Vec<String>, Problem> {
    let whole = || Problem::new(format!("the files of commit {commit} are not in this clone"), "");
    let repository = repository::find(folder)?.ok_or_else(whole)?;
    let id = Id::of_hex(commit.as_bytes()).ok_or_else(whole)?;
    write::write_files(&repository, &id, into)
}

impl OpenRepository {
    fn made_earlier(&mut self, commit: &Id) -> Option<u64> {
        self.branch.made_earlier(commit, &mut self.objects)
    }

    fn files(&mut self, seconds: u64) -> std::io::Result<Option<Vec<String>>> {
        let Self { repository, objects, branch } = self;
        let Some(tree) = branch.tree_at(seconds, objects)? else { return Ok(None) };
        branch.files(tree, &repository.prefix, objects).map(Some)
    }

    fn at(&mut self, path: &str, seconds: u64) -> std::io::Result<Option<Vec<u8>>> {
        let Self { repository, objects, branch } = self;
        let Some(tree) = branch.tree_at(seconds, objects)? else { return Ok(None) };
        let path = format!("{}{path}", repository.prefix);
        Ok(branch.file(tree, &path, objects))
    }
}
