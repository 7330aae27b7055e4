//! Finds and loads traces, and places the shown one again: one thread, one job after the other.

pub(crate) mod comparing;
mod counting;
pub(crate) mod notify;
mod placing;
mod quiet;
mod reading;
pub(crate) mod watching;

use std::io;
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::Arc;

use analysis::views::GroupBy;
use profile::decode::Progress;
use profile::model::Counts;
use profile::problem::Problem;
use tower_lsp::ls_types::MessageType;

use crate::disk;
use crate::logging;
use crate::open::{self, Stamp};
use crate::proto::to_proto;
use crate::state::queue::{Job, QUIET_TIME};
use crate::state::{Current, HistoryLookup, KnownTrace, ShownTrace, State, TraceState};
use crate::traces::{self, ReadError, file_name};
use counting::JoinedCalls;
use notify::notify_placed;
use placing::{add_up, deciding_files, new_history_lookup, place};
use quiet::{time_until_quiet, wait_until_quiet};
use reading::{Load, leads_out};

/// Starts the loader's thread. It ends when the queue is closed.
pub(crate) fn start(state: Arc<State>) {
    std::thread::spawn(move || {
        while let Some((job, waiting)) = state.queue.next() {
            let work = AssertUnwindSafe(|| perform(&state, &job));
            if std::panic::catch_unwind(work).is_err() {
                logging::error(&format!("{job:?} failed; the server goes on."));
            }
            state.queue.done();
            for done in waiting {
                let _ = done.send(()); // fails if nobody waits any more
            }
        }
    });
}

fn perform(state: &Arc<State>, job: &Job) {
    match job {
        Job::Find => find(state),
        Job::Load(path) => load_for_user(state, path),
        Job::PlaceAgain => place_again(state, None),
        Job::AddUpAgain => add_up_again(state),
        Job::Rebuilt => {
            state.queue.settle(job);
            place_again(state, None);
        }
        Job::Refine => {
            let late_history = state.current().shown.as_ref().and_then(|shown| shown.late_history.clone());
            if late_history.is_some() {
                place_again(state, late_history);
            }
        }
        Job::CompareWith(paths, title) => comparing::compare_with(state, paths, title.as_deref()),
        Job::CompareAgain => comparing::compare_again(state),
    }
}

/// Looks for traces: reads the shown one again if it changed, and loads a newer one.
fn find(state: &Arc<State>) {
    let current = state.current();
    current.disk.invalidate();
    let disk::FoundTraces { traces: found, problems } = current.disk.traces(&current.globs.traces);
    for problem in problems.iter().filter(|problem| !current.not_searched.contains(problem)) {
        state.editor.log(format!("{} {}", problem.what, problem.hint));
    }
    state.change(|current| current.not_searched = problems);
    let Some(shown) = &current.shown else {
        list(state, &current, &found, None);
        load_newer(state, &current, &found, None);
        return;
    };
    // A program that rewrites a file may remove it for a moment.
    if current.stamp(&shown.path).is_none() {
        std::thread::sleep(QUIET_TIME);
    }
    let now = current.stamp(&shown.path);
    let kept = now.and(current.shown.as_deref());
    list(state, &current, &found, kept);
    if now.is_some_and(|stamp| stamp != shown.stamp) {
        follow(state, &shown.path);
    } else if now.is_none() {
        load_newer(state, &current, &found, None);
        if state.change(|current| current.remove_missing(shown)) {
            state.editor.refresh(&current.client);
        }
    } else if !load_newer(state, &current, &found, Some(shown.stamp)) && shown.is_outdated(&current.disk) {
        place_again(state, None);
    }
}

/// Lists the traces that were found. Editors show the list, and are told if one disappeared without having been shown.
fn list(state: &Arc<State>, current: &Current, found: &[disk::FoundTrace], kept: Option<&ShownTrace>) {
    let is_any_gone = state.change(|current| {
        let traces = merged(&current.traces, found, kept);
        let before = std::mem::replace(&mut current.traces, traces);
        before.iter().any(|known| current.traces.iter().all(|listed| listed.path != known.path))
    });
    if is_any_gone {
        state.editor.refresh(&current.client);
    }
}

/// Loads the newest trace that is newer than the shown one, if the user wants that. Returns whether one was loaded.
fn load_newer(
    state: &Arc<State>,
    current: &Current,
    found: &[disk::FoundTrace],
    shown: Option<Stamp>,
) -> bool {
    if !current.config.auto_load {
        return false;
    }
    let known = shown.max(current.dismissed);
    for trace in found.iter().filter(|trace| known.is_none_or(|known| trace.stamp > known)) {
        let has_failed = current.traces.iter().any(|known| {
            known.path == trace.path
                && known.stamp == Some(trace.stamp)
                && matches!(known.state, TraceState::Failed(_))
        });
        if !has_failed && follow(state, &trace.path) {
            return true;
        }
    }
    false
}

/// Places the shown trace again without reading it again, with the answers from the git history in `answered`, if any.
/// Reads it if the file has changed.
fn place_again(state: &Arc<State>, answered: Option<Arc<HistoryLookup>>) {
    let current = state.current();
    let Some(shown) = &current.shown else { return };
    if current.stamp(&shown.path).is_some_and(|stamp| stamp != shown.stamp) {
        follow(state, &shown.path);
        return;
    }
    let history = answered.unwrap_or_else(|| new_history_lookup(state, &current));
    place_shown(state, &current, shown, shown.counts.clone(), history);
}

/// Places the shown trace again, with these calls from another run, and shows the result; `None` if the user cancelled
/// that, or if something else is shown by then.
fn place_shown(
    state: &Arc<State>,
    current: &Current,
    shown: &Arc<ShownTrace>,
    counts: Option<Arc<Counts>>,
    history: Arc<HistoryLookup>,
) -> Option<Arc<ShownTrace>> {
    let title = format!("Placing {}…", file_name(&shown.path));
    let progress = state.editor.start_progress(title, 1, current.client.progress);
    progress.read(1);
    let scope = current.scope_of(&shown.path);
    let placements = place(current, &shown.profiles, Some(&shown.recording), &history, counts.as_deref());
    let recording = add_up(&shown.profiles, &placements, &scope, &shown.left_out);
    let replacement = Arc::new(ShownTrace {
        serial: ShownTrace::next_serial(),
        deciding_files: deciding_files(current, &recording),
        counts,
        recording: recording.into(),
        placements: placements.into(),
        late_history: Some(history).filter(|lookup| lookup.is_late()),
        ..ShownTrace::clone(shown)
    });
    let compared = comparing::renewed(state, current, &replacement, true);
    let is_shown =
        !progress.cancelled() && state.change(|current| current.replace(shown, &replacement, compared));
    is_shown.then(|| {
        announce(state, current, &replacement);
        refine_later(state, current, &replacement);
        replacement
    })
}

/// Adds up the part of the shown trace that is to be looked at now. Nothing is placed again, so this only takes a moment.
fn add_up_again(state: &Arc<State>) {
    let current = state.current();
    let Some(shown) = &current.shown else { return };
    let scope = current.scope_of(&shown.path);
    let recording = add_up(&shown.profiles, &shown.placements, &scope, &shown.left_out);
    let serial = ShownTrace::next_serial();
    let replacement =
        Arc::new(ShownTrace { serial, recording: recording.into(), ..ShownTrace::clone(shown) });
    let compared = comparing::renewed(state, &current, &replacement, false);
    if state.change(|current| current.replace(shown, &replacement, compared)) {
        announce(state, &current, &replacement);
    }
}

/// Announces that something else is shown. The sums for lists of files and folders are computed before anybody asks for them.
fn announce(state: &Arc<State>, current: &Current, shown: &ShownTrace) {
    state.editor.refresh(&current.client);
    notify_placed(state, current, shown);
    shown.recording.call_stacks.groups(GroupBy::File);
    // How certain costs are takes a walk over all samples, for which the next hover would wait.
    for file in state.documents.files_with_costs() {
        for (_, measured) in shown.recording.in_file(&file) {
            shown.recording.summary.intervals(measured);
        }
    }
}

/// Places a trace again once all questions to the git history are answered, if a late answer changes anything.
fn refine_later(state: &Arc<State>, current: &Current, shown: &ShownTrace) {
    let Some(late_history) = &shown.late_history else { return };
    let (state, disk, known) = (Arc::clone(state), current.disk.clone(), shown.recording.problems.clone());
    late_history.when_answered(state.editor.progress_delay, move |is_news| {
        if is_news || disk.history_problems().any(|problem| !known.contains(&problem)) {
            state.queue.push(Job::Refine);
        }
    });
}

/// Loads a trace that was found or has changed. Returns whether that succeeded. Failures are only shown as a message for
/// files that the settings name: other files may not be traces at all.
fn follow(state: &Arc<State>, path: &Path) -> bool {
    match load(state, path) {
        Ok(()) => true,
        Err(ReadError::Cancelled) => {
            // It is not loaded again automatically.
            state.change(|current| current.dismissed = current.dismissed.max(current.stamp(path)));
            true
        }
        Err(ReadError::Unusable(problem)) => {
            let current = state.current();
            let found = current.disk.traces(&current.globs.traces).traces;
            if found.iter().any(|trace| trace.named && trace.path == path) {
                state.editor.error(&problem);
            } else {
                state.editor.log(to_proto::failure(&problem));
            }
            false
        }
    }
}

fn load_for_user(state: &Arc<State>, path: &Path) {
    state.change(|current| current.named.insert(path.to_path_buf()));
    match load(state, path) {
        // An earlier trace is not loaded in its place, even if it is newer.
        Ok(()) => state.change(|current| current.dismissed = current.newest_stamp()),
        Err(ReadError::Unusable(problem)) => join_calls(state, path, problem),
        Err(ReadError::Cancelled) => {}
    }
}

/// Joins the calls of coverage to the shown trace. If the file is not coverage either, reports this `problem`, which says
/// why it is not a trace.
fn join_calls(state: &Arc<State>, path: &Path, problem: Problem) {
    let current = state.current();
    let Some(calls) = counting::calls_of(state, &current, path) else {
        state.editor.error(&problem);
        return;
    };
    state.change(|current| current.forget(path));
    state.editor.refresh(&current.client);
    match calls {
        Ok(JoinedCalls { counts, shown }) => {
            let history = new_history_lookup(state, &current);
            if let Some(shown) = place_shown(state, &current, shown, Some(counts), history) {
                state.editor.message(MessageType::INFO, counting::joined(path, &shown));
            }
        }
        Err(problem) => state.editor.error(&problem),
    }
}

/// Loads a trace and shows it. If that fails, the previous one stays.
fn load(state: &Arc<State>, path: &Path) -> Result<(), ReadError> {
    let current = state.current();
    let name = current.name_of(path);
    state.change(|current| current.set_state(path, TraceState::Loading));
    let result = read_when_written(state, &current, path, &name);
    let shown = result.map(Arc::new).inspect_err(|failure| {
        let became = match failure {
            ReadError::Unusable(problem) => TraceState::Failed(problem.clone()),
            ReadError::Cancelled => TraceState::Found,
        };
        state.change(|current| current.set_state(path, became));
        state.editor.refresh(&current.client); // our own clients show the state of every trace
    })?;
    let compared = comparing::renewed(state, &current, &shown, true);
    state.change(|current| current.show(Arc::clone(&shown), compared));
    announce(state, &current, &shown);
    refine_later(state, &current, &shown);
    Ok(())
}

/// Reads a trace that somebody may still be writing. A new file is read at once, since most are complete when they are
/// found, and is looked at again once nobody writes to it. For a folder of traces and for the file that is shown, it
/// waits for that first, because a part would pass for the whole, or replace it.
fn read_when_written(
    state: &Arc<State>,
    current: &Current,
    path: &Path,
    name: &str,
) -> Result<ShownTrace, ReadError> {
    let is_shown = current.shown.as_ref().is_some_and(|shown| shown.path == path);
    if !is_shown && !path.is_dir() && time_until_quiet(current, path).is_some() {
        match read(state, current, path, name) {
            Err(ReadError::Unusable(_)) => {} // it may not be complete
            Err(ReadError::Cancelled) => return Err(ReadError::Cancelled),
            Ok(shown) => {
                look_again(state, current, &shown);
                return Ok(shown);
            }
        }
    }
    wait_until_quiet(current, path);
    read(state, current, path, name)
}

/// Once nobody writes to this trace any more, looks for traces again if it has changed since it was read.
fn look_again(state: &Arc<State>, current: &Current, shown: &ShownTrace) {
    let (state, current) = (Arc::clone(state), current.clone());
    let (path, stamp) = (shown.path.clone(), shown.stamp);
    std::thread::spawn(move || {
        wait_until_quiet(&current, &path);
        if current.stamp(&path) != Some(stamp) {
            state.queue.push(Job::Find);
        }
    });
}

fn read(state: &State, current: &Current, path: &Path, name: &str) -> Result<ShownTrace, ReadError> {
    if path.exists() && !current.reaches(path) {
        return Err(leads_out(name).into());
    }
    let is_folder = path.is_dir();
    let Some(mut stamp) = open::stamp(path) else {
        let missing = io::Error::from(io::ErrorKind::NotFound);
        let problem =
            if is_folder { traces::why_empty(path, name) } else { open::unreadable(name, &missing) };
        return Err(problem.into());
    };
    let mut load = Load::start(state, current, &file_name(path), stamp.size);
    load.read_trace(path, current.is_named(path))?;
    if let ([read], false) = (&load.profiles[..], is_folder) {
        stamp = read.stamp.unwrap_or(stamp);
    }
    let history = new_history_lookup(state, current);
    let placements = place(current, &load.profiles, None, &history, None);
    let recording = add_up(&load.profiles, &placements, &current.scope_of(path), &load.left_out);
    if load.cancelled() {
        return Err(ReadError::Cancelled);
    }
    let deciding_files = deciding_files(current, &recording);
    let late_history = Some(history).filter(|lookup| lookup.is_late());
    Ok(ShownTrace {
        serial: ShownTrace::next_serial(),
        path: path.to_path_buf(),
        stamp,
        profiles: load.profiles.into(),
        left_out: load.left_out,
        counts: None,
        recording: recording.into(),
        placements: placements.into(),
        deciding_files,
        late_history,
    })
}

/// The traces that were found, each in the state that it already has. Traces that were not found, because somebody named
/// them, are kept if they are shown, being read, or could not be read and still exist.
fn merged(known: &[KnownTrace], found: &[disk::FoundTrace], shown: Option<&ShownTrace>) -> Vec<KnownTrace> {
    let listed = found.iter().map(|trace| {
        let before = known.iter().find(|known| known.path == trace.path && known.stamp == Some(trace.stamp));
        let state = before.map_or(TraceState::Found, |known| known.state.clone());
        KnownTrace { path: trace.path.clone(), stamp: Some(trace.stamp), state }
    });
    let others = known.iter().filter(|known| {
        let is_shown = shown.is_some_and(|shown| shown.path == known.path);
        let is_kept = match known.state {
            TraceState::Loading => true,
            TraceState::Failed(_) => is_shown || known.path.is_file(),
            TraceState::Found | TraceState::Loaded => is_shown,
        };
        is_kept && found.iter().all(|found| found.path != known.path)
    });
    listed.chain(others.cloned()).collect()
}
