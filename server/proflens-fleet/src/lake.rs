//! The folder of a lake: where its tables are, and how files get into it completely or not at all.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use fleet::tables::{self, Table};
use profile::problem::Problem;
use serde::{Deserialize, Serialize};

/// A lake that was opened.
#[derive(Clone, Debug)]
pub(crate) struct Lake {
    root: PathBuf,
}

/// A file of a table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LakeFile {
    /// The day of its rows; empty in tables without one.
    pub(crate) date: String,
    /// Their release.
    pub(crate) release: String,
    /// Its name without `.parquet`: the shard.
    pub(crate) shard: String,
    /// Where it is.
    pub(crate) path: PathBuf,
}

/// The content of `lake.json`.
#[derive(Serialize, Deserialize)]
struct About {
    #[serde(rename = "proflensLake")]
    version: u32,
}

const ABOUT: &str = "lake.json";
/// The version has one number.
const MAX_ABOUT: u64 = 4 << 10;
/// Where files are until they are complete.
const UNFINISHED: &str = ".unfinished";

impl Lake {
    /// Opens a lake.
    ///
    /// # Errors
    /// If there is no lake, or it has another version.
    pub(crate) fn open(root: &Path) -> Result<Self, Problem> {
        let name = root.display();
        let text = read(&root.join(ABOUT), MAX_ABOUT).map_err(|why| {
            Problem::new(
                format!("{name} is no lake: its {ABOUT} cannot be read: {why}"),
                format!("make one with proflens-fleet ingest --out {name}"),
            )
        })?;
        let about: About = serde_json::from_slice(&text).map_err(|why| {
            Problem::new(format!("{name} is no lake: {ABOUT} is not what it should be: {why}"), "")
        })?;
        if about.version != tables::VERSION {
            let (has, reads) = (about.version, tables::VERSION);
            return Err(Problem::new(
                format!("{name} is a lake of version {has}, and this program reads version {reads}"),
                "use the program that made it",
            ));
        }
        Ok(Self { root: root.to_owned() })
    }

    /// Opens a lake, or makes one.
    ///
    /// # Errors
    /// If there is one of another version, or it cannot be written.
    pub(crate) fn open_or_create(root: &Path) -> Result<Self, Problem> {
        if !root.join(ABOUT).exists() {
            let about = serde_json::to_vec(&About { version: tables::VERSION }).unwrap_or_default();
            let lake = Self { root: root.to_owned() };
            lake.put(&root.join(ABOUT), &about)?;
        }
        Self::open(root)
    }

    /// Its folder.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The file of another table with the day, release and name of this one.
    pub(crate) fn beside(&self, file: &LakeFile, table: &Table) -> PathBuf {
        self.root.join(Self::below(table, &file.date, &file.release, &file.shard))
    }

    /// Where a file of a table is, below the lake; `date` does not matter for tables without one.
    pub(crate) fn below(table: &Table, date: &str, release: &str, shard: &str) -> PathBuf {
        let mut path = PathBuf::from(table.name);
        if table.is_dated {
            path.push(format!("date={date}"));
        }
        path.push(format!("release={release}"));
        path.push(format!("{shard}.parquet"));
        path
    }

    /// All files of a table, sorted.
    ///
    /// # Errors
    /// If a folder cannot be listed, or contains what no lake has.
    pub(crate) fn files(&self, table: &Table) -> Result<Vec<LakeFile>, Problem> {
        let root = self.root.join(table.name);
        let dates =
            if table.is_dated { folders(&root, "date=", is_date)? } else { vec![(String::new(), root)] };
        let mut files = Vec::new();
        for (date, folder) in dates {
            for (release, folder) in folders(&folder, "release=", tables::is_release)? {
                for path in list(&folder)? {
                    let name = path.file_name().and_then(|name| name.to_str());
                    let Some(shard) = name.and_then(|name| name.strip_suffix(".parquet")) else { continue };
                    // It becomes the name of other files, as a release does.
                    if !tables::is_release(shard) {
                        return Err(wrong_name(&path));
                    }
                    let (date, release, shard) = (date.clone(), release.clone(), shard.to_owned());
                    files.push(LakeFile { date, release, shard, path });
                }
            }
        }
        files.sort();
        Ok(files)
    }

    /// Whether the rows of a shard are in files of another name because `compact` has merged them.
    pub(crate) fn is_compacted(&self, shard: &str) -> bool {
        self.root.join("compacted").join(shard).exists()
    }

    /// Notes that the rows of a shard are in files of another name from now on.
    ///
    /// # Errors
    /// If that cannot be written.
    pub(crate) fn mark_compacted(&self, shard: &str) -> Result<(), Problem> {
        self.put(&self.root.join("compacted").join(shard), b"")
    }

    /// Removes a file, if it is there.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub(crate) fn remove(&self, path: &Path) -> Result<(), Problem> {
        self.check_folder(path)?;
        removed(path, fs::remove_file(path))
    }

    /// Removes what programs that were killed have left.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub(crate) fn remove_unfinished(&self) -> Result<(), Problem> {
        let folder = self.root.join(UNFINISHED);
        self.check_folder(&folder.join("any"))?;
        removed(&folder, fs::remove_dir_all(&folder))
    }

    /// A folder for files that are not finished; one of a program that was killed remains until [`Lake::remove_unfinished`].
    ///
    /// # Errors
    /// If it cannot be made.
    pub(crate) fn unfinished(&self) -> Result<Unfinished, Problem> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let all = self.root.join(UNFINISHED);
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let folder = all.join(format!("{}-{number}", std::process::id()));
            self.check_folder(&folder)?;
            // An existing one may belong to somebody else, or be a link.
            match fs::create_dir_all(&all).and_then(|()| fs::create_dir(&folder)) {
                Ok(()) => return Ok(Unfinished { folder }),
                Err(why)
                    if why.kind() == io::ErrorKind::AlreadyExists
                        && folder.is_symlink() | folder.exists() => {}
                // Another program that has just finished removes the common folder.
                Err(why) if why.kind() == io::ErrorKind::NotFound && self.root.is_dir() => {}
                Err(why) => return Err(not_written(&folder, &why)),
            }
        }
    }

    /// Writes a small file at once.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn put(&self, path: &Path, bytes: &[u8]) -> Result<(), Problem> {
        let unfinished = self.unfinished()?;
        let draft = unfinished.folder.join("file");
        fs::write(&draft, bytes).map_err(|why| not_written(path, &why))?;
        self.rename(&draft, path)
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<(), Problem> {
        self.check_folder(to)?;
        let folder = to.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).and_then(|()| fs::rename(from, to)).map_err(|why| not_written(to, &why))
    }

    /// Checks that no folder between the lake and a file in it is a link: otherwise whoever supplied the lake could make us
    /// write to, or empty, another folder.
    fn check_folder(&self, file: &Path) -> Result<(), Problem> {
        let mut folders = file.ancestors().skip(1).take_while(|folder| *folder != self.root);
        match folders.find(|folder| folder.is_symlink()) {
            Some(link) => Err(no_link(link)),
            None => Ok(()),
        }
    }
}

/// Reads a file of a lake that is not a table, up to its largest size.
///
/// # Errors
/// If it does not exist, is a link or a pipe instead of a file, or is larger.
pub(crate) fn read(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    let about = fs::symlink_metadata(path)?;
    if !about.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max { Err(io::Error::other("it is too large")) } else { Ok(bytes) }
}

/// A folder of files that go into the lake together. It is removed when it is dropped.
pub(crate) struct Unfinished {
    pub(crate) folder: PathBuf,
}

impl Unfinished {
    /// Moves files, which are named by their places below this folder, to the same places below the lake, in this order.
    ///
    /// # Errors
    /// If one of them cannot be moved.
    pub(crate) fn publish(&self, lake: &Lake, files: &[(PathBuf, PathBuf)]) -> Result<(), Problem> {
        files
            .iter()
            .try_for_each(|(draft, place)| lake.rename(&self.folder.join(draft), &lake.root.join(place)))
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // What cannot be removed only takes up disk space.
        let _ = fs::remove_dir_all(&self.folder);
        let _ = self.folder.parent().map(fs::remove_dir);
    }
}

/// The name of a folder of a day, after `date=`.
fn is_date(name: &str) -> bool {
    name == tables::NO_DATE || tables::is_date(name)
}

/// The result of removing something.
fn removed(path: &Path, answer: io::Result<()>) -> Result<(), Problem> {
    match answer {
        Err(why) if why.kind() != io::ErrorKind::NotFound => {
            Err(Problem::new(format!("{} cannot be removed: {why}", path.display()), "check its permissions"))
        }
        _ => Ok(()),
    }
}

fn not_written(path: &Path, why: &io::Error) -> Problem {
    Problem::new(
        format!("{} cannot be written: {why}", path.display()),
        "check the disk and the permissions, and run it again",
    )
}

fn no_link(path: &Path) -> Problem {
    Problem::new(
        format!("{} is a link, and nothing in a lake is", path.display()),
        "put what it leads to in its place",
    )
}

fn wrong_name(path: &Path) -> Problem {
    Problem::new(format!("{} is not named as anything in a lake is", path.display()), "move it elsewhere")
}

/// The folders whose names begin with `prefix`, with the rest of their names, sorted. A folder that does not exist contains none.
fn folders(
    folder: &Path,
    prefix: &str,
    is_name: fn(&str) -> bool,
) -> Result<Vec<(String, PathBuf)>, Problem> {
    let mut found = Vec::new();
    for path in list(folder)? {
        let name = path.file_name().and_then(|name| name.to_str());
        let Some(rest) = name.and_then(|name| name.strip_prefix(prefix)) else { continue };
        if !is_name(rest) {
            return Err(wrong_name(&path));
        }
        found.push((rest.to_owned(), path));
    }
    Ok(found)
}

/// The content of a folder, sorted; none of it may be a link.
fn list(folder: &Path) -> Result<Vec<PathBuf>, Problem> {
    if folder.is_symlink() {
        return Err(no_link(folder));
    }
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let mut paths = fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, _>>())
        .map_err(|why| {
            Problem::new(format!("{} cannot be listed: {why}", folder.display()), "check its permissions")
        })?;
    paths.sort();
    match paths.iter().find(|path| path.is_symlink()) {
        Some(link) => Err(no_link(link)),
        None => Ok(paths),
    }
}
