//! From a time to a commit, and from a commit to the text of a file in it.

use std::collections::HashMap;
use std::io;

use super::object::{ObjectKind, invalid};
use super::objects::Objects;
use super::refs::Id;
use super::trees::{FILE, FOLDER, TYPE, TreeEntry, entries, tree_of};

/// How many commits are kept for later questions. Most histories have fewer.
const MAX_COMMITS: usize = 1 << 16;
/// How many times the answers are kept for.
const MAX_TIMES: usize = 1 << 10;
/// A commit with more files than this is not listed.
const MAX_FILES: usize = 1 << 20;
/// Nor is one whose paths have more bytes: a few trees can name very many files, with very long names.
const MAX_PATH_BYTES: usize = 256 << 20;
/// How many bytes of trees are kept: the files of one trace have most folders in common.
const MAX_TREE_BYTES: usize = 8 << 20;

/// The commits of a branch by first parents, as far as they were looked at: the newest first.
#[derive(Default)]
pub(super) struct Branch {
    head: Option<Id>,
    seen: Vec<Commit>,
    /// The previous one in history; `None` if there is none, or it is not in the repository.
    next: Option<Id>,
    /// By time in seconds.
    found: HashMap<u64, Option<Id>>,
    trees: HashMap<Id, Vec<u8>>,
}

#[derive(Clone, Copy)]
struct Commit {
    /// When it was committed, in seconds since 1970.
    time: u64,
    tree: Id,
}

impl Branch {
    /// Sets the commit that is checked out.
    pub(super) fn check_out(&mut self, head: Option<Id>) {
        self.found.clear();
        if self.head != head {
            *self = Self { head, next: head, ..Self::default() };
        }
    }

    /// When a commit was made, in seconds since 1970, if it is not the one that is checked out; from then on, it is the
    /// commit of that second.
    pub(super) fn made_earlier(&mut self, id: &Id, objects: &mut Objects) -> Option<u64> {
        if self.head.as_ref() == Some(id) {
            return None;
        }
        let (Commit { time, tree }, _) = commit(&objects.content(ObjectKind::Commit, id)?)?;
        self.found.insert(time, Some(tree));
        Some(time)
    }

    /// The tree of the newest commit that is not later.
    ///
    /// # Errors
    /// If that takes too long.
    pub(super) fn tree_at(&mut self, seconds: u64, objects: &mut Objects) -> io::Result<Option<Id>> {
        if let Some(known) = self.found.get(&seconds) {
            return Ok(*known);
        }
        let found = self.find(seconds, objects);
        if self.found.len() >= MAX_TIMES {
            self.found.clear();
        }
        // If an answer took too long once, it would take too long for each file.
        self.found.insert(seconds, *found.as_ref().unwrap_or(&None));
        found
    }

    fn find(&mut self, seconds: u64, objects: &mut Objects) -> io::Result<Option<Id>> {
        if let Some(commit) = self.seen.iter().find(|commit| commit.time <= seconds) {
            return Ok(Some(commit.tree));
        }
        let mut next = self.next;
        while let Some(id) = next {
            objects.check_deadline()?;
            let content = objects.content(ObjectKind::Commit, &id);
            let Some((commit, parent)) = content.and_then(|content| commit(&content)) else {
                // The end of a shallow clone. `Objects` notes what cannot be read.
                break;
            };
            next = parent;
            if self.seen.len() < MAX_COMMITS {
                self.seen.push(commit);
                self.next = next;
            }
            if commit.time <= seconds {
                return Ok(Some(commit.tree));
            }
        }
        Ok(None)
    }

    /// The content of a file in a tree; `None` if there is no regular file at this path, or it is too large.
    pub(super) fn file(&mut self, tree: Id, path: &str, objects: &mut Objects) -> Option<Vec<u8>> {
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let folder = self.folder(tree, folders, objects)?;
        let file = self.entry(folder, name, objects)?;
        // Links and the commits of submodules are not texts.
        if file.mode & TYPE == FILE { objects.content(ObjectKind::Blob, &file.id) } else { None }
    }

    /// The paths of all files in a folder of a tree, relative to it. `prefix` is the folder: empty, or with a slash at its end.
    ///
    /// # Errors
    /// If that takes too long, or there are too many.
    pub(super) fn files(&mut self, tree: Id, prefix: &str, objects: &mut Objects) -> io::Result<Vec<String>> {
        let (mut files, mut bytes) = (Vec::new(), 0);
        let Some(tree) = self.folder(tree, prefix, objects) else { return Ok(files) };
        let mut waiting = vec![(String::new(), tree)];
        while let Some((folder, id)) = waiting.pop() {
            objects.check_deadline()?;
            let Some(tree) = self.tree(id, objects) else { continue };
            for entry in entries(tree, id.bytes().len()) {
                let Ok(name) = str::from_utf8(entry.name) else { continue };
                if entry.mode == FOLDER {
                    waiting.push((format!("{folder}{name}/"), entry.id));
                } else if entry.mode & TYPE == FILE {
                    files.push(format!("{folder}{name}"));
                }
                bytes += folder.len() + name.len();
                if files.len() + waiting.len() > MAX_FILES || bytes > MAX_PATH_BYTES {
                    return Err(invalid("a commit has too many files"));
                }
            }
        }
        Ok(files)
    }

    /// The tree of a folder in a tree.
    fn folder(&mut self, tree: Id, path: &str, objects: &mut Objects) -> Option<Id> {
        path.split('/').filter(|name| !name.is_empty()).try_fold(tree, |tree, name| {
            let folder = self.entry(tree, name, objects)?;
            (folder.mode == FOLDER).then_some(folder.id)
        })
    }

    /// The entry of a tree with a name.
    fn entry(&mut self, tree: Id, name: &str, objects: &mut Objects) -> Option<TreeEntry<'_>> {
        entries(self.tree(tree, objects)?, tree.bytes().len()).find(|entry| entry.name == name.as_bytes())
    }

    fn tree(&mut self, id: Id, objects: &mut Objects) -> Option<&[u8]> {
        if !self.trees.contains_key(&id) {
            let tree = objects.content(ObjectKind::Tree, &id)?;
            if self.trees.values().map(Vec::len).sum::<usize>() + tree.len() > MAX_TREE_BYTES {
                self.trees.clear();
            }
            self.trees.insert(id, tree);
        }
        self.trees.get(&id).map(Vec::as_slice)
    }
}

/// The commit and its first parent. Replaced objects and grafts, with which git can show another history than the
/// recorded one, do not count.
fn commit(text: &[u8]) -> Option<(Commit, Option<Id>)> {
    let lines = text.split(|byte| *byte == b'\n').take_while(|line| !line.is_empty());
    let tree = tree_of(text)?;
    let (mut parent, mut time) = (None, 0);
    for line in lines {
        if let Some(id) = line.strip_prefix(b"parent ") {
            parent = parent.or(Id::of_hex(id));
        } else if let Some(by) = line.strip_prefix(b"committer ") {
            // `Name <address> seconds zone`; as in git, a time that cannot be read is 1970.
            let after = by.rsplit(|byte| *byte == b'>').next().unwrap_or_default().trim_ascii_start();
            let digits = after.split(|byte| *byte == b' ').next();
            let seconds = digits.and_then(|digits| str::from_utf8(digits).ok()?.parse().ok());
            time = seconds.unwrap_or(0);
            break;
        }
    }
    Some((Commit { time, tree }, parent))
}
