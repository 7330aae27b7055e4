//! What a `proflens` that was killed has left: the next one takes it up, and finishes it or sets it aside. It never costs
//! another recording, and it never stays forever.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use profile::problem::Problem;

use crate::folder::{LOCK, RecordingFolder, is_older};
use crate::lock::{Lock, lock};
use crate::own::{self, Access};
use crate::parts::unfinished;
use crate::state;

/// What could not be finished is kept under this name, and is not tried again.
const ASIDE: &str = "failed-";
/// A recording that ends `proflens` whenever it is read, because of its size or a bug of ours, must not do so forever.
const MOST_TRIES: u32 = 3;
/// How many are taken up at once; the others wait for the next time.
const MOST_AT_ONCE: usize = 10;
/// How many names in a folder are looked at. Nobody has that many recordings that were cut short.
const MOST_NAMES: usize = 10_000;
/// What nobody has touched for this long is removed.
const KEPT: Duration = Duration::from_secs(KEPT_DAYS * 24 * 60 * 60);
const KEPT_DAYS: u64 = 14;

/// What was left of a workspace's recordings.
#[derive(Debug, Default)]
pub struct Leftovers {
    /// Those that can be finished.
    pub folders: Vec<RecordingFolder>,
    /// What is wrong with those that cannot be finished.
    pub problems: Vec<Problem>,
}

/// Takes up what was left in a workspace, where both `proflens` and the recorded processes have ended.
pub fn recover(workspace: &Path) -> Leftovers {
    let mut leftovers = Leftovers::default();
    // What is wrong with that folder is reported by the recording that is about to begin.
    let Ok(folder) = state::unfinished_of(workspace) else { return leftovers };
    remove_old();
    for path in entries(&folder).into_iter().filter(|path| !is_aside(path)) {
        if leftovers.folders.len() == MOST_AT_ONCE {
            break;
        }
        match RecordingFolder::take_over(workspace, &path) {
            Ok(Some(folder)) => leftovers.add(folder),
            Ok(None) => {}
            Err(error) => leftovers.problems.push(left_aside(&path, Problem::new(error.to_string(), ""))),
        }
    }
    leftovers
}

impl Leftovers {
    fn add(&mut self, folder: RecordingFolder) {
        let lives = unfinished(folder.path()).into_iter().any(|process| folder.is_running(process));
        if lives {
            return;
        }
        if begin_try(folder.path()) {
            self.folders.push(folder);
        } else {
            let why = Problem::new(format!("it was tried {MOST_TRIES} times"), "");
            self.problems.push(folder.leave_aside(why));
        }
    }
}

impl RecordingFolder {
    /// Sets aside what cannot be finished, so that it is not tried again, and returns that problem.
    pub fn leave_aside(self, why: Problem) -> Problem {
        left_aside(&self.leave(), why)
    }
}

/// Counts how often a recording was taken up, before any of it is read.
fn begin_try(folder: &Path) -> bool {
    (1..=MOST_TRIES).any(|number| {
        let made = own::create_file(&folder.join(format!(".try-{number}")));
        !made.is_err_and(|error| error.kind() == ErrorKind::AlreadyExists)
    })
}

fn is_aside(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(ASIDE.as_bytes()))
}

fn left_aside(folder: &Path, why: Problem) -> Problem {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let aside = folder.with_file_name(format!("{ASIDE}{name}"));
    let left = match fs::rename(folder, &aside) {
        Ok(()) => format!("what it left lies in {} for {KEPT_DAYS} days", aside.display()),
        Err(error) => format!("it stays in {}, as it cannot be renamed: {error}", folder.display()),
    };
    let hint = match why.hint.is_empty() {
        true => left,
        false => format!("{}. {}{}", why.hint, left[..1].to_uppercase(), &left[1..]),
    };
    let what = format!("an earlier recording cannot be put together: {}", why.what);
    Problem { what, hint, ..why }
}

/// Removes old leftovers of all workspaces, since the next recording may be in another one.
fn remove_old() {
    let Ok(unfinished) = state::unfinished() else { return };
    for workspace in entries(&unfinished) {
        if own::check(&workspace, Access::Private).is_err() {
            continue;
        }
        for folder in entries(&workspace).into_iter().filter(|folder| is_older(folder, KEPT)) {
            if !matches!(lock(&folder.join(LOCK)), Ok(Lock::Taken)) {
                // What cannot be removed stays, and does no harm.
                let _ = fs::remove_dir_all(folder);
            }
        }
        if is_older(&workspace, KEPT) {
            // Only if it is empty.
            let _ = fs::remove_dir(workspace);
        }
    }
}

/// What is in a folder, in order of time.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.flatten().take(MOST_NAMES).map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
