//! Opens the files of a repository: only regular ones, without ever waiting, and none outside its folders.

use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use profile::problem::Problem;

use crate::open::{LinkPolicy, open_nonblocking};

/// The most bytes of a file that consists of one line.
pub(super) const ONE_LINE: u64 = 8 << 10;

/// A folder of a repository, with all links on the way to it resolved. Files in it may be read; the targets of links
/// that lead out of it may not.
///
/// Links are resolved right before a file is opened, and then the last part of the path must not be a link. A process
/// that replaces a folder by a link between these two steps can already write to the user's files, so nothing is
/// protected from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ConfinedFolder(PathBuf);

impl ConfinedFolder {
    /// `None` if there is no such folder.
    pub(super) fn new(path: &Path) -> Option<Self> {
        let real = fs::canonicalize(path).ok()?;
        real.is_dir().then_some(Self(real))
    }

    /// Its real path.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Whether another folder is this one, or inside it.
    pub(super) fn holds(&self, other: &ConfinedFolder) -> bool {
        other.0.starts_with(&self.0)
    }

    /// A folder in it; `None` if there is none.
    ///
    /// # Errors
    /// If it leads out, or cannot be looked up.
    pub(super) fn folder(&self, name: &str) -> Result<Option<Self>, Problem> {
        Ok(self.resolve(name)?.filter(|path| path.is_dir()).map(Self))
    }

    /// Opens a file in it; `None` if there is no file with this name, or only a folder.
    ///
    /// # Errors
    /// If it leads out, is not a regular file, or cannot be opened.
    pub(super) fn open(&self, name: &str) -> Result<Option<File>, Problem> {
        let Some(path) = self.resolve(name)? else { return Ok(None) };
        let file = match open_nonblocking(&path, LinkPolicy::Refuse) {
            Ok(file) => file,
            Err(error) if is_nothing(&error) => return Ok(None),
            // Windows does not open folders.
            Err(_) if path.is_dir() => return Ok(None),
            Err(error) => return Err(about(&path, format!("cannot be opened ({error})"))),
        };
        let metadata = file.metadata().map_err(|error| unreadable(&path, &error))?;
        match () {
            () if metadata.is_file() => Ok(Some(file)),
            () if metadata.is_dir() => Ok(None),
            () => Err(about(&path, "is not a regular file")),
        }
    }

    /// The content of a file in it; `None` if there is none.
    ///
    /// # Errors
    /// As for [`ConfinedFolder::open`], and if it has more than `most` bytes.
    pub(super) fn read(&self, name: &str, most: u64) -> Result<Option<Vec<u8>>, Problem> {
        let Some(file) = self.open(name)? else { return Ok(None) };
        let mut bytes = Vec::new();
        let read = file.take(most + 1).read_to_end(&mut bytes);
        read.map_err(|error| unreadable(&self.0.join(name), &error))?;
        let fits = bytes.len() as u64 <= most;
        if fits { Ok(Some(bytes)) } else { Err(too_large(&self.0.join(name))) }
    }

    /// The line of a file that contains a path; `None` if there is no such file.
    ///
    /// # Errors
    /// As for [`ConfinedFolder::read`], and if it is not UTF-8.
    pub(super) fn read_line(&self, name: &str) -> Result<Option<String>, Problem> {
        let Some(bytes) = self.read(name, ONE_LINE)? else { return Ok(None) };
        let text = str::from_utf8(&bytes).map_err(|_| about(&self.0.join(name), "is no text"))?;
        Ok(Some(text.trim_end_matches(['\n', '\r']).to_owned()))
    }

    fn resolve(&self, name: &str) -> Result<Option<PathBuf>, Problem> {
        let path = self.0.join(name);
        match fs::canonicalize(&path) {
            Ok(real) if real.starts_with(&self.0) => Ok(Some(real)),
            Ok(real) => Err(about(&path, format!("leads out of it to {}", real.display()))),
            Err(error) if is_nothing(&error) => Ok(None),
            Err(error) => Err(unreadable(&path, &error)),
        }
    }
}

/// The problem with a file: `.git/HEAD does not name a commit`.
pub(super) fn about(path: &Path, what: impl Display) -> Problem {
    Problem::new(format!("{} {what}", path.display()), "")
}

/// The problem that a file cannot be read.
pub(super) fn unreadable(path: &Path, error: &io::Error) -> Problem {
    about(path, format!("cannot be read ({error})"))
}

/// The problem that a file is larger than git makes any with its name.
pub(super) fn too_large(path: &Path) -> Problem {
    about(path, "is too large to be what its name says")
}

fn is_nothing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
