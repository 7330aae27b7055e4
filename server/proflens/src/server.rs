//! The route table: which message goes to which handler.

mod handshake;

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::{
    CallHierarchyIncomingCallsParams, CallHierarchyItem, CallHierarchyOutgoingCallsParams,
    CallHierarchyPrepareParams, CodeLens, CodeLensParams, DidChangeConfigurationParams,
    DidChangeTextDocumentParams, DidChangeWatchedFilesParams, DidChangeWorkspaceFoldersParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, DidSaveTextDocumentParams,
    DocumentDiagnosticParams, DocumentDiagnosticReportResult, ExecuteCommandParams, Hover, HoverParams,
    InitializeParams, InitializeResult, InitializedParams, InlayHint, InlayHintParams,
    WorkDoneProgressCancelParams, WorkspaceSymbolParams, WorkspaceSymbolResponse,
};
use tower_lsp::{ClientSocket, LanguageServer, LspService};

use crate::handlers::{call_trees, commands, flame_graph, hot_lists, notifications, requests, status};
use crate::loader::{self, watching};
use crate::proto::{causes, ext};
use crate::serve::ByteBudget;
use crate::serve::as_text::{self, text};
use crate::state::State;
use crate::state::editor::Editor;

/// Creates a server for one client; `answers` bounds the answers that wait for it. Loads that take longer than
/// `progress_delay` show their progress.
pub(crate) fn service(answers: ByteBudget, progress_delay: Duration) -> (LspService<Server>, ClientSocket) {
    LspService::build(|client| Server {
        state: Arc::new(State::new(Editor::new(client, progress_delay), answers)),
    })
    .custom_method(as_text::INLAY_HINT, Server::inlay_hints)
    .custom_method(as_text::CODE_LENS, Server::code_lenses)
    .custom_method(as_text::INCOMING_CALLS, Server::callers)
    .custom_method(as_text::OUTGOING_CALLS, Server::callees)
    .custom_method(ext::DOCUMENT_COSTS, Server::document_costs)
    .custom_method(causes::CALL_TREE, Server::call_tree)
    .custom_method(causes::HOTTEST, Server::hottest)
    .custom_method(ext::STATUS, Server::status)
    .custom_method(causes::FLAME_GRAPH, Server::flame_graph)
    .custom_method(causes::FLAME_PAGE, Server::flame_page)
    .custom_method(causes::FUNCTION, Server::function)
    .custom_method("window/workDoneProgress/cancel", Server::cancel_progress)
    .finish()
}

pub(crate) struct Server {
    state: Arc<State>,
}

impl LanguageServer for Server {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        loader::start(self.state.clone());
        Ok(handshake::initialize(&self.state, params))
    }

    async fn initialized(&self, _: InitializedParams) {
        notifications::initialized(&self.state);
    }

    async fn shutdown(&self) -> Result<()> {
        self.state.queue.close();
        Ok(())
    }

    async fn did_open(&self, params: DidOpenTextDocumentParams) {
        notifications::did_open(&self.state, params);
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        notifications::did_change(&self.state, params);
    }

    async fn did_save(&self, _: DidSaveTextDocumentParams) {
        watching::look(&self.state);
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        notifications::did_close(&self.state, &params);
    }

    async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
        notifications::did_change_configuration(&self.state, params);
    }

    async fn did_change_workspace_folders(&self, params: DidChangeWorkspaceFoldersParams) {
        notifications::did_change_workspace_folders(&self.state, params);
    }

    async fn did_change_watched_files(&self, params: DidChangeWatchedFilesParams) {
        notifications::did_change_watched_files(&self.state, params);
    }

    async fn inlay_hint_resolve(&self, hint: InlayHint) -> Result<InlayHint> {
        requests::inlay_hint_resolve(&self.state, hint).await
    }

    async fn diagnostic(&self, params: DocumentDiagnosticParams) -> Result<DocumentDiagnosticReportResult> {
        requests::diagnostic(&self.state, params).await
    }

    async fn code_lens_resolve(&self, lens: CodeLens) -> Result<CodeLens> {
        requests::code_lens_resolve(&self.state, lens).await
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        requests::hover(&self.state, params).await
    }

    async fn prepare_call_hierarchy(
        &self,
        params: CallHierarchyPrepareParams,
    ) -> Result<Option<Vec<CallHierarchyItem>>> {
        call_trees::prepare(&self.state, params).await
    }

    async fn symbol(&self, params: WorkspaceSymbolParams) -> Result<Option<WorkspaceSymbolResponse>> {
        hot_lists::symbols(&self.state, params).await
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<Value>> {
        commands::execute(&self.state, params).await
    }
}

impl Server {
    async fn inlay_hints(&self, params: InlayHintParams) -> Result<String> {
        text(requests::inlay_hint(&self.state, params).await)
    }

    async fn code_lenses(&self, params: CodeLensParams) -> Result<String> {
        text(requests::code_lens(&self.state, params).await)
    }

    async fn callers(&self, params: CallHierarchyIncomingCallsParams) -> Result<String> {
        text(call_trees::incoming(&self.state, params).await)
    }

    async fn callees(&self, params: CallHierarchyOutgoingCallsParams) -> Result<String> {
        text(call_trees::outgoing(&self.state, params).await)
    }

    async fn document_costs(&self, params: ext::DocumentCostsParams) -> Result<String> {
        requests::document_costs(&self.state, params).await
    }

    async fn call_tree(&self, params: causes::CallTreeParams) -> Result<String> {
        text(call_trees::node(&self.state, params).await)
    }

    async fn hottest(&self, params: causes::HottestParams) -> Result<String> {
        text(hot_lists::list(&self.state, params).await)
    }

    async fn status(&self, _: ext::StatusParams) -> Result<String> {
        status::status(&self.state)
    }

    async fn flame_graph(&self, _: causes::FlameGraphParams) -> Result<String> {
        text(flame_graph::data(&self.state).await)
    }

    async fn flame_page(&self, params: causes::FlamePageParams) -> Result<String> {
        text(flame_graph::page(&self.state, params).await)
    }

    async fn function(&self, params: ext::CallersParams) -> Result<String> {
        text(flame_graph::function(&self.state, params).await)
    }

    async fn cancel_progress(&self, params: WorkDoneProgressCancelParams) {
        notifications::cancel_progress(&self.state, &params);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.state.queue.close();
    }
}
