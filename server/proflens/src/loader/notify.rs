//! What the user is told about a loaded trace: everything in the log, and a message where only the user can help. A
//! message is shown once for each trace.

use std::sync::Arc;

use analysis::files::{FilePath, Runner};
use analysis::format::{Style, count, percent, whole};
use analysis::recording::{LostMap, Recording, what_is_lost};
use analysis::summary::{Base, share};
use profile::model::{Amount, Unit};
use tower_lsp::ls_types::MessageType;

use crate::state::{Current, ShownTrace, State};

const MAP_A_PATH: &str = "Map a path…";
const SHOW_LOG: &str = "Show log";
const CHOOSE_MAP: &str = "Choose map…";
const IGNORE: &str = "Ignore";

/// Lost source maps are worth a message if at least this share of the active time is affected.
const WORTH_A_MESSAGE: f64 = 0.2;

/// Where to find the log, for editors in which we cannot open it.
pub(crate) const WHERE_THE_LOG_IS: &str =
    "The log is where your editor keeps the output of language servers.";

/// Reports how much of a trace was placed, and asks the user for help if nothing or little was.
pub(super) fn notify_placed(state: &Arc<State>, current: &Current, shown: &ShownTrace) {
    let (recording, name) = (&shown.recording, current.name_of(&shown.path));
    let samples = count(recording.samples(), "sample");
    let base = current.config.base;
    let placed = percent(recording.summary.ledger.placed_share(base), Style::Text);
    state.editor.log(format!("{name}: {samples}, {placed} of the {} placed.", base.name(recording.unit)));
    for problem in &recording.problems {
        state.editor.log(format!("{}: {}; {}.", problem.place, problem.what, problem.hint));
    }
    offer_caches(state, current, recording);
    let nothing = nothing_placed(recording, &name);
    let Some(sentence) = nothing.clone().or_else(|| maps_lost(current, recording)) else { return };
    if state.change(|current| current.warned.insert(shown.path.clone(), shown.stamp)) == Some(shown.stamp) {
        return;
    }
    if nothing.is_some() {
        for url in recording.resources_outside().iter().take(10) {
            state.editor.log(format!("Not in this workspace: {url}"));
        }
        ask_for_path(state, current, recording, sentence);
    } else {
        ask_for_map(state, current, recording, sentence);
    }
}

/// Says once that the setting `runnerCaches` would help, if much code was transformed in memory and a runner has a cache.
fn offer_caches(state: &State, current: &Current, recording: &Recording) {
    let part = share(recording.transformed, recording.summary.ledger.base(Base::Active));
    if part < WORTH_A_MESSAGE || current.caches_offered {
        return;
    }
    let names: Vec<&str> = current.disk.offered_caches().into_iter().map(Runner::name).collect();
    if names.is_empty() || state.change(|current| std::mem::replace(&mut current.caches_offered, true)) {
        return;
    }
    let sentence = format!(
        "{} of the {} is in code that was transformed in memory, and its functions are found by their order. With \
         \"{}\" in the setting proflens.runnerCaches they are found exactly, where the cache has the code that ran.",
        percent(part, Style::Text),
        whole(recording.unit),
        names.join("\", \"")
    );
    state.editor.message(MessageType::INFO, sentence);
}

/// How to add a path mapping by hand, for editors in which we cannot ask.
pub(crate) fn how_to_map_a_path(recording: &Recording) -> String {
    match recording.resources_outside().first() {
        None => "All scripts of the trace that can be in this workspace are.".into(),
        Some(example) => format!(
            "Add to the setting proflens.pathMappings an entry {{ \"from\": \"…\", \"to\": \"${{workspaceFolder}}/…\" }}, \
             where \"from\" is the beginning of {example}."
        ),
    }
}

/// How to name a missing source map by hand: the one that affects most time.
pub(crate) fn how_to_choose_a_map(current: &Current, recording: &Recording) -> String {
    match recording.lost_maps.first() {
        None => "No source map of the trace is missing.".into(),
        Some(lost) => format!(
            "Add to the setting proflens.sourceMaps.maps an entry \"{}\": \"…\" with the path of its source map.",
            in_workspace(current, lost.generated.as_str())
        ),
    }
}

fn nothing_placed(recording: &Recording, name: &str) -> Option<String> {
    let outside = recording.resources_outside().len();
    if outside == 0 || !recording.summary.definitions.is_empty() {
        return None;
    }
    Some(match outside {
        1 => format!("No hints: the only script URL of {name} does not lie in this workspace."),
        count => format!("No hints: none of the {count} script URLs of {name} lie in this workspace."),
    })
}

fn maps_lost(current: &Current, recording: &Recording) -> Option<String> {
    let mut lost: Vec<&LostMap> = recording.lost_maps.iter().filter(|map| map.time > Amount(0)).collect();
    lost.retain(|map| !current.ignored_maps.contains(&map.generated));
    let first = lost.first()?;
    let part = share(lost.iter().map(|map| map.time).sum(), recording.summary.ledger.base(Base::Active));
    if part < WORTH_A_MESSAGE {
        return None;
    }
    let what = what_is_lost(&in_workspace(current, &first.wanted), first.refusal, lost.len() - 1);
    let of_what = if recording.unit == Unit::Bytes { whole(recording.unit) } else { "time" };
    Some(format!("{what}: {} of the {of_what} stays on minified lines.", percent(part, Style::Text)))
}

fn ask_for_path(state: &State, current: &Current, recording: &Recording, sentence: String) {
    let (editor, is_ours, how) = (state.editor.clone(), current.client.is_ours, how_to_map_a_path(recording));
    let buttons = [MAP_A_PATH, SHOW_LOG].map(String::from);
    state.editor.ask(MessageType::WARNING, &sentence, buttons, move |clicked| match &*clicked {
        SHOW_LOG if is_ours => editor.run_action("showLog"),
        _ if is_ours => editor.run_action("mapPath"),
        SHOW_LOG => editor.message(MessageType::INFO, WHERE_THE_LOG_IS),
        _ => editor.message(MessageType::INFO, how),
    });
}

fn ask_for_map(state: &Arc<State>, current: &Current, recording: &Recording, sentence: String) {
    let (asking, is_ours) = (Arc::clone(state), current.client.is_ours);
    let how = how_to_choose_a_map(current, recording);
    let lost: Vec<FilePath> = recording.lost_maps.iter().map(|map| map.generated.clone()).collect();
    let buttons = [CHOOSE_MAP, IGNORE].map(String::from);
    state.editor.ask(MessageType::WARNING, &sentence, buttons, move |clicked| match &*clicked {
        CHOOSE_MAP if is_ours => asking.editor.run_action("chooseMap"),
        CHOOSE_MAP => asking.editor.message(MessageType::INFO, how),
        _ => asking.change(|current| current.ignored_maps.extend(lost)),
    });
}

fn in_workspace(current: &Current, path: &str) -> String {
    let file = FilePath::new(path);
    current.disk.relative(&file).unwrap_or(path).to_owned()
}
