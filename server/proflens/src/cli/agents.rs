//! Answers about a recording for coding agents: they fit a number of tokens, say what was left out, and quote every text
//! of a trace or a source as data.
//!
//! Each answer is one value. Its text and its JSON have the same content, and are made from the views that reports and editors use.

use std::iter;

use analysis::files::FilePath;
use analysis::format::{Style, amount, count, percent, time, with_error};
use analysis::recording::{Recording, TraceInfo};
use analysis::summary::{Base, DefinitionKey, Measured, share};
use profile::model::{Amount, Weight};
use profile::problem::Problem;
use profile::uncertainty::Interval;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::relative;
use crate::disk::Disk;
use crate::traces::age;

pub(super) mod compared;
mod forced;
pub(super) mod function;
pub(super) mod hottest;
pub(super) mod ledger;
pub(super) mod paths;
pub(super) mod quoted;
pub(super) mod recordings;
pub(super) mod today;
pub(super) mod wanted;

use forced::ForcedAnswer;
use quoted::{quoted, shown};
use today::{FunctionToday, Today};

/// The most tokens of an answer, unless the question says otherwise.
pub(super) const DEFAULT_TOKENS: usize = 800;

/// Bytes of an answer per token. Tokenizers of models take three to five bytes of English and code for a token.
const BYTES_PER_TOKEN: usize = 4;

/// About the tokens of the shortest row.
const SHORTEST_ROW: usize = 10;

/// With fewer samples, chance decides.
pub(super) const FEW_SAMPLES: u64 = 10;

/// Why time may be on no line, and what to do.
pub(super) const NO_LINE: &str = "Either the trace has no lines there, or the code that ran has several lines of the source in one, as minified code and that of tsx has: run it without (node main.ts) to see lines.";

/// How many tokens a text has, as an estimate: one per four bytes.
pub(super) fn tokens(text: &str) -> usize {
    text.len().div_ceil(BYTES_PER_TOKEN)
}

/// An answer that can do without some of its rows.
pub(super) trait AgentAnswer: Serialize {
    /// The answer as Markdown, which ends with a line break.
    fn text(&self) -> String;

    /// Leaves out the least informative row, and counts it as left out; false if every row is needed.
    fn shrink(&mut self) -> bool;
}

/// An answer whose text has as many rows as fit in a number of tokens.
pub(super) fn fitted<A: AgentAnswer>(answer: A, max_tokens: usize) -> A {
    fitted_by(answer, max_tokens, |answer| tokens(&answer.text()))
}

/// An answer whose JSON has as many rows as fit in a number of tokens.
pub(super) fn fitted_as_json<A: AgentAnswer>(answer: A, max_tokens: usize) -> A {
    // What cannot be written as JSON has no length; who writes it then reports why.
    fitted_by(answer, max_tokens, |answer| serde_json::to_string(answer).map_or(0, |json| tokens(&json)))
}

fn fitted_by<A: AgentAnswer>(mut answer: A, max_tokens: usize, tokens: impl Fn(&A) -> usize) -> A {
    let mut length = tokens(&answer);
    // Writing the answer again after each row would take most of the time, so several rows are removed at once: a quarter
    // of as many as would be enough if all were as long as the last ones. That is never a row too many, unless earlier
    // rows are four times as long.
    let mut at_once = 1;
    while length > max_tokens && (0..at_once).all(|_| answer.shrink()) {
        let now = tokens(&answer);
        // The sentence that says how many rows are left out may be longer than the first row that it stands for.
        let for_each = length.saturating_sub(now).div_ceil(at_once).max(SHORTEST_ROW);
        at_once = (now.saturating_sub(max_tokens) / for_each / 4).max(1);
        length = now;
    }
    answer
}

/// The subject of a question.
#[derive(Clone, Copy)]
pub(super) struct Subject<'a> {
    pub(super) recording: &'a Recording,
    /// The workspace folder: places are relative to it.
    pub(super) folder: &'a FilePath,
    pub(super) disk: &'a Disk,
    pub(super) today: &'a Today,
}

/// An amount with everything that is needed to judge it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Cost {
    /// Nanoseconds, or bytes where memory was measured.
    pub(super) amount: u64,
    /// The share of the active time, 0 to 1.
    #[serde(serialize_with = "to_four_digits")]
    pub(super) share: f64,
    /// The number of samples that it rests on.
    pub(super) samples: u64,
    /// The amount with its unit, and its error or the interval in which the true one lies with 95 % probability.
    text: String,
}

/// Writes a share without the digits that say nothing and that a model pays for.
fn to_four_digits<S: Serializer>(share: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    let digits = share.abs().log10().floor().max(-9.0) as i32;
    let unit = 10f64.powi(3 - digits);
    serializer.serialize_f64((share * unit).round() / unit)
}

impl Cost {
    /// The amount, its share and its samples: `570 ms ± 12 ms (47 %, 560 samples)`.
    pub(super) fn text(&self) -> String {
        let few = if (1..FEW_SAMPLES).contains(&self.samples) { "only " } else { "" };
        let (part, samples) = (percent(self.share, Style::Text), count(self.samples, "sample"));
        format!("{} ({part}, {few}{samples})", self.text)
    }

    /// The same without samples, for lists below a function: `570 ms (47 %)`.
    pub(super) fn short(&self) -> String {
        format!("{} ({})", self.text, percent(self.share, Style::Text))
    }
}

impl<'a> Subject<'a> {
    /// An amount and how certain it is.
    pub(super) fn cost(&self, spent: Weight, interval: Option<Interval>) -> Cost {
        Cost {
            amount: spent.time.0,
            share: share(spent.time, self.recording.summary.ledger.base(Base::Active)),
            samples: spent.samples,
            text: with_error(spent.time, self.recording.unit, interval),
        }
    }

    /// An amount for which only the number of samples is known.
    pub(super) fn spent(&self, spent: Weight) -> Cost {
        self.cost(spent, self.recording.summary.interval_of(spent.samples))
    }

    /// The self and total cost of a definition.
    pub(super) fn costs(&self, measured: &Measured) -> [Cost; 2] {
        let [own, all] = self.recording.summary.intervals(measured);
        [self.cost(measured.cost.own(), own), self.cost(measured.cost.all(), all)]
    }

    /// The path of a file below the workspace, as it is shown.
    pub(super) fn path(&self, file: &FilePath) -> String {
        shown(&relative(file, self.folder), quoted::PATH)
    }

    /// A measured function in the files as they are now; `None` if it is gone.
    pub(super) fn function_today(&self, key: &DefinitionKey) -> Option<FunctionToday> {
        self.today.function(self.recording, self.disk, key)
    }

    /// The line of a definition in today's text, from 1; that of the recording if it is gone.
    pub(super) fn line(&self, key: &DefinitionKey, measured: &Measured) -> u32 {
        let today = self.function_today(key);
        today.map_or(measured.start.line + 1, |today| today.line + 1)
    }

    /// The style and layout that a definition forced, with its costliest line of today.
    fn forced(&self, key: &DefinitionKey) -> Option<ForcedAnswer> {
        let (by_function, today) = (self.recording.forced_by(key)?, self.function_today(key));
        Some(ForcedAnswer::new(by_function, |line| today.as_ref()?.line_today(self.recording, key, line)))
    }

    /// What V8's compiler did with a definition, with its lines of today.
    fn deopts(&self, key: &DefinitionKey, measured: Option<&Measured>) -> Option<String> {
        let (compiled, today) = (self.recording.compiled(key)?, self.function_today(key));
        let line_today = |line| today.as_ref()?.line_today(self.recording, key, line);
        let text = compiled.text(measured, |text| quoted(text, quoted::NAME), line_today)?;
        Some(format!("V8: {text}; in another run"))
    }

    /// What was measured: the traces, when, how much, and what 100 % is.
    pub(super) fn measured(&self) -> String {
        let recording = self.recording;
        let mut parts = vec![format!("Of {}", quoted(&recording.title(), quoted::PATH))];
        let recorded = recording.traces.iter().filter_map(|trace| trace.recorded).max();
        parts.extend(recorded.map(age));
        parts.push(count(recording.samples(), "sample"));
        let interval = recording.traces.first().and_then(|trace| trace.interval).filter(|it| it.0 > 0);
        parts.extend(interval.map(|interval| format!("one every {}", time(interval, Style::Text))));
        let whole = recording.summary.ledger.base(Base::Active);
        let base = Base::Active.name(recording.unit);
        parts.push(format!("100 % is {} of {base}", amount(whole, recording.unit, Style::Text)));
        let mut text = format!("{}.", parts.join(", "));
        for trace in &recording.traces {
            if let Some(scope) = &trace.scope {
                text += &format!(" Only this part was counted: {}.", quoted(scope, quoted::LINE));
            }
            text += &threads(trace).unwrap_or_default();
        }
        text
    }

    /// What an agent should not overlook before it believes a number.
    pub(super) fn warnings(&self) -> Vec<String> {
        let samples = self.recording.samples();
        let few = (samples < FEW_SAMPLES).then(|| {
            format!(
                "The whole recording has {}: chance decides what is in it. Record it for longer.",
                count(samples, "sample")
            )
        });
        let notes = self.recording.problems.iter().take(MAX_NOTES).map(note);
        few.into_iter().chain(notes).collect()
    }
}

/// How many problems of a recording are reported with each answer.
const MAX_NOTES: usize = 3;

/// A problem, which may quote the trace, as data.
pub(super) fn note(problem: &Problem) -> String {
    format!("Note: {}", quoted(&problem.to_string(), quoted::SENTENCE))
}

/// Which threads were added up, if not all.
fn threads(trace: &TraceInfo) -> Option<String> {
    let threads = trace.shown_threads.as_ref().filter(|_| !trace.in_scope.is_empty())?;
    Some(format!(
        " Of {} only {} counted; thread: \"all\" counts all.",
        count(trace.threads as u64, "thread"),
        quoted(threads, quoted::LINE)
    ))
}

/// A sentence about the rows that a list leaves out.
pub(super) fn left_out(number: usize, what: &str, how: &str) -> Option<String> {
    (number > 0).then(|| format!("Left out: {} more; {how}.", count(number as u64, what)))
}

/// Lines of text, without those that are empty.
pub(super) fn lines<'t>(lines: impl IntoIterator<Item = &'t str>) -> String {
    lines.into_iter().filter(|line| !line.is_empty()).flat_map(|line| [line, "\n"]).collect()
}

/// The interval of the time that flows between a function and a caller or callee.
pub(super) fn call_interval<'a>(
    recording: &'a Recording,
    spent: Weight,
    function: &'a Measured,
    other: Option<&'a Measured>,
) -> Option<Interval> {
    recording.summary.interval_within(spent, iter::once(function).chain(other))
}

/// Whether any time was spent.
pub(super) fn is_some(time: Amount) -> bool {
    time > Amount(0)
}
