//! A folder for the files of another commit while a program is recorded there, in the state folder of its user (`state.rs`):
//!
//! ```text
//! .lock    held by the `proflens` that records it
//! files/   the files, and what the setup and the program leave beside them
//! ```
//! It is removed when the recording is over, even if a signal ends it. If a `proflens` was killed, the next one removes what it left.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::destination::{make_unused, stamped};
use crate::lock::{Lock, lock};
use crate::own::{self, Access};
use crate::place::PlaceError;
use crate::signals::RemovedAtEnd;
use crate::state;

const LOCK: &str = ".lock";
const FILES: &str = "files";
const NO_STATE: &str = "make room there, or name a folder of your own with XDG_STATE_HOME";

/// A folder for the files of a commit, which is removed when this is dropped.
#[derive(Debug)]
pub struct BaseFolder {
    files: PathBuf,
    // The order matters: Windows does not remove a folder with an open file.
    _lock: Lock,
    _removed: RemovedAtEnd,
}

impl BaseFolder {
    /// Makes an empty folder, and removes those whose `proflens` has ended.
    ///
    /// # Errors
    /// If the place cannot be written to, or must not be.
    pub fn create() -> Result<Self, PlaceError> {
        let bases = state::bases()?;
        remove_left(&bases);
        let made = make_unused(&bases, &stamped(SystemTime::now(), "base"), |_| false);
        let begun = made.and_then(|(folder, _)| {
            let removed = RemovedAtEnd::new(&folder);
            own::allow_folder(&folder, Access::Private)?;
            own::create_file(&folder.join(LOCK))?;
            let lock = lock(&folder.join(LOCK))?;
            let files = folder.join(FILES);
            fs::create_dir(&files)?;
            Ok(Self { files, _lock: lock, _removed: removed })
        });
        begun.map_err(|error| PlaceError::unwritable(&bases, error, NO_STATE))
    }

    /// Where the files belong.
    pub fn files(&self) -> &Path {
        &self.files
    }
}

/// Removes the folders that no `proflens` holds. One that has no lock yet may be about to get it.
fn remove_left(bases: &Path) {
    for entry in fs::read_dir(bases).into_iter().flatten().flatten() {
        let folder = entry.path();
        if own::check(&folder, Access::Private).is_ok()
            && matches!(lock(&folder.join(LOCK)), Ok(Lock::Held(_)))
        {
            // A folder that cannot be removed stays, and does no harm.
            let _ = fs::remove_dir_all(folder);
        }
    }
}
