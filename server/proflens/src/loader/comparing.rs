//! Compares what is shown with the side before: when the user names one, and whenever something else is shown.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use analysis::recording::Recording;
use analysis::together::Placed;
use compare::comparison::Comparison;
use compare::run::Run;
use compare::texts;
use compare::verdict::Settings;
use compare::views::ComparedFunctions;
use compare::work::{Per, Work};
use profile::decode::Progress;
use profile::problem::Problem;
use profile::scope::Threads;
use tower_lsp::ls_types::MessageType;

use super::placing::{add_up_one, new_history_lookup, place};
use super::reading::Load;
use crate::open;
use crate::proto::to_proto;
use crate::scope_request::ScopeRequest;
use crate::state::queue::Job;
use crate::state::{Compared, Current, Placements, ShownTrace, SideBefore, State, only};
use crate::traces::{ReadError, ReadTrace, file_name};

/// Reads the side before and compares what is shown with it, as the user asked. `title` is its name, if that is not
/// derived from its files.
pub(super) fn compare_with(state: &Arc<State>, paths: &[PathBuf], title: Option<&str>) {
    let current = state.current();
    let Some(shown) = &current.shown else { return };
    let compared = read_before(state, &current, shown, paths, title).and_then(|before| {
        let functions = functions(&current, shown, &before)?;
        Ok(Compared { before, serial: shown.serial, functions })
    });
    match compared {
        Ok(compared) => {
            let comparison = &compared.functions.comparison;
            let title = &compared.before.title;
            state.editor.log(format!("Against {title}. {}", texts::sentences(comparison).join(" ")));
            ask_late_history(state, &compared);
            state.change(|current| current.compared = Some(compared.into()));
            state.editor.refresh(&current.client);
        }
        Err(ReadError::Unusable(problem)) => state.editor.error(&problem),
        Err(ReadError::Cancelled) => {}
    }
}

/// Compares again: settings have changed, or late answers from the git history have arrived.
pub(super) fn compare_again(state: &Arc<State>) {
    let current = state.current();
    let (Some(shown), Some(compared)) = (&current.shown, &current.compared) else { return };
    let renewed = renewed(state, &current, shown, compared.before.late_history.is_some());
    state.change(|current| current.keep_comparing(renewed));
    state.editor.refresh(&current.client);
}

/// Compares something else that is to be shown with the same side before, whose functions are located again if they may
/// have moved. `None` if nothing is compared, or if the two cannot be compared, which is reported to the user.
pub(super) fn renewed(
    state: &Arc<State>,
    current: &Current,
    shown: &ShownTrace,
    may_be_elsewhere: bool,
) -> Option<Arc<Compared>> {
    let mut before = current.compared.as_ref()?.before.clone();
    if may_be_elsewhere {
        let history = before.late_history.take().unwrap_or_else(|| new_history_lookup(state, current));
        before.placements = place(current, &before.profiles, Some(&shown.recording), &history, None).into();
        before.late_history = Some(history).filter(|lookup| lookup.is_late());
    }
    match functions(current, shown, &before) {
        Ok(functions) => {
            let compared = Compared { before, serial: shown.serial, functions };
            ask_late_history(state, &compared);
            Some(compared.into())
        }
        Err(problem) => {
            let what = format!("Nothing is compared any more: {}", problem.what);
            let problem = Problem { what, ..problem };
            state.editor.message(MessageType::INFO, to_proto::failure(&problem));
            None
        }
    }
}

fn read_before(
    state: &State,
    current: &Current,
    shown: &ShownTrace,
    paths: &[PathBuf],
    title: Option<&str>,
) -> Result<SideBefore, ReadError> {
    let name = paths.first().map(|path| file_name(path)).unwrap_or_default();
    let bytes = paths.iter().filter_map(|path| open::stamp(path)).map(|stamp| stamp.size).sum();
    let mut load = Load::start(state, current, &name, bytes);
    paths.iter().try_for_each(|path| load.read_trace(path, true))?;
    let history = new_history_lookup(state, current);
    let placements = place(current, &load.profiles, Some(&shown.recording), &history, None).into();
    if load.cancelled() {
        return Err(ReadError::Cancelled);
    }
    Ok(SideBefore {
        title: title.map_or_else(|| named(paths), str::to_owned),
        paths: paths.to_vec(),
        left_out: load.left_out,
        profiles: load.profiles.into(),
        placements,
        late_history: Some(history).filter(|lookup| lookup.is_late()),
    })
}

/// The display name of these files and folders.
fn named(paths: &[PathBuf]) -> String {
    match paths {
        [one] => file_name(one).into_owned(),
        [one, ..] => format!("{} and {} more", file_name(one), paths.len() - 1),
        [] => String::new(),
    }
}

/// Compares both sides, each in the scope of what is shown.
fn functions(
    current: &Current,
    shown: &ShownTrace,
    before: &SideBefore,
) -> Result<ComparedFunctions, Problem> {
    let traces_before = runs_before(shown, before);
    if traces_before.is_empty() {
        let what =
            format!("{} is what is shown, and a trace compared with itself tells nothing", before.title);
        return Err(Problem::new(what, "name another one"));
    }
    let scope = scope_of_runs(current, shown);
    let traces_after = one_by_one(&shown.profiles, &shown.placements);
    let [was, is] = [traces_before, traces_after].map(|side| runs(&side, &scope));
    let settings = Settings { noise: current.config.compare_noise.0 / 100.0, ..Settings::default() };
    let mut comparison = Comparison::of(&was, &is, Per::Machine, settings)?;
    comparison.problems.extend(before.left_out.iter().cloned());
    Ok(ComparedFunctions::new(comparison))
}

/// One trace of a side: a run.
struct RunTrace<'a> {
    name: &'a str,
    placed: &'a Placed,
    /// Its threads, if it was joined with others.
    threads: Option<Threads>,
}

impl RunTrace<'_> {
    fn add_up(&self, scope: &ScopeRequest) -> Recording {
        add_up_one(self.name, self.placed, self.threads.clone(), scope)
    }
}

/// Each trace that was read and placed, including those that were joined.
fn one_by_one<'a>(profiles: &'a [ReadTrace], placements: &'a Placements) -> Vec<RunTrace<'a>> {
    let mut all = Vec::new();
    for (read, placed) in profiles.iter().zip(&placements.placed) {
        for placed in placed {
            if placed.profile.joined.is_empty() {
                all.push(RunTrace { name: &read.name, placed, threads: None });
            }
            all.extend(placed.profile.joined.iter().map(|trace| RunTrace {
                name: &trace.name,
                placed,
                threads: Some(Threads::These(trace.threads.clone().collect())),
            }));
        }
    }
    all
}

/// The runs of the side before, without what is shown.
fn runs_before<'a>(shown: &ShownTrace, before: &'a SideBefore) -> Vec<RunTrace<'a>> {
    let after = one_by_one(&shown.profiles, &shown.placements);
    let names: HashSet<&str> = after.iter().map(|trace| trace.name).collect();
    let mut all = one_by_one(&before.profiles, &before.placements);
    all.retain(|trace| !names.contains(trace.name));
    all
}

/// The sum of the side before, in the scope of what is shown.
pub(crate) fn recording_before(current: &Current, shown: &ShownTrace, before: &SideBefore) -> Recording {
    let scope = scope_of_runs(current, shown);
    let runs = runs_before(shown, before);
    Recording::sum(runs.iter().map(|trace| trace.add_up(&scope)))
}

/// Which part of each run is looked at: threads and moments can only be chosen in a single trace.
fn scope_of_runs(current: &Current, shown: &ShownTrace) -> ScopeRequest {
    let chosen = current.scope_of(&shown.path);
    match only(&shown.profiles) {
        Some(_) => chosen,
        None => ScopeRequest { changes: chosen.changes, ..ScopeRequest::default() },
    }
}

fn runs(side: &[RunTrace<'_>], scope: &ScopeRequest) -> Vec<Run> {
    side.iter().map(|trace| Run::of(&trace.add_up(scope), Work(1))).collect()
}

/// Compares again once all questions to the git history are answered, if a late answer changes anything.
fn ask_late_history(state: &Arc<State>, compared: &Compared) {
    let Some(late_history) = &compared.before.late_history else { return };
    let state = Arc::clone(state);
    let delay = state.editor.progress_delay;
    late_history.when_answered(delay, move |is_news| {
        if is_news {
            state.queue.push(Job::CompareAgain);
        }
    });
}
