//! What is said between server and editors beyond the standard protocol: our own requests, and what commands take
//! and answer. Mirrored, in the same order, by `editors/vscode/src/protocol.ts` and
//! `editors/neovim/lua/proflens/protocol.lua`.
//!
//! Times are integer nanoseconds in fields that end in `Ns`; where the trace counts bytes, those fields end in `Bytes` and
//! `ns` is `bytes` ([`crate::amounts`]), all but `durationNs`. Shares lie between 0 and 1 of the base, positions are LSP's.

use serde::{Deserialize, Serialize};
use tower_lsp::ls_types::{Position, Range, TextDocumentIdentifier, Uri};

use analysis::views::{Base, Unit};

/// The request `proflens/documentCosts`, answered by [`DocumentCosts`].
pub(crate) const DOCUMENT_COSTS: &str = "proflens/documentCosts";
/// The request `proflens/status`, answered by [`Status`].
pub(crate) const STATUS: &str = "proflens/status";

/// `{}`.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct StatusParams {}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DocumentCostsParams {
    pub(crate) text_document: TextDocumentIdentifier,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FunctionCosts {
    pub(crate) name: String,
    pub(crate) range: Range,
    pub(crate) selection_range: Range,
    pub(crate) self_ns: u64,
    pub(crate) total_ns: u64,
    pub(crate) self_samples: u64,
    pub(crate) total_samples: u64,
    pub(crate) self_share: f64,
    pub(crate) total_share: f64,
    /// `exact`, `snapped` or `name`.
    pub(crate) confidence: &'static str,
    /// `fresh`, `moved` or `edited`.
    pub(crate) freshness: &'static str,
    /// An estimate, like the two below; `null` where the trace has no events to tell it by.
    pub(crate) calls: Option<u64>,
    pub(crate) longest_call_ns: Option<u64>,
    /// In how many tasks of more than 50 ms it was called.
    pub(crate) long_tasks: Option<u64>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LineCosts {
    pub(crate) line: u32,
    pub(crate) self_ns: u64,
    pub(crate) total_ns: u64,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DocumentCosts {
    /// `null` for a document that is not open.
    pub(crate) version: Option<i32>,
    /// `time` or `bytes`: what was measured.
    pub(crate) unit: &'static str,
    pub(crate) functions: Vec<FunctionCosts>,
    pub(crate) lines: Vec<LineCosts>,
}

/// A trace that is loaded, is being loaded, could not be, or was found and is offered.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TraceStatus {
    pub(crate) uri: Uri,
    pub(crate) name: String,
    /// `loaded`, `loading`, `failed` or `found`.
    pub(crate) state: &'static str,
    /// Whether its costs are those that the editor shows.
    pub(crate) shown: bool,
    pub(crate) format: Option<&'static str>,
    /// `time` or `bytes`: what it measured.
    pub(crate) unit: Option<&'static str>,
    pub(crate) samples: u64,
    /// 0 where it counts bytes.
    pub(crate) duration_ns: u64,
    /// The number of recordings of which its costs are the sum; 0 where they are not known.
    pub(crate) sessions: u64,
    /// Those among which there is a choice.
    pub(crate) threads: Vec<ThreadStatus>,
    /// Why it could not be loaded.
    pub(crate) error: Option<String>,
}

/// A thread of the shown trace: `proflens.selectTrace` takes its name behind the trace's URL.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ThreadStatus {
    pub(crate) name: String,
    pub(crate) samples: u64,
    /// Time in which it did something.
    pub(crate) active_ns: u64,
    /// Whether its costs are those that the editor shows, alone or in a sum.
    pub(crate) shown: bool,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Unplaced {
    pub(crate) why: &'static str,
    pub(crate) ns: u64,
    pub(crate) samples: u64,
    pub(crate) examples: Vec<String>,
}

/// Where all the time of the shown trace went: `totalNs` is the sum of everything below it but `baseNs` and
/// `generatedNs`.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Ledger {
    pub(crate) total_ns: u64,
    /// What 100 % is.
    pub(crate) base_ns: u64,
    pub(crate) placed_ns: u64,
    /// The part of `placedNs` that stays in generated files for want of their source maps.
    pub(crate) generated_ns: u64,
    pub(crate) idle_ns: u64,
    pub(crate) no_stack_ns: u64,
    pub(crate) unplaced: Vec<Unplaced>,
}

/// A source map that was not used, so that functions stay where they were built.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LostMap {
    /// The file that was built.
    pub(crate) generated: Uri,
    /// The path or URL at which the map ought to be.
    pub(crate) wanted: String,
    /// Why it was not used; missing where it is not there.
    pub(crate) reason: Option<String>,
    /// Own time of the functions of that file.
    pub(crate) ns: u64,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Problem {
    pub(crate) what: String,
    #[serde(rename = "where")]
    pub(crate) place: String,
    pub(crate) hint: String,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Status {
    pub(crate) enabled: bool,
    /// How costs are shown; `time` is what was measured, bytes too.
    pub(crate) unit: Unit,
    pub(crate) base: Base,
    pub(crate) traces: Vec<TraceStatus>,
    pub(crate) ledger: Option<Ledger>,
    /// The one that costs most first.
    pub(crate) lost_maps: Vec<LostMap>,
    pub(crate) problems: Vec<Problem>,
}

/// A measured function somewhere in the workspace: what `proflens.showHottest` answers with, hottest first.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HotFunction {
    pub(crate) name: String,
    pub(crate) uri: Uri,
    pub(crate) selection_range: Range,
    pub(crate) self_ns: u64,
    pub(crate) total_ns: u64,
    pub(crate) self_share: f64,
    pub(crate) total_share: f64,
    pub(crate) total_samples: u64,
}

/// Who called a function, or whom it called: `uri` is missing where the place is not in the workspace.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) uri: Option<Uri>,
    pub(crate) selection_range: Option<Range>,
    pub(crate) total_ns: u64,
    /// Of the function's total time.
    pub(crate) share: f64,
}

/// What `proflens.showCallers` answers with; `null` where nothing was measured.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Callers {
    pub(crate) name: String,
    pub(crate) self_ns: u64,
    pub(crate) total_ns: u64,
    pub(crate) callers: Vec<Call>,
    pub(crate) callees: Vec<Call>,
}

/// What `proflens.showCallers` takes: what a lens carries, or a place in a document.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum CallersParams {
    Definition(DefinitionData),
    #[serde(rename_all = "camelCase")]
    At {
        text_document: TextDocumentIdentifier,
        position: Position,
    },
}

/// What a lens says of its definition when it is clicked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct DefinitionData {
    pub(crate) uri: Uri,
    /// Its path in the document's outline.
    pub(crate) path: String,
}

/// The definition that a hint or a lens is about, so that the rest of it can be made later: the document's number
/// and the path in its outline. Short, for there may be thousands.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ItemData(pub(crate) u32, pub(crate) String);

/// The notification `proflens/act`, for clients that draw our lists themselves: do what a message's button says.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ActParams {
    /// `mapPath`, `chooseMap` or `showLog`.
    pub(crate) action: String,
}
