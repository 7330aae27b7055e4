//! What cost most: functions, lines, files or packages; or functions by the style and layout that they forced, or by how
//! often V8 gave up their optimised code.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use analysis::files::FilePath;
use analysis::format::{Style, count, percent};
use analysis::rendering::Rendering;
use analysis::summary::{CallEnd, DefinitionKey, GroupBy, Measured, share};
use analysis::views::{LineHeat, SortBy, hottest, hottest_groups};
use profile::model::{Amount, Weight};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::packages;
use super::forced::ForcedAnswer;
use super::quoted::{LINE, NAME, PATH, place, quoted, shown};
use super::{AgentAnswer, Cost, FEW_SAMPLES, NO_LINE, Subject, left_out, lines};

/// The longest list, however many tokens it may have.
const MOST: usize = 200;

/// What is listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum What {
    /// Functions, methods and classes of the workspace.
    #[default]
    Functions,
    /// Lines of the workspace, by self time.
    Lines,
    /// Files of the workspace.
    Files,
    /// Packages that are not in the workspace, by self time.
    Packages,
    /// Functions that forced style and layout, by the time that this took.
    Rendering,
    /// Functions whose optimised code V8 gave up, by how often, and others that it did not optimise or whose accesses are megamorphic.
    Deopts,
}

/// What the list is ordered by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum By {
    /// Time in the function itself.
    #[default]
    #[serde(rename = "self")]
    SelfTime,
    /// Time in it and in what it called.
    #[serde(rename = "total")]
    TotalTime,
}

impl By {
    fn order(self) -> SortBy {
        match self {
            Self::SelfTime => SortBy::SelfTime,
            Self::TotalTime => SortBy::TotalTime,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::SelfTime => "self",
            Self::TotalTime => "total",
        }
    }
}

/// What cost most.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HottestAnswer {
    /// What was measured.
    measured: String,
    what: What,
    by: By,
    /// The hottest first.
    rows: Vec<HottestRow>,
    /// How many rows were left out.
    left_out: usize,
    /// What should be known before a number is believed.
    warnings: Vec<String>,
    /// What to ask next.
    next: String,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct HottestRow {
    /// The name of the function or the package.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The file below the workspace, or the folder of a package.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The line in today's text, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    /// Its own cost.
    #[serde(rename = "self")]
    own: Cost,
    /// With all that it called.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<Cost>,
    /// How often a function was called, as counted in another run.
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<u64>,
    /// The style and layout that a function forced, a part of its own cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    forced: Option<ForcedAnswer>,
    /// What V8's compiler did with a function, in another run; only in the list of that.
    #[serde(skip_serializing_if = "Option::is_none")]
    deopts: Option<String>,
    /// What became of its text since it was measured, if that is not the same any more: `moved`, `edited`, `gone`.
    #[serde(skip_serializing_if = "Option::is_none")]
    freshness: Option<String>,
    /// The line itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

/// The hottest functions, lines, files or packages.
pub(crate) fn list(subject: Subject<'_>, what: What, by: By) -> HottestAnswer {
    let (rows, all) = match what {
        What::Functions => functions(subject, by),
        What::Lines => hot_lines(subject),
        What::Files => files(subject, by),
        What::Packages => of_packages(subject),
        What::Rendering => of_rendering(subject),
        What::Deopts => of_deopts(subject),
    };
    let next = next(what, &rows);
    HottestAnswer {
        measured: subject.measured(),
        what,
        // For lines and packages, only self times are known.
        by: if matches!(what, What::Functions | What::Files) { by } else { By::SelfTime },
        left_out: all - rows.len(),
        warnings: warnings(subject, what, &rows),
        rows,
        next,
    }
}

fn functions(subject: Subject<'_>, by: By) -> (Vec<HottestRow>, usize) {
    let mut all = hottest(&subject.recording.summary, by.order());
    // In order of self time, those without any are last.
    let with_self_time = all.partition_point(|(_, measured)| measured.cost.self_time > Amount(0));
    if by == By::SelfTime && with_self_time > 0 {
        all.truncate(with_self_time);
    }
    let rows = all.iter().take(MOST).map(|(key, measured)| of_function(subject, key, measured));
    (rows.collect(), all.len())
}

fn of_function(subject: Subject<'_>, key: &DefinitionKey, measured: &Measured) -> HottestRow {
    let [own, total] = subject.costs(measured);
    let today = subject.function_today(key);
    let freshness = today.as_ref().map_or("gone", |today| today.freshness.name());
    HottestRow {
        name: Some(shown(&measured.name, NAME)),
        file: Some(subject.path(&key.file)),
        line: Some(today.map_or(measured.start.line, |today| today.line) + 1),
        own,
        total: Some(total),
        calls: subject.recording.calls(key),
        forced: subject.forced(key),
        deopts: None,
        freshness: (freshness != "fresh").then(|| freshness.to_owned()),
        text: None,
    }
}

fn files(subject: Subject<'_>, by: By) -> (Vec<HottestRow>, usize) {
    let all = hottest_groups(subject.recording, GroupBy::File, by.order());
    let rows = all.iter().take(MOST).map(|(file, cost)| HottestRow {
        name: None,
        file: Some(subject.path(file)),
        line: None,
        own: subject.spent(cost.own()),
        total: Some(subject.spent(cost.all())),
        calls: None,
        forced: None,
        deopts: None,
        freshness: None,
        text: None,
    });
    (rows.collect(), all.len())
}

/// The hottest lines. Edited functions have none, since it is not known which of their lines are still the measured ones.
fn hot_lines(subject: Subject<'_>) -> (Vec<HottestRow>, usize) {
    let definitions = &subject.recording.summary.definitions;
    let mut by_time: Vec<(&Amount, &DefinitionKey)> = Vec::new();
    for (key, measured) in definitions {
        by_time.extend(measured.lines.values().filter(|time| time.0 > 0).map(|time| (time, key)));
    }
    let all = by_time.len();
    by_time.sort_by(|a, b| b.0.cmp(a.0).then_with(|| a.1.cmp(b.1)));
    let mut hot: BTreeMap<(&FilePath, u32), (LineHeat, HottestRow)> = BTreeMap::new();
    let mut keys: Vec<&DefinitionKey> = by_time.iter().take(MOST).map(|(_, key)| *key).collect();
    keys.sort();
    keys.dedup();
    for key in keys {
        let Some(today) = subject.function_today(key) else { continue };
        for heat in today.lines(subject.recording, key).into_iter().filter(|heat| heat.time.0 > 0) {
            let samples = subject.recording.summary.samples_in(heat.time);
            let row = HottestRow {
                name: Some(shown(&definitions[key].name, NAME)),
                file: Some(subject.path(&key.file)),
                line: Some(heat.line + 1),
                own: subject.cost(Weight { time: heat.time, samples }, heat.interval),
                total: None,
                calls: None,
                forced: None,
                deopts: None,
                freshness: None,
                text: Some(shown(today.text(heat.line), LINE)),
            };
            let known = hot.entry((&key.file, heat.line)).or_insert_with(|| (heat, row.clone()));
            // If functions share a line, the costlier one gives the name.
            if known.0.time < heat.time {
                *known = (heat, row);
            }
        }
    }
    let mut rows: Vec<HottestRow> = hot.into_values().map(|(_, row)| row).collect();
    rows.sort_by(|a, b| {
        b.own.amount.cmp(&a.own.amount).then_with(|| (&a.file, a.line).cmp(&(&b.file, b.line)))
    });
    rows.truncate(MOST);
    let all = all.max(rows.len());
    (rows, all)
}

fn of_packages(subject: Subject<'_>) -> (Vec<HottestRow>, usize) {
    let all = packages::all(subject.recording, subject.disk);
    let rows = all.iter().take(MOST).map(|package| HottestRow {
        name: Some(shown(&package.title(), NAME)),
        file: package.folder.as_ref().map(|folder| shown(&folder.to_string_lossy(), PATH)),
        line: None,
        own: subject.spent(Weight { time: package.cost.self_time, samples: package.cost.self_samples }),
        total: None,
        calls: None,
        forced: None,
        deopts: None,
        freshness: None,
        text: None,
    });
    (rows.collect(), all.len())
}

/// The functions that forced style and layout. A function may have no samples, and so no cost.
fn of_rendering(subject: Subject<'_>) -> (Vec<HottestRow>, usize) {
    let summary = &subject.recording.summary;
    let all = subject.recording.rendering.as_ref().map(Rendering::costliest).unwrap_or_default();
    let rows = all.iter().take(MOST).map(|(end, by_function)| match end {
        CallEnd::Definition(key) if let Some(measured) = summary.definitions.get(key) => {
            HottestRow { total: None, ..of_function(subject, key, measured) }
        }
        _ => {
            let (name, file, own) = match end {
                CallEnd::Entry => ("(no function)", None, None),
                CallEnd::Definition(key) => (&*by_function.name, Some(subject.path(&key.file)), None),
                CallEnd::Unplaced(function) => {
                    let file = function.resource.as_deref().map(|script| shown(script, PATH));
                    (&*by_function.name, file, summary.unplaced.get(function))
                }
            };
            HottestRow {
                name: Some(shown(if name.is_empty() { "(anonymous)" } else { name }, NAME)),
                file,
                line: by_function.start.map(|start| start.line + 1),
                own: subject.spent(own.map(|cost| cost.own()).unwrap_or_default()),
                total: None,
                calls: None,
                forced: Some(ForcedAnswer::new(by_function, Some)),
                deopts: None,
                freshness: None,
                text: None,
            }
        }
    });
    (rows.collect(), all.len())
}

/// The functions that V8's compiler has something to report about. A function may have no samples, and so no cost.
fn of_deopts(subject: Subject<'_>) -> (Vec<HottestRow>, usize) {
    let summary = &subject.recording.summary;
    let Some(log) = &subject.recording.deopts else { return (Vec::new(), 0) };
    let mut all: Vec<_> = log.definitions.iter().collect();
    all.retain(|(key, compiled)| {
        let measured = summary.definitions.get(key);
        compiled.is_remarkable() || measured.is_some_and(|measured| compiled.is_never_optimized(measured))
    });
    all.sort_by_key(|(key, compiled)| {
        let own = summary.definitions.get(key).map(|measured| measured.cost.self_time);
        (Reverse(compiled.times()), Reverse(own), *key)
    });
    let rows = all.iter().take(MOST).map(|(key, compiled)| {
        let measured = summary.definitions.get(key);
        let deopts = subject.deopts(key, measured);
        match measured {
            Some(measured) => HottestRow { total: None, deopts, ..of_function(subject, key, measured) },
            None => HottestRow {
                name: Some(shown(&compiled.name, NAME)),
                file: Some(subject.path(&key.file)),
                line: Some(compiled.start.line + 1),
                own: subject.spent(Weight::default()),
                total: None,
                calls: subject.recording.calls(key),
                forced: None,
                deopts,
                freshness: None,
                text: None,
            },
        }
    });
    (rows.collect(), all.len())
}

fn next(what: What, rows: &[HottestRow]) -> String {
    let Some(first) = rows.first() else {
        return match what {
            What::Functions | What::Files => {
                "Nothing is on functions of this workspace. Next: ledger says where the time is instead, hottest with what: packages which packages it is in."
            }
            What::Lines => "No line is known: the trace has none, or the functions were edited. Next: hottest with what: functions.",
            What::Packages => "No package outside of the workspace has any time. Next: hottest with what: functions.",
            What::Deopts => "V8's compiler tells of no function here: nothing was given up, or it was not logged; proflens record --deopts does. Next: hottest with what: functions.",
            What::Rendering => "No function forced style or layout as far as the trace tells; traces of Chrome do. Next: hottest with what: functions.",
        }
        .to_owned();
    };
    match what {
        What::Functions | What::Lines | What::Rendering | What::Deopts => {
            // More is known only about functions of the workspace.
            let first = rows.iter().find(|row| row.line.is_some()).unwrap_or(first);
            let of = [first.name.as_deref().unwrap_or_default(), first.file.as_deref().unwrap_or_default()];
            let [name, file] = of.map(|text| quoted(text, PATH + 30));
            format!("Next: function with name {name} and file {file} shows its callers and hot lines.")
        }
        What::Files => "Next: hottest with what: functions, or lines.".to_owned(),
        What::Packages => "Next: paths shows who calls into them.".to_owned(),
    }
}

fn warnings(subject: Subject<'_>, what: What, rows: &[HottestRow]) -> Vec<String> {
    let mut warnings = subject.warnings();
    // Forced or logged events are known individually.
    let first = rows.first().filter(|_| !matches!(what, What::Rendering | What::Deopts));
    let first = first.map(|row| row.total.as_ref().unwrap_or(&row.own).samples);
    if first.is_some_and(|samples| samples < FEW_SAMPLES) && subject.recording.samples() >= FEW_SAMPLES {
        let sentence =
            "Even the first row rests on fewer than ten samples: do not act on this list. Record for longer.";
        warnings.insert(0, sentence.to_owned());
    }
    if what == What::Lines && subject.recording.has_lines() {
        warnings.splice(0..0, without_line(subject));
    }
    if rows.iter().any(|row| row.freshness.as_deref() == Some("edited")) {
        let sentence = "Functions that are edited had other code when they were measured: record again before you judge them.";
        warnings.insert(0, sentence.to_owned());
    }
    warnings
}

/// Says so if a good part of the self time is on no line, as the hottest one may be among those that are not known.
fn without_line(subject: Subject<'_>) -> Option<String> {
    let measured = subject.recording.summary.definitions.values();
    let (whole, rest) = measured.fold((Amount(0), Amount(0)), |(whole, rest), measured| {
        (whole + measured.cost.self_time, rest + measured.without_line())
    });
    let is_much = rest.0 * 10 > whole.0;
    is_much.then(|| {
        let part = percent(share(rest, whole), Style::Text);
        format!("{part} of the self time of functions is on no line: a line that is not listed may be hotter. {NO_LINE}")
    })
}

impl HottestAnswer {
    /// The rows alone, as a numbered list.
    pub(crate) fn list(&self) -> String {
        (1..).zip(&self.rows).map(|(number, row)| row.text(number)).collect()
    }

    /// How many rows were left out, if any.
    pub(crate) fn more(&self) -> String {
        let how = "a larger max_tokens lists more, a scope such as focus narrows it";
        left_out(self.left_out, self.noun(), how).unwrap_or_default()
    }

    fn noun(&self) -> &'static str {
        match self.what {
            What::Functions | What::Rendering | What::Deopts => "function",
            What::Lines => "line",
            What::Files => "file",
            What::Packages => "package",
        }
    }
}

impl AgentAnswer for HottestAnswer {
    fn text(&self) -> String {
        let head = match self.what {
            What::Rendering => "The functions that forced style and layout, by the time of that".to_owned(),
            What::Deopts => {
                "What V8's compiler did with functions, those given up most often first".to_owned()
            }
            _ => format!("The hottest {}s by {} time", self.noun(), self.by.name()),
        };
        let head = format!("{head}. {}", self.measured);
        let more = self.more();
        let warnings = self.warnings.iter().map(String::as_str);
        let list = self.list();
        lines([&*head, list.trim_end(), &more].into_iter().chain(warnings).chain([&*self.next]))
    }

    fn shrink(&mut self) -> bool {
        // One problem of the recording is worth less than a row among the first few, and more than later rows.
        if self.rows.len() <= 5 && self.warnings.len() > 1 {
            self.warnings.pop();
            return true;
        }
        let is_needed = self.rows.len() <= 1;
        if !is_needed {
            self.rows.pop();
            self.left_out += 1;
        }
        !is_needed
    }
}

impl HottestRow {
    fn text(&self, number: usize) -> String {
        let name = self.name.as_deref().map(|name| quoted(name, PATH + 30));
        let file = self.file.as_deref().map(|file| match self.line {
            Some(line) => place(file, line),
            None => quoted(file, PATH + 30),
        });
        let title: Vec<String> = name.into_iter().chain(file).collect();
        let total = self.total.as_ref().map(|total| format!(", total {}", total.text())).unwrap_or_default();
        let calls = self.calls.map(|calls| format!(", {}", count(calls, "call"))).unwrap_or_default();
        let forced =
            self.forced.as_ref().map(|forced| format!(", forces {}", forced.text)).unwrap_or_default();
        let deopts = self.deopts.as_ref().map(|deopts| format!(", {deopts}")).unwrap_or_default();
        let freshness = self.freshness.as_ref().map(|freshness| format!(", {freshness}")).unwrap_or_default();
        let text =
            self.text.as_deref().map(|text| format!(": {}", quoted(text, LINE + 30))).unwrap_or_default();
        format!(
            "{number}. {} self {}{total}{calls}{forced}{deopts}{freshness}{text}\n",
            title.join(" "),
            self.own.text()
        )
    }
}
