//! `proflens record --against`: two versions of a program, recorded by turns and compared.

use std::path::Path;
use std::time::{Duration, Instant};

use analysis::format::{Style, count, percent, thousands};
use compare::comparison::Comparison;
use compare::run::Run as ComparedRun;
use compare::sequential::{LEAST_SHARE, Looks, Open};
use compare::work::Per;
use profile::problem::Problem;
use record::destination::SIDES;
use record::head::TreeState;

use super::against::Versions;
use super::command::{Keep, RecordedCommand, checkout};
use super::compare::{self as comparing, Content, Sort};
use super::input::{ScopeArgs, Workspace, WorkspaceArgs};
use super::repeat::{Run, RunFiles};
use super::screen::Stream;
use super::turns::{HowOften, Pairs, Turns, take_turns};
use super::{note, say, say_lines, shown};

/// How many functions are listed.
const LISTED: usize = 20;

/// The parameters of a recording by turns.
pub(super) struct ByTurns<'a> {
    /// The version to compare with.
    pub(super) against: &'a str,
    /// A command line that a shell first runs in both versions.
    pub(super) setup: Option<&'a str>,
    pub(super) times: HowOften,
    /// When to check whether there are enough pairs, if their number is not given.
    pub(super) looks: Option<Looks>,
    /// The time after which no more runs begin.
    pub(super) max_time: Option<Duration>,
    /// Where the folders of both sides go.
    pub(super) out: Option<&'a Path>,
    /// The slowdown from which on the status is not 0.
    pub(super) fail_on_regression: Option<f64>,
}

/// Records both versions, compares them, and returns the status: that of the first run that failed, or that of `compare`.
///
/// # Errors
/// If one of the versions cannot be made ready, or if nothing was recorded.
pub(super) fn record(
    by_turns: &ByTurns<'_>,
    command: RecordedCommand<'_>,
    workspace: &WorkspaceArgs,
) -> Result<u8, Problem> {
    let versions = Versions::prepare(by_turns.against, command.workspace, command.words)?;
    say_what_is_compared(&versions);
    match by_turns.setup {
        Some(line) => versions.set_up(line)?,
        None => versions.note_missing_packages(),
    }
    let folder = match by_turns.out {
        None => record::destination::folder_of_runs(command.workspace, &command.name())?,
        Some(out) => record::destination::named_folder(command.workspace, out)?,
    };
    let files = files_of(&folder, by_turns.times, &command)?;
    let mut recording = Recording {
        command,
        versions: &versions,
        workspace: workspace.open()?,
        is_first: true,
        runs: [Vec::new(), Vec::new()],
        looks: by_turns.looks.as_ref(),
        end: by_turns.max_time.map(|time| Instant::now() + time),
    };
    let taken = take_turns(by_turns.times, &files, &mut recording);
    let Recording { workspace, runs, .. } = recording;
    drop(versions); // before a signal ends this process
    let all = taken.inspect_err(|_| remove_if_empty(&files, &folder))?;
    let status = show(&all, &runs, &workspace, &folder, by_turns)?;
    remove_if_empty(&files, &folder);
    Ok(match all.failed {
        Some(failed) => record::signals::end_as(failed),
        None if record::signals::is_told_to_end() => record::signals::end_as_told(),
        None => status,
    })
}

/// Records the runs of both sides one after the other, and prepares each for comparison at once.
struct Recording<'a> {
    command: RecordedCommand<'a>,
    versions: &'a Versions,
    workspace: Workspace,
    is_first: bool,
    runs: [Vec<ComparedRun>; 2],
    looks: Option<&'a Looks>,
    end: Option<Instant>,
}

impl Turns for Recording<'_> {
    fn run(&mut self, side: usize, file: Option<&Path>) -> Result<Run, Problem> {
        let keep = file.map_or(Keep::Nothing, |file| Keep::At(Some(file)));
        let is_first = std::mem::take(&mut self.is_first);
        self.command.record(keep, Some(&self.versions.sides[side]), is_first)?.wait()
    }

    fn is_enough(&mut self, pair: [&Path; 2]) -> Result<bool, Problem> {
        for (runs, file) in self.runs.iter_mut().zip(pair) {
            runs.push(comparing::run_of(file, &self.workspace, &ScopeArgs::default(), &Per::default())?);
        }
        let pairs = self.runs[0].len() as u64;
        let is_late = self.end.is_some_and(|end| Instant::now() >= end);
        match self.looks {
            Some(looks) if is_late || looks.is_look(pairs) => {
                let comparison = compared(&self.runs, Some(looks))?;
                let open = Open::of(&comparison);
                say(&progress(pairs, open, looks, is_late));
                Ok(is_late || open.is_sure())
            }
            _ => Ok(false),
        }
    }

    fn is_told_to_end(&self) -> bool {
        record::signals::is_told_to_end()
    }

    fn say(&self, sentence: &str) {
        say(sentence);
    }
}

/// The comparison of the runs so far.
fn compared([before, after]: &[Vec<ComparedRun>; 2], looks: Option<&Looks>) -> Result<Comparison, Problem> {
    let settings = looks.map(Looks::settings).unwrap_or_default();
    Comparison::of(before, after, Per::default(), settings)
}

/// What is known after some pairs, and how many more it probably takes.
fn progress(pairs: u64, open: Open, looks: &Looks, is_late: bool) -> String {
    let Open { functions, undecided, more } = open;
    let share = percent(LEAST_SHARE, Style::Text);
    let asked = format!("{} with {share} of the time or more", count(functions, "function"));
    if open.is_sure() {
        let size = percent(looks.settings().noise, Style::Text);
        let each = if functions == 1 { "it" } else { "each" };
        return format!(
            "After {} it is sure of {asked}: {each} has changed, or is the same within ± {size}.",
            of_pairs(pairs)
        );
    }
    let so_far = format!("After {} it is not sure of {undecided} of {asked}", of_pairs(pairs));
    let more = more.map_or_else(String::new, |more| {
        let are = if more == 1 { "is" } else { "are" };
        format!("; about {} more {are} likely", of_pairs(more))
    });
    match () {
        () if is_late => format!("{so_far}{more}, and the time is over."),
        () if pairs >= looks.most() => format!("{so_far}{more}, and --max-runs allows no more."),
        () => format!("{so_far}{more}."),
    }
}

fn of_pairs(pairs: u64) -> String {
    if pairs == 1 { "1 pair of runs".to_owned() } else { format!("{} pairs of runs", thousands(pairs)) }
}

fn say_what_is_compared(versions: &Versions) {
    let [base, this] = &versions.sides;
    let now = checkout(&this.root, false);
    let is_changed = now.as_ref().is_some_and(|now| now.tree == Some(TreeState::Changed));
    let is_same = now.zip(base.checkout.as_ref()).is_some_and(|(now, then)| now.commit == then.commit);
    match (is_changed, is_same) {
        (true, _) => note(&format!(
            "files of this folder have changes that are not committed: as they are now, they are compared with {}",
            base.title
        )),
        (false, true) => note(&format!("{} is what is checked out: both sides are the same", base.title)),
        (false, false) => {}
    }
}

/// The files of the runs of both sides.
fn files_of(folder: &Path, times: HowOften, command: &RecordedCommand<'_>) -> Result<[RunFiles; 2], Problem> {
    let name = record::destination::file_name(&command.name());
    let ending = record::folder::ending(false);
    let of_side = |side: &str| {
        let folder = record::destination::named_folder(command.workspace, &folder.join(side))?;
        RunFiles::new(folder, &name, ending, times.pairs)
    };
    let [before, after] = SIDES.map(of_side);
    Ok([before?, after?])
}

fn remove_if_empty(files: &[RunFiles; 2], folder: &Path) {
    files.iter().for_each(RunFiles::remove_if_empty);
    // A folder with something in it stays: the system refuses to remove it.
    let _ = std::fs::remove_dir(folder);
}

/// Shows the comparison of the kept pairs, and returns the resulting status.
fn show(
    all: &Pairs,
    runs: &[Vec<ComparedRun>; 2],
    workspace: &Workspace,
    folder: &Path,
    by_turns: &ByTurns<'_>,
) -> Result<u8, Problem> {
    let pairs = all.files[0].len();
    if pairs == 0 {
        say("No pair of runs was kept, so that nothing is compared.");
        return Ok(0);
    }
    let mut comparison = compared(runs, by_turns.looks.as_ref())?;
    comparison.problems.extend(workspace.all_problems());
    let content = Content {
        comparison: &comparison,
        folder: &workspace.folder,
        by: Sort::Shown,
        limit: LISTED,
        link_base: None,
    };
    say_lines(&format!("\n{}", comparing::table(&content, Stream::Err)));
    let [before, after] = SIDES.map(|side| shown(&folder.join(side)).display().to_string());
    say(&format!(
        "Recorded {}: compare them again with proflens compare --before {before} --after {after}",
        of_pairs(pairs as u64)
    ));
    Ok(by_turns.fail_on_regression.map_or(0, |least| comparing::status(&comparison, least)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_while_runs_are_added() {
        let looks = Looks::new(40, 0.1);
        let open = |undecided, more| Open { functions: 14, undecided, more };
        let said = [
            progress(5, open(3, Some(8)), &looks, false),
            progress(7, open(3, None), &looks, false),
            progress(40, open(1, Some(1)), &looks, false),
            progress(1, open(14, None), &looks, true),
            progress(10, open(0, None), &looks, false),
            progress(10, Open { functions: 1, undecided: 0, more: None }, &looks, true),
        ];
        let expected = [
            "After 5 pairs of runs it is not sure of 3 of 14 functions with 3 % of the time or more; about 8 pairs of runs more are likely.",
            "After 7 pairs of runs it is not sure of 3 of 14 functions with 3 % of the time or more.",
            "After 40 pairs of runs it is not sure of 1 of 14 functions with 3 % of the time or more; about 1 pair of runs more is likely, and --max-runs allows no more.",
            "After 1 pair of runs it is not sure of 14 of 14 functions with 3 % of the time or more, and the time is over.",
            "After 10 pairs of runs it is sure of 14 functions with 3 % of the time or more: each has changed, or is the same within ± 10 %.",
            "After 10 pairs of runs it is sure of 1 function with 3 % of the time or more: it has changed, or is the same within ± 10 %.",
        ];
        assert_eq!(said, expected);
    }
}
