//! Commands that compare what is shown with earlier measurements.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use analysis::files::Files;
use compare::texts;
use profile::problem::Problem;
use serde::Deserialize;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::MessageType;

use crate::handlers::compute;
use crate::handlers::status::comparison;
use crate::open;
use crate::proto::compare::{CompareParams, ComparedWith};
use crate::proto::from_proto;
use crate::recordings;
use crate::state::queue::Job;
use crate::state::{Current, KnownTrace, ShownTrace, State, TraceState};

const WHAT_IS_TAKEN: &str = "Name what to compare with: { before } or { rev }.";

/// Compares what is shown with earlier recordings, and answers with the result.
pub(super) async fn compare_with(state: &Arc<State>, arguments: Vec<Value>) -> Result<Option<Value>> {
    let wanted = arguments.into_iter().next().unwrap_or_default();
    let wanted = CompareParams::deserialize(wanted).map_err(|_| Error::invalid_params(WHAT_IS_TAKEN))?;
    let current = state.current();
    let known = current.compared.as_ref().map(|compared| Arc::clone(&compared.before.profiles));
    let job = match compute(state, move || job(&current, wanted)).await? {
        Ok(job) => job,
        Err(NoJob::WrongArguments(error)) => return Err(error),
        Err(NoJob::NothingBefore(problem)) => {
            state.editor.error(&problem);
            return Ok(None);
        }
    };
    // An error means that the server shuts down.
    let _ = state.queue.push_and_wait(job).await;
    let current = state.current();
    // If the new comparison failed, which the loader has reported, the previous one stays.
    let Some(compared) = current.comparison() else { return Ok(None) };
    if known.is_some_and(|known| Arc::ptr_eq(&known, &compared.before.profiles)) {
        return Ok(None);
    }
    if !current.client.is_ours {
        let mut lines = vec![format!("Against {}:", compared.before.title)];
        lines.extend(texts::sentences(&compared.functions.comparison));
        state.editor.message_of_lines(MessageType::INFO, &lines);
    }
    Ok(Some(json!(comparison(compared))))
}

/// Shows costs again.
pub(super) fn stop(state: &State) -> Option<Value> {
    if state.change(|current| current.compared.take()).is_some() {
        state.editor.refresh(&state.current().client);
    }
    None
}

/// Why nothing is compared.
enum NoJob {
    /// It is not known what to compare with; the sender of the command is told.
    WrongArguments(Error),
    /// There is nothing to compare, or nothing to compare with; the user is told.
    NothingBefore(Problem),
}

impl From<Error> for NoJob {
    fn from(error: Error) -> Self {
        Self::WrongArguments(error)
    }
}

impl From<Problem> for NoJob {
    fn from(problem: Problem) -> Self {
        Self::NothingBefore(problem)
    }
}

/// The job for the loader.
fn job(current: &Current, wanted: CompareParams) -> std::result::Result<Job, NoJob> {
    let Some(shown) = &current.shown else {
        return Err(Problem::new("No trace is loaded that could be compared", "load one first").into());
    };
    Ok(match wanted {
        CompareParams { rev: Some(rev), .. } => {
            Job::CompareWith(of_commit(current, &shown.path, &rev)?, Some(rev))
        }
        CompareParams { before: Some(ComparedWith::Word(word)), .. } if word == "previous" => {
            Job::CompareWith(vec![previous(current, shown)?], None)
        }
        CompareParams { before: Some(ComparedWith::Word(path)), .. } => {
            Job::CompareWith(vec![path_of(&path)?], None)
        }
        CompareParams { before: Some(ComparedWith::Paths(paths)), .. } if !paths.is_empty() => {
            let mut paths: Vec<PathBuf> = paths.iter().map(|path| path_of(path)).collect::<Result<_>>()?;
            let mut seen = HashSet::new();
            paths.retain(|path| seen.insert(path.clone())); // a trace that is named twice is one run
            Job::CompareWith(paths, None)
        }
        CompareParams { .. } => return Err(Error::invalid_params(WHAT_IS_TAKEN).into()),
    })
}

fn path_of(text: &str) -> Result<PathBuf> {
    from_proto::named_path(text)
        .ok_or_else(|| Error::invalid_params(format!("{text} names no file. Give its file: URL.")))
}

/// The recordings of a commit: those of the command that the shown trace was recorded with, if that is known.
fn of_commit(current: &Current, shown: &Path, rev: &str) -> std::result::Result<Vec<PathBuf>, Problem> {
    let folder = folder_of(current, shown)
        .ok_or_else(|| Problem::new("No folder is open whose recordings could be looked for", "open one"))?;
    let mut found = recordings::recordings_of(&folder, rev)?;
    if let Some(head) = recordings::head(&one_of(shown)) {
        found.retain_named(&head.name);
    }
    match found.why_none() {
        Some(problem) => Err(problem),
        None => Ok(found.recordings.into_iter().map(|recording| recording.path).collect()),
    }
}

/// The previous measurement for the shown trace: the last recording of the same command, with its other runs if the shown
/// one has several; otherwise the newest older trace with the same name, or with the same extension.
fn previous(current: &Current, shown: &ShownTrace) -> std::result::Result<PathBuf, Problem> {
    let (path, one) = (&*shown.path, one_of(&shown.path));
    if let Some(folder) = folder_of(current, path)
        && let Some(before) = recordings::the_one_before(&folder, &one)?
    {
        let runs = before.parent().filter(|folder| path.is_dir() && Some(*folder) != path.parent());
        return Ok(runs.map_or_else(|| before.clone(), Path::to_path_buf));
    }
    let mut older: Vec<&KnownTrace> = current.traces.iter().collect(); // the newest first
    older.retain(|trace| {
        trace.stamp.is_some_and(|stamp| stamp < shown.stamp)
            && !trace.path.starts_with(path)
            && !matches!(trace.state, TraceState::Failed(_))
    });
    let of_name = older.iter().find(|trace| name(&trace.path) == name(&one));
    let found = of_name.or_else(|| older.iter().find(|trace| ending(&trace.path) == ending(&one)));
    found.map(|trace| trace.path.clone()).ok_or_else(|| {
        Problem::new(
            format!("There is no trace before {} in this workspace", current.name_of(path)),
            "name the file or folder to compare it with",
        )
    })
}

/// The workspace folder of a trace.
fn folder_of(current: &Current, trace: &Path) -> Option<PathBuf> {
    let folders = current.disk.folders();
    let folder = folders.iter().find(|folder| trace.starts_with(folder.as_str())).or(folders.first());
    folder.map(|folder| folder.as_str().into())
}

/// The trace itself, or the first one of a folder.
fn one_of(trace: &Path) -> PathBuf {
    let in_folder = open::files_in(trace).ok().and_then(|files| files.into_iter().next());
    in_folder.unwrap_or_else(|| trace.to_path_buf())
}

fn name(path: &Path) -> &OsStr {
    path.file_name().unwrap_or_default()
}

fn ending(path: &Path) -> &OsStr {
    let name = name(path).to_str().unwrap_or_default();
    let unpacked = name.strip_suffix(".gz").unwrap_or(name);
    OsStr::new(unpacked.rsplit_once('.').map_or("", |(_, ending)| ending))
}
