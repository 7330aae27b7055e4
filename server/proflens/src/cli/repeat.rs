//! The runs of `proflens record --repeat`: which files they get, and what happens to those that fail.

use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::{fs, io};

use profile::problem::Problem;

/// No folder contains more runs than this.
const LAST_RUN: u32 = 1_000_000;

/// How a run ended.
pub(super) struct Run {
    pub(super) status: ExitStatus,
    /// What was recorded: `1,234 samples of 2 threads`; empty if nothing was to be recorded.
    pub(super) amount: String,
    /// Its recording, if there is one.
    pub(super) file: Option<PathBuf>,
}

/// The result of all runs.
#[derive(Debug, Default)]
pub(super) struct Runs {
    /// The recordings that are kept.
    pub(super) files: Vec<PathBuf>,
    /// The status of the first run that failed, a warm-up included.
    pub(super) failed: Option<ExitStatus>,
}

/// How often to run.
#[derive(Clone, Copy)]
pub(super) struct Times {
    pub(super) warm_ups: u32,
    pub(super) runs: u32,
}

/// Runs warm-ups, which get no file, and then runs with a file each, until one leaves no recording or `is_told_to_end`. The
/// recording of a run that fails is removed, because it has not done the same work as the others. `say` receives a sentence
/// about each run.
///
/// # Errors
/// Those of `run`, which are about a command that cannot be started or a file that cannot be written.
pub(super) fn repeat(
    times: Times,
    files: &RunFiles,
    is_told_to_end: impl Fn() -> bool,
    mut run: impl FnMut(Option<&Path>) -> Result<Run, Problem>,
    say: impl Fn(&str),
) -> Result<Runs, Problem> {
    let mut all = Runs::default();
    let warm_ups =
        (1..=times.warm_ups).map(|number| (None, format!("Warm-up {number} of {}", times.warm_ups)));
    let runs =
        (1..=times.runs).map(|number| (Some(files.path(number)), format!("Run {number} of {}", times.runs)));
    for (path, title) in warm_ups.chain(runs) {
        let Run { status, amount, file } = run(path.as_deref())?;
        let is_recorded = path.is_none() || file.is_some();
        if status.success() {
            match &file {
                Some(_) => say(&format!("{title}: {amount}")),
                None if path.is_none() => say(&format!("{title} is not kept.")),
                None => {}
            }
            all.files.extend(file);
        } else {
            let kept = if file.is_some() { "; its recording is not kept" } else { "" };
            say(&format!("{title} ended with {}{kept}.", ending_of(status)));
            all.failed.get_or_insert(status);
            if let Some(file) = file {
                fs::remove_file(&file).map_err(|error| {
                    let what = format!("{} cannot be removed: {error}", file.display());
                    Problem::new(what, "remove it yourself")
                })?;
            }
        }
        if is_told_to_end() || !is_recorded {
            break;
        }
    }
    Ok(all)
}

/// `status 3`, or what the system calls another end: `signal 9 (SIGKILL)`.
pub(super) fn ending_of(status: ExitStatus) -> String {
    status.code().map_or_else(|| status.to_string().replace(": ", " "), |code| format!("status {code}"))
}

/// The files of runs in a folder: `main.ts-01.json.gz`. Numbers continue after the existing ones, because base and head
/// may be recorded in turns.
pub(super) struct RunFiles {
    pub(super) folder: PathBuf,
    name: String,
    ending: &'static str,
    /// The last number that is taken.
    taken: u32,
    width: usize,
}

impl RunFiles {
    /// The files for this many runs of a command with this name, which must be valid in a file name.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub(super) fn new(folder: PathBuf, name: &str, ending: &'static str, runs: u32) -> Result<Self, Problem> {
        let taken = last_number(&folder, name).map_err(|error| {
            Problem::new(format!("{} cannot be read: {error}", folder.display()), "check its permissions")
        })?;
        let width = (taken + runs).to_string().len().max(2);
        Ok(Self { folder, name: name.to_owned(), ending, taken, width })
    }

    /// Removes the folder if nothing was kept in it.
    pub(super) fn remove_if_empty(&self) {
        // A folder with other recordings in it stays: the system refuses to remove it.
        let _ = fs::remove_dir(&self.folder);
    }

    /// The file of a run, which are counted from 1.
    pub(super) fn path(&self, run: u32) -> PathBuf {
        let (number, width) = (self.taken + run, self.width);
        self.folder.join(format!("{}-{number:0width$}.{}", self.name, self.ending))
    }
}

/// The highest number that a run with this name has in a folder; 0 if there is none.
fn last_number(folder: &Path, name: &str) -> io::Result<u32> {
    let mut last = 0;
    for entry in fs::read_dir(folder)? {
        let file = entry?.file_name();
        let digits =
            file.to_str().and_then(|file| file.strip_prefix(name)?.strip_prefix('-')?.split('.').next());
        let number = digits.and_then(|digits| digits.parse().ok());
        // A larger number is not from a run of ours, and no number could follow it.
        last = number.filter(|number| *number <= LAST_RUN).unwrap_or(0).max(last);
    }
    Ok(last)
}
