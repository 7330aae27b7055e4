//! The caches in which runners keep the code that they transformed in memory, with its source maps. They are outside the
//! workspace folders, or below `node_modules`, so they are only read if the user allows it (`runnerCaches`).
//!
//! ```text
//! tsx     TMP/tsx-USER/DAY-HASH                                          JSON: code, map
//! jest    TMP/jest_USER/jest-transform-cache-…/XX/NAME_HASH, .map        a check sum and a line break before the code
//!         FOLDER/node_modules/.cache/ANY/jest-transform-cache-…/XX/…     the same
//! babel   FOLDER/node_modules/.cache/@babel/register/.babel.*.json       JSON: by options, value with code and map
//! ```
//!
//! `FOLDER` is the folder of the script or one around it in the workspace. Links are not followed, and anything that does
//! not have this form counts as missing.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;
use std::fs::{self, DirEntry};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use analysis::files::{CachedText, FilePath, Runner};
use profile::problem::Problem;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use source::text::text_of;

use crate::open::{LinkPolicy, open_nonblocking};

/// Only this many files of a cache are looked at, the newest.
const MAX_FILES: usize = 20_000;
/// Larger files of a cache are left out.
const MAX_FILE_BYTES: u64 = 64 << 20;
/// How many bytes of all caches together are read.
const MAX_BYTES: u64 = 512 << 20;
/// How many cached texts of a file name are looked at, the newest.
const MAX_TEXTS: usize = 32;

/// The caches of those runners that the user allows.
#[derive(Default)]
pub(super) struct RunnerCaches {
    allowed: BTreeSet<Runner>,
    known: Mutex<KnownCaches>,
}

/// The entries found so far; valid until files change.
#[derive(Default)]
struct KnownCaches {
    /// The texts in each cache folder, by the name of the file, or by the part of it that the cache has.
    caches: HashMap<PathBuf, HashMap<String, Vec<CacheEntry>>>,
    read: u64,
    /// What was left out, each sentence once.
    problems: BTreeMap<PathBuf, &'static str>,
}

/// One text in a cache.
#[derive(Clone)]
struct CacheEntry {
    modified: SystemTime,
    at: CachePlace,
}

#[derive(Clone)]
enum CachePlace {
    /// It has a file of its own.
    File(PathBuf),
    /// It is one of many in a file.
    Text(CachedText),
}

impl RunnerCaches {
    pub(super) fn new(allowed: &[Runner]) -> Self {
        Self { allowed: allowed.iter().copied().collect(), known: Mutex::default() }
    }

    /// Forgets the entries found so far.
    pub(super) fn invalidate(&self) {
        *self.known() = KnownCaches::default();
    }

    /// The texts of files with this name, the newest first. `root` is the real path of the workspace folder.
    pub(super) fn texts(&self, file: &FilePath, below: &str, root: &Path) -> Vec<CachedText> {
        let mut found: Vec<(CacheEntry, Runner)> = Vec::new();
        for &runner in &self.allowed {
            let name = if runner == Runner::Jest { jest_name(file.name()) } else { file.name().to_owned() };
            for folder in folders(runner, root, below) {
                let mut known = self.known();
                if !known.caches.contains_key(&folder) {
                    let entries = known.list(runner, &folder);
                    known.caches.insert(folder.clone(), entries);
                }
                let of_name = known.caches.get(&folder).and_then(|entries| entries.get(&name));
                found.extend(of_name.into_iter().flatten().map(|entry| (entry.clone(), runner)));
            }
        }
        found.sort_by(|(a, _), (b, _)| b.modified.cmp(&a.modified).then_with(|| a.key().cmp(&b.key())));
        let mut known = self.known();
        let texts = found.into_iter().take(MAX_TEXTS).filter_map(|(entry, runner)| match entry.at {
            CachePlace::Text(text) => Some(text),
            CachePlace::File(path) if runner == Runner::Jest => known.jest_text(&path, entry.modified),
            CachePlace::File(path) => known.tsx_text(&path, entry.modified),
        });
        texts.collect()
    }

    /// Runners that are not allowed and have a cache for scripts in this folder.
    pub(super) fn offered(&self, root: &Path) -> Vec<Runner> {
        let others = Runner::ALL.into_iter().filter(|runner| !self.allowed.contains(runner));
        others
            .filter(|&runner| folders(runner, root, "").iter().any(|folder| !entries(folder).is_empty()))
            .collect()
    }

    /// What was left out of the caches that were read.
    pub(super) fn problems(&self) -> Vec<Problem> {
        let hint = "functions whose text is not read there are found by their order";
        let known = self.known();
        let problems = known.problems.iter();
        problems.map(|(place, what)| Problem::new(*what, hint).at(place.display().to_string())).collect()
    }

    fn known(&self) -> MutexGuard<'_, KnownCaches> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CacheEntry {
    /// The sort key of entries with the same time.
    fn key(&self) -> (&Path, &str) {
        match &self.at {
            CachePlace::File(path) => (path, ""),
            CachePlace::Text(text) => (Path::new(""), &text.text),
        }
    }
}

impl KnownCaches {
    /// The entries of a cache by the names of their files.
    fn list(&mut self, runner: Runner, folder: &Path) -> HashMap<String, Vec<CacheEntry>> {
        let mut files: Vec<CachedFile> = match runner {
            Runner::Tsx => files_in(folder).collect(),
            Runner::Babel => files_in(folder).filter(|file| is_babel_cache(&file.path)).collect(),
            Runner::Jest => folders_in(folder).iter().flat_map(|folder| files_in(folder)).collect(),
        };
        files.sort_by(|a, b| b.cmp(a));
        if files.len() > MAX_FILES {
            files.truncate(MAX_FILES);
            self.problems.insert(folder.into(), "it has more than 20,000 files: the newest were looked at");
        }
        let mut all: HashMap<String, Vec<CacheEntry>> = HashMap::new();
        for file in files {
            let entries = match runner {
                Runner::Jest => jest_entry(file).into_iter().collect(),
                Runner::Tsx => self.tsx_entries(file),
                Runner::Babel => self.babel_entries(&file),
            };
            for (name, entry) in entries {
                all.entry(name).or_default().push(entry);
            }
        }
        all
    }

    fn tsx_entries(&mut self, file: CachedFile) -> Vec<(String, CacheEntry)> {
        let Some(named) = self.read_json::<TsxNamed>(&file.path) else { return Vec::new() };
        let entry = CacheEntry { modified: file.modified, at: CachePlace::File(file.path) };
        named.map.names().into_iter().map(|name| (name, entry.clone())).collect()
    }

    fn babel_entries(&mut self, file: &CachedFile) -> Vec<(String, CacheEntry)> {
        let Some(cache) = self.read_json::<BabelCache>(&file.path) else { return Vec::new() };
        let mut entries = Vec::new();
        for BabelEntry { value: Transformed { code, map }, mtime } in cache.into_values() {
            // The file is written again at the end of each run, so the source's time counts.
            let written = SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(mtime as u64));
            let modified = written.unwrap_or(file.modified);
            let Some(name) = map["sources"][0].as_str().map(name_of) else { continue };
            let text = CachedText { runner: Runner::Babel, text: code, map: map.to_string(), made: modified };
            entries.push((name, CacheEntry { modified, at: CachePlace::Text(text) }));
        }
        entries
    }

    fn read_json<T: DeserializeOwned>(&mut self, path: &Path) -> Option<T> {
        serde_json::from_slice(&self.read(path)?).ok()
    }

    fn tsx_text(&mut self, path: &Path, made: SystemTime) -> Option<CachedText> {
        let Transformed { code, map } = self.read_json(path)?;
        let map = map.as_str().map_or_else(|| map.to_string(), str::to_owned);
        Some(CachedText { runner: Runner::Tsx, text: code, map, made })
    }

    fn jest_text(&mut self, path: &Path, made: SystemTime) -> Option<CachedText> {
        let bytes = self.read(path)?;
        let line_end = bytes.iter().position(|byte| *byte == b'\n')?;
        let is_sum = line_end == 32 && bytes[..line_end].iter().all(u8::is_ascii_hexdigit);
        let text = is_sum.then(|| text_of(&bytes[line_end + 1..]))?;
        let mut map_path = path.as_os_str().to_owned();
        map_path.push(".map");
        let map = text_of(&self.read(Path::new(&map_path))?);
        Some(CachedText { runner: Runner::Jest, text, map, made })
    }

    /// The bytes of a regular file; `None` if it is something else, or too large.
    fn read(&mut self, path: &Path) -> Option<Vec<u8>> {
        let file = open_nonblocking(path, LinkPolicy::Refuse).ok()?;
        let about = file.metadata().ok().filter(|about| about.is_file())?;
        let folder = path.parent().unwrap_or(path);
        if about.len() > MAX_FILE_BYTES {
            self.problems.insert(path.into(), "it is larger than 64 MB and was not read");
            return None;
        }
        if self.read + about.len() > MAX_BYTES {
            let what = "the caches of runners are larger than 512 MB: not all was read";
            self.problems.insert(folder.into(), what);
            return None;
        }
        let mut bytes = Vec::with_capacity(about.len() as usize);
        file.take(MAX_FILE_BYTES).read_to_end(&mut bytes).ok()?;
        self.read += bytes.len() as u64;
        Some(bytes)
    }
}

/// What tsx keeps about a file, as far as it tells which file that is.
#[derive(Deserialize)]
struct TsxNamed {
    map: MapNamed,
}

/// A source map, or its text.
#[derive(Deserialize)]
#[serde(untagged)]
enum MapNamed {
    Map { sources: Vec<Option<String>> },
    Text(String),
}

impl MapNamed {
    /// The names of its source files.
    fn names(&self) -> Vec<String> {
        match self {
            Self::Map { sources } => sources.iter().flatten().map(|path| name_of(path)).collect(),
            Self::Text(text) => match serde_json::from_str(text) {
                Ok(map @ Self::Map { .. }) => map.names(),
                _ => Vec::new(),
            },
        }
    }
}

/// A text and its map.
#[derive(Deserialize)]
struct Transformed {
    code: String,
    map: Value,
}

/// What `@babel/register` keeps, by the options that a file was transformed with.
type BabelCache = BTreeMap<String, BabelEntry>;

#[derive(Deserialize)]
struct BabelEntry {
    value: Transformed,
    /// When the source was last written, in milliseconds.
    mtime: f64,
}

/// A file of a cache; of two files the one that was written later is greater.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct CachedFile {
    modified: SystemTime,
    path: PathBuf,
}

/// The entry of a file in Jest's cache, under the name of the source.
fn jest_entry(file: CachedFile) -> Option<(String, CacheEntry)> {
    let (name, hash) = file_name(&file.path).rsplit_once('_')?;
    if hash.ends_with(".map") {
        return None;
    }
    Some((name.to_owned(), CacheEntry { modified: file.modified, at: CachePlace::File(file.path) }))
}

fn is_babel_cache(path: &Path) -> bool {
    let name = file_name(path);
    name.starts_with(".babel.") && name.ends_with(".json")
}

fn file_name(path: &Path) -> &str {
    path.file_name().and_then(OsStr::to_str).unwrap_or_default()
}

fn name_of(path: &str) -> String {
    path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned()
}

/// The part of a file's name that Jest uses in its cache.
fn jest_name(file: &str) -> String {
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    stem.chars().filter(|char| char.is_ascii_alphanumeric() || *char == '_').collect()
}

/// The folders of a runner's caches for a script in the folder `below` of the workspace folder `root`.
fn folders(runner: Runner, root: &Path, below: &str) -> Vec<PathBuf> {
    match runner {
        Runner::Tsx => temporary(|name| name.starts_with("tsx-")).collect(),
        Runner::Babel => {
            let folders = caches_around(root, below).map(|cache| cache.join("@babel/register"));
            folders.filter(|folder| is_real(folder)).collect()
        }
        Runner::Jest => {
            let near = caches_around(root, below).filter(|cache| is_real(cache));
            let mut folders: Vec<PathBuf> =
                temporary(|name| name == "jest" || name.starts_with("jest_")).collect();
            folders.extend(near.flat_map(|cache| folders_in(&cache)));
            let inside = folders.iter().flat_map(|folder| folders_in(folder));
            inside.filter(|folder| file_name(folder).starts_with("jest-transform-cache-")).collect()
        }
    }
}

/// Where caches are kept below `node_modules`, for a script in the folder `below`: there, or in a folder around it.
fn caches_around(root: &Path, below: &str) -> impl Iterator<Item = PathBuf> {
    let folder = root.join(below);
    let around: Vec<PathBuf> = folder
        .ancestors()
        .take_while(|folder| folder.starts_with(root))
        .map(|folder| folder.join("node_modules/.cache"))
        .collect();
    around.into_iter()
}

/// The folders with such a name in the system's temporary folder.
fn temporary(is_cache: fn(&str) -> bool) -> impl Iterator<Item = PathBuf> {
    folders_in(&std::env::temp_dir()).into_iter().filter(move |folder| is_cache(file_name(folder)))
}

/// Whether there is no link on the way to a folder.
fn is_real(folder: &Path) -> bool {
    fs::canonicalize(folder).is_ok_and(|real| real == folder)
}

/// The content of a folder; empty if it cannot be listed.
fn entries(folder: &Path) -> Vec<DirEntry> {
    let all = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    all.take(MAX_FILES * 2).collect()
}

/// The folders in a folder, without links, in order.
fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let mut all = entries(folder);
    all.retain(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut paths: Vec<PathBuf> = all.iter().map(DirEntry::path).collect();
    paths.sort();
    paths
}

/// The regular files in a folder, with the times when they were written.
fn files_in(folder: &Path) -> impl Iterator<Item = CachedFile> + use<> {
    entries(folder).into_iter().filter_map(|entry| {
        let about = entry.metadata().ok().filter(|about| about.is_file())?;
        Some(CachedFile { modified: about.modified().ok()?, path: entry.path() })
    })
}
