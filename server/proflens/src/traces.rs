//! Reads traces from files and folders, for the server and the command line. Each one that cannot be used is a problem.

use std::borrow::Cow;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use analysis::recording::Recording;
use profile::decode::{DecodeError, Progress, decode};
use profile::join::Join;
use profile::model::{Profile, Unit};
use profile::problem::Problem;

use crate::open::{self, Stamp};

/// How many files that could not be used are named one by one.
const MAX_NAMED: usize = 10;

/// A trace that was read.
pub(crate) struct ReadTrace {
    /// Its path as the user knows it.
    pub(crate) name: String,
    /// The stamp of the file that was opened; `None` if the disk keeps no times.
    pub(crate) stamp: Option<Stamp>,
    pub(crate) profile: Arc<Profile>,
}

impl ReadTrace {
    /// When it was recorded, according to the trace itself, because the time of a file is often that of a copy; otherwise when
    /// it was written.
    pub(crate) fn recorded(&self) -> Option<SystemTime> {
        self.profile.recorded.or(self.stamp.map(|stamp| stamp.modified))
    }
}

/// Joins the small traces of a folder into one, which is placed once.
#[derive(Default)]
pub(crate) struct Joining {
    /// The first one, which stays as it is if it is the only one.
    first: Option<ReadTrace>,
    join: Join,
    /// For all of them together: the newest time, the sum of the sizes.
    stamp: Option<Stamp>,
    number: usize,
}

impl Joining {
    /// Takes a trace if it is small; returns any other.
    pub(crate) fn take(&mut self, read: ReadTrace) -> Option<ReadTrace> {
        if !Join::takes(&read.profile) {
            return Some(read);
        }
        self.stamp = match (self.stamp, read.stamp) {
            (Some(a), Some(b)) => Some(Stamp { modified: a.modified.max(b.modified), size: a.size + b.size }),
            (before, stamp) => before.or(stamp),
        };
        self.number += 1;
        if self.number == 1 {
            self.first = Some(read);
            return None;
        }
        for trace in self.first.take().iter().chain([&read]) {
            self.join.add(&trace.name, &trace.profile);
        }
        None
    }

    /// Returns the traces taken, as one trace with this name if there are several.
    pub(crate) fn finish(self, name: &str) -> Option<ReadTrace> {
        if self.first.is_some() || self.number == 0 {
            return self.first;
        }
        Some(ReadTrace { name: name.to_owned(), stamp: self.stamp, profile: Arc::new(self.join.finish()) })
    }
}

/// Why a trace was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ReadError {
    /// It cannot be used.
    Unusable(Problem),
    /// The user cancelled it.
    Cancelled,
}

impl From<Problem> for ReadError {
    fn from(problem: Problem) -> Self {
        Self::Unusable(problem)
    }
}

/// Reads a trace from a file.
///
/// # Errors
/// If it is not a file, cannot be opened, or is not a profile.
pub(crate) fn read(path: &Path, name: String, progress: &dyn Progress) -> Result<ReadTrace, ReadError> {
    let (mut file, about) = open::open(path).map_err(|error| open::unreadable(&name, &error))?;
    read_from(&mut file, name, Stamp::of(&about), progress)
}

/// Reads a trace from whatever can be read.
///
/// # Errors
/// If it is not a profile, or reading it fails.
pub(crate) fn read_from(
    from: &mut (dyn Read + Send),
    name: String,
    stamp: Option<Stamp>,
    progress: &dyn Progress,
) -> Result<ReadTrace, ReadError> {
    match decode(from, &name, progress) {
        Ok(profile) => Ok(ReadTrace { stamp, name, profile: Arc::new(profile) }),
        Err(DecodeError::Cancelled) => Err(ReadError::Cancelled),
        Err(error) => Err(error.problem(&name).into()),
    }
}

/// Reads every file of a folder; returns one problem for each file that could not be used.
///
/// # Errors
/// If the folder cannot be listed or nothing in it can be used, or reading was cancelled.
pub(crate) fn read_folder(
    folder: &Path,
    name: &str,
    mut read_file: impl FnMut(&Path) -> Result<(), ReadError>,
) -> Result<Vec<Problem>, ReadError> {
    let (mut used, mut left_out) = (0, Vec::new());
    for file in open::files_in(folder).map_err(|error| open::unreadable(name, &error))? {
        match read_file(&file) {
            Ok(()) => used += 1,
            Err(ReadError::Unusable(problem)) => left_out.push(problem),
            Err(ReadError::Cancelled) => return Err(ReadError::Cancelled),
        }
    }
    match left_out.first() {
        _ if used > 0 => Ok(problems(folder, left_out)),
        Some(first) => {
            let what = format!("{name} is a folder without a trace that can be used. {}", first.what);
            Err(Problem::new(what, &*first.hint).into())
        }
        None => Err(why_empty(folder, name).into()),
    }
}

/// The problem that a folder has no files, or that it cannot be listed.
pub(crate) fn why_empty(folder: &Path, name: &str) -> Problem {
    match open::files_in(folder) {
        Ok(_) => Problem::new(format!("{name} is a folder without files"), "name one with traces in it"),
        Err(error) => open::unreadable(name, &error),
    }
}

fn problems(folder: &Path, mut left_out: Vec<Problem>) -> Vec<Problem> {
    if let Some(more @ 1..) = left_out.len().checked_sub(MAX_NAMED) {
        left_out.truncate(MAX_NAMED);
        left_out.push(Problem::new(format!("{more} more of its files could not be used"), ""));
    }
    let place = folder.display().to_string();
    let used = "the other files of the folder were used";
    left_out.into_iter().map(|problem| problem.at(&*place).instead(used)).collect()
}

/// Checks that all traces of a sum have the same unit as the first: times and bytes cannot be added.
#[derive(Clone, Debug, Default)]
pub(crate) struct SameUnit(Option<(Unit, String)>);

impl SameUnit {
    /// Checks a trace or a sum of traces to be added, given by its title and unit.
    ///
    /// # Errors
    /// If its unit differs from the first one's.
    pub(crate) fn check(&mut self, title: &str, unit: Unit) -> Result<(), Problem> {
        let measures = match unit {
            Unit::Time => "measures time",
            Unit::Bytes => "counts allocated bytes",
        };
        let this = format!("{title} {measures}");
        match &self.0 {
            Some((first_unit, first)) if *first_unit != unit => {
                let what = format!("{this} and {first}: they have no sum");
                Err(Problem::new(what, "name one of them at a time"))
            }
            Some(_) => Ok(()),
            None => {
                self.0 = Some((unit, this));
                Ok(())
            }
        }
    }

    /// [`SameUnit::check`] for a recording, which is passed on.
    ///
    /// # Errors
    /// As for [`SameUnit::check`].
    pub(crate) fn of(&mut self, recording: Recording) -> Result<Recording, Problem> {
        self.check(&recording.title(), recording.unit)?;
        Ok(recording)
    }
}

/// How long ago something was recorded, for people: `2 minutes ago`. A time in the future counts as now.
pub(crate) fn age(recorded: SystemTime) -> String {
    let seconds = SystemTime::now().duration_since(recorded).unwrap_or_default().as_secs();
    let (number, unit) = match seconds {
        0..60 => return "just now".into(),
        60..3600 => (seconds / 60, "minute"),
        3600..86400 => (seconds / 3600, "hour"),
        _ => (seconds / 86400, "day"),
    };
    format!("{} ago", analysis::format::count(number, unit))
}

/// The last part of a path, for people.
pub(crate) fn file_name(path: &Path) -> Cow<'_, str> {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn ages() {
        let ago = |seconds| age(SystemTime::now() - Duration::from_secs(seconds));
        assert_eq!(
            [3, 61, 150, 7300, 90_000, 864_000].map(ago),
            ["just now", "1 minute ago", "2 minutes ago", "2 hours ago", "1 day ago", "10 days ago"]
        );
        assert_eq!(age(SystemTime::now() + Duration::from_secs(9000)), "just now");
    }
}
