//! The workspace folders on the disk.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use analysis::files::{CachedText, FilePath, Files, Runner};
use profile::problem::Problem;

use super::caches::RunnerCaches;
use super::walk::{path_below, walk};
use crate::history::History;
use crate::open::{Stamp, open, stamp};

/// Larger files are not source texts.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// Workspace folders on the disk. The list of files is made once and kept until [`Disk::invalidate`].
pub struct Disk {
    pub(super) folders: Vec<FilePath>,
    /// Their real paths; `None` for those that do not exist.
    roots: Vec<Option<PathBuf>>,
    dependencies: bool,
    list: Mutex<Option<Arc<[FilePath]>>>,
    /// The git history of each folder.
    history: Vec<History>,
    caches: RunnerCaches,
}

impl Disk {
    /// The files below these folders; those below `node_modules` only with `dependencies`.
    pub fn new(folders: Vec<FilePath>, dependencies: bool) -> Self {
        let roots = folders.iter().map(|folder| fs::canonicalize(folder.as_str()).ok()).collect();
        let history = folders.iter().map(|folder| History::new(folder.as_str())).collect();
        Self {
            folders,
            roots,
            dependencies,
            list: Mutex::default(),
            history,
            caches: RunnerCaches::default(),
        }
    }

    /// The same, with permission to read the caches of these runners.
    pub fn with_caches(self, allowed: &[Runner]) -> Self {
        Self { caches: RunnerCaches::new(allowed), ..self }
    }

    /// Files were created or deleted: the list is made again when it is needed.
    pub(crate) fn invalidate(&self) {
        self.cached().take();
        self.history.iter().for_each(History::invalidate);
        self.caches.invalidate();
    }

    /// Why the git history of a folder cannot be read, one problem for each folder.
    pub(crate) fn history_problems(&self) -> impl Iterator<Item = Problem> {
        let histories = self.history.iter().zip(&self.folders);
        histories.filter_map(|(history, folder)| Some(history.problem()?.at(folder.to_string())))
    }

    /// When a commit was made that is no longer checked out, if a folder's history has it.
    pub(crate) fn made_earlier(&self, commit: &str) -> Option<SystemTime> {
        self.history.iter().find_map(|history| history.made_earlier(commit))
    }

    /// What was left out of the caches of runners.
    pub(crate) fn cache_problems(&self) -> Vec<Problem> {
        self.caches.problems()
    }

    /// Runners that have a cache for scripts of the workspace that the user does not allow to be read.
    pub(crate) fn offered_caches(&self) -> Vec<Runner> {
        let mut all: Vec<Runner> =
            self.roots.iter().flatten().flat_map(|root| self.caches.offered(root)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// A file's path below its workspace folder.
    pub(crate) fn relative<'a>(&self, file: &'a FilePath) -> Option<&'a str> {
        self.folders.iter().find_map(|folder| file.relative_to(folder))
    }

    /// Whether it is one of the folders itself.
    pub(crate) fn is_root(&self, folder: &FilePath) -> bool {
        self.folders.contains(folder)
    }

    /// [`Files::resolve`] for the disk as it is now, whatever was listed.
    fn find(&self, file: &FilePath) -> Option<FilePath> {
        let found = self.resolve_inside(file).or_else(|| self.resolve_hoisted(file));
        found.filter(|file| fs::metadata(file.as_str()).is_ok_and(|about| about.is_file()))
    }

    /// A file as the disk spells it: Windows and macOS treat names that differ in case as the same.
    pub(crate) fn spelled(&self, file: &FilePath) -> FilePath {
        let lower = |file: &FilePath| file.as_str().to_lowercase();
        let on_disk = self.find(file).filter(|on_disk| lower(on_disk) == lower(file));
        on_disk.unwrap_or_else(|| file.clone())
    }

    /// The stamp of a file inside the folders.
    pub(crate) fn stamp(&self, file: &FilePath) -> Option<Stamp> {
        stamp(Path::new(self.find(file)?.as_str()))
    }

    /// The path of a file or folder with its links resolved, if that is inside the folders.
    pub(super) fn resolve_inside(&self, file: &FilePath) -> Option<FilePath> {
        let real = fs::canonicalize(file.as_str()).ok()?;
        let mut roots = self.roots.iter().zip(&self.folders);
        roots.find_map(|(root, folder)| path_below(folder, real.strip_prefix(root.as_ref()?).ok()?))
    }

    /// The path, with links resolved, of a file below `node_modules` in a folder around the workspace folders, where the
    /// packages of a monorepo are. `None` if that is not below the same `node_modules`.
    fn resolve_hoisted(&self, file: &FilePath) -> Option<FilePath> {
        let (around, _) = file.as_str().split_once("/node_modules/")?;
        if !self.folders.iter().any(|folder| Path::new(folder.as_str()).starts_with(around)) {
            return None;
        }
        let installed = format!("{around}/node_modules");
        let (root, real) = (fs::canonicalize(&installed).ok()?, fs::canonicalize(file.as_str()).ok()?);
        path_below(&FilePath::new(&installed), real.strip_prefix(root).ok()?)
    }

    fn walk_all(&self) -> Arc<[FilePath]> {
        let mut files = Vec::new();
        for (root, folder) in self.roots.iter().zip(&self.folders) {
            if let Some(root) = root {
                files.extend(walk(root, folder, self.dependencies));
            }
        }
        files.sort_unstable();
        files.dedup();
        files.into()
    }

    fn cached(&self) -> MutexGuard<'_, Option<Arc<[FilePath]>>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Files for Disk {
    fn folders(&self) -> &[FilePath] {
        &self.folders
    }

    fn list(&self) -> Arc<[FilePath]> {
        self.cached().get_or_insert_with(|| self.walk_all()).clone()
    }

    fn read(&self, file: &FilePath) -> Option<Arc<[u8]>> {
        // Links may have been made since the files were listed.
        let file = self.find(file)?;
        let (handle, about) = open(Path::new(file.as_str())).ok()?;
        let mut bytes = Vec::with_capacity(about.len().min(MAX_FILE_BYTES) as usize);
        handle.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).ok()?;
        (bytes.len() as u64 <= MAX_FILE_BYTES).then(|| bytes.into())
    }

    fn modified(&self, file: &FilePath) -> Option<SystemTime> {
        self.stamp(file).map(|stamp| stamp.modified)
    }

    fn cached_texts(&self, file: &FilePath) -> Vec<CachedText> {
        let texts = self.folders.iter().zip(&self.roots).find_map(|(folder, root)| {
            let path = file.relative_to(folder)?;
            let below = path.rsplit_once('/').map_or("", |(below, _)| below);
            Some(self.caches.texts(file, below, root.as_ref()?))
        });
        texts.unwrap_or_default()
    }

    fn committed(&self, file: &FilePath, when: SystemTime) -> Option<Arc<[u8]>> {
        let mut folders = self.folders.iter().zip(&self.history);
        let (_, history) = folders.find(|(folder, _)| file.relative_to(folder).is_some())?;
        Some(history.at(Path::new(file.as_str()), when)?.into())
    }

    fn committed_files(&self, when: SystemTime) -> Option<Arc<[FilePath]>> {
        let mut known = false;
        let mut all = Vec::new();
        for (folder, history) in self.folders.iter().zip(&self.history) {
            let Some(files) = history.files(when) else { continue };
            known = true;
            all.extend(files.iter().map(|file| folder.join(file)));
        }
        all.sort_unstable();
        all.dedup();
        known.then(|| all.into())
    }

    fn resolve(&self, file: &FilePath) -> Option<FilePath> {
        // A listed file is at its real path. For a large bundle, each source is asked for several times.
        let is_listed = self.cached().as_ref().is_some_and(|list| list.binary_search(file).is_ok());
        if is_listed { Some(file.clone()) } else { self.find(file) }
    }
}
