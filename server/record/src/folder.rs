//! What a recording in progress keeps on the disk, in the state folder of its user (`state.rs`):
//!
//! ```text
//! .lock            held by the `proflens` that records or recovers it
//! recording.json   what is recorded, so that the next `proflens` can finish it. It says nothing of where to write
//! …                what the threads of the command have left so far (`parts.rs`)
//! ```

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use profile::problem::Problem;
use serde::{Deserialize, Serialize};

use crate::destination::{self, file_name, stamped};
use crate::head::{Allocations, Checkout, Head};
use crate::lock::{Lock, lock};
use crate::own::{self, Access};
use crate::place::PlaceError;
use crate::{namespace, recorder, regular, signals, state};

pub(crate) const ABOUT: &str = "recording.json";
/// A head is at most 64 kB (`head.rs`); everything else is a few words.
const MAX_ABOUT_BYTES: u64 = 128 << 10;
pub(crate) const LOCK: &str = ".lock";
const NO_STATE: &str = "make room there, or name a folder of your own with XDG_STATE_HOME";
/// Nobody knows whether the processes of another container live. They are given up after leaving nothing for this long.
const LONGEST_SILENCE: Duration = Duration::from_secs(24 * 60 * 60);

/// The folder of a recording in progress, or of one that was cut short.
#[derive(Debug)]
pub struct RecordingFolder {
    path: PathBuf,
    /// Its name, in its own folder and among the recordings.
    name: String,
    about: About,
    recorder: PathBuf,
    workspace: PathBuf,
    /// Where the result belongs, if not among the other recordings of the workspace.
    out: Option<PathBuf>,
    lock: Lock,
}

/// What the next `proflens` must know to finish a recording.
#[derive(Debug, Deserialize, Serialize)]
struct About {
    /// What the result says of itself.
    head: Head,
    /// Whether it is of allocations.
    heap: bool,
    /// Whether the user wanted it in another place.
    had_out: bool,
    /// Which namespace the process numbers in the folder belong to.
    #[serde(default)]
    processes: Option<String>,
}

/// What is to be recorded.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// Its name.
    pub name: &'a str,
    /// Where the result belongs, if not among the other recordings.
    pub out: Option<&'a Path>,
    /// Which allocations are recorded, if not time.
    pub heap: Option<Allocations>,
    /// What is checked out in the workspace.
    pub checkout: Option<&'a Checkout>,
}

impl RecordingFolder {
    /// Makes the folder, and checks whether the recording can be written where it belongs.
    ///
    /// # Errors
    /// If the place cannot be written to, or must not be.
    pub fn create(workspace: &Path, plan: &Plan<'_>) -> Result<Self, PlaceError> {
        let out = plan.out.map(|out| destination::named_file(workspace, out)).transpose()?;
        let recordings = match &out {
            Some(_) => None,
            None => Some(destination::recordings(workspace)?),
        };
        let recorder = recorder::install()?;
        let unfinished = state::unfinished_of(workspace)?;
        let now = SystemTime::now();
        let time = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64;
        let (name, checkout) = (file_name(plan.name), plan.checkout.cloned());
        let head = Head { time, name, memory: plan.heap, checkout };
        let about = About {
            head,
            heap: plan.heap.is_some(),
            had_out: plan.out.is_some(),
            processes: namespace::own(),
        };
        let stamped = stamped(now, &about.head.name);
        let made = destination::make_unused(&unfinished, &stamped, |name| {
            let file = format!("{name}.{}", about.ending());
            recordings.as_ref().is_some_and(|folder| folder.join(file).symlink_metadata().is_ok())
        });
        let begun = made.and_then(|(path, name)| match begin(&path, &about) {
            Ok(lock) => Ok((path, name, lock)),
            Err(error) => {
                // It is empty, or the disk is full.
                let _ = fs::remove_dir_all(&path);
                Err(error)
            }
        });
        let (path, name, lock) =
            begun.map_err(|error| PlaceError::unwritable(&unfinished, error, NO_STATE))?;
        Ok(Self { path, name, about, recorder, workspace: workspace.to_path_buf(), out, lock })
    }

    /// Takes over a folder whose `proflens` has ended; `None` if it has not, or if the folder is somebody else's. The
    /// recovered recording goes among the recordings of this workspace, wherever it was meant to go, because nothing else
    /// is certain to be there.
    ///
    /// # Errors
    /// If the folder is ours and cannot be read.
    pub(crate) fn take_over(workspace: &Path, path: &Path) -> io::Result<Option<Self>> {
        let name = path.file_name().and_then(|name| name.to_str()).filter(|name| *name == file_name(name));
        let about = path.join(ABOUT);
        // It is written while the lock is held, so whoever finds it cannot take the lock before the process that records.
        let has_begun = about.symlink_metadata().is_ok();
        let Some(name) = name.filter(|_| has_begun && own::check(path, Access::Private).is_ok()) else {
            return Ok(None);
        };
        let lock = match lock(&path.join(LOCK)) {
            Ok(lock @ Lock::Held(_)) => lock,
            Ok(Lock::Taken | Lock::None) => return Ok(None),
            // Somebody removed it. Nobody knows who is working there, so it stays until it is old.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let text = match regular::read(&about, MAX_ABOUT_BYTES) {
            // Another process has finished it in the meantime.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read?,
        };
        let mut about: About = serde_json::from_slice(&text)?;
        about.head.name = file_name(&about.head.name);
        Ok(Some(Self {
            path: path.to_path_buf(),
            name: name.to_owned(),
            about,
            recorder: PathBuf::new(),
            workspace: workspace.to_path_buf(),
            out: None,
            lock,
        }))
    }

    /// Where the threads of the command leave what they recorded.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file that the recording will be. Its folder is made again if the command has removed it.
    ///
    /// # Errors
    /// If the place cannot be written to, or must not be.
    pub fn out(&self) -> Result<PathBuf, PlaceError> {
        if let Some(path) = &self.out {
            return destination::named_file(&self.workspace, path);
        }
        let recordings = destination::recordings(&self.workspace)?;
        Ok(destination::unused_file(&recordings, &self.name, self.about.ending()))
    }

    /// Whether the user wanted the recording in another place than where it will be.
    pub fn is_elsewhere(&self) -> bool {
        self.about.had_out && self.out.is_none()
    }

    /// What the recording says of itself.
    pub fn head(&self) -> &Head {
        &self.about.head
    }

    /// Takes over the texts that another recording keeps, so that no thread of this one asks V8 for them again. If the
    /// system has no links for that, V8 is asked.
    pub fn know_texts_of(&self, other: &Self) {
        for entry in fs::read_dir(&other.path).into_iter().flatten().flatten() {
            let is_text = entry.path().extension().is_some_and(|ending| ending == "text");
            if is_text && entry.file_type().is_ok_and(|kind| kind.is_file()) {
                let _ = fs::hard_link(entry.path(), self.path.join(entry.file_name()));
            }
        }
    }

    /// The recorder that Node loads.
    pub fn recorder(&self) -> &Path {
        &self.recorder
    }

    /// Whether a process of the recording has not ended, by the number that stands in its folder.
    pub fn is_running(&self, process: u32) -> bool {
        let (Some(then), Some(now)) = (&self.about.processes, namespace::own()) else {
            return signals::is_running(process);
        };
        if *then == now {
            return signals::is_running(process);
        }
        // Numbers of another container mean other processes here.
        match namespace::lives(then) {
            Some(lives) => lives,
            None => !is_older(&self.path, LONGEST_SILENCE),
        }
    }

    /// Removes it, once the recording is written.
    ///
    /// # Errors
    /// If the folder cannot be removed.
    pub fn remove(self) -> Result<(), Problem> {
        // Nobody takes over a folder without this file, so the lock can go: Windows does not remove a file that is open. If this cannot
        // be removed, neither can the rest below.
        let _ = fs::remove_file(self.path.join(ABOUT));
        drop(self.lock);
        fs::remove_dir_all(&self.path).map_err(|error| {
            let what = format!("{} cannot be removed: {error}", self.path.display());
            Problem::new(what, "remove it yourself")
        })
    }

    /// Releases it, and returns its path.
    pub(crate) fn leave(self) -> PathBuf {
        drop(self.lock);
        self.path
    }
}

impl About {
    fn ending(&self) -> &'static str {
        ending(self.heap)
    }
}

/// How the name of a recording ends.
pub fn ending(heap: bool) -> &'static str {
    if heap { "heapprofile" } else { "json.gz" }
}

/// Takes the lock, and then writes down what is recorded.
fn begin(path: &Path, about: &About) -> io::Result<Lock> {
    own::allow_folder(path, Access::Private)?;
    own::create_file(&path.join(LOCK))?;
    let lock = lock(&path.join(LOCK))?;
    serde_json::to_writer(own::create_file(&path.join(ABOUT))?, about)?;
    Ok(lock)
}

/// Whether nothing has been added to a folder or removed from it for this long. A folder without a time is not old.
pub(crate) fn is_older(folder: &Path, age: Duration) -> bool {
    let modified = fs::symlink_metadata(folder).and_then(|about| about.modified()).ok();
    modified.and_then(|time| time.elapsed().ok()).is_some_and(|since| since > age)
}
