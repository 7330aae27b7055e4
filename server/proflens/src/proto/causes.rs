//! The protocol, from a number to its cause: call trees, lists of what cost most, and what part of a recording is looked at.

use serde::{Deserialize, Serialize};
use tower_lsp::ls_types::{Range, Uri};

use super::compare::HotChange;
use super::ext::{Amount, CallersParams, Count, DefinitionData, Share};

/// The request `proflens/callTree`, answered by [`CallTree`], or `null` where nothing was measured.
pub(crate) const CALL_TREE: &str = "proflens/callTree";
/// The request `proflens/hottest`, answered by [`HotList`].
pub(crate) const HOTTEST: &str = "proflens/hottest";
/// The request `proflens/flameGraph`, answered by [`FlameGraphData`], or `null` where nothing is shown.
pub(crate) const FLAME_GRAPH: &str = "proflens/flameGraph";
/// The request `proflens/flamePage`, answered by [`FlamePage`], or `null` where nothing is shown.
pub(crate) const FLAME_PAGE: &str = "proflens/flamePage";
/// The request `proflens/function` with a [`DefinitionData`] or a place, answered by [`FunctionLocation`], or `null` where nothing was
/// measured.
pub(crate) const FUNCTION: &str = "proflens/function";

/// From a function to those that called it, or to those that it called.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum CallDirection {
    Callers,
    Callees,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CallTreeParams {
    /// The function at the root of the tree.
    pub(crate) function: CallersParams,
    pub(crate) direction: CallDirection,
    /// The keys of the items that lead to the node, from the root; none for the root itself.
    #[serde(default)]
    pub(crate) path: Vec<u32>,
    /// The recording from whose answer the keys are. If another one is shown by now, the answer is the error
    /// `ContentModified`.
    #[serde(default)]
    pub(crate) recording: Option<u64>,
}

/// A node of a call tree: the items, `others` and `ends` add up to `total`.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CallTree {
    pub(crate) recording: u64,
    /// The name of the function at the root.
    pub(crate) name: String,
    pub(crate) function: DefinitionData,
    /// What flows through the node.
    pub(crate) total: Amount,
    /// Of the base, like all shares of the tree.
    pub(crate) share: f64,
    /// What ends in the node: of callees what it cost itself, of callers what nothing called (an event, a timer).
    pub(crate) ends: Amount,
    pub(crate) ends_share: f64,
    /// What to call that, and what it means: `(entry)`, or `(focus)` where callers are outside of what is looked at.
    pub(crate) ends_name: &'static str,
    pub(crate) ends_about: &'static str,
    /// Hottest first.
    pub(crate) items: Vec<CallTreeItem>,
    /// What is not among the items, where there are more than 1,000; else `null`.
    pub(crate) others: Option<OtherCalls>,
}

/// Callers or callees that cost less than those that are listed, all of them together.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OtherCalls {
    pub(crate) count: usize,
    pub(crate) total: Amount,
    pub(crate) samples: Count,
    pub(crate) share: f64,
}

/// A caller or callee in a call tree.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CallTreeItem {
    /// What names it in paths.
    pub(crate) key: u32,
    pub(crate) name: String,
    /// Where it is, or what it is, if it is not a function of the workspace.
    pub(crate) description: Option<String>,
    /// `null` where it is not a function of the workspace.
    pub(crate) function: Option<DefinitionData>,
    pub(crate) uri: Option<Uri>,
    pub(crate) selection_range: Option<Range>,
    pub(crate) total: Amount,
    pub(crate) samples: Count,
    pub(crate) share: f64,
}

/// What a list is ordered by: `self` or `total` time, or `difference` to what is compared with, those that changed for certain first. By
/// difference there are functions only, those that are gone too; without a comparison it is by self time.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum HotBy {
    #[default]
    #[serde(rename = "self")]
    OwnTime,
    #[serde(rename = "total")]
    WithCallees,
    Difference,
}

/// What a row of a list is.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum HotGroup {
    #[default]
    Function,
    File,
    Folder,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HottestParams {
    #[serde(default)]
    pub(crate) by: HotBy,
    #[serde(default)]
    pub(crate) group: HotGroup,
    /// Only rows whose name or path has this text, in any case.
    #[serde(default)]
    pub(crate) filter: String,
    /// How many rows; 0 for all of them.
    #[serde(default)]
    pub(crate) limit: usize,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HotList {
    /// The recording; `null` where no trace is shown.
    pub(crate) recording: Option<u64>,
    /// How many rows there are without the limit.
    pub(crate) count: usize,
    /// Hottest first.
    pub(crate) items: Vec<HotItem>,
    /// Of a list of files: the folders around them, except those of the workspace.
    pub(crate) folders: Vec<FolderShare>,
}

/// What all files below a folder have of the base.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FolderShare {
    pub(crate) uri: Uri,
    #[serde(rename = "self")]
    pub(crate) self_share: Share,
}

/// A row of a list: a function, a file or a folder; the functions are also what `proflens.showHottest` answers with.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HotItem {
    pub(crate) name: String,
    pub(crate) uri: Uri,
    /// The path from its workspace folder.
    pub(crate) path: String,
    /// `null` for files and folders.
    pub(crate) selection_range: Option<Range>,
    /// `null` for files and folders.
    pub(crate) function: Option<DefinitionData>,
    #[serde(rename = "self")]
    pub(crate) self_amount: Amount,
    pub(crate) total: Amount,
    pub(crate) self_share: f64,
    pub(crate) total_share: f64,
    pub(crate) self_samples: Count,
    pub(crate) total_samples: Count,
    /// How often it was called, as counted in another run; `null` where that is not known, and for files and folders.
    pub(crate) calls: Option<Count>,
    /// How it changed; `null` unless the order is by difference.
    pub(crate) change: Option<HotChange>,
}

/// What `proflens.focus` takes.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FocusParams {
    /// By its place, or by its name; not needed for a package or a path.
    #[serde(default)]
    pub(crate) function: Option<FocusedFunction>,
    pub(crate) how: FocusHow,
    /// The package to collapse.
    #[serde(default)]
    pub(crate) package: Option<String>,
    /// The node of a call tree to which the path leads.
    #[serde(default)]
    pub(crate) node: Option<CallTreeParams>,
}

/// A function by its place, or by its name: `parse`, `Parser.parse`, `src/a.ts:parse`.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum FocusedFunction {
    Name(String),
    Place(CallersParams),
}

/// What to look at: what is `below` a function, its `callers`, all but the samples with it (`drop`), all with its time given to its
/// callers (`merge`), a package as one function (`collapse`), or what flows through a node of a call tree (`path`).
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum FocusHow {
    Below,
    Callers,
    Drop,
    Merge,
    Collapse,
    Path,
}

/// What `proflens.window` takes: two moments since the start of the recording (`1.2s`, `300ms`, seconds, `end`), of which one is
/// enough, or the names of markers, or labels (`endpoint=/cart`), which leave a window that was chosen before as it is.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WindowParams {
    #[serde(default)]
    pub(crate) from: Option<String>,
    #[serde(default)]
    pub(crate) to: Option<String>,
    #[serde(default)]
    pub(crate) markers: Vec<String>,
    #[serde(default)]
    pub(crate) labels: Vec<String>,
}

/// `{}`.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct FlameGraphParams {}

/// What is shown, as a flame graph.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FlameGraphData {
    pub(crate) recording: u64,
    /// Its bytes (docs/flame.md) in base64.
    pub(crate) data: String,
}

/// For an editor that serves the page to a browser.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FlamePageParams {
    /// The path to which the page sends what is to be opened.
    pub(crate) editor: String,
}

/// What is shown, as the page that `proflens flame` writes.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FlamePage {
    pub(crate) recording: u64,
    pub(crate) html: String,
}

/// A measured function, and where it is now.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FunctionLocation {
    pub(crate) function: DefinitionData,
    pub(crate) uri: Uri,
    pub(crate) selection_range: Range,
}
