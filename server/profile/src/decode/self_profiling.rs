//! Traces by the browser itself, from the JS Self-Profiling API: what `Profiler.stop()` resolves to.
//!
//! <https://wicg.github.io/js-self-profiling/>, section 3. Lines and columns are 1-based and say where a function is
//! defined; times are milliseconds. The four lists may come in any order, so nothing is resolved before the end.

use super::conventions::{USUAL_INTERVAL, is_gap, span};
use super::error::Result;
use super::json::{FastReader, Items, Json, Kind, index_of};
use super::json_format::{Answer, JsonFormat};
use crate::builder::ProfileBuilder;
use crate::model::{Amount, FunctionId, OffStack, Position, ResourceId, StackId, StringId, Thread, Weight};
use crate::problem::count;
use crate::timeline::Timeline;

/// Not an index of a table: absent, null, or not an integer.
const NONE: u32 = u32::MAX;

/// The part of a trace read so far.
#[derive(Default)]
pub(super) struct SelfProfilingTrace {
    resources: Vec<ResourceId>,
    frames: Vec<FrameRow>,
    stacks: StackTable,
    samples: Vec<SampleRow>,
    timeline: Timeline,
    /// The time of the first sample of the list, in nanoseconds.
    first: i64,
    has_frames: bool,
    has_stacks: bool,
    has_samples: bool,
}

struct FrameRow {
    name: StringId,
    resource: u32,
    line: u32,
    column: u32,
}

/// Rows in columns, as they are in a [`Profile`](crate::model::Profile).
#[derive(Default)]
struct StackTable {
    frame: Vec<u32>,
    parent: Vec<u32>,
}

impl StackTable {
    #[inline]
    fn push(&mut self, frame: u32, parent: u32) {
        self.frame.push(frame);
        self.parent.push(parent);
    }

    /// Whether each row has a frame, and a parent that is above it or none.
    fn is_sound(&self, frames: usize) -> bool {
        let parents = self.parent.iter().enumerate();
        self.frame.iter().all(|&frame| (frame as usize) < frames)
            && parents.into_iter().all(|(row, &parent)| parent == NONE || (parent as usize) < row)
    }
}

#[derive(Clone, Copy)]
struct SampleRow {
    stack: u32,
    marker: SampleMarker,
}

const NO_SAMPLE: SampleRow = SampleRow { stack: NONE, marker: SampleMarker::None };

/// A sample's `marker`, by its effect.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SampleMarker {
    None,
    Gc,
    /// `style`, `layout`, `paint`, `script`, `other`, and future ones.
    Other,
}

impl JsonFormat for SelfProfilingTrace {
    fn member(&mut self, key: &[u8], json: &mut Json, builder: &mut ProfileBuilder) -> Result<Answer> {
        match key {
            b"resources" => self.read_resources(json, builder)?,
            b"frames" => self.read_frames(json, builder)?,
            b"stacks" => self.read_stacks(json)?,
            b"samples" if matches!(json.peek_items()?, Items::None | Items::Begin(Kind::Object)) => {
                self.read_samples(json)?;
            }
            _ => return Ok(Answer::NotMine),
        }
        Ok(Answer::Read)
    }

    /// `resources` may be missing.
    fn is_profile(&self) -> bool {
        self.has_frames && self.has_stacks && self.has_samples
    }

    fn finish(self: Box<Self>, builder: &mut ProfileBuilder) -> bool {
        let Self { resources, frames, stacks, mut samples, mut timeline, first, .. } = *self;
        if samples.is_empty() {
            return false;
        }
        builder.format("self-profiling");
        let functions = functions(&frames, &resources, builder);
        let stack_of = StackOf::new(stacks, &functions, builder);

        builder.thread_starts_at(first.saturating_add(timeline.earliest()));
        timeline.sort(&mut samples);
        let median = timeline.clone().into_median();
        let typical = median.unwrap_or(USUAL_INTERVAL);
        let collector = builder.garbage_collector();
        let (mut previous, mut duration, mut gaps, mut unknown) = (None, Amount(0), 0u64, 0u64);
        for (&sample, weight) in samples.iter().zip(timeline.weights(typical)) {
            duration += weight;
            let time = if is_gap(weight, typical) { span(typical) } else { weight };
            let stack = stack_of.get(sample.stack);
            let on = if sample.marker == SampleMarker::Gc {
                let interrupted = stack.or(if sample.stack == NONE { previous } else { None });
                interrupted
                    .map(|stack| builder.stack(Some(stack), collector))
                    .ok_or(OffStack::GarbageCollector)
            } else {
                previous = stack;
                stack.ok_or(match sample.marker {
                    _ if sample.stack != NONE => OffStack::Unknown,
                    SampleMarker::Other => OffStack::Native,
                    SampleMarker::None | SampleMarker::Gc => OffStack::NoStack,
                })
            };
            unknown += u64::from(on == Err(OffStack::Unknown));
            builder.add_sample(on, Weight { time, samples: 1 });
            if time < weight {
                builder.add_off_stack(OffStack::Unsampled, Weight { time: weight - time, samples: 0 });
                gaps += 1;
            }
        }
        if gaps > 0 {
            let what = format!("the recording has {}", count(gaps, "gap", "gaps"));
            builder.problem(what, "their time is counted as unsampled, not as that of a function");
        }
        if unknown > 0 {
            let what = format!("{} of stacks that do not exist", count(unknown, "sample", "samples"));
            builder.problem(what, "their time is counted as unknown");
        }
        builder.end_thread(Thread {
            samples: samples.len() as u64,
            duration,
            interval: median.map(span),
            ..Thread::default()
        });
        true
    }
}

impl SelfProfilingTrace {
    fn read_resources(&mut self, json: &mut Json, builder: &mut ProfileBuilder) -> Result<()> {
        if json.enter_array()? {
            while json.next_item()? {
                let url = json.string(|url| builder.resource(url))?;
                self.resources.push(url.unwrap_or_else(|| builder.resource("")));
            }
        }
        Ok(())
    }

    fn read_frames(&mut self, json: &mut Json, builder: &mut ProfileBuilder) -> Result<()> {
        if !json.enter_array()? {
            return Ok(());
        }
        self.has_frames = true;
        while json.next_item()? {
            let mut frame = FrameRow { name: StringId(0), resource: NONE, line: NONE, column: NONE };
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

    fn read_stacks(&mut self, json: &mut Json) -> Result<()> {
        if !json.enter_array()? {
            return Ok(());
        }
        self.has_stacks = true;
        loop {
            json.fast_items(|item| {
                let (frame, parent) = plain_stack(item)?;
                self.stacks.push(frame, parent);
                Some(())
            });
            if !json.next_item()? {
                break;
            }
            let (mut frame, mut parent) = (NONE, NONE);
            if json.enter_object()? {
                while let Some(key) = json.next_key()? {
                    match key.bytes() {
                        b"frameId" => frame = json.index()?.unwrap_or(NONE),
                        b"parentId" => parent = json.index()?.unwrap_or(NONE),
                        _ => json.skip()?,
                    }
                }
            }
            self.stacks.push(frame, parent);
        }
        Ok(())
    }

    fn read_samples(&mut self, json: &mut Json) -> Result<()> {
        if !json.enter_array()? {
            return Ok(());
        }
        self.has_samples = true;
        let mut before = None;
        loop {
            json.fast_items(|item| {
                let (sample, time) = plain_sample(item)?;
                self.add_sample(sample, time, &mut before);
                Some(())
            });
            if !json.next_item()? {
                return Ok(());
            }
            if !json.enter_object()? {
                continue;
            }
            let (mut sample, mut time) = (NO_SAMPLE, None);
            while let Some(key) = json.next_key()? {
                match key.bytes() {
                    b"stackId" => sample.stack = json.index()?.unwrap_or(NONE),
                    b"timestamp" => time = json.number()?.map(|time| (time.as_f64() * 1e6).round() as i64),
                    b"marker" => sample.marker = json.string(marker)?.unwrap_or(SampleMarker::None),
                    _ => json.skip()?,
                }
            }
            self.add_sample(sample, time, &mut before);
        }
    }

    /// `time` is in nanoseconds; `before` is the time of the previous sample.
    #[inline]
    fn add_sample(&mut self, sample: SampleRow, time: Option<i64>, before: &mut Option<i64>) {
        // A sample without a time gets the time of the previous one.
        let time = time.unwrap_or(before.unwrap_or(0));
        if self.samples.is_empty() {
            self.first = time;
        }
        self.timeline.push(time.saturating_sub(before.unwrap_or(time)));
        *before = Some(time);
        self.samples.push(sample);
    }
}

/// A stack as browsers write it: its frame and its parent.
#[inline]
fn plain_stack(item: &mut FastReader) -> Option<(u32, u32)> {
    let mut index = |key: &[u8]| item.takes(key).then(|| item.integer());
    let frame = index(b"{\"frameId\":")??;
    let parent = match index(b",\"parentId\":") {
        Some(parent) => index_of(parent?),
        None => None,
    };
    item.takes(b"}").then_some((index_of(frame).unwrap_or(NONE), parent.unwrap_or(NONE)))
}

/// A sample as browsers write it, and its time in nanoseconds.
#[inline]
fn plain_sample(item: &mut FastReader) -> Option<(SampleRow, Option<i64>)> {
    let (mut sample, mut time) = (NO_SAMPLE, None);
    item.members(|item| {
        if item.takes(b"\"stackId\":") {
            sample.stack = index_of(item.integer()?).unwrap_or(NONE);
        } else if item.takes(b"\"timestamp\":") {
            time = Some(item.millionths()?);
        } else if item.takes(b"\"marker\":") {
            sample.marker = marker(item.string()?);
        } else {
            return None;
        }
        Some(())
    })?;
    Some((sample, time))
}

fn known(number: u32) -> Option<u32> {
    (number != NONE).then_some(number)
}

fn functions(frames: &[FrameRow], resources: &[ResourceId], builder: &mut ProfileBuilder) -> Vec<FunctionId> {
    let mut lost = 0;
    let functions = frames.iter().map(|frame| {
        let resource = resources.get(frame.resource as usize).copied();
        lost += u64::from(frame.resource != NONE && resource.is_none());
        let position = Position::from_one(known(frame.line), known(frame.column));
        builder.function(frame.name, resource, position)
    });
    let functions = functions.collect();
    if lost > 0 {
        let what = format!("{} of resources that do not exist", count(lost, "frame", "frames"));
        builder.problem(what, "they are treated as code without an address");
    }
    functions
}

/// Maps rows of the trace's table to stacks.
enum StackOf {
    /// The table became part of the profile's, from this stack on.
    Moved { first: u32, rows: u32 },
    /// By row; [`NONE`] if nothing is known about it.
    Resolved(Vec<u32>),
}

impl StackOf {
    fn new(rows: StackTable, functions: &[FunctionId], builder: &mut ProfileBuilder) -> Self {
        if !rows.is_sound(functions.len()) {
            return Self::Resolved(resolve(&rows, functions, builder));
        }
        if builder.threads() > 0 && rows.frame.len() <= MAX_SHARED {
            return Self::Resolved(shared(&rows, functions, builder));
        }
        let count = rows.frame.len() as u32;
        let on_top = rows.frame.into_iter().map(|frame| functions[frame as usize]).collect();
        let callers = rows.parent.into_iter().map(|parent| (parent != NONE).then_some(StackId(parent)));
        Self::Moved { first: builder.new_stacks(on_top, callers), rows: count }
    }

    #[inline]
    fn get(&self, row: u32) -> Option<StackId> {
        match self {
            Self::Moved { first, rows } => (row < *rows).then(|| StackId(first + row)),
            Self::Resolved(stacks) => {
                stacks.get(row as usize).filter(|&&stack| stack != NONE).map(|&stack| StackId(stack))
            }
        }
    }
}

/// A session with more stacks than this has a table of its own.
const MAX_SHARED: usize = 1 << 14;

/// The stack of each row of a sound table, shared with other sessions: a file may have a hundred thousand sessions of the same pages.
fn shared(rows: &StackTable, functions: &[FunctionId], builder: &mut ProfileBuilder) -> Vec<u32> {
    let mut stacks: Vec<u32> = Vec::with_capacity(rows.frame.len());
    for (&frame, &parent) in rows.frame.iter().zip(&rows.parent) {
        let caller = (parent != NONE).then(|| StackId(stacks[parent as usize]));
        stacks.push(builder.stack(caller, functions[frame as usize]).0);
    }
    stacks
}

/// The stack of each row, callers first, or [`NONE`]. A row whose frame does not exist is left out of the stacks above it.
fn resolve(rows: &StackTable, functions: &[FunctionId], builder: &mut ProfileBuilder) -> Vec<u32> {
    /// Not computed yet.
    const OPEN: u32 = NONE - 1;
    let mut stack_of = vec![OPEN; rows.frame.len()];
    let (mut path, mut odd) = (Vec::new(), 0);
    for start in 0..rows.frame.len() {
        let mut at = start as u32;
        // If callers form a cycle, it is cut at the row that was met first.
        while let Some(stack @ &mut OPEN) = stack_of.get_mut(at as usize) {
            *stack = NONE;
            path.push(at);
            at = rows.parent[at as usize];
        }
        let no_caller = at != NONE && at as usize >= rows.frame.len();
        odd += u64::from(!path.is_empty() && (no_caller || path.contains(&at)));
        while let Some(row) = path.pop() {
            let (frame, parent) = (rows.frame[row as usize], rows.parent[row as usize]);
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

fn marker(text: &str) -> SampleMarker {
    match text {
        "" => SampleMarker::None,
        "gc" => SampleMarker::Gc,
        _ => SampleMarker::Other,
    }
}
