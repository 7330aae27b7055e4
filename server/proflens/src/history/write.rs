//! Writes the files of a commit into a folder, so that a program can be run as it was then.
//!
//! The paths of a commit come from somebody else: none may lead out of the folder, and none may be one of git's own
//! (`.git`), which git itself refuses too. Links are written last, so that no file is written through one.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use profile::problem::Problem;

use super::object::ObjectKind;
use super::objects::Objects;
use super::refs::Id;
use super::repository::Repository;
use super::trees::{FILE, TYPE, all_files, tree_of};

/// Git itself does not diff files that are larger (`core.bigFileThreshold`).
const MAX_FILE_BYTES: u64 = 512 << 20;
/// No repository has more files.
const MAX_FILES: usize = 1 << 22;
/// Nobody waits longer than this.
const TIME_LIMIT: Duration = Duration::from_secs(60 * 60);
const LINK: u32 = 0o120_000;
const EXECUTABLE: u32 = 0o100;

/// A file of a commit.
struct CommittedFile {
    path: PathBuf,
    mode: u32,
    id: Id,
}

impl CommittedFile {
    fn is(&self, kind: u32) -> bool {
        self.mode & TYPE == kind
    }

    fn write(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        if self.is(LINK) {
            write_link(path, content)
        } else {
            write_file(path, content, self.mode & EXECUTABLE != 0)
        }
    }
}

/// Writes all files of a commit, and returns the paths of submodules.
///
/// # Errors
/// If something is missing, has a path that git would not write, or cannot be written.
pub(super) fn write_files(repository: &Repository, commit: &Id, into: &Path) -> Result<Vec<String>, Problem> {
    let mut objects = Objects::new(repository, Instant::now() + TIME_LIMIT);
    objects.most_bytes = MAX_FILE_BYTES;
    let mut files = listed(commit, &mut objects)?;
    files.sort_by_key(|file| file.is(LINK));
    let mut submodules = Vec::new();
    for file in &files {
        if !file.is(LINK) && !file.is(FILE) {
            submodules.push(file.path.display().to_string());
            continue;
        }
        let content = objects.content(ObjectKind::Blob, &file.id).ok_or_else(|| {
            let why = objects.problem.take().map_or_else(String::new, |why| format!(" ({})", why.clause()));
            missing(&format!("{} of commit {}", file.path.display(), short(commit)), &why)
        })?;
        let path = into.join(&file.path);
        file.write(&path, &content).map_err(|error| {
            Problem::new(format!("{} cannot be written: {error}", path.display()), "make room there")
        })?;
    }
    Ok(submodules)
}

fn missing(what: &str, why: &str) -> Problem {
    let hint = "fetch it with git fetch, or check it out in another folder and name that";
    Problem::new(format!("{what} is not in this clone{why}"), hint)
}

/// The first digits of a commit, as git shows them.
fn short(commit: &Id) -> String {
    commit.hex().chars().take(12).collect()
}

/// Lists the files of a commit.
fn listed(commit: &Id, objects: &mut Objects) -> Result<Vec<CommittedFile>, Problem> {
    let name = format!("commit {}", short(commit));
    let text = objects.content(ObjectKind::Commit, commit);
    let tree = text.and_then(|text| tree_of(&text)).ok_or_else(|| missing(&name, ""))?;
    let (mut files, mut refused) = (Vec::new(), None);
    let walked = all_files(tree, objects, |bytes, mode, id| {
        match path_of(bytes) {
            Some(path) if files.len() < MAX_FILES => files.push(CommittedFile { path, mode, id }),
            Some(_) => refused = Some(format!("more than {MAX_FILES} files")),
            None => refused = Some(format!("a file {}", String::from_utf8_lossy(bytes))),
        }
        refused.is_none()
    });
    if let Some(what) = refused {
        return Err(Problem::new(format!("{name} has {what}, which is not written"), "name another commit"));
    }
    walked.map(|_| files).ok_or_else(|| missing(&format!("a folder of {name}"), ""))
}

/// The path of a file below the folder; `None` if it leads elsewhere, or is one that git does not write.
fn path_of(bytes: &[u8]) -> Option<PathBuf> {
    bytes.split(|byte| *byte == b'/').try_fold(PathBuf::new(), |path, name| {
        let name = name_of(name)?;
        let mut parts = Path::new(&name).components();
        let is_name = parts.next() == Some(Component::Normal(&name)) && parts.next().is_none();
        (is_name && !name.eq_ignore_ascii_case(".git")).then(|| path.join(name))
    })
}

#[cfg(unix)]
fn name_of(bytes: &[u8]) -> Option<OsString> {
    use std::os::unix::ffi::OsStrExt;
    Some(std::ffi::OsStr::from_bytes(bytes).to_owned())
}

#[cfg(not(unix))]
fn name_of(bytes: &[u8]) -> Option<OsString> {
    // A colon names a stream of another file.
    str::from_utf8(bytes).ok().filter(|name| !name.contains([':', '\\'])).map(Into::into)
}

#[cfg_attr(not(unix), expect(unused_variables, reason = "only Unix asks whether a file may be executed"))]
fn write_file(path: &Path, content: &[u8], is_executable: bool) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(if is_executable { 0o777 } else { 0o666 });
    }
    options.open(path)?.write_all(content)
}

#[cfg(unix)]
fn write_link(path: &Path, target: &[u8]) -> io::Result<()> {
    use std::os::unix::ffi::OsStrExt;
    std::os::unix::fs::symlink(std::ffi::OsStr::from_bytes(target), path)
}

/// Git for Windows also writes the target of a link as text, unless configured otherwise.
#[cfg(not(unix))]
fn write_link(path: &Path, target: &[u8]) -> io::Result<()> {
    write_file(path, target, false)
}
