//! Signals and processes, as far as each system has them.

#[cfg(unix)]
#[path = "signals/unix.rs"]
mod imp;
#[cfg(windows)]
#[path = "signals/windows.rs"]
mod imp;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Whether a process is still running.
pub fn is_running(process: u32) -> bool {
    imp::is_running(process)
}

/// From now on a signal that ends this process leaves no half-written file. While a command runs, it decides what signals mean.
///
/// # Errors
/// Those of the system.
pub fn listen() -> std::io::Result<()> {
    imp::listen()
}

/// Ends this process the way a command has ended, or returns the status for that. If a signal ended the command, the same
/// signal ends this process.
pub fn end_as(status: ExitStatus) -> u8 {
    imp::end_as(status)
}

/// Whether this process was told to end while a command ran, or since.
pub fn is_told_to_end() -> bool {
    imp::told_to_end().is_some()
}

/// Ends this process by the signal that told it to end, or gives the status for that.
pub fn end_as_told() -> u8 {
    imp::told_to_end().map_or(0, imp::end_by)
}

pub(crate) use imp::{end_flag, start, wait};

/// Files that are half written, and folders that nobody needs any more.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A file, or a folder, that is removed when this is dropped, or when a signal ends this process.
#[derive(Debug)]
pub(crate) struct RemovedAtEnd(PathBuf);

impl RemovedAtEnd {
    pub(crate) fn new(path: &Path) -> Self {
        unfinished().push(path.to_path_buf());
        Self(path.to_path_buf())
    }
}

impl Drop for RemovedAtEnd {
    fn drop(&mut self) {
        unfinished().retain(|path| *path != self.0);
        // It is already gone if all went well.
        let _ = remove(&self.0);
    }
}

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn remove(path: &Path) -> std::io::Result<()> {
    if fs::symlink_metadata(path)?.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
}

fn remove_unfinished() {
    for path in unfinished().drain(..) {
        // This process is ending, and there is nobody to tell.
        let _ = remove(&path);
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_process_is_running_until_it_has_ended() {
        assert!(is_running(std::process::id()));
        // It waits for its input.
        let mut child = Command::new("sort").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        assert!(is_running(child.id()));
        drop(child.stdin.take());
        child.wait().unwrap();
        assert!(!is_running(child.id()));
    }
}
