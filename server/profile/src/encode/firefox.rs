//! A processed profile of the Firefox Profiler, with all threads in one file.
//!
//! <https://github.com/firefox-devtools/profiler/blob/main/docs-developer/CHANGELOG-formats.md>, version 75. A sample is
//! worth a number of milliseconds, with all digits of its nanoseconds, or of bytes; a sample on no stack at all is idle.
//! Everything else without JavaScript is a frame that is relevant for it, so that it shows in the "JavaScript" view too.
//! The format has no sessions: each becomes a process of its own, and all begin at the same moment. Samples recorded
//! without times follow one another.

mod labels;
mod markers;
mod tables;

use std::io::{self, Write};
use std::time::UNIX_EPOCH;

use rustc_hash::FxHashMap;

use self::labels::label_runs;
use self::markers::{FirefoxMarker, SCHEMA, write_markers};
use self::tables::{CATEGORIES, FirefoxTables, end};
use super::json;
use super::names::thread_name;
use super::single_samples::single_samples;
use crate::model::{Amount, OffStack, Profile, Thread, Unit};

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
    let mains = main_threads(threads);
    let markers: Vec<Vec<FirefoxMarker>> =
        (0..threads.len()).map(|index| markers(profile, &threads[index], mains[index] == index)).collect();
    let names: Vec<Vec<u64>> = markers
        .iter()
        .map(|markers| markers.iter().map(|marker| tables.texts.id(marker.name(profile))).collect())
        .collect();
    write_meta(profile, threads, out)?;
    out.write_all(br#","libs":[],"pages":[],"#)?;
    tables.write(out)?;
    out.write_all(br#","threads":"#)?;
    json::list(0..threads.len(), out, |index, out| {
        let thread = &threads[index];
        let (main, is_main) = (mains[index], mains[index] == index);
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
        write_markers(profile, &markers[index], &names[index], out)?;
        out.write_all(b"}")
    })?;
    out.write_all(b"}\n")
}

/// For each thread, the first one of its process.
fn main_threads(threads: &[Thread]) -> Vec<usize> {
    let mut processes: FxHashMap<(u32, u32), usize> = FxHashMap::default();
    let main = |(index, thread): (usize, &Thread)| {
        *processes.entry((thread.session, thread.process)).or_insert(index)
    };
    threads.iter().enumerate().map(main).collect()
}

/// The rows of a thread's table of markers: those of its process, if it is the main thread, and its labels.
fn markers<'p>(profile: &'p Profile, thread: &Thread, is_main: bool) -> Vec<FirefoxMarker<'p>> {
    let of_process = profile
        .markers
        .iter()
        .filter(|marker| is_main && (marker.session, marker.process) == (thread.session, thread.process));
    let labels = label_runs(profile, thread).into_iter().map(FirefoxMarker::Label);
    of_process.map(FirefoxMarker::Marked).chain(labels).collect()
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
    write!(out, r#""categories":{CATEGORIES},"markerSchema":{SCHEMA}}}"#)
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
