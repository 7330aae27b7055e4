//! A trace of Chrome's Performance panel: a few CPU samples among a million events about everything else.
//!
//! The mix follows recorded traces: frames of 16.7 ms with tasks, scripts, layout and paint on the main thread, pairs
//! of asynchronous events of the compositor, and screenshots. Chunks of samples come from another thread than their
//! profile, after 100 samples or 10 new nodes.

use std::io::Write;

use anyhow::Result;

use super::code::{Code, FUNCTIONS_PER_FILE, Function, Random, Recording};

const FRAME_MICROS: i64 = 16_667;
const START: i64 = 115_883_461_199;
const RENDERER: &str = "\"pid\":4230";
const MAIN: &str = "\"pid\":4230,\"tid\":4230";
const COMPOSITOR: &str = "\"pid\":4230,\"tid\":4245";
const TIMELINE: &str = "devtools.timeline";
const SCREENSHOT_BYTES: u32 = 40_000;
/// Ids 1, 2 and 3 are the root, idle and program.
const FIRST_NODE: u32 = 4;

/// Writes frames until all samples are written.
pub(super) fn chrome_trace(out: &mut dyn Write, code: &Code, recording: &Recording) -> Result<()> {
    let mut trace = Trace { out, code, random: Random::default(), sequence: 112_728 };
    trace.begin()?;
    let mut samples = Samples::new(recording);
    let mut now = START + 2000;
    let mut frames = 0;
    while samples.next < recording.samples.len() {
        trace.frame(now)?;
        if frames % 4 == 0 {
            trace.screenshot(now)?;
        }
        now += FRAME_MICROS;
        frames += 1;
        trace.chunks(&mut samples, now)?;
    }
    write!(trace.out, "]}}")?;
    Ok(())
}

struct Trace<'a> {
    out: &'a mut dyn Write,
    code: &'a Code,
    random: Random,
    /// The number of the frame.
    sequence: u32,
}

/// The part of the recording that is written.
struct Samples<'a> {
    recording: &'a Recording,
    next: usize,
    /// When the next one was taken.
    time: i64,
    known: Vec<bool>,
}

/// The content of the next chunk, as text.
#[derive(Default)]
struct Chunk {
    nodes: Vec<String>,
    samples: Vec<String>,
    deltas: Vec<String>,
    lines: Vec<String>,
}

impl Trace<'_> {
    fn begin(&mut self) -> Result<()> {
        write!(
            self.out,
            "{{\"metadata\":{{\"source\":\"DevTools\",\"startTime\":\"2026-01-15T10:00:00.000Z\"}},"
        )?;
        write!(self.out, "\"traceEvents\":[")?;
        for (ids, name) in [(MAIN, "CrRendererMain"), (COMPOSITOR, "Compositor")] {
            let event = "\"cat\":\"__metadata\",\"name\":\"thread_name\",\"ph\":\"M\"";
            writeln!(self.out, "{{\"args\":{{\"name\":\"{name}\"}},{event},{ids},\"ts\":0}},")?;
        }
        let event = "\"cat\":\"disabled-by-default-v8.cpu_profiler\",\"id\":\"0x1\",\"name\":\"Profile\",\"ph\":\"P\"";
        let args = format!("{{\"data\":{{\"source\":\"Internal\",\"startTime\":{START}}}}}");
        write!(self.out, "{{\"args\":{args},{event},{MAIN},\"ts\":{START}}}")?;
        Ok(())
    }

    /// A complete event.
    fn lasting(&mut self, ids: &str, name: &str, ts: i64, dur: i64, args: &str) -> Result<()> {
        let tts = ts - START + 453_264;
        write!(
            self.out,
            ",\n{{\"args\":{args},\"cat\":\"{TIMELINE}\",\"dur\":{dur},\"name\":\"{name}\",\"ph\":\"X\","
        )?;
        write!(self.out, "{ids},\"tdur\":{dur},\"ts\":{ts},\"tts\":{tts}}}")?;
        Ok(())
    }

    fn instant(&mut self, ids: &str, name: &str, ts: i64, args: &str) -> Result<()> {
        let tts = ts - START + 453_264;
        write!(
            self.out,
            ",\n{{\"args\":{args},\"cat\":\"{TIMELINE}\",\"name\":\"{name}\",\"ph\":\"I\",{ids},"
        )?;
        write!(self.out, "\"s\":\"t\",\"ts\":{ts},\"tts\":{tts}}}")?;
        Ok(())
    }

    /// Tasks of the main thread, what the compositor does meanwhile, and the frame's own events.
    fn frame(&mut self, start: i64) -> Result<()> {
        self.sequence += 1;
        let args = format!("{{\"frameSeqId\":{},\"layerTreeId\":1}}", self.sequence);
        self.instant(COMPOSITOR, "BeginFrame", start, &args)?;
        let mut time = start + 200;
        while time < start + 10_800 {
            let length = 20 + i64::from(self.random.below(60) * self.random.below(60));
            self.task(time, length)?;
            time += length + i64::from(self.random.below(300));
        }
        self.lasting(MAIN, "RunTask", time, 4600, "{}")?;
        let args = "{\"beginData\":{\"frame\":\"61D2F0C5AE5A9EBF7D7F4B1D2A3C4E5F\"},\"elementCount\":118}";
        self.lasting(MAIN, "UpdateLayoutTree", time + 4, 700, args)?;
        let roots = "[{\"depth\":3,\"nodeId\":6,\"quads\":[[0,0,1266,0,1266,2030,0,2030]]}]";
        let args = format!(
            "{{\"beginData\":{{\"dirtyObjects\":31,\"totalObjects\":2113}},\"endData\":{{\"layoutRoots\":{roots}}}}}"
        );
        self.lasting(MAIN, "Layout", time + 1260, 900, &args)?;
        self.lasting(MAIN, "Paint", time + 2900, 300, "{\"data\":{\"layerId\":0,\"nodeId\":6}}")?;
        let stages =
            ["BeginImplFrameToSendBeginMainFrame", "SendBeginMainFrameToCommit", "Commit", "Activation"];
        for (step, stage) in stages.iter().enumerate() {
            for (phase, at) in [("b", step as i64), ("e", step as i64 + 1)] {
                let args = format!(
                    "{{\"chrome_frame_reporter\":{{\"affects_smoothness\":false,\"frame_sequence\":{},\"frame_source\":\
                     4294967296,\"has_missing_content\":false,\"layer_tree_host_id\":1,\"state\":\"STATE_PRESENTED_ALL\"}}}}",
                    self.sequence
                );
                write!(
                    self.out,
                    ",\n{{\"args\":{args},\"cat\":\"cc,benchmark\",\"id2\":{{\"local\":\"0x{:x}\"}},",
                    self.sequence
                )?;
                write!(
                    self.out,
                    "\"name\":\"{stage}\",\"ph\":\"{phase}\",{COMPOSITOR},\"ts\":{}}}",
                    start + at * 3000
                )?;
            }
        }
        Ok(())
    }

    /// A task and the script that it runs.
    fn task(&mut self, start: i64, length: i64) -> Result<()> {
        self.lasting(MAIN, "RunTask", start, length, "{}")?;
        if length < 60 {
            return Ok(());
        }
        let function = self.random.below(self.code.functions.len() as u32);
        let Function { name, url, line, column } = &self.code.functions[function as usize];
        let call = format!(
            "{{\"data\":{{\"columnNumber\":{},\"frame\":\"61D2F0C5AE5A9EBF7D7F4B1D2A3C4E5F\",\"functionName\":\"{name}\",\
             \"isolate\":\"5732164829348\",\"lineNumber\":{},\"scriptId\":\"{}\",\"url\":\"{url}\"}}}}",
            column + 1,
            line + 1,
            60 + function / FUNCTIONS_PER_FILE,
        );
        if self.random.below(3) == 0 {
            let args = format!(
                "{{\"data\":{{\"frame\":\"61D2F0C5AE5A9EBF7D7F4B1D2A3C4E5F\",\"timerId\":{}}}}}",
                self.sequence
            );
            self.lasting(MAIN, "TimerFire", start + 3, length - 6, &args)?;
        } else {
            self.lasting(
                MAIN,
                "EventDispatch",
                start + 3,
                length - 6,
                "{\"data\":{\"type\":\"mousemove\"}}",
            )?;
        }
        self.lasting(MAIN, "FunctionCall", start + 5, length - 10, &call)?;
        if self.random.below(5) == 0 {
            self.lasting(MAIN, "RunMicrotasks", start + length - 10, 4, "{\"microtask_count\":3}")?;
        }
        if self.random.below(12) == 0 {
            let args = "{\"type\":\"allocation failure\",\"usedHeapSizeAfter\":41000000,\"usedHeapSizeBefore\":44100000}";
            self.lasting(MAIN, "MinorGC", start + length / 2, length / 8, args)?;
        }
        Ok(())
    }

    fn screenshot(&mut self, time: i64) -> Result<()> {
        const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let row: Vec<u8> = (0..997).map(|_| DIGITS[self.random.below(64) as usize]).collect();
        write!(self.out, ",\n{{\"args\":{{\"snapshot\":\"")?;
        for _ in 0..SCREENSHOT_BYTES / row.len() as u32 {
            self.out.write_all(&row)?;
        }
        write!(
            self.out,
            "\"}},\"cat\":\"disabled-by-default-devtools.screenshot\",\"name\":\"Screenshot\",\"ph\":\"I\","
        )?;
        write!(self.out, "\"pid\":4101,\"s\":\"t\",\"tid\":4101,\"ts\":{time}}}")?;
        Ok(())
    }

    /// The samples that were taken up to then.
    fn chunks(&mut self, samples: &mut Samples, until: i64) -> Result<()> {
        let mut chunk = Chunk::default();
        while samples.time < until && samples.next < samples.recording.samples.len() {
            samples.take(self.code, &mut chunk);
            if chunk.samples.len() >= 100 || chunk.nodes.len() >= 10 {
                self.chunk(&std::mem::take(&mut chunk), samples.time)?;
            }
        }
        if chunk.samples.is_empty() { Ok(()) } else { self.chunk(&chunk, samples.time) }
    }

    fn chunk(&mut self, chunk: &Chunk, time: i64) -> Result<()> {
        let [samples, deltas, lines] = [&chunk.samples, &chunk.deltas, &chunk.lines].map(|it| it.join(","));
        let nodes = if chunk.nodes.is_empty() {
            String::new()
        } else {
            format!("\"nodes\":[{}],", chunk.nodes.join(","))
        };
        write!(
            self.out,
            ",\n{{\"args\":{{\"data\":{{\"columns\":[{lines}],\"cpuProfile\":{{{nodes}\"samples\":[{samples}]}},"
        )?;
        write!(self.out, "\"lines\":[{lines}],\"source\":\"Internal\",\"timeDeltas\":[{deltas}]}}}},")?;
        write!(
            self.out,
            "\"cat\":\"disabled-by-default-v8.cpu_profiler\",\"id\":\"0x1\",\"name\":\"ProfileChunk\","
        )?;
        write!(self.out, "\"ph\":\"P\",{RENDERER},\"tid\":4261,\"ts\":{time}}}")?;
        Ok(())
    }
}

impl<'a> Samples<'a> {
    fn new(recording: &'a Recording) -> Self {
        Self { recording, next: 0, time: START, known: vec![false; recording.callers.len()] }
    }

    fn take(&mut self, code: &Code, chunk: &mut Chunk) {
        let (path, delta) = self.recording.samples[self.next];
        self.next += 1;
        // Pages are sampled less often than in the recording, and like it in runs of the same stack.
        let delta = delta * 6;
        self.time += delta;
        if self.next == 1 {
            chunk.nodes.extend(["(root)", "(idle)", "(program)"].iter().enumerate().map(|(index, name)| {
                let parent = if index == 0 { "" } else { ",\"parent\":1" };
                let frame = format!("{{\"codeType\":\"other\",\"functionName\":\"{name}\",\"scriptId\":0}}");
                format!("{{\"callFrame\":{frame},\"id\":{}{parent}}}", index + 1)
            }));
        }
        let line = path.map_or(0, |path| {
            self.learn(path, code, &mut chunk.nodes);
            code.functions[self.recording.functions[path as usize] as usize].line + 2
        });
        chunk.samples.push(path.map_or(2, |path| path + FIRST_NODE).to_string());
        chunk.deltas.push(delta.to_string());
        chunk.lines.push(line.to_string());
    }

    /// Writes the nodes of a call path that were not written yet, callers first.
    fn learn(&mut self, path: u32, code: &Code, nodes: &mut Vec<String>) {
        let first = nodes.len();
        let mut at = Some(path);
        while let Some(node) = at.filter(|&it| !std::mem::replace(&mut self.known[it as usize], true)) {
            let function = self.recording.functions[node as usize];
            let Function { name, url, line, column } = &code.functions[function as usize];
            at = self.recording.callers[node as usize];
            let parent = at.map_or(1, |caller| caller + FIRST_NODE);
            let script = 60 + function / FUNCTIONS_PER_FILE;
            nodes.push(format!(
                "{{\"callFrame\":{{\"codeType\":\"JS\",\"columnNumber\":{column},\"functionName\":\"{name}\",\"lineNumber\":\
                 {line},\"scriptId\":{script},\"url\":\"{url}\"}},\"id\":{},\"parent\":{parent}}}",
                node + FIRST_NODE
            ));
        }
        nodes[first..].reverse();
    }
}
