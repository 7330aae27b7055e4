//! Code of other functions that the engine inlined into a function, in the report as JSON.

use std::borrow::Cow;

use analysis::summary::Measured;
use profile::model::Unit;
use serde::Serialize;

use crate::cli::amounts::{InUnit, named};
use crate::cli::content::Report;
use crate::cli::relative;

/// A line whose code was inlined into a function.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct JsonInlined<'a> {
    /// The function that the line is of, which need not be listed itself.
    name: &'a str,
    /// The file of that function.
    file: Cow<'a, str>,
    /// The line, from 1; `null` where it was edited since.
    line: Option<u32>,
    /// The part of the self time of the function that it was inlined into.
    #[serde(flatten)]
    self_ns: InUnit<u64>,
}

/// The code that was inlined into a function.
pub(super) fn json_inlined<'a>(
    report: &Report<'a>,
    measured: &'a Measured,
    unit: Unit,
) -> Vec<JsonInlined<'a>> {
    let inlined = measured.inlined.iter().map(|(inlined, &time)| JsonInlined {
        name: &inlined.name,
        file: relative(&inlined.definition.file, report.folder),
        line: inlined.line.map(|line| line + 1),
        self_ns: named("self", unit, time),
    });
    inlined.collect()
}
