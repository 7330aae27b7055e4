//! The column of self times that `annotate --lines` puts before the lines of a source, and the sentence about time on no line.

use std::collections::BTreeMap;

use analysis::format::{Style, about, amount, column};
use analysis::recording::Recording;
use analysis::views::DocumentCosts;
use profile::model::Amount;

/// What is said if no trace has lines.
pub(super) const NO_LINES: &str = "the trace does not say on which lines functions ran; .cpuprofile files, Chrome traces and \
                                   Firefox profiles do";

/// What comes before each line of a source.
pub(super) struct LineColumn {
    labels: BTreeMap<u32, String>,
    width: usize,
}

impl LineColumn {
    pub(super) fn new(costs: &DocumentCosts, recording: &Recording) -> Self {
        let shown: Vec<_> = costs.lines.iter().filter(|line| line.time > Amount(0)).collect();
        let texts: Vec<String> =
            shown.iter().map(|line| about(line.time, recording.unit, line.interval)).collect();
        let labels: BTreeMap<u32, String> = shown.iter().map(|line| line.line).zip(column(&texts)).collect();
        let width = labels.values().map(|label| label.chars().count()).max().unwrap_or(0);
        Self { labels, width }
    }

    /// What comes before a line, with a space at its end.
    pub(super) fn before(&self, line: u32) -> String {
        let label = self.labels.get(&line).map_or("", String::as_str);
        format!("{label:>width$} │ ", width = self.width)
    }
}

/// How much of the self time of a document is on no line; `None` if all of it is on a line.
pub(super) fn without_line(costs: &DocumentCosts, recording: &Recording) -> Option<String> {
    let rest: Amount = costs.functions.iter().filter_map(|function| function.without_line).sum();
    let whole: Amount = costs.functions.iter().map(|function| function.cost.self_time).sum();
    let (summary, unit) = (&recording.summary, recording.unit);
    let shown = about(rest, unit, summary.interval_of(summary.samples_in(rest)));
    let all = amount(whole, unit, Style::Text);
    (rest > Amount(0)).then(|| {
        format!(
            "{shown} of {all} are on no line: the trace has none there, a source map leads to several, or the function was edited"
        )
    })
}
