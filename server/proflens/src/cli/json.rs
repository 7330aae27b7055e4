//! The report as JSON, for scripts: fields are fixed, and the same input gives the same bytes.

mod calls;
mod deopts;
mod inlined;
mod packages;
mod rendering;

use std::borrow::Cow;

use analysis::anchor::Freshness;
use analysis::summary::{Base, CallEnd, DefinitionKey, Measured, MeasuredAt};
use analysis::symbolicate::Confidence;
use analysis::views::hottest;
use profile::model::{Amount, Position, Unit};
use profile::problem::Problem;
use profile::scope::{LabelSum, LabelValue};
use profile::uncertainty::Interval;
use serde::Serialize;

use self::calls::{JsonCounts, JsonLineRuns, json_counts, json_ran};
use self::deopts::{JsonCompilerLog, JsonDeopts, json_compiler_log, json_deopts};
use self::inlined::{JsonInlined, json_inlined};
use self::packages::{JsonPackage, json_package};
use self::rendering::{JsonForcedByFunction, JsonRendering, json_forced_by, json_rendering};
use super::amounts::{InUnit, named};
use super::content::Report;
use super::relative;

/// What `report --format json` prints.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonReport<'a> {
    /// 1. Fields may be added under it; none changes its meaning.
    version: u32,
    /// What was measured: `time` or `bytes`.
    unit: Unit,
    /// The traces that were added up.
    traces: Vec<JsonTrace<'a>>,
    /// What the shares are of: `active` or `all`, as `--base` has it.
    base: Base,
    /// Where all the time went.
    ledger: JsonLedger,
    /// The functions of the workspace, the hottest by `--by` first, at most `--limit`.
    functions: Vec<JsonFunction<'a>>,
    /// How many more there are than `--limit`.
    functions_left_out: usize,
    /// What is known of the calls, where they were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    counts: Option<JsonCounts<'a>>,
    /// What V8's compiler did with functions, where that was logged.
    #[serde(skip_serializing_if = "Option::is_none")]
    deopts: Option<JsonCompilerLog<'a>>,
    /// Style and layout that functions forced, where the traces tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    rendering: Option<JsonRendering<'a>>,
    /// The packages below `node_modules` whose functions were not placed, also those in a bundle, the hottest first; left out where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    packages: Vec<JsonPackage<'a>>,
    /// The functions that were not placed; only with `--all`. Time in no function, such as `program`, is in the ledger only.
    #[serde(skip_serializing_if = "Option::is_none")]
    unplaced_functions: Option<Vec<JsonUnplacedFunction<'a>>>,
    /// What is odd or missing.
    problems: &'a [Problem],
}

/// A trace.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonTrace<'a> {
    /// Its path, as it was named; `stdin` for `-`.
    path: &'a str,
    /// Its format: `cpuprofile`, `self-profiling`; formats.md has them all.
    format: &'a str,
    /// From which commit it was recorded, where it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<&'a str>,
    /// Whether all tracked files were as in that commit, where it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    clean: Option<bool>,
    /// What it measures: `time` or `bytes`.
    unit: Unit,
    /// The samples of the threads that are added up.
    samples: u64,
    /// How long its longest thread was recorded.
    duration_ns: u64,
    /// The median time between two samples; `null` where it is not known.
    interval_ns: Option<u64>,
    /// All threads that it has.
    threads: usize,
    /// The sessions to which the threads belong that are added up.
    sessions: usize,
    /// The names of the threads that are added up, where there are others.
    #[serde(skip_serializing_if = "Option::is_none")]
    threads_in_scope: Option<&'a [String]>,
    /// The part of its time that was counted, where it is not all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<&'a str>,
    /// What its samples add up to by their labels, key by key; left out where they have none. The entries of a key add up to all samples
    /// that were counted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    labels: Vec<JsonLabel<'a>>,
}

/// The samples with a value of a label.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonLabel<'a> {
    /// The key.
    key: &'a str,
    /// The value; `null` for samples without the label, or with one of `others`.
    value: Option<&'a str>,
    /// Of the sum of all values that cost less than the 100 which are listed: how many there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    others: Option<u64>,
    /// The time, also what is idle.
    #[serde(flatten)]
    ns: InUnit<u64>,
    /// The samples.
    samples: u64,
}

/// Where all the time went: `totalNs` is the sum of `placedNs`, `idleNs`, `noStackNs` and the `ns` of all of `unplaced`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonLedger {
    /// All that was recorded.
    #[serde(flatten)]
    total_ns: InUnit<u64>,
    /// On functions of the workspace: the sum of their self times.
    #[serde(flatten)]
    placed_ns: InUnit<u64>,
    /// The part of that on generated files, whose source map is not there.
    #[serde(flatten)]
    generated_ns: InUnit<u64>,
    /// The thread had nothing to do.
    #[serde(flatten)]
    idle_ns: InUnit<u64>,
    /// Samples without a stack: idle, or work that the browser does not name.
    #[serde(flatten)]
    no_stack_ns: InUnit<u64>,
    /// All other time, by its reason.
    unplaced: Vec<JsonUnplaced>,
}

/// The time that is on no function of the workspace for one reason.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonUnplaced {
    /// The reason: `native`, `gc`, `dependency`, `map-missing`; locating.md and formats.md say what they mean.
    why: &'static str,
    /// The self time.
    #[serde(flatten)]
    ns: InUnit<u64>,
    /// The samples.
    samples: u64,
    /// Up to three scripts, or names of functions without one, the costliest first.
    examples: Vec<String>,
}

/// A function of the workspace.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonFunction<'a> {
    /// Its name.
    name: &'a str,
    /// Its file, from the workspace folder, with `/`.
    file: Cow<'a, str>,
    /// The line of its name, or of itself where it has none; that of what was around it if it is gone.
    line: u32,
    /// The column of that.
    column: u32,
    /// The line of the last character of its body.
    end_line: u32,
    /// The column just behind that character.
    end_column: u32,
    /// The time in which it ran itself.
    #[serde(flatten)]
    self_ns: InUnit<u64>,
    /// That and the time in which it waited for what it called; each sample counts once.
    #[serde(flatten)]
    total_ns: InUnit<u64>,
    /// The samples of the self time.
    self_samples: u64,
    /// The samples of the total time.
    total_samples: u64,
    /// The self time divided by the base, 0 to 1: that of all threads in scope.
    self_share: f64,
    /// The total time divided by the base.
    total_share: f64,
    /// The ends of the interval in which the true self time lies with 95 % probability; `null` where it was not sampled.
    #[serde(flatten)]
    self_interval_ns: InUnit<Option<[u64; 2]>>,
    /// The same of the total time.
    #[serde(flatten)]
    total_interval_ns: InUnit<Option<[u64; 2]>>,
    /// How often it was called, in the run that `counts` tells of; left out where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<u64>,
    /// What V8's compiler did with it, in the run that `deopts` tells of; left out where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    deopts: Option<JsonDeopts<'a>>,
    /// The style and layout that it forced, which is a part of its self time; left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    forced: Option<JsonForcedByFunction<'a>>,
    /// The threads on which it ran, where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    threads: Vec<&'a str>,
    /// In how many sessions it ran, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    sessions: Option<u64>,
    /// The 50th, 75th and 95th percentile of its self times in these sessions, where the trace says them.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    self_percentiles_ns: Option<InUnit<[u64; 3]>>,
    /// The same of its total times.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    total_percentiles_ns: Option<InUnit<[u64; 3]>>,
    /// How sure its place is: `exact`, `snapped` (the position is near it) or `name` (found by its name).
    confidence: Confidence,
    /// What became of it since: `fresh`, `moved`, `edited` or `gone`.
    freshness: Freshness,
    /// Every place in the traces that is this function.
    measured_at: Vec<JsonPlace<'a>>,
    /// Who called it, the hottest first; they add up to its total time.
    callers: Vec<JsonCaller<'a>>,
    /// Its self time by line, in order; only with `--lines`.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<Vec<JsonLine>>,
    /// How often its lines ran, in order, in the run that `counts` tells of; only with `--lines`, and left out where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    ran: Option<Vec<JsonLineRuns>>,
    /// Its self time in code of other functions that the engine inlined into it, by their lines; left out where there is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    inlined: Vec<JsonInlined<'a>>,
    /// Its self time on none of these lines and of those in `inlined`; only with `--lines`.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    without_line_ns: Option<InUnit<u64>>,
}

/// A line of a function.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonLine {
    /// The line of the file.
    line: u32,
    /// The self time on it.
    #[serde(flatten)]
    self_ns: InUnit<u64>,
}

/// A place in a trace.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonPlace<'a> {
    /// The url or path exactly as the trace has it.
    resource: &'a str,
    /// The line; `null` where the trace has none.
    line: Option<u64>,
    /// The column; `null` where the trace has none.
    column: Option<u64>,
}

/// A caller of a function.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonCaller<'a> {
    /// Its name; `(entry)` where nothing called the function.
    name: &'a str,
    /// Its file; `null` where it was not placed.
    file: Option<Cow<'a, str>>,
    /// The line of its name; `null` where it was not placed.
    line: Option<u32>,
    /// The part of the function's total time in which this one had called it.
    #[serde(flatten)]
    total_ns: InUnit<u64>,
}

/// A function that was not placed, as the trace has it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonUnplacedFunction<'a> {
    /// Its name; empty where it has none.
    name: &'a str,
    /// Its script; `null` where it has none.
    resource: Option<&'a str>,
    /// The line where it is defined; `null` where the trace has none.
    line: Option<u64>,
    /// The column of that.
    column: Option<u64>,
    /// The self time.
    #[serde(flatten)]
    self_ns: InUnit<u64>,
    /// The total time.
    #[serde(flatten)]
    total_ns: InUnit<u64>,
    /// The samples of the self time.
    self_samples: u64,
    /// The samples of the total time.
    total_samples: u64,
    /// The reason, as in the ledger.
    why: &'static str,
    /// Who made its code, by `eval` or `new Function`; `null` where that is not known.
    made_by: Option<JsonMaker<'a>>,
}

/// A function that made code.
#[derive(Serialize)]
struct JsonMaker<'a> {
    /// Its name.
    name: &'a str,
    /// Its file, as that of a function; of one that was not placed its script, as the trace has it.
    file: Cow<'a, str>,
    /// The line where it is defined.
    line: u32,
}

/// The report with a line break at its end.
pub(super) fn render(report: &Report) -> String {
    let text = serde_json::to_string_pretty(&root(report));
    text.expect("plain structs with string keys always serialize") + "\n"
}

fn root<'a>(report: &'a Report<'a>) -> JsonReport<'a> {
    let recording = report.recording;
    let (summary, unit) = (&recording.summary, recording.unit);
    let traces = recording.traces.iter().map(|trace| JsonTrace {
        path: &trace.name,
        format: trace.format,
        commit: trace.checkout.as_ref().map(|checkout| &*checkout.commit),
        clean: trace.checkout.as_ref().and_then(|checkout| checkout.clean),
        unit,
        samples: trace.samples,
        duration_ns: trace.duration.0,
        interval_ns: trace.interval.map(|interval| interval.0),
        threads: trace.threads,
        sessions: trace.sessions,
        threads_in_scope: (!trace.in_scope.is_empty()).then_some(&trace.in_scope),
        scope: trace.scope.as_deref(),
        labels: trace.labels.iter().map(|it| json_label(it, unit)).collect(),
    });
    let reasons = summary.ledger.unplaced.iter().map(|(why, cause)| JsonUnplaced {
        why: why.name(),
        ns: named("", unit, cause.spent.time),
        samples: cause.spent.samples,
        examples: cause.top(),
    });
    let functions = hottest(summary, report.by).into_iter().take(report.limit);
    JsonReport {
        version: 1,
        unit,
        traces: traces.collect(),
        base: report.base,
        ledger: JsonLedger {
            total_ns: named("total", unit, summary.ledger.total.time),
            placed_ns: named("placed", unit, summary.ledger.placed.time),
            generated_ns: named("generated", unit, summary.ledger.generated.time),
            idle_ns: named("idle", unit, summary.ledger.idle.time),
            no_stack_ns: named("noStack", unit, summary.ledger.no_stack.time),
            unplaced: reasons.collect(),
        },
        functions: functions.map(|(key, measured)| function(report, key, measured)).collect(),
        functions_left_out: summary.definitions.len().saturating_sub(report.limit),
        counts: report.recording.counts.as_deref().map(|counts| json_counts(report, counts)),
        deopts: recording.deopts.as_deref().map(|log| json_compiler_log(report, log)),
        rendering: recording.rendering.as_ref().map(|rendering| json_rendering(report, rendering)),
        packages: report.packages.iter().map(|listed| json_package(report, listed)).collect(),
        unplaced_functions: report.all.then(|| unplaced(report)),
        problems: &recording.problems,
    }
}

fn function<'a>(report: &Report<'a>, key: &'a DefinitionKey, measured: &'a Measured) -> JsonFunction<'a> {
    let (summary, unit) = (&report.recording.summary, report.recording.unit);
    let [self_share, total_share] = summary.shares(&measured.cost, report.base);
    let [self_interval, total_interval] = summary.intervals(measured);
    let [own, all] = [measured.cost.self_time, measured.cost.total_time];
    let threads = if summary.threads.len() > 1 { &measured.on_threads[..] } else { &[] };
    JsonFunction {
        name: &measured.name,
        file: relative(&key.file, report.folder),
        line: measured.start.line + 1,
        column: measured.start.column + 1,
        end_line: measured.end.line + 1,
        end_column: measured.end.column + 1,
        self_ns: named("self", unit, own),
        total_ns: named("total", unit, all),
        self_samples: measured.cost.self_samples,
        total_samples: measured.cost.total_samples,
        self_share,
        total_share,
        self_interval_ns: InUnit::new("selfInterval", unit, ends(own, self_interval)),
        total_interval_ns: InUnit::new("totalInterval", unit, ends(all, total_interval)),
        calls: report.recording.calls(key),
        deopts: report.recording.compiled(key).map(|compiled| json_deopts(compiled, Some(measured))),
        forced: report.recording.forced_by(key).map(json_forced_by),
        threads: threads.iter().map(|thread| &*thread.thread).collect(),
        sessions: (report.recording.sessions() > 1 && measured.sessions > 0).then_some(measured.sessions),
        self_percentiles_ns: percentiles("selfPercentiles", unit, measured, 0),
        total_percentiles_ns: percentiles("totalPercentiles", unit, measured, 1),
        confidence: measured.confidence,
        freshness: measured.freshness,
        measured_at: measured.measured_at.iter().map(at).collect(),
        callers: callers(report, measured),
        lines: report.lines.then(|| lines(measured, unit)),
        ran: report.recording.counted(key).filter(|_| report.lines).map(json_ran),
        inlined: json_inlined(report, measured, unit),
        without_line_ns: report.lines.then(|| named("withoutLine", unit, measured.without_line())),
    }
}

/// The percentiles of the self times (0) or of the total times (1).
fn percentiles(
    name: &'static str,
    unit: Unit,
    measured: &Measured,
    which: usize,
) -> Option<InUnit<[u64; 3]>> {
    let percentiles = measured.percentiles?[which].map(|amount| amount.0);
    Some(InUnit::new(name, unit, percentiles))
}

/// The ends of an interval, which are factors of an amount.
fn ends(amount: Amount, interval: Option<Interval>) -> Option<[u64; 2]> {
    interval
        .map(|Interval { low, high, .. }| [low, high].map(|factor| (amount.0 as f64 * factor).round() as u64))
}

fn lines(measured: &Measured, unit: Unit) -> Vec<JsonLine> {
    let lines = measured.lines.iter();
    lines.map(|(line, &time)| JsonLine { line: line + 1, self_ns: named("self", unit, time) }).collect()
}

fn at(place: &MeasuredAt) -> JsonPlace<'_> {
    JsonPlace { resource: &place.resource, line: line(place.position), column: column(place.position) }
}

fn callers<'a>(report: &Report<'a>, measured: &'a Measured) -> Vec<JsonCaller<'a>> {
    let summary = &report.recording.summary;
    let callers = measured.callers.iter().map(|call| {
        let (name, file, line) = match &*call.other {
            CallEnd::Entry => ("(entry)", None, None),
            CallEnd::Unplaced(function) => (&*function.name, None, None),
            CallEnd::Definition(key) => {
                let caller = summary.definitions.get(key);
                let name = caller.map_or(&*key.path, |caller| &caller.name);
                (name, Some(relative(&key.file, report.folder)), caller.map(|caller| caller.start.line + 1))
            }
        };
        JsonCaller { name, file, line, total_ns: named("total", report.recording.unit, call.spent.time) }
    });
    callers.collect()
}

fn unplaced<'a>(report: &Report<'a>) -> Vec<JsonUnplacedFunction<'a>> {
    let unit = report.recording.unit;
    let mut unplaced: Vec<_> = report.recording.summary.unplaced.iter().collect();
    unplaced.sort_by_key(|(_, cost)| std::cmp::Reverse((cost.self_time, cost.total_time)));
    let functions = unplaced.into_iter().map(|(function, cost)| JsonUnplacedFunction {
        name: &function.name,
        resource: function.resource.as_deref(),
        line: line(function.position),
        column: column(function.position),
        self_ns: named("self", unit, cost.self_time),
        total_ns: named("total", unit, cost.total_time),
        self_samples: cost.self_samples,
        total_samples: cost.total_samples,
        why: function.reason.name(),
        made_by: function.made_by.as_deref().map(|maker| JsonMaker {
            name: &maker.name,
            file: match &maker.definition {
                Some(key) => relative(&key.file, report.folder),
                None => maker.file.as_ref().into(),
            },
            line: maker.line + 1,
        }),
    });
    functions.collect()
}

fn line(position: Option<Position>) -> Option<u64> {
    position.map(|position| u64::from(position.line) + 1)
}

fn column(position: Option<Position>) -> Option<u64> {
    position?.column.map(|column| u64::from(column) + 1)
}

fn json_label(sum: &LabelSum, unit: Unit) -> JsonLabel<'_> {
    let (value, others) = match &sum.value {
        LabelValue::Is(value) => (Some(value.as_str()), None),
        LabelValue::Others(number) => (None, Some(*number)),
        LabelValue::None => (None, None),
    };
    let ns = named("", unit, sum.weight.time);
    JsonLabel { key: &sum.key, value, others, ns, samples: sum.weight.samples }
}
