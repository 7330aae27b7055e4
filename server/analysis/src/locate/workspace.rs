//! The workspace's own files, indexed to quickly find those whose path ends like a given one.

use rustc_hash::FxHashMap;

use super::known;
use super::locator::depends;
use crate::files::{FilePath, below};

/// If more files than this end like an address, only those with a longer common end are looked at.
const MAX_CANDIDATES: usize = 64;

/// The workspace files that are not dependencies, or those that are.
pub(crate) struct Workspace<'a> {
    /// The workspace folders.
    pub(crate) folders: &'a [FilePath],
    by_path: FxHashMap<&'a str, &'a FilePath>,
    /// Sorted by their text, read from the end.
    by_end: Vec<&'a FilePath>,
}

/// What a folder is probably used for, which tells how likely code runs from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FolderRole {
    /// A workspace folder, or a folder around one.
    Top,
    /// Looks like a folder that is served or run: `public`, or one with an `index.html` or `package.json`.
    Root,
    /// Looks like a folder whose files are compiled before they run.
    Source,
    /// Any other.
    Other,
}

/// Files that end like an address.
pub(crate) struct EndMatches<'w, 'a> {
    pub(crate) files: &'w [&'a FilePath],
    /// Whether no other file has this name.
    pub(crate) is_only: bool,
    /// Whether files were left out because there are too many.
    pub(crate) is_truncated: bool,
}

impl<'a> Workspace<'a> {
    pub(crate) fn new(list: &'a [FilePath], folders: &'a [FilePath]) -> Workspace<'a> {
        Self::of(list.iter().filter(|file| !depends(file, folders)).collect(), folders)
    }

    /// The dependencies.
    pub(crate) fn of_dependencies(list: &'a [FilePath], folders: &'a [FilePath]) -> Workspace<'a> {
        Self::of(list.iter().filter(|file| depends(file, folders)).collect(), folders)
    }

    fn of(mut by_end: Vec<&'a FilePath>, folders: &'a [FilePath]) -> Workspace<'a> {
        by_end.sort_unstable_by(|a, b| a.as_str().bytes().rev().cmp(b.as_str().bytes().rev()));
        by_end.dedup();
        Workspace { folders, by_path: by_end.iter().map(|file| (file.as_str(), *file)).collect(), by_end }
    }

    /// The file at that path.
    pub(crate) fn get(&self, path: &str) -> Option<&'a FilePath> {
        self.by_path.get(path).copied()
    }

    /// The files whose path ends in `end`.
    pub(crate) fn ending_in(&self, end: &str) -> &[&'a FilePath] {
        narrowed(&self.by_end, end)
    }

    /// The files whose path shares an end with `path`: the shortest end that gives at most [`MAX_CANDIDATES`] files.
    pub(crate) fn ending_like(&self, path: &str) -> EndMatches<'_, 'a> {
        let mut around = &self.by_end[..];
        let (mut is_only, mut is_truncated) = (false, false);
        for (slash, _) in path.rmatch_indices('/') {
            around = narrowed(around, &path[slash..]);
            is_only |= around.len() == 1 && !is_truncated;
            if around.len() <= MAX_CANDIDATES {
                return EndMatches { files: around, is_only, is_truncated };
            }
            is_truncated = true;
        }
        EndMatches { files: &[], is_only, is_truncated }
    }

    /// Whether a folder lies in a dependency, as seen from every workspace folder around it.
    pub(crate) fn is_in_dependency(&self, folder: &str) -> bool {
        let mut around = self.folders.iter().filter_map(|top| below(folder, top.as_str())).peekable();
        around.peek().is_some() && around.all(known::has_node_modules)
    }

    /// What a folder is probably used for.
    pub(crate) fn role(&self, folder: &str) -> FolderRole {
        let name = folder.rsplit('/').next().unwrap_or_default();
        let holds = |file: &str| self.get(&format!("{folder}/{file}")).is_some();
        if self.folders.iter().any(|top| below(top.as_str(), folder).is_some()) {
            FolderRole::Top
        } else if known::is_source_folder(name) {
            FolderRole::Source
        } else if known::is_served_folder(name) || holds("index.html") || holds("package.json") {
            FolderRole::Root
        } else {
            FolderRole::Other
        }
    }
}

/// The files in `files` that end in `end`; `files` is sorted by the text read from the end.
fn narrowed<'w, 'a>(files: &'w [&'a FilePath], end: &str) -> &'w [&'a FilePath] {
    let order = |file: &&FilePath| file.as_str().bytes().rev().take(end.len()).cmp(end.bytes().rev());
    let start = files.partition_point(|file| order(file).is_lt());
    let count = files[start..].partition_point(|file| order(file).is_eq());
    &files[start..start + count]
}

/// The parts of two paths before their longest common end.
pub(super) fn before_common_end<'a>(path: &'a str, file: &'a str) -> (&'a str, &'a str) {
    let (mut ours, mut theirs) = (path, file);
    while let Some((folder, name)) = theirs.rsplit_once('/') {
        let (above, own) = ours.rsplit_once('/').unwrap_or(("", ours));
        if ours.is_empty() || own != name {
            break;
        }
        (ours, theirs) = (above, folder);
    }
    (ours, theirs)
}
