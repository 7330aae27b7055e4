//! What is wrong with a place where something was to be written: what, where, and what to do.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use profile::problem::Problem;

/// A place that cannot be written to, or must not be.
#[derive(Debug)]
pub struct PlaceError {
    place: PathBuf,
    fault: Fault,
    advice: &'static str,
}

/// What is wrong with a place.
#[derive(Debug)]
#[cfg_attr(not(unix), allow(dead_code, reason = "users are told apart on Unix alone"))]
pub(crate) enum Fault {
    /// It may lead anywhere.
    Link,
    /// It exists and is not a folder.
    NoFolder,
    /// It exists and is a folder.
    Folder,
    /// It exists and is neither a folder nor a regular file.
    NoFile,
    /// It should be a folder for several recordings.
    OneFile,
    /// It belongs to another user.
    Foreign,
    /// Other users may read or change it.
    Open,
    /// What the system says.
    System(io::Error),
}

impl PlaceError {
    /// A place with a fault; the advice is a clause, like the hint of a [`Problem`].
    pub(crate) fn new(place: &Path, fault: Fault, advice: &'static str) -> Self {
        Self { place: place.to_path_buf(), fault, advice }
    }

    /// A place where the system does not allow writing.
    pub(crate) fn unwritable(place: &Path, error: io::Error, advice: &'static str) -> Self {
        Self::new(place, Fault::System(error), advice)
    }

    /// The same place and fault, with advice that fits where it was met.
    pub(crate) fn with_advice(self, advice: &'static str) -> Self {
        Self { advice, ..self }
    }

    /// Whether the system refused, so that another place may do.
    pub(crate) fn is_refusal(&self) -> bool {
        matches!(self.fault, Fault::System(_))
    }

    fn problem(&self) -> Problem {
        Problem::new(format!("{} {}", self.place.display(), self.fault), self.advice)
    }
}

/// The end of a sentence that begins with the place.
impl fmt::Display for Fault {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Link => write!(to, "is a link, and nothing is written where it leads"),
            Self::NoFolder => write!(to, "is no folder"),
            Self::Folder => write!(to, "is a folder"),
            Self::NoFile => write!(to, "is neither a file nor a folder"),
            Self::OneFile => write!(to, "is a file"),
            Self::Foreign => write!(to, "belongs to another user"),
            Self::Open => write!(to, "is open to other users"),
            Self::System(error) => write!(to, "cannot be written: {error}"),
        }
    }
}

impl fmt::Display for PlaceError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.problem().fmt(to)
    }
}

impl Error for PlaceError {}

impl From<PlaceError> for Problem {
    fn from(error: PlaceError) -> Self {
        error.problem()
    }
}

/// While some failures are still passed on as text.
impl From<PlaceError> for String {
    fn from(error: PlaceError) -> Self {
        error.to_string()
    }
}
