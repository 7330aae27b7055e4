//! Whether the files of a work tree are those of the commit that is checked out, as `git status --untracked-files=no` says:
//! files that are not tracked do not count.
//!
//! The configuration is not read, so the answer can differ from git's in three things that it decides: whether a file may
//! be executed does not count; lines that end in CR LF equal those that end in LF; and a file that a filter made from the
//! committed one (Git LFS) is only known to be unchanged as long as nobody has touched it.

use std::fs::{self, Metadata};
use std::io::{self, Read, Seek};
use std::path::{Component, Path, PathBuf};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use ignore::gitignore::GitignoreBuilder;
use profile::problem::Problem;
use sha1::Sha1;
use sha2::{Digest, Sha256};

use super::confined::{ConfinedFolder, unreadable};
use super::object::{ObjectKind, check_deadline, without_place};
use super::objects::Objects;
use super::refs::{self, Id};
use super::repository::{self, Repository};
use super::staged::{self, StagedFile, StagedFiles, Stat};
use super::trees;
use crate::open::{LinkPolicy, open_nonblocking};

/// An index of ten million files is not longer than this.
const MAX_INDEX_BYTES: u64 = 1 << 30;
const MAX_PATH_BYTES: usize = 1 << 30;
/// Line ends of larger files are not looked at: if such a file has another size than git saw, it has changed.
const MAX_TEXT_BYTES: u64 = 64 << 20;
/// How many bytes of a file are read before the time is checked again.
const PIECE_BYTES: usize = 64 << 10;
/// Lists of attributes are written by hand.
const MAX_ATTRIBUTES_BYTES: u64 = 1 << 20;
/// How deep submodules may be nested.
const MAX_DEPTH: u32 = 8;

const KIND: u32 = 0o170_000;
const LINK: u32 = 0o120_000;
const SUBMODULE: u32 = 0o160_000;

/// The result of a comparison.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FileState {
    Same,
    Changed,
    /// Only a program that the configuration names could tell.
    Filtered,
}

fn same_if(is_same: bool) -> FileState {
    if is_same { FileState::Same } else { FileState::Changed }
}

/// Whether all tracked files are as in a commit, which is the one that is checked out.
///
/// # Errors
/// If that cannot be determined, or not in time.
pub(super) fn is_clean(repository: &Repository, commit: &Id, objects: &mut Objects) -> Result<bool, Problem> {
    is_clean_at(0, repository, commit, objects)
}

/// The same for a repository that is nested this deep as a submodule.
fn is_clean_at(
    depth: u32,
    repository: &Repository,
    commit: &Id,
    objects: &mut Objects,
) -> Result<bool, Problem> {
    let (staged, written) = match repository.git_dir.open("index")? {
        None => (StagedFiles::default(), None),
        Some(file) => {
            let written = file.metadata().and_then(|metadata| metadata.modified()).ok();
            let mut bytes = Vec::new();
            let read = file.take(MAX_INDEX_BYTES).read_to_end(&mut bytes);
            read.map_err(|error| Problem::new(format!("its index cannot be read ({error})"), ""))?;
            (staged::read(&bytes, commit.bytes().len(), MAX_PATH_BYTES)?, written)
        }
    };
    if staged.files.iter().any(|file| file.is_open) || !is_committed(&staged, commit, objects)? {
        return Ok(false);
    }
    let deadline = objects.deadline;
    let mut tree = WorkTree { repository, deadline, depth, written, folder: PathBuf::new(), is_real: true };
    let mut is_filtered = false;
    for file in staged.files.iter().filter(|file| !file.is_absent) {
        check_deadline(deadline).map_err(|late| without_place(&late))?;
        let is_submodule = file.mode & KIND == SUBMODULE;
        match if is_submodule { tree.submodule(file) } else { tree.compare(file) }? {
            FileState::Changed => return Ok(false),
            FileState::Filtered => is_filtered = true,
            FileState::Same => {}
        }
    }
    if is_filtered {
        return Err(Problem::new("a filter of .gitattributes decides which of its files are changed", ""));
    }
    Ok(true)
}

/// Whether what is staged equals what is committed.
fn is_committed(staged: &StagedFiles, commit: &Id, objects: &mut Objects) -> Result<bool, Problem> {
    let text = objects.content(ObjectKind::Commit, commit);
    let tree = text.and_then(|text| trees::tree_of(&text)).ok_or_else(objects_missing)?;
    if staged.tree == Some(tree) {
        return Ok(true);
    }
    let mut files = staged.files.iter();
    let are_same = trees::all_files(tree, objects, |path, mode, id| {
        files.next().is_some_and(|file| file.path == path && file.mode == mode && file.id == id)
    });
    Ok(are_same.ok_or_else(objects_missing)? && files.next().is_none())
}

fn objects_missing() -> Problem {
    Problem::new("objects of the commit are missing", "")
}

/// The folder with the files.
struct WorkTree<'a> {
    repository: &'a Repository,
    deadline: Instant,
    /// How many submodules deep this is, counting itself.
    depth: u32,
    /// When the index was written.
    written: Option<SystemTime>,
    /// The folder of the last file, and whether it really is a folder, and not a link to one elsewhere.
    folder: PathBuf,
    is_real: bool,
}

impl WorkTree<'_> {
    fn at(&self, below: &Path) -> PathBuf {
        self.repository.work_tree.path().join(below)
    }

    /// A submodule that is there must be at the recorded commit, and clean itself.
    fn submodule(&mut self, file: &StagedFile) -> Result<FileState, Problem> {
        let below = path(&file.path)?;
        let folder = self.at(below);
        if fs::symlink_metadata(folder.join(".git")).is_err() {
            return Ok(FileState::Same); // it was not checked out
        }
        if !self.is_in_real_folder(below) || folder.is_symlink() {
            return Ok(FileState::Changed);
        }
        let Some(inner) = repository::find(&folder)?.filter(|_| self.depth < MAX_DEPTH) else {
            let name = String::from_utf8_lossy(&file.path);
            return Err(Problem::new(format!("the submodule {name} cannot be read"), ""));
        };
        if refs::head(&inner)? != Some(file.id) {
            return Ok(FileState::Changed);
        }
        let mut objects = Objects::new(&inner, self.deadline);
        Ok(same_if(is_clean_at(self.depth + 1, &inner, &file.id, &mut objects)?))
    }

    fn compare(&mut self, file: &StagedFile) -> Result<FileState, Problem> {
        let below = path(&file.path)?;
        if !self.is_in_real_folder(below) {
            return Ok(FileState::Changed);
        }
        self.compare_at(below, file).map_err(|error| match error.kind() {
            io::ErrorKind::TimedOut => without_place(&error),
            _ => unreadable(below, &error),
        })
    }

    /// The same for a file whose folders are there.
    fn compare_at(&self, below: &Path, file: &StagedFile) -> io::Result<FileState> {
        let at = self.at(below);
        let metadata = match fs::symlink_metadata(&at) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(FileState::Changed),
            Err(error) => return Err(error),
        };
        let is_of_kind = metadata.is_symlink() == (file.mode & KIND == LINK);
        if !(is_of_kind && (metadata.is_symlink() || metadata.is_file())) {
            // If creating links needs a right that the user lacks, git writes files in place of them.
            let is_in_place_of_link = cfg!(windows) && metadata.is_file();
            if !is_in_place_of_link {
                return Ok(FileState::Changed);
            }
        }
        if self.is_as_staged(&metadata, file) {
            return Ok(FileState::Same);
        }
        if metadata.is_symlink() {
            let target = fs::read_link(&at)?;
            return is_blob(&file.id, target.as_os_str().as_encoded_bytes(), self.deadline).map(same_if);
        }
        // Git writes a size of 0 if it is not sure, and for an empty file.
        let may_be_same = metadata.len() <= MAX_TEXT_BYTES
            || match file.stat.size {
                0 => !is_blob(&file.id, &[], self.deadline)?,
                _ => has_size(&metadata, file),
            };
        if may_be_same && has_content(&at, metadata.len(), file, self.deadline)? {
            return Ok(FileState::Same);
        }
        Ok(if self.may_be_filtered(below) { FileState::Filtered } else { FileState::Changed })
    }

    /// Whether a file is the one that git saw when it was staged. A file that was written in the same moment as the
    /// index may have changed since without showing it.
    fn is_as_staged(&self, metadata: &Metadata, file: &StagedFile) -> bool {
        let modified = metadata.modified().ok().and_then(cut);
        let is_older = modified.zip(self.written.and_then(cut)).is_some_and(|(file, index)| file < index);
        // Git writes a size of 0 if it is not sure.
        is_older
            && file.stat.size != 0
            && modified == Some(file.stat.modified)
            && has_size(metadata, file)
            && has_same_change(metadata, &file.stat)
    }

    /// Whether all folders on the way to a file are real folders.
    fn is_in_real_folder(&mut self, file: &Path) -> bool {
        let folder = file.parent().unwrap_or(Path::new(""));
        if self.folder != folder {
            let mut ways = folder.ancestors().filter(|way| !way.as_os_str().is_empty());
            self.is_real =
                ways.all(|way| fs::symlink_metadata(self.at(way)).is_ok_and(|metadata| metadata.is_dir()));
            self.folder = folder.to_path_buf();
        }
        self.is_real
    }

    /// Whether the attributes of a file may name a program, or a conversion that git does itself, between what is
    /// committed and what is on the disk.
    fn may_be_filtered(&self, file: &Path) -> bool {
        let Repository { work_tree, common_dir, .. } = self.repository;
        let mut folders = file.ancestors().skip(1);
        folders.any(|folder| {
            let attributes = folder.join(".gitattributes");
            self.may_filter(work_tree, &attributes, folder, file)
        }) || self.may_filter(common_dir, Path::new("info/attributes"), Path::new(""), file)
    }

    /// Whether the attributes of the files in a folder, read from a file in `within`, may do that to one of them.
    fn may_filter(&self, within: &ConfinedFolder, attributes: &Path, folder: &Path, file: &Path) -> bool {
        let text = attributes.to_str().map(|attributes| within.read(attributes, MAX_ATTRIBUTES_BYTES));
        match text {
            Some(Ok(None)) => false,
            Some(Ok(Some(text))) => {
                has_filter(&String::from_utf8_lossy(&text), &self.at(folder), &self.at(file))
            }
            None | Some(Err(_)) => true, // nobody knows
        }
    }
}

/// Whether attributes of the files in a folder may make one of them different from what is committed. Macros and quoted
/// patterns are assumed to.
fn has_filter(attributes: &str, folder: &Path, file: &Path) -> bool {
    let mut patterns = GitignoreBuilder::new(folder);
    for line in attributes.lines() {
        let (pattern, rest) = line.trim_start().split_once([' ', '\t']).unwrap_or_default();
        if !["filter", "ident", "working-tree-encoding"].iter().any(|name| rest.contains(name)) {
            continue;
        }
        if pattern.starts_with(['[', '"']) || patterns.add_line(None, pattern).is_err() {
            return true;
        }
    }
    patterns.build().map_or(true, |patterns| !patterns.matched(file, false).is_none())
}

/// The path of a tracked file, if it leads nowhere else.
fn path(name: &[u8]) -> Result<&Path, Problem> {
    #[cfg(unix)]
    let path = Some(Path::new(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(name)));
    #[cfg(not(unix))]
    let path = str::from_utf8(name).ok().map(Path::new);
    let path = path.filter(|path| path.components().all(|part| matches!(part, Component::Normal(_))));
    path.ok_or_else(|| Problem::new(format!("its index names {}", String::from_utf8_lossy(name)), ""))
}

/// Seconds and nanoseconds as an index has them.
fn cut(time: SystemTime) -> Option<(u32, u32)> {
    let since = time.duration_since(UNIX_EPOCH).ok()?;
    Some((since.as_secs() as u32, since.subsec_nanos()))
}

/// Whether a file has the size that git saw, of which it keeps 32 bits.
fn has_size(metadata: &Metadata, file: &StagedFile) -> bool {
    metadata.len() as u32 == file.stat.size
}

#[cfg(unix)]
fn has_same_change(metadata: &Metadata, stat: &Stat) -> bool {
    use std::os::unix::fs::MetadataExt;
    (metadata.ctime() as u32, metadata.ctime_nsec() as u32) == stat.changed
}

/// On these systems git keeps the time at which a file was created.
#[cfg(not(unix))]
fn has_same_change(_: &Metadata, _: &Stat) -> bool {
    true
}

/// The text with line feeds only; `None` if it already is.
fn without_carriage_returns(text: &[u8]) -> Option<Vec<u8>> {
    if !text.windows(2).any(|pair| pair == b"\r\n") {
        return None;
    }
    let mut bytes = text.iter().copied().peekable();
    let mut short = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        if byte != b'\r' || bytes.peek() != Some(&b'\n') {
            short.push(byte);
        }
    }
    Some(short)
}

/// Whether a regular file of this size has the content that was staged, or the same with other line ends.
fn has_content(at: &Path, size: u64, file: &StagedFile, deadline: Instant) -> io::Result<bool> {
    let mut content = open_nonblocking(at, LinkPolicy::Refuse)?;
    // It was a regular file when its name was looked up.
    if !content.metadata()?.is_file() {
        return Ok(false);
    }
    if is_hash_of(&file.id, size, &mut content, deadline)? {
        return Ok(true);
    }
    if size > MAX_TEXT_BYTES {
        return Ok(false);
    }
    content.rewind()?;
    let mut text = Vec::new();
    in_pieces(&mut content.take(MAX_TEXT_BYTES), deadline, |piece| text.extend_from_slice(piece))?;
    match without_carriage_returns(&text) {
        Some(text) => is_blob(&file.id, &text, deadline),
        None => Ok(false),
    }
}

fn is_blob(id: &Id, content: &[u8], deadline: Instant) -> io::Result<bool> {
    is_hash_of(id, content.len() as u64, &mut &*content, deadline)
}

/// Whether git gives this id to a content of this size. If the file grows, no more than that is read.
fn is_hash_of(id: &Id, size: u64, content: &mut dyn Read, deadline: Instant) -> io::Result<bool> {
    let mut content = content.take(size);
    let hash = match id.bytes().len() {
        20 => digest::<Sha1>(size, &mut content, deadline)?,
        _ => digest::<Sha256>(size, &mut content, deadline)?,
    };
    Ok(hash == id.bytes())
}

fn digest<D: Digest>(size: u64, content: &mut dyn Read, deadline: Instant) -> io::Result<Vec<u8>> {
    let mut hasher = D::new();
    hasher.update(format!("blob {size}\0"));
    in_pieces(content, deadline, |piece| hasher.update(piece))?;
    Ok(hasher.finalize().to_vec())
}

/// Reads a content to its end, unless the time is over.
fn in_pieces(content: &mut dyn Read, deadline: Instant, mut each: impl FnMut(&[u8])) -> io::Result<()> {
    let mut buffer = vec![0; PIECE_BYTES];
    loop {
        check_deadline(deadline)?;
        match content.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(read) => each(&buffer[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Zeroes without end, as a device or a sparse file of any size has them.
    struct Endless {
        pieces: u64,
    }

    impl Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.pieces += 1;
            buffer.fill(0);
            Ok(buffer.len())
        }
    }

    #[test]
    fn a_content_without_end_is_read_until_the_deadline() {
        for bytes in [20, 32] {
            let id = Id::new(&vec![0; bytes]).unwrap();
            let mut content = Endless { pieces: 0 };
            let late = is_hash_of(&id, u64::MAX, &mut content, Instant::now());
            assert_eq!((late.unwrap_err().kind(), content.pieces), (io::ErrorKind::TimedOut, 0));
            let late = is_hash_of(&id, u64::MAX, &mut content, Instant::now() + Duration::from_millis(50));
            assert_eq!(late.unwrap_err().kind(), io::ErrorKind::TimedOut);
        }
    }

    #[test]
    fn no_more_is_read_than_the_size() {
        let id = Id::new(&[0; 20]).unwrap();
        let mut content = Endless { pieces: 0 };
        let deadline = Instant::now() + Duration::from_secs(600);
        assert!(!is_hash_of(&id, 3 * PIECE_BYTES as u64, &mut content, deadline).unwrap());
        assert_eq!(content.pieces, 3);
    }
}
