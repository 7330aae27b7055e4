//! One function: its cost, its callers and callees, its hot lines with their source, and how far all of that can be trusted.

use analysis::anchor::Freshness;
use analysis::format::{Style, count, percent, ran};
use analysis::package::Package;
use analysis::summary::{Call, CallEnd, DefinitionKey, InlinedDefinition, Measured, share};
use analysis::symbolicate::Confidence;
use analysis::views::{calls_text, caveats};
use profile::model::{Amount, Weight};
use schemars::JsonSchema;
use serde::Serialize;

use super::forced::ForcedAnswer;
use super::quoted::{LINE, NAME, PATH, place, quoted, shown};
use super::today::FunctionToday;
use super::wanted::range;
use super::{AgentAnswer, Cost, FEW_SAMPLES, NO_LINE, Subject, call_interval, is_some, lines};

/// The most callers and callees.
const MOST_CALLS: usize = 20;
/// The most lines.
const MOST_LINES: usize = 20;

/// One function.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FunctionAnswer {
    /// What was measured.
    measured: String,
    name: String,
    /// The file below the workspace.
    file: String,
    /// The line of its name in today's text, from 1; where it was measured if it is gone.
    line: u32,
    /// Its last line.
    end_line: u32,
    /// Its own cost.
    #[serde(rename = "self")]
    own: Cost,
    /// With all that it called.
    total: Cost,
    /// How often it was called, as counted in another run.
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<Called>,
    /// What V8's compiler did with it in another run: deoptimisations, megamorphic accesses.
    #[serde(skip_serializing_if = "Option::is_none")]
    deopts: Option<String>,
    /// The style and layout that it forced.
    #[serde(skip_serializing_if = "Option::is_none")]
    forced: Option<ForcedAnswer>,
    /// Code of other functions that the engine inlined into it: a part of its self time, the most first.
    inlined: Vec<Inlined>,
    /// How certain its place is: exact, snapped, name.
    confidence: String,
    /// What became of its text since it was measured: fresh, moved, edited, gone.
    freshness: String,
    /// What should be known before a number is believed.
    warnings: Vec<String>,
    /// Who called it, the hottest first; they add up to its total.
    callers: Vec<Other>,
    /// How many callers were left out.
    callers_left_out: usize,
    /// What it called, the hottest first; with its self time they add up to its total.
    callees: Vec<Other>,
    /// How many callees were left out.
    callees_left_out: usize,
    /// The lines of today with the most self time, the hottest first.
    lines: Vec<Line>,
    /// How many lines with self time were left out.
    lines_left_out: usize,
    /// What to ask next.
    next: String,
}

/// How often a function was called, and what a call cost.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Called {
    /// The number of calls.
    number: u64,
    /// The same in words, with the time of a call.
    text: String,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Other {
    name: String,
    /// The file below the workspace, or what the trace calls its script.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The line, from 1, if it is a function of the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    /// The package whose code it is, if it is that of a dependency.
    #[serde(skip_serializing_if = "Option::is_none")]
    package: Option<String>,
    /// What flows between the two.
    cost: Cost,
}

/// A function whose code was inlined.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Inlined {
    name: String,
    /// The file below the workspace.
    file: String,
    /// The lines that cost most, in words, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<String>,
    /// The part of the self time of the function that it was inlined into.
    cost: Cost,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Line {
    /// From 1.
    line: u32,
    /// Its self time.
    cost: Cost,
    /// How often it ran, as counted in another run.
    #[serde(skip_serializing_if = "Option::is_none")]
    ran: Option<u64>,
    /// The line of the source.
    text: String,
}

/// The answer about a function of the recording.
///
/// # Panics
/// If the recording does not have it.
pub(crate) fn function(subject: Subject<'_>, key: &DefinitionKey) -> FunctionAnswer {
    let measured = &subject.recording.summary.definitions[key];
    let today = subject.function_today(key);
    let freshness = today.as_ref().map_or(Freshness::Gone, |today| today.freshness);
    let [own, total] = subject.costs(measured);
    let (hot, lines_left_out) = match &today {
        Some(today) => hot_lines(subject, key, today),
        None => (Vec::new(), 0),
    };
    let range = range(subject, key, measured);
    let others = |calls: &[Call]| -> Vec<Other> {
        calls.iter().take(MOST_CALLS).map(|call| other(subject, measured, call)).collect()
    };
    let callers = others(&measured.callers);
    let callees = others(&measured.callees);
    FunctionAnswer {
        measured: subject.measured(),
        name: shown(&measured.name, NAME),
        file: subject.path(&key.file),
        line: *range.start(),
        end_line: *range.end(),
        warnings: warnings(subject, measured, freshness, &own, &total),
        next: next(measured, freshness, &own, &total, &callers, &callees),
        own,
        total,
        calls: subject.recording.calls(key).map(|number| {
            let text = calls_text(subject.recording, measured, number);
            Called { number, text: format!("{text}; counted in another run") }
        }),
        deopts: subject.deopts(key, Some(measured)),
        forced: subject.forced(key),
        inlined: inlined(subject, measured, today.as_ref()),
        confidence: measured.confidence.name().to_owned(),
        freshness: freshness.name().to_owned(),
        callers_left_out: measured.callers.len() - callers.len(),
        callers,
        callees_left_out: measured.callees.len() - callees.len(),
        callees,
        lines: hot,
        lines_left_out,
    }
}

fn hot_lines(subject: Subject<'_>, key: &DefinitionKey, today: &FunctionToday) -> (Vec<Line>, usize) {
    let mut hot = today.lines(subject.recording, key);
    hot.retain(|heat| is_some(heat.time));
    hot.sort_by_key(|heat| (std::cmp::Reverse(heat.time), heat.line));
    let all = hot.len();
    let runs = today.runs(subject.recording, key);
    let rows = hot.into_iter().take(MOST_LINES).map(|heat| {
        let samples = subject.recording.summary.samples_in(heat.time);
        Line {
            line: heat.line + 1,
            cost: subject.cost(Weight { time: heat.time, samples }, heat.interval),
            ran: runs.iter().find(|it| it.line == heat.line).map(|it| it.times),
            text: shown(today.text(heat.line), LINE),
        }
    });
    let rows: Vec<Line> = rows.collect();
    let left_out = all - rows.len();
    (rows, left_out)
}

fn inlined(subject: Subject<'_>, measured: &Measured, today: Option<&FunctionToday>) -> Vec<Inlined> {
    let summary = &subject.recording.summary;
    let cost = |time: Amount| {
        let part = Weight { time, samples: summary.samples_in(time) };
        subject.cost(part, summary.interval_within_own(part, std::iter::once(measured)))
    };
    let row = |it: &InlinedDefinition<'_>| Inlined {
        name: shown(it.name, NAME),
        file: subject.path(&it.key.file),
        lines: it.lines_text(|line| match today {
            Some(today) => today.inlined_line_today(subject.recording, it.key, line),
            None => Some(line),
        }),
        cost: cost(it.time),
    };
    measured.inlined_definitions().iter().take(MOST_CALLS).map(row).collect()
}

fn other(subject: Subject<'_>, function: &Measured, call: &Call) -> Other {
    let recording = subject.recording;
    let measured = recording.summary.measured(&call.other);
    let cost = subject.cost(call.spent, call_interval(recording, call.spent, function, measured));
    let (name, file, line) = match (&*call.other, measured) {
        (CallEnd::Definition(key), Some(measured)) => {
            (&*measured.name, Some(subject.path(&key.file)), Some(subject.line(key, measured)))
        }
        (CallEnd::Definition(key), None) => (&*key.path, Some(subject.path(&key.file)), None),
        (CallEnd::Entry, _) => (recording.entry().0, None, None),
        (CallEnd::Unplaced(function), _) => {
            let name = if function.name.is_empty() { "(anonymous)" } else { &*function.name };
            (name, function.resource.as_deref().map(|resource| shown(resource, PATH)), None)
        }
    };
    let package = match &*call.other {
        CallEnd::Unplaced(function) => function.file().and_then(|file| Package::of(file)),
        _ => None,
    };
    let package = package.map(|package| shown(&package.name, NAME));
    Other { name: shown(name, NAME), file, line, package, cost }
}

fn warnings(
    subject: Subject<'_>,
    measured: &Measured,
    freshness: Freshness,
    own: &Cost,
    total: &Cost,
) -> Vec<String> {
    let mut warnings = Vec::new();
    let rest = measured.without_line();
    // An edited function has no lines in any case, and says that it was edited.
    if subject.recording.has_lines()
        && own.samples >= FEW_SAMPLES
        && rest.0 * 2 > own.amount
        && freshness != Freshness::Edited
    {
        let part = percent(share(rest, measured.cost.self_time), Style::Text);
        warnings.push(format!("{part} of its self time is on no line. {NO_LINE}"));
    }
    if total.samples < FEW_SAMPLES {
        let samples = count(total.samples, "sample");
        warnings.push(format!("It rests on {samples}, fewer than ten: chance decides such a number. Record for longer before you change anything."));
    } else if own.samples < FEW_SAMPLES && own.samples > 0 {
        let samples = count(own.samples, "sample");
        warnings.push(format!("Its self time rests on {samples}, fewer than ten: do not rely on it."));
    }
    if freshness == Freshness::Gone {
        warnings.push(
            "The function is not in its file any more: its place is that of the text that was measured."
                .to_owned(),
        );
    }
    warnings.extend(caveats(measured, freshness).into_iter().map(str::to_owned));
    warnings
}

fn next(
    measured: &Measured,
    freshness: Freshness,
    own: &Cost,
    total: &Cost,
    callers: &[Other],
    callees: &[Other],
) -> String {
    if matches!(freshness, Freshness::Edited | Freshness::Gone) {
        return "Next: record again, then compare before and after.".to_owned();
    }
    let of = |other: &Other, why: &str| {
        let file = other
            .file
            .as_deref()
            .map(|file| format!(" and file {}", quoted(file, PATH + 30)))
            .unwrap_or_default();
        format!("Next: function with name {}{file}, {why}.", quoted(&other.name, NAME + 30))
    };
    let below = callees.iter().find(|other| other.line.is_some());
    let above = callers.iter().find(|other| other.line.is_some());
    match (below, above) {
        (Some(below), _) if below.cost.amount > own.amount => {
            of(below, "which it spends most of its time in")
        }
        (_, Some(above)) if measured.callers.len() > 1 || own.amount * 2 > total.amount => {
            of(above, "which calls it most")
        }
        _ => "Next: read the function, change it, record again, then compare.".to_owned(),
    }
}

impl FunctionAnswer {
    /// Everything except what was measured and what to ask next, which appear once in a text about several functions.
    pub(crate) fn body(&self) -> String {
        let mut text = format!("self {}, total {}\n", self.own.text(), self.total.text());
        text += &self.calls.as_ref().map(|calls| format!("{}\n", calls.text)).unwrap_or_default();
        text += &self.deopts.as_ref().map(|deopts| format!("{deopts}\n")).unwrap_or_default();
        text += &self.forced.as_ref().map(|forced| format!("forces {}\n", forced.text)).unwrap_or_default();
        for Inlined { name, file, lines, cost } in &self.inlined {
            let place = [Some(quoted(file, PATH + 30)), lines.clone()].into_iter().flatten();
            let place = place.collect::<Vec<_>>().join(", ");
            text +=
                &format!("of self, {} inlined from {} ({place})\n", cost.short(), quoted(name, NAME + 30));
        }
        let how = match self.confidence.as_str() {
            placed if placed == Confidence::Exact.name() => "by its exact place",
            placed if placed == Confidence::Snapped.name() => "by a place inside of it",
            _ => "by its name",
        };
        text += &format!("found {how}; {}\n", self.freshness_text());
        text += &lines(self.warnings.iter().map(String::as_str));
        text += &calls("called by", &self.callers, self.callers_left_out);
        text += &calls("calls", &self.callees, self.callees_left_out);
        if !self.lines.is_empty() {
            text += "hot lines, by self time:\n";
        }
        for line in &self.lines {
            let ran = line.ran.map(|times| format!(", {}", ran(times))).unwrap_or_default();
            let cost = line.cost.short();
            text += &format!("- {}: {cost}{ran} {}\n", line.line, quoted(&line.text, LINE + 30));
        }
        text + &more(self.lines_left_out, "line")
    }

    /// Without what was measured and what to ask next, for a text that says so once for several functions.
    pub(crate) fn in_a_text(mut self) -> Self {
        self.measured.clear();
        self.next.clear();
        self
    }

    /// Whether there was no room for any caller, callee or line.
    pub(crate) fn lists_nothing(&self) -> bool {
        let left_out = self.callers_left_out + self.callees_left_out + self.lines_left_out;
        left_out > 0 && self.callers.is_empty() && self.callees.is_empty() && self.lines.is_empty()
    }

    /// Its name and place.
    pub(crate) fn title(&self) -> String {
        let lines = if self.end_line > self.line { format!("-{}", self.end_line) } else { String::new() };
        format!(
            "{} {}",
            quoted(&self.name, NAME + 30),
            quoted(&format!("{}:{}{lines}", self.file, self.line), PATH + 60)
        )
    }

    fn freshness_text(&self) -> &'static str {
        match self.freshness.as_str() {
            "fresh" => "its text is the one that was measured",
            "moved" => "its text was measured at another place or under another name",
            "edited" => "its text was edited since",
            _ => "it is gone from its file",
        }
    }
}

impl AgentAnswer for FunctionAnswer {
    fn text(&self) -> String {
        let is_whole = self.lines_left_out + self.callers_left_out + self.callees_left_out == 0;
        let more = if is_whole { "" } else { "A larger max_tokens lists what is left out." };
        lines([&*self.title(), &*self.measured, self.body().trim_end(), more, &*self.next])
    }

    /// Removes whatever costs least among lines, callers and callees, but each keeps its first two as long as possible.
    fn shrink(&mut self) -> bool {
        let Self { lines, callers, callees, .. } = self;
        let lists = [lines.len(), callers.len(), callees.len()];
        let share = |list: usize| match list {
            0 => lines.last().map(|line| line.cost.share),
            1 => callers.last().map(|other| other.cost.share),
            _ => callees.last().map(|other| other.cost.share),
        };
        let least = (0..3).filter(|list| lists[*list] > 0).min_by(|a, b| {
            let kept = |list: usize| (lists[list] <= 2, share(list).unwrap_or_default());
            let ((a_kept, a_share), (b_kept, b_share)) = (kept(*a), kept(*b));
            a_kept.cmp(&b_kept).then(a_share.total_cmp(&b_share))
        });
        match least {
            Some(0) => (_, self.lines_left_out) = (lines.pop(), self.lines_left_out + 1),
            Some(1) => (_, self.callers_left_out) = (callers.pop(), self.callers_left_out + 1),
            Some(_) => (_, self.callees_left_out) = (callees.pop(), self.callees_left_out + 1),
            None => return false,
        }
        true
    }
}

fn calls(title: &str, others: &[Other], left_out: usize) -> String {
    if others.is_empty() && left_out == 0 {
        return String::new();
    }
    let rows = others.iter().map(|other| {
        let file = match (&other.file, other.line, &other.package) {
            (Some(file), Some(line), _) => format!(" {}", place(file, line)),
            (_, None, Some(package)) => format!(" of the package {}", quoted(package, NAME + 30)),
            (Some(file), None, None) => format!(" not placed, {}", quoted(file, PATH + 30)),
            (None, ..) => String::new(),
        };
        format!("- {} {}{file}\n", other.cost.short(), quoted(&other.name, NAME + 30))
    });
    format!("{title}:\n{}{}", rows.collect::<String>(), more(left_out, "other"))
}

fn more(left_out: usize, what: &str) -> String {
    match left_out {
        0 => String::new(),
        number => format!("- left out: {}\n", count(number as u64, what)),
    }
}
