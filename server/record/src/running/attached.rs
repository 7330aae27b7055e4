//! What comes of a recording of a process: its threads, or why there are none.

use url::Url;

use super::message::{CdpError, shown};
use super::process::ProcessError;
use crate::profile::Thread;

/// What was recorded of a process.
#[derive(Debug, Default)]
pub(crate) struct Attached {
    /// Its threads.
    pub(crate) threads: Vec<Thread>,
    /// One sentence for each thing that is missing.
    pub(crate) missing: Vec<String>,
}

/// Why a process was not recorded.
#[derive(Debug)]
pub(super) enum AttachFailure {
    /// It was left as it is.
    Process(ProcessError),
    /// Of a program that has no number here.
    Coverage(String),
    Cdp(CdpError),
}

impl From<CdpError> for AttachFailure {
    fn from(error: CdpError) -> Self {
        Self::Cdp(error)
    }
}

impl AttachFailure {
    /// The sentence about what is at a url.
    pub(super) fn sentence(&self, url: &Url) -> String {
        match self {
            Self::Process(error) => error.to_string(),
            Self::Coverage(sign) => format!(
                "{url} takes coverage ({}), which V8 loses when a recording ends. It was left as it is; run it without coverage to record it.",
                shown(sign)
            ),
            Self::Cdp(error) => format!("{url}: {error}."),
        }
    }
}
