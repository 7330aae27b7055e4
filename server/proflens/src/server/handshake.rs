//! `initialize`: what the client can do and wants, and what the server offers.

use std::sync::Arc;

use analysis::files::FilePath;
use tower_lsp::ls_types::{InitializeParams, InitializeResult, ServerInfo};

use crate::proto::capabilities::{ClientCapabilities, server_capabilities};
use crate::proto::from_proto;
use crate::state::State;

pub(super) fn initialize(state: &State, params: InitializeParams) -> InitializeResult {
    let client = ClientCapabilities::of(&params);
    let folders = folders(&params);
    let settings = params.initialization_options.unwrap_or_default();
    let capabilities = state.change(|current| {
        current.client = client;
        current.given_settings = [Arc::new(settings), Arc::default()];
        current.configure();
        current.set_folders(folders);
        let call_hierarchy = current.config.call_hierarchy_enable.unwrap_or(!current.client.has_call_trees);
        server_capabilities(&current.client, call_hierarchy)
    });
    let server_info = ServerInfo { name: "proflens".into(), version: Some(env!("CARGO_PKG_VERSION").into()) };
    InitializeResult { capabilities, server_info: Some(server_info), ..InitializeResult::default() }
}

/// The workspace folders. The protocol has had several fields for them: the newest that is set counts.
fn folders(params: &InitializeParams) -> Vec<FilePath> {
    if let Some(folders) = params.workspace_folders.as_ref().filter(|all| !all.is_empty()) {
        return folders.iter().filter_map(|folder| from_proto::file_path(&folder.uri)).collect();
    }
    #[expect(deprecated, reason = "older clients send nothing else")]
    let (uri, path) = (&params.root_uri, &params.root_path);
    let root = uri.as_ref().and_then(from_proto::file_path).or_else(|| path.as_deref().map(FilePath::new));
    root.into_iter().collect()
}
