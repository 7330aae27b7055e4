//! The columns that `annotate --lines` puts before the lines of a source, with self times and how often lines ran, and
//! the sentence about time on no line.

use std::collections::BTreeMap;

use analysis::format::{Style, about, amount, column, thousands};
use analysis::recording::Recording;
use analysis::views::{DocumentCosts, LineRuns};
use profile::model::Amount;

/// The sentence if no trace has lines.
pub(super) const NO_LINES: &str = "the trace does not say on which lines functions ran; .cpuprofile files, Chrome traces and \
                                   Firefox profiles do";

/// The text before each line of a source: its self time, and how often it ran if that was counted.
pub(super) struct LineColumns {
    labels: BTreeMap<u32, [String; 2]>,
    widths: [usize; 2],
}

impl LineColumns {
    pub(super) fn new(costs: &DocumentCosts, recording: &Recording) -> Self {
        let shown: Vec<_> = costs.lines.iter().filter(|line| line.time > Amount(0)).collect();
        let texts: Vec<String> =
            shown.iter().map(|line| about(line.time, recording.unit, line.interval)).collect();
        let mut labels: BTreeMap<u32, [String; 2]> = BTreeMap::new();
        for (line, text) in shown.iter().zip(column(&texts)) {
            labels.entry(line.line).or_default()[0] = text;
        }
        for LineRuns { line, times, is_other } in costs.ran.iter().copied() {
            if is_other || labels.contains_key(&line) {
                labels.entry(line).or_default()[1] = format!("{}×", thousands(times));
            }
        }
        let width =
            |at: usize| labels.values().map(|cells| cells[at].chars().count()).max().unwrap_or_default();
        let widths = [0, 1].map(width);
        Self { labels, widths }
    }

    /// The text before a line, with a space at its end.
    pub(super) fn before(&self, line: u32) -> String {
        let nothing = Default::default();
        let cells = self.labels.get(&line).unwrap_or(&nothing);
        let cells = cells.iter().zip(self.widths).enumerate();
        // If nothing was counted, there is no second column.
        let shown = cells.filter(|(at, (_, width))| *at == 0 || *width > 0);
        shown.map(|(_, (cell, width))| format!("{cell:>width$} │ ")).collect()
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
