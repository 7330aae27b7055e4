//! The workspace's own files, to be found by their name and by their end.

use rustc_hash::FxHashMap;

use super::folders::depends;
use super::known;
use crate::FilePath;
use crate::files::below;

/// Files that end like an address are looked at up to this number; with more, only longer ends count.
const MOST_CANDIDATES: usize = 64;

/// All workspace files that are no dependencies.
pub(crate) struct Workspace<'a> {
    /// The workspace folders.
    pub(crate) folders: &'a [FilePath],
    by_path: FxHashMap<&'a str, &'a FilePath>,
    /// Sorted by their text from its end.
    by_end: Vec<&'a FilePath>,
}

/// How likely code runs from a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A workspace folder or one above.
    Top,
    /// It looks like what is served or run: `public`, or it holds an `index.html` or `package.json`.
    Root,
    /// It looks like what is built first.
    Source,
    Other,
}

/// Files that end like an address.
pub(crate) struct Ending<'w, 'a> {
    pub(crate) files: &'w [&'a FilePath],
    /// No other file has this name.
    pub(crate) only: bool,
    /// Files were left out, as there are too many.
    pub(crate) more: bool,
}

impl<'a> Workspace<'a> {
    pub(crate) fn new(list: &'a [FilePath], folders: &'a [FilePath]) -> Workspace<'a> {
        let mut by_end: Vec<&FilePath> = list.iter().filter(|file| !depends(file, folders)).collect();
        by_end.sort_unstable_by(|a, b| a.as_str().bytes().rev().cmp(b.as_str().bytes().rev()));
        by_end.dedup();
        Workspace { folders, by_path: by_end.iter().map(|file| (file.as_str(), *file)).collect(), by_end }
    }

    /// The file of that path.
    pub(crate) fn get(&self, path: &str) -> Option<&'a FilePath> {
        self.by_path.get(path).copied()
    }

    /// The files whose path ends so.
    pub(crate) fn ending_in(&self, end: &str) -> &[&'a FilePath] {
        narrowed(&self.by_end, end)
    }

    /// The files with the longest ends in common with `path`, and those with shorter ones as long as all of them are
    /// few.
    pub(crate) fn ending_like(&self, path: &str) -> Ending<'_, 'a> {
        let mut around = &self.by_end[..];
        let (mut only, mut more) = (false, false);
        for (slash, _) in path.rmatch_indices('/') {
            around = narrowed(around, &path[slash..]);
            only |= around.len() == 1 && !more;
            if around.len() <= MOST_CANDIDATES {
                return Ending { files: around, only, more };
            }
            more = true;
        }
        Ending { files: &[], only, more }
    }

    /// What kind of folder it is.
    pub(crate) fn place(&self, folder: &str) -> Place {
        let name = folder.rsplit('/').next().unwrap_or_default();
        let holds = |file: &str| self.get(&format!("{folder}/{file}")).is_some();
        if self.folders.iter().any(|top| below(top.as_str(), folder).is_some()) {
            Place::Top
        } else if known::is_source_folder(name) {
            Place::Source
        } else if known::is_served_folder(name) || holds("index.html") || holds("package.json") {
            Place::Root
        } else {
            Place::Other
        }
    }
}

/// Those of `files`, sorted from the end, that end so.
fn narrowed<'w, 'a>(files: &'w [&'a FilePath], end: &str) -> &'w [&'a FilePath] {
    let order = |file: &&FilePath| file.as_str().bytes().rev().take(end.len()).cmp(end.bytes().rev());
    let start = files.partition_point(|file| order(file).is_lt());
    let count = files[start..].partition_point(|file| order(file).is_eq());
    &files[start..start + count]
}
