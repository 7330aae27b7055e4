//! Slices: the merged stacks of many sessions, with what is known about how they differ (docs/formats.md, "slice").
//!
//! `proflens-fleet slice` writes them. Functions that were found in the sources have a file, and the position of their name in
//! its text in the release; all others are as the browsers wrote them. Lines and columns count from 0, times are nanoseconds.

mod tables;

use std::time::SystemTime;

use self::tables::{RawFunction, SliceFaults, SourceFile, StackColumns, added};
use super::error::{Result, UnsupportedFormat};
use super::json::{Json, Number};
use super::json_format::{Answer, JsonFormat};
use crate::builder::ProfileBuilder;
use crate::model::{Amount, OffStack, Population, Thread, Weight};

/// The only version that is read: [`SLICE`](super::versions::SLICE).
const VERSION: i64 = 1;

/// The part of a slice read so far.
#[derive(Default)]
pub(super) struct SliceFile {
    /// The value of `proflensSlice`, which is the first member.
    version: Option<Number>,
    condition: String,
    recorded: Option<SystemTime>,
    sessions: u64,
    /// What the slice says about itself: all time and all samples, and the time that is not idle.
    total: Option<Weight>,
    active: Option<u64>,
    off_stack: [Weight; OffStack::ALL.len()],
    files: Vec<SourceFile>,
    functions: Vec<RawFunction>,
    stacks: StackColumns,
    faults: SliceFaults,
}

impl JsonFormat for SliceFile {
    fn member(&mut self, key: &[u8], json: &mut Json, builder: &mut ProfileBuilder) -> Result<Answer> {
        if key == b"proflensSlice" {
            self.version = json.number()?.or(Some(Number::Float(0.0)));
            return Ok(Answer::Read);
        }
        if self.version.is_none() {
            return Ok(Answer::NotMine);
        }
        match key {
            b"where" => self.condition = json.string(str::to_owned)?.unwrap_or_default(),
            b"recorded" => self.recorded = json.string(|it| humantime::parse_rfc3339(it).ok())?.flatten(),
            b"sessions" => self.sessions = self.faults.whole(json)?,
            b"samples" => self.total.get_or_insert_default().samples = self.faults.whole(json)?,
            b"totalNs" => self.total.get_or_insert_default().time.0 = self.faults.whole(json)?,
            b"activeNs" => self.active = Some(self.faults.whole(json)?),
            b"offStack" => self.read_off_stack(json)?,
            b"files" => {
                if json.enter_array()? {
                    while json.next_item()? {
                        self.files.push(SourceFile::read(json)?);
                    }
                }
            }
            b"functions" => {
                if json.enter_array()? {
                    while json.next_item()? {
                        self.functions.push(RawFunction::read(json, &mut self.faults, builder)?);
                    }
                }
            }
            b"stacks" => self.stacks.read(json, &mut self.faults)?,
            _ => return Ok(Answer::NotMine),
        }
        Ok(Answer::Read)
    }

    fn is_profile(&self) -> bool {
        self.version == Some(Number::Integer(VERSION)) && self.sessions > 0
    }

    fn finish(self: Box<Self>, builder: &mut ProfileBuilder) -> bool {
        let Self { mut faults, sessions, condition, off_stack, .. } = *self;
        builder.format("slice");
        builder.recorded_at(self.recorded);
        let functions = tables::functions(&self.functions, self.files, &mut faults, builder);
        let mut sum = Weight::default();
        let own = self.stacks.add(&functions, &mut sum, &mut faults, builder);
        for (why, weight) in OffStack::ALL.into_iter().zip(off_stack) {
            let weight = added(&mut sum, weight, &mut faults);
            if weight != Weight::default() {
                builder.add_off_stack(why, weight);
            }
        }
        let functions = tables::spreads(self.functions, &functions, (&own, sessions), &mut faults);
        let population = Population { sessions, condition: condition.into(), functions };
        let (samples, duration) = (sum.samples, sum.time);
        let thread = Thread { samples, duration, population: Some(population), ..Thread::default() };
        builder.end_thread(thread);
        let idle = [OffStack::Idle, OffStack::NoStack].map(|it| off_stack[it as usize].time);
        let active = sum.time - idle[0] - idle[1];
        faults.sums_differ =
            self.total.is_some_and(|it| it != sum) || self.active.is_some_and(|it| it != active.0);
        faults.note(builder);
        true
    }

    fn unsupported(&self, whole: bool) -> Option<UnsupportedFormat> {
        match self.version? {
            Number::Integer(VERSION) => {
                (whole && self.sessions == 0).then_some(UnsupportedFormat::EmptySlice)
            }
            _ => Some(UnsupportedFormat::SliceVersion),
        }
    }
}

impl SliceFile {
    fn read_off_stack(&mut self, json: &mut Json) -> Result<()> {
        if !json.enter_object()? {
            return Ok(());
        }
        while let Some(key) = json.next_key()? {
            let why = match key.bytes() {
                b"idle" => OffStack::Idle,
                b"noStack" => OffStack::NoStack,
                b"program" => OffStack::Program,
                b"gc" => OffStack::GarbageCollector,
                b"native" => OffStack::Native,
                b"unsampled" => OffStack::Unsampled,
                _ => OffStack::Unknown,
            };
            let [time, samples] = self.faults.two(json)?;
            self.off_stack[why as usize] += Weight { time: Amount(time), samples };
        }
        Ok(())
    }
}
