//! Writes a recording as one trace in Chrome's format, with the texts and the source maps of the scripts: what DevTools
//! calls an enhanced trace (front_end/core/sdk/EnhancedTracesParser.ts of DevTools reads these).
//!
//! All threads belong to one process in the trace, so that all of them are shown; the name of each tells which process it came from.
//! A call frame of code made by `eval` or `new Function` has a member of its own, `madeBy`: the call frame of the
//! function that made it, if known. DevTools ignores it.
//! The results of other runs are members of their own, `proflensCounts` and `proflensDeopts`, which no other program looks at.
//! DevTools only shows processes of pages, and only links source maps to scripts of a frame, so there is a frame that belongs to no page.

use std::collections::HashMap;
use std::io::{self, Write};

use profile::model::{CountedScript, Counts, Deopts};
use serde_json::{Value, json};
use url::Url;

use crate::counted::write_counts;
use crate::deopts::write_deopts;
use crate::head::Head;
use crate::v8_profile::{CallFrame, Mark, Node, PositionTick, Script, Thread};

const PROCESS: u32 = 1;
/// Scripts are told apart by their numbers alone, as these are unique in the trace.
const ISOLATE: &str = "1";
/// The frame and its context that DevTools puts the scripts into.
const FRAME: &str = "1";
const FRAME_URL: &str = "file:///";
/// How many samples are in one event, because readers take in an event at once.
const SAMPLES: usize = 10_000;

/// The results of other runs of a program.
#[derive(Clone, Copy, Debug, Default)]
pub struct OtherRuns<'a> {
    /// How often functions were called.
    pub counts: Option<&'a Counts>,
    /// What V8's compiler did with them.
    pub deopts: Option<&'a Deopts>,
}

/// Writes the trace of some threads, with the results of other runs of the same program.
///
/// # Errors
/// If writing fails.
pub fn write_trace(
    threads: &[Thread],
    others: OtherRuns<'_>,
    head: &Head,
    mut to: impl Write,
) -> io::Result<()> {
    let mut scripts = Scripts::default();
    let start = threads.iter().map(|thread| thread.profile.start_time).min().unwrap_or(0);
    head.write(&mut to)?;
    to.write_all(b"\"traceEvents\":[\n")?;
    let mut events = Events { to: &mut to, is_first: true };
    let frame = json!({
        "frame": FRAME, "url": FRAME_URL, "name": "", "processId": PROCESS,
        "isInPrimaryMainFrame": true, "isOutermostMainFrame": true,
    });
    events.write(&instant("TracingStartedInBrowser", 1, start, json!({ "frames": [frame] })))?;
    for (thread, number) in threads.iter().zip(1..) {
        events.write(&json!({
            "name": "thread_name", "cat": "__metadata", "ph": "M", "pid": PROCESS, "tid": number, "ts": 0,
            "args": { "name": thread.name },
        }))?;
        // DevTools with a trace engine of June 2026 or earlier leave out threads that have nothing but a profile.
        events.write(&instant("ThreadRecordingStarted", number, thread.profile.start_time, json!({})))?;
        scripts.add(thread, number);
        write_profile(&mut events, thread, number, &mut scripts)?;
        write_marks(&mut events, &thread.marks, number)?;
    }
    for (script, number) in &scripts.texts {
        write_script(&mut events, script, *number)?;
    }
    // Chunks of profiles do not count when DevTools looks for the end.
    let end = threads.iter().map(|thread| thread.profile.end_time).max().unwrap_or(0);
    events.write(&instant("RecordingEnd", 1, end, json!({})))?;
    let maps = scripts.texts.iter().filter_map(|(script, _)| {
        let map: Value = serde_json::from_str(script.map.as_ref()?).ok()?;
        Some(json!({ "url": script.url, "sourceMapUrl": absolute_map_url(script), "sourceMap": map }))
    });
    let metadata = json!({
        "source": "proflens record",
        "dataOrigin": "TraceEvents",
        "enhancedTraceVersion": 1,
        "sourceMaps": maps.collect::<Vec<_>>(),
    });
    to.write_all(b"\n],\"metadata\":")?;
    serde_json::to_writer(&mut to, &metadata)?;
    if let Some(counts) = others.counts.filter(|counts| !counts.is_empty()) {
        to.write_all(b",\n\"proflensCounts\":")?;
        write_counts(counts, |counted| scripts.has_told(counted), &mut to)?;
    }
    if let Some(deopts) = others.deopts.filter(|deopts| !deopts.is_empty()) {
        to.write_all(b",\n\"proflensDeopts\":")?;
        write_deopts(deopts, &mut to)?;
    }
    to.write_all(b"}\n")
}

fn instant(name: &str, thread: u32, time: i64, data: Value) -> Value {
    json!({
        "name": name, "cat": "disabled-by-default-devtools.timeline", "ph": "I", "s": "t",
        "pid": PROCESS, "tid": thread, "ts": time, "args": { "data": data },
    })
}

/// DevTools finds the source map of a script by the full URL.
fn absolute_map_url(script: &Script) -> Option<String> {
    let url = script.map_url.as_ref()?;
    let base = Url::parse(&script.url).or_else(|_| Url::from_file_path(&script.url));
    let absolute = base.ok().and_then(|base| base.join(url).ok());
    Some(absolute.map_or_else(|| url.clone(), Url::into))
}

/// Writes the profile of a thread in chunks; the first has the call tree.
fn write_profile(
    events: &mut Events<impl Write>,
    thread: &Thread,
    number: u32,
    scripts: &mut Scripts,
) -> io::Result<()> {
    let profile = &thread.profile;
    let start = profile.start_time;
    let data = json!({ "startTime": start, "source": "Inspector" });
    events.write(&profiler_event("Profile", number, start, data))?;

    let mut parents: HashMap<u32, u32> = HashMap::new();
    for node in &profile.nodes {
        parents.extend(node.children.iter().map(|child| (*child, node.id)));
    }
    let trees = profile.nodes.iter().map(|node| {
        let mut frame = json!(scripts.numbered(number, &node.call_frame));
        let maker = profile.makers.get(&node.call_frame.script_id);
        if let Some(maker) = maker.filter(|_| node.call_frame.url.is_empty()) {
            frame["madeBy"] = json!(scripts.numbered(number, maker));
        }
        match parents.get(&node.id) {
            Some(parent) => json!({ "id": node.id, "parent": parent, "callFrame": frame }),
            None => json!({ "id": node.id, "callFrame": frame }),
        }
    });
    let mut nodes: Vec<Value> = trees.collect();
    let mut all_lines = Lines::new(&profile.nodes);
    let mut time = start;
    let mut chunks = profile.samples.chunks(SAMPLES);
    let mut chunks_of_deltas = profile.time_deltas.chunks(SAMPLES);
    loop {
        let (chunk, deltas) = (chunks.next(), chunks_of_deltas.next().unwrap_or_default());
        if chunk.is_none() && nodes.is_empty() {
            return Ok(());
        }
        let samples = chunk.unwrap_or_default();
        time += deltas.iter().sum::<i64>();
        let lines: Vec<u32> = samples.iter().map(|node| all_lines.next(*node)).collect();
        let tree = json!({ "nodes": std::mem::take(&mut nodes), "samples": samples });
        let data = json!({ "cpuProfile": tree, "timeDeltas": deltas, "lines": lines });
        events.write(&profiler_event("ProfileChunk", number, time, data))?;
    }
}

fn profiler_event(name: &str, thread: u32, time: i64, data: Value) -> Value {
    json!({
        "name": name, "cat": "disabled-by-default-v8.cpu_profiler", "ph": "P", "id": format!("0x{thread:x}"),
        "pid": PROCESS, "tid": thread, "ts": time, "args": { "data": data },
    })
}

fn write_marks(events: &mut Events<impl Write>, marks: &[Mark], thread: u32) -> io::Result<()> {
    for (mark, index) in marks.iter().zip(0..) {
        let phases = match mark.kind.as_str() {
            "measure" => vec![("b", mark.start), ("e", mark.start + mark.duration)],
            _ => vec![("I", mark.start)],
        };
        for (phase, time) in phases {
            events.write(&json!({
                "name": mark.name, "cat": "blink.user_timing", "ph": phase, "pid": PROCESS, "tid": thread,
                "ts": time, "id": format!("0x{thread:x}{index:06x}"), "args": { "data": {} },
            }))?;
        }
    }
    Ok(())
}

fn write_script(events: &mut Events<impl Write>, script: &Script, number: u32) -> io::Result<()> {
    let compiled = json!({
        "isolate": ISOLATE, "scriptId": number, "url": script.url, "frame": FRAME, "frameType": "page",
        "v8context": FRAME, "origin": FRAME_URL, "isDefault": true, "contextType": "default",
    });
    events.write(&script_event("ScriptCompiled", "target-rundown", compiled))?;
    let mut about =
        json!({ "isolate": ISOLATE, "scriptId": number, "url": script.url, "executionContextId": 1 });
    if let Some(url) = absolute_map_url(script) {
        about["sourceMapUrl"] = json!(url);
    }
    events.write(&script_event("ScriptCatchup", "v8-source-rundown", about))?;
    let length = script.text.encode_utf16().count();
    let text = json!({ "isolate": ISOLATE, "scriptId": number, "length": length, "sourceText": script.text });
    events.write(&script_event("ScriptCatchup", "v8-source-rundown-sources", text))
}

fn script_event(name: &str, category: &str, data: Value) -> Value {
    json!({
        "name": name, "cat": format!("disabled-by-default-devtools.{category}"),
        "ph": "X", "pid": PROCESS, "tid": 1, "ts": 0, "dur": 0, "args": { "data": data },
    })
}

/// The events of a trace, one a line.
struct Events<'a, W> {
    to: &'a mut W,
    is_first: bool,
}

impl<W: Write> Events<'_, W> {
    fn write(&mut self, event: &Value) -> io::Result<()> {
        if !std::mem::take(&mut self.is_first) {
            self.to.write_all(b",\n")?;
        }
        Ok(serde_json::to_writer(&mut self.to, event)?)
    }
}

/// A number for each script: V8's numbers are only unique within a thread.
#[derive(Default)]
struct Scripts<'a> {
    /// Each text once, with its number.
    texts: Vec<(&'a Script, u32)>,
    of_text: HashMap<(&'a str, &'a str), u32>,
    /// By thread and V8's number.
    numbers: HashMap<(u32, String), u32>,
    last: u32,
}

impl<'a> Scripts<'a> {
    fn add(&mut self, thread: &'a Thread, number: u32) {
        for script in &thread.scripts {
            let known = *self.of_text.entry((&script.url, &script.text)).or_insert_with(|| {
                self.last += 1;
                self.texts.push((script, self.last));
                self.last
            });
            self.numbers.insert((number, script.id.clone()), known);
        }
    }

    /// Whether the trace has the text of a counted script, its map, and no other text with its url.
    fn has_told(&self, CountedScript { url, script, .. }: &CountedScript) -> bool {
        let mut same_url = self.texts.iter().map(|it| it.0).filter(|told| told.url == *url);
        let only = same_url.next().filter(|_| same_url.next().is_none());
        only.is_some_and(|told| {
            script.text.as_deref() == Some(&*told.text) && script.map.as_deref() == told.map.as_deref()
        })
    }

    fn numbered(&mut self, thread: u32, frame: &CallFrame) -> CallFrame {
        CallFrame { script_id: self.number(thread, frame), ..frame.clone() }
    }

    fn number(&mut self, thread: u32, frame: &CallFrame) -> String {
        if frame.url.is_empty() {
            return "0".to_owned();
        }
        let number = self.numbers.entry((thread, frame.script_id.clone())).or_insert_with(|| {
            self.last += 1;
            self.last
        });
        number.to_string()
    }
}

/// The lines of samples. V8 counts for each node how many samples were at which line; which sample was at which is not
/// known, and no sum depends on it.
struct Lines {
    /// The ticks that are left, the first line last.
    by_node: HashMap<u32, Vec<PositionTick>>,
}

impl Lines {
    fn new(nodes: &[Node]) -> Self {
        let ticks = nodes.iter().map(|node| node.position_ticks.iter().rev().copied().collect());
        Self { by_node: nodes.iter().map(|node| node.id).zip(ticks).collect() }
    }

    /// The line of the next sample of a node; 0 if none is known.
    fn next(&mut self, node: u32) -> u32 {
        let Some(left) = self.by_node.get_mut(&node) else { return 0 };
        while let Some(tick) = left.last_mut() {
            if tick.ticks > 0 {
                tick.ticks -= 1;
                return tick.line;
            }
            left.pop();
        }
        0
    }
}
