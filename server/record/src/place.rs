//! What is wrong with a place where something was to be written, as a sentence: what, where, and what to do.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A place where nothing can be written, or where nothing must be.
#[derive(Debug)]
pub struct PlaceError {
    place: PathBuf,
    problem: Problem,
    advice: &'static str,
}

/// What is wrong with a place.
#[derive(Debug)]
#[cfg_attr(not(unix), allow(dead_code, reason = "users are told apart on Unix alone"))]
pub(crate) enum Problem {
    /// It may lead anywhere.
    Link,
    /// It is there, and is no folder.
    NoFolder,
    /// It is there, and is a folder.
    Folder,
    /// It is there, and is neither a folder nor a regular file.
    NoFile,
    /// It should be a folder for several recordings.
    OneFile,
    /// It is another user's.
    Foreign,
    /// Other users may read or change it.
    Open,
    /// What the system says.
    System(io::Error),
}

impl PlaceError {
    pub(crate) fn new(place: &Path, problem: Problem, advice: &'static str) -> Self {
        Self { place: place.to_path_buf(), problem, advice }
    }

    /// The same place and problem, with what to do about it where it was met.
    pub(crate) fn with_advice(self, advice: &'static str) -> Self {
        Self { advice, ..self }
    }

    /// Whether the system refused, so that another place may do.
    pub(crate) fn is_refusal(&self) -> bool {
        matches!(self.problem, Problem::System(_))
    }
}

impl fmt::Display for PlaceError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{} ", self.place.display())?;
        match &self.problem {
            Problem::Link => write!(to, "is a link, and nothing is written where it leads")?,
            Problem::NoFolder => write!(to, "is no folder")?,
            Problem::Folder => write!(to, "is a folder")?,
            Problem::NoFile => write!(to, "is neither a file nor a folder")?,
            Problem::OneFile => write!(to, "is a file")?,
            Problem::Foreign => write!(to, "belongs to another user")?,
            Problem::Open => write!(to, "is open to other users")?,
            Problem::System(error) => write!(to, "cannot be written: {error}")?,
        }
        write!(to, ". {}", self.advice)
    }
}

impl std::error::Error for PlaceError {}

impl From<PlaceError> for String {
    fn from(error: PlaceError) -> Self {
        error.to_string()
    }
}
