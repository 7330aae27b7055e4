//! Finds and loads traces: one thread, one job after the other, a newer wish for a trace in the place of the one
//! that waits.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use analysis::Recording;
use profile::{DecodeError, Watch};
use tokio::sync::oneshot;
use tower_lsp::ls_types::MessageType;

use super::progress::{Guard, Progress};
use super::{Session, Shown, State, Trace, TraceState};
use crate::disk::{self, Stamp};
use crate::logging;

/// A file that was written within this time may still be in writing.
const STILL: Duration = Duration::from_millis(150);
/// How long we wait for a file to lie still.
const STILL_PATIENCE: Duration = Duration::from_secs(3);
/// Buttons of the message that nothing could be placed.
const MAP_A_PATH: &str = "Map a path…";
const SHOW_LOG: &str = "Show log";

/// What there is to do for the loader.
#[derive(Default)]
pub(crate) struct Queue {
    jobs: Mutex<VecDeque<(Job, Vec<oneshot::Sender<()>>)>>,
    wake: Condvar,
    closed: AtomicBool,
}

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Job {
    /// Look which traces there are, and follow the newest if the user wants that.
    Find,
    /// Load this trace and show it: the user said so.
    Load(PathBuf),
    /// Place the shown trace again: settings or files are others now.
    Again,
}

/// How a load ended that shows nothing.
enum Failure {
    /// One sentence.
    Because(String),
    /// The user does not want it any more.
    Cancelled,
}

impl Queue {
    /// Adds a job, unless the same one waits already.
    pub(crate) fn push(&self, job: Job) {
        self.add(job, None);
    }

    /// The same; the answer comes when the job is done.
    pub(crate) fn push_and_wait(&self, job: Job) -> oneshot::Receiver<()> {
        let (done, wait) = oneshot::channel();
        self.add(job, Some(done));
        wait
    }

    /// Ends the loader after what it does now, which it is asked to give up.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        self.jobs().clear();
        self.wake.notify_all();
    }

    fn add(&self, job: Job, done: Option<oneshot::Sender<()>>) {
        let mut jobs = self.jobs();
        let same = jobs.iter().position(|it| it.0 == job).and_then(|at| jobs.remove(at));
        let mut waiting = same.map_or_else(Vec::new, |it| it.1);
        waiting.extend(done);
        jobs.push_back((job, waiting));
        self.wake.notify_all();
    }

    fn next(&self) -> Option<(Job, Vec<oneshot::Sender<()>>)> {
        let is_idle = |jobs: &mut VecDeque<_>| jobs.is_empty() && !self.is_closed();
        let mut jobs = self.wake.wait_while(self.jobs(), is_idle).unwrap_or_else(PoisonError::into_inner);
        if self.is_closed() { None } else { jobs.pop_front() }
    }

    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    fn jobs(&self) -> MutexGuard<'_, VecDeque<(Job, Vec<oneshot::Sender<()>>)>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Starts the loader's thread. It ends when the queue is closed.
pub(crate) fn start(state: Arc<State>) {
    std::thread::spawn(move || {
        while let Some((job, waiting)) = state.queue.next() {
            let work = AssertUnwindSafe(|| perform(&state, &job));
            if std::panic::catch_unwind(work).is_err() {
                logging::error(&format!("{job:?} failed; the server goes on."));
            }
            for done in waiting {
                let _ = done.send(()); // who waited may have gone
            }
        }
    });
}

fn perform(state: &State, job: &Job) {
    match job {
        Job::Find => find(state),
        Job::Load(path) => load_for_user(state, path),
        Job::Again => {
            let shown = state.session().shown.as_ref().map(|it| it.path.clone());
            if let Some(path) = shown {
                follow(state, &path);
            }
        }
    }
}

/// Looks for traces, and loads what is newer than what is shown.
fn find(state: &State) {
    let session = state.session();
    session.disk.forget();
    let found = session.disk.traces(&session.config.traces);
    state.change(|it| it.traces = merged(&it.traces, &found, it.shown.as_deref()));
    if let Some(shown) = &session.shown
        && disk::stamp(&shown.path).is_some_and(|it| it != shown.stamp)
    {
        follow(state, &shown.path);
        return;
    }
    if !session.config.auto_load {
        return;
    }
    let known = session.shown.as_ref().map(|it| it.stamp).max(session.dismissed);
    let news = found.iter().filter(|it| known.is_none_or(|known| it.stamp > known));
    for trace in news {
        let has_failed = session.traces.iter().any(|it| {
            it.path == trace.path
                && it.stamp == Some(trace.stamp)
                && matches!(it.state, TraceState::Failed(_))
        });
        if !has_failed && follow(state, &trace.path) {
            return;
        }
    }
}

/// Loads what was found or has changed; whether that went well. Only a file that the settings name is worth a
/// message: others may not be meant for us.
fn follow(state: &State, path: &Path) -> bool {
    wait_until_still(path);
    match load(state, path) {
        Ok(()) => true,
        Err(Failure::Cancelled) => {
            // Not again by itself.
            state.change(|it| it.dismissed = it.dismissed.max(disk::stamp(path)));
            true
        }
        Err(Failure::Because(sentence)) => {
            let session = state.session();
            let named =
                session.disk.traces(&session.config.traces).iter().any(|it| it.named && it.path == path);
            if named {
                state.editor.message(MessageType::ERROR, sentence);
            } else {
                state.editor.log(sentence);
            }
            false
        }
    }
}

fn load_for_user(state: &State, path: &Path) {
    if let Err(Failure::Because(sentence)) = load(state, path) {
        state.editor.message(MessageType::ERROR, sentence);
    }
}

/// Loads a trace and shows it. What was shown stays when that fails.
fn load(state: &State, path: &Path) -> Result<(), Failure> {
    let session = state.session();
    let name = session.name_of(path);
    state.change(|it| it.set(path, TraceState::Loading));
    let result = read(state, &session, path, &name);
    let (recording, stamp) = result.inspect_err(|failure| {
        let became = match failure {
            Failure::Because(sentence) => TraceState::Failed(sentence.clone()),
            Failure::Cancelled => TraceState::Found,
        };
        state.change(|it| it.set(path, became));
        state.editor.refresh(&session.client); // what is known has changed, and clients of ours show that
    })?;
    let shown = Arc::new(Shown { path: path.to_path_buf(), stamp, recording });
    state.change(|it| it.show(shown.clone()));
    state.editor.refresh(&session.client);
    tell(state, &session, &name, &shown.recording);
    Ok(())
}

fn read(state: &State, session: &Session, path: &Path, name: &str) -> Result<(Recording, Stamp), Failure> {
    let cannot =
        |why| Failure::Because(format!("{name} cannot be read: {why}. Check the path and its permissions."));
    let (mut file, about) = disk::open(path).map_err(cannot)?;
    let stamp = disk::stamp(path).ok_or_else(|| cannot("there is no such file".into()))?;
    let title = path.file_name().map_or(name.into(), |it| it.to_string_lossy());
    let progress = Progress::start(&state.editor, &title, about.len(), session.client.progress);
    let watch = Watching { progress: &progress, queue: &state.queue };
    let profile = profile::decode(&mut file, name, &watch).map_err(|error| match error {
        DecodeError::Cancelled => Failure::Cancelled,
        error => Failure::Because(error.sentence(name)),
    })?;
    let locate = session.locate_settings();
    let settings = analysis::LoadSettings { locate: &locate, maps: &|_| true };
    let recording = analysis::load(name, &profile, &*session.disk, &settings);
    if watch.cancelled() { Err(Failure::Cancelled) } else { Ok((recording, stamp)) }
}

/// Tells the log what was loaded, and the user if none of it can be seen.
fn tell(state: &State, session: &Session, name: &str, recording: &Recording) {
    let ledger = &recording.summary.ledger;
    let samples = analysis::display::count(recording.samples(), "sample");
    let placed = analysis::display::percent(ledger.placed_share(), analysis::display::Style::Text);
    state.editor.log(format!("{name}: {samples}, {placed} of the active time placed."));
    for problem in &recording.problems {
        state.editor.log(format!("{}: {}; {}.", problem.place, problem.what, problem.hint));
    }
    let outside = recording.resources_outside();
    if !recording.summary.definitions.is_empty() || outside.is_empty() {
        return;
    }
    let what = match outside.len() {
        1 => format!("the only script URL of {name} does not lie in this workspace"),
        count => format!("none of the {count} script URLs of {name} lie in this workspace"),
    };
    for url in outside.iter().take(10) {
        state.editor.log(format!("Not in this workspace: {url}"));
    }
    let (editor, is_ours, example) = (state.editor.clone(), session.client.is_ours, outside[0].to_string());
    let buttons = [MAP_A_PATH, SHOW_LOG].map(String::from);
    state.editor.ask(MessageType::WARNING, format!("No hints: {what}."), buttons, move |clicked| match &*clicked {
        SHOW_LOG if is_ours => editor.act("showLog"),
        _ if is_ours => editor.act("mapPath"),
        SHOW_LOG => editor.message(MessageType::INFO, "The log is where your editor keeps the output of language servers."),
        _ => editor.message(
            MessageType::INFO,
            format!(
                "Add to the setting proflens.pathMappings an entry {{ \"from\": \"…\", \"to\": \"${{workspaceFolder}}/…\" }}, \
                 where \"from\" is the beginning of {example}."
            ),
        ),
    });
}

/// Waits until nobody has written to a file for a moment.
fn wait_until_still(path: &Path) {
    let since = SystemTime::now();
    while let Some(stamp) = disk::stamp(path) {
        let still = SystemTime::now().duration_since(stamp.modified).unwrap_or(STILL);
        let waited = SystemTime::now().duration_since(since).unwrap_or(STILL_PATIENCE);
        if still >= STILL || waited >= STILL_PATIENCE {
            return;
        }
        std::thread::sleep(STILL - still);
    }
}

/// What was found, with what is known of it, and what is shown in any case.
fn merged(known: &[Trace], found: &[disk::Trace], shown: Option<&Shown>) -> Vec<Trace> {
    let mut traces: Vec<Trace> = found
        .iter()
        .map(|it| {
            let before = known.iter().find(|known| known.path == it.path && known.stamp == Some(it.stamp));
            let state = before.map_or(TraceState::Found, |it| it.state.clone());
            Trace { path: it.path.clone(), stamp: Some(it.stamp), state }
        })
        .collect();
    let others = known.iter().filter(|it| found.iter().all(|found| found.path != it.path));
    let still_shown = others.filter(|it| shown.is_some_and(|shown| shown.path == it.path));
    traces.extend(still_shown.cloned());
    traces
}

/// A load stops when the user cancels it, and when the server ends.
struct Watching<'a> {
    progress: &'a Guard,
    queue: &'a Queue,
}

impl Watch for Watching<'_> {
    fn read(&self, bytes: u64) {
        self.progress.read(bytes);
    }

    fn cancelled(&self) -> bool {
        self.progress.cancelled() || self.queue.is_closed()
    }
}

impl Session {
    /// Shows a trace.
    fn show(&mut self, shown: Arc<Shown>) {
        self.put_aside();
        self.set(&shown.path.clone(), TraceState::Loaded);
        self.dismissed = None;
        self.shown = Some(shown);
    }

    /// Shows none, until a newer one comes or the user chooses.
    pub(crate) fn unload(&mut self) {
        self.put_aside();
        self.dismissed = self.traces.iter().filter_map(|it| it.stamp).max();
        self.shown = None;
    }

    /// Forgets that a trace failed.
    pub(crate) fn forgive(&mut self, path: &Path) {
        if self.shown.as_ref().is_none_or(|it| it.path != path) {
            self.traces.retain(|it| it.path != path || !matches!(it.state, TraceState::Failed(_)));
        }
    }

    fn put_aside(&mut self) {
        let Some(shown) = &self.shown else { return };
        if let Some(trace) = self.traces.iter_mut().find(|it| it.path == shown.path) {
            trace.state = TraceState::Found;
        }
    }

    fn set(&mut self, path: &Path, state: TraceState) {
        let stamp = disk::stamp(path);
        match self.traces.iter_mut().find(|it| it.path == path) {
            Some(trace) => (trace.stamp, trace.state) = (stamp, state),
            None => self.traces.push(Trace { path: path.to_path_buf(), stamp, state }),
        }
        self.traces.sort_by(|a, b| b.stamp.cmp(&a.stamp).then_with(|| a.path.cmp(&b.path)));
    }
}
