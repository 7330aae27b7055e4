//! Sentry's profiles: the `profile` of a transaction (version 1) and the chunks of continuous profiling (version 2).
//!
//! <https://develop.sentry.dev/sdk/telemetry/profiles/>. Stacks begin with the innermost frame; lines and columns count
//! from 1. Times are nanoseconds since the start in version 1, and seconds since 1970 in version 2.
//!
//! Profiles from browsers come from the Self-Profiling API, where a place is where a function is defined. Profiles from
//! Node come from V8 in a mode in which a node has the line of the call (`kCallerLineNumbers`, v8-profiler.h) but the
//! column of the function. So only outermost functions, which have no caller, have a place; the others are found by name.

use rustc_hash::FxHashMap;

use super::conventions::{USUAL_INTERVAL, is_gap, span};
use super::error::Result;
use super::json::{Items, Json, Kind, Number, index_of};
use super::json_format::{Answer, JsonFormat};
use crate::builder::ProfileBuilder;
use crate::model::{Amount, FunctionId, OffStack, Position, ResourceId, StackId, StringId, Thread, Weight};
use crate::problem::count;
use crate::timeline::Timeline;

/// Not an index of a table.
const NONE: u32 = u32::MAX;

/// The part of a profile read so far.
#[derive(Default)]
pub(super) struct SentryProfile {
    frames: Vec<SentryFrame>,
    /// Whether lines are those of calls.
    lines_of_calls: bool,
    /// The frames of all stacks, concatenated.
    stacked: Vec<u32>,
    /// Where each stack ends.
    ends: Vec<usize>,
    threads: Vec<SentryThread>,
    thread_of: FxHashMap<String, usize>,
    /// Thread ids and names.
    names: Vec<(String, String)>,
    /// The first time stamp in seconds: those since 1970 have at most microseconds in 64 bits.
    origin: Option<f64>,
    has_frames: bool,
    has_stacks: bool,
}

struct SentryFrame {
    name: StringId,
    resource: Option<ResourceId>,
    position: Option<Position>,
}

/// The samples of a thread, which are mixed with those of others.
struct SentryThread {
    id: String,
    stacks: Vec<u32>,
    timeline: Timeline,
    /// The times of its first and its last sample so far, in nanoseconds.
    first: i64,
    before: i64,
}

impl JsonFormat for SentryProfile {
    fn member(&mut self, key: &[u8], json: &mut Json, builder: &mut ProfileBuilder) -> Result<Answer> {
        const FRAME: [&[u8]; 4] = [b"function", b"abs_path", b"filename", b"lineno"];
        match key {
            b"frames" if json.items_have_key(&FRAME)? => self.read_frames(json, builder)?,
            b"stacks" if json.peek_items()? == Items::Begin(Kind::Array) => self.read_stacks(json)?,
            b"samples" if json.items_have_key(&[b"stack_id"])? => self.read_samples(json)?,
            b"thread_metadata" => self.read_thread_metadata(json)?,
            _ => return Ok(Answer::NotMine),
        }
        Ok(Answer::Read)
    }

    fn is_profile(&self) -> bool {
        self.has_frames && self.has_stacks
    }

    /// Makes a thread of each.
    fn finish(self: Box<Self>, builder: &mut ProfileBuilder) -> bool {
        let Self { frames, lines_of_calls, stacked, ends, threads, names, .. } = *self;
        if threads.is_empty() {
            return false;
        }
        builder.format("sentry");
        let functions = functions(&frames, lines_of_calls, builder);
        let (mut odd, mut start) = (SentryOddities::default(), 0);
        let stacks: Vec<On> = ends
            .into_iter()
            .map(|end| {
                let frames = &stacked[std::mem::replace(&mut start, end)..end];
                on(frames, &functions, &mut odd.lost_frames, builder)
            })
            .collect();
        for thread in threads {
            let name = names.iter().find(|(id, _)| *id == thread.id).map(|(_, name)| name.clone());
            thread.finish(name, &stacks, &mut odd, builder);
        }
        odd.report(builder);
        true
    }
}

impl SentryProfile {
    fn read_frames(&mut self, json: &mut Json, builder: &mut ProfileBuilder) -> Result<()> {
        json.enter_array()?;
        self.has_frames = true;
        while json.next_item()? {
            let frame = self.read_frame(json, builder)?;
            self.frames.push(frame);
        }
        Ok(())
    }

    fn read_stacks(&mut self, json: &mut Json) -> Result<()> {
        json.enter_array()?;
        self.has_stacks = true;
        while json.next_item()? {
            if json.enter_array()? {
                json.numbers(|frame| {
                    self.stacked.push(match frame {
                        Some(Number::Integer(frame)) => index_of(frame).unwrap_or(NONE),
                        _ => NONE,
                    });
                })?;
            }
            self.ends.push(self.stacked.len());
        }
        Ok(())
    }

    fn read_samples(&mut self, json: &mut Json) -> Result<()> {
        json.enter_array()?;
        let mut id = String::new();
        while json.next_item()? {
            id.clear();
            let (mut stack, mut time) = (NONE, None);
            if !json.enter_object()? {
                continue;
            }
            while let Some(key) = json.next_key()? {
                match key.bytes() {
                    b"stack_id" => stack = json.index()?.unwrap_or(NONE),
                    b"thread_id" if json.kind()? == Kind::String => {
                        json.string(|text| id.push_str(text))?;
                    }
                    b"thread_id" => {
                        id.extend(json.number()?.map(|number| number.as_f64().to_string()));
                    }
                    b"elapsed_since_start_ns" => time = json.number()?.map(|it| it.as_f64().round() as i64),
                    b"timestamp" => {
                        time = json.number()?.map(|it| {
                            let origin = *self.origin.get_or_insert(it.as_f64());
                            (((it.as_f64() - origin) * 1e6).round() as i64).saturating_mul(1000)
                        });
                    }
                    _ => json.skip()?,
                }
            }
            self.thread(&id).add(stack, time);
        }
        Ok(())
    }

    /// Reads `{"0": {"name": "main"}}`.
    fn read_thread_metadata(&mut self, json: &mut Json) -> Result<()> {
        if json.enter_object()? {
            while let Some(id) = json.next_key()? {
                let id = String::from_utf8_lossy(id.bytes()).into_owned();
                if json.enter_object()? {
                    while let Some(key) = json.next_key()? {
                        match key.bytes() {
                            b"name" => self.names.extend(json.string(|name| (id.clone(), name.to_owned()))?),
                            _ => json.skip()?,
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn read_frame(&mut self, json: &mut Json, builder: &mut ProfileBuilder) -> Result<SentryFrame> {
        let (mut name, mut line, mut column) = (StringId(0), None, None);
        let (mut url, mut path, mut module) = (None, None, None);
        if json.enter_object()? {
            while let Some(key) = json.next_key()? {
                match key.bytes() {
                    b"function" => name = json.string(|name| builder.string(name))?.unwrap_or_default(),
                    b"abs_path" => url = text(json)?,
                    b"filename" => path = text(json)?,
                    b"module" => module = text(json)?,
                    b"lineno" => line = json.index()?,
                    b"colno" => column = json.index()?,
                    _ => json.skip()?,
                }
            }
        }
        // Browsers know neither modules nor pseudo functions.
        self.lines_of_calls |= module.is_some() || (url.is_none() && name == builder.string("(root)"));
        let resource = url.or(path).or(module).map(|text| builder.resource(&text));
        let position = Position::from_one(line, column);
        Ok(SentryFrame { name, resource, position })
    }

    fn thread(&mut self, id: &str) -> &mut SentryThread {
        let at = match self.thread_of.get(id) {
            Some(&at) => at,
            None => {
                let (stacks, timeline) = (Vec::new(), Timeline::default());
                self.threads.push(SentryThread { id: id.to_owned(), stacks, timeline, first: 0, before: 0 });
                self.thread_of.insert(id.to_owned(), self.threads.len() - 1);
                self.threads.len() - 1
            }
        };
        &mut self.threads[at]
    }
}

impl SentryThread {
    fn add(&mut self, stack: u32, time: Option<i64>) {
        // A sample without a time gets the time of the previous one.
        let time = time.unwrap_or(self.before);
        if self.stacks.is_empty() {
            (self.first, self.before) = (time, time);
        }
        self.timeline.push(time.saturating_sub(self.before));
        self.before = time;
        self.stacks.push(stack);
    }

    /// Makes a thread of the samples; `stacks` holds those of all threads.
    fn finish(
        mut self,
        name: Option<String>,
        stacks: &[On],
        odd: &mut SentryOddities,
        builder: &mut ProfileBuilder,
    ) {
        let collector = builder.garbage_collector();
        builder.thread_starts_at(self.first.saturating_add(self.timeline.earliest()));
        self.timeline.sort(&mut self.stacks);
        let median = self.timeline.clone().into_median();
        let typical = median.unwrap_or(USUAL_INTERVAL);
        let (mut duration, mut previous) = (Amount(0), None);
        for (&stack, weight) in self.stacks.iter().zip(self.timeline.weights(typical)) {
            duration += weight;
            let mut on = stacks.get(stack as usize).copied().unwrap_or(Err(OffStack::Unknown));
            match (on, previous) {
                (Err(OffStack::GarbageCollector), Some(interrupted)) => {
                    on = Ok(builder.stack(Some(interrupted), collector));
                }
                _ => previous = on.ok(),
            }
            odd.lost_stacks += u64::from(on == Err(OffStack::Unknown));
            let time = if is_gap(weight, typical) { span(typical) } else { weight };
            builder.add_sample(on, Weight { time, samples: 1 });
            if time < weight {
                builder.add_off_stack(OffStack::Unsampled, Weight { time: weight - time, samples: 0 });
                odd.gaps += 1;
            }
        }
        builder.end_thread(Thread {
            name: name.unwrap_or(self.id),
            samples: self.stacks.len() as u64,
            duration,
            interval: median.map(span),
            ..Thread::default()
        });
    }
}

/// What was odd, counted over all threads.
#[derive(Default)]
struct SentryOddities {
    lost_frames: u64,
    lost_stacks: u64,
    gaps: u64,
}

impl SentryOddities {
    fn report(&self, builder: &mut ProfileBuilder) {
        if self.lost_frames > 0 {
            let what = format!("{} at nothing", count(self.lost_frames, "frame points", "frames point"));
            builder.problem(what, "they were left out of their stacks");
        }
        if self.lost_stacks > 0 {
            let what =
                format!("{} of stacks that do not exist", count(self.lost_stacks, "sample", "samples"));
            builder.problem(what, "their time is counted as unknown");
        }
        if self.gaps > 0 {
            let what = format!("the recording has {}", count(self.gaps, "gap", "gaps"));
            builder.problem(what, "their time is counted as unsampled, not as that of a function");
        }
    }
}

/// A text that is not empty.
fn text(json: &mut Json) -> Result<Option<String>> {
    Ok(json.string(str::to_owned)?.filter(|text| !text.is_empty()))
}

/// The function of each frame, first for when it is outermost, then for when something called it.
fn functions(
    frames: &[SentryFrame],
    lines_of_calls: bool,
    builder: &mut ProfileBuilder,
) -> Vec<[FunctionId; 2]> {
    let functions = frames.iter().map(|&SentryFrame { name, resource, position }| {
        let outermost = builder.function(name, resource, position);
        if !lines_of_calls {
            return [outermost; 2];
        }
        let called = place_of_called(name, position);
        // A function without a name and a place would be taken for the top-level code of the file.
        let is_nowhere = called.is_none() && name == StringId(0) && resource.is_some();
        let name = if is_nowhere { builder.string("anonymous") } else { name };
        [outermost, builder.function(name, resource, called)]
    });
    functions.collect()
}

type On = Result<StackId, OffStack>;

/// The place of a function whose line is that of its call. Only the top-level code of a file begins with its first
/// character; no other nameless function does so on its line.
fn place_of_called(name: StringId, position: Option<Position>) -> Option<Position> {
    let is_top_level = name == StringId(0) && position.is_some_and(|it| it.column == Some(0));
    is_top_level.then_some(Position { line: 0, column: Some(0) })
}

/// The stack of these frames, innermost first. Those from Node have V8's pseudo functions.
fn on(stacked: &[u32], functions: &[[FunctionId; 2]], lost: &mut u64, builder: &mut ProfileBuilder) -> On {
    let mut stack = None;
    for &frame in stacked.iter().rev() {
        let Some(&[outermost, called]) = functions.get(frame as usize) else {
            *lost += 1;
            continue;
        };
        stack = match stack {
            None if builder.is_pseudo(outermost, "(root)") => None,
            None => Some(builder.stack(None, outermost)),
            caller => Some(builder.stack(caller, called)),
        };
    }
    builder.meaning(stack.ok_or(OffStack::NoStack)?)
}
