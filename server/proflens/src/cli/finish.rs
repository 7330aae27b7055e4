//! Finishes recordings: writes the file, shows the hottest functions, and completes what a killed `proflens` left behind.

use std::path::{Path, PathBuf};

use analysis::format::count;
use analysis::summary::Base;
use analysis::views::SortBy;
use profile::problem::Problem;
use record::folder::RecordingFolder;
use record::head::Head;
use record::leftovers::Leftovers;
use record::parts::Gathered;
use record::trace::OtherRuns;

use super::content::Report;
use super::input::{ScopeArgs, WorkspaceArgs};
use super::load::{FolderOf, load_all};
use super::screen::Stream;
use super::{note, note_failure, packages, say, say_lines, shown, table};

/// How many functions are shown at the end.
const HOTTEST: usize = 5;

/// A recording that was written.
pub(super) struct Recorded {
    /// 0 if their number is not known, as with threads.
    pub(super) samples: usize,
    pub(super) threads: usize,
    pub(super) out: PathBuf,
}

impl Recorded {
    /// `Recorded 1,234 samples of 2 threads: FILE`.
    pub(super) fn line(&self) -> String {
        let colon = if self.threads == 0 { "" } else { ": " };
        format!("Recorded {}{colon}{}\n", self.amount(), shown(&self.out).display())
    }

    /// `1,234 samples of 2 threads`.
    pub(super) fn amount(&self) -> String {
        let threads = count(self.threads as u64, "thread");
        match (self.samples, self.threads) {
            (_, 0) => String::new(),
            (0, _) => threads,
            (samples, _) => format!("{} of {threads}", count(samples as u64, "sample")),
        }
    }
}

/// A recording that could not be written, and is still where it was collected.
pub(super) struct Unfinished {
    folder: Box<RecordingFolder>,
    why: Problem,
}

impl From<Unfinished> for Problem {
    fn from(Unfinished { folder, why }: Unfinished) -> Self {
        let folder = folder.path().display();
        let is_said_first =
            if why.hint.is_empty() { "what".to_owned() } else { format!("{}. What", why.hint) };
        why.with_hint(format!(
            "{is_said_first} was recorded lies in {folder}; the next proflens record in this workspace puts it together"
        ))
    }
}

/// Finishes what was left in a workspace. Whatever goes wrong there is reported, and costs the next recording nothing.
pub(super) fn finish_leftovers(workspace_args: &WorkspaceArgs, workspace: &Path) {
    let Leftovers { folders, problems } = record::leftovers::recover(workspace);
    problems.iter().for_each(note_failure);
    for folder in folders {
        let found = record::parts::gather(folder.path(), |process| folder.is_running(process));
        say("An earlier recording was cut short. What it left is put together.");
        let is_elsewhere = folder.is_elsewhere();
        match finish(folder, found) {
            Ok(None) => {}
            Ok(Some(recorded)) => {
                say_lines(&recorded.line());
                if is_elsewhere {
                    note(
                        "that recording lies among the others, not where its --out said: nobody knows what is there now",
                    );
                }
                show(workspace_args, std::slice::from_ref(&recorded.out));
            }
            Err(Unfinished { folder, why }) => {
                note_failure(&folder.leave_aside(why));
            }
        }
    }
}

/// Writes what was found, and reports what is missing; `None` if there was nothing.
pub(super) fn finish(folder: RecordingFolder, found: Gathered) -> Result<Option<Recorded>, Unfinished> {
    // What the recording says of its counts is reported with its costs.
    for sentence in &found.missing {
        if found.counts.problems.iter().all(|problem| problem.what != *sentence) {
            note(sentence);
        }
    }
    if !found.running.is_empty() {
        let running: Vec<String> = found.running.iter().map(u32::to_string).collect();
        note(&format!("not recorded, as they still run: pid {}", running.join(", ")));
    }
    if found.threads.is_empty() && found.heaps.is_empty() {
        remove(folder);
        return Ok(None);
    }
    let out = match folder.out() {
        Ok(out) => out,
        Err(error) => return Err(Unfinished { folder: folder.into(), why: error.into() }),
    };
    let samples: usize = found.threads.iter().map(|thread| thread.profile.samples.len()).sum();
    let threads = found.threads.len() + found.heaps.len();
    if let Err(error) = write(&out, folder.head(), found) {
        let why = Problem::new(format!("{} cannot be written: {error}", out.display()), "");
        return Err(Unfinished { folder: folder.into(), why });
    }
    remove(folder);
    Ok(Some(Recorded { samples, threads, out }))
}

/// Removes what is no longer needed. A folder that cannot be removed is reported, and makes nothing else fail.
pub(super) fn remove(folder: RecordingFolder) {
    if let Err(problem) = folder.remove() {
        note_failure(&problem);
    }
}

/// The table of the hottest functions, on stderr, because stdout belongs to the command. Failures are reported; the
/// recording is there, and the status is the command's.
pub(super) fn show(workspace: &WorkspaceArgs, files: &[PathBuf]) {
    let workspace = match workspace.open() {
        Ok(workspace) => workspace,
        Err(problem) => return note_failure(&problem),
    };
    let files: Vec<PathBuf> = files.iter().map(|file| shown(file).to_path_buf()).collect();
    let (recording, errors) = load_all(&files, FolderOf::Runs, &workspace, &ScopeArgs::default());
    if let Some(recording) = &recording {
        let report = Report {
            recording,
            folder: &workspace.folder,
            by: SortBy::SelfTime,
            limit: HOTTEST,
            base: Base::Active,
            packages: packages::all(recording, &workspace.disk),
            all: false,
            lines: false,
        };
        say_lines(table::render(&report, Stream::Err).trim_end());
    }
    errors.iter().for_each(note_failure);
}

fn write(out: &Path, head: &Head, found: Gathered) -> std::io::Result<()> {
    record::output::write_file(out, |to| match found.threads.is_empty() {
        true => record::heap::write_heap(&found.heaps, head, to),
        false => {
            let others = OtherRuns { counts: Some(&found.counts), deopts: Some(&found.deopts) };
            record::trace::write_trace(&found.threads, others, head, to)
        }
    })
}
