//! Notifications of the editor. Apart from the commands and the loader, only these functions change the state.

use std::sync::Arc;
use std::time::Duration;

use analysis::document::Document;
use analysis::files::Files;
use profile::problem::Problem;
use serde_json::Value;
use tower_lsp::ls_types::{
    ConfigurationItem, DidChangeConfigurationParams, DidChangeTextDocumentParams,
    DidChangeWatchedFilesParams, DidChangeWorkspaceFoldersParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, WorkDoneProgressCancelParams,
};

use crate::config::Effect;
use crate::loader::watching;
use crate::proto::from_proto;
use crate::state::State;
use crate::state::queue::Job;

/// How long to wait for a client's settings.
const SETTINGS_TIMEOUT: Duration = Duration::from_secs(2);

/// The client is ready: it can be asked for its settings, and then the first trace can be loaded.
pub(crate) fn initialized(state: &Arc<State>) {
    watching::register(state, false);
    pull_settings(state, true);
}

pub(crate) fn did_open(state: &State, params: DidOpenTextDocumentParams) {
    let document = params.text_document;
    if let Some(spelled) = from_proto::file_path(&document.uri) {
        let file = state.current().disk.spelled(&spelled);
        state.documents.open(spelled, document.uri, Document::new(file, document.version, document.text));
        watching::look(state);
    }
}

pub(crate) fn did_change(state: &State, params: DidChangeTextDocumentParams) {
    let Some(snapshot) = state.snapshot(&params.text_document.uri) else { return };
    let (version, encoding) = (params.text_document.version, snapshot.current.client.encoding);
    let document = snapshot.open.document.edited(version, params.content_changes, |lines, text, change| {
        from_proto::edit(lines, text, change, encoding)
    });
    state.documents.put(snapshot.open.uri.clone(), document);
}

pub(crate) fn did_close(state: &State, params: &DidCloseTextDocumentParams) {
    if let Some(file) = from_proto::file_path(&params.text_document.uri) {
        state.documents.remove(&file);
    }
}

pub(crate) fn did_change_configuration(state: &Arc<State>, params: DidChangeConfigurationParams) {
    let settings = params.settings;
    // Clients that want to be asked for their settings send `null` or an empty object.
    let is_empty = settings.as_object().is_none_or(serde_json::Map::is_empty);
    if is_empty && state.current().client.configuration {
        pull_settings(state, false);
    } else {
        apply_settings(state, Some(settings));
    }
}

pub(crate) fn did_change_workspace_folders(state: &State, params: DidChangeWorkspaceFoldersParams) {
    let event = params.event;
    let [added, removed] = [event.added, event.removed]
        .map(|all| all.iter().filter_map(|folder| from_proto::file_path(&folder.uri)).collect::<Vec<_>>());
    state.change(|current| {
        let kept = current.disk.folders().iter().filter(|folder| !removed.contains(folder));
        let folders: Vec<_> = kept.chain(added.iter()).cloned().collect();
        current.set_folders(folders);
    });
    state.queue.push(Job::PlaceAgain);
    state.queue.push(Job::Find);
}

pub(crate) fn did_change_watched_files(state: &Arc<State>, params: DidChangeWatchedFilesParams) {
    watching::changed(state, params.changes);
}

pub(crate) fn cancel_progress(state: &State, params: &WorkDoneProgressCancelParams) {
    if let Some(progress) = state.editor.progress.get(&params.token) {
        progress.cancel();
    }
}

/// Asks the client for its settings, if it can be asked. If `first`, traces are looked for afterwards.
fn pull_settings(state: &Arc<State>, first: bool) {
    let asking = state.clone();
    state.editor.spawn(async move {
        let mut settings = None;
        if asking.current().client.configuration {
            let item = ConfigurationItem { scope_uri: None, section: Some("proflens".into()) };
            let answer =
                tokio::time::timeout(SETTINGS_TIMEOUT, asking.editor.client.configuration(vec![item])).await;
            settings = answer.ok().and_then(Result::ok).and_then(|mut answers| answers.pop());
        }
        if first {
            report_config_errors(&asking, &[]);
        }
        apply_settings(&asking, settings);
        if first {
            asking.change(|current| current.ready = true);
            asking.queue.push(Job::Find);
        }
    });
}

/// Applies settings, and pushes the jobs that the changed ones make necessary.
fn apply_settings(state: &Arc<State>, settings: Option<Value>) {
    let before = state.current();
    let after = state.change(|current| {
        if let Some(settings) = settings {
            current.given_settings[1] = Arc::new(settings);
        }
        current.configure();
        Arc::new(current.clone())
    });
    report_config_errors(state, &before.config_errors);
    let (old, new) = (&before.config, &after.config);
    if old == new {
        return;
    }
    if new.differs(old, Effect::Places) {
        state.queue.push(Job::PlaceAgain);
    }
    if new.differs(old, Effect::Finds) {
        watching::register(state, true);
        state.queue.push(Job::Find);
    }
    if new.compare_noise != old.compare_noise {
        state.queue.push(Job::CompareAgain);
    }
    state.editor.refresh(&after.client);
}

/// Logs the errors in the settings, except those that were logged before.
fn report_config_errors(state: &State, known: &[Problem]) {
    for error in state.current().config_errors.iter().filter(|error| !known.contains(error)) {
        state.editor.log(format!("{} {}", error.what, error.hint));
    }
}
