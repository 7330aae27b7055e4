//! Which files to watch, and what it means that one of them changed.
//!
//! The client watches, by dynamic registration; where it cannot, the loader looks when the user comes back to a
//! document.

use std::path::Path;
use std::sync::Arc;

use analysis::{FilePath, Files, Origin};
use serde_json::{Value, json};
use tower_lsp::ls_types::{FileChangeType, FileEvent, Registration, Unregistration};

use super::queue::Job;
use super::{Session, State};
use crate::disk::glob_set;
use crate::locating::{LAUNCH, MapLocations};
use crate::logging;
use crate::proto::{from_proto, to_proto};

const WATCHED_FILES: &str = "workspace/didChangeWatchedFiles";
const CONFIGURATION: &str = "workspace/didChangeConfiguration";
const SOURCES: &str = "**/*.{js,mjs,cjs,jsx,ts,mts,cts,tsx,vue,svelte,html,htm}";
const MAPS: &str = "**/*.map";

/// Asks the client to tell of changed settings and files; again after the settings changed.
pub(crate) fn register(state: &Arc<State>, again: bool) {
    let session = state.session();
    let mut wanted = Vec::new();
    if session.client.watches {
        wanted.push(registration(WATCHED_FILES, json!({ "watchers": watchers(&session) })));
    }
    if session.client.announces_configuration && !again {
        wanted.push(registration(CONFIGURATION, json!({ "section": "proflens" })));
    }
    let unwanted: Vec<_> =
        wanted.iter().map(|it| Unregistration { id: it.id.clone(), method: it.method.clone() }).collect();
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

/// Files came, changed or went.
pub(crate) fn changed(state: &State, events: &[FileEvent]) {
    let session = state.session();
    let (mut traces, mut rebuilt) = (false, false);
    let maps = MapLocations::new(&session.config.source_maps_locations);
    for event in events {
        let Some(file) = from_proto::file_path(&event.uri) else { continue };
        if is_trace(&session, &file) {
            traces = true;
            state.change(|it| it.forgive(Path::new(file.as_str())));
            continue;
        }
        if event.typ != FileChangeType::CHANGED {
            session.disk.forget();
        }
        let is_new = event.typ == FileChangeType::CREATED;
        rebuilt |= decides(&session, &maps, &file) || is_new && is_missed(&session, &file);
    }
    if rebuilt {
        state.queue.push(Job::Rebuilt);
    }
    if traces && session.ready {
        state.queue.push(Job::Find);
    }
}

/// The user is at a document: a client that cannot watch gives us no other sign that time goes on.
pub(crate) fn look(state: &State) {
    let session = state.session();
    if session.ready && !session.client.watches {
        state.queue.push(Job::Find);
    }
}

fn registration(method: &str, options: Value) -> Registration {
    Registration { id: format!("proflens {method}"), method: method.into(), register_options: Some(options) }
}

/// Traces, sources, source maps and debug configurations in the folders, and the traces outside that the settings name.
fn watchers(session: &Session) -> Vec<Value> {
    let launch = format!("**/{LAUNCH}");
    let mut watchers: Vec<_> =
        [SOURCES, MAPS, &launch].iter().map(|it| json!({ "globPattern": it })).collect();
    for pattern in &session.config.traces {
        let pattern = pattern.strip_prefix("${workspaceFolder}/").unwrap_or(pattern);
        if !Path::new(pattern).is_absolute() {
            watchers.push(json!({ "globPattern": pattern }));
            if !pattern.ends_with('*') && !pattern.ends_with(".gz") {
                watchers.push(json!({ "globPattern": format!("{pattern}.gz") }));
            }
        } else if session.client.watches_anywhere
            && let Some((folder, name)) = pattern.rsplit_once('/')
            && !folder.contains(['*', '?', '[', '{'])
        {
            let base = to_proto::uri(&FilePath::new(folder));
            watchers.push(json!({ "globPattern": { "baseUri": base, "pattern": name } }));
        }
    }
    watchers
}

fn is_trace(session: &Session, file: &FilePath) -> bool {
    let patterns = &session.config.traces;
    let gz = patterns.iter().map(|it| format!("{it}.gz"));
    let globs = glob_set(&patterns.iter().cloned().chain(gz).collect::<Vec<_>>());
    let path = session.disk.relative(file).unwrap_or(file.as_str());
    let path_of = Path::new(file.as_str());
    // A trace may be a folder of traces.
    let known = session.traces.iter().any(|it| it.path == path_of || path_of.parent() == Some(&it.path));
    known || globs.is_some_and(|it| it.is_match(path) || it.is_match(file.as_str()))
}

/// Whether a file has a say in where the shown trace is placed: a source map, what was built, or the debug
/// configurations of a folder.
fn decides(session: &Session, maps: &MapLocations, file: &FilePath) -> bool {
    let Some(shown) = &session.shown else { return false };
    let is_built = shown.recording.scripts.get(file) == Some(&Origin::Generated);
    let is_map = file.name().ends_with(".map") && maps.allow(file, &session.disk);
    let is_launch = session.disk.folders().iter().any(|it| it.join(LAUNCH) == *file);
    is_built || is_launch || is_map && session.config.source_maps_enable
}

/// Whether the shown trace speaks of a file of this name that was not there.
fn is_missed(session: &Session, file: &FilePath) -> bool {
    let in_folders = session.disk.folders().iter().any(|it| file.relative_to(it).is_some());
    let Some(shown) = session.shown.as_ref().filter(|_| in_folders) else { return false };
    let name_of = |url: &str| -> Option<String> {
        let path = url.split(['?', '#']).next()?;
        Some(path.rsplit(['/', '\\']).next()?.to_string())
    };
    shown.recording.resources_outside().iter().any(|it| name_of(it).as_deref() == Some(file.name()))
}
