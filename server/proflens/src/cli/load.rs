//! What a command adds up: the traces that were named, or the newest one of the workspace. Only what belongs together is added up
//! without being asked for.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use analysis::{FilePath, Recording};

use super::input::{STDIN, ScopeArgs, Workspace, load_one, place, read, sentence};
use super::sessions::{Kept, newest_session};
use super::{note, say, shown};
use crate::config::Config;
use crate::disk::{Disk, FoundTrace, TracePatterns};
use crate::recordings;
use crate::traces::{self, Joining, SameUnit, age, file_name};

/// What the traces of a folder are to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FolderOf {
    /// Whatever happens to lie there: only what belongs together has a sum.
    Anything,
    /// Runs that were put there to be added up.
    Runs,
}

/// The traces that were named; if none were, the newest recording or trace of the workspace folder, and a line says which.
///
/// # Errors
/// One sentence if there is none, or if stdin is named twice.
pub(super) fn named_or_newest(
    named: &[PathBuf],
    disk: &Disk,
    folder: &FilePath,
) -> Result<Vec<PathBuf>, String> {
    if named.iter().filter(|it| *it == Path::new(STDIN)).count() > 1 {
        return Err("stdin is named twice, and can be read once. Name - once.".to_owned());
    }
    if !named.is_empty() {
        return Ok(named.to_vec());
    }
    let newest = newest(disk, folder)?;
    // One run of several stands for all of them.
    let runs = recordings::newest(Path::new(folder.as_str())).unwrap_or_default();
    let mut paths: Vec<PathBuf> = runs.into_iter().map(|it| it.path).collect();
    match newest.path.parent() {
        Some(folder) if paths.len() > 1 && paths.contains(&newest.path) => {
            say_newest(&format!("{}, {} runs", shown(folder).display(), paths.len()), &newest);
        }
        _ => {
            say_newest(&shown(&newest.path).display().to_string(), &newest);
            paths = vec![newest.path];
        }
    }
    Ok(paths.iter().map(|it| shown(it).to_path_buf()).collect())
}

/// [`named_or_newest`] for a command that takes one trace.
///
/// # Errors
/// One sentence if there is none.
pub(super) fn named_or_newest_one(
    named: Option<&Path>,
    disk: &Disk,
    folder: &FilePath,
) -> Result<PathBuf, String> {
    if let Some(named) = named {
        return Ok(named.to_path_buf());
    }
    let newest = newest(disk, folder)?;
    let path = shown(&newest.path).to_path_buf();
    say_newest(&path.display().to_string(), &newest);
    Ok(path)
}

fn newest(disk: &Disk, folder: &FilePath) -> Result<FoundTrace, String> {
    let found = disk.traces(&TracePatterns::new(&Config::default().traces)).traces;
    found.into_iter().next().ok_or_else(|| {
        format!("No trace lies in {folder}. Record one with proflens record COMMAND, or name a file.")
    })
}

fn say_newest(what: &str, trace: &FoundTrace) {
    let recorded = recordings::head(&trace.path).and_then(|it| it.recorded());
    say(&format!("Newest trace: {what}, {}.", age(recorded.unwrap_or(trace.stamp.modified))));
}

/// The sum of all traces that can be loaded, also of those in folders; `None` if there is none. The others are
/// returned as one sentence each.
pub(super) fn load_all(
    paths: &[PathBuf],
    folders: FolderOf,
    workspace: &Workspace,
    scope: &ScopeArgs,
) -> (Option<Recording>, Vec<String>) {
    let (mut errors, mut unit) = (Vec::new(), SameUnit::default());
    let mut loaded = paths.iter().filter_map(|path| {
        let loaded = match path.is_dir() {
            true => load_folder(path, folders, workspace, scope),
            false => load_one(path, workspace, scope).map(|it| it.1),
        };
        loaded.and_then(|it| unit.of(it)).map_err(|sentence| errors.push(sentence)).ok()
    });
    let sum = loaded.next().map(|first| Recording::sum(std::iter::once(first).chain(loaded)));
    let sum = sum.filter(|sum| {
        errors.extend(sum.lost_changes.iter().map(|it| it.sentence(&sum.title())));
        sum.lost_changes.is_empty()
    });
    let sum = sum.map(|mut sum| {
        sum.problems.extend(workspace.problems.iter().cloned());
        sum.problems.extend(workspace.disk.history_problems());
        sum.problems.extend(workspace.disk.cache_problems());
        sum
    });
    (sum, errors)
}

/// The sum of the files in a folder that can be loaded and belong together; the others are problems of the sum. Small ones are
/// placed together, unless threads or moments of each are wanted.
fn load_folder(
    path: &Path,
    folders: FolderOf,
    workspace: &Workspace,
    scope: &ScopeArgs,
) -> Result<Recording, String> {
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
            all.push((kept, place(&read, workspace, scope)?.1));
        }
        Ok(())
    });
    let problems = problems.map_err(sentence)?;
    if let Some(read) = joining.finish(&name) {
        all.push((Kept::of(path, &read), place(&read, workspace, scope)?.1));
    }
    let mut together = vec![true; all.len()];
    if folders == FolderOf::Anything {
        let kept: Vec<&Kept> = all.iter().map(|it| &it.0).collect();
        together = newest_session(&kept);
    }
    let number = all.len();
    let mut wanted = together.iter();
    all.retain(|_| wanted.next() == Some(&true));
    if all.len() < number {
        let newest = all.iter().max_by_key(|it| it.0.recorded);
        let taken = match (&*all, newest.and_then(|it| it.0.recorded)) {
            ([(_, only)], Some(recorded)) => format!("the newest, {}, {}", only.title(), age(recorded)),
            (_, Some(recorded)) => format!("the newest {}, {}", all.len(), age(recorded)),
            (_, None) => format!("the last {}", all.len()),
        };
        note(&format!(
            "the {number} recordings in {name} are not of one run and have no sum: this is {taken}; name files to add them up"
        ));
    }
    let mut sum = Recording::sum(all.into_iter().map(|it| it.1));
    sum.traces.sort_by_key(|it| order.get(&it.name).copied());
    sum.problems.extend(problems);
    Ok(sum)
}
