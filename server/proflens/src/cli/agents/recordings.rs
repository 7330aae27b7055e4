//! The recordings and traces of the workspace that can be asked about, newest first.

use analysis::format::{Style, size};
use schemars::JsonSchema;
use serde::Serialize;

use super::quoted::{NAME, PATH, quoted};
use super::{AgentAnswer, left_out, lines};

/// What can be asked about.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RecordingsAnswer {
    /// The workspace folder.
    pub(crate) workspace: String,
    /// The newest first.
    pub(crate) traces: Vec<StoredTrace>,
    /// How many were left out.
    pub(crate) left_out: usize,
    /// What to ask next.
    pub(crate) next: String,
}

/// A trace in the workspace.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoredTrace {
    /// Its path below the workspace, for the parameter `trace` of the other tools; of several runs of one command their folder.
    pub(crate) trace: String,
    /// How many runs it has.
    pub(crate) runs: usize,
    /// How long ago it was recorded, or if it does not say so, written.
    pub(crate) age: String,
    /// Bytes, of all runs.
    pub(crate) size: u64,
    /// What was recorded, of recordings by proflens record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) command: Option<String>,
    /// The commit that was checked out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) commit: Option<String>,
    /// Whether tracked files were changed on top of the commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) is_changed: Option<bool>,
}

impl AgentAnswer for RecordingsAnswer {
    fn text(&self) -> String {
        let head =
            format!("Recordings and traces of {}, the newest first:", quoted(&self.workspace, PATH + 30));
        let rows = (1..).zip(&self.traces).map(|(number, trace)| trace.text(number)).collect::<String>();
        let more = left_out(self.left_out, "trace", "a larger max_tokens lists them").unwrap_or_default();
        lines([&*head, rows.trim_end(), &more, &*self.next])
    }

    fn shrink(&mut self) -> bool {
        let is_needed = self.traces.len() <= 1;
        if !is_needed {
            self.traces.pop();
            self.left_out += 1;
        }
        !is_needed
    }
}

impl StoredTrace {
    fn text(&self, number: usize) -> String {
        let command = self.command.as_deref().map(|name| format!(", of {}", quoted(name, NAME + 30)));
        let commit = self.commit.as_deref().map(|commit| {
            let changed = if self.is_changed == Some(true) { " with changes on top" } else { "" };
            format!(", at commit {}{changed}", commit.get(..12).unwrap_or(commit))
        });
        let [command, commit] = [command, commit].map(Option::unwrap_or_default);
        let runs = if self.runs > 1 { format!(", {} runs", self.runs) } else { String::new() };
        let size = size(self.size, Style::Text);
        format!("{number}. {} {}{command}{runs}{commit}, {size}\n", quoted(&self.trace, PATH + 30), self.age)
    }
}
