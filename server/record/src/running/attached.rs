//! The result of recording a process: its threads, or why there are none.

use profile::problem::Problem;
use url::Url;

use super::message::CdpError;
use super::process::{ProcessError, takes_coverage};
use crate::v8_profile::Thread;

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
    /// The same for a program whose number is not known here.
    Coverage(String),
    Cdp(CdpError),
    /// It ended, and what V8 had recorded with it.
    Lost(String),
}

impl From<CdpError> for AttachFailure {
    fn from(error: CdpError) -> Self {
        Self::Cdp(error)
    }
}

impl AttachFailure {
    /// The problem with what is at a URL.
    pub(super) fn problem(self, url: &Url) -> Problem {
        match self {
            Self::Process(error) => error.into(),
            Self::Coverage(sign) => takes_coverage(url.as_str(), &sign),
            Self::Cdp(error) => Problem::from(error).at(url.as_str()),
            Self::Lost(why) => lost_with("the program", &why).at(url.as_str()),
        }
    }
}

/// The problem with a program that has ended without handing over what it had recorded of itself.
pub(super) fn lost_with(program: &str, why: &str) -> Problem {
    let what =
        format!("{program} ended while it was recorded, and took along all that was recorded of it ({why})");
    Problem::new(what, "end the recording first, with Ctrl-C or --duration")
}
