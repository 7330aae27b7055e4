//! Lists the files below a folder. Links are not followed: a target inside the folder is found at its own place.

use std::io::Read;
use std::path::Path;
use std::sync::mpsc::channel;

use analysis::files::FilePath;
use ignore::{DirEntry, WalkBuilder, WalkState};

use crate::open::open;

/// Folders that hold no code of the workspace.
const NEVER: [&str; 4] = [".git", ".hg", ".svn", ".jj"];
/// The file that a tool puts into its cache, such as Cargo's `target`, so that others leave it out, and how that file
/// begins (Cache Directory Tagging Specification, https://bford.info/cachedir).
const CACHE_TAG: (&str, &[u8]) = ("CACHEDIR.TAG", b"Signature: 8a477f597d28d172789f06886806bc55");

/// All regular files below the real path `root`, with `folder` as the beginning of their paths.
pub(super) fn walk(root: &Path, folder: &FilePath, dependencies: bool) -> Vec<FilePath> {
    let (found, files) = channel();
    // Most of the time is spent in the system, one folder after the other.
    walker(root, dependencies).build_parallel().run(|| {
        let found = found.clone();
        Box::new(move |entry| {
            let file = entry.ok().and_then(|entry| file_of(&entry, root, folder));
            match file.is_none_or(|file| found.send(file).is_ok()) {
                true => WalkState::Continue,
                false => WalkState::Quit,
            }
        })
    });
    drop(found);
    files.into_iter().collect()
}

/// The regular files below a folder down to a depth, and whether the list is complete: at most `most` files and folders
/// are visited, in the order of their names.
pub(super) fn walk_at_most(root: &Path, depth: Option<usize>, most: usize) -> (Vec<FilePath>, bool) {
    let mut walker = walker(root, false);
    let mut entries = walker.max_depth(depth).sort_by_file_name(Ord::cmp).build().filter_map(Result::ok);
    let folder = FilePath::new(&root.to_string_lossy());
    let files = entries.by_ref().take(most).filter_map(|entry| file_of(&entry, root, &folder)).collect();
    (files, entries.next().is_none())
}

/// Folders that cannot be listed count as empty.
fn walker(root: &Path, dependencies: bool) -> WalkBuilder {
    let mut walker = WalkBuilder::new(root);
    walker.standard_filters(false).filter_entry(move |entry| {
        let name = entry.file_name();
        let is_never = NEVER.iter().any(|never| name == *never);
        entry.depth() == 0 || !is_never && (dependencies || name != "node_modules") && !is_cache(entry)
    });
    walker
}

fn is_cache(entry: &DirEntry) -> bool {
    let (name, signature) = CACHE_TAG;
    let mut begins = [0; CACHE_TAG.1.len()];
    entry.file_type().is_some_and(|kind| kind.is_dir())
        && open(&entry.path().join(name)).is_ok_and(|(mut tag, _)| tag.read_exact(&mut begins).is_ok())
        && begins == *signature
}

fn file_of(entry: &DirEntry, root: &Path, folder: &FilePath) -> Option<FilePath> {
    entry.file_type().filter(|kind| kind.is_file())?;
    path_below(folder, entry.path().strip_prefix(root).ok()?)
}

/// A path below a folder; `None` for names that are not Unicode, which no trace can contain either.
pub(super) fn path_below(folder: &FilePath, rest: &Path) -> Option<FilePath> {
    let parts: Option<Vec<_>> = rest.iter().map(|part| part.to_str()).collect();
    Some(folder.join(&parts?.join("/")))
}
