//! The log of `node --prof`, as `node --prof-process --preprocess` converts it to JSON.
//!
//! V8's tools/profile.mjs (`JsonProfile`) and tickprocessor.mjs write it: a table of code with names such as
//! `work /srv/app.js:3:14`, with 1-based positions, and ticks with their time in microseconds, the state of the engine
//! (`vm`, in the order of `StateTag` in include/v8-unwinder.h) and the stack as pairs of code and offset, innermost
//! first. Inlined functions count as the function that they were inlined into.

use super::conventions::span;
use super::error::Result;
use super::json::{Json, Number, index_of};
use super::json_format::{Answer, JsonFormat};
use super::v8::code_name::script_function;
use crate::builder::ProfileBuilder;
use crate::model::{Amount, FunctionId, OffStack, Thread, Weight};
use crate::timeline::Timeline;

/// Code that the log does not know.
const NONE: u32 = u32::MAX;
const STATE_OF_COLLECTOR: u32 = 1;
const STATE_OF_IDLENESS: u32 = 8;

/// The part of a log read so far.
#[derive(Default)]
pub(super) struct ProcessedV8Log {
    code: Vec<FunctionId>,
    /// The stacks of all ticks, concatenated.
    stacks: Vec<u32>,
    ticks: Vec<LogTick>,
    timeline: Timeline,
    /// The time of the first tick of the list, in nanoseconds.
    first: i64,
    has_code: bool,
    has_ticks: bool,
}

#[derive(Clone, Copy)]
struct LogTick {
    state: u32,
    /// Where its stack begins.
    start: usize,
    end: usize,
}

impl JsonFormat for ProcessedV8Log {
    fn member(&mut self, key: &[u8], json: &mut Json, builder: &mut ProfileBuilder) -> Result<Answer> {
        match key {
            b"code" => self.read_code(json, builder)?,
            b"ticks" => self.read_ticks(json)?,
            _ => return Ok(Answer::NotMine),
        }
        Ok(Answer::Read)
    }

    fn is_profile(&self) -> bool {
        self.has_code && self.has_ticks
    }

    fn finish(self: Box<Self>, builder: &mut ProfileBuilder) -> bool {
        let Self { code, stacks, mut ticks, mut timeline, first, .. } = *self;
        if ticks.is_empty() {
            return false;
        }
        builder.format("v8-log");
        builder.thread_starts_at(first.saturating_add(timeline.earliest()));
        timeline.sort(&mut ticks);
        let whole: i64 = (1..timeline.len()).map(|tick| timeline.distance(tick)).fold(0, i64::saturating_add);
        let average = whole / (ticks.len() as i64 - 1).max(1);
        let collector = builder.garbage_collector();
        let mut duration = Amount(0);
        for (tick, time) in ticks.iter().zip(timeline.weights(average)) {
            let mut stack = None;
            // Code that the log does not know is left out of the stack.
            for &number in stacks[tick.start..tick.end].iter().rev() {
                if let Some(&function) = code.get(number as usize) {
                    stack = Some(builder.stack(stack, function));
                }
            }
            let on = match (tick.state, stack) {
                (STATE_OF_IDLENESS, _) => Err(OffStack::Idle),
                (STATE_OF_COLLECTOR, Some(stack)) => Ok(builder.stack(Some(stack), collector)),
                (STATE_OF_COLLECTOR, None) => Err(OffStack::GarbageCollector),
                (_, stack) => stack.ok_or(OffStack::Program),
            };
            duration += time;
            builder.add_sample(on, Weight { time, samples: 1 });
        }
        let interval = timeline.into_median().map(span);
        builder.end_thread(Thread { samples: ticks.len() as u64, duration, interval, ..Thread::default() });
        true
    }
}

impl ProcessedV8Log {
    fn read_code(&mut self, json: &mut Json, builder: &mut ProfileBuilder) -> Result<()> {
        if !json.enter_array()? {
            return Ok(());
        }
        self.has_code = true;
        while json.next_item()? {
            let (mut name, mut is_script) = (String::new(), false);
            if json.enter_object()? {
                while let Some(key) = json.next_key()? {
                    match key.bytes() {
                        b"name" => name = json.string(str::to_owned)?.unwrap_or_default(),
                        b"type" => is_script = json.string(|kind| kind == "JS")? == Some(true),
                        _ => json.skip()?,
                    }
                }
            }
            self.code.push(if is_script {
                script_function(&name, builder)
            } else {
                let name = builder.string(&name);
                builder.function(name, None, None)
            });
        }
        Ok(())
    }

    fn read_ticks(&mut self, json: &mut Json) -> Result<()> {
        if !json.enter_array()? {
            return Ok(());
        }
        self.has_ticks = true;
        let mut before = None;
        while json.next_item()? {
            let start = self.stacks.len();
            let (mut state, mut time) = (0, None);
            if !json.enter_object()? {
                continue;
            }
            while let Some(key) = json.next_key()? {
                match key.bytes() {
                    b"tm" => time = json.number()?.map(|time| (time.as_f64() * 1e3).round() as i64),
                    b"vm" => state = json.index()?.unwrap_or_default(),
                    b"s" => self.read_stack(json)?,
                    _ => json.skip()?,
                }
            }
            let time = time.or(before).unwrap_or_default();
            if self.ticks.is_empty() {
                self.first = time;
            }
            self.timeline.push(time.saturating_sub(before.unwrap_or(time)));
            before = Some(time);
            self.ticks.push(LogTick { state, start, end: self.stacks.len() });
        }
        Ok(())
    }

    fn read_stack(&mut self, json: &mut Json) -> Result<()> {
        if json.enter_array()? {
            let mut is_code = false;
            json.numbers(|number| {
                is_code = !is_code;
                if is_code {
                    self.stacks.push(match number {
                        Some(Number::Integer(code)) => index_of(code).unwrap_or(NONE),
                        _ => NONE,
                    });
                }
            })?;
        }
        Ok(())
    }
}
