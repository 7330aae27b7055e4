//! Reads files that a program may have left or swapped: only regular files, never through a link, never without a limit.
//!
//! Otherwise a named pipe would block forever, and a link to `/dev/zero` would be read until memory is full.

use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

use profile::problem::Problem;

/// Opens a file that must be a regular one of at most `max_bytes`.
///
/// # Errors
/// The system's error, or what the file is instead, or by how much it is too large.
pub(crate) fn open(path: &Path, max_bytes: u64) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    }
    let file = options.open(path)?;
    let about = file.metadata()?;
    if !about.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
    }
    if about.len() > max_bytes {
        let why = format!("it has {} bytes, and at most {max_bytes} are read", about.len());
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
    }
    Ok(file)
}

/// Reads a whole file that must be a regular one of at most `max_bytes`.
///
/// # Errors
/// As for [`open`].
pub(crate) fn read(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // It may grow while it is being read.
    open(path, max_bytes)?.take(max_bytes).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What is wrong with a file that cannot be read or understood.
pub(crate) fn unread(path: &Path, error: impl Display) -> Problem {
    Problem::new(format!("{}: {error}", path.display()), "")
}

#[cfg(test)]
mod tests {
    #[cfg(unix)]
    use super::*;

    #[cfg(unix)]
    #[test]
    fn only_regular_files_are_read() {
        let folder = std::env::temp_dir().join(format!("proflens-regular-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let at = |name: &str| folder.join(name);
        std::fs::write(at("file"), "text").unwrap();
        std::os::unix::fs::symlink("/dev/zero", at("endless")).unwrap();
        std::os::unix::fs::symlink(at("file"), at("link")).unwrap();
        let made = std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap();
        assert!(made.success());
        let names = ["file", "endless", "link", "pipe", ".", "none"];
        let read: Vec<bool> = names.map(|name| read(&at(name), 4).is_ok()).to_vec();
        assert_eq!(read, [true, false, false, false, false, false]);
        assert_eq!(super::read(&at("file"), 3).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
