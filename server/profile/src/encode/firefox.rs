//! A processed profile of the Firefox Profiler, with all threads in one file.
//!
//! <https://github.com/firefox-devtools/profiler/blob/main/docs-developer/CHANGELOG-formats.md>, version 75. A sample is worth a
//! number of milliseconds, with all digits of its nanoseconds, or of bytes; one on no stack at all is idle. Everything else that has
//! no JavaScript is a frame that is relevant for it, so that it stands in the view "JavaScript" too. The format has no sessions: each
//! is a process of its own there, and all begin at the same moment. What was recorded without times follows one another.

mod tables;

use std::io::{self, Write};
use std::time::UNIX_EPOCH;

use rustc_hash::FxHashMap;

use self::tables::{CATEGORIES, FirefoxTables, column, end};
use super::json;
use super::names::thread_name;
use super::single_samples::single_samples;
use crate::model::{Amount, Marker, MarkerKind, OffStack, Profile, Thread, Unit};

/// What a reader is told of markers: how to show the one kind that says more than its name.
const MARKERS: &str = concat!(
    r#"[{"name":"UserTiming","display":["marker-chart","marker-table"],"tooltipLabel":"{marker.data.name}","#,
    r#""tableLabel":"{marker.data.name}","chartLabel":"{marker.data.name}","#,
    r#""fields":[{"key":"name","label":"Name","format":"string"},"#,
    r#"{"key":"entryType","label":"Entry Type","format":"string"}]}]"#
);

/// The interval that Firefox uses by default.
const USUAL_INTERVAL: Amount = Amount(1_000_000);

pub(super) fn write(profile: &Profile, threads: &[Thread], out: &mut dyn Write) -> io::Result<()> {
    let mut tables = FirefoxTables::new(profile);
    let idle = OffStack::without_stack(profile.unit);
    let stacks: Vec<Vec<Option<u32>>> = threads
        .iter()
        .map(|thread| {
            let rows = single_samples(profile, thread)
                .map(|sample| (sample.on != Err(idle)).then(|| tables.stack(sample.on, sample.place)));
            rows.collect()
        })
        .collect();
    let names: Vec<u64> =
        profile.markers.iter().map(|it| tables.texts.id(marker_name(profile, it))).collect();
    write_meta(profile, threads, out)?;
    out.write_all(br#","libs":[],"pages":[],"#)?;
    tables.write(out)?;
    out.write_all(br#","threads":"#)?;
    // By session and process: the first of its threads.
    let mut processes: FxHashMap<(u32, u32), usize> = FxHashMap::default();
    json::list(0..threads.len(), out, |index, out| {
        let thread = &threads[index];
        let main = *processes.entry((thread.session, thread.process)).or_insert(index);
        let is_main = main == index;
        write!(out, r#"{{"processType":"default","processName":"#)?;
        json::text(&thread_name(threads, main), out)?;
        write!(
            out,
            r#","processStartupTime":0,"processShutdownTime":null,"registerTime":0,"unregisterTime":null,"#
        )?;
        write!(
            out,
            r#""pausedRanges":[],"isMainThread":{is_main},"pid":"{}","tid":{},"name":"#,
            main + 1,
            index + 1
        )?;
        json::text(&thread_name(threads, index), out)?;
        write_samples(profile, thread, &stacks[index], out)?;
        let of_process =
            |it: &Marker| is_main && (it.session, it.process) == (thread.session, thread.process);
        let markers = profile.markers.iter().zip(names.iter().copied());
        write_markers(profile, &markers.filter(|(marker, _)| of_process(marker)).collect::<Vec<_>>(), out)?;
        out.write_all(b"}")
    })?;
    out.write_all(b"}\n")
}

fn write_meta(profile: &Profile, threads: &[Thread], out: &mut dyn Write) -> io::Result<()> {
    let interval = threads.first().and_then(|it| it.interval).filter(|it| *it > Amount(0));
    let recorded = profile.recorded.and_then(|it| it.duration_since(UNIX_EPOCH).ok());
    let recorded = recorded.and_then(|it| u64::try_from(it.as_nanos()).ok()).unwrap_or_default();
    out.write_all(br#"{"meta":{"version":36,"preprocessedProfileVersion":75,"interval":"#)?;
    json::millis(interval.unwrap_or(USUAL_INTERVAL).0, out)?;
    out.write_all(br#","startTime":"#)?;
    json::millis(recorded, out)?;
    write!(
        out,
        r#","processType":0,"product":"Proflens","importedFrom":"proflens","stackwalk":0,"debug":false,"#
    )?;
    write!(out, r#""symbolicated":true,"usesOnlyOneStackType":true,"sourceCodeIsNotOnSearchfox":true,"#)?;
    write!(out, r#""extensions":{{"length":0,"id":[],"name":[],"baseURL":[]}},"#)?;
    write!(out, r#""categories":{CATEGORIES},"markerSchema":{MARKERS}}}"#)
}

fn write_samples(
    profile: &Profile,
    thread: &Thread,
    stacks: &[Option<u32>],
    out: &mut dyn Write,
) -> io::Result<()> {
    out.write_all(br#","samples":{"stack":"#)?;
    json::list(stacks, out, |stack, out| match stack {
        Some(row) => write!(out, "{row}"),
        None => out.write_all(b"null"),
    })?;
    out.write_all(br#","time":"#)?;
    let start = thread.start.unwrap_or_default();
    json::list(single_samples(profile, thread), out, |sample, out| {
        json::millis(start.0.saturating_add(sample.taken.max(0).unsigned_abs()), out)
    })?;
    out.write_all(br#","weight":"#)?;
    json::list(single_samples(profile, thread), out, |sample, out| match profile.unit {
        Unit::Time => json::millis(sample.amount.0, out),
        Unit::Bytes => write!(out, "{}", sample.amount.0),
    })?;
    let weighs = if profile.unit == Unit::Bytes { "bytes" } else { "tracing-ms" };
    write!(out, r#","weightType":"{weighs}","#)?;
    end(stacks.len(), out)
}

/// What a marker is called where its name says what it is.
fn marker_name<'p>(profile: &'p Profile, marker: &Marker) -> &'p str {
    match (marker.kind, profile.strings.get(marker.name)) {
        (MarkerKind::UserTiming, _) => "UserTiming",
        (MarkerKind::LongTask, "long task") => "LongTask",
        (MarkerKind::Navigation, "navigation") => "Navigation::Start",
        (_, name) => name,
    }
}

/// The markers of a thread, each with the index of its name.
fn write_markers(profile: &Profile, markers: &[(&Marker, u64)], out: &mut dyn Write) -> io::Result<()> {
    out.write_all(br#""markers":{"#)?;
    column("name", markers.iter().map(|it| it.1), out)?;
    // An interval, or a moment.
    column("phase", markers.iter().map(|it| u32::from(it.0.duration > Amount(0))), out)?;
    column("category", markers.iter().map(|_| 0), out)?;
    out.write_all(br#""startTime":"#)?;
    json::list(markers, out, |(marker, _), out| json::millis(marker.start.0, out))?;
    out.write_all(br#","endTime":"#)?;
    json::list(markers, out, |(marker, _), out| json::millis((marker.start + marker.duration).0, out))?;
    out.write_all(br#","data":"#)?;
    json::list(markers, out, |(marker, _), out| {
        if marker.kind != MarkerKind::UserTiming {
            return out.write_all(b"null");
        }
        let entry = if marker.duration > Amount(0) { "measure" } else { "mark" };
        write!(out, r#"{{"type":"UserTiming","entryType":"{entry}","name":"#)?;
        json::text(profile.strings.get(marker.name), out)?;
        out.write_all(b"}")
    })?;
    write!(out, r#","length":{}}}"#, markers.len())
}
