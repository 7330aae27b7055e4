//! What the engine did with a function, for its hover: optimised code that it gave up, and code that it inlined.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::iter;

use profile::model::{Amount, Weight};
use profile::uncertainty::Interval;

use super::words::{HoverConfig, MAX_LISTED, call_end, code, escaped, shortened};
use crate::format::about;
use crate::recording::Recording;
use crate::summary::{CallEnd, DefinitionKey, InlinedDefinition, Measured};
use crate::views::measured_document::{MeasuredDocument, MeasuredFunction};

/// What V8's compiler did with it, if there is anything to say.
pub(super) fn compiled(document: MeasuredDocument<'_>, function: &MeasuredFunction) -> String {
    let Some(compiled) = document.recording.compiled(&function.key) else { return String::new() };
    let line_today = document.line_today(function);
    let measured = document.measured(function);
    let text = compiled.text(Some(measured), code, |line| line_today.as_ref()?(line));
    text.map(|text| format!("\nV8: {text}; in another run\n")).unwrap_or_default()
}

/// How much of its self time is code of other functions that the engine had inlined into it.
pub(super) fn inlined_from(
    document: MeasuredDocument<'_>,
    measured: &Measured,
    config: &HoverConfig,
) -> String {
    let (recording, summary) = (document.recording, &document.recording.summary);
    let from = |it: &InlinedDefinition<'_>| {
        let line_today = |line| document.inlined_line_today(it.key, line);
        let file = (it.key.file != document.document.file).then(|| escaped(it.key.file.name()));
        let place: Vec<String> = file.into_iter().chain(it.lines_text(line_today)).collect();
        let place = if place.is_empty() { String::new() } else { format!(" ({})", place.join(", ")) };
        let first = it.lines.keys().find_map(|&line| line_today(line));
        let line = summary.definitions.get(it.key).map(|measured| (config.line)(it.key, measured)).or(first);
        let name = escaped(&shortened(it.name));
        let name =
            line.map_or(name.clone(), |line| format!("[{name}]({})", (config.link)(&it.key.file, line)));
        format!(
            "{} from {name}{place}",
            about(it.time, recording.unit, part_interval(recording, measured, it.time))
        )
    };
    let all = measured.inlined_definitions();
    let listed: Vec<String> = all.iter().take(MAX_LISTED).map(from).collect();
    listed_with_more("Of its self time, inlined:", listed, all.len())
}

/// The functions that its code was inlined into, which have it in their self times.
pub(super) fn inlined_into(recording: &Recording, key: &DefinitionKey, config: &HoverConfig) -> String {
    let mut into: BTreeMap<&DefinitionKey, Amount> = BTreeMap::new();
    for (function, inlined, time) in recording.summary.inlined_in(&key.file) {
        if inlined.definition == *key {
            *into.entry(function).or_default() += time;
        }
    }
    let mut all: Vec<_> = into.into_iter().collect();
    all.sort_by_key(|it| Reverse(it.1));
    let within = |&(function, time): &(&DefinitionKey, Amount)| {
        let interval = part_interval(recording, &recording.summary.definitions[function], time);
        let spent = about(time, recording.unit, interval);
        format!("{spent} in {}", call_end(recording, &CallEnd::Definition(function.clone()), config))
    };
    let listed: Vec<String> = all.iter().take(MAX_LISTED).map(within).collect();
    listed_with_more("Its code also ran inlined:", listed, all.len())
}

/// How certain a part of the self time of a function is.
fn part_interval(recording: &Recording, measured: &Measured, time: Amount) -> Option<Interval> {
    let part = Weight { time, samples: recording.summary.samples_in(time) };
    recording.summary.interval_within_own(part, iter::once(measured))
}

/// A line that lists some of `all` entries.
fn listed_with_more(title: &str, mut listed: Vec<String>, all: usize) -> String {
    if listed.is_empty() {
        return String::new();
    }
    if all > listed.len() {
        listed.push(format!("{} more", all - listed.len()));
    }
    format!("\n{title} {}\n", listed.join(" · "))
}
