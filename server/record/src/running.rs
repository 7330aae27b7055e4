//! Records programs that we did not start: a process of Node, or the pages of a browser. Also a page in a browser of our own.

mod attach;
mod attached;
mod browser;
#[cfg(target_os = "linux")]
mod by_number;
mod cdp;
mod find;
#[doc(hidden)]
pub mod fuzzed;
mod inspector;
mod installed;
mod kept_maps;
mod message;
mod page_maps;
mod process;
mod progress;
mod questions;
mod recorder;
mod served;
mod thread;
mod traced_scripts;
mod tracing;
mod wait;
mod watchdog;
mod wire;

use std::path::{Path, PathBuf};
use std::time::Duration;

use profile::problem::Problem;

use crate::folder::RecordingFolder;
use crate::output::write_file;
use crate::signals;
use crate::trace::{OtherRuns, write_trace};

use self::attach::record_node;
use self::browser::Browser;
use self::cdp::Connection;
use self::inspector::{Inspector, Kind};
use self::progress::Limits;
use self::tracing::{BrowserFailure, BrowserSubject, is_browser_of, record_browser, unwritten};
use self::wait::Told;

pub use self::progress::Progress;

/// Said before a page is opened without the sandbox.
const NO_SANDBOX: &str = "the browser runs without its sandbox, as it refuses to run as root with it: open only pages that you trust, or \
    run proflens as another user";

/// What to record, and how.
#[derive(Clone, Debug)]
pub struct Running {
    /// What runs.
    pub subject: Subject,
    /// Microseconds from sample to sample; browsers have their own.
    pub interval_us: u32,
    /// How long; `None` means until this process is told to end.
    pub duration: Option<Duration>,
}

/// What runs.
#[derive(Clone, Debug)]
pub enum Subject {
    /// Something with an inspector.
    Attached {
        /// The number of a process, HOST:PORT, or the URL of an inspector.
        what: String,
        /// Whether it may be on another machine.
        allow_remote: bool,
    },
    /// A page, in a browser that is started for it.
    Page {
        /// Its address.
        url: String,
        /// The browser; `None` means one that is installed.
        browser: Option<PathBuf>,
        /// Whether it shows no window.
        is_headless: bool,
    },
}

/// What was recorded.
#[derive(Debug, Default)]
pub struct Recorded {
    /// Threads, where their number is known.
    pub threads: usize,
    /// Samples, where their number is known.
    pub samples: usize,
    /// One sentence for each thing that is missing.
    pub missing: Vec<String>,
}

/// Records until the time is over or this process is told to end, and writes the recording.
///
/// # Errors
/// If nothing could be recorded, or the recording could not be written.
pub fn record_running(
    running: &Running,
    folder: &RecordingFolder,
    out: &Path,
    tell: &dyn Fn(Progress),
) -> Result<Recorded, Problem> {
    let flag = signals::end_flag()
        .map_err(|error| Problem::new(format!("Signals cannot be listened to: {error}"), ""))?;
    let told = Told::by(flag);
    let limits = Limits { duration: running.duration, told: &told };
    let head = folder.head();
    match &running.subject {
        Subject::Attached { what, allow_remote } => {
            let inspector = find::find(what, *allow_remote, &told)?;
            if inspector.kind == Kind::Browser {
                let mut connection = connect(&inspector, &told)
                    .map_err(|failure| failure.problem(inspector.url.as_str(), out))?;
                let is_here = inspector::is_here(&inspector.url);
                let subject = BrowserSubject { connection: &mut connection, page: None, is_here };
                let written = write_file(out, |to| record_browser(subject, limits, tell, head, to));
                connection.close();
                let recorded = written.map_err(|failure| failure.problem(inspector.url.as_str(), out))?;
                return Ok(Recorded { missing: recorded.missing, ..Recorded::default() });
            }
            let attached = record_node(&inspector, running.interval_us, limits, tell)?;
            write_file(out, |to| write_trace(&attached.threads, OtherRuns::default(), head, to))
                .map_err(|error| unwritten(out, &error))?;
            let samples = attached.threads.iter().map(|thread| thread.profile.samples.len()).sum();
            Ok(Recorded { threads: attached.threads.len(), samples, missing: attached.missing })
        }
        Subject::Page { url, browser, is_headless } => {
            let mut browser = Browser::start(browser.as_deref(), folder.path(), *is_headless, &told)?;
            if browser.has_no_sandbox {
                tell(Progress::Note(NO_SANDBOX));
            }
            let name = browser.program.display().to_string();
            let subject =
                BrowserSubject { connection: &mut browser.connection, page: Some(url), is_here: true };
            let written = write_file(out, |to| record_browser(subject, limits, tell, head, to));
            browser.end();
            let recorded = written.map_err(|failure| failure.problem(&name, out))?;
            Ok(Recorded { missing: recorded.missing, ..Recorded::default() })
        }
    }
}

/// Connects to a browser, which must be the one that was asked for.
fn connect(inspector: &Inspector, told: &Told) -> Result<Connection, BrowserFailure> {
    let mut connection = Connection::open(&inspector.url, told)?;
    if let Some(process) = inspector.process
        && let Err(failure) = is_browser_of(&mut connection, process)
    {
        connection.close();
        return Err(failure);
    }
    Ok(connection)
}
