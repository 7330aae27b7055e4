//! The protocol of comparisons: what is shown against what was measured before.

use ::compare::verdict::{Method, Verdict};
use serde::{Deserialize, Serialize};

/// What `proflens.compareWith` takes: the side before, by its files or by a commit. The side after is what is shown.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CompareParams {
    #[serde(default)]
    pub(crate) before: Option<ComparedWith>,
    /// The commit, branch or tag whose recordings are meant.
    #[serde(default)]
    pub(crate) rev: Option<String>,
}

/// `previous`, which is the recording before the shown one, or paths or `file:` URLs: each file is a run, and each file of a folder.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum ComparedWith {
    Word(String),
    Paths(Vec<String>),
}

/// How a cost changed.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CostChange {
    pub(crate) verdict: Verdict,
    /// With its sign: `▲38 %`, `▼12 %`, `▲×2.4`, `new`; `▲38 %?` where it is only possible; `+3 %` where there is not enough data.
    pub(crate) text: String,
    /// After divided by before; `null` where there was nothing before.
    pub(crate) ratio: Option<f64>,
}

/// A function of a comparison in a list. All texts are ready for people.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HotChange {
    pub(crate) verdict: Verdict,
    /// Whether hints show it too: it changed, if only possibly, or it is new or gone and cost enough to say so.
    pub(crate) is_shown: bool,
    /// The verdict in a word or two, and why, as far as calls tell: `slower`, `slower: more calls`, `not enough data`.
    pub(crate) words: String,
    /// `12.3 ms`
    pub(crate) before: String,
    /// `17.0 ms`
    pub(crate) after: String,
    /// `▲38 %`, as in [`CostChange`].
    pub(crate) text: String,
    /// After divided by before; `null` where there was nothing before.
    pub(crate) ratio: Option<f64>,
    /// Which of its times these are: `self` or `total`.
    pub(crate) which: &'static str,
    /// The interval of the change: `+30 % to +46 %`; `null` where it is not known.
    pub(crate) interval: Option<String>,
}

/// What is compared, and what came out.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ComparisonStatus {
    /// What it is compared with: `yesterday.cpuprofile`, or the name of a folder.
    pub(crate) title: String,
    pub(crate) before_paths: Vec<String>,
    pub(crate) before_runs: u64,
    pub(crate) after_runs: u64,
    pub(crate) method: Method,
    /// The numbers of functions that changed for certain.
    pub(crate) slower: usize,
    pub(crate) faster: usize,
    /// The numbers of functions that possibly changed, in fewer than three runs a side.
    pub(crate) maybe_slower: usize,
    pub(crate) maybe_faster: usize,
    /// The number of functions of which there is not enough data to tell.
    pub(crate) unsure: usize,
    /// All of it.
    pub(crate) active: ActiveChange,
    /// What is compared, by what it is judged and what came out, in a few sentences: one a line.
    pub(crate) sentence: String,
}

/// How all of what is shown changed.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ActiveChange {
    /// `+3.8 %`
    pub(crate) text: String,
    pub(crate) verdict: Verdict,
}
