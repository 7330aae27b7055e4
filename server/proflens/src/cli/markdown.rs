//! The report as Markdown, for pull requests and issues.

use analysis::format::{Style, known, percent, thousands};
use analysis::views::hottest;

use super::content::Report;
use super::table::{ledger_lines, sessions};
use super::{printable, relative};

/// A table of the hottest functions and the ledger below it.
pub(super) fn render(report: &Report) -> String {
    let summary = &report.recording.summary;
    let amount = |it, interval| known(it, report.recording.unit, Style::Text, interval);
    let rows = hottest(summary, report.by);
    let several_sessions = report.recording.sessions() > 1;
    let session_column = |text: &str| if several_sessions { format!(" {text} |") } else { String::new() };
    let mut text = format!(
        "| Self | | Total | | Samples |{} Function | Where |\n|--:|--:|--:|--:|--:|{}:--|:--|\n",
        session_column("Sessions"),
        session_column("--:").replace(' ', ""),
    );
    for (key, it) in rows.iter().take(report.limit) {
        let [self_share, total_share] = summary.shares(it, report.whole);
        let [self_interval, total_interval] = summary.intervals(it);
        let cost = &it.cost;
        text += &format!(
            "| {} | {} | {} | {} | {} |{} {} | {} |\n",
            amount(cost.self_time, self_interval),
            percent(self_share, Style::Text),
            amount(cost.total_time, total_interval),
            percent(total_share, Style::Text),
            thousands(cost.total_samples),
            session_column(&sessions(it)),
            code(&it.name),
            code(&format!("{}:{}", relative(&key.file, report.folder), it.start.line + 1)),
        );
    }
    text.push('\n');
    for line in ledger_lines(report, rows.len()) {
        text += &format!("- {}\n", line.replace('|', "\\|"));
    }
    text
}

/// Inline code, safe for any name.
pub(super) fn code(text: &str) -> String {
    let text = printable(text, 80).replace('|', "\\|");
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}
