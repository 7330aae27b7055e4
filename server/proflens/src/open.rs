//! The only place where files are opened. Whatever is opened is a regular file. That is checked on the open file,
//! because by then the name may lead to something else, such as a pipe.

use std::collections::HashSet;
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use profile::problem::Problem;

/// What changes when a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Stamp {
    /// Time of the last write.
    pub modified: SystemTime,
    /// Bytes.
    pub size: u64,
}

impl Stamp {
    /// From a file's metadata; `None` if the disk keeps no times.
    pub(crate) fn of(about: &Metadata) -> Option<Self> {
        Some(Self { modified: about.modified().ok()?, size: about.len() })
    }
}

/// Opens a regular file for reading: no folder, no device, no pipe that nobody writes to. The metadata is that of the
/// opened file.
///
/// # Errors
/// What the system says, or that it is not a regular file; [`reason`] has it in the users' words.
pub(crate) fn open(path: &Path) -> io::Result<(File, Metadata)> {
    // Opening some devices has effects, so the name is checked first.
    check_regular(&fs::metadata(path)?)?;
    open_then_check(path)
}

/// [`open`] without a check of the name: only the opened file is checked.
pub(crate) fn open_then_check(path: &Path) -> io::Result<(File, Metadata)> {
    let file = open_nonblocking(path, LinkPolicy::Follow)?;
    let about = file.metadata()?;
    check_regular(&about)?;
    Ok((file, about))
}

fn check_regular(about: &Metadata) -> io::Result<()> {
    if about.is_file() {
        return Ok(());
    }
    Err(io::Error::other(if about.is_dir() { "it is a folder" } else { "it is not a regular file" }))
}

/// Whether a symbolic link may be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkPolicy {
    /// Its target is opened.
    Follow,
    /// Opening it fails.
    Refuse,
}

/// Opens whatever is at a path, without ever waiting: a pipe without a writer opens at once. A terminal does not become
/// the controlling terminal of this process.
#[cfg(unix)]
pub(crate) fn open_nonblocking(path: &Path, links: LinkPolicy) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let links = if links == LinkPolicy::Refuse { libc::O_NOFOLLOW } else { 0 };
    File::options().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY | links).open(path)
}

/// Opens what is at a path. On these systems opening a file never waits for another process.
#[cfg(not(unix))]
pub(crate) fn open_nonblocking(path: &Path, _: LinkPolicy) -> io::Result<File> {
    File::open(path)
}

/// The time and size of a file, or of all files in a folder together; `None` if there is neither.
pub(crate) fn stamp(path: &Path) -> Option<Stamp> {
    let about = fs::metadata(path).ok()?;
    if about.is_dir() {
        let stamps: Vec<Stamp> = files_in(path).ok()?.iter().filter_map(|file| stamp(file)).collect();
        let modified = stamps.iter().map(|file| file.modified).max()?;
        return Some(Stamp { modified, size: stamps.iter().map(|file| file.size).sum() });
    }
    Stamp::of(&about).filter(|_| about.is_file())
}

/// The files in a folder, sorted by name, without hidden ones and subfolders. A symbolic link counts as what it leads to. One that
/// leads nowhere is listed, because its target may be missed; one to another file of the folder is not, because that would count
/// twice.
///
/// # Errors
/// If it cannot be listed.
pub(crate) fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let (mut paths, mut links) = (Vec::new(), Vec::new());
    // What cannot be read counts as missing.
    for entry in fs::read_dir(folder)?.filter_map(Result::ok) {
        match entry.file_type() {
            _ if entry.file_name().as_encoded_bytes().starts_with(b".") => {}
            Ok(kind) if kind.is_file() => paths.push(entry.path()),
            Ok(kind) if kind.is_symlink() && !entry.path().is_dir() => links.push(entry.path()),
            _ => {}
        }
    }
    if !links.is_empty() {
        links.sort();
        let mut known: HashSet<PathBuf> =
            paths.iter().filter_map(|file| fs::canonicalize(file).ok()).collect();
        links.retain(|link| fs::canonicalize(link).map_or(true, |file| known.insert(file)));
        paths.extend(links);
    }
    paths.sort();
    Ok(paths)
}

/// Whether a path is a symbolic link.
pub(crate) fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|about| about.is_symlink())
}

/// Why something was not read, in the users' words: `there is no such file`.
pub(crate) fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_string(),
        io::ErrorKind::PermissionDenied => "permission denied".to_string(),
        _ => error.to_string(),
    }
}

/// The problem that a file or folder cannot be read; `name` is what users call it.
pub(crate) fn unreadable(name: &str, error: &io::Error) -> Problem {
    Problem::new(format!("{name} cannot be read: {}", reason(error)), "check the path and its permissions")
}
