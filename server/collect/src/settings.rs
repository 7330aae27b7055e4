//! What a user decides about a collector, and why one did not start.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use profile::problem::Problem;

use crate::origins::Origins;

/// What a user decides about a collector.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where to listen; port 0 takes one that is free.
    pub listen: SocketAddr,
    /// The folder for the files; made if it is missing.
    pub folder: PathBuf,
    /// The origins whose pages may send.
    pub origins: Origins,
    /// No body is larger than this many bytes, as it is sent and unpacked.
    pub max_body: u64,
    /// From this size on, in bytes, a file is followed by another one.
    pub rotate_size: u64,
    /// From this age on.
    pub rotate_every: Duration,
    /// All files of the folder together never have more bytes.
    pub max_disk: u64,
    /// At most so many traces a second are read.
    pub rate: u32,
    /// Whether a trace counts as kept only when the disk has it, not the system alone.
    pub sync: bool,
}

/// Why a collector did not start, or did not go on.
#[derive(Debug)]
pub enum CollectError {
    /// The address cannot be listened on.
    Listen(SocketAddr, io::Error),
    /// The folder cannot be used.
    Folder(PathBuf, io::Error),
    /// Another collector writes into the folder.
    Taken(PathBuf),
    /// What is to be a file of the folder is a link, or something else.
    NoFile(PathBuf),
    /// The system gives no threads or signals.
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

/// What the system says, without its number.
pub(crate) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}
