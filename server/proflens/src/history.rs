//! Texts as they were committed: what a file looked like when a trace was recorded.
//!
//! The objects of a git repository are read here, and nothing else of it: no program is run, git neither, for a
//! repository can name programs in its configuration, and none of that is read. Nor is anything fetched: of a partial
//! or shallow clone there is what is there. Files are read, not mapped into memory, where one that is cut off while
//! it is read would end the process.

mod commits;
mod delta;
mod inflating;
mod object;
mod objects;
mod opening;
mod pack;
mod refs;
mod repository;
#[cfg(test)]
mod tests;

use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use commits::Branch;
use objects::Objects;
use repository::Repository;

/// How long an answer may take; a folder on a slow disk is done without.
const PATIENCE: Duration = Duration::from_secs(10);

/// The history of the repository that a workspace folder lies in. Nothing is opened before it is first asked.
pub(crate) struct History {
    folder: PathBuf,
    patience: Duration,
    state: Mutex<State>,
    /// Not in the state, which is locked while somebody waits for an answer.
    problem: Mutex<Option<String>>,
    outdated: AtomicBool,
}

enum State {
    /// Nobody has asked yet.
    New,
    Open(Box<Opened>),
    /// There is no repository, or it is not read, or it does not answer in time.
    Without,
}

struct Opened {
    repository: Repository,
    objects: Objects,
    branch: Branch,
}

impl History {
    /// The history around a folder.
    pub(crate) fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            patience: PATIENCE,
            state: Mutex::new(State::New),
            problem: Mutex::default(),
            outdated: AtomicBool::new(false),
        }
    }

    /// What was committed of a file when the clock showed `when`: its content in the newest commit of the current
    /// branch (first parents only) that is not later. `None` where the file did not exist by this path, where it is
    /// too large, and where there is no history to ask. The file must lie in the folder. May take a while: only
    /// workers ask.
    ///
    /// Lines may end differently than in the folder: git can translate them on their way out.
    pub(crate) fn at(&self, file: &Path, when: SystemTime) -> Option<Vec<u8>> {
        let path = self.path_below(file)?;
        let seconds = when.duration_since(UNIX_EPOCH).ok()?.as_secs();
        let mut state = self.lock();
        let until = Instant::now() + self.patience;
        let outdated = self.outdated.swap(false, Ordering::SeqCst);
        if outdated || matches!(*state, State::New) {
            self.open(&mut state);
        }
        let State::Open(opened) = &mut *state else { return None };
        let answer = opened.at(&path, seconds, until);
        let problem = opened.objects.problem.take();
        if let Some(why) = answer.as_ref().err().map(ToString::to_string).or(problem) {
            self.note("read whole", &why);
        }
        if Instant::now() > until {
            *state = State::Without; // or each file would take as long
        }
        answer.ok()?
    }

    /// One sentence on why there is no history, where there should be one, or not all of it. Without a repository
    /// there is nothing to say.
    pub(crate) fn problem(&self) -> Option<String> {
        self.noted().clone()
    }

    /// The branch may have changed: commits are looked up again. Never waits.
    pub(crate) fn forget(&self) {
        self.outdated.store(true, Ordering::SeqCst);
    }

    /// The path below the folder, with `/`; `None` where it leads out, or is no text.
    fn path_below(&self, file: &Path) -> Option<String> {
        let rest = file.strip_prefix(&self.folder).ok()?;
        let part = |it: Component<'_>| match it {
            Component::Normal(name) => name.to_str().map(str::to_owned),
            _ => None,
        };
        let parts: Option<Vec<_>> = rest.components().map(part).collect();
        parts.filter(|it| !it.is_empty()).map(|it| it.join("/"))
    }

    /// Opens the repository, or looks again which commit is checked out; what is known of the same one stays.
    fn open(&self, state: &mut State) {
        *self.noted() = None;
        let before = match std::mem::replace(state, State::Without) {
            State::Open(opened) => Some(opened),
            State::New | State::Without => None,
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
                let mut opened = Opened { repository, objects, branch: branch.unwrap_or_default() };
                opened.branch.go_to(head);
                *state = State::Open(Box::new(opened));
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

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Opened {
    fn at(&mut self, path: &str, seconds: u64, until: Instant) -> std::io::Result<Option<Vec<u8>>> {
        let Self { repository, objects, branch } = self;
        let Some(tree) = branch.tree_at(seconds, objects, until)? else { return Ok(None) };
        let path = format!("{}{path}", repository.prefix);
        Ok(branch.file(tree, &path, objects, until))
    }
}
