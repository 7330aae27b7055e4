//! What V8's compiler did with functions, as lines below the functions of a report.

use analysis::deopts::CompiledDefinition;
use analysis::format::count;
use analysis::summary::DefinitionKey;

use super::content::Report;
use super::{printable, relative};

/// How often code was given up in total, followed by the functions worth mentioning; empty if it was not logged.
pub(super) fn lines(report: &Report) -> Vec<String> {
    let Some(log) = &report.recording.deopts else { return Vec::new() };
    let all = log.remarkable();
    let head = match log.times() {
        0 => "V8 gave up no optimised code in the run that was logged".to_owned(),
        times => format!("V8 gave up optimised code {} in the run that was logged", count(times, "time")),
    };
    let mut lines = vec![if all.is_empty() { format!("{head}.") } else { format!("{head}:") }];
    lines.extend(all.iter().take(report.limit).filter_map(|(key, it)| line(report, key, it)));
    if all.len() > report.limit {
        lines.push(format!("… and {} more; --limit 0 lists all", all.len() - report.limit));
    }
    lines
}

/// `getx src/app.ts:10: deoptimised 14 times: wrong map, line 12`
fn line(report: &Report, key: &DefinitionKey, compiled: &CompiledDefinition) -> Option<String> {
    let measured = report.recording.summary.definitions.get(key);
    let text = compiled.text(measured, |text| printable(text, 60), Some)?;
    let (name, file) = (printable(&compiled.name, 40), printable(&relative(&key.file, report.folder), 80));
    Some(format!("{name} {file}:{}: {text}", compiled.start.line + 1))
}
