//! What an editor tells about one function: its cost, who called it, what it called, and how that is known.

use profile::{Amount, Unit};
use text_size::{TextRange, TextSize};

use crate::anchor::Freshness;
use crate::format::{Style, amount, percent, thousands, time, whole};
use crate::summary::{Call, CallEnd, Calls, DefinitionKey, Measured, MeasuredAt, share};
use crate::symbolicate::Confidence;
use crate::views::measured_document::{MeasuredDocument, MeasuredFunction};
use crate::views::settings::{Base, base};
use crate::{FilePath, Recording};

/// What a hover needs to know besides the recording.
pub struct HoverConfig<'a> {
    /// What 100 % is.
    pub base: Base,
    /// How long ago the trace was written, for people: `2 minutes ago`.
    pub age: Option<String>,
    /// The address of a 0-based line of a file, for links.
    pub link: &'a dyn Fn(&FilePath, u32) -> String,
}

/// A hover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// What it is about: from the name to the body.
    pub range: TextRange,
    /// Markdown without HTML.
    pub markdown: String,
}

/// Callers and callees beyond that many are only counted.
const LISTED: usize = 5;

/// The hover at a place: on the name or in the header of a measured definition.
pub fn hover(measured: MeasuredDocument<'_>, at: TextSize, config: &HoverConfig) -> Option<Hover> {
    // From the name to the body, also where the name stands outside of the header: `const name = () => ..`.
    let about = |it: &MeasuredFunction| {
        let today = measured.definition(it);
        today.name_range.map_or(today.header, |name| name.cover(today.header))
    };
    let it = measured.functions().iter().rfind(|it| about(it).contains_inclusive(at))?;
    Some(Hover { range: about(it), markdown: card(measured, it, config) })
}

/// The text of [`hover`] for a function by its path, as the tooltip of its hint.
pub fn tooltip(measured: MeasuredDocument<'_>, path: &str, config: &HoverConfig) -> Option<String> {
    Some(card(measured, measured.function(path)?, config))
}

fn card(document: MeasuredDocument<'_>, function: &MeasuredFunction, config: &HoverConfig) -> String {
    let (recording, key) = (document.recording, &function.key);
    let (measured, freshness) = (document.measured(function), function.freshness);
    let cost = &measured.cost;
    let mut text = table(recording, measured, config);
    text += &measured.calls.map(times_called).unwrap_or_default();
    text += &sessions(recording, measured);
    text += &calls("Called by", recording, &measured.callers, cost.total_time, config);
    text += &calls("Calls", recording, &measured.callees, cost.total_time, config);
    text += &provenance(recording, key, measured, config);
    for doubt in doubts(measured, freshness) {
        text += &format!("\n\n*{doubt}*");
    }
    text
}

/// Self and total, set so that it reads well where Markdown is shown as it stands, too.
fn table(recording: &Recording, measured: &Measured, config: &HoverConfig) -> String {
    let (unit, whole) = (recording.unit, base(recording, config.base));
    let row = |what: &str, nanos: Amount, samples: u64| {
        let part = percent(share(nanos, whole), Style::Text);
        [what.to_string(), amount(nanos, unit, Style::Text), part, thousands(samples)]
    };
    let cost = &measured.cost;
    let quantity = if unit == Unit::Bytes { "Size" } else { "Time" };
    let [quantity, part, samples] = [quantity, "Share", "Samples"].map(str::to_string);
    let head = [escaped(&shortened(&measured.name)), quantity, part, samples];
    let own = row("Self", cost.self_time, cost.self_samples);
    let all = row("Total", cost.total_time, cost.total_samples);
    let width = |column: usize| [&head, &own, &all].map(|row| row[column].chars().count()).into_iter().max();
    let widths = [0, 1, 2, 3].map(|column| width(column).unwrap_or_default());
    let line = |[what, time, share, samples]: &[String; 4]| {
        let [a, b, c, d] = widths;
        format!("| {what:<a$} | {time:>b$} | {share:>c$} | {samples:>d$} |\n")
    };
    let [a, b, c, d] = widths.map(|it| "-".repeat(it + 1));
    [line(&head), format!("|:{a}|{b}:|{c}:|{d}:|\n"), line(&own), line(&all)].concat()
}

/// An estimate, and it says so.
fn times_called(calls: Calls) -> String {
    let number = match calls.number {
        1 => "about 1 call".to_string(),
        number => format!("about {} calls", thousands(number)),
    };
    let mut parts = vec![number];
    if calls.longest.0 > 0 {
        parts.push(format!("the longest {}", time(calls.longest, Style::Text)));
    }
    match calls.long_tasks {
        0 => {}
        1 => parts.push("in 1 long task".to_string()),
        number => parts.push(format!("in {} long tasks", thousands(number))),
    }
    format!("\n{}\n", parts.join(" · "))
}

/// In how many sessions it ran, where that says anything.
fn sessions(recording: &Recording, measured: &Measured) -> String {
    let all = recording.sessions();
    if all < 2 {
        return String::new();
    }
    format!("\nIn {} of {} sessions\n", thousands(measured.sessions), thousands(all))
}

fn calls(title: &str, recording: &Recording, calls: &[Call], total: Amount, config: &HoverConfig) -> String {
    if calls.is_empty() {
        return String::new();
    }
    let mut text = format!("\n**{title}**\n\n");
    for call in calls.iter().take(LISTED) {
        let part = percent(share(call.spent.time, total), Style::Text);
        let spent = amount(call.spent.time, recording.unit, Style::Text);
        text += &format!("- {part} · {spent} · {}\n", other(recording, &call.other, config));
    }
    if calls.len() > LISTED {
        text += &format!("- +{} others\n", calls.len() - LISTED);
    }
    text
}

fn other(recording: &Recording, other: &CallEnd, config: &HoverConfig) -> String {
    match other {
        CallEnd::Entry => "(entry: an event, a timer or a finished promise)".into(),
        CallEnd::Definition(key) => match recording.summary.definitions.get(key) {
            Some(it) => {
                let line = it.start.line;
                let file = key.file.name();
                format!(
                    "[{}]({}) {}:{}",
                    escaped(&it.name),
                    (config.link)(&key.file, line),
                    escaped(file),
                    line + 1
                )
            }
            None => escaped(&key.path),
        },
        CallEnd::Unplaced(function) => {
            let name = if function.name.is_empty() { "(anonymous)" } else { &function.name };
            match &function.resource {
                Some(resource) => {
                    format!("{} · {}", escaped(&shortened(name)), escaped(&shortened(resource)))
                }
                None => escaped(&shortened(name)),
            }
        }
    }
}

fn provenance(
    recording: &Recording,
    key: &DefinitionKey,
    measured: &Measured,
    config: &HoverConfig,
) -> String {
    let mut parts = vec![escaped(&recording.title())];
    parts.extend(config.age.clone());
    let interval = recording.traces.first().and_then(|it| it.interval).filter(|it| it.0 > 0);
    parts.extend(interval.map(|it| format!("a sample every {}", time(it, Style::Text))));
    parts.push(match (recording.unit, config.base) {
        (Unit::Time, Base::All) => "100 % is all time".into(),
        (unit, _) => format!("100 % is {}", whole(unit)),
    });
    let mut text = format!("\n---\n{}", parts.join(" · "));
    if let Some(at) = measured.measured_at.first() {
        let more = measured.measured_at.len() - 1;
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let (start, file) = (measured.start, escaped(key.file.name()));
        text += &format!("  \n{}{more} → {file}:{}:{}", code(&place(at)), start.line + 1, start.column + 1);
    }
    text
}

fn place(at: &MeasuredAt) -> String {
    let resource = shortened(&at.resource);
    match at.position {
        Some(position) => match position.column {
            Some(column) => format!("{resource}:{}:{}", position.line + 1, column + 1),
            None => format!("{resource}:{}", position.line + 1),
        },
        None => resource,
    }
}

fn doubts(measured: &Measured, freshness: Freshness) -> Vec<&'static str> {
    let mut doubts = Vec::new();
    doubts.extend(match freshness {
        Freshness::Fresh | Freshness::Gone => None,
        Freshness::Moved => {
            Some("The function was moved or renamed after it was measured; its body is the same.")
        }
        Freshness::Edited => {
            Some("The function was edited after it was measured: its cost may have changed.")
        }
    });
    doubts.extend(match measured.confidence {
        Confidence::Exact => None,
        Confidence::Snapped => Some("The trace names a place inside the function, not its header."),
        Confidence::Name => Some("Found by its name: the positions in the trace are not those of this text."),
    });
    if measured.generated {
        doubts.push(
            "This file was generated from other sources, but its source map is missing or cannot be read.",
        );
    }
    doubts
}

/// At most 80 characters, the end kept: that is where file names are.
fn shortened(text: &str) -> String {
    let length = text.chars().count();
    if length <= 80 {
        return text.to_string();
    }
    let end: String = text.chars().skip(length - 79).collect();
    format!("…{end}")
}

/// Inline code, in which editors make no links.
fn code(text: &str) -> String {
    let safe: String = text.chars().filter(|&it| !it.is_control() && it != '`').collect();
    format!("`{safe}`")
}

/// Safe inside Markdown; control characters are dropped.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for char in text.chars().filter(|it| !it.is_control()) {
        if matches!(char, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '~') {
            safe.push('\\');
        }
        safe.push(char);
    }
    safe
}
