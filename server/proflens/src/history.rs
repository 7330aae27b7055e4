//! Texts as they were committed: what a file looked like when a trace was recorded; which commit is checked out, and whether
//! anything was changed since; and which commit a name stands for.
//!
//! The objects of a git repository are read here, and nothing else of it. No program is run, not even git, because a
//! repository can name programs in its configuration; that is not read either. Nothing is fetched: in a partial or
//! shallow clone only the objects that are there are found. Files are read, not mapped into memory: a mapped file that
//! is truncated while it is read would end the process.

mod clean;
mod commits;
mod confined;
mod delta;
mod inflate;
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

use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use commits::Branch;
use objects::Objects;
use repository::Repository;

/// How long an answer may take; if it takes longer, the history is not used any more.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// The history of the repository that a workspace folder lies in. Nothing is opened before the first question.
pub(crate) struct History {
    folder: PathBuf,
    time_limit: Duration,
    access: Mutex<Access>,
    /// Not part of `access`, which is locked while an answer is looked for.
    problem: Mutex<Option<String>>,
    outdated: AtomicBool,
}

enum Access {
    /// There was no question yet.
    NotOpened,
    Open(Box<OpenRepository>),
    /// There is no repository, it cannot be read, or it took too long.
    Unavailable,
}

/// What is checked out around a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CheckedOut {
    /// The id of the commit.
    pub(crate) commit: String,
    /// The branch, without `refs/heads/`.
    pub(crate) branch: Option<String>,
    /// Whether all tracked files of the work tree are as they were committed, or why that cannot be told.
    pub(crate) clean: Result<bool, String>,
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
    /// parents only) that is not later. `None` where the file did not exist by this path, where it is too large, and
    /// where there is no history. The file must lie in the folder. May take a while: to be called from worker threads
    /// only.
    ///
    /// Lines may end differently than in the folder, because git can convert line ends on checkout.
    pub(crate) fn at(&self, file: &Path, when: SystemTime) -> Option<Vec<u8>> {
        let path = self.path_below(file)?;
        let seconds = when.duration_since(UNIX_EPOCH).ok()?.as_secs();
        self.ask(|opened, deadline| opened.at(&path, seconds, deadline))
    }

    /// The paths of all files below the folder in the commit that [`History::at`] asks, with `/`; `None` where there is no
    /// history. May take a while too.
    pub(crate) fn files(&self, when: SystemTime) -> Option<Vec<String>> {
        let seconds = when.duration_since(UNIX_EPOCH).ok()?.as_secs();
        self.ask(|opened, deadline| opened.files(seconds, deadline))
    }

    /// The answer of the repository to a question; an error if it takes too long.
    fn ask<T>(
        &self,
        question: impl FnOnce(&mut OpenRepository, Instant) -> std::io::Result<Option<T>>,
    ) -> Option<T> {
        let mut access = self.lock();
        let deadline = Instant::now() + self.time_limit;
        let outdated = self.outdated.swap(false, Ordering::SeqCst);
        if outdated || matches!(*access, Access::NotOpened) {
            self.open(&mut access);
        }
        let Access::Open(opened) = &mut *access else { return None };
        let answer = question(opened, deadline);
        let problem = opened.objects.problem.take();
        if let Some(why) = answer.as_ref().err().map(ToString::to_string).or(problem) {
            self.note("read whole", &why);
        }
        if Instant::now() > deadline {
            *access = Access::Unavailable; // or each file would take that long
        }
        answer.ok()?
    }

    /// One sentence that says why a repository is not read, or not all of it; `None` also without a repository.
    pub(crate) fn problem(&self) -> Option<String> {
        self.noted().clone()
    }

    /// The branch may have changed: it is looked up again at the next question. Never waits.
    pub(crate) fn invalidate(&self) {
        self.outdated.store(true, Ordering::SeqCst);
    }

    /// The path below the folder, with `/`; `None` if it leads out, or is not Unicode.
    fn path_below(&self, file: &Path) -> Option<String> {
        let rest = file.strip_prefix(&self.folder).ok()?;
        let part = |it: Component<'_>| match it {
            Component::Normal(name) => name.to_str().map(str::to_owned),
            _ => None,
        };
        let parts: Option<Vec<_>> = rest.components().map(part).collect();
        parts.filter(|it| !it.is_empty()).map(|it| it.join("/"))
    }

    /// Opens the repository, or looks up again which commit is checked out; what was read of the same branch is kept.
    fn open(&self, access: &mut Access) {
        *self.noted() = None;
        let before = match std::mem::replace(access, Access::Unavailable) {
            Access::Open(opened) => Some(opened),
            Access::NotOpened | Access::Unavailable => None,
        };
        let found = repository::find(&self.folder).and_then(|repository| {
            let Some(repository) = repository else { return Ok(None) };
            let head = refs::head(&repository)?;
            Ok(Some((repository, head)))
        });
        match found {
            Ok(None) => {}
            Ok(Some((repository, head))) => {
                let objects = Objects::new(&repository);
                let branch = before.filter(|it| it.repository == repository).map(|it| it.branch);
                let mut opened = OpenRepository { repository, objects, branch: branch.unwrap_or_default() };
                opened.branch.check_out(head);
                *access = Access::Open(Box::new(opened));
            }
            Err(why) => self.note("read", &why),
        }
    }

    fn note(&self, what: &str, why: &str) {
        let sentence = || format!("The git history of {} is not {what}: {why}", self.folder.display());
        self.noted().get_or_insert_with(sentence);
    }

    fn noted(&self) -> MutexGuard<'_, Option<String>> {
        self.problem.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, Access> {
        self.access.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is checked out around a folder; `None` without a repository or a commit. May take as long as `git status` does.
///
/// # Errors
/// One sentence about a repository that cannot be read.
pub(crate) fn checked_out(folder: &Path) -> Result<Option<CheckedOut>, String> {
    let unread = |why: String| format!("The commit of {} is not known: {why}.", folder.display());
    let Some(repository) = repository::find(folder).map_err(unread)? else { return Ok(None) };
    let Some(commit) = refs::head(&repository).map_err(unread)? else { return Ok(None) };
    let branch = refs::branch(&repository).map_err(unread)?;
    let mut objects = Objects::new(&repository);
    let clean = clean::is_clean(&repository, &commit, &mut objects, Instant::now() + TIME_LIMIT);
    Ok(Some(CheckedOut { commit: commit.hex(), branch, clean }))
}

/// The id of the commit that a revision names in the repository around a folder: `main`, `v1.2`, `HEAD~2`, `1a2b3c4`.
///
/// # Errors
/// One sentence about a name that is not there or not understood, or a repository that cannot be read.
pub(crate) fn commit_named(folder: &Path, revision: &str) -> Result<String, String> {
    let unread = |why: String| format!("{revision} cannot be looked up in {}: {why}.", folder.display());
    let repository = repository::find(folder).map_err(unread)?;
    let repository = repository.ok_or_else(|| {
        format!(
            "{revision} names nothing, as {} is in no git repository: name the recordings themselves.",
            folder.display()
        )
    })?;
    let mut objects = Objects::new(&repository);
    let commit = revision::resolve(revision, &repository, &mut objects, Instant::now() + TIME_LIMIT)?;
    Ok(commit.hex())
}

impl OpenRepository {
    fn files(&mut self, seconds: u64, deadline: Instant) -> std::io::Result<Option<Vec<String>>> {
        let Self { repository, objects, branch } = self;
        let Some(tree) = branch.tree_at(seconds, objects, deadline)? else { return Ok(None) };
        branch.files(tree, &repository.prefix, objects, deadline).map(Some)
    }

    fn at(&mut self, path: &str, seconds: u64, deadline: Instant) -> std::io::Result<Option<Vec<u8>>> {
        let Self { repository, objects, branch } = self;
        let Some(tree) = branch.tree_at(seconds, objects, deadline)? else { return Ok(None) };
        let path = format!("{}{path}", repository.prefix);
        Ok(branch.file(tree, &path, objects, deadline))
    }
}
