//! The runs of a command beside the one that is recorded, in which nothing is timed: to count calls, and to log what V8's compiler does.

use std::process::ExitStatus;

use profile::model::{Counts, Deopts};
use profile::problem::Problem;
use record::deopts::read_logs;
use record::folder::{Plan, RecordingFolder};
use record::launch::Settings;
use record::parts::Gathered;
use record::v8_profile::Thread;

use super::command::RecordedCommand;
use super::finish::remove;
use super::{note, note_failure, say};

/// What a run is for, in sentences.
struct Purpose {
    /// What it does: `to count calls`.
    goal: &'static str,
    /// What the lack of it is: `Calls were not counted`.
    lack: &'static str,
    /// What to do if the command did something else: `count what does the same each time`.
    hint: &'static str,
}

const COUNTING: Purpose = Purpose {
    goal: "to count calls",
    lack: "Calls were not counted",
    hint: "count what does the same each time",
};
const LOGGING: Purpose = Purpose {
    goal: "to log what V8's compiler does",
    lack: "Deoptimisations were not logged",
    hint: "record what does the same each time",
};

impl RecordedCommand<'_> {
    /// Runs it once more for each thing that is wanted and adds what that told. It has ended with this `status` before, when it was recorded in
    /// the folder `first`. Whatever becomes of these runs, the recording is kept.
    pub(super) fn run_again(&self, found: &mut Gathered, first: &RecordingFolder, status: ExitStatus) {
        if self.counts {
            found.counts = self.count_calls(first, status, &found.missing).unwrap_or_else(|problem| {
                note_failure(&problem);
                Counts::default()
            });
        }
        if self.deopts {
            found.deopts = self.log_deopts(first, status, &found.threads).unwrap_or_else(|problem| {
                note_failure(&problem);
                Deopts::default()
            });
        }
    }

    /// Counts calls. `known` is what the first run lacks, which is said anyway.
    fn count_calls(
        &self,
        first: &RecordingFolder,
        status: ExitStatus,
        known: &[String],
    ) -> Result<Counts, Problem> {
        let settings = Settings { counts: true, ..self.settings.clone() };
        let counts = self.once_more(&COUNTING, &settings, first, status, |folder| {
            let found = record::parts::gather(folder.path(), record::signals::is_running);
            let mut counts = found.counts;
            counts.problems.extend(found.missing.into_iter().map(not_counted));
            for problem in counts.problems.iter().filter(|problem| !known.contains(&problem.what)) {
                note(&format!("in the run that was counted, {}", problem.what));
            }
            counts
        })?;
        if counts.is_empty() {
            let what = "No calls were counted when the command ran again";
            let hint = "look for notes above; Node counts, in scripts that are not below node_modules";
            return Err(Problem::new(what, hint));
        }
        Ok(counts)
    }

    fn log_deopts(
        &self,
        first: &RecordingFolder,
        status: ExitStatus,
        threads: &[Thread],
    ) -> Result<Deopts, Problem> {
        let settings = Settings { deopts: true, ..self.settings.clone() };
        let deopts = self.once_more(&LOGGING, &settings, first, status, |folder| {
            let recorder = folder.recorder().parent().unwrap_or(folder.recorder());
            let deopts = read_logs(folder.path(), recorder, threads);
            for problem in &deopts.problems {
                note(&format!("in the run that was logged, {}", problem.clause()));
            }
            deopts
        })?;
        if deopts.is_empty() {
            let what = "V8 logged nothing of the workspace when the command ran again";
            let hint = "look for notes above; Node logs, of scripts that are not below node_modules";
            return Err(Problem::new(what, hint));
        }
        Ok(deopts)
    }

    /// Runs it, and reads what that told.
    ///
    /// # Errors
    /// If it cannot be run, or does not do the same.
    fn once_more<T>(
        &self,
        Purpose { goal, lack, hint }: &Purpose,
        settings: &Settings,
        first: &RecordingFolder,
        status: ExitStatus,
        read: impl FnOnce(&RecordingFolder) -> T,
    ) -> Result<T, Problem> {
        if record::signals::is_told_to_end() {
            return Err(Problem::new(format!("{lack}: the command was told to end"), ""));
        }
        say(&format!("Running it once more, {goal}."));
        let plan = Plan { name: &self.name(), out: None, heap: None, checkout: None };
        let folder = RecordingFolder::create(self.workspace, &plan)?;
        folder.know_texts_of(first);
        let ended = record::launch::launch(self.words, &folder, settings).and_then(|mut command| {
            command.wait_for_recording(folder.path(), settings)?;
            command.wait()
        });
        let told = ended.map(|ended| (read(&folder), ended));
        remove(folder);
        let (told, ended) = told?;
        if ended != status {
            let what =
                format!("{lack}: the command ended otherwise when it ran again, {ended} instead of {status}");
            return Err(Problem::new(what, *hint));
        }
        Ok(told)
    }
}

/// What stays in the recording of something that was not counted.
fn not_counted(sentence: String) -> Problem {
    Problem::new(sentence, "there may be more calls than are said")
}
