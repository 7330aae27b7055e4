//! The comparison as JSON, for scripts: fields are fixed, and the same input gives the same bytes.

mod calls;

use std::borrow::Cow;

use compare::change::{Change, FunctionChange, Presence};
use compare::comparison::Subject;
use compare::side::LedgerRow;
use compare::verdict::{Method, Verdict};
use compare::work::Per;
use profile::model::{Amount, Unit};
use profile::problem::Problem;
use serde::Serialize;

use self::calls::{JsonCalls, json_calls};
use super::super::amounts::{InUnit, named};
use super::super::relative;
use super::super::screen::json_text;
use super::content::Content;

/// What `compare --format json` prints.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonComparison<'a> {
    /// 1. Fields may be added under it; none changes its meaning.
    version: u32,
    /// What was measured: `time` or `bytes`.
    unit: Unit,
    /// What times are divided by: `machine`, `run`, `call`, `active`, `function:parse`, `marker:request`.
    per: String,
    /// How fast the machine was; `null` if times are not divided by that.
    machine: Option<JsonMachine>,
    /// How many runs a side it takes until a change of 10 % would show; `null` if that is not known.
    runs_needed: Option<u64>,
    /// What differences were judged by: `runs`, `one-against-many`, `sampling`, `none`.
    method: Method,
    /// The part of false alarms that is allowed, 0 to 1.
    level: f64,
    /// How much runs are taken to differ without a cause, where a side has one run only.
    noise: f64,
    /// What was recorded before.
    before: JsonSide<'a>,
    /// What was recorded after.
    after: JsonSide<'a>,
    /// The active time.
    active: JsonChange,
    /// Where the time went on both sides.
    ledger: JsonLedgers,
    /// The functions, in the order of `--by`, at most `--limit`.
    functions: Vec<JsonFunctionInText<'a>>,
    /// What is odd or missing.
    problems: &'a [Problem],
}

/// A side of a comparison.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonSide<'a> {
    /// How many runs it has.
    runs: u64,
    /// Their traces.
    traces: Vec<JsonSideTrace<'a>>,
}

/// A trace of a side.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonSideTrace<'a> {
    /// Its path, as it was named.
    path: &'a str,
    /// Its format.
    format: &'a str,
    /// Its samples.
    samples: u64,
    /// How long its longest thread was recorded.
    duration_ns: u64,
}

/// How fast the machine was, as all functions together tell.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonMachine {
    /// How long all of them took after, divided by how long they took before.
    ratio: f64,
    /// In which the true ratio lies with 95 % probability.
    ratio_interval: [f64; 2],
    /// The probability of such a difference by chance.
    p: f64,
    /// Whether the runs of both sides were taken by turns: then it is not the machine that became slower.
    by_turns: bool,
    /// Whether it slows down some functions more than others, so that each was divided by a power of its own.
    by_function: bool,
    /// By how much functions differ between the sides besides, although most did not change (one standard deviation, 0.1 for
    /// 10 %); smaller changes cannot be told. 0 where runs were taken by turns.
    drift: f64,
}

/// Means of a run, which add up exactly: all differences of self times and of the rows of the ledger but `placed` to that of `total`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct JsonChange {
    /// How much it is.
    #[serde(flatten)]
    amounts: JsonAmounts,
    /// The samples of all runs before.
    before_samples: u64,
    /// The samples of all runs after.
    after_samples: u64,
    /// After divided by before; `null` where there was nothing before.
    ratio: Option<f64>,
    /// In which the true ratio lies with 95 % probability; `null` where nothing is known of that.
    ratio_interval: Option<[f64; 2]>,
    /// The probability of such a difference by chance; `null` where nothing is known of that.
    p: Option<f64>,
    /// The same for all that was asked at once; 1 where it was too small to be asked.
    p_adjusted: Option<f64>,
    /// What can be said: `regression`, `improvement`, `unchanged`, `unsure`; compare.md has them all.
    verdict: Verdict,
}

/// Where the time went on both sides, as in the ledger of `report`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonLedgers {
    /// All that was recorded.
    total: JsonAmounts,
    /// On functions of the workspace.
    placed: JsonAmounts,
    /// The thread had nothing to do.
    idle: JsonAmounts,
    /// Samples without a stack.
    no_stack: JsonAmounts,
    /// All other time, by its reason.
    unplaced: Vec<JsonUnplacedChange>,
}

/// Means of a run.
#[derive(Serialize, Clone, Copy)]
#[serde(rename_all = "camelCase")]
struct JsonAmounts {
    /// The mean before.
    #[serde(flatten)]
    before_ns: InUnit<u64>,
    /// The mean after.
    #[serde(flatten)]
    after_ns: InUnit<u64>,
    /// After minus before.
    #[serde(flatten)]
    difference_ns: InUnit<i64>,
}

/// The time that is on no function of the workspace for one reason.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonUnplacedChange {
    /// The reason.
    why: &'static str,
    /// How much it is.
    #[serde(flatten)]
    amounts: JsonAmounts,
}

/// A function of the workspace on both sides.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonFunctionInText<'a> {
    /// What it cost.
    #[serde(flatten)]
    change: JsonFunctionChange<'a>,
    /// The line of the last character of its body.
    end_line: u32,
    /// The column just behind that character.
    end_column: u32,
    /// Whether other code ran before than after; `null` where that is not known.
    edited: Option<bool>,
    /// Whether the definition is in today's text.
    in_text: bool,
    /// How often it was called; left out where calls were not counted on both sides.
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<JsonCalls>,
}

/// What a function cost on both sides.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct JsonFunctionChange<'a> {
    /// Its name.
    name: &'a str,
    /// Its file, from the workspace folder, with `/`.
    file: Cow<'a, str>,
    /// The line of its name, or of itself where it has none.
    line: u32,
    /// The column of that.
    column: u32,
    /// What can be said of the time that says most.
    verdict: Verdict,
    /// Which sides have it: `both`, `before`, `after`.
    measured: Presence,
    /// Its self time.
    #[serde(rename = "self")]
    self_time: JsonChange,
    /// Its total time.
    total: JsonChange,
}

/// One object and a line break.
pub(super) fn render(content: &Content) -> String {
    let comparison = content.comparison;
    let functions = content.rows();
    let [before, after] = &comparison.sides;
    let json = JsonComparison {
        version: 1,
        unit: comparison.unit,
        per: match &comparison.per {
            Per::Machine => "machine".to_owned(),
            Per::Run => "run".to_owned(),
            Per::Call => "call".to_owned(),
            Per::Active => "active".to_owned(),
            Per::Function(name) => format!("function:{name}"),
            Per::Marker(name) => format!("marker:{name}"),
        },
        runs_needed: comparison.runs_needed,
        machine: comparison.machine.as_ref().map(|machine| JsonMachine {
            ratio: machine.ratio,
            ratio_interval: machine.interval(),
            p: machine.effect.p,
            by_turns: machine.is_by_turns,
            by_function: machine.is_by_function,
            drift: machine.drift,
        }),
        method: comparison.method,
        level: comparison.settings.level,
        noise: comparison.settings.noise,
        before: side(before),
        after: side(after),
        active: change(&comparison.whole, comparison.unit),
        ledger: ledger(content),
        functions: functions.iter().take(content.limit).map(|row| in_text(content, row.function)).collect(),
        problems: &comparison.problems,
    };
    json_text(&json)
}

fn side(subject: &Subject) -> JsonSide<'_> {
    let traces = subject.traces.iter().map(|trace| JsonSideTrace {
        path: &trace.name,
        format: trace.format,
        samples: trace.samples,
        duration_ns: trace.duration.0,
    });
    JsonSide { runs: subject.runs, traces: traces.collect() }
}

/// A change with its names in JSON.
pub fn change(change: &Change, unit: Unit) -> JsonChange {
    let [before_samples, after_samples] = change.samples;
    JsonChange {
        amounts: amounts(change.before, change.after, unit),
        before_samples,
        after_samples,
        ratio: change.ratio(),
        ratio_interval: change.effect.and_then(|effect| effect.interval),
        p: change.effect.map(|effect| effect.p),
        p_adjusted: change.effect.map(|effect| effect.q),
        verdict: change.verdict,
    }
}

fn ledger(content: &Content) -> JsonLedgers {
    let comparison = content.comparison;
    let (unit, [before, after]) = (comparison.unit, &comparison.sides);
    let nothing = amounts(Amount(0), Amount(0), unit);
    let mut ledger = JsonLedgers {
        total: amounts(before.total, after.total, unit),
        placed: nothing,
        idle: nothing,
        no_stack: nothing,
        unplaced: Vec::new(),
    };
    for row in &comparison.ledger {
        let amounts = amounts(row.before, row.after, unit);
        match row.row {
            LedgerRow::Placed => ledger.placed = amounts,
            LedgerRow::Idle => ledger.idle = amounts,
            LedgerRow::NoStack => ledger.no_stack = amounts,
            LedgerRow::Unplaced(reason) => {
                ledger.unplaced.push(JsonUnplacedChange { why: reason.name(), amounts })
            }
        }
    }
    ledger
}

fn amounts(before: Amount, after: Amount, unit: Unit) -> JsonAmounts {
    let difference = after.0.cast_signed() - before.0.cast_signed();
    JsonAmounts {
        before_ns: named("before", unit, before),
        after_ns: named("after", unit, after),
        difference_ns: InUnit::new("difference", unit, difference),
    }
}

fn in_text<'a>(content: &Content<'a>, change: &'a FunctionChange) -> JsonFunctionInText<'a> {
    let file = relative(&change.key.file, content.folder);
    JsonFunctionInText {
        change: function(change, file, content.comparison.unit),
        end_line: change.info.end.line + 1,
        end_column: change.info.end.column + 1,
        edited: change.edited,
        in_text: change.is_in_text(),
        calls: json_calls(change, content.comparison.unit),
    }
}

/// A function with its names in JSON.
pub fn function<'a>(function: &'a FunctionChange, file: Cow<'a, str>, unit: Unit) -> JsonFunctionChange<'a> {
    JsonFunctionChange {
        name: &function.info.name,
        file,
        line: function.info.start.line + 1,
        column: function.info.start.column + 1,
        verdict: function.verdict,
        measured: function.presence,
        self_time: change(&function.self_time, unit),
        total: change(&function.total_time, unit),
    }
}
