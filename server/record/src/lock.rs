//! Tells who is still at work with a folder: whoever holds its lock. The number of a process would not, as a container has numbers
//! of its own.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

/// A lock (`flock`). The system lets go of it however the process ends that holds it.
#[derive(Debug)]
pub(crate) enum Lock {
    /// As long as the file is open.
    Held(#[expect(dead_code, reason = "it is dropped")] File),
    /// Another process has it.
    Taken,
    /// This file system has no locks.
    None,
}

/// Takes a lock; the file must be there.
pub(crate) fn lock(path: &Path) -> io::Result<Lock> {
    let mut options = OpenOptions::new();
    // NFS locks only what is open for writing.
    options.read(true).write(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    }
    let file = options.open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
    }
    Ok(match file.try_lock() {
        Ok(()) => Lock::Held(file),
        Err(TryLockError::WouldBlock) => Lock::Taken,
        Err(TryLockError::Error(_)) => Lock::None,
    })
}
