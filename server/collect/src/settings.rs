//! What a user decides about a collector, and why one did not start.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;
use std::{fmt, io};

use profile::problem::Problem;

use crate::origins::Origins;

/// What a user decides about a collector.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where to listen; port 0 takes any free port.
    pub listen: SocketAddr,
    /// The folder for the files; made if it is missing.
    pub folder: PathBuf,
    /// The origins whose pages may send.
    pub origins: Origins,
    /// The most bytes that a body may have, as sent and unpacked.
    pub max_body: u64,
    /// The size, in bytes, at which a new file is begun.
    pub rotate_size: u64,
    /// The age at which a new file is begun.
    pub rotate_every: Duration,
    /// The most bytes that all files of the folder may have together.
    pub max_disk: u64,
    /// The most traces that are read in a second.
    pub rate: u32,
    /// Whether a trace only counts as kept once the disk has it, and not just the system.
    pub sync: bool,
}

/// Why a collector did not start, or could not go on.
#[derive(Debug)]
pub enum CollectError {
    /// It is not possible to listen on the address.
    Listen(SocketAddr, io::Error),
    /// The folder cannot be used.
    Folder(PathBuf, io::Error),
    /// Another collector writes into the folder.
    Taken(PathBuf),
    /// What should be a file of the folder is a link, or something else.
    NoFile(PathBuf),
    /// The system provides no threads or signals.
    System(io::Error),
}

impl CollectError {
    fn problem(&self) -> Problem {
        match self {
            Self::Listen(address, error) => Problem::new(
                format!("{address} cannot be listened on: {}", reason(error)),
                match error.kind() {
                    io::ErrorKind::AddrInUse => {
                        "another program listens there: name another port with --listen"
                    }
                    io::ErrorKind::PermissionDenied => "name a port above 1023 with --listen",
                    _ => "name an address of this machine with --listen",
                },
            ),
            Self::Folder(folder, error) => Problem::new(
                format!("{} cannot be written: {}", folder.display(), reason(error)),
                "check the folder and its permissions, or name another one with --out",
            ),
            Self::Taken(folder) => Problem::new(
                format!("{} is in use by another collector", folder.display()),
                "name another folder with --out",
            ),
            Self::NoFile(path) => Problem::new(
                format!("{} is no file, but a link or a pipe", path.display()),
                "remove it, or name another folder with --out",
            ),
            Self::System(error) => {
                Problem::new(format!("The system refuses what a collector needs: {}", reason(error)), "")
            }
        }
    }
}

impl From<CollectError> for Problem {
    fn from(error: CollectError) -> Self {
        error.problem()
    }
}

impl fmt::Display for CollectError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.problem().fmt(to)
    }
}

impl std::error::Error for CollectError {}

/// What the system says, without its error number.
pub(crate) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}
