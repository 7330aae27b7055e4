//! Style and layout that functions forced, as lines below the functions of a report.

use analysis::rendering::ForcedByFunction;
use analysis::summary::CallEnd;

use super::content::Report;
use super::{printable, relative};

/// What all functions forced, followed by the functions for which it took the most time; empty if none forced anything.
pub(super) fn lines(report: &Report) -> Vec<String> {
    let Some(rendering) = &report.recording.rendering else { return Vec::new() };
    let costliest = rendering.costliest();
    let all = rendering.all().text();
    let mut lines = vec![format!("Functions forced {all} in all, which is a part of their self times:")];
    lines.extend(costliest.iter().take(report.limit).map(|(end, it)| line(report, end, it)));
    if costliest.len() > report.limit {
        lines.push(format!("… and {} more; --limit 0 lists all", costliest.len() - report.limit));
    }
    lines
}

/// `widen src/app.ts:10: layout 12 times, style 12 times, 34 ms (offsetWidth, line 88)`
fn line(report: &Report, end: &CallEnd, by_function: &ForcedByFunction) -> String {
    let name = if by_function.name.is_empty() { "(anonymous)" } else { &*by_function.name };
    let name = printable(name, 40);
    let title = match end {
        CallEnd::Entry => "(no function)".to_owned(),
        CallEnd::Definition(key) => {
            let file = printable(&relative(&key.file, report.folder), 80);
            let line = by_function.start.map(|start| format!(":{}", start.line + 1)).unwrap_or_default();
            format!("{name} {file}{line}")
        }
        CallEnd::Unplaced(function) => {
            let script = function.resource.as_deref().unwrap_or("no script");
            format!("{name}, not placed, {}", printable(script, 80))
        }
    };
    let site = by_function.site_text(|asked_for| printable(asked_for, 40), Some);
    let site = site.map(|site| format!(" ({site})")).unwrap_or_default();
    format!("{title}: {}{site}", by_function.forced.text())
}
