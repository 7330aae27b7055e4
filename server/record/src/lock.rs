//! Tells who is still working with a folder: whoever holds its lock. A process number would not tell, because a container has
//! numbers of its own.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

/// A lock (`flock`). The system releases it however the process that holds it ends.
#[derive(Debug)]
pub(crate) enum Lock {
    /// It is held as long as the file is open.
    Held(#[expect(dead_code, reason = "it is dropped")] File),
    /// Another process holds it.
    Taken,
    /// This file system has no locks.
    None,
}

/// Takes a lock; the file must be there.
pub(crate) fn lock(path: &Path) -> io::Result<Lock> {
    let mut options = OpenOptions::new();
    // NFS only locks files that are open for writing.
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
