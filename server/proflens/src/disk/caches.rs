//! The caches in which runners keep the code that they transformed in memory, with its source maps. They lie outside of the
//! workspace folders, or below `node_modules`, so that they are read only if the user allows it (`runnerCaches`).
//!
//! ```text
//! tsx     TMP/tsx-USER/DAY-HASH                                          JSON: code, map
//! jest    TMP/jest_USER/jest-transform-cache-…/XX/NAME_HASH, .map        a check sum and a line break before the code
//!         FOLDER/node_modules/.cache/ANY/jest-transform-cache-…/XX/…     the same
//! babel   FOLDER/node_modules/.cache/@babel/register/.babel.*.json       JSON: by options, value with code and map
//! ```
//!
//! `FOLDER` is the folder of the script or one around it in the workspace. Links are not followed, and what is not of this
//! form counts as not there.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, DirEntry};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use analysis::{CachedText, FilePath, Runner};
use profile::Problem;
use serde::Deserialize;
use serde_json::Value;

use crate::open::{LinkPolicy, open_nonblocking};

/// Of one cache the newest of its files are looked at, and no more.
const MAX_FILES: usize = 20_000;
/// Larger files of a cache are left out.
const MAX_FILE_BYTES: u64 = 64 << 20;
/// So many bytes are read of all caches together.
const MAX_BYTES: u64 = 512 << 20;
/// Of a file name, so many cached texts are looked at, the newest.
const MAX_TEXTS: usize = 32;

/// The caches of those runners that the user allows.
#[derive(Default)]
pub(super) struct RunnerCaches {
    allowed: BTreeSet<Runner>,
    known: Mutex<KnownCaches>,
}

/// What was found, until files change.
#[derive(Default)]
struct KnownCaches {
    /// By folder of a cache: the texts by the name of the file, or its part that the cache has.
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
    /// A file of its own.
    File(PathBuf),
    /// One of many in a file.
    Text(CachedText),
}

impl RunnerCaches {
    pub(super) fn new(allowed: &[Runner]) -> Self {
        Self { allowed: allowed.iter().copied().collect(), known: Mutex::default() }
    }

    /// Forgets what was found.
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
                let of_name = known.caches.get(&folder).and_then(|it| it.get(&name));
                found.extend(of_name.into_iter().flatten().map(|it| (it.clone(), runner)));
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
        let has_cache = |it: &Runner| {
            let folders = folders(*it, root, "");
            folders.iter().any(|folder| !entries(folder).is_empty())
        };
        Runner::ALL.into_iter().filter(|it| !self.allowed.contains(it) && has_cache(it)).collect()
    }

    /// What was left out of the caches that were read.
    pub(super) fn problems(&self) -> Vec<Problem> {
        let problem = |(place, what): (&PathBuf, &&str)| Problem {
            what: (*what).to_owned(),
            place: place.display().to_string(),
            hint: "functions whose text is not read there are found by their order".into(),
        };
        self.known().problems.iter().map(problem).collect()
    }

    fn known(&self) -> MutexGuard<'_, KnownCaches> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CacheEntry {
    /// What orders entries of one time.
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
        let mut files: Vec<(SystemTime, PathBuf)> = match runner {
            Runner::Tsx => files_in(folder).collect(),
            Runner::Babel => files_in(folder).filter(|it| is_babel_cache(&it.1)).collect(),
            Runner::Jest => {
                folders_in(folder).iter().flat_map(|it| files_in(it).collect::<Vec<_>>()).collect()
            }
        };
        files.sort_by(|a, b| b.cmp(a));
        if files.len() > MAX_FILES {
            files.truncate(MAX_FILES);
            self.problems.insert(folder.into(), "it has more than 20,000 files: the newest were looked at");
        }
        let mut all: HashMap<String, Vec<CacheEntry>> = HashMap::new();
        for (modified, path) in files {
            match runner {
                Runner::Jest => {
                    let name = path.file_name().and_then(|it| it.to_str()).and_then(|it| it.rsplit_once('_'));
                    if let Some((name, _)) = name.filter(|it| !it.1.ends_with(".map")) {
                        let entry = CacheEntry { modified, at: CachePlace::File(path.clone()) };
                        all.entry(name.to_owned()).or_default().push(entry);
                    }
                }
                Runner::Tsx => {
                    let named = self.read(&path).and_then(|it| serde_json::from_slice::<TsxNamed>(&it).ok());
                    let entry = CacheEntry { modified, at: CachePlace::File(path) };
                    for name in named.iter().flat_map(|it| it.map.names()) {
                        all.entry(name).or_default().push(entry.clone());
                    }
                }
                Runner::Babel => {
                    let cached =
                        self.read(&path).and_then(|it| serde_json::from_slice::<BabelCache>(&it).ok());
                    for BabelEntry { value: Transformed { code, map }, mtime } in
                        cached.into_iter().flat_map(|it| it.into_values())
                    {
                        // The file is written again at the end of each run, so that the source's time counts.
                        let written = SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(mtime as u64));
                        let modified = written.unwrap_or(modified);
                        let Some(name) = map["sources"][0].as_str().map(name_of) else { continue };
                        let text = CachedText { runner, text: code, map: map.to_string(), made: modified };
                        let entry = CacheEntry { modified, at: CachePlace::Text(text) };
                        all.entry(name).or_default().push(entry);
                    }
                }
            }
        }
        all
    }

    fn tsx_text(&mut self, path: &Path, made: SystemTime) -> Option<CachedText> {
        let Transformed { code, map } = serde_json::from_slice(&self.read(path)?).ok()?;
        let map = map.as_str().map_or_else(|| map.to_string(), str::to_owned);
        Some(CachedText { runner: Runner::Tsx, text: code, map, made })
    }

    fn jest_text(&mut self, path: &Path, made: SystemTime) -> Option<CachedText> {
        let bytes = self.read(path)?;
        let line_end = bytes.iter().position(|it| *it == b'\n')?;
        let is_sum = line_end == 32 && bytes[..line_end].iter().all(u8::is_ascii_hexdigit);
        let text = is_sum.then(|| source::text_of(&bytes[line_end + 1..]))?;
        let mut map = path.as_os_str().to_owned();
        map.push(".map");
        let map = source::text_of(&self.read(Path::new(&map))?);
        Some(CachedText { runner: Runner::Jest, text, map, made })
    }

    /// The bytes of a regular file; `None` if it is something else, or too large.
    fn read(&mut self, path: &Path) -> Option<Vec<u8>> {
        let file = open_nonblocking(path, LinkPolicy::Refuse).ok()?;
        let about = file.metadata().ok().filter(|it| it.is_file())?;
        let folder = path.parent().unwrap_or(path);
        if about.len() > MAX_FILE_BYTES {
            self.problems.insert(path.into(), "it is larger than 64 MB and was not read");
            return None;
        }
        if self.read + about.len() > MAX_BYTES {
            self.problems
                .insert(folder.into(), "the caches of runners are larger than 512 MB: not all was read");
            return None;
        }
        let mut bytes = Vec::with_capacity(about.len() as usize);
        file.take(MAX_FILE_BYTES).read_to_end(&mut bytes).ok()?;
        self.read += bytes.len() as u64;
        Some(bytes)
    }
}

/// What tsx keeps of a file, as far as it says which file that is.
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
            Self::Map { sources } => sources.iter().flatten().map(|it| name_of(it)).collect(),
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

/// What `@babel/register` keeps, by the options with which a file was transformed.
type BabelCache = BTreeMap<String, BabelEntry>;

#[derive(Deserialize)]
struct BabelEntry {
    value: Transformed,
    /// When the source was last written, in milliseconds.
    mtime: f64,
}

fn is_babel_cache(path: &Path) -> bool {
    let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
    name.starts_with(".babel.") && name.ends_with(".json")
}

fn name_of(path: &str) -> String {
    path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned()
}

/// The part of a file's name that Jest has in its cache.
fn jest_name(file: &str) -> String {
    let stem = file.rsplit_once('.').map_or(file, |it| it.0);
    stem.chars().filter(|it| it.is_ascii_alphanumeric() || *it == '_').collect()
}

/// The folders of a runner's caches for a script that lies in the folder `below` of the workspace folder `root`.
fn folders(runner: Runner, root: &Path, below: &str) -> Vec<PathBuf> {
    let around = || {
        let folder = root.join(below);
        let around: Vec<PathBuf> =
            folder.ancestors().take_while(|it| it.starts_with(root)).map(Path::to_owned).collect();
        around.into_iter().map(|it| it.join("node_modules/.cache"))
    };
    let temporary = |is_cache: fn(&str) -> bool| {
        let all = folders_in(&std::env::temp_dir());
        all.into_iter().filter(move |it| it.file_name().and_then(|it| it.to_str()).is_some_and(is_cache))
    };
    match runner {
        Runner::Tsx => temporary(|it| it.starts_with("tsx-")).collect(),
        Runner::Babel => {
            let folders = around().map(|it| it.join("@babel/register"));
            folders.filter(|it| fs::canonicalize(it).is_ok_and(|real| real == *it)).collect()
        }
        Runner::Jest => {
            let near = around().filter(|it| fs::canonicalize(it).is_ok_and(|real| real == *it));
            let caches = temporary(|it| it == "jest" || it.starts_with("jest_"))
                .chain(near.flat_map(|it| folders_in(&it)));
            let transforms = caches.flat_map(|it| folders_in(&it)).filter(|it| {
                it.file_name()
                    .and_then(|it| it.to_str())
                    .is_some_and(|it| it.starts_with("jest-transform-cache-"))
            });
            transforms.collect()
        }
    }
}

/// What is in a folder; nothing if it cannot be listed.
fn entries(folder: &Path) -> Vec<DirEntry> {
    let all = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    all.take(MAX_FILES * 2).collect()
}

/// The folders in a folder, without links, in order.
fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let is_folder = |it: &DirEntry| it.file_type().is_ok_and(|it| it.is_dir());
    let mut all: Vec<PathBuf> = entries(folder).into_iter().filter(is_folder).map(|it| it.path()).collect();
    all.sort();
    all
}

/// The regular files in a folder, with the times when they were written.
fn files_in(folder: &Path) -> impl Iterator<Item = (SystemTime, PathBuf)> {
    entries(folder).into_iter().filter_map(|it| {
        let about = it.metadata().ok().filter(|it| it.is_file())?;
        Some((about.modified().ok()?, it.path()))
    })
}
