//! Commands that compare what is shown with what was measured before.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use compare::texts;
use serde::Deserialize;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::MessageType;

use crate::handlers::status::comparison;
use crate::proto::compare::{CompareParams, ComparedWith};
use crate::proto::from_proto;
use crate::state::queue::Job;
use crate::state::{Session, State, TraceState};

/// So long is the time with which the name of a recording begins, with the dash after it: `2026-11-22T20-12-42-`.
const TIME_OF_NAME: usize = 20;

/// Compares what is shown with recordings before; answers with what came out.
pub(super) async fn compare_with(state: &Arc<State>, arguments: Vec<Value>) -> Result<Option<Value>> {
    let wanted = arguments.into_iter().next().unwrap_or_default();
    let wanted = CompareParams::deserialize(wanted)
        .map_err(|_| Error::invalid_params("Name what to compare with: { before } or { rev }."))?;
    let session = state.session();
    let job = match job(&session, wanted)? {
        Ok(job) => job,
        Err(sentence) => {
            state.editor.message(MessageType::ERROR, sentence);
            return Ok(None);
        }
    };
    // An error means that the server shuts down.
    let _ = state.queue.push_and_wait(job).await;
    let session = state.session();
    let Some(compared) = session.comparison() else { return Ok(None) };
    if !session.client.is_ours {
        let sentences = texts::sentences(&compared.functions.comparison).join("\n");
        state.editor.message(MessageType::INFO, format!("Against {}:\n{sentences}", compared.before.title));
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
    if session.shown.is_none() {
        return Ok(Err("No trace is loaded that could be compared. Load one first.".to_owned()));
    }
    Ok(match wanted {
        CompareParams { rev: Some(rev), .. } => Err(format!(
            "The recordings of {rev} cannot be looked for yet. Name the files or the folder of the recordings."
        )),
        CompareParams { before: Some(ComparedWith::Word(word)), .. } if word == "previous" => {
            previous(session).map(|it| Job::CompareWith(vec![it], None))
        }
        CompareParams { before: Some(ComparedWith::Word(path)), .. } => {
            Ok(Job::CompareWith(vec![path_of(&path)?], None))
        }
        CompareParams { before: Some(ComparedWith::Paths(paths)), .. } if !paths.is_empty() => {
            let mut paths: Vec<PathBuf> = paths.iter().map(|it| path_of(it)).collect::<Result<_>>()?;
            let mut seen = std::collections::HashSet::new();
            paths.retain(|it| seen.insert(it.clone()));
            Ok(Job::CompareWith(paths, None))
        }
        CompareParams { .. } => {
            return Err(Error::invalid_params("Name what to compare with: { before } or { rev }."));
        }
    })
}

fn path_of(text: &str) -> Result<PathBuf> {
    from_proto::named_path(text)
        .ok_or_else(|| Error::invalid_params(format!("{text} names no file. Give its file: URL.")))
}

/// The trace before the shown one: the newest older one that has the same name but for its time, or else the same ending.
fn previous(session: &Session) -> std::result::Result<PathBuf, String> {
    let shown = session.shown.as_ref().expect("it was asked before");
    let name = session.name_of(&shown.path);
    let older = session.traces.iter().filter(|it| {
        it.stamp.is_some_and(|it| it < shown.stamp)
            && !it.path.starts_with(&shown.path)
            && !matches!(it.state, TraceState::Failed(_))
    });
    let older: Vec<&Path> = older.map(|it| &*it.path).collect(); // the newest first
    let same = |of: fn(&Path) -> &OsStr| older.iter().find(|it| of(it) == of(&shown.path));
    let found = same(name_without_time).or_else(|| same(ending)).ok_or_else(|| {
        format!(
            "There is no trace before {name} in this workspace. Name the file or folder to compare it with."
        )
    });
    found.map(|it| it.to_path_buf())
}

/// What was recorded, by the name of the file: `node-app.json.gz`.
fn name_without_time(path: &Path) -> &OsStr {
    let name = path.file_name().unwrap_or_default();
    let rest = name.to_str().filter(|it| is_time(it.as_bytes())).map(|it| &it[TIME_OF_NAME..]);
    rest.map_or(name, OsStr::new)
}

fn is_time(name: &[u8]) -> bool {
    let shape = b"0000-00-00T00-00-00-";
    let fits = |(&it, &shape): (&u8, &u8)| if shape == b'0' { it.is_ascii_digit() } else { it == shape };
    name.len() > TIME_OF_NAME && name.iter().zip(shape).all(fits)
}

fn ending(path: &Path) -> &OsStr {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let name = name.strip_suffix(".gz").unwrap_or(name);
    name.rsplit_once('.').map_or(OsStr::new(""), |it| OsStr::new(it.1))
}
