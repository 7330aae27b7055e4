//! Counted calls in the report as JSON.

use std::borrow::Cow;

use analysis::counts::{CallCounts, CountedDefinition};
use serde::Serialize;

use crate::cli::content::Report;
use crate::cli::relative;

/// What is known of the calls of functions, which never changes times.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct JsonCounts<'a> {
    /// In which run they were counted: `another`, as counting would change the times.
    run: &'static str,
    /// How many functions with samples were counted.
    functions: usize,
    /// How many of these were called in the run that was counted; a problem names the others.
    called: usize,
    /// The functions that were called there and have no sample, those with the most calls first, at most `--limit`.
    without_samples: Vec<JsonCalled<'a>>,
}

/// A function that was called.
#[derive(Serialize)]
struct JsonCalled<'a> {
    /// Its name.
    name: &'a str,
    /// Its file, as that of a function.
    file: Cow<'a, str>,
    /// The line of its name, or of itself where it has none.
    line: u32,
    /// The column of that.
    column: u32,
    /// The number of calls.
    calls: u64,
    /// How often its lines ran, in order; only with `--lines`.
    #[serde(skip_serializing_if = "Option::is_none")]
    ran: Option<Vec<JsonLineRuns>>,
}

/// How often a line ran.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct JsonLineRuns {
    /// The line of the file.
    line: u32,
    /// How often the first code on it ran.
    times: u64,
}

/// How often the lines of a function ran.
pub(super) fn json_ran(counted: &CountedDefinition) -> Vec<JsonLineRuns> {
    counted.lines.iter().map(|(line, &times)| JsonLineRuns { line: line + 1, times }).collect()
}

/// The counts for a report.
pub(super) fn json_counts<'a>(report: &Report<'a>, counts: &'a CallCounts) -> JsonCounts<'a> {
    let summary = &report.recording.summary;
    let [called, functions] = counts.agreement(summary);
    let without = counts.without_samples(summary).into_iter().take(report.limit);
    let without = without.map(|(key, counted)| JsonCalled {
        name: &counted.name,
        file: relative(&key.file, report.folder),
        line: counted.start.line + 1,
        column: counted.start.column + 1,
        calls: counted.calls,
        ran: report.lines.then(|| json_ran(counted)),
    });
    JsonCounts { run: "another", functions, called, without_samples: without.collect() }
}
