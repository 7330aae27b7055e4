//! The real disk, as far as Proflens may see it: regular files inside the workspace folders, and traces that the
//! user named.
//!
//! Ignore files do not count, for what runs is often in an ignored `dist/`. Links are resolved before anything
//! is opened, and what leads out of the folders is not there.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use analysis::{FilePath, Files};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use ignore::WalkBuilder;
use profile::Problem;

use crate::git::Git;

/// Larger files are no source texts.
const LARGEST_FILE: u64 = 256 << 20;

/// Folders that hold no code of the workspace.
const NEVER: [&str; 4] = [".git", ".hg", ".svn", ".jj"];

/// Workspace folders on the disk. The list of files is made once, until [`Disk::forget`].
pub struct Disk {
    folders: Vec<FilePath>,
    /// Their real paths; `None` for those that are not there.
    roots: Vec<Option<PathBuf>>,
    dependencies: bool,
    list: Mutex<Option<Arc<[FilePath]>>>,
    /// Of each folder.
    history: Vec<Git>,
}

/// A file that is, by its name, a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Where.
    pub path: PathBuf,
    /// When it was last written.
    pub stamp: Stamp,
    /// Whether the user named this very file, rather than a glob.
    pub named: bool,
}

/// What changes when a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stamp {
    /// Time of the last write.
    pub modified: SystemTime,
    /// Bytes.
    pub size: u64,
}

impl Disk {
    /// The files below these folders; those below `node_modules` only if asked for.
    pub fn new(folders: Vec<FilePath>, dependencies: bool) -> Self {
        let roots = folders.iter().map(|it| fs::canonicalize(it.as_str()).ok()).collect();
        let history = folders.iter().map(|it| Git::new(it.as_str())).collect();
        Self { folders, roots, dependencies, list: Mutex::default(), history }
    }

    /// Files have come or gone: the next list is a new one.
    pub fn forget(&self) {
        self.cached().take();
        self.history.iter().for_each(Git::forget);
    }

    /// The traces that globs and paths name, the newest first. Globs and relative paths are of each workspace
    /// folder; a glob also finds files with `.gz` behind it.
    pub fn traces(&self, patterns: &[String]) -> Vec<Trace> {
        let mut found = Vec::new();
        for pattern in patterns {
            let pattern = pattern.strip_prefix("${workspaceFolder}/").unwrap_or(pattern);
            let named: Vec<_> = self.absolute(pattern).filter_map(|it| trace(it, true)).collect();
            if !named.is_empty() {
                found.extend(named);
            } else if let Some(globs) = glob_set(&with_gz(pattern)) {
                let outside = self.outside(pattern);
                let in_folders = |it: &FilePath| self.relative(it).is_some_and(|it| globs.is_match(it));
                let list = self.list();
                let matches = list.iter().filter(|it| in_folders(it) || globs.is_match(it.as_str()));
                let outside = outside.iter().filter(|it| globs.is_match(it.as_str()));
                found.extend(matches.chain(outside).filter_map(|it| trace(it.as_str().into(), false)));
            }
        }
        found.sort_by(|a, b| (b.stamp, b.named, &a.path).cmp(&(a.stamp, a.named, &b.path)));
        let mut seen = std::collections::HashSet::new();
        found.retain(|it| seen.insert(it.path.clone()));
        found
    }

    /// Why the git history of a folder cannot be read, one for each.
    pub fn history_problems(&self) -> impl Iterator<Item = Problem> {
        let problem = |(git, folder): (&Git, &FilePath)| {
            let hint = "costs are compared with today's texts only".to_owned();
            Some(Problem { what: git.problem()?, place: folder.to_string(), hint })
        };
        self.history.iter().zip(&self.folders).filter_map(problem)
    }

    /// A file's path below its workspace folder.
    pub fn relative<'a>(&self, file: &'a FilePath) -> Option<&'a str> {
        self.folders.iter().find_map(|it| file.relative_to(it))
    }

    /// A pattern as a path of each folder, or as the absolute path that it is.
    fn absolute(&self, pattern: &str) -> impl Iterator<Item = PathBuf> {
        let path = Path::new(pattern);
        let (alone, of_folders) =
            if path.is_absolute() { (Some(path), &[][..]) } else { (None, &self.folders[..]) };
        alone
            .map(Path::to_path_buf)
            .into_iter()
            .chain(of_folders.iter().map(move |it| Path::new(it.as_str()).join(path)))
    }

    /// The files in which to look for an absolute glob that leads out of the folders.
    fn outside(&self, pattern: &str) -> Vec<FilePath> {
        let start = pattern.find(['*', '?', '[', '{']).map_or(pattern, |at| &pattern[..at]);
        let folder = start.rsplit_once('/').map_or("", |it| it.0);
        let path = FilePath::new(folder);
        let inside = self.folders.iter().any(|it| path == *it || path.relative_to(it).is_some());
        // A glob over a whole disk is a slip.
        let bounded = Path::new(pattern).is_absolute() && !folder.is_empty();
        if bounded && !inside { walk(Path::new(folder), &path, false) } else { Vec::new() }
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
        let walk_all = || {
            let roots = self
                .roots
                .iter()
                .zip(&self.folders)
                .filter_map(|(root, folder)| Some((root.as_ref()?, folder)));
            let mut files: Vec<_> =
                roots.flat_map(|(root, folder)| walk(root, folder, self.dependencies)).collect();
            files.sort_unstable();
            files.dedup();
            files.into()
        };
        self.cached().get_or_insert_with(walk_all).clone()
    }

    fn read(&self, file: &FilePath) -> Option<Arc<[u8]>> {
        let file = self.resolve(file)?;
        let (handle, about) = open(Path::new(file.as_str())).ok()?;
        let mut bytes = Vec::with_capacity(about.len().min(LARGEST_FILE) as usize);
        handle.take(LARGEST_FILE + 1).read_to_end(&mut bytes).ok()?;
        (bytes.len() as u64 <= LARGEST_FILE).then(|| bytes.into())
    }

    fn modified(&self, file: &FilePath) -> Option<SystemTime> {
        fs::metadata(file.as_str()).ok()?.modified().ok()
    }

    fn committed(&self, file: &FilePath, when: SystemTime) -> Option<Arc<[u8]>> {
        let of_file = |(folder, _): &(&FilePath, &Git)| file.relative_to(folder).is_some();
        let (_, git) = self.folders.iter().zip(&self.history).find(of_file)?;
        Some(git.at(Path::new(file.as_str()), when)?.into())
    }

    fn resolve(&self, file: &FilePath) -> Option<FilePath> {
        let real = fs::canonicalize(file.as_str()).ok()?;
        let (folder, rest) = self
            .roots
            .iter()
            .zip(&self.folders)
            .find_map(|(root, folder)| Some((folder, real.strip_prefix(root.as_ref()?).ok()?)))?;
        fs::metadata(&real).ok()?.is_file().then(|| spelled(folder, rest)).flatten()
    }
}

/// Opens a regular file for reading: no folder, no device, no pipe that nobody writes to.
///
/// # Errors
/// One reason for people, without the file's name: `there is no such file`.
pub fn open(path: &Path) -> Result<(File, Metadata), String> {
    let reason = |error: io::Error| reason(&error);
    let about = fs::metadata(path).map_err(reason)?;
    match () {
        () if about.is_dir() => Err("it is a folder".into()),
        () if !about.is_file() => Err("it is not a regular file".into()),
        () => Ok((File::open(path).map_err(reason)?, about)),
    }
}

/// The regular files that lie in a folder, hidden ones left out, by name. Those of folders in it are not looked for.
///
/// # Errors
/// One reason for people why it cannot be listed.
pub fn files_in(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| reason(&error))?;
    // What cannot be looked at is not there for us.
    let files = entries.filter_map(Result::ok).filter(|it| it.file_type().is_ok_and(|it| it.is_file()));
    let shown = files.filter(|it| !it.file_name().as_encoded_bytes().starts_with(b"."));
    let mut paths: Vec<PathBuf> = shown.map(|it| it.path()).collect();
    paths.sort();
    Ok(paths)
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_string(),
        io::ErrorKind::PermissionDenied => "permission denied".to_string(),
        _ => error.to_string(),
    }
}

/// When and how large a file is, or the files in a folder together; `None` where there is neither.
pub fn stamp(path: &Path) -> Option<Stamp> {
    let about = fs::metadata(path).ok()?;
    if about.is_dir() {
        let stamps: Vec<Stamp> = files_in(path).ok()?.iter().filter_map(|it| stamp(it)).collect();
        let modified = stamps.iter().map(|it| it.modified).max()?;
        return Some(Stamp { modified, size: stamps.iter().map(|it| it.size).sum() });
    }
    Some(Stamp { modified: about.is_file().then(|| about.modified().ok())??, size: about.len() })
}

/// A matcher of paths relative to a workspace folder; patterns that are no globs match nothing. `None` where no
/// pattern is left.
pub fn glob_set(patterns: &[String]) -> Option<GlobSet> {
    let globs = patterns.iter().filter_map(|it| GlobBuilder::new(it).literal_separator(true).build().ok());
    let set = globs.fold(GlobSetBuilder::new(), |mut set, glob| {
        set.add(glob);
        set
    });
    set.build().ok().filter(|it| !it.is_empty())
}

fn with_gz(pattern: &str) -> Vec<String> {
    let bare = pattern.ends_with('*') || pattern.ends_with(".gz");
    let gz = (!bare).then(|| format!("{pattern}.gz"));
    std::iter::once(pattern.to_string()).chain(gz).collect()
}

fn trace(path: PathBuf, named: bool) -> Option<Trace> {
    let stamp = stamp(&path)?;
    Some(Trace { path, stamp, named })
}

/// All regular files below a folder, spelled below `folder`. Links are not followed: what they lead to inside of
/// the folder is found there.
fn walk(root: &Path, folder: &FilePath, dependencies: bool) -> Vec<FilePath> {
    let wanted = move |it: &ignore::DirEntry| {
        let name = it.file_name();
        it.depth() == 0
            || !NEVER.iter().any(|never| name == *never) && (dependencies || name != "node_modules")
    };
    let entries = WalkBuilder::new(root).standard_filters(false).filter_entry(wanted).build();
    // What cannot be listed is not there for us.
    let files = entries.filter_map(Result::ok).filter(|it| it.file_type().is_some_and(|it| it.is_file()));
    files.filter_map(|it| spelled(folder, it.path().strip_prefix(root).ok()?)).collect()
}

/// `None` for names that are not Unicode, which no trace can tell either.
fn spelled(folder: &FilePath, rest: &Path) -> Option<FilePath> {
    let parts: Option<Vec<_>> = rest.iter().map(|it| it.to_str()).collect();
    Some(folder.join(&parts?.join("/")))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// A folder of its own for a test, with these files; it goes when dropped.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str, files: &[&str]) -> Self {
            let root = std::env::temp_dir().join(format!("proflens-disk-{}-{name}", std::process::id()));
            let _ = fs::remove_dir_all(&root); // of a run that was killed
            let folder = Self(root);
            for file in files {
                folder.write(file, file, 0);
            }
            folder
        }

        /// Writes a file that looks this many seconds newer than others.
        fn write(&self, file: &str, text: &str, newer: u64) {
            let path = self.0.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000 + newer);
            File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        }

        fn path(&self, file: &str) -> FilePath {
            FilePath::new(self.0.join(file).to_str().unwrap())
        }

        fn disk(&self, dependencies: bool) -> Disk {
            Disk::new(vec![self.path("ws")], dependencies)
        }

        fn relative<'a>(&self, all: impl IntoIterator<Item = &'a Path>) -> Vec<String> {
            all.into_iter()
                .map(|it| it.strip_prefix(&self.0).unwrap().to_str().unwrap().to_string())
                .collect()
        }

        fn listed(&self, disk: &Disk) -> Vec<String> {
            self.relative(disk.list().iter().map(|it| Path::new(it.as_str())))
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    const FILES: [&str; 7] = [
        "outside/secret.js",
        "ws/.git/config",
        "ws/.gitignore",
        "ws/.hidden/b.js",
        "ws/dist/a.js",
        "ws/node_modules/x/index.js",
        "ws/src/a.ts",
    ];

    #[test]
    fn the_list_holds_ignored_and_hidden_files_but_no_dependencies() {
        let folder = Folder::new("list", &FILES);
        folder.write("ws/.gitignore", "dist/\n", 0);
        let without = ["ws/.gitignore", "ws/.hidden/b.js", "ws/dist/a.js", "ws/src/a.ts"];
        let with =
            ["ws/.gitignore", "ws/.hidden/b.js", "ws/dist/a.js", "ws/node_modules/x/index.js", "ws/src/a.ts"];
        assert_eq!(folder.listed(&folder.disk(false)), without);
        assert_eq!(folder.listed(&folder.disk(true)), with);
    }

    #[test]
    fn the_list_is_made_once_until_it_is_forgotten() {
        let folder = Folder::new("once", &["ws/a.js"]);
        let disk = folder.disk(false);
        assert_eq!(folder.listed(&disk), ["ws/a.js"]);
        folder.write("ws/b.js", "", 0);
        assert_eq!(folder.listed(&disk), ["ws/a.js"]);
        disk.forget();
        assert_eq!(folder.listed(&disk), ["ws/a.js", "ws/b.js"]);
    }

    #[test]
    #[cfg(unix)]
    fn links_are_resolved_and_none_leads_out() {
        use std::os::unix::fs::symlink;
        let folder = Folder::new("links", &FILES);
        let link = |to: &str, from: &str| symlink(folder.0.join(to), folder.0.join(from)).unwrap();
        link("outside", "ws/out");
        link("outside/secret.js", "ws/out.js");
        link("ws/src", "ws/in");
        link("ws/loop", "ws/loop");
        link("/dev/zero", "ws/zero.js");
        std::process::Command::new("mkfifo").arg(folder.0.join("ws/pipe.js")).status().unwrap();
        let disk = folder.disk(false);
        assert_eq!(folder.listed(&disk), ["ws/.gitignore", "ws/.hidden/b.js", "ws/dist/a.js", "ws/src/a.ts"]);
        let resolved = |file: &str| disk.resolve(&folder.path(file));
        assert_eq!(resolved("ws/in/a.ts"), Some(folder.path("ws/src/a.ts")));
        for nothing in [
            "ws/out/secret.js",
            "ws/out.js",
            "outside/secret.js",
            "ws/loop",
            "ws/zero.js",
            "ws/pipe.js",
            "ws/src",
            "ws/none",
        ] {
            assert_eq!((resolved(nothing), disk.read(&folder.path(nothing))), (None, None), "{nothing}");
        }
        assert_eq!(disk.read(&folder.path("ws/in/a.ts")).as_deref(), Some(&b"ws/src/a.ts"[..]));
    }

    #[test]
    fn traces_are_found_by_glob_and_by_name_the_newest_first() {
        let folder = Folder::new("traces", &["ws/old.cpuprofile", "ws/src/a.ts"]);
        folder.write("ws/a/b/new.cpuprofile.gz", "", 30);
        folder.write("ws/.proflens/any", "", 20);
        folder.write("outside/x.cpuprofile", "", 10);
        let found = |patterns: &[&str]| {
            let patterns: Vec<_> = patterns.iter().map(ToString::to_string).collect();
            let found = folder.disk(false).traces(&patterns);
            folder.relative(found.iter().map(|it| it.path.as_path()))
        };
        let outside = folder.path("outside/x.cpuprofile");
        assert_eq!(
            found(&["**/*.cpuprofile", ".proflens/**"]),
            ["ws/a/b/new.cpuprofile.gz", "ws/.proflens/any", "ws/old.cpuprofile"]
        );
        assert_eq!(
            found(&["old.cpuprofile", outside.as_str()]),
            ["outside/x.cpuprofile", "ws/old.cpuprofile"]
        );
        assert_eq!(found(&[folder.path("outside/*.cpuprofile").as_str()]), ["outside/x.cpuprofile"]);
        assert_eq!(found(&[folder.path("ws/*.cpuprofile").as_str()]), ["ws/old.cpuprofile"]);
        assert_eq!(found(&["*.cpuprofile", "none", "[", "**/*.cpuprofile"]), found(&["**/*.cpuprofile"]));
    }
}
