//! Stacks in traces that V8 did not record: tables of stack frames with samples, and calls that begin and end.
//!
//! Hermes writes both, and the Trace Event format allows both: `stackFrames` with `samples` next to the events or among them,
//! and events with the phases B, E and X. A call counts as a function only if something on its thread tells where its source
//! is, because browser activity has names, too. Weights are as in speedscope: a sample counts until the next one.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::label::read_label;
use crate::builder::ProfileBuilder;
use crate::decode::error::Result;
use crate::decode::json::{Json, Kind, Number};
use crate::model::{Amount, FunctionId, OffStack, PlaceId, Position, SeenPlace, StackId, Thread, Weight};
use crate::problem::count;

/// At most this many events are examined to decide whether a trace is of this kind.
pub(super) const MAX_EVENTS_LOOKED_AT: u32 = 256;

/// The resource of functions of which Hermes only knows where their bytecode is; what is in brackets is no file.
const BYTECODE: &str = "[bytecode of Hermes]";

/// Everything found so far.
#[derive(Default)]
pub(super) struct Generic {
    /// By id.
    frames: FxHashMap<String, StackFrame>,
    /// By process and thread.
    threads: BTreeMap<(String, String), GenericThread>,
    /// Whether there was something that only such traces have; until then, events are only set aside.
    pub(super) is_on: bool,
    put_aside: Vec<GenericEvent>,
}

/// An event, with what it may say about a call.
pub(super) struct GenericEvent {
    pub(super) thread: (String, String),
    /// Microseconds.
    pub(super) time: f64,
    pub(super) call: CallFields,
    pub(super) place: SourcePlace,
}

/// What was found for a thread.
#[derive(Default)]
struct GenericThread {
    samples: Vec<FrameSample>,
    spans: Vec<Span>,
    /// Beginnings and ends that are not paired into calls yet.
    edges: Vec<CallBoundary>,
    /// Whether any call tells where its source is.
    has_place: bool,
}

/// An entry of `stackFrames`.
struct StackFrame {
    function: Option<FunctionId>,
    parent: String,
    /// Where it ran, 0-based.
    line: Option<u32>,
}

/// The stack of a frame, and the places of its functions.
type PlacedStack = (Option<StackId>, Option<PlaceId>);

struct FrameSample {
    /// Microseconds.
    time: f64,
    frame: String,
}

/// A call, from and to in microseconds.
struct Span {
    from: f64,
    to: f64,
    function: FunctionId,
}

/// The beginning or end of a call.
struct CallBoundary {
    time: f64,
    function: Option<FunctionId>,
    name: String,
}

/// Where a function is, according to the arguments of events and the entries of `stackFrames`.
#[derive(Default)]
pub(super) struct SourcePlace {
    url: String,
    defined: (Option<u32>, Option<u32>),
    /// Where it was running.
    running: (Option<u32>, Option<u32>),
    /// Where its bytecode begins: what Hermes says if it runs bytecode without debug information, as apps are released.
    bytecode: Option<u32>,
}

/// The fields of an event that only calls have.
#[derive(Default)]
pub(super) struct CallFields {
    pub(super) name: String,
    pub(super) phase: u8,
    pub(super) duration: Option<f64>,
    pub(super) frame: Option<String>,
}

impl SourcePlace {
    /// Reads a member; `false` if it is not one of these, and its value is still to be read.
    pub(super) fn member(&mut self, key: &[u8], json: &mut Json) -> Result<bool> {
        match key {
            b"url" | b"file" => self.url = json.string(str::to_owned)?.unwrap_or_default(),
            b"funcLine" | b"lineNumber" => self.defined.0 = json.index()?,
            b"funcColumn" | b"columnNumber" => self.defined.1 = json.index()?,
            b"line" => self.running.0 = json.index()?,
            b"column" => self.running.1 = json.index()?,
            b"funcVirtAddr" => self.bytecode = json.index()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Whether it tells where a function is. Browsers name urls in many events, but not lines.
    fn is_some(&self) -> bool {
        self.defined.0.is_some() || (self.running.0.is_some() && !self.url.is_empty())
    }

    /// The function with this name; `None` for what is below all functions. Hermes names frames
    /// `work(http://localhost/app.js:6:12)`, with the place that ran, and `[Native] now`.
    fn function(&mut self, name: &str, builder: &mut ProfileBuilder) -> Option<FunctionId> {
        if name == "(root)" || name.starts_with("[root") {
            return None;
        }
        if name.starts_with("[GC") {
            return Some(builder.garbage_collector());
        }
        let mut name = name.strip_prefix("[Native] ").unwrap_or(name);
        if let Some((before, place)) = name.strip_suffix(')').and_then(|it| it.rsplit_once('('))
            && let Some((rest, column)) = number_behind(place)
            && let Some((file, line)) = number_behind(rest)
            && !file.is_empty()
        {
            name = before;
            self.url = if self.url.is_empty() { file.to_owned() } else { std::mem::take(&mut self.url) };
            self.running = (self.running.0.or(Some(line)), self.running.1.or(Some(column)));
        }
        if let Some(address) = self.bytecode.filter(|_| self.url.is_empty()) {
            self.url = BYTECODE.to_owned();
            // The line and column that source maps of bytecode have for it.
            self.defined = (Some(1), address.checked_add(1));
        }
        let resource = (!self.url.is_empty()).then(|| builder.resource(&self.url));
        let position = Position::from_one(self.defined.0, self.defined.1);
        Some(match (name, resource) {
            // The code outside of functions; its place is its first statement.
            ("global", Some(_)) => {
                let name = builder.string("");
                builder.function(name, resource, Some(Position { line: 0, column: Some(0) }))
            }
            _ => {
                let name = builder.string(if name == "anonymous" { "" } else { name });
                builder.function(name, resource, position)
            }
        })
    }
}

impl Generic {
    /// Whether it contains a function.
    pub(super) fn has_samples(&self) -> bool {
        self.threads.values().any(|it| self.is_shown(it))
    }

    /// Reads the table of `stackFrames`.
    pub(super) fn read_frames(&mut self, json: &mut Json, builder: &mut ProfileBuilder) -> Result<()> {
        if !json.enter_object()? {
            return Ok(());
        }
        // Keys are ids, which are short.
        while let Some(key) = json.next_key()? {
            let id = String::from_utf8_lossy(key.bytes()).into_owned();
            let (mut name, mut parent, mut place) = (String::new(), String::new(), SourcePlace::default());
            if !json.enter_object()? {
                continue;
            }
            while let Some(key) = json.next_key()? {
                match key.bytes() {
                    b"name" => name = json.string(str::to_owned)?.unwrap_or_default(),
                    b"parent" => parent = read_label(json)?,
                    bytes => {
                        if !place.member(bytes, json)? {
                            json.skip()?;
                        }
                    }
                }
            }
            let function = place.function(&name, builder);
            let line = place.running.0.and_then(|it| it.checked_sub(1));
            self.frames.insert(id, StackFrame { function, parent, line });
            self.is_on = true;
        }
        Ok(())
    }

    /// Reads the list of samples next to the events.
    pub(super) fn read_samples(&mut self, json: &mut Json) -> Result<()> {
        json.enter_array()?;
        while json.next_item()? {
            if json.kind()? != Kind::Object {
                json.skip()?;
                continue;
            }
            json.enter_object()?;
            let (mut process, mut thread) = (String::new(), String::new());
            let mut sample = FrameSample { time: 0.0, frame: String::new() };
            while let Some(key) = json.next_key()? {
                match key.bytes() {
                    b"pid" => process = read_label(json)?,
                    b"tid" => thread = read_label(json)?,
                    b"ts" => sample.time = json.number()?.map_or(0.0, Number::as_f64),
                    b"sf" => sample.frame = read_label(json)?,
                    _ => json.skip()?,
                }
            }
            self.threads.entry((process, thread)).or_default().samples.push(sample);
        }
        Ok(())
    }

    /// Adds an event.
    pub(super) fn add(&mut self, event: GenericEvent, builder: &mut ProfileBuilder) {
        self.is_on |= event.call.frame.is_some() || event.place.is_some();
        self.put_aside.push(event);
        if self.is_on {
            for event in std::mem::take(&mut self.put_aside) {
                self.add_event(event, builder);
            }
        }
    }

    fn add_event(&mut self, event: GenericEvent, builder: &mut ProfileBuilder) {
        let GenericEvent { thread, time, call: CallFields { name, phase, duration, frame }, mut place } =
            event;
        let found = match (phase, frame) {
            (b'P', Some(frame)) => {
                return self.threads.entry(thread).or_default().samples.push(FrameSample { time, frame });
            }
            (b'B' | b'E' | b'X', _) => self.threads.entry(thread).or_default(),
            _ => return,
        };
        found.has_place |= place.is_some();
        let Some(function) = place.function(&name, builder) else { return };
        match phase {
            b'X' => {
                let to = time + duration.unwrap_or(0.0).max(0.0);
                found.spans.push(Span { from: time, to, function });
            }
            b'B' => found.edges.push(CallBoundary { time, function: Some(function), name }),
            _ => found.edges.push(CallBoundary { time, function: None, name }),
        }
    }

    /// Makes a thread of each one that has a function; `title` returns its name.
    pub(super) fn finish(mut self, title: impl Fn(&str, &str) -> String, builder: &mut ProfileBuilder) {
        let mut odd = 0;
        for ((process, thread), mut found) in std::mem::take(&mut self.threads) {
            if !self.is_shown(&found) {
                continue;
            }
            let name = title(&process, &thread);
            let thread = if found.samples.is_empty() {
                odd += found.close_calls();
                add_calls(found.spans, builder)
            } else {
                self.add_samples(found.samples, builder)
            };
            builder.format("chrome-trace");
            let busy = thread.samples;
            let process = builder.process(&process);
            builder.end_thread(Thread { name, process, ..thread });
            builder.thread_is_important(busy);
        }
        if odd > 0 {
            let what = format!("{} no beginning or no end", count(odd, "call has", "calls have"));
            builder.problem(what, "what is known of them was read");
        }
    }

    fn is_shown(&self, found: &GenericThread) -> bool {
        (!found.samples.is_empty() && !self.frames.is_empty()) || found.has_place
    }

    fn add_samples(&self, mut samples: Vec<FrameSample>, builder: &mut ProfileBuilder) -> Thread {
        samples.sort_by(|a, b| a.time.total_cmp(&b.time));
        starts_at(samples.first().map(|it| it.time), builder);
        let mut thread = Thread { samples: samples.len() as u64, ..Thread::default() };
        let mut stacks: FxHashMap<&str, PlacedStack> = FxHashMap::default();
        let (mut distances, mut lost) = (Vec::new(), 0);
        for (index, sample) in samples.iter().enumerate() {
            let until = samples.get(index + 1).map(|it| amount(it.time - sample.time));
            distances.extend(until);
            let weight = Weight { time: until.unwrap_or_default(), samples: 1 };
            thread.duration += weight.time;
            let (stack, place) = self.stack(&sample.frame, &mut stacks, builder);
            let frame = self.frames.get(&sample.frame);
            lost += u64::from(frame.is_none());
            match (stack, frame) {
                (Some(stack), _) => builder.add_at(stack, place, weight),
                (None, Some(_)) => builder.add_off_stack(OffStack::Idle, weight),
                (None, None) => builder.add_off_stack(OffStack::Unknown, weight),
            }
        }
        if lost > 0 {
            let what = format!("{} at no stack frame", count(lost, "sample points", "samples point"));
            builder.problem(what, "their time is counted as unknown");
        }
        distances.sort_unstable();
        thread.interval = distances.get(distances.len() / 2).copied();
        thread
    }

    /// The stack of a frame and those below it. A frame that is below itself ends the stack.
    fn stack<'a>(
        &'a self,
        frame: &'a str,
        stacks: &mut FxHashMap<&'a str, PlacedStack>,
        builder: &mut ProfileBuilder,
    ) -> PlacedStack {
        let (mut above, mut at) = (Vec::new(), frame);
        let (mut stack, mut place) = loop {
            if let Some(&known) = stacks.get(at) {
                break known;
            }
            let Some(frame) = self.frames.get(at) else { break (None, None) };
            stacks.insert(at, (None, None));
            above.push((at, frame));
            at = &frame.parent;
        };
        for (id, &StackFrame { function, line, .. }) in above.into_iter().rev() {
            if let Some(function) = function {
                stack = Some(builder.stack(stack, function));
                place = builder.place(SeenPlace { function, line, column: None, caller: place });
            }
            stacks.insert(id, (stack, place));
        }
        (stack, place)
    }
}

impl GenericThread {
    /// Pairs beginnings and ends into calls. Returns the number of those without a counterpart.
    fn close_calls(&mut self) -> u64 {
        let mut edges = std::mem::take(&mut self.edges);
        edges.sort_by(|a, b| a.time.total_cmp(&b.time));
        let last = edges.last().map_or(0.0, |it| it.time);
        let (mut open, mut odd): (Vec<CallBoundary>, u64) = (Vec::new(), 0);
        for edge in edges {
            if edge.function.is_some() {
                open.push(edge);
                continue;
            }
            let Some(at) = open.iter().rposition(|it| it.name == edge.name) else {
                odd += 1;
                continue;
            };
            odd += (open.len() - at - 1) as u64;
            self.spans.extend(open.drain(at..).filter_map(|it| it.until(edge.time)));
        }
        odd += open.len() as u64;
        self.spans.extend(open.into_iter().filter_map(|it| it.until(last)));
        odd
    }
}

impl CallBoundary {
    fn until(self, to: f64) -> Option<Span> {
        Some(Span { from: self.time, to, function: self.function? })
    }
}

/// Adds the self time of nested calls. A call that outlives its caller ends with it.
fn add_calls(mut spans: Vec<Span>, builder: &mut ProfileBuilder) -> Thread {
    spans.sort_by(|a, b| a.from.total_cmp(&b.from).then(b.to.total_cmp(&a.to)));
    let mut thread = Thread::default();
    let mut now = spans.first().map_or(0.0, |it| it.from);
    starts_at(Some(now), builder);
    let mut open: Vec<(f64, StackId)> = Vec::new();
    let mut add = |until: f64, stack: Option<StackId>, builder: &mut ProfileBuilder| {
        let weight = Weight { time: amount(until - now), samples: 1 };
        now = now.max(until);
        if weight.time == Amount(0) {
            return;
        }
        thread.duration += weight.time;
        thread.samples += 1;
        match stack {
            Some(stack) => builder.add_on_stack(stack, weight),
            None => builder.add_off_stack(OffStack::Idle, weight),
        }
    };
    for span in spans {
        while let Some((end, stack)) = open.pop_if(|it| it.0 <= span.from) {
            add(end, Some(stack), builder);
        }
        let caller = open.last().copied();
        add(span.from, caller.map(|it| it.1), builder);
        let end = caller.map_or(span.to, |it| it.0.min(span.to));
        open.push((end, builder.stack(caller.map(|it| it.1), span.function)));
    }
    while let Some((end, stack)) = open.pop() {
        add(end, Some(stack), builder);
    }
    thread
}

/// Splits `http://localhost/app.js:12` into `12` and the text before it.
fn number_behind(text: &str) -> Option<(&str, u32)> {
    let (before, number) = text.rsplit_once(':')?;
    Some((before, number.parse().ok()?))
}

/// Sets when a thread starts, in microseconds.
fn starts_at(first: Option<f64>, builder: &mut ProfileBuilder) {
    if let Some(micros) = first {
        builder.thread_starts_at((micros * 1000.0).round() as i64);
    }
}

fn amount(micros: f64) -> Amount {
    crate::timeline::amount(micros * 1000.0)
}
