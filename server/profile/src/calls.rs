//! From samples to calls: how often each function was called, and how long it took at most.
//!
//! A sample shows a stack at one moment; a call lasts from one such moment to another. The events of the thread show where
//! a call must have ended: none outlives its task, and none that is open when an event begins ends before the event
//! does. The rules are those of DevTools' `SamplesIntegrator` (`front_end/models/trace/helpers`). They are an estimate:
//! two calls between which no sample and no event lies are one, and a call between two samples is none.

use crate::model::{Amount, Calls, FunctionId, Profile, RenderingKind, ResourceId, StackId};

/// Something that a thread did, with a start and an end. Times are nanoseconds since any moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreadEvent {
    pub(crate) start: i64,
    pub(crate) end: i64,
    /// The sample that was taken for it, as [`calls`] names samples; [`NO_SAMPLE`] where none was.
    pub(crate) sample: u32,
    pub(crate) kind: EventKind,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum EventKind {
    /// A task of the thread's event loop: no JavaScript runs on from one to the next.
    Task,
    /// The microtasks that promises left to do: they end all calls, as a task does. JavaScript runs directly below it.
    Microtasks,
    /// JavaScript runs directly below it: calls of a function, of the engine.
    Script,
    /// Style and layout: work without JavaScript.
    Rendering(RenderingKind),
    /// Other work without JavaScript, unless an event within it says so: painting, garbage collection.
    #[default]
    Other,
}

/// What a sample saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    Stack(StackId),
    /// Work outside of any function, or none.
    NoFunction,
}

/// An estimated call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct EstimatedCall {
    function: FunctionId,
    start: i64,
    end: i64,
    /// The number of the long task in which it began, or [`NO_TASK`].
    task: u32,
    /// How many calls it lies in.
    depth: usize,
}

pub(crate) const NO_SAMPLE: u32 = u32::MAX;
const NO_TASK: u32 = u32::MAX;
/// A task that takes longer is a long one (W3C Long Tasks, section 2.1).
pub(crate) const LONG_TASK: i64 = 50_000_000;
/// The resource of frames that older versions of V8 wrote for parts of their runtime.
const RUNTIME: &str = "native V8Runtime";

/// The calls of each function that was called, by function. Samples are in order of time; events are in order of their
/// start, the longer first. `seen` gives what a sample saw, `None` where that is unknown. All stacks are ones of this
/// thread, from `first` on.
pub(crate) fn calls(
    profile: &Profile,
    first: StackId,
    samples: impl Iterator<Item = (i64, u32)>,
    events: &[ThreadEvent],
    seen: impl Fn(u32) -> Option<Seen>,
) -> Vec<(FunctionId, Calls)> {
    let mut of_function = vec![Calls::default(); profile.functions.len()];
    each_call(profile, first, samples, events, seen, |call| {
        let calls = &mut of_function[call.function.0 as usize];
        let length = Amount(call.end.saturating_sub(call.start).max(0).unsigned_abs());
        calls.number += 1;
        calls.longest = calls.longest.max(length);
        // Tasks follow each other, and no call outlives its own.
        if call.task != NO_TASK && calls.long_tasks.last() != Some(&call.task) {
            calls.long_tasks.push(call.task);
        }
    });
    let all = of_function.into_iter().enumerate().filter(|(_, calls)| calls.number > 0);
    all.map(|(function, calls)| (FunctionId(function as u32), calls)).collect()
}

/// Hands over every call when it ends.
fn each_call(
    profile: &Profile,
    first: StackId,
    samples: impl Iterator<Item = (i64, u32)>,
    events: &[ThreadEvent],
    seen: impl Fn(u32) -> Option<Seen>,
    ended: impl FnMut(EstimatedCall),
) {
    let mut thread = CallTracker::new(profile, first, seen, ended);
    let mut events = events.iter().peekable();
    for (time, sample) in samples {
        let is_earlier =
            |event: &&ThreadEvent| event.start < time || (event.start == time && event.end > time);
        while let Some(event) = events.next_if(is_earlier) {
            thread.event(*event);
        }
        thread.sample(time, sample);
    }
    events.for_each(|event| thread.event(*event));
    thread.finish();
}

/// The state of a thread at one moment.
struct CallTracker<'p, S, E> {
    profile: &'p Profile,
    runtime: Option<ResourceId>,
    /// By stack, from `first` on: how many functions lie below the one on top of it.
    depth: Vec<u32>,
    first: StackId,
    seen: S,
    ended: E,
    events: Vec<ThreadEvent>,
    /// The number of the open long task, and where it is in `events`.
    long_task: Option<(u32, usize)>,
    long_tasks: u32,
    /// The open calls, the outermost first.
    calls: Vec<(EstimatedCall, StackId)>,
    /// How many of the calls must stay open: a number for each event, the outermost first.
    locks: Vec<usize>,
    /// Whether JavaScript runs outside of any event that runs JavaScript: the trace began in the middle of it.
    runs_unannounced: bool,
    /// When calls were last looked at.
    now: i64,
    /// Empty between samples.
    path: Vec<StackId>,
}

impl EventKind {
    /// The kind of an event of a Chrome trace: what DevTools takes for a task, and for an event that runs JavaScript.
    pub(crate) fn of(name: &str) -> Self {
        match name {
            "RunTask" | "ThreadControllerImpl::RunTask" | "TaskQueueManager::ProcessTaskFromWorkQueue" => {
                Self::Task
            }
            "RunMicrotasks" => Self::Microtasks,
            "UpdateLayoutTree" => Self::Rendering(RenderingKind::Style),
            "Layout" => Self::Rendering(RenderingKind::Layout),
            "FunctionCall" | "EvaluateScript" | "EventDispatch" => Self::Script,
            _ if name.starts_with("v8") || name.starts_with("V8") => Self::Script,
            _ => Self::Other,
        }
    }
}

impl<'p, S: Fn(u32) -> Option<Seen>, E: FnMut(EstimatedCall)> CallTracker<'p, S, E> {
    fn new(profile: &'p Profile, first: StackId, seen: S, ended: E) -> Self {
        let runtime = profile.resources.iter().position(|&name| profile.strings.get(name) == RUNTIME);
        let mut thread = Self {
            profile,
            runtime: runtime.map(|index| ResourceId(index as u32)),
            depth: Vec::new(),
            first,
            seen,
            ended,
            events: Vec::new(),
            long_task: None,
            long_tasks: 0,
            calls: Vec::new(),
            locks: Vec::new(),
            runs_unannounced: false,
            now: i64::MIN,
            path: Vec::new(),
        };
        for caller in profile.stacks.callers().skip(first.0 as usize) {
            let below = caller.map_or(0, |it| thread.depth_of(it) + u32::from(!thread.is_hidden(it)));
            thread.depth.push(below);
        }
        thread
    }

    /// An event begins.
    fn event(&mut self, event: ThreadEvent) {
        self.end_events(event.start);
        if matches!(event.kind, EventKind::Task | EventKind::Microtasks) {
            self.locks.clear();
            self.end_calls(0, event.start);
            self.runs_unannounced = false;
        }
        if self.runs_unannounced {
            self.unlock(event.start);
            self.runs_unannounced = false;
        }
        if let Some(seen) = (self.seen)(event.sample) {
            self.look(seen, event.start);
        }
        self.locks.push(self.calls.len());
        let is_long = event.kind == EventKind::Task && event.end.saturating_sub(event.start) > LONG_TASK;
        if is_long && self.long_task.is_none() {
            self.long_task = Some((self.long_tasks, self.events.len()));
            self.long_tasks += 1;
        }
        self.events.push(event);
    }

    fn sample(&mut self, time: i64, sample: u32) {
        let Some(seen) = (self.seen)(sample) else { return };
        self.end_events(time);
        let below_script = self
            .events
            .last()
            .is_some_and(|event| matches!(event.kind, EventKind::Microtasks | EventKind::Script));
        if below_script || self.runs_unannounced {
            self.look(seen, time);
        } else if self.calls.is_empty() {
            self.runs_unannounced = true;
            self.look(seen, time);
            self.locks.push(0);
        }
    }

    fn finish(mut self) {
        while let Some(event) = self.events.pop() {
            self.unlock(event.end);
        }
        self.locks.clear();
        self.end_calls(0, self.now);
    }

    /// Ends the events that are over, as far as they are innermost.
    fn end_events(&mut self, time: i64) {
        while let Some(event) = self.events.pop_if(|event| time >= event.end) {
            self.unlock(event.end);
            self.long_task = self.long_task.filter(|&(_, place)| place < self.events.len());
        }
    }

    /// Ends the calls that began after the innermost lock was put on.
    fn unlock(&mut self, time: i64) {
        let kept = self.locks.pop().unwrap_or(0);
        self.end_calls(kept, time);
    }

    /// Makes the open calls those of a stack. Calls that are locked stay, whatever was seen.
    fn look(&mut self, seen: Seen, time: i64) {
        let locked = self.locks.last().copied().unwrap_or(0);
        let mut same = locked;
        let mut next = if let Seen::Stack(stack) = seen { Some(stack) } else { None };
        // Downwards to where the stack is known to be the same, then upwards over frames that are alike.
        while let Some(stack) = next {
            let depth = self.depth_of(stack) as usize;
            if depth < locked {
                break;
            }
            if self.calls.get(depth).is_some_and(|open| open.1 == stack) {
                same = depth + 1;
                break;
            }
            if !self.is_hidden(stack) {
                self.path.push(stack);
            }
            next = self.profile.stacks.caller(stack);
        }
        while let (Some(&stack), Some((open, _))) = (self.path.last(), self.calls.get(same))
            && self.are_alike(self.function(stack), open.function)
        {
            self.path.pop();
            same += 1;
        }
        self.end_calls(same, time);
        let task = self.long_task.map_or(NO_TASK, |(number, _)| number);
        while let Some(stack) = self.path.pop() {
            let (function, depth) = (self.function(stack), self.calls.len());
            self.calls.push((EstimatedCall { function, start: time, end: time, task, depth }, stack));
        }
    }

    /// Ends all calls but the outermost ones, of which those that are locked stay as well.
    fn end_calls(&mut self, kept: usize, time: i64) {
        let kept = kept.max(self.locks.last().copied().unwrap_or(0));
        self.now = time;
        while self.calls.len() > kept {
            if let Some((call, _)) = self.calls.pop() {
                (self.ended)(EstimatedCall { end: time, ..call });
            }
        }
    }

    /// Whether these count as one function: DevTools compares lines and not columns.
    fn are_alike(&self, one: FunctionId, other: FunctionId) -> bool {
        let identity = |function: FunctionId| {
            let function = &self.profile.functions[function.0 as usize];
            (function.name, function.resource, function.defined_at.map(|at| at.line))
        };
        one == other || identity(one) == identity(other)
    }

    fn is_hidden(&self, stack: StackId) -> bool {
        let function = self.function(stack);
        self.runtime.is_some() && self.profile.functions[function.0 as usize].resource == self.runtime
    }

    fn function(&self, stack: StackId) -> FunctionId {
        self.profile.stacks.function[stack.0 as usize]
    }

    fn depth_of(&self, stack: StackId) -> u32 {
        self.depth[(stack.0 - self.first.0) as usize]
    }
}

#[cfg(test)]
mod tests;
