//! The trace whose costs are shown, and what it is compared with.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use analysis::files::FilePath;
use analysis::recording::Recording;
use analysis::together::Placed;
use compare::views::ComparedFunctions;
use profile::model::Counts;
use profile::problem::Problem;
use profile::scope::{Threads, thread_names};

use super::history_lookup::HistoryLookup;
use crate::disk::Disk;
use crate::open::Stamp;
use crate::traces::ReadTrace;

/// The trace whose costs are shown.
#[derive(Clone)]
pub(crate) struct ShownTrace {
    /// A number that no other has had: an answer about this one is not an answer about another.
    pub(crate) serial: u64,
    pub(crate) path: PathBuf,
    pub(crate) stamp: Stamp,
    /// The traces that were read, so that they can be placed again: one profile, or one for each trace of a folder;
    /// small ones are joined.
    pub(crate) profiles: Arc<[ReadTrace]>,
    /// Files of a folder that could not be read.
    pub(crate) left_out: Vec<Problem>,
    /// The calls of another run, if the user joined any: they go with this reading of the trace.
    pub(crate) counts: Option<Arc<Counts>>,
    pub(crate) recording: Arc<Recording>,
    pub(crate) placements: Arc<Placements>,
    /// The files that decided where it was placed, with their stamps at that time.
    pub(crate) deciding_files: Vec<(FilePath, Option<Stamp>)>,
    /// Questions to the git history that were not all answered in time.
    pub(crate) late_history: Option<Arc<HistoryLookup>>,
}

/// Where the functions of a trace were found, whatever part of it is looked at.
pub(crate) struct Placements {
    /// For each profile; for a joined one, by groups of its traces that are placed alike.
    pub(crate) placed: Vec<Vec<Placed>>,
    /// What the user should know about the settings and files by which they were found.
    pub(crate) problems: Vec<Problem>,
}

/// The side before, as it was read and placed: each trace is a run.
#[derive(Clone)]
pub(crate) struct SideBefore {
    /// Its display name: `yesterday.cpuprofile`, or the name of a folder.
    pub(crate) title: String,
    /// Its files and folders as the user named them.
    pub(crate) paths: Vec<PathBuf>,
    pub(crate) profiles: Arc<[ReadTrace]>,
    /// Files of folders that could not be read.
    pub(crate) left_out: Vec<Problem>,
    pub(crate) placements: Arc<Placements>,
    /// Questions to the git history that were not all answered in time.
    pub(crate) late_history: Option<Arc<HistoryLookup>>,
}

/// The side before compared with what is shown.
pub(crate) struct Compared {
    pub(crate) before: SideBefore,
    /// The number of the shown recording; the comparison is only valid for that.
    pub(crate) serial: u64,
    pub(crate) functions: ComparedFunctions,
}

impl ShownTrace {
    /// The number of the next one.
    pub(crate) fn next_serial() -> u64 {
        static LAST: AtomicU64 = AtomicU64::new(0);
        LAST.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The full names of the threads that the user means by names, parts of names, or numbers; `all` stays.
    ///
    /// # Errors
    /// If one of them does not exist.
    pub(crate) fn threads_named(&self, wanted: &[String]) -> Result<Vec<String>, Problem> {
        let Some(ReadTrace { name, profile, .. }) = only(&self.profiles) else {
            let what = format!("{} is a folder: all its traces are shown as one sum", self.path.display());
            return Err(Problem::new(what, "open one of them"));
        };
        let threads = Threads::named(profile, name, wanted)?;
        let names = thread_names(profile);
        Ok(match threads {
            Threads::These(indices) => indices.into_iter().map(|it| names[it].clone()).collect(),
            Threads::Page | Threads::All => vec!["all".to_owned()],
        })
    }

    /// Whether a file that decided where it was placed has changed.
    pub(crate) fn is_outdated(&self, disk: &Disk) -> bool {
        self.deciding_files.iter().any(|(file, stamp)| disk.stamp(file) != *stamp)
    }
}

/// The only trace that was read; `None` if there are several, joined or not, in which threads and moments cannot be chosen.
pub(crate) fn only(read: &[ReadTrace]) -> Option<&ReadTrace> {
    match read {
        [one] if one.profile.joined.is_empty() => Some(one),
        _ => None,
    }
}
