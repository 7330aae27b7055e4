//! Whether the files of a work tree are those of the commit that is checked out, as `git status --untracked-files=no` says:
//! what is not tracked does not count.
//!
//! The configuration is not read, so three things that it decides are not what git says: whether a file may be executed
//! does not count; lines that end in CR LF are the same as those that end in LF; and a file that a filter has made of the
//! committed one (Git LFS) is only known to be unchanged as long as nobody has touched it.

use std::fs::{self, Metadata};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use ignore::gitignore::GitignoreBuilder;
use sha1::Sha1;
use sha2::{Digest, Sha256};

use super::object::{ObjectKind, check_deadline};
use super::objects::Objects;
use super::refs::{self, Id};
use super::repository::{self, Repository};
use super::staged::{self, StagedFile, StagedFiles, Stat};
use super::trees;
use crate::open::{LinkPolicy, open_nonblocking};

/// Ten million files have no longer index.
const MAX_INDEX_BYTES: u64 = 1 << 30;
/// Line ends of larger files are not looked at: where such a file has another size than git saw, it is changed.
const MAX_TEXT_BYTES: u64 = 64 << 20;
/// After so many bytes of a file it is looked at the time.
const PIECE_BYTES: usize = 64 << 10;
/// Lists of attributes are written by hand.
const MAX_ATTRIBUTES_BYTES: u64 = 1 << 20;
/// A submodule in a submodule, and so on.
const MAX_DEPTH: u32 = 8;

const KIND: u32 = 0o170_000;
const LINK: u32 = 0o120_000;
const SUBMODULE: u32 = 0o160_000;

/// What a comparison finds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FileState {
    Same,
    Changed,
    /// Only a program that the configuration names could tell.
    Filtered,
}

/// Whether all tracked files are as in a commit, which is the one that is checked out.
///
/// # Errors
/// Why that cannot be told, as the end of a sentence.
pub(super) fn is_clean(
    repository: &Repository,
    commit: &Id,
    objects: &mut Objects,
    deadline: Instant,
) -> Result<bool, String> {
    is_clean_at(repository, commit, objects, deadline, 0)
}

fn is_clean_at(
    repository: &Repository,
    commit: &Id,
    objects: &mut Objects,
    deadline: Instant,
    depth: u32,
) -> Result<bool, String> {
    let (staged, written) = match repository.git_dir.open("index")? {
        None => (StagedFiles::default(), None),
        Some(file) => {
            let written = file.metadata().and_then(|it| it.modified()).ok();
            let mut bytes = Vec::new();
            let read = file.take(MAX_INDEX_BYTES).read_to_end(&mut bytes);
            read.map_err(|error| format!("its index cannot be read ({error})"))?;
            (staged::read(&bytes, commit.bytes().len())?, written)
        }
    };
    if staged.files.iter().any(|it| it.is_open) || !is_committed(&staged, commit, objects, deadline)? {
        return Ok(false);
    }
    let mut tree = WorkTree { repository, written, folder: PathBuf::new(), is_real: true };
    let mut is_filtered = false;
    for file in staged.files.iter().filter(|it| !it.is_absent) {
        check_deadline(deadline).map_err(|error| error.to_string())?;
        let state = if file.mode & KIND == SUBMODULE {
            submodule(&tree.at(path(&file.path)?), file, deadline, depth)?
        } else {
            tree.compare(file, deadline)?
        };
        match state {
            FileState::Changed => return Ok(false),
            FileState::Filtered => is_filtered = true,
            FileState::Same => {}
        }
    }
    if is_filtered {
        return Err("a filter of .gitattributes decides which of its files are changed".into());
    }
    Ok(true)
}

/// Whether what is staged is what is committed.
fn is_committed(
    staged: &StagedFiles,
    commit: &Id,
    objects: &mut Objects,
    deadline: Instant,
) -> Result<bool, String> {
    let missing = || "objects of the commit are missing".to_owned();
    let content = objects.content(ObjectKind::Commit, commit, deadline).ok_or_else(missing)?;
    let tree = trees::tree_of(&content).ok_or_else(missing)?;
    if staged.tree == Some(tree) {
        return Ok(true);
    }
    let mut files = staged.files.iter();
    let is_next = |path: &[u8], mode: u32, id: Id| {
        files.next().is_some_and(|it| it.path == path && it.mode == mode && it.id == id)
    };
    let are_same = trees::all_files(tree, objects, deadline, is_next).ok_or_else(missing)?;
    Ok(are_same && files.next().is_none())
}

/// A submodule that is there must be at the commit, and clean itself.
fn submodule(folder: &Path, file: &StagedFile, deadline: Instant, depth: u32) -> Result<FileState, String> {
    if fs::symlink_metadata(folder.join(".git")).is_err() {
        return Ok(FileState::Same); // it was not checked out
    }
    let Some(inner) = repository::find(folder)?.filter(|_| depth < MAX_DEPTH) else {
        return Err(format!("the submodule {} cannot be read", String::from_utf8_lossy(&file.path)));
    };
    if refs::head(&inner)? != Some(file.id) {
        return Ok(FileState::Changed);
    }
    let mut objects = Objects::new(&inner);
    let is_clean = is_clean_at(&inner, &file.id, &mut objects, deadline, depth + 1)?;
    Ok(if is_clean { FileState::Same } else { FileState::Changed })
}

/// The folder with the files.
struct WorkTree<'a> {
    repository: &'a Repository,
    /// When the index was written.
    written: Option<SystemTime>,
    /// The folder of the last file, and whether it is one, and no link to one elsewhere.
    folder: PathBuf,
    is_real: bool,
}

impl WorkTree<'_> {
    fn at(&self, below: &Path) -> PathBuf {
        self.repository.work_tree.path().join(below)
    }

    fn compare(&mut self, file: &StagedFile, deadline: Instant) -> Result<FileState, String> {
        let below = path(&file.path)?;
        let unread = |error: io::Error| match error.kind() {
            io::ErrorKind::TimedOut => error.to_string(),
            _ => format!("{} cannot be read ({error})", below.display()),
        };
        if !self.is_in_real_folder(below) {
            return Ok(FileState::Changed);
        }
        let at = self.at(below);
        let about = match fs::symlink_metadata(&at) {
            Ok(about) => about,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(FileState::Changed),
            Err(error) => return Err(unread(error)),
        };
        if about.is_symlink() != (file.mode & KIND == LINK) || !(about.is_symlink() || about.is_file()) {
            // Where links need a right that the user lacks, git writes files in place of them.
            let is_in_place_of_link = cfg!(windows) && about.is_file();
            if !is_in_place_of_link {
                return Ok(FileState::Changed);
            }
        }
        if self.is_as_staged(&about, file) {
            return Ok(FileState::Same);
        }
        if about.is_symlink() {
            let target = fs::read_link(&at).map_err(unread)?;
            let is_same =
                is_blob(&file.id, target.as_os_str().as_encoded_bytes(), deadline).map_err(unread)?;
            return Ok(if is_same { FileState::Same } else { FileState::Changed });
        }
        // Git writes a size of 0 where it is not sure, and for what is empty.
        let is_of_size = || match file.stat.size {
            0 => Ok(!is_blob(&file.id, &[], deadline)?),
            _ => Ok(has_size(&about, file)),
        };
        let may_be_same = about.len() <= MAX_TEXT_BYTES || is_of_size().map_err(unread)?;
        if may_be_same && has_content(&at, about.len(), file, deadline).map_err(unread)? {
            return Ok(FileState::Same);
        }
        Ok(if self.may_be_filtered(below) { FileState::Filtered } else { FileState::Changed })
    }

    /// Whether a file is the one that git saw when it was staged. One that was written in the same moment as the index
    /// may have changed since without showing it.
    fn is_as_staged(&self, about: &Metadata, file: &StagedFile) -> bool {
        let modified = about.modified().ok().and_then(cut);
        let is_older = modified.zip(self.written.and_then(cut)).is_some_and(|(file, index)| file < index);
        // Git writes a size of 0 where it is not sure.
        is_older
            && file.stat.size != 0
            && modified == Some(file.stat.modified)
            && has_size(about, file)
            && has_same_change(about, &file.stat)
    }

    /// Whether all folders on the way to a file are folders.
    fn is_in_real_folder(&mut self, file: &Path) -> bool {
        let folder = file.parent().unwrap_or(Path::new(""));
        if self.folder != folder {
            let mut ways = folder.ancestors().filter(|it| !it.as_os_str().is_empty());
            self.is_real = ways.all(|it| fs::symlink_metadata(self.at(it)).is_ok_and(|it| it.is_dir()));
            self.folder = folder.to_path_buf();
        }
        self.is_real
    }

    /// Whether the attributes of a file may name a program, or a change that git makes itself, between what is committed
    /// and what is on the disk.
    fn may_be_filtered(&self, file: &Path) -> bool {
        let Repository { work_tree, common_dir, .. } = self.repository;
        let of_folders =
            file.ancestors().skip(1).map(|it| (work_tree, it.join(".gitattributes"), self.at(it)));
        let of_all = (common_dir, PathBuf::from("info/attributes"), self.at(Path::new("")));
        of_folders.chain([of_all]).any(|(within, attributes, folder)| {
            match attributes.to_str().map(|it| within.read(it, MAX_ATTRIBUTES_BYTES)) {
                Some(Ok(None)) => false,
                Some(Ok(Some(text))) => has_filter(&String::from_utf8_lossy(&text), &folder, &self.at(file)),
                None | Some(Err(_)) => true, // nobody knows
            }
        })
    }
}

/// Whether attributes of the files in a folder may make one of them something else than what is committed. Names of several
/// attributes, and patterns in quotes, are taken for such.
fn has_filter(attributes: &str, folder: &Path, file: &Path) -> bool {
    let mut patterns = GitignoreBuilder::new(folder);
    for line in attributes.lines() {
        let (pattern, rest) = line.trim_start().split_once([' ', '\t']).unwrap_or_default();
        if !["filter", "ident", "working-tree-encoding"].iter().any(|it| rest.contains(it)) {
            continue;
        }
        if pattern.starts_with(['[', '"']) || patterns.add_line(None, pattern).is_err() {
            return true;
        }
    }
    patterns.build().map_or(true, |it| !it.matched(file, false).is_none())
}

/// The path of a tracked file, which leads nowhere else.
fn path(name: &[u8]) -> Result<&Path, String> {
    #[cfg(unix)]
    let path = Some(Path::new(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(name)));
    #[cfg(not(unix))]
    let path = str::from_utf8(name).ok().map(Path::new);
    let is_plain = |it: &&Path| it.components().all(|it| matches!(it, std::path::Component::Normal(_)));
    path.filter(is_plain).ok_or_else(|| format!("its index names {}", String::from_utf8_lossy(name)))
}

/// Seconds and nanoseconds as an index has them.
fn cut(time: SystemTime) -> Option<(u32, u32)> {
    let since = time.duration_since(UNIX_EPOCH).ok()?;
    Some((since.as_secs() as u32, since.subsec_nanos()))
}

/// Whether a file has the size that git saw, of which it keeps 32 bits.
fn has_size(about: &Metadata, file: &StagedFile) -> bool {
    about.len() as u32 == file.stat.size
}

#[cfg(unix)]
fn has_same_change(about: &Metadata, stat: &Stat) -> bool {
    use std::os::unix::fs::MetadataExt;
    (about.ctime() as u32, about.ctime_nsec() as u32) == stat.changed
}

/// On these systems git keeps the time at which a file was made.
#[cfg(not(unix))]
fn has_same_change(_: &Metadata, _: &Stat) -> bool {
    true
}

/// The text with line feeds alone; `None` if it is one already.
fn without_carriage_returns(text: &[u8]) -> Option<Vec<u8>> {
    if !text.windows(2).any(|it| it == b"\r\n") {
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
    // It was one when its name was looked up.
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

/// Whether git gives this id to a content of this size. Of one that grows no more than that is read.
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

/// Reads a content to its end, unless there is no time left.
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
