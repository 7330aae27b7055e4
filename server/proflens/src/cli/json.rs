//! The report as JSON, for scripts: fields are fixed, and the same input gives the same bytes.

use analysis::views::hottest;
use analysis::{CallEnd, DefinitionKey, Measured};
use profile::{Amount, Interval, Position, Unit};
use serde::Serialize;

use super::amounts;
use super::content::Report;
use super::relative;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonReport<'a> {
    version: u32,
    unit: &'static str,
    traces: Vec<JsonTrace<'a>>,
    base: &'static str,
    ledger: JsonLedger<'a>,
    functions: Vec<JsonFunction<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unplaced_functions: Option<Vec<JsonUnplacedFunction<'a>>>,
    problems: Vec<JsonProblem<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonTrace<'a> {
    path: &'a str,
    format: &'a str,
    /// From which commit it was recorded, and whether the files were as they are there, where it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clean: Option<bool>,
    unit: &'static str,
    samples: u64,
    duration_ns: u64,
    interval_ns: Option<u64>,
    /// All that the trace has.
    threads: usize,
    sessions: usize,
    /// The names of those that are added up, where there are others.
    #[serde(skip_serializing_if = "Option::is_none")]
    threads_in_scope: Option<&'a [String]>,
    /// The part of its time that was counted, where it is not all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonLedger<'a> {
    total_ns: u64,
    placed_ns: u64,
    generated_ns: u64,
    idle_ns: u64,
    no_stack_ns: u64,
    unplaced: Vec<JsonUnplaced<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonUnplaced<'a> {
    why: &'static str,
    ns: u64,
    samples: u64,
    examples: Vec<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonFunction<'a> {
    name: &'a str,
    file: &'a str,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    self_ns: u64,
    total_ns: u64,
    self_samples: u64,
    total_samples: u64,
    /// Of the time of the threads on which it ran, 0..1.
    self_share: f64,
    total_share: f64,
    /// The ends of the intervals in which the true times lie with 95 % probability; `null` where they are not of samples.
    self_interval_ns: Option<[u64; 2]>,
    total_interval_ns: Option<[u64; 2]>,
    /// The threads on which it ran, where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    threads: Vec<&'a str>,
    /// In how many it ran, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    sessions: Option<u64>,
    /// The 50th, 75th and 95th percentile of its times in these sessions, where the trace says them.
    #[serde(skip_serializing_if = "Option::is_none")]
    self_percentiles_ns: Option<[u64; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_percentiles_ns: Option<[u64; 3]>,
    confidence: &'static str,
    freshness: &'static str,
    measured_at: Vec<JsonPlace<'a>>,
    callers: Vec<JsonCaller<'a>>,
    /// Its self time by line, in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<Vec<JsonLine>>,
    /// Its self time on none of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    without_line_ns: Option<u64>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonLine {
    line: u32,
    self_ns: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonPlace<'a> {
    resource: &'a str,
    line: Option<u64>,
    column: Option<u64>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonCaller<'a> {
    name: &'a str,
    file: Option<&'a str>,
    line: Option<u32>,
    total_ns: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonUnplacedFunction<'a> {
    name: &'a str,
    resource: Option<&'a str>,
    line: Option<u64>,
    column: Option<u64>,
    self_ns: u64,
    total_ns: u64,
    self_samples: u64,
    total_samples: u64,
    why: &'static str,
}

#[derive(Serialize)]
struct JsonProblem<'a> {
    what: &'a str,
    r#where: &'a str,
    hint: &'a str,
}

/// The report with a line break at its end.
pub(super) fn render(report: &Report) -> String {
    let mut text = match report.recording.unit {
        Unit::Time => serde_json::to_string_pretty(&root(report)),
        unit => serde_json::to_string_pretty(&amounts::named(&root(report), unit)),
    }
    .expect("plain structs with string keys always serialize");
    text.push('\n');
    text
}

fn root<'a>(report: &Report<'a>) -> JsonReport<'a> {
    let recording = report.recording;
    let summary = &recording.summary;
    let traces = recording.traces.iter().map(|it| JsonTrace {
        path: &it.name,
        format: it.format,
        commit: it.revision.as_ref().map(|it| &*it.commit),
        clean: it.revision.as_ref().and_then(|it| it.clean),
        unit: recording.unit.name(),
        samples: it.samples,
        duration_ns: it.duration.0,
        interval_ns: it.interval.map(|it| it.0),
        threads: it.threads,
        sessions: it.sessions,
        threads_in_scope: (!it.in_scope.is_empty()).then_some(&it.in_scope),
        scope: it.scope.as_deref(),
    });
    let reasons = summary.ledger.unplaced.iter().map(|(why, it)| JsonUnplaced {
        why: why.name(),
        ns: it.spent.time.0,
        samples: it.spent.samples,
        examples: it.top(),
    });
    let functions = hottest(summary, report.by).into_iter().take(report.limit);
    let problems = recording.problems.iter().map(|it| JsonProblem {
        what: &it.what,
        r#where: &it.place,
        hint: &it.hint,
    });
    JsonReport {
        version: 1,
        unit: recording.unit.name(),
        traces: traces.collect(),
        base: if report.whole { "all" } else { "active" },
        ledger: JsonLedger {
            total_ns: summary.ledger.total.time.0,
            placed_ns: summary.ledger.placed.time.0,
            generated_ns: summary.ledger.generated.time.0,
            idle_ns: summary.ledger.idle.time.0,
            no_stack_ns: summary.ledger.no_stack.time.0,
            unplaced: reasons.collect(),
        },
        functions: functions.map(|(key, it)| function(report, key, it)).collect(),
        unplaced_functions: report.all.then(|| unplaced(report)),
        problems: problems.collect(),
    }
}

fn function<'a>(report: &Report<'a>, key: &'a DefinitionKey, it: &'a Measured) -> JsonFunction<'a> {
    let summary = &report.recording.summary;
    let [self_share, total_share] = summary.shares(it, report.whole);
    let ends = |nanos: u64, it: Option<Interval>| {
        it.map(|it| [it.low, it.high].map(|factor| (nanos as f64 * factor).round() as u64))
    };
    let [self_interval, total_interval] = summary.intervals(it);
    let threads = if summary.threads.len() > 1 { &it.on_threads[..] } else { &[] };
    JsonFunction {
        name: &it.name,
        file: relative(&key.file, report.folder),
        line: it.start.line + 1,
        column: it.start.column + 1,
        end_line: it.end.line + 1,
        end_column: it.end.column + 1,
        self_ns: it.cost.self_time.0,
        total_ns: it.cost.total_time.0,
        self_samples: it.cost.self_samples,
        total_samples: it.cost.total_samples,
        self_share,
        total_share,
        self_interval_ns: ends(it.cost.self_time.0, self_interval),
        total_interval_ns: ends(it.cost.total_time.0, total_interval),
        threads: threads.iter().map(|it| &*it.thread).collect(),
        sessions: (report.recording.sessions() > 1 && it.sessions > 0).then_some(it.sessions),
        self_percentiles_ns: it.percentiles.map(|it| it[0].map(|it| it.0)),
        total_percentiles_ns: it.percentiles.map(|it| it[1].map(|it| it.0)),
        confidence: it.confidence.name(),
        freshness: it.freshness.name(),
        measured_at: it.measured_at.iter().map(at).collect(),
        callers: callers(report, it),
        lines: report.lines.then(|| it.lines.iter().map(line_cost).collect()),
        without_line_ns: report.lines.then(|| it.without_line().0),
    }
}

fn line_cost((line, time): (&u32, &Amount)) -> JsonLine {
    JsonLine { line: line + 1, self_ns: time.0 }
}

fn at(it: &analysis::MeasuredAt) -> JsonPlace<'_> {
    JsonPlace { resource: &it.resource, line: line(it.position), column: column(it.position) }
}

fn callers<'a>(report: &Report<'a>, measured: &'a Measured) -> Vec<JsonCaller<'a>> {
    let summary = &report.recording.summary;
    let callers = measured.callers.iter().map(|call| {
        let (name, file, line) = match &*call.other {
            CallEnd::Entry => ("(entry)", None, None),
            CallEnd::Unplaced(it) => (&*it.name, None, None),
            CallEnd::Definition(key) => {
                let caller = summary.definitions.get(key);
                let name = caller.map_or(&*key.path, |it| &it.name);
                (name, Some(relative(&key.file, report.folder)), caller.map(|it| it.start.line + 1))
            }
        };
        JsonCaller { name, file, line, total_ns: call.spent.time.0 }
    });
    callers.collect()
}

fn unplaced<'a>(report: &Report<'a>) -> Vec<JsonUnplacedFunction<'a>> {
    let all = report.recording.summary.unplaced.iter().map(|(it, cost)| JsonUnplacedFunction {
        name: &it.name,
        resource: it.resource.as_deref(),
        line: line(it.position),
        column: column(it.position),
        self_ns: cost.self_time.0,
        total_ns: cost.total_time.0,
        self_samples: cost.self_samples,
        total_samples: cost.total_samples,
        why: it.reason.name(),
    });
    let mut all: Vec<_> = all.collect();
    all.sort_by_key(|it| std::cmp::Reverse((it.self_ns, it.total_ns)));
    all
}

fn line(position: Option<Position>) -> Option<u64> {
    position.map(|it| u64::from(it.line) + 1)
}

fn column(position: Option<Position>) -> Option<u64> {
    position?.column.map(|it| u64::from(it) + 1)
}
