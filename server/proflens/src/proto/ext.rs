//! The protocol between server and editors beyond the standard: our own requests, and what commands take and return.
//! `cargo xtask generate` writes these types for both of our clients, in TypeScript and in Lua.
//!
//! Amounts, counts and shares bring the text that users read ([`Amount`], [`Count`], [`Share`]). The plain numbers beside them are for
//! drawing. Shares lie between 0 and 1 of the base, positions are LSP's.

use analysis::anchor::Freshness;
use analysis::summary::Base;
use analysis::symbolicate::Confidence;
use analysis::views::Unit;
use profile::model::Unit as Quantity;
use profile::problem::Problem;
use serde::{Deserialize, Serialize};
use tower_lsp::ls_types::{Position, Range, TextDocumentIdentifier, Uri};

use super::compare::{ComparisonStatus, CostChange};

/// The request `proflens/documentCosts`, answered by [`DocumentCosts`].
pub(crate) const DOCUMENT_COSTS: &str = "proflens/documentCosts";
/// The request `proflens/status`, answered by [`Status`].
pub(crate) const STATUS: &str = "proflens/status";
/// The notification `proflens/act` with [`ActParams`], for our own clients: run the command of a message's button.
pub(crate) const ACT: &str = "proflens/act";

/// An amount of what was measured: of time, in integer nanoseconds, or of memory. `text` is what users read of it, in the unit that
/// they chose: `12.3 ms`, or `~123 ms` if its error is more than a tenth of it; `beside` is what may stand beside that: its share
/// of the base, or the amount where `text` is its share.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Amount {
    Time {
        ns: u64,
        text: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        beside: Option<String>,
    },
    Memory {
        bytes: u64,
        text: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        beside: Option<String>,
    },
}

/// A number of things, and the text of it: `214 samples`.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Count {
    pub(crate) number: u64,
    pub(crate) text: String,
}

/// A part of a whole, 0 to 1, and the text of it: `94 %`.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Share {
    pub(crate) part: f64,
    pub(crate) text: String,
}

impl Amount {
    /// The nanoseconds, for the fields of clients that only know time.
    pub(crate) fn nanos(&self) -> Option<u64> {
        match self {
            Self::Time { ns, .. } => Some(*ns),
            Self::Memory { .. } => None,
        }
    }
}

/// The state of a trace; `found`: it can be loaded.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum LoadState {
    Found,
    Loading,
    Loaded,
    Failed,
}

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
    #[serde(rename = "self")]
    pub(crate) self_amount: Amount,
    pub(crate) total: Amount,
    /// The same amount as `self`, for clients that only know time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) self_ns: Option<u64>,
    /// The same amount as `total`, for clients that only know time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) total_ns: Option<u64>,
    pub(crate) self_samples: u64,
    pub(crate) total_samples: u64,
    pub(crate) self_share: f64,
    pub(crate) total_share: f64,
    pub(crate) confidence: Confidence,
    pub(crate) freshness: Freshness,
    /// How often it was called, as counted in another run; `null` where that is not known.
    pub(crate) calls: Option<u64>,
    /// The number of tasks of more than 50 ms in which it was seen; `null` where the trace has no events that tell.
    pub(crate) long_tasks: Option<u64>,
    /// The part of `self` that is on none of the lines; `null` where the trace has no lines.
    pub(crate) without_line: Option<Amount>,
    /// How it changed; `null` unless what is shown is compared with something.
    pub(crate) change: Option<CostChange>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LineCosts {
    pub(crate) line: u32,
    #[serde(rename = "self")]
    pub(crate) self_amount: Amount,
    pub(crate) total: Amount,
    /// The part of it that is in `self` of other functions, because the engine inlined the line into them; `null` where there is none.
    pub(crate) inlined: Option<Amount>,
    /// The same amount as `self`, for clients that only know time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) self_ns: Option<u64>,
    /// The same amount as `total`, for clients that only know time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) total_ns: Option<u64>,
}

/// How often a line ran, as counted in another run.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LineRuns {
    pub(crate) line: u32,
    /// `ran 1,200 times`
    pub(crate) times: Count,
    /// Whether a block begins or ends on it: the line of its function before it ran more or less often.
    pub(crate) is_other: bool,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DocumentCosts {
    /// `null` for a document that is not open.
    pub(crate) version: Option<i32>,
    /// What was measured.
    pub(crate) unit: Quantity,
    pub(crate) functions: Vec<FunctionCosts>,
    pub(crate) lines: Vec<LineCosts>,
    /// How often lines ran in the run that was counted, as far as that is known; in order.
    pub(crate) ran: Vec<LineRuns>,
    /// How much of the sum of all `self` of the functions is on lines; `null` where that sum is 0.
    pub(crate) on_lines: Option<Share>,
}

/// A trace that is loaded, is being loaded, could not be loaded, or was found.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TraceStatus {
    pub(crate) uri: Uri,
    pub(crate) name: String,
    pub(crate) state: LoadState,
    /// Whether its costs are those that the editor shows.
    pub(crate) shown: bool,
    pub(crate) format: Option<&'static str>,
    /// What it measured; `null` unless its costs are shown.
    pub(crate) unit: Option<Quantity>,
    pub(crate) samples: Count,
    /// 0 where it counts bytes.
    pub(crate) duration: Amount,
    /// The recordings in the sum of its costs; 0 where they are not known.
    pub(crate) sessions: Count,
    /// The threads from which the user can choose.
    pub(crate) threads: Vec<ThreadStatus>,
    /// The part of it that is shown, in words, such as `1.2 s to 3.4 s, below parse`; `null` where that is all of it.
    pub(crate) scope: Option<String>,
    /// The markers that a window can be made of: those of the program first, the most frequent first.
    pub(crate) markers: Vec<MarkerStatus>,
    /// The labels of samples that can be chosen, such as `endpoint=/cart`, by key and then the costliest first.
    pub(crate) labels: Vec<String>,
    /// Whether it says on which lines functions ran; false unless its costs are shown.
    pub(crate) has_lines: bool,
    /// Why it could not be loaded.
    pub(crate) error: Option<String>,
}

/// Markers of the shown trace: `proflens.window` takes the name.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MarkerStatus {
    pub(crate) name: String,
    /// When it was and how long it took, for people, such as `at 3.2 s, 190 ms`.
    pub(crate) detail: String,
}

/// A thread of the shown trace: `proflens.selectTrace` takes its name after the trace's URL.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ThreadStatus {
    pub(crate) name: String,
    pub(crate) samples: Count,
    /// The time in which it was active, or the memory that it allocated.
    pub(crate) active: Amount,
    /// Whether its costs are those that the editor shows, alone or in a sum.
    pub(crate) shown: bool,
}

/// Where all that the shown trace measured went.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Ledger {
    pub(crate) total: Amount,
    /// What 100 % is.
    pub(crate) base: Amount,
    /// How much of that is on functions of the workspace, those of generated files too, in whole percent.
    pub(crate) placed: Share,
    /// They add up to `total`; those of the base come first, each by its size.
    pub(crate) rows: Vec<LedgerRow>,
}

/// A line of the ledger that is not empty.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LedgerRow {
    /// What it is: `placed`, `generated` (on functions of generated files, whose source maps are missing), `idle`, `no-stack`, or the
    /// name of a reason, such as `gc`; there may be new ones.
    pub(crate) why: &'static str,
    /// The same as users read it.
    pub(crate) label: String,
    pub(crate) amount: Amount,
    /// Resources or names to which it applies.
    pub(crate) examples: Vec<String>,
}

/// A source map that was not used, so that functions stay in the generated file.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LostMap {
    /// The generated file.
    pub(crate) generated: Uri,
    /// The path or URL at which the map is expected.
    pub(crate) wanted: String,
    /// Why it was not used; `null` where it does not exist.
    pub(crate) reason: Option<String>,
    /// What the functions of that file cost, without what they called.
    #[serde(rename = "self")]
    pub(crate) self_amount: Amount,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Status {
    pub(crate) enabled: bool,
    /// How costs are shown; `time` stands for what was measured, also for bytes.
    pub(crate) unit: Unit,
    pub(crate) base: Base,
    pub(crate) traces: Vec<TraceStatus>,
    /// The number of what is shown, which changes with the trace, its threads and its scope; `null` where nothing is.
    pub(crate) recording: Option<u64>,
    pub(crate) ledger: Option<Ledger>,
    /// Sorted by cost, the largest first.
    pub(crate) lost_maps: Vec<LostMap>,
    pub(crate) problems: Vec<Problem>,
    /// What the shown trace is compared with; `null` where it is with nothing.
    pub(crate) comparison: Option<ComparisonStatus>,
}

/// A caller or callee of a function: `uri` is `null` where it is not in the workspace.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) uri: Option<Uri>,
    pub(crate) selection_range: Option<Range>,
    pub(crate) total: Amount,
    /// Of the base.
    pub(crate) share: f64,
}

/// What `proflens.showCallers` answers with; `null` where nothing was measured.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Callers {
    pub(crate) name: String,
    #[serde(rename = "self")]
    pub(crate) self_amount: Amount,
    pub(crate) total: Amount,
    pub(crate) callers: Vec<Call>,
    pub(crate) callees: Vec<Call>,
}

/// What `proflens.showCallers` takes: the arguments of a lens, or a place in a document.
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

/// The definition of a lens that was clicked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct DefinitionData {
    pub(crate) uri: Uri,
    /// Its path in the document's outline.
    pub(crate) path: String,
}

/// The definition of a hint or a lens, with which it is resolved later: the document's number and the path in its
/// outline. It is short because there may be thousands.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ItemData(pub(crate) u32, pub(crate) String);

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ActParams {
    /// The command without `proflens.`: `mapPath`, `chooseMap` or `showLog`.
    pub(crate) action: String,
}
