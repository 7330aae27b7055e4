//! The output of Linux's `perf script` for samples with stacks in which V8 named its code (`node --perf-basic-prof`).
//!
//! perf-script(1): a block for each sample, with a head `comm pid/tid [cpu] time: period event:`, most of which is
//! optional, and a line for each frame, innermost first: `address symbol+offset (file)`. V8 writes its symbols in
//! `LinuxPerfBasicLogger` and `CodeEventLogger` (src/logging/log.cc): `JS:*work /srv/app.js:3:14`, in older versions
//! `LazyCompile:*work /srv/app.js:3`, with a mark for how the code was compiled; positions count from 1.

use rustc_hash::FxHashMap;

use super::conventions::{USUAL_INTERVAL, span};
use super::error::{DecodeError, UnsupportedFormat};
use super::lines::Lines;
use super::v8::code_name::script_function;
use crate::builder::ProfileBuilder;
use crate::model::{Amount, FunctionId, OffStack, Profile, StackId, Thread, Weight};
use crate::problem::count;
use crate::timeline::Timeline;

/// V8's names for JavaScript code: newer versions use the first, older ones the others.
const SCRIPT_CODE: [&str; 5] = ["JS", "LazyCompile", "Function", "Script", "Eval"];
/// Events whose periods are nanoseconds.
const CLOCKS: [&str; 2] = ["cpu-clock", "task-clock"];

/// The head of a sample.
#[derive(Debug, PartialEq)]
struct Head<'t> {
    command: &'t str,
    process: u32,
    thread: u32,
    /// In nanoseconds.
    time: i64,
    period: Option<u64>,
    event: &'t str,
}

#[derive(Default)]
struct PerfThread {
    command: String,
    process: u32,
    /// The number of samples with JavaScript in their stacks.
    scripts: u64,
    stacks: Vec<Option<StackId>>,
    /// In nanoseconds, if known.
    periods: Vec<u64>,
    timeline: Timeline,
    /// The times of its first and its last sample so far, in nanoseconds.
    first: i64,
    before: i64,
}

/// The samples read so far.
#[derive(Default)]
struct PerfSamples {
    threads: Vec<PerfThread>,
    thread_of: FxHashMap<(u32, u32), usize>,
    /// The event of samples whose period is not a time.
    counted: String,
    others: u64,
}

/// Whether a line is the head of a sample.
pub(super) fn is_header(line: &str) -> bool {
    head(line).is_some()
}

/// Reads a whole text that begins with the head of a sample.
pub(super) fn read(lines: &mut Lines, mut builder: ProfileBuilder) -> Result<Profile, DecodeError> {
    builder.format("perf");
    let mut samples = PerfSamples::default();
    let mut sample: Option<(usize, i64, Option<u64>)> = None;
    let (mut frames, mut has_script) = (Vec::new(), false);
    loop {
        let line = lines.next();
        let text = line.as_deref().unwrap_or_default();
        let is_frame = text.starts_with([' ', '\t']) && sample.is_some();
        if is_frame && !text.trim().is_empty() {
            // A line that is not a frame belongs to the frame above it: its place in the source, for instance.
            if let Some(symbol) = symbol(text.trim()) {
                let (function, is_script) = function(symbol, &mut builder);
                frames.push(function);
                has_script |= is_script;
            }
            continue;
        }
        let head = head(text.trim());
        if let (true, Some((thread, time, period))) = (text.trim().is_empty() || head.is_some(), sample) {
            samples.add(thread, time, period, has_script, &frames, &mut builder);
            (sample, has_script) = (None, false);
            frames.clear();
        }
        match head {
            Some(head) => sample = Some(samples.open(&head)),
            None => {
                let is_other = !text.trim().is_empty() && !text.starts_with('#');
                samples.others += u64::from(is_other);
            }
        }
        if line.is_none() {
            lines.end(!samples.threads.is_empty(), &mut builder)?;
            return samples.finish(builder);
        }
    }
}

impl PerfSamples {
    /// The thread of a sample, and its time and period.
    fn open(&mut self, head: &Head) -> (usize, i64, Option<u64>) {
        let threads = &mut self.threads;
        let thread = *self.thread_of.entry((head.process, head.thread)).or_insert_with(|| {
            threads.push(PerfThread {
                command: head.command.to_owned(),
                process: head.process,
                ..PerfThread::default()
            });
            threads.len() - 1
        });
        let event = head.event.split(':').next().unwrap_or_default();
        let period = head.period.filter(|_| CLOCKS.contains(&event));
        if period.is_none() && self.counted.is_empty() {
            event.clone_into(&mut self.counted);
        }
        (thread, head.time, period)
    }

    fn add(
        &mut self,
        thread: usize,
        time: i64,
        period: Option<u64>,
        has_script: bool,
        frames: &[FunctionId],
        builder: &mut ProfileBuilder,
    ) {
        let mut stack = None;
        for &function in frames.iter().rev() {
            stack = Some(builder.stack(stack, function));
        }
        let thread = &mut self.threads[thread];
        thread.scripts += u64::from(has_script);
        if thread.stacks.is_empty() {
            (thread.first, thread.before) = (time, time);
        }
        thread.timeline.push(time.saturating_sub(thread.before));
        thread.before = time;
        thread.stacks.push(stack);
        thread.periods.extend(period);
    }

    fn finish(self, mut builder: ProfileBuilder) -> Result<Profile, DecodeError> {
        let Self { mut threads, counted, others, .. } = self;
        let all: u64 = threads.iter().map(|it| it.stacks.len() as u64).sum();
        if others > all {
            return Err(DecodeError::UnsupportedFormat(UnsupportedFormat::NotJson));
        }
        let processes: Vec<u32> = threads.iter().filter(|it| it.scripts > 0).map(|it| it.process).collect();
        if processes.is_empty() {
            return Err(DecodeError::UnsupportedFormat(UnsupportedFormat::PerfWithoutScripts));
        }
        let before = threads.len();
        threads.retain(|thread| processes.contains(&thread.process));
        if threads.len() < before {
            let left_out = count((before - threads.len()) as u64, "thread is", "threads are");
            builder.problem(format!("{left_out} of processes that ran no JavaScript"), "they were left out");
        }
        if others > 0 {
            let what = format!("{} no sample", count(others, "line holds", "lines hold"));
            builder.problem(what, "the other lines were read");
        }
        if !counted.is_empty() {
            builder.problem(
                format!("it counts `{counted}` and does not say how long a sample is"),
                "each is shown as the usual distance of its thread's samples",
            );
        }
        for thread in threads {
            thread.finish(&mut builder);
        }
        builder.end_session(0);
        Ok(builder.finish())
    }
}

impl PerfThread {
    fn finish(self, builder: &mut ProfileBuilder) {
        let mut timeline = self.timeline;
        let samples = self.stacks.len();
        let mut order: Vec<usize> = (0..samples).collect();
        builder.thread_starts_at(self.first.saturating_add(timeline.earliest()));
        timeline.sort(&mut order);
        let median = timeline.clone().into_median();
        let usual = span(median.unwrap_or(USUAL_INTERVAL));
        let has_periods = self.periods.len() == samples;
        let mut duration = Amount(0);
        for (sample, taken) in order.into_iter().zip(timeline.times()) {
            let time = if has_periods { Amount(self.periods[sample]) } else { usual };
            duration += time;
            builder.next_sample_at(taken);
            builder.add_sample(self.stacks[sample].ok_or(OffStack::NoStack), Weight { time, samples: 1 });
        }
        let process = builder.process(&self.process.to_string());
        builder.end_thread(Thread {
            name: self.command,
            process,
            samples: samples as u64,
            duration,
            interval: median.map(span),
            ..Thread::default()
        });
        builder.thread_is_important(self.scripts);
    }
}

fn head(line: &str) -> Option<Head<'_>> {
    // The time is the first word that looks like one; a command may contain spaces.
    let mut at = 0;
    let (before, time, after) = line.split_inclusive(char::is_whitespace).find_map(|word| {
        let start = at;
        at += word.len();
        let time = time(word.trim_end().strip_suffix(':')?)?;
        Some((&line[..start], time, &line[at..]))
    })?;
    let mut before = before.trim_end();
    while let Some((rest, word)) = before.rsplit_once(char::is_whitespace)
        && word.starts_with('[')
    {
        before = rest.trim_end();
    }
    let (command, ids) = before.rsplit_once(char::is_whitespace)?;
    let (process, thread) = ids.split_once('/').unwrap_or((ids, ids));
    let (period, event) = match after.trim_start().split_once(char::is_whitespace) {
        Some((period, event)) if period.bytes().all(|byte| byte.is_ascii_digit()) => {
            (period.parse().ok(), event)
        }
        _ => (None, after),
    };
    let event = event.trim().split(char::is_whitespace).next().unwrap_or_default();
    Some(Head {
        command: command.trim(),
        process: process.parse().ok()?,
        thread: thread.parse().ok()?,
        time,
        period,
        event: event.strip_suffix(':')?,
    })
}

/// `12.345678` seconds, in nanoseconds.
fn time(text: &str) -> Option<i64> {
    let (seconds, fraction) = text.split_once('.')?;
    if !is_number(seconds) || !is_number(fraction) || fraction.len() > 9 {
        return None;
    }
    let fraction: i64 = format!("{fraction:0<9}").parse().ok()?;
    seconds.parse::<i64>().ok()?.checked_mul(1_000_000_000)?.checked_add(fraction)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The symbol of a frame, without the address before it and the file after it.
fn symbol(line: &str) -> Option<&str> {
    let (address, rest) = line.split_once(char::is_whitespace)?;
    if !address.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let rest = rest.trim();
    let symbol = match rest.rfind(" (") {
        Some(file) if rest.ends_with(')') => &rest[..file],
        _ => rest,
    };
    Some(match symbol.rsplit_once("+0x") {
        Some((symbol, offset)) if offset.bytes().all(|byte| byte.is_ascii_hexdigit()) => symbol,
        _ => symbol,
    })
}

/// The function of a symbol, and whether it is JavaScript.
fn function(symbol: &str, builder: &mut ProfileBuilder) -> (FunctionId, bool) {
    let script =
        symbol.split_once(':').filter(|(kind, name)| SCRIPT_CODE.contains(kind) && !name.starts_with(':'));
    if let Some((_, code)) = script {
        return (script_function(code, builder), true);
    }
    let name = builder.string(symbol);
    (builder.function(name, None, None), false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads() {
        let expected = |command, process, thread, time, period, event| {
            Some(Head { command, process, thread, time, period, event })
        };
        let rows = [
            (
                "node 7 12.345678:   10101010 cpu-clock: ",
                expected("node", 7, 7, 12_345_678_000, Some(10_101_010), "cpu-clock"),
            ),
            (
                "node 7/8 [001] 12.000000001: cycles:u:",
                expected("node", 7, 8, 12_000_000_001, None, "cycles:u"),
            ),
            (
                "Web Content 7 [000] 1.5:  1 cycles:  7f work (x)",
                expected("Web Content", 7, 7, 1_500_000_000, Some(1), "cycles"),
            ),
            (":7 7 1.5: cycles:", expected(":7", 7, 7, 1_500_000_000, None, "cycles")),
            ("node 1.5: cycles:", None),
            ("node x 1.5: cycles:", None),
            ("node 7 1.5 cycles:", None),
            ("node 7 1.5: cycles", None),
            ("main;work 12", None),
            ("", None),
        ];
        for (line, expected) in rows {
            assert_eq!(head(line), expected, "{line}");
        }
    }
}
