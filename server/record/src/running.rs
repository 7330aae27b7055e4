//! Records what runs without being started by us: a process of Node, the pages of a browser; or a page in a browser of our own.

mod attach;
mod browser;
mod cdp;
mod inspector;
mod tracing;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::folder::RecordingFolder;
use crate::output::write_file;
use crate::signals;
use crate::trace::write_trace;

use self::attach::record_node;
use self::browser::Browser;
use self::inspector::Kind;
use self::tracing::record_browser;

/// What to record, and how.
#[derive(Clone, Debug)]
pub struct Running {
    /// What runs.
    pub subject: Subject,
    /// Microseconds from sample to sample; browsers have their own.
    pub interval_us: u32,
    /// How long; until this process is told to end if not given.
    pub duration: Option<Duration>,
}

/// What runs.
#[derive(Clone, Debug)]
pub enum Subject {
    /// Something with an inspector.
    Attached {
        /// The number of a process, HOST:PORT, or the url of an inspector.
        what: String,
        /// Whether it may be on another machine.
        allow_remote: bool,
    },
    /// A page, in a browser that is started for it.
    Page {
        /// Its address.
        url: String,
        /// The browser; one that is installed if not given.
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
/// One sentence: nothing could be recorded, or it could not be written.
pub fn record_running(
    running: &Running,
    folder: &RecordingFolder,
    out: &Path,
    started: impl FnOnce(),
) -> Result<Recorded, String> {
    let is_told_to_end =
        signals::end_flag().map_err(|error| format!("Signals cannot be listened to: {error}."))?;
    let head = folder.head();
    match &running.subject {
        Subject::Attached { what, allow_remote } => {
            let inspector = inspector::find(what, *allow_remote)?;
            started();
            if inspector.kind == Kind::Browser {
                let recorded = write(out, |to| {
                    record_browser(&inspector.url, None, running.duration, &is_told_to_end, (head, to))
                })?;
                return Ok(Recorded { missing: recorded.missing, ..Recorded::default() });
            }
            let attached = record_node(&inspector, running.interval_us, running.duration, &is_told_to_end)?;
            write(out, |to| {
                write_trace(&attached.threads, head, to).map_err(|error| unwritten(out, &error))
            })?;
            let samples = attached.threads.iter().map(|it| it.profile.samples.len()).sum();
            Ok(Recorded { threads: attached.threads.len(), samples, missing: attached.missing })
        }
        Subject::Page { url, browser, is_headless } => {
            let browser = Browser::start(browser.as_deref(), folder.path(), *is_headless)?;
            started();
            let recorded = write(out, |to| {
                record_browser(&browser.url, Some(url), running.duration, &is_told_to_end, (head, to))
            });
            browser.end();
            Ok(Recorded { missing: recorded?.missing, ..Recorded::default() })
        }
    }
}

/// A file whose errors are sentences.
fn write<T>(out: &Path, write: impl FnOnce(&mut dyn io::Write) -> Result<T, String>) -> Result<T, String> {
    let mut sentence = None;
    let written = write_file(out, |to| {
        write(to).map_err(|why| {
            sentence = Some(why);
            io::Error::other("said below")
        })
    });
    written.map_err(|error| sentence.unwrap_or_else(|| unwritten(out, &error)))
}

fn unwritten(out: &Path, error: &io::Error) -> String {
    format!("{} cannot be written: {error}.", out.display())
}
