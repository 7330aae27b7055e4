//! Sentry's profiles: the `profile` of a transaction (version 1) and the chunks of continuous profiling (version 2).
//!
//! <https://develop.sentry.dev/sdk/telemetry/profiles/>. Stacks begin with the innermost frame; lines and columns count from 1.
//! Times are nanoseconds since the start in the one version, and seconds since 1970 in the other.
//!
//! Browsers' profiles come from the Self-Profiling API: a place is where a function is defined. Node's come from V8 in a mode
//! in which the line of a node is that of the call (`kCallerLineNumbers`, v8-profiler.h), and the column that of the
//! function: there only outermost functions, which nobody called, have a place. The others are found by name.

use rustc_hash::FxHashMap;

use super::DecodeError;
use super::json::{Json, Kind, Number, index_of};
use super::self_profiling::{USUAL_INTERVAL, is_gap, nanos};
use crate::builder::ProfileBuilder;
use crate::problem::count;
use crate::weigh::Timeline;
use crate::{Amount, FunctionId, OffStack, Position, ResourceId, StackId, StringId, Thread, Weight};

/// No index of a table.
const NONE: u32 = u32::MAX;

type Result<T> = std::result::Result<T, DecodeError>;

/// What was read of a profile.
#[derive(Default)]
pub(crate) struct Parts {
    frames: Vec<Frame>,
    /// Whether lines are those of calls.
    lines_of_calls: bool,
    /// Of all stacks, one after the other.
    stacked: Vec<u32>,
    /// Where each stack ends.
    ends: Vec<usize>,
    threads: Vec<RawThread>,
    thread_of: FxHashMap<String, usize>,
    /// Thread ids and names.
    names: Vec<(String, String)>,
    /// The first time stamp in seconds: those since 1970 have microseconds at most in 64 bits.
    origin: Option<f64>,
    has_frames: bool,
    has_stacks: bool,
}

struct Frame {
    name: StringId,
    resource: Option<ResourceId>,
    position: Option<Position>,
}

/// The samples of a thread, which lie among those of the others.
struct RawThread {
    id: String,
    stacks: Vec<u32>,
    timeline: Timeline,
    before: i64,
}

impl Parts {
    /// Whether these are the parts of a profile, perhaps one without samples.
    pub(crate) fn is_profile(&self) -> bool {
        self.has_frames && self.has_stacks
    }

    /// Reads an array that was entered.
    pub(crate) fn read_frames(&mut self, json: &mut Json, builder: &mut ProfileBuilder) -> Result<()> {
        self.has_frames = true;
        while json.next_item()? {
            let frame = self.read_frame(json, builder)?;
            self.frames.push(frame);
        }
        Ok(())
    }

    /// Reads an array that was entered.
    pub(crate) fn read_stacks(&mut self, json: &mut Json) -> Result<()> {
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

    /// Reads an array that was entered.
    pub(crate) fn read_samples(&mut self, json: &mut Json) -> Result<()> {
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
    pub(crate) fn read_thread_metadata(&mut self, json: &mut Json) -> Result<()> {
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

    fn read_frame(&mut self, json: &mut Json, builder: &mut ProfileBuilder) -> Result<Frame> {
        let (mut name, mut line, mut column) = (StringId(0), None, None);
        let (mut url, mut path, mut module) = (None, None, None);
        let text = |json: &mut Json| Ok(json.string(str::to_owned)?.filter(|text| !text.is_empty()));
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
        let zero_based = |number: Option<u32>| number?.checked_sub(1);
        let position = zero_based(line).map(|line| Position { line, column: zero_based(column) });
        Ok(Frame { name, resource, position })
    }

    fn thread(&mut self, id: &str) -> &mut RawThread {
        let at = match self.thread_of.get(id) {
            Some(&at) => at,
            None => {
                let (stacks, timeline) = (Vec::new(), Timeline::default());
                self.threads.push(RawThread { id: id.to_owned(), stacks, timeline, before: 0 });
                self.thread_of.insert(id.to_owned(), self.threads.len() - 1);
                self.threads.len() - 1
            }
        };
        &mut self.threads[at]
    }
}

impl RawThread {
    fn add(&mut self, stack: u32, time: Option<i64>) {
        // A sample without a time is taken to be at the time of the one before it.
        let time = time.unwrap_or(self.before);
        let before = if self.stacks.is_empty() { time } else { self.before };
        self.timeline.push(time.saturating_sub(before));
        self.before = time;
        self.stacks.push(stack);
    }
}

/// Makes a thread of each; `false` if there are no samples.
pub(crate) fn finish(parts: Parts, builder: &mut ProfileBuilder) -> bool {
    let Parts { frames, lines_of_calls, stacked, ends, threads, names, .. } = parts;
    if threads.is_empty() {
        return false;
    }
    builder.format("sentry");
    let functions: Vec<[FunctionId; 2]> = frames
        .iter()
        .map(|&Frame { name, resource, position }| {
            let outermost = builder.function(name, resource, position);
            if !lines_of_calls {
                return [outermost; 2];
            }
            let called = place_of_called(name, position);
            // A function without a name and a place would be taken for the code of the file.
            let is_nowhere = called.is_none() && name == StringId(0) && resource.is_some();
            let name = if is_nowhere { builder.string("anonymous") } else { name };
            [outermost, builder.function(name, resource, called)]
        })
        .collect();
    let (mut lost, mut start) = (0, 0);
    let stacks: Vec<On> = ends
        .into_iter()
        .map(|end| on(&stacked[std::mem::replace(&mut start, end)..end], &functions, &mut lost, builder))
        .collect();
    let collector = builder.garbage_collector();
    let (mut gaps, mut unknown) = (0, 0);
    for mut thread in threads {
        thread.timeline.sort(&mut thread.stacks);
        let median = thread.timeline.clone().into_median();
        let typical = median.unwrap_or(USUAL_INTERVAL);
        let (mut duration, mut previous) = (Amount(0), None);
        for (&stack, weight) in thread.stacks.iter().zip(thread.timeline.weights(typical)) {
            duration += weight;
            let mut on = stacks.get(stack as usize).copied().unwrap_or(Err(OffStack::Unknown));
            match (on, previous) {
                (Err(OffStack::GarbageCollector), Some(interrupted)) => {
                    on = Ok(builder.stack(Some(interrupted), collector));
                }
                _ => previous = on.ok(),
            }
            unknown += u64::from(on == Err(OffStack::Unknown));
            let time = if is_gap(weight, typical) { nanos(typical) } else { weight };
            builder.spend_on(on, Weight { time, samples: 1 });
            if time < weight {
                builder.spend_off_stack(OffStack::Unsampled, Weight { time: weight - time, samples: 0 });
                gaps += 1;
            }
        }
        let name = names.iter().find(|(id, _)| *id == thread.id).map_or(thread.id, |(_, name)| name.clone());
        builder.end_thread(Thread {
            name,
            samples: thread.stacks.len() as u64,
            duration,
            interval: median.map(nanos),
            ..Thread::default()
        });
    }
    if lost > 0 {
        builder.problem(
            format!("{} at nothing", count(lost, "frame points", "frames point")),
            "they were left out of their stacks",
        );
    }
    if unknown > 0 {
        let what = format!("{} of stacks that do not exist", count(unknown, "sample", "samples"));
        builder.problem(what, "their time is booked as unknown");
    }
    if gaps > 0 {
        let what = format!("the recording has {}", count(gaps, "gap", "gaps"));
        builder.problem(what, "their time is booked as unsampled, not to a function");
    }
    true
}

type On = std::result::Result<StackId, OffStack>;

/// Where a function is whose line is that of its call: the code of a file outside of all functions begins with its first
/// character, and no other function without a name does so on its line.
fn place_of_called(name: StringId, position: Option<Position>) -> Option<Position> {
    let is_top_level = name == StringId(0) && position.is_some_and(|it| it.column == Some(0));
    is_top_level.then_some(Position { line: 0, column: Some(0) })
}

/// The stack of these frames, of which the innermost comes first. Node's have V8's pseudo functions.
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
