//! `proflens record --against`: two versions of a program, recorded by turns and compared.

use std::path::Path;

use compare::comparison::Comparison;
use compare::run::Run as ComparedRun;
use compare::verdict::Settings;
use compare::work::Per;
use profile::problem::Problem;
use record::head::TreeState;

use super::against::Versions;
use super::command::{Keep, RecordedCommand, checkout};
use super::compare::{self as comparing, Content, Sort};
use super::input::{ScopeArgs, Workspace, WorkspaceArgs};
use super::repeat::{Run, RunFiles};
use super::screen::Stream;
use super::turns::{HowOften, Pairs, SIDES, Turns, take_turns};
use super::{note, say, say_lines, shown};

/// How many functions are listed.
const LISTED: usize = 20;

/// What is asked of it.
pub(super) struct ByTurns<'a> {
    /// What is compared with.
    pub(super) against: &'a str,
    /// What a shell runs in both versions first.
    pub(super) setup: Option<&'a str>,
    pub(super) times: HowOften,
    /// Where the folders of both sides belong.
    pub(super) out: Option<&'a Path>,
    /// From which slowdown on the status is not 0.
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
    if let Some(line) = by_turns.setup {
        versions.set_up(line)?;
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

/// The recordings of one side after the other, each compared as soon as it is there.
struct Recording<'a> {
    command: RecordedCommand<'a>,
    versions: &'a Versions,
    workspace: Workspace,
    is_first: bool,
    runs: [Vec<ComparedRun>; 2],
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
        Ok(false)
    }

    fn is_told_to_end(&self) -> bool {
        record::signals::is_told_to_end()
    }

    fn say(&self, sentence: &str) {
        say(sentence);
    }
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

/// Shows the comparison of the pairs that are kept, and returns the status that it gives.
fn show(
    all: &Pairs,
    [before, after]: &[Vec<ComparedRun>; 2],
    workspace: &Workspace,
    folder: &Path,
    by_turns: &ByTurns<'_>,
) -> Result<u8, Problem> {
    let pairs = all.files[0].len();
    if pairs == 0 {
        say("No pair of runs was kept, so that nothing is compared.");
        return Ok(0);
    }
    let mut comparison = Comparison::of(before, after, Per::default(), Settings::default())?;
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
        match pairs {
            1 => "1 pair of runs".to_owned(),
            _ => format!("{pairs} pairs of runs"),
        }
    ));
    Ok(by_turns.fail_on_regression.map_or(0, |least| comparing::status(&comparison, least)))
}
