//! The one door to the bytes of files: what is opened is a regular file, and whether it is one is asked of the open
//! file itself, as its name may lead to a pipe by the time that it is opened.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What changes when a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Stamp {
    /// Time of the last write.
    pub modified: SystemTime,
    /// Bytes.
    pub size: u64,
}

impl Stamp {
    /// Of a file that was looked at; `None` where the disk keeps no times.
    pub(crate) fn of(about: &Metadata) -> Option<Self> {
        Some(Self { modified: about.modified().ok()?, size: about.len() })
    }
}

/// Opens a regular file for reading: no folder, no device, no pipe that nobody writes to. What there is to know of it
/// is of what was opened.
///
/// # Errors
/// One reason for people, without the file's name: `there is no such file`.
pub(crate) fn open(path: &Path) -> Result<(File, Metadata), String> {
    // Some devices act when they are opened, so that their name is looked at before.
    regular(&fs::metadata(path).map_err(reason)?)?;
    open_then_check(path)
}

/// The same without a look at the name.
pub(crate) fn open_then_check(path: &Path) -> Result<(File, Metadata), String> {
    let file = open_nonblocking(path, LinkPolicy::Follow).map_err(reason)?;
    let about = file.metadata().map_err(reason)?;
    regular(&about)?;
    Ok((file, about))
}

fn regular(about: &Metadata) -> Result<(), String> {
    match () {
        () if about.is_dir() => Err("it is a folder".into()),
        () if !about.is_file() => Err("it is not a regular file".into()),
        () => Ok(()),
    }
}

/// Whether a link may be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkPolicy {
    /// What it leads to is opened.
    Follow,
    /// Opening it fails.
    Refuse,
}

/// Opens what is at a path now, whatever it is: a pipe without a writer is opened at once, and a terminal does not
/// become ours.
#[cfg(unix)]
pub(crate) fn open_nonblocking(path: &Path, links: LinkPolicy) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let links = if links == LinkPolicy::Refuse { libc::O_NOFOLLOW } else { 0 };
    File::options().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY | links).open(path)
}

/// Opens what is at a path now. No file here waits for another process.
#[cfg(not(unix))]
pub(crate) fn open_nonblocking(path: &Path, _: LinkPolicy) -> io::Result<File> {
    File::open(path)
}

/// When and how large a file is, or the files in a folder together; `None` where there is neither.
pub(crate) fn stamp(path: &Path) -> Option<Stamp> {
    let about = fs::metadata(path).ok()?;
    if about.is_dir() {
        let stamps: Vec<Stamp> = files_in(path).ok()?.iter().filter_map(|it| stamp(it)).collect();
        let modified = stamps.iter().map(|it| it.modified).max()?;
        return Some(Stamp { modified, size: stamps.iter().map(|it| it.size).sum() });
    }
    Stamp::of(&about).filter(|_| about.is_file())
}

/// The regular files that lie in a folder, by name; hidden ones and links are left out. Those of folders in it are
/// not looked for.
///
/// # Errors
/// One reason for people why it cannot be listed.
pub(crate) fn files_in(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(reason)?;
    // What cannot be looked at is not there for us.
    let files = entries.filter_map(Result::ok).filter(|it| it.file_type().is_ok_and(|it| it.is_file()));
    let shown = files.filter(|it| !it.file_name().as_encoded_bytes().starts_with(b"."));
    let mut paths: Vec<PathBuf> = shown.map(|it| it.path()).collect();
    paths.sort();
    Ok(paths)
}

fn reason(error: io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_string(),
        io::ErrorKind::PermissionDenied => "permission denied".to_string(),
        _ => error.to_string(),
    }
}
