//! Commands that compare what is shown with what was measured before.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use analysis::Files;
use compare::texts;
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
use crate::state::{Compared, Session, ShownTrace, State, TraceState};

const WHAT_IS_TAKEN: &str = "Name what to compare with: { before } or { rev }.";

/// Compares what is shown with recordings before; answers with what came out.
pub(super) async fn compare_with(state: &Arc<State>, arguments: Vec<Value>) -> Result<Option<Value>> {
    let wanted = arguments.into_iter().next().unwrap_or_default();
    let wanted = CompareParams::deserialize(wanted).map_err(|_| Error::invalid_params(WHAT_IS_TAKEN))?;
    let session = state.session();
    let known = session.compared.as_ref().map(|it| Arc::clone(&it.before.profiles));
    let job = match compute(state, move || job(&session, wanted)).await?? {
        Ok(job) => job,
        Err(sentence) => {
            state.editor.message(MessageType::ERROR, sentence);
            return Ok(None);
        }
    };
    // An error means that the server shuts down.
    let _ = state.queue.push_and_wait(job).await;
    let session = state.session();
    // What was compared before stays where the new one failed, which the loader has told.
    let is_news = |it: &&Arc<Compared>| known.is_none_or(|known| !Arc::ptr_eq(&known, &it.before.profiles));
    let Some(compared) = session.comparison().filter(is_news) else { return Ok(None) };
    if !session.client.is_ours {
        let mut lines = vec![format!("Against {}:", compared.before.title)];
        lines.extend(texts::sentences(&compared.functions.comparison));
        state.editor.message_of_lines(MessageType::INFO, &lines);
    }
    Ok(Some(json!(comparison(compared))))
}

/// Shows costs again.
pub(super) fn stop(state: &State) -> Option<Value> {
    let was = state.change(|it| it.compared.take());
    if was.is_some() {
        state.editor.refresh(&state.session().client);
    }
    None
}

/// What the loader has to do; a sentence for the user where there is nothing to compare with.
fn job(session: &Session, wanted: CompareParams) -> Result<std::result::Result<Job, String>> {
    let Some(shown) = &session.shown else {
        return Ok(Err("No trace is loaded that could be compared. Load one first.".to_owned()));
    };
    Ok(match wanted {
        CompareParams { rev: Some(rev), .. } => {
            of_commit(session, &shown.path, &rev).map(|found| Job::CompareWith(found, Some(rev)))
        }
        CompareParams { before: Some(ComparedWith::Word(word)), .. } if word == "previous" => {
            previous(session, shown).map(|it| Job::CompareWith(vec![it], None))
        }
        CompareParams { before: Some(ComparedWith::Word(path)), .. } => {
            Ok(Job::CompareWith(vec![path_of(&path)?], None))
        }
        CompareParams { before: Some(ComparedWith::Paths(paths)), .. } if !paths.is_empty() => {
            let mut paths: Vec<PathBuf> = paths.iter().map(|it| path_of(it)).collect::<Result<_>>()?;
            let mut seen = HashSet::new();
            paths.retain(|it| seen.insert(it.clone())); // a trace that is named twice is one run
            Ok(Job::CompareWith(paths, None))
        }
        CompareParams { .. } => return Err(Error::invalid_params(WHAT_IS_TAKEN)),
    })
}

fn path_of(text: &str) -> Result<PathBuf> {
    from_proto::named_path(text)
        .ok_or_else(|| Error::invalid_params(format!("{text} names no file. Give its file: URL.")))
}

/// The recordings of a commit: those of the command that was recorded after, if that is known.
fn of_commit(session: &Session, shown: &Path, rev: &str) -> std::result::Result<Vec<PathBuf>, String> {
    let folder = folder_of(session, shown);
    let folder = folder.ok_or("No folder is open whose recordings could be looked for. Open one.")?;
    let mut found = recordings::recordings_of(&folder, rev)?;
    if let Some(head) = recordings::head(&one_of(shown)) {
        found.retain_named(&head.name);
    }
    match found.why_none() {
        Some(sentence) => Err(sentence),
        None => Ok(found.recordings.into_iter().map(|it| it.path).collect()),
    }
}

/// What was measured before the shown trace: the recording of the same command, with its other runs if the shown one has several; or
/// else the newest older trace of the same name, or of the same ending.
fn previous(session: &Session, shown: &ShownTrace) -> std::result::Result<PathBuf, String> {
    let (path, one) = (&*shown.path, one_of(&shown.path));
    if let Some(folder) = folder_of(session, path)
        && let Some(before) = recordings::the_one_before(&folder, &one)?
    {
        let runs = before.parent().filter(|it| path.is_dir() && Some(*it) != path.parent());
        return Ok(runs.map_or_else(|| before.clone(), Path::to_path_buf));
    }
    let older = session.traces.iter().filter(|it| {
        it.stamp.is_some_and(|it| it < shown.stamp)
            && !it.path.starts_with(path)
            && !matches!(it.state, TraceState::Failed(_))
    });
    let older: Vec<&Path> = older.map(|it| &*it.path).collect(); // the newest first
    let same = |of: fn(&Path) -> &OsStr| older.iter().find(|it| of(it) == of(&one));
    let found = same(name).or_else(|| same(ending)).ok_or_else(|| {
        format!(
            "There is no trace before {} in this workspace. Name the file or folder to compare it with.",
            session.name_of(path)
        )
    });
    found.map(|it| it.to_path_buf())
}

/// The workspace folder of a trace.
fn folder_of(session: &Session, trace: &Path) -> Option<PathBuf> {
    let folders = session.disk.folders();
    let folder = folders.iter().find(|it| trace.starts_with(it.as_str())).or(folders.first());
    folder.map(|it| it.as_str().into())
}

/// The trace itself, or the first one of a folder.
fn one_of(trace: &Path) -> PathBuf {
    let in_folder = open::files_in(trace).ok().and_then(|it| it.into_iter().next());
    in_folder.unwrap_or_else(|| trace.to_path_buf())
}

fn name(path: &Path) -> &OsStr {
    path.file_name().unwrap_or_default()
}

fn ending(path: &Path) -> &OsStr {
    let name = name(path).to_str().unwrap_or_default();
    let name = name.strip_suffix(".gz").unwrap_or(name);
    name.rsplit_once('.').map_or(OsStr::new(""), |it| OsStr::new(it.1))
}
