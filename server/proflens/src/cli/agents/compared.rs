//! What changed between two sets of recordings, and whether it is more than noise.

use analysis::files::FilePath;
use analysis::format::{Style, amount, count};
use compare::comparison::Comparison;
use compare::statistics::MIN_RUNS;
use compare::texts::{a_call, basis, calls, change, changes, interval, more_runs, p, verdict};
use compare::verdict::Verdict;
use profile::plain::plain;
use schemars::JsonSchema;
use serde::Serialize;

use super::super::compare::Row as ComparedRow;
use super::super::compare::{Content, Sort};
use super::super::relative;
use super::quoted::{NAME, PATH, place, quoted, shown};
use super::{AgentAnswer, FEW_SAMPLES, left_out, lines, note};

/// No list is longer.
const MOST: usize = 100;

/// How many of the functions that did not change by more than noise are listed, unless all are asked for.
const MOST_OTHERS: usize = 3;

/// What changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ComparedAnswer {
    /// What may be claimed of functions, and of the whole.
    claim: String,
    /// What is compared, and how it is judged.
    sentences: Vec<String>,
    /// Functions, first those that certainly changed, by the size of the change.
    functions: Vec<FunctionRow>,
    /// How many more did not change by more than noise; empty where all are listed.
    others: String,
    /// How many functions were left out.
    left_out: usize,
    /// What should be known before a number is believed.
    warnings: Vec<String>,
    /// What to ask next.
    next: String,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FunctionRow {
    name: String,
    /// The file below the workspace.
    file: String,
    /// The line of its name where it was measured, from 1.
    line: u32,
    /// Which time is compared: self or total.
    time: String,
    /// With its unit.
    before: String,
    after: String,
    /// In percent, or as a factor.
    change: String,
    /// The interval of the change, with 95 % probability.
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<String>,
    /// How likely chance alone is to make such a difference, among so many functions; empty where it is certain to, or too small to be asked.
    p: String,
    /// How often it was called before and after in runs that were counted; left out where these were not on both sides.
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<String>,
    /// What a call cost before and after.
    #[serde(skip_serializing_if = "Option::is_none")]
    a_call: Option<String>,
    /// The verdict in words, and why it changed as far as calls tell: slower: more calls.
    verdict: String,
    /// Samples of all runs, before and after.
    samples: [u64; 2],
}

/// The answer about a comparison of two sides, which `named` names if they were not asked for; with all functions, or
/// those that tell most.
pub(crate) fn compared(
    comparison: &Comparison,
    folder: &FilePath,
    named: Option<[String; 2]>,
    has_all: bool,
) -> ComparedAnswer {
    let content = Content { comparison, folder, by: Sort::Shown, limit: MOST, link_base: None };
    let rows = content.rows();
    let (news, others): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.is_news(comparison));
    let most_others = if has_all { others.len() } else { MOST_OTHERS.min(others.len()) };
    let listed = news.iter().chain(&others[..most_others]);
    let functions: Vec<FunctionRow> = listed.take(MOST).map(|row| of_function(&content, row)).collect();
    let not_listed = others.len() - most_others;
    let named = named.map(|named| {
        let [before, after] = named.map(|name| quoted(&name, PATH + 30));
        format!("Compares {before}, before, with {after}, after.")
    });
    let sentences = basis(comparison).into_iter().chain(more_runs(comparison));
    ComparedAnswer {
        claim: format!("{} {}", of_functions(comparison), of_whole(comparison)),
        sentences: named.into_iter().chain(sentences.map(|sentence| plain(&sentence).into_owned())).collect(),
        left_out: news.len() + most_others - functions.len(),
        functions,
        others: match not_listed {
            0 => String::new(),
            _ => format!(
                "{} more did not change by more than noise, or too few samples tell; all: true lists them.",
                count(not_listed as u64, "function")
            ),
        },
        warnings: comparison.problems.iter().take(3).map(note).collect(),
        next: match news.len() {
            0 => "Next: record more runs of both sides, by turns, before you claim anything.".to_owned(),
            _ => "Next: function shows what one costs now.".to_owned(),
        },
    }
}

/// What may be said of functions.
fn of_functions(comparison: &Comparison) -> String {
    let found = changes(comparison);
    let functions = count(comparison.functions.len() as u64, "function");
    match comparison.sides.iter().all(|side| side.runs >= MIN_RUNS) {
        _ if found.is_empty() => "Claim no change of any function.".to_owned(),
        true => format!("Certain, of {functions}: {found}."),
        false => format!("Not certain, of {functions}: {found}."),
    }
}

/// What may be said of the whole.
fn of_whole(comparison: &Comparison) -> String {
    let whole = &comparison.whole;
    let [before, after] = [whole.before, whole.after].map(|time| amount(time, comparison.unit, Style::Text));
    let by = match interval(whole) {
        Some(interval) => format!("{before} → {after}, {} ({interval})", change(whole)),
        None => format!("{before} → {after}, {}", change(whole)),
    };
    match whole.verdict {
        Verdict::Regression | Verdict::Improvement => {
            format!("Certain of the whole: {}, {by}.", whole.verdict.words(comparison.unit))
        }
        Verdict::Unchanged => {
            format!("The whole did not change by more than noise: {by}. Claim no change of it.")
        }
        _ => format!("Not enough data about the whole: {by}. Claim no change of it."),
    }
}

fn of_function(content: &Content<'_>, row: &ComparedRow<'_>) -> FunctionRow {
    let (key, info) = (&row.function.key, &row.function.info);
    let unit = content.comparison.unit;
    let [before, after, _] = content.amounts(row.change.before, row.change.after);
    FunctionRow {
        name: shown(&info.name, NAME),
        file: shown(&relative(&key.file, content.folder), PATH),
        line: info.start.line + 1,
        time: row.which.to_owned(),
        before,
        after,
        change: change(row.change),
        interval: interval(row.change),
        p: p(row.change),
        calls: row.function.calls.as_ref().map(calls),
        a_call: row.function.calls.as_ref().and_then(|calls| a_call(calls, row.change, unit)),
        verdict: verdict(row.function, row.change, row.verdict, unit),
        samples: row.change.samples,
    }
}

impl AgentAnswer for ComparedAnswer {
    fn text(&self) -> String {
        let rows = self.functions.iter().map(FunctionRow::text).collect::<String>();
        let more = left_out(self.left_out, "function", "a larger max_tokens lists them").unwrap_or_default();
        let sentences = self.sentences.iter().map(String::as_str);
        let warnings = self.warnings.iter().map(String::as_str);
        let body = [rows.trim_end(), &more, &self.others];
        lines([&*self.claim].into_iter().chain(sentences).chain(body).chain(warnings).chain([&*self.next]))
    }

    fn shrink(&mut self) -> bool {
        let is_needed = self.functions.len() <= 1;
        if !is_needed {
            self.functions.pop();
            self.left_out += 1;
        }
        !is_needed || self.warnings.pop().is_some()
    }
}

impl FunctionRow {
    fn text(&self) -> String {
        let interval = self.interval.as_ref().map(|interval| format!(", {interval}")).unwrap_or_default();
        let p = if self.p.is_empty() { String::new() } else { format!(", p {}", self.p) };
        let [before, after] = self.samples;
        let calls = self.calls.as_ref().map(|calls| format!(", calls {calls}")).unwrap_or_default();
        let a_call = self.a_call.as_ref().map(|cost| format!(", a call {cost}")).unwrap_or_default();
        let few = if before.max(after) < FEW_SAMPLES { ", fewer than ten samples" } else { "" };
        format!(
            "- {} {} {} time {} → {}: {}{interval}{p}, {before} → {after} samples{few}{calls}{a_call}: {}\n",
            quoted(&self.name, NAME + 30),
            place(&self.file, self.line),
            self.time,
            self.before,
            self.after,
            self.change,
            self.verdict
        )
    }
}
