//! The browser's own traces, of the JS Self-Profiling API: what `Profiler.stop()` resolves to.
//!
//! <https://wicg.github.io/js-self-profiling/>, section 3. Lines and columns are 1-based and tell where a function is
//! defined; times are milliseconds. All four lists may come in any order, so nothing is resolved before the end.

use super::DecodeError;
use super::json::{Json, Kind, index_of};
use crate::builder::ProfileBuilder;
use crate::weigh::Timeline;
use crate::{FunctionId, Nanos, OffStack, Position, ResourceId, Spent, StackId, StringId, Thread};

/// No index of a table: absent, null, or no whole number.
const NONE: u32 = u32::MAX;
/// What a lone sample is worth: the browsers' usual interval.
const USUAL_INTERVAL: i64 = 10_000_000;
/// Intervals above this, and above ten times the median, are gaps in the recording.
const LONG_INTERVAL: i64 = 1_000_000_000;

type Result<T> = std::result::Result<T, DecodeError>;

/// What was read of a trace.
#[derive(Default)]
pub(crate) struct Parts {
    resources: Vec<ResourceId>,
    frames: Vec<Frame>,
    stacks: Vec<Stack>,
    samples: Vec<Sample>,
    timeline: Timeline,
    has_frames: bool,
    has_stacks: bool,
    has_samples: bool,
}

struct Frame {
    name: StringId,
    resource: u32,
    line: u32,
    column: u32,
}

#[derive(Clone, Copy)]
struct Stack {
    frame: u32,
    parent: u32,
}

#[derive(Clone, Copy)]
struct Sample {
    stack: u32,
    marker: Marker,
}

/// A sample's `marker`, by what it changes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Marker {
    None,
    Gc,
    /// `style`, `layout`, `paint`, `script`, `other`, and those to come.
    Other,
}

impl Parts {
    /// Whether these are the parts of a trace; `resources` may be missing.
    pub(crate) fn is_profile(&self) -> bool {
        self.has_frames && self.has_stacks && self.has_samples
    }

    pub(crate) fn no_samples(&mut self) {
        self.has_samples = true;
    }

    pub(crate) fn read_resources(&mut self, json: &mut Json, builder: &mut ProfileBuilder) -> Result<()> {
        if json.enter_array()? {
            while json.next_item()? {
                let url = json.string(|url| builder.resource(url))?;
                self.resources.push(url.unwrap_or_else(|| builder.resource("")));
            }
        }
        Ok(())
    }

    pub(crate) fn read_frames(&mut self, json: &mut Json, builder: &mut ProfileBuilder) -> Result<()> {
        if !json.enter_array()? {
            return Ok(());
        }
        self.has_frames = true;
        while json.next_item()? {
            let mut frame = Frame { name: StringId(0), resource: NONE, line: NONE, column: NONE };
            if json.enter_object()? {
                while let Some(key) = json.next_key()? {
                    match key.bytes() {
                        b"name" => frame.name = json.string(|name| builder.string(name))?.unwrap_or_default(),
                        b"resourceId" => frame.resource = json.index()?.unwrap_or(NONE),
                        b"line" => frame.line = json.index()?.unwrap_or(NONE),
                        b"column" => frame.column = json.index()?.unwrap_or(NONE),
                        _ => json.skip()?,
                    }
                }
            }
            self.frames.push(frame);
        }
        Ok(())
    }

    /// Whether these are stacks of Sentry's format, which uses the same word.
    pub(crate) fn read_stacks(&mut self, json: &mut Json) -> Result<bool> {
        if !json.enter_array()? {
            return Ok(false);
        }
        if json.first_item()? == Some(Kind::Array) {
            json.skip_items()?;
            return Ok(true);
        }
        self.has_stacks = true;
        loop {
            let shape: [&[u8]; 2] = [b"{\"frameId\":", b",\"parentId\":"];
            json.plain_rows(shape, |[frame, parent]| {
                let [frame, parent] = [frame, parent].map(|number| index_of(number).unwrap_or(NONE));
                self.stacks.push(Stack { frame, parent });
            });
            if !json.next_item()? {
                break;
            }
            let mut stack = Stack { frame: NONE, parent: NONE };
            if json.enter_object()? {
                while let Some(key) = json.next_key()? {
                    match key.bytes() {
                        b"frameId" => stack.frame = json.index()?.unwrap_or(NONE),
                        b"parentId" => stack.parent = json.index()?.unwrap_or(NONE),
                        _ => json.skip()?,
                    }
                }
            }
            self.stacks.push(stack);
        }
        Ok(false)
    }

    /// Reads an array that was entered. Whether these are samples of Sentry's format.
    pub(crate) fn read_samples(&mut self, json: &mut Json) -> Result<bool> {
        self.has_samples = true;
        let (mut sentry, mut before) = (false, None);
        while json.next_item()? {
            let mut sample = Sample { stack: NONE, marker: Marker::None };
            let mut time = None;
            if !json.enter_object()? {
                continue;
            }
            while let Some(key) = json.next_key()? {
                match key.bytes() {
                    b"stackId" => sample.stack = json.index()?.unwrap_or(NONE),
                    b"timestamp" => time = json.number()?,
                    b"marker" => sample.marker = json.string(marker)?.unwrap_or(Marker::None),
                    b"stack_id" => {
                        sentry = true;
                        json.skip()?;
                    }
                    _ => json.skip()?,
                }
            }
            // A sample without a time is taken to be at the time of the one before it.
            let time = time.map_or(before.unwrap_or(0), |time| (time.as_f64() * 1e6).round() as i64);
            self.timeline.push_nanos(time.saturating_sub(before.unwrap_or(time)));
            before = Some(time);
            self.samples.push(sample);
        }
        Ok(sentry)
    }
}

/// Makes one thread of a trace; `false` if it has no samples.
pub(crate) fn finish(parts: Parts, builder: &mut ProfileBuilder) -> bool {
    let Parts { resources, frames, stacks, mut samples, mut timeline, .. } = parts;
    if samples.is_empty() {
        return false;
    }
    builder.format("self-profiling");
    let functions = functions(&frames, &resources, builder);
    let stack_of = resolve(&stacks, &functions, builder);

    timeline.sort(&mut samples);
    let median = timeline.clone().into_median();
    let typical = median.unwrap_or(USUAL_INTERVAL);
    let longest = nanos(typical.saturating_mul(10).max(LONG_INTERVAL));
    let collector = builder.garbage_collector();
    let (mut previous, mut duration, mut gaps, mut unknown) = (None, Nanos(0), 0u64, 0u64);
    for (&sample, weight) in samples.iter().zip(timeline.weights(typical)) {
        duration += weight;
        let mut time = weight;
        if weight > longest {
            time = nanos(typical);
            builder.spend_off_stack(OffStack::Unsampled, Spent { time: weight - time, samples: 0 });
            gaps += 1;
        }
        let spent = Spent { time, samples: 1 };
        let stack =
            stack_of.get(sample.stack as usize).filter(|&&stack| stack != NONE).map(|&stack| StackId(stack));
        if sample.marker == Marker::Gc {
            match stack.or(if sample.stack == NONE { previous } else { None }) {
                Some(stack) => {
                    let stack = builder.stack(Some(stack), collector);
                    builder.spend(stack, spent);
                }
                None => builder.spend_off_stack(OffStack::GarbageCollector, spent),
            }
            continue;
        }
        previous = stack;
        match stack {
            Some(stack) => builder.spend(stack, spent),
            None if sample.stack != NONE => {
                unknown += 1;
                builder.spend_off_stack(OffStack::Unknown, spent);
            }
            None if sample.marker == Marker::Other => builder.spend_off_stack(OffStack::Native, spent),
            None => builder.spend_off_stack(OffStack::NoStack, spent),
        }
    }
    if gaps > 0 {
        let what = format!("the recording has {}", count(gaps, "gap", "gaps"));
        builder.problem(what, "their time is booked as unsampled, not to a function");
    }
    if unknown > 0 {
        let what = format!("{} of stacks that do not exist", count(unknown, "sample", "samples"));
        builder.problem(what, "their time is booked as unknown");
    }
    builder.end_thread(Thread {
        samples: samples.len() as u64,
        duration,
        interval: median.map(nanos),
        ..Thread::default()
    });
    true
}

fn functions(frames: &[Frame], resources: &[ResourceId], builder: &mut ProfileBuilder) -> Vec<FunctionId> {
    let mut lost = 0;
    let functions = frames.iter().map(|frame| {
        let resource = resources.get(frame.resource as usize).copied();
        lost += u64::from(frame.resource != NONE && resource.is_none());
        let zero_based = |number: u32| number.checked_sub(1).filter(|_| number != NONE);
        let position = zero_based(frame.line).map(|line| Position { line, column: zero_based(frame.column) });
        builder.function(frame.name, resource, position)
    });
    let functions = functions.collect();
    if lost > 0 {
        let what = format!("{} of resources that do not exist", count(lost, "frame", "frames"));
        builder.problem(what, "they are treated as code without an address");
    }
    functions
}

/// The stack of each row, callers first, or [`NONE`]. A row whose frame does not exist is left out of the stacks
/// above it.
fn resolve(rows: &[Stack], functions: &[FunctionId], builder: &mut ProfileBuilder) -> Vec<u32> {
    /// Not looked at yet.
    const OPEN: u32 = NONE - 1;
    let mut stack_of = vec![OPEN; rows.len()];
    let (mut path, mut odd) = (Vec::new(), 0);
    for start in 0..rows.len() {
        let mut at = start as u32;
        // Where callers run in a circle, it is cut at the row that was met first.
        while let Some(stack @ &mut OPEN) = stack_of.get_mut(at as usize) {
            *stack = NONE;
            path.push(at);
            at = rows[at as usize].parent;
        }
        let no_caller = at != NONE && at as usize >= rows.len();
        odd += u64::from(!path.is_empty() && (no_caller || path.contains(&at)));
        while let Some(row) = path.pop() {
            let Stack { frame, parent } = rows[row as usize];
            let caller = stack_of.get(parent as usize).copied().unwrap_or(NONE);
            stack_of[row as usize] = match functions.get(frame as usize) {
                Some(&function) => builder.new_stack((caller != NONE).then_some(StackId(caller)), function).0,
                None => {
                    odd += 1;
                    caller
                }
            };
        }
    }
    if odd > 0 {
        let what = format!("{} of callers or frames that do not exist", count(odd, "stack", "stacks"));
        builder.problem(what, "what is known of them was kept");
    }
    stack_of
}

fn marker(text: &str) -> Marker {
    match text {
        "" => Marker::None,
        "gc" => Marker::Gc,
        _ => Marker::Other,
    }
}

fn nanos(distance: i64) -> Nanos {
    Nanos(distance.max(0).unsigned_abs())
}

/// `1 sample`, `2 samples`.
pub(super) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
