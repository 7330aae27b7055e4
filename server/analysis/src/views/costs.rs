//! All costs of a document as numbers, from which editors draw views of their own, and the heat of its lines.
//!
//! Line heat is self time by line. The trace counts lines of the measured text; a function that did not change takes its
//! lines along to where it is today. Times of functions that share a line add up.
//!
//! ```text
//! measured                               today
//! 10  function sum(all) {                10  // One more line.
//! 11    return all.reduce(add);  5 ms    11  function sum(all) {
//! 12  }                                  12    return all.reduce(add);     5 ms: line 11, moved by 1
//!                                        13  }
//! ```
//!
//! Code that an engine inlined into a function is on the lines where it was written, in whatever function that is. So the lines of a
//! function can have more time than the function itself, and each line tells how much of its time belongs to other functions.
//!
//! The lines of an edited function are not shown, as it is not known which of them are still the measured ones. Time that
//! is on no line is given per function, so that it adds up with the lines to the function's self time.

use std::cmp::Reverse;
use std::iter;

use profile::model::{Amount, Weight};
use profile::tally::Cost;
use profile::uncertainty::Interval;
use text_size::TextRange;

use crate::anchor::Freshness;
use crate::summary::Base;
use crate::summary::{DefinitionKey, InlinedLine};
use crate::symbolicate::Confidence;
use crate::views::measured_document::{MeasuredDocument, MeasuredFunction};

/// The costs of one version of a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DocumentCosts {
    /// Every measured definition that is still in the text, ordered by its place, without a threshold.
    pub functions: Vec<FunctionCost>,
    /// The lines with self time, if the trace has lines, of functions that did not change.
    pub lines: Vec<LineHeat>,
    /// How often lines of unchanged functions ran in the counted run, as far as known; in order.
    pub ran: Vec<LineRuns>,
}

/// How often a line ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRuns {
    /// The line, 0-based.
    pub line: u32,
    /// How often the first code on it ran.
    pub times: u64,
    /// Whether a block begins or ends on it, so that the previous line of its function ran more or less often.
    pub is_other: bool,
}

/// The self time of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LineHeat {
    /// The line, 0-based.
    pub line: u32,
    /// What it cost.
    pub time: Amount,
    /// The part of it in functions that the line was inlined into, where it is self time.
    pub inlined: Amount,
    /// How certain that is.
    pub interval: Option<Interval>,
}

/// The cost of a definition.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionCost {
    /// Its key in the recording.
    pub key: DefinitionKey,
    /// Its name.
    pub name: String,
    /// All of its text.
    pub range: TextRange,
    /// Its name, or an empty range at its start.
    pub selection: TextRange,
    /// Self and total cost.
    pub cost: Cost,
    /// How often it was called in the counted run, if known.
    pub calls: Option<u64>,
    /// In how many long tasks it was seen, if the trace has events that tell this.
    pub long_tasks: Option<u64>,
    /// Its self time as a share of the base, 0..1.
    pub self_share: f64,
    /// Its total time as a share of the base, 0..1.
    pub total_share: f64,
    /// How certain its place is.
    pub confidence: Confidence,
    /// Whether its text is still the measured one.
    pub freshness: Freshness,
    /// Its self time on no line, neither its own nor one that was inlined into it; `None` if no trace has lines.
    pub without_line: Option<Amount>,
}

/// The costs of a document.
pub fn document_costs(measured: MeasuredDocument<'_>, whole: Base) -> DocumentCosts {
    let mut costs = DocumentCosts::default();
    let (summary, has_lines) = (&measured.recording.summary, measured.recording.has_lines());
    for it in measured.functions() {
        let (today, of_recording) = (measured.definition(it), measured.measured(it));
        let [self_share, total_share] = summary.shares(&it.cost, whole);
        let lines = function_lines(measured, it);
        let inlined = of_recording.inlined.iter().filter(|(it, _)| inlined_line(measured, it).is_some());
        let on_lines: Amount = lines.iter().map(|line| line.time).chain(inlined.map(|(_, &time)| time)).sum();
        let without_line = it.cost.self_time - on_lines;
        costs.lines.extend(lines);
        costs.ran.extend(function_runs(measured, it));
        costs.functions.push(FunctionCost {
            key: it.key.clone(),
            name: today.name.clone(),
            range: today.range,
            selection: measured.selection(it),
            cost: it.cost,
            calls: measured.recording.calls(&it.key),
            long_tasks: of_recording.long_tasks,
            self_share,
            total_share,
            confidence: of_recording.confidence,
            freshness: it.freshness,
            without_line: has_lines.then_some(without_line),
        });
    }
    costs.lines.extend(inlined_lines(measured));
    costs.lines.sort_unstable_by_key(|it| (it.line, Reverse(it.time)));
    costs.lines.dedup_by(|next, kept| {
        let same = next.line == kept.line;
        if same && next.time > Amount(0) {
            kept.time += next.time;
            kept.inlined += next.inlined;
            kept.interval = summary.interval_of(summary.samples_in(kept.time));
        }
        same
    });
    costs.ran.sort_by_key(|it| it.line);
    // On a line of two functions, the first code belongs to the outer one, which comes first.
    costs.ran.dedup_by_key(|it| it.line);
    costs
}

/// How often the lines of a function ran, by its lines of today; empty if it was edited, or if not known.
pub fn function_runs(measured: MeasuredDocument<'_>, function: &MeasuredFunction) -> Vec<LineRuns> {
    let Some(counted) = measured.recording.counted(&function.key) else { return Vec::new() };
    let Some(line_today) = measured.line_today(function) else { return Vec::new() };
    let mut before = counted.calls;
    let lines = counted.lines.iter().filter_map(|(&line, &times)| {
        let is_other = std::mem::replace(&mut before, times) != times;
        Some(LineRuns { line: line_today(line)?, times, is_other })
    });
    lines.collect()
}

/// The self time of a function by its lines of today, in order; empty if it was edited, or if lines are not known.
pub fn function_lines(measured: MeasuredDocument<'_>, function: &MeasuredFunction) -> Vec<LineHeat> {
    let (summary, of_recording) = (&measured.recording.summary, measured.measured(function));
    let Some(line_today) = measured.line_today(function) else { return Vec::new() };
    let lines = of_recording.lines.iter().filter_map(|(&line, &time)| Some((line_today(line)?, time)));
    let heat = lines.map(|(line, time)| {
        let part = Weight { time, samples: summary.samples_in(time) };
        let interval = summary.interval_within_own(part, iter::once(of_recording));
        LineHeat { line, time, inlined: Amount(0), interval }
    });
    heat.collect()
}

/// Today's lines of code that was inlined into functions of any file.
fn inlined_lines(measured: MeasuredDocument<'_>) -> impl Iterator<Item = LineHeat> {
    let summary = &measured.recording.summary;
    summary.inlined_in(&measured.document.file).filter_map(move |(function, inlined, time)| {
        let line = inlined_line(measured, inlined)?;
        let part = Weight { time, samples: summary.samples_in(time) };
        let interval = summary.interval_within_own(part, summary.definitions.get(function).into_iter());
        Some(LineHeat { line, time, inlined: time, interval })
    })
}

/// Today's line of inlined code.
fn inlined_line(measured: MeasuredDocument<'_>, inlined: &InlinedLine) -> Option<u32> {
    measured.inlined_line_today(&inlined.definition, inlined.line?)
}
