//! The files of a collector: one line for each trace, a new file by size and time, and never more than the user allows.
//!
//! ```text
//! .lock                             who writes here
//! traces-20261122T125647Z.ndjson
//! traces-20261122T125647Z-2.ndjson  in the same second
//! ```

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use profile::problem::Problem;

use crate::clock::utc_file_name;
use crate::recovery::{PREFIX, recover, size_of};
use crate::refusal::{NO_SPACE, NOT_WRITTEN, Refusal};
use crate::settings::{CollectError, Settings, reason};

/// How often a full folder is looked at again, because the user may have made room.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// Tells the user of something.
pub(crate) type Say = Arc<dyn Fn(&Problem) + Send + Sync>;

/// The files of a collector. Only one collector at a time can have those of a folder.
pub(crate) struct Store {
    folder: PathBuf,
    rotate_size: u64,
    rotate_every: Duration,
    max_disk: u64,
    sync: bool,
    say: Say,
    /// The bytes of all files.
    used: u64,
    looked_at: Instant,
    current: Option<Current>,
    files: u64,
    /// Whether the last lines could not be kept, which is only reported once.
    is_failing: bool,
    /// Held as long as this lives; the system releases it however the process ends.
    _lock: File,
}

/// The file that is written to.
struct Current {
    file: File,
    path: PathBuf,
    /// Up to here all lines are complete.
    length: u64,
    since: Instant,
}

impl Store {
    /// Opens a folder: makes it if it is missing, and cuts off what a killed collector left behind.
    pub(crate) fn open(settings: &Settings, say: Say) -> Result<Self, CollectError> {
        let folder = settings.folder.clone();
        let lock = lock(&folder)?;
        let used = recover(&folder, &*say).map_err(|error| CollectError::Folder(folder.clone(), error))?;
        Ok(Self {
            folder,
            rotate_size: settings.rotate_size,
            rotate_every: settings.rotate_every,
            max_disk: settings.max_disk,
            sync: settings.sync,
            say,
            used,
            looked_at: Instant::now(),
            current: None,
            files: 0,
            is_failing: false,
            _lock: lock,
        })
    }

    /// How many files were begun.
    pub(crate) fn files(&self) -> u64 {
        self.files
    }

    /// Writes lines, all or none: when this returns, the system has them, and with [`Settings::sync`] the disk.
    pub(crate) fn append(&mut self, lines: &[u8]) -> Result<(), Refusal> {
        let kept = self.try_append(lines);
        match &kept {
            Ok(()) if std::mem::take(&mut self.is_failing) => {
                (self.say)(&Problem::new("Traces are kept again", ""));
            }
            Err(why) if !std::mem::replace(&mut self.is_failing, true) => {
                let folder = self.folder.display();
                (self.say)(&match why {
                    Lost::Full => Problem::new(
                        format!("{folder} holds as much as --max-disk allows: traces are refused"),
                        "move or compress files of it",
                    ),
                    Lost::Io(error) => Problem::new(
                        format!("{folder} cannot be written: {}", reason(error)),
                        "traces are refused",
                    ),
                });
            }
            _ => {}
        }
        kept.map_err(|why| match why {
            Lost::Full => NO_SPACE,
            Lost::Io(error) => match error.kind() {
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => NO_SPACE,
                _ => NOT_WRITTEN,
            },
        })
    }

    /// Ends the current file: its bytes are on the disk.
    pub(crate) fn close(&mut self) {
        if let Some(Current { file, path, .. }) = self.current.take()
            && let Err(error) = file.sync_all()
        {
            let what = format!("{} may be incomplete: {}", path.display(), reason(&error));
            (self.say)(&Problem::new(what, ""));
        }
    }

    fn try_append(&mut self, lines: &[u8]) -> Result<(), Lost> {
        let added = lines.len() as u64;
        if self.used + added > self.max_disk && self.looked_at.elapsed() >= LOOK_AGAIN {
            self.used = size_of(&self.folder).unwrap_or(self.used);
            self.looked_at = Instant::now();
        }
        if self.used + added > self.max_disk {
            return Err(Lost::Full);
        }
        let mut current = match self.current.take().filter(|current| !self.is_over(current, added)) {
            Some(current) => current,
            None => self.begin()?,
        };
        let mut written = current.file.write_all(lines);
        if self.sync {
            written = written.and_then(|()| current.file.sync_data());
        }
        if let Err(error) = written {
            // If even that fails, the file is left alone: its last line is cut off at the next start.
            if current.file.set_len(current.length).is_ok() {
                self.current = Some(current);
            }
            return Err(Lost::Io(error));
        }
        current.length += added;
        self.used += added;
        self.current = Some(current);
        Ok(())
    }

    /// Whether a file takes no more lines.
    fn is_over(&self, current: &Current, added: u64) -> bool {
        let is_large = current.length > 0 && current.length + added > self.rotate_size;
        // A user may have moved or removed it; what is written to a removed file is lost.
        is_large || current.since.elapsed() >= self.rotate_every || !current.path.exists()
    }

    fn begin(&mut self) -> io::Result<Current> {
        fs::create_dir_all(&self.folder)?;
        let stem = format!("{PREFIX}{}", utc_file_name(SystemTime::now()));
        let mut number = 1;
        loop {
            let suffix = if number == 1 { String::new() } else { format!("-{number}") };
            let path = self.folder.join(format!("{stem}{suffix}.ndjson"));
            match OpenOptions::new().append(true).create_new(true).open(&path) {
                Ok(file) => {
                    if self.sync {
                        sync_folder(&self.folder)?;
                    }
                    self.files += 1;
                    return Ok(Current { file, path, length: 0, since: Instant::now() });
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(error),
            }
        }
    }
}

/// Makes a folder if it is missing, and takes its lock.
fn lock(folder: &Path) -> Result<File, CollectError> {
    let file = folder.join(".lock");
    let opened = fs::create_dir_all(folder).and_then(|()| {
        // A link may lead anywhere, and a pipe blocks.
        if fs::symlink_metadata(&file).is_ok_and(|about| !about.is_file()) {
            return Ok(None);
        }
        OpenOptions::new().write(true).create(true).truncate(false).open(&file).map(Some)
    });
    let lock = match opened {
        Ok(Some(lock)) => lock,
        Ok(None) => return Err(CollectError::NoFile(file)),
        Err(error) => return Err(CollectError::Folder(folder.to_path_buf(), error)),
    };
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(CollectError::Taken(folder.to_path_buf())),
        Err(TryLockError::Error(error)) => Err(CollectError::Folder(folder.to_path_buf(), error)),
    }
}

/// Why lines were not kept.
enum Lost {
    Full,
    Io(io::Error),
}

impl From<io::Error> for Lost {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Makes sure that the name of a new file survives a loss of power. Windows cannot do this, and need not.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}
