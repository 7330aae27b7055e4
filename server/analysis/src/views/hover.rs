//! What an editor shows about one function on demand: its cost, its callers and callees, and where the figures come from.

mod engine;
mod words;

use std::cmp::Reverse;
use std::iter;

use profile::model::{Amount, PERCENTILES, Position, Unit};
use text_size::{TextRange, TextSize};

use crate::anchor::Freshness;
use crate::format::{Style, about, column_widths, count, percent, thousands, time, with_error};
use crate::recording::Recording;
use crate::summary::{Base, Call, DefinitionKey, Generated, Measured, MeasuredAt, OnThread, share};
use crate::symbolicate::Confidence;
use crate::views::measured_document::{MeasuredDocument, MeasuredFunction};
use engine::{compiled, inlined_from, inlined_into};
use words::{MAX_LISTED, call_end, code, shortened};

pub use words::{HoverConfig, escaped};

/// The hover of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// The part of the document that it describes, from the name to the body.
    pub range: TextRange,
    /// Markdown without HTML.
    pub markdown: String,
    /// The function.
    pub key: DefinitionKey,
}

/// The hover at a place, which must be on the name or in the header of a measured definition.
pub fn hover(measured: MeasuredDocument<'_>, at: TextSize, config: &HoverConfig) -> Option<Hover> {
    // From the name to the body, even if the name is outside of the header: `const name = () => ..`.
    let about = |it: &MeasuredFunction| {
        let today = measured.definition(it);
        today.name_range.map_or(today.header, |name| name.cover(today.header))
    };
    let it = measured.functions().iter().rfind(|it| about(it).contains_inclusive(at))?;
    Some(Hover { range: about(it), markdown: card(measured, it, config), key: it.key.clone() })
}

/// The text of [`hover`] for the function with a path: the tooltip of its hint.
pub fn tooltip(measured: MeasuredDocument<'_>, path: &str, config: &HoverConfig) -> Option<String> {
    Some(card(measured, measured.function(path)?, config))
}

/// The whole text about a function.
fn card(document: MeasuredDocument<'_>, function: &MeasuredFunction, config: &HoverConfig) -> String {
    let (recording, key) = (document.recording, &function.key);
    let (measured, freshness) = (document.measured(function), function.freshness);
    let mut text = table(recording, measured, config);
    text += &counted(recording, key, measured);
    text += &forced(document, function);
    text += &compiled(document, function);
    text += &inlined_from(document, measured, config);
    text += &inlined_into(recording, key, config);
    text += &measured.long_tasks.map(long_tasks).unwrap_or_default();
    text += &sessions(recording, measured);
    text += &threads(recording, measured, config);
    text += &calls("Called by", recording, measured, &measured.callers, config);
    text += &calls("Calls", recording, measured, &measured.callees, config);
    let has_lines = freshness.keeps_lines() && !measured.lines.is_empty() || !measured.inlined.is_empty();
    let offers = [
        config.line_costs.filter(|_| has_lines).map(str::to_owned),
        config.flame_graph.map(|offer| offer(key)),
    ];
    let offers: Vec<String> = offers.into_iter().flatten().collect();
    if !offers.is_empty() {
        text += &format!("\n{}\n", offers.join(" · "));
    }
    text += &provenance(recording, key, measured, config);
    for caveat in caveats(measured, freshness) {
        text += &format!("\n\n*{caveat}*");
    }
    text
}

/// Self and total cost as a table, with aligned columns for editors that show Markdown as plain text.
fn table(recording: &Recording, measured: &Measured, config: &HoverConfig) -> String {
    let unit = recording.unit;
    let [self_interval, total_interval] = recording.summary.intervals(measured);
    let [self_share, total_share] = recording.summary.shares(&measured.cost, config.base);
    let row = |what: &str, cost: Amount, interval, part: f64, samples: u64| {
        let part = percent(part, Style::Text);
        [what.to_string(), with_error(cost, unit, interval), part, thousands(samples)]
    };
    let cost = &measured.cost;
    let quantity = if unit == Unit::Bytes { "Size" } else { "Time" };
    let [quantity, part, samples] = [quantity, "Share", "Samples"].map(str::to_string);
    let head = [escaped(&shortened(&measured.name)), quantity, part, samples];
    let own = row("Self", cost.self_time, self_interval, self_share, cost.self_samples);
    let all = row("Total", cost.total_time, total_interval, total_share, cost.total_samples);
    aligned(&[head, own, all])
}

/// A table with a head and rows; the first column is left-aligned, all others right-aligned.
fn aligned<const N: usize>(rows: &[[String; N]]) -> String {
    let widths = column_widths(rows);
    let rule = (0..).zip(widths).map(|(column, width)| match column {
        0 => format!("|:{}|", "-".repeat(width + 1)),
        _ => format!("{}:|", "-".repeat(width + 1)),
    });
    let mut lines = rows.iter().map(|row| {
        let cells = (0..).zip(row.iter().zip(widths)).map(|(column, (cell, width))| match column {
            0 => format!("| {cell:<width$} |"),
            _ => format!(" {cell:>width$} |"),
        });
        cells.collect::<String>() + "\n"
    });
    let head = lines.next().unwrap_or_default();
    head + &rule.collect::<String>() + "\n" + &lines.collect::<String>()
}

/// How often it was called, and how long a call took, if calls were counted.
fn counted(recording: &Recording, key: &DefinitionKey, measured: &Measured) -> String {
    let Some(calls) = recording.calls(key) else { return String::new() };
    let text = calls_text(recording, measured, calls);
    format!("\n{text}; counted in another run\n")
}

/// `600,000 calls, 6.7 µs a call (total), 2.1 µs self`; `600,000 calls, 6.7 µs a call` if all of it is self time. For
/// allocations, it is bytes.
pub fn calls_text(recording: &Recording, measured: &Measured, calls: u64) -> String {
    let number = count(calls, "call");
    if calls == 0 {
        return number;
    }
    let [own_interval, all_interval] = recording.summary.intervals(measured);
    let per_call = |cost: Amount, interval| match cost.0 / calls {
        0 if cost.0 > 0 && recording.unit == Unit::Time => "less than 1 ns".to_owned(),
        mean => about(Amount(mean), recording.unit, interval),
    };
    let all = per_call(measured.cost.total_time, all_interval);
    if measured.cost.total_time == measured.cost.self_time {
        return format!("{number}, {all} a call");
    }
    let own = per_call(measured.cost.self_time, own_interval);
    format!("{number}, {all} a call (total), {own} self")
}

/// How often it forced style and layout, how long that took, and where.
fn forced(document: MeasuredDocument<'_>, function: &MeasuredFunction) -> String {
    let Some(by_function) = document.recording.forced_by(&function.key) else { return String::new() };
    let line_today = document.line_today(function);
    let site = by_function.site_text(code, |line| line_today.as_ref()?(line));
    let site = site.map(|site| format!(" ({site})")).unwrap_or_default();
    format!("\nForces {}{site}\n", by_function.forced.text())
}

/// In how many long tasks it ran.
fn long_tasks(number: u64) -> String {
    match number {
        0 => String::new(),
        _ => format!("\nIn {}\n", count(number, "long task")),
    }
}

/// In how many sessions it ran, if there are several, and how these differed, if the trace tells.
fn sessions(recording: &Recording, measured: &Measured) -> String {
    let all = recording.sessions();
    if all < 2 || measured.sessions == 0 {
        return String::new();
    }
    let text = format!("\nIn {} of {} sessions\n", thousands(measured.sessions), thousands(all));
    let Some([own, all]) = measured.percentiles else { return text };
    let head = ["Per session".to_owned(), "Mean".to_owned()].into_iter();
    let head = head.chain(PERCENTILES.map(|it| format!("p{it}")));
    let intervals = recording.summary.intervals(measured);
    let row = |what: &str, sum: Amount, interval, percentiles: [Amount; PERCENTILES.len()]| {
        let mean = about(Amount(sum.0 / measured.sessions), Unit::Time, interval);
        let percentiles = percentiles.map(|it| time(it, Style::Text));
        columns([what.to_owned(), mean].into_iter().chain(percentiles))
    };
    let cost = &measured.cost;
    let own = row("Self", cost.self_time, intervals[0], own);
    let all = row("Total", cost.total_time, intervals[1], all);
    let rows = [columns(head), own, all];
    format!("{text}\n{}", aligned(&rows))
}

/// The cells of a row about a session: its label, the mean, and the percentiles.
fn columns(mut cells: impl Iterator<Item = String>) -> [String; PERCENTILES.len() + 2] {
    std::array::from_fn(|_| cells.next().unwrap_or_default())
}

/// The threads on which it ran, hottest first, if there are several.
fn threads(recording: &Recording, measured: &Measured, config: &HoverConfig) -> String {
    let all = &recording.summary.threads;
    if all.len() < 2 {
        return String::new();
    }
    let mut ran_on: Vec<&OnThread> = measured.on_threads.iter().collect();
    ran_on.sort_by_key(|it| Reverse(it.cost.total_time));
    let list = ran_on.iter().take(MAX_LISTED).map(|OnThread { thread, cost }| {
        let time = all.get(thread).copied().unwrap_or_default();
        let base = match config.base {
            Base::All => time.all,
            Base::Active => time.active,
        };
        let part = percent(share(cost.total_time, base), Style::Text);
        let interval = recording.summary.interval_within(cost.all(), iter::once(measured));
        let spent = about(cost.total_time, recording.unit, interval);
        format!("{} {spent} ({part} of it)", escaped(&shortened(thread)))
    });
    let mut list: Vec<String> = list.collect();
    if ran_on.len() > MAX_LISTED {
        list.push(format!("{} more", ran_on.len() - MAX_LISTED));
    }
    format!("\nOn {} of {} threads: {}\n", ran_on.len(), all.len(), list.join(" · "))
}

/// A list of callers or callees.
fn calls(
    title: &str,
    recording: &Recording,
    measured: &Measured,
    calls: &[Call],
    config: &HoverConfig,
) -> String {
    if calls.is_empty() {
        return String::new();
    }
    let base = recording.summary.ledger.base(config.base);
    let mut text = format!("\n**{title}**\n\n");
    for call in calls.iter().take(MAX_LISTED) {
        let part = percent(share(call.spent.time, base), Style::Text);
        let functions = iter::once(measured).chain(recording.summary.measured(&call.other));
        let interval = recording.summary.interval_within(call.spent, functions);
        let spent = about(call.spent.time, recording.unit, interval);
        text += &format!("- {part} · {spent} · {}\n", call_end(recording, &call.other, config));
    }
    if calls.len() > MAX_LISTED {
        text += &format!("- +{}\n", count((calls.len() - MAX_LISTED) as u64, "other"));
    }
    text
}

/// Where the figures come from: the trace, the meaning of 100 %, and the place in the trace.
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
    let of_threads = if recording.summary.threads.len() > 1 { " of all threads" } else { "" };
    parts.push(format!("100 % is {}{of_threads}", config.base.name(recording.unit)));
    let mut text = format!("\n---\n{}", parts.join(" · "));
    if let Some(at) = measured.measured_at.first() {
        let more = measured.measured_at.len() - 1;
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let (start, file) = (measured.start, escaped(key.file.name()));
        text += &format!("  \n{}{more} → {file}:{}:{}", code(&place(at)), start.line + 1, start.column + 1);
    }
    text
}

/// A place of the trace as text, 1-based.
fn place(at: &MeasuredAt) -> String {
    let resource = shortened(&at.resource);
    let Some(Position { line, column }) = at.position else { return resource };
    let column = column.map(|column| format!(":{}", column + 1)).unwrap_or_default();
    format!("{resource}:{}{column}", line + 1)
}

/// Reasons why the figures may not be those of today's function.
pub fn caveats(measured: &Measured, freshness: Freshness) -> Vec<&'static str> {
    let mut caveats = Vec::new();
    caveats.extend(match freshness {
        Freshness::Fresh | Freshness::Gone => None,
        Freshness::Moved => {
            Some("The function was moved or renamed after it was measured; its body is the same.")
        }
        Freshness::Edited => {
            Some("The function was edited after it was measured: its cost may have changed.")
        }
    });
    caveats.extend(match measured.confidence {
        Confidence::Exact => None,
        Confidence::Snapped => Some("The trace names a place inside the function, not its header."),
        Confidence::Order => {
            Some("Found by order, name and distance: the code was transformed before it ran.")
        }
        Confidence::Name => Some("Found by its name: the positions in the trace are not those of this text."),
    });
    caveats.extend(measured.generated.map(|it| match it {
        Generated::MapLost => {
            "This file was generated from other sources, but its source map is missing or cannot be read."
        }
        Generated::SourcesLost => {
            "This file was generated from other sources, which its package does not contain."
        }
    }));
    caveats
}
