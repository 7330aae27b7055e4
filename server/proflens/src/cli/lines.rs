//! The column of self times that `annotate --lines` puts before the lines of a source, and what is said of time on no line.

use std::collections::BTreeMap;

use analysis::Recording;
use analysis::format::{Style, about, amount, column};
use analysis::views::DocumentCosts;
use profile::{Amount, Unit};

/// What to say where no trace has lines.
pub(super) const NO_LINES: &str = "the trace does not say on which lines functions ran; .cpuprofile files, Chrome traces and \
                                   Firefox profiles do";

/// What stands before each line of a source.
pub(super) struct LineColumn {
    labels: BTreeMap<u32, String>,
    width: usize,
}

impl LineColumn {
    pub(super) fn new(costs: &DocumentCosts, recording: &Recording) -> Self {
        let shown: Vec<_> = costs.lines.iter().filter(|it| it.1 > Amount(0)).collect();
        let label = |time| {
            let interval = recording.summary.interval_of(recording.summary.samples_in(time));
            about(time, recording.unit, interval)
        };
        let labels: Vec<String> = shown.iter().map(|it| label(it.1)).collect();
        let labels: BTreeMap<u32, String> = shown.iter().map(|it| it.0).zip(column(&labels)).collect();
        let width = labels.values().map(|it| it.chars().count()).max().unwrap_or(0);
        Self { labels, width }
    }

    /// What stands before a line, a space at its end.
    pub(super) fn before(&self, line: u32) -> String {
        let label = self.labels.get(&line).map_or("", String::as_str);
        format!("{label:>width$} │ ", width = self.width)
    }
}

/// How much of the self time of a document is on no line; `None` if all is on one.
pub(super) fn without_line(costs: &DocumentCosts, unit: Unit) -> Option<String> {
    let rest: Amount = costs.functions.iter().filter_map(|it| it.without_line).sum();
    let whole: Amount = costs.functions.iter().map(|it| it.cost.self_time).sum();
    let [shown, of] = [rest, whole].map(|it| amount(it, unit, Style::Text));
    (rest > Amount(0)).then(|| {
        format!(
            "{shown} of {of} are on no line: the trace has none there, a source map leads to several, or the function was edited"
        )
    })
}
