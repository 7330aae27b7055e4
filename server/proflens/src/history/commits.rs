//! From a time to a commit, and from a commit to the text of a file in it.

use std::collections::HashMap;
use std::io;
use std::time::Instant;

use super::object::{ObjectKind, check_deadline, invalid};
use super::objects::Objects;
use super::refs::Id;
use super::trees::{FILE, FOLDER, TYPE, next_entry, tree_of};

/// At most this many commits are kept for later questions. Most histories have fewer.
const MAX_COMMITS: usize = 1 << 16;
/// For at most this many times the answer is kept.
const MAX_TIMES: usize = 1 << 10;
/// A commit with more files than this is not listed.
const MAX_FILES: usize = 1 << 20;
/// At most this many bytes of trees are kept: the files of one trace have most folders in common.
const MAX_TREE_BYTES: usize = 8 << 20;

/// The commits of a branch by first parents, as far as they were looked at: the newest first.
#[derive(Default)]
pub(super) struct Branch {
    head: Option<Id>,
    seen: Vec<Commit>,
    /// The one before them in history; `None` where there is none, or it is not in the repository.
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

    /// The tree of the newest commit that is not later.
    ///
    /// # Errors
    /// If that takes too long.
    pub(super) fn tree_at(
        &mut self,
        seconds: u64,
        objects: &mut Objects,
        deadline: Instant,
    ) -> io::Result<Option<Id>> {
        if let Some(known) = self.found.get(&seconds) {
            return Ok(*known);
        }
        let found = self.find(seconds, objects, deadline);
        if self.found.len() >= MAX_TIMES {
            self.found.clear();
        }
        // What took too long once would do so for each file.
        self.found.insert(seconds, *found.as_ref().unwrap_or(&None));
        found
    }

    fn find(&mut self, seconds: u64, objects: &mut Objects, deadline: Instant) -> io::Result<Option<Id>> {
        if let Some(commit) = self.seen.iter().find(|it| it.time <= seconds) {
            return Ok(Some(commit.tree));
        }
        let mut next = self.next;
        while let Some(id) = next {
            check_deadline(deadline)?;
            let content = objects.content(ObjectKind::Commit, &id, deadline);
            let Some((commit, parent)) = content.and_then(|it| commit(&it)) else {
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

    /// The content of a file in a tree; `None` where there is no regular file of this path, or a larger one.
    pub(super) fn file(
        &mut self,
        tree: Id,
        path: &str,
        objects: &mut Objects,
        deadline: Instant,
    ) -> Option<Vec<u8>> {
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let tree = self.folder(tree, folders, objects, deadline)?;
        let (mode, id) = entry(self.tree(tree, objects, deadline)?, name, tree.bytes().len())?;
        // Links and the commits of submodules are no texts.
        if mode & TYPE == FILE { objects.content(ObjectKind::Blob, &id, deadline) } else { None }
    }

    /// The paths of all files in a folder of a tree, `prefix`, which is empty or ends in a slash: they count from there.
    ///
    /// # Errors
    /// If that takes too long, or there are too many.
    pub(super) fn files(
        &mut self,
        tree: Id,
        prefix: &str,
        objects: &mut Objects,
        deadline: Instant,
    ) -> io::Result<Vec<String>> {
        let mut files = Vec::new();
        let Some(tree) = self.folder(tree, prefix, objects, deadline) else { return Ok(files) };
        let mut waiting = vec![(String::new(), tree)];
        while let Some((folder, id)) = waiting.pop() {
            check_deadline(deadline)?;
            if files.len() + waiting.len() > MAX_FILES {
                return Err(invalid("a commit has too many files"));
            }
            let hash = id.bytes().len();
            let Some(mut rest) = self.tree(id, objects, deadline) else { continue };
            while let Some((entry, others)) = next_entry(rest, hash) {
                rest = others;
                let Ok(name) = str::from_utf8(entry.name) else { continue };
                if entry.mode == FOLDER {
                    waiting.push((format!("{folder}{name}/"), entry.id));
                } else if entry.mode & TYPE == FILE {
                    files.push(format!("{folder}{name}"));
                }
            }
        }
        Ok(files)
    }

    /// The tree of a folder in a tree.
    fn folder(&mut self, tree: Id, path: &str, objects: &mut Objects, deadline: Instant) -> Option<Id> {
        path.split('/').filter(|it| !it.is_empty()).try_fold(tree, |tree, name| {
            let (mode, id) = entry(self.tree(tree, objects, deadline)?, name, tree.bytes().len())?;
            (mode == FOLDER).then_some(id)
        })
    }

    fn tree(&mut self, id: Id, objects: &mut Objects, deadline: Instant) -> Option<&[u8]> {
        if !self.trees.contains_key(&id) {
            let tree = objects.content(ObjectKind::Tree, &id, deadline)?;
            if self.trees.values().map(Vec::len).sum::<usize>() + tree.len() > MAX_TREE_BYTES {
                self.trees.clear();
            }
            self.trees.insert(id, tree);
        }
        self.trees.get(&id).map(Vec::as_slice)
    }
}

/// The entry of a tree with a name.
fn entry(mut tree: &[u8], name: &str, hash: usize) -> Option<(u32, Id)> {
    while let Some((entry, rest)) = next_entry(tree, hash) {
        if entry.name == name.as_bytes() {
            return Some((entry.mode, entry.id));
        }
        tree = rest;
    }
    None
}

/// The commit and its first parent. Replaced objects and grafts, with which git can show another history than the
/// written one, do not count.
fn commit(text: &[u8]) -> Option<(Commit, Option<Id>)> {
    let lines = text.split(|it| *it == b'\n').take_while(|it| !it.is_empty());
    let tree = tree_of(text)?;
    let (mut parent, mut time) = (None, 0);
    for line in lines {
        if let Some(id) = line.strip_prefix(b"parent ") {
            parent = parent.or(Id::of_hex(id));
        } else if let Some(by) = line.strip_prefix(b"committer ") {
            // `Name <address> seconds zone`; as in git, a time that cannot be read is 1970.
            let after = by.rsplit(|it| *it == b'>').next().unwrap_or_default().trim_ascii_start();
            let seconds = after.split(|it| *it == b' ').next().and_then(|it| str::from_utf8(it).ok());
            time = seconds.and_then(|it| it.parse().ok()).unwrap_or(0);
            break;
        }
    }
    Some((Commit { time, tree }, parent))
}
