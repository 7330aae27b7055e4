//! What the server can do, and what it needs to know about the client.

use serde_json::Value;
use source::text::Encoding;
use tower_lsp::ls_types::{
    self, CallHierarchyServerCapability, CodeLensOptions, DiagnosticOptions, DiagnosticServerCapabilities,
    ExecuteCommandOptions, HoverProviderCapability, InitializeParams, InlayHintOptions,
    InlayHintServerCapabilities, OneOf, PositionEncodingKind, SaveOptions, ServerCapabilities,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions,
    WorkspaceFoldersServerCapabilities, WorkspaceServerCapabilities,
};

use crate::commands::Command;

/// The client's capabilities that the server uses.
#[derive(Clone, Debug)]
pub(crate) struct ClientCapabilities {
    /// The unit of columns.
    pub(crate) encoding: Encoding,
    /// Supports `workspace/diagnostic/refresh`.
    pub(crate) refreshes_diagnostics: bool,
    /// Supports `workspace/inlayHint/refresh`.
    pub(crate) refreshes_hints: bool,
    /// Supports `workspace/codeLens/refresh`.
    pub(crate) refreshes_lenses: bool,
    /// Whether it shows lenses, so that hints need no words.
    pub(crate) draws_lenses: bool,
    /// Shows progress.
    pub(crate) progress: bool,
    /// Can be asked for settings.
    pub(crate) configuration: bool,
    /// Sends changed settings after registration for them.
    pub(crate) announces_configuration: bool,
    /// Watches files for us.
    pub(crate) watches: bool,
    /// Also watches files outside of the workspace folders.
    pub(crate) watches_anywhere: bool,
    /// Has a view of its own for callers and callees, and only shows one call hierarchy even if several servers offer
    /// theirs: VS Code and its relatives, whatever they call themselves.
    pub(crate) has_call_trees: bool,
    /// Is one of our own clients: draws the lists that commands answer with, and runs the commands of buttons.
    pub(crate) is_ours: bool,
    /// How it shows the costs of lines, in Markdown for hovers: `[Show line costs](command:…)`.
    pub(crate) line_costs: Option<String>,
    /// How it shows a function in the flame graph, in the same way; `{function}` stands for the command's arguments.
    pub(crate) flame_graph: Option<String>,
}

impl Default for ClientCapabilities {
    fn default() -> Self {
        Self::of(&InitializeParams::default())
    }
}

impl ClientCapabilities {
    /// From the parameters of `initialize`.
    pub(crate) fn of(params: &InitializeParams) -> Self {
        let ls_types::ClientCapabilities { workspace, window, general, experimental, text_document, .. } =
            &params.capabilities;
        let workspace = workspace.as_ref();
        let watching = workspace.and_then(|workspace| workspace.did_change_watched_files);
        let settings = workspace.and_then(|workspace| workspace.did_change_configuration);
        let encodings = general.as_ref().and_then(|general| general.position_encodings.as_deref());
        let ours = experimental.as_ref().map_or(&Value::Null, |experimental| &experimental["proflens"]);
        let is_ours = ours["ui"] == Value::Bool(true);
        // Neovim itself says that it can, and does not by default.
        let is_neovim = params.client_info.as_ref().is_some_and(|client| client.name == "Neovim");
        let has_lenses = text_document.as_ref().is_some_and(|document| document.code_lens.is_some());
        Self {
            encoding: encoding(encodings.unwrap_or_default()),
            refreshes_diagnostics: workspace
                .and_then(|workspace| workspace.diagnostics.as_ref()?.refresh_support)
                == Some(true),
            refreshes_hints: workspace.and_then(|workspace| workspace.inlay_hint.as_ref()?.refresh_support)
                == Some(true),
            refreshes_lenses: workspace.and_then(|workspace| workspace.code_lens.as_ref()?.refresh_support)
                == Some(true),
            draws_lenses: has_lenses && (is_ours || !is_neovim),
            progress: window.as_ref().and_then(|window| window.work_done_progress) == Some(true),
            configuration: workspace.and_then(|workspace| workspace.configuration) == Some(true),
            announces_configuration: settings.and_then(|settings| settings.dynamic_registration)
                == Some(true),
            watches: watching.and_then(|watching| watching.dynamic_registration) == Some(true),
            watches_anywhere: watching.and_then(|watching| watching.relative_pattern_support) == Some(true),
            has_call_trees: ours["callTrees"] == Value::Bool(true),
            is_ours,
            line_costs: ours["lineCosts"].as_str().map(str::to_owned),
            flame_graph: ours["flameGraph"].as_str().map(str::to_owned),
        }
    }
}

/// The server's capabilities for such a client. `call_hierarchy`: whether to offer one.
pub(crate) fn server_capabilities(client: &ClientCapabilities, call_hierarchy: bool) -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(match client.encoding {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
            Encoding::Utf32 => PositionEncodingKind::UTF32,
        }),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions { include_text: Some(false) })),
            ..TextDocumentSyncOptions::default()
        })),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        diagnostic_provider: Some(DiagnosticServerCapabilities::Options(DiagnosticOptions {
            identifier: Some("proflens".to_owned()),
            ..DiagnosticOptions::default()
        })),
        inlay_hint_provider: Some(OneOf::Right(InlayHintServerCapabilities::Options(InlayHintOptions {
            resolve_provider: Some(true),
            ..InlayHintOptions::default()
        }))),
        call_hierarchy_provider: call_hierarchy.then_some(CallHierarchyServerCapability::Simple(true)),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(true) }),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: Command::ALL.iter().map(|command| command.name().to_owned()).collect(),
            ..ExecuteCommandOptions::default()
        }),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            file_operations: None,
        }),
        ..ServerCapabilities::default()
    }
}

/// The first encoding that the client offers and we know; UTF-16 if it offers none (LSP 3.17, "PositionEncodingKind").
fn encoding(offered: &[PositionEncodingKind]) -> Encoding {
    let known = offered.iter().find_map(|encoding| match encoding.as_str() {
        "utf-8" => Some(Encoding::Utf8),
        "utf-16" => Some(Encoding::Utf16),
        "utf-32" => Some(Encoding::Utf32),
        _ => None,
    });
    known.unwrap_or(Encoding::Utf16)
}
