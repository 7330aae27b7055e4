//! Which files to watch, and what to do when they change.
//!
//! The client watches them, by dynamic registration. If it cannot, the loader checks whenever the user opens or saves a document.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use analysis::files::{FilePath, Files};
use analysis::recording::Origin;
use serde_json::{Value, json};
use tower_lsp::ls_types::{FileChangeType, FileEvent, Registration, Unregistration};

use crate::disk::in_folder;
use crate::locating::LAUNCH_JSON;
use crate::logging;
use crate::proto::{from_proto, to_proto};
use crate::state::queue::Job;
use crate::state::{Current, State};

const WATCHED_FILES: &str = "workspace/didChangeWatchedFiles";
const CONFIGURATION: &str = "workspace/didChangeConfiguration";
const SOURCES: &str = "**/*.{js,mjs,cjs,jsx,ts,mts,cts,tsx,vue,svelte,astro,html,htm,mdx}";
const MAPS: &str = "**/*.map";

/// Asks the client to report changed settings and files; `again` after the settings changed.
pub(crate) fn register(state: &Arc<State>, again: bool) {
    let current = state.current();
    let mut wanted = Vec::new();
    if current.client.watches {
        wanted.push(registration(WATCHED_FILES, json!({ "watchers": watchers(&current) })));
    }
    if current.client.announces_configuration && !again {
        wanted.push(registration(CONFIGURATION, json!({ "section": "proflens" })));
    }
    let unwanted: Vec<_> = wanted
        .iter()
        .map(|Registration { id, method, .. }| Unregistration { id: id.clone(), method: method.clone() })
        .collect();
    let client = state.editor.client.clone();
    state.editor.spawn(async move {
        if again && !unwanted.is_empty() && client.unregister_capability(unwanted).await.is_err() {
            logging::info("The client did not take back what it watches.");
        }
        if !wanted.is_empty()
            && let Err(refused) = client.register_capability(wanted).await
        {
            logging::info(&format!("The client does not watch files: {refused}."));
        }
    });
}

/// Handles files that were created, changed or deleted, perhaps a hundred thousand at once when a branch is switched.
/// They are examined in the background, so that no answer waits for that.
pub(crate) fn changed(state: &Arc<State>, events: Vec<FileEvent>) {
    if events.iter().any(|event| event.typ != FileChangeType::CHANGED) {
        state.current().disk.invalidate();
    }
    let state = Arc::clone(state);
    tokio::task::spawn_blocking(move || look_at(&state, &events));
}

fn look_at(state: &State, events: &[FileEvent]) {
    let current = state.current();
    let roles = FileRoles::of(&current);
    let (mut traces, mut is_rebuilt) = (HashSet::new(), false);
    for event in events {
        let Some(file) = from_proto::file_path(&event.uri) else { continue };
        if roles.is_trace(&file) {
            traces.insert(PathBuf::from(file.as_str()));
            continue;
        }
        let is_new = event.typ == FileChangeType::CREATED;
        is_rebuilt = is_rebuilt || roles.decides_placement(&file) || is_new && roles.is_missing_script(&file);
    }
    if is_rebuilt {
        state.queue.push(Job::Rebuilt);
    }
    if !traces.is_empty() {
        state.change(|current| current.clear_failures(|trace| traces.contains(trace)));
        if current.ready {
            state.queue.push(Job::Find);
        }
    }
}

/// Looks for changes when the user opens or saves a document, for clients that cannot watch files.
pub(crate) fn look(state: &State) {
    let current = state.current();
    if current.ready && !current.client.watches {
        state.queue.push(Job::Find);
    }
}

fn registration(method: &str, options: Value) -> Registration {
    Registration { id: format!("proflens {method}"), method: method.into(), register_options: Some(options) }
}

/// What the client has to watch: traces, sources, source maps and debug configurations in the folders, and traces
/// outside them that the settings name.
fn watchers(current: &Current) -> Vec<Value> {
    let launch = format!("**/{LAUNCH_JSON}");
    let mut watchers: Vec<_> =
        [SOURCES, MAPS, &launch].iter().map(|glob| json!({ "globPattern": glob })).collect();
    for pattern in &current.config.traces {
        let pattern = in_folder(pattern);
        if !Path::new(pattern).is_absolute() {
            watchers.push(json!({ "globPattern": pattern }));
            if !pattern.ends_with('*') && !pattern.ends_with(".gz") {
                watchers.push(json!({ "globPattern": format!("{pattern}.gz") }));
            }
        } else if current.client.watches_anywhere
            && let Some((folder, name)) = pattern.rsplit_once('/')
            && !folder.contains(['*', '?', '[', '{'])
        {
            let base = to_proto::uri(&FilePath::new(folder));
            watchers.push(json!({ "globPattern": { "baseUri": base, "pattern": name } }));
        }
    }
    watchers
}

/// What a file that changed means to the session: a trace, a file that decides where functions are placed, or a script
/// that was missing.
struct FileRoles<'a> {
    current: &'a Current,
    traces: HashSet<&'a Path>,
    launch: Vec<FilePath>,
    /// File names of scripts of the shown trace that were not found.
    missing_scripts: HashSet<&'a str>,
}

impl<'a> FileRoles<'a> {
    fn of(current: &'a Current) -> Self {
        let outside = current.shown.iter().flat_map(|shown| shown.recording.resources_outside());
        Self {
            current,
            traces: current.traces.iter().map(|trace| trace.path.as_path()).collect(),
            launch: current.disk.folders().iter().map(|folder| folder.join(LAUNCH_JSON)).collect(),
            missing_scripts: outside.filter_map(name_of).collect(),
        }
    }

    fn is_trace(&self, file: &FilePath) -> bool {
        let path = Path::new(file.as_str());
        // A trace may be a folder of traces.
        let is_known =
            [Some(path), path.parent()].into_iter().flatten().any(|path| self.traces.contains(path));
        is_known || self.current.globs.traces.has(file.as_str(), self.current.disk.relative(file))
    }

    /// Whether a file decides where functions of the shown trace are placed: a source map, a generated file, or the
    /// debug configurations of a folder.
    fn decides_placement(&self, file: &FilePath) -> bool {
        let Current { shown: Some(shown), config, globs, disk, .. } = self.current else { return false };
        shown.recording.scripts.get(file) == Some(&Origin::Generated)
            || self.launch.contains(file)
            || config.source_maps_enable && file.name().ends_with(".map") && globs.maps.allow(file, disk)
    }

    /// Whether the shown trace has a script of this file name that was not found.
    fn is_missing_script(&self, file: &FilePath) -> bool {
        self.missing_scripts.contains(file.name()) && self.current.disk.relative(file).is_some()
    }
}

fn name_of(url: &str) -> Option<&str> {
    url.split(['?', '#']).next()?.rsplit(['/', '\\']).next()
}
