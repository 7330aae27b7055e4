//! Loads the traces that were named, or the newest one of the workspace, for a command to add up. Unless asked, it only
//! adds up what belongs together.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use analysis::files::FilePath;
use analysis::recording::Recording;
use profile::problem::Problem;

use super::input::{STDIN, ScopeArgs, Workspace, load_one, place, read, why_unread};
use super::one_run::{Kept, newest_run};
use super::{note, say, shown};
use crate::config::Config;
use crate::disk::{Disk, FoundTrace, TracePatterns};
use crate::recordings;
use crate::traces::{self, Joining, SameUnit, age, file_name};

/// How the traces of a folder are related.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FolderOf {
    /// Arbitrary files: only those that belong together have a sum.
    Anything,
    /// Runs that were put there to be added up.
    Runs,
}

/// The traces that were named; if none were, the newest recording or trace of the workspace folder, with a line that says which one.
///
/// # Errors
/// If there is none, or if stdin is named twice.
pub(super) fn named_or_newest(
    named: &[PathBuf],
    disk: &Disk,
    folder: &FilePath,
) -> Result<Vec<PathBuf>, Problem> {
    if named.iter().filter(|path| *path == Path::new(STDIN)).count() > 1 {
        return Err(Problem::new("stdin is named twice, and can be read once", "name - once"));
    }
    if !named.is_empty() {
        return Ok(named.to_vec());
    }
    let (newest, paths) = newest_runs(disk, folder)?;
    match newest.path.parent() {
        Some(folder) if paths.len() > 1 => {
            say_newest(&format!("{}, {} runs", shown(folder).display(), paths.len()), &newest);
        }
        _ => say_newest(&shown(&newest.path).display().to_string(), &newest),
    }
    Ok(paths)
}

/// The newest trace, and the paths of all runs that were recorded together with it, or its own.
///
/// # Errors
/// If there is none.
pub(super) fn newest_runs(disk: &Disk, folder: &FilePath) -> Result<(FoundTrace, Vec<PathBuf>), Problem> {
    let newest = newest(disk, folder)?;
    let runs = recordings::newest(Path::new(folder.as_str())).unwrap_or_default();
    let mut paths: Vec<PathBuf> = runs.into_iter().map(|run| run.path).collect();
    if !paths.contains(&newest.path) {
        paths = vec![newest.path.clone()];
    }
    let paths = paths.iter().map(|path| shown(path).to_path_buf()).collect();
    Ok((newest, paths))
}

/// [`named_or_newest`] for a command that takes one trace.
///
/// # Errors
/// If there is none.
pub(super) fn named_or_newest_one(
    named: Option<&Path>,
    disk: &Disk,
    folder: &FilePath,
) -> Result<PathBuf, Problem> {
    if let Some(named) = named {
        return Ok(named.to_path_buf());
    }
    let newest = newest(disk, folder)?;
    let path = shown(&newest.path).to_path_buf();
    say_newest(&path.display().to_string(), &newest);
    Ok(path)
}

fn newest(disk: &Disk, folder: &FilePath) -> Result<FoundTrace, Problem> {
    let found = disk.traces(&TracePatterns::new(&Config::default().traces)).traces;
    found.into_iter().next().ok_or_else(|| {
        let what = format!("No trace lies in {folder}");
        Problem::new(what, "record one with proflens record COMMAND, or name a file")
    })
}

fn say_newest(what: &str, trace: &FoundTrace) {
    let recorded = recordings::head(&trace.path).and_then(|head| head.recorded());
    say(&format!("Newest trace: {what}, {}.", age(recorded.unwrap_or(trace.stamp.modified))));
}

/// The sum of all traces that can be loaded, including those in folders; `None` if there are none. The problems of the others
/// are returned too.
pub(super) fn load_all(
    paths: &[PathBuf],
    folders: FolderOf,
    workspace: &Workspace,
    scope: &ScopeArgs,
) -> (Option<Recording>, Vec<Problem>) {
    let (mut errors, mut unit) = (Vec::new(), SameUnit::default());
    let mut loaded = paths.iter().filter_map(|path| {
        let loaded = match path.is_dir() {
            true => load_folder(path, folders, workspace, scope),
            false => load_one(path, workspace, scope).map(|loaded| loaded.recording),
        };
        loaded.and_then(|recording| unit.of(recording)).map_err(|problem| errors.push(problem)).ok()
    });
    let Some(first) = loaded.next() else {
        return (None, errors);
    };
    let mut sum = Recording::sum(std::iter::once(first).chain(loaded));
    if !sum.lost_changes.is_empty() {
        errors.extend(sum.lost_changes.iter().map(|lost| lost.problem().at(sum.title())));
        return (None, errors);
    }
    sum.problems.extend(workspace.all_problems());
    (Some(sum), errors)
}

/// A trace of a folder, and what is known about when and where it was recorded.
struct Placed {
    kept: Kept,
    recording: Recording,
}

/// The sum of the files in a folder that can be loaded and belong together; the others are problems of the sum. Small ones are
/// placed together, unless threads or moments of each were chosen.
fn load_folder(
    path: &Path,
    folders: FolderOf,
    workspace: &Workspace,
    scope: &ScopeArgs,
) -> Result<Recording, Problem> {
    let name = path.display().to_string();
    let (mut all, mut unit, mut joining) = (Vec::new(), SameUnit::default(), Joining::default());
    let mut order: HashMap<String, usize> = HashMap::new();
    let problems = traces::read_folder(path, &name, |file| {
        let read = read(file)?;
        unit.check(&file_name(file), read.profile.unit)?;
        order.insert(read.name.clone(), order.len());
        let kept = Kept::of(file, &read);
        let alone = if scope.is_of_each() { Some(read) } else { joining.take(read) };
        if let Some(read) = alone {
            all.push(Placed { kept, recording: place(&read, workspace, scope)?.recording });
        }
        Ok(())
    });
    let problems = problems.map_err(why_unread)?;
    if let Some(read) = joining.finish(&name) {
        let recording = place(&read, workspace, scope)?.recording;
        all.push(Placed { kept: Kept::of(path, &read), recording });
    }
    if folders == FolderOf::Anything {
        retain_newest_run(&mut all, &name);
    }
    let mut sum = Recording::sum(all.into_iter().map(|placed| placed.recording));
    sum.traces.sort_by_key(|trace| order.get(&trace.name).copied());
    sum.problems.extend(problems);
    Ok(sum)
}

/// Keeps the traces of a folder that belong to the same run as the newest, and says so if there are others.
fn retain_newest_run(all: &mut Vec<Placed>, folder: &str) {
    let kept: Vec<&Kept> = all.iter().map(|placed| &placed.kept).collect();
    let (number, mut wanted) = (all.len(), newest_run(&kept).into_iter());
    all.retain(|_| wanted.next() == Some(true));
    if all.len() == number {
        return;
    }
    let recorded = all.iter().map(|placed| placed.kept.recorded).max().flatten();
    let taken = match (&all[..], recorded) {
        ([only], Some(recorded)) => format!("the newest, {}, {}", only.recording.title(), age(recorded)),
        (_, Some(recorded)) => format!("the newest {}, {}", all.len(), age(recorded)),
        (_, None) => format!("the last {}", all.len()),
    };
    note(&format!(
        "the {number} recordings in {folder} are not of one run and have no sum: this is {taken}; name files to add them up"
    ));
}
