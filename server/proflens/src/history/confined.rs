//! Opens the files of a repository: only regular ones, without ever waiting, and none outside of its folders.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::open::{LinkPolicy, open_nonblocking};

/// The most bytes of a file that has one line.
pub(super) const ONE_LINE: u64 = 8 << 10;

/// A folder of a repository, with all links on the way to it resolved. Files in it may be read; the targets of links
/// that lead out of it may not.
///
/// Links are resolved right before a file is opened, and the last name of the path must not be a link then. A process
/// that replaces a folder by a link between these two steps can write to the user's files, so nothing is protected
/// from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ConfinedFolder(PathBuf);

impl ConfinedFolder {
    /// `None` where there is no such folder.
    pub(super) fn new(path: &Path) -> Option<Self> {
        let real = fs::canonicalize(path).ok()?;
        real.is_dir().then_some(Self(real))
    }

    /// Its real path.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Whether another folder is this one, or lies in it.
    pub(super) fn holds(&self, other: &ConfinedFolder) -> bool {
        other.0.starts_with(&self.0)
    }

    /// A folder in it; `None` where there is none.
    ///
    /// # Errors
    /// Why it is not read, as the end of a sentence, like all errors here.
    pub(super) fn folder(&self, name: &str) -> Result<Option<Self>, String> {
        Ok(self.resolve(name)?.filter(|it| it.is_dir()).map(Self))
    }

    /// Opens a file in it; `None` where there is none by this name, or only a folder.
    ///
    /// # Errors
    /// If it leads out, is no regular file, or cannot be opened.
    pub(super) fn open(&self, name: &str) -> Result<Option<File>, String> {
        let Some(path) = self.resolve(name)? else { return Ok(None) };
        let because = |why: String| format!("{} {why}", path.display());
        let file = match open_nonblocking(&path, LinkPolicy::Refuse) {
            Ok(file) => file,
            Err(error) if is_nothing(&error) => return Ok(None),
            // Windows does not open folders.
            Err(_) if path.is_dir() => return Ok(None),
            Err(error) => return Err(because(format!("cannot be opened ({error})"))),
        };
        let about = file.metadata().map_err(|error| because(format!("cannot be read ({error})")))?;
        match () {
            () if about.is_file() => Ok(Some(file)),
            () if about.is_dir() => Ok(None),
            () => Err(because("is not a regular file".into())),
        }
    }

    /// The content of a file in it; `None` where there is none.
    ///
    /// # Errors
    /// As [`ConfinedFolder::open`], and if it has more than `most` bytes.
    pub(super) fn read(&self, name: &str, most: u64) -> Result<Option<Vec<u8>>, String> {
        let Some(file) = self.open(name)? else { return Ok(None) };
        let because = |why: String| format!("{} {why}", self.0.join(name).display());
        let mut bytes = Vec::new();
        file.take(most + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| because(format!("cannot be read ({error})")))?;
        let fits = bytes.len() as u64 <= most;
        if fits { Ok(Some(bytes)) } else { Err(because("is too large to be what its name says".into())) }
    }

    /// The line of a file that contains a path; `None` where there is no such file.
    ///
    /// # Errors
    /// As [`ConfinedFolder::read`], and if it is not UTF-8.
    pub(super) fn read_line(&self, name: &str) -> Result<Option<String>, String> {
        let Some(bytes) = self.read(name, ONE_LINE)? else { return Ok(None) };
        let text =
            String::from_utf8(bytes).map_err(|_| format!("{} is no text", self.0.join(name).display()))?;
        Ok(Some(text.trim_end_matches(['\n', '\r']).to_owned()))
    }

    fn resolve(&self, name: &str) -> Result<Option<PathBuf>, String> {
        let path = self.0.join(name);
        match fs::canonicalize(&path) {
            Ok(real) if real.starts_with(&self.0) => Ok(Some(real)),
            Ok(real) => Err(format!("{} leads out of it to {}", path.display(), real.display())),
            Err(error) if is_nothing(&error) => Ok(None),
            Err(error) => Err(format!("{} cannot be read ({error})", path.display())),
        }
    }
}

fn is_nothing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
