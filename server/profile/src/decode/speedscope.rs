//! speedscope's own format, to which many profilers export.
//!
//! <https://www.speedscope.app/file-format-schema.json>, and file-format-spec.ts next to it. Lines and columns are
//! 1-based. A profile lists either samples with weights, with stacks from the outermost frame on, or events that open and
//! close frames. A file may contain several; each becomes a thread here.

use super::conventions::{COUNTED, named, note_counts};
use super::error::Result;
use super::json::{Json, Kind, Number, index_of};
use super::json_format::{Answer, JsonFormat};
use crate::builder::ProfileBuilder;
use crate::model::{Amount, FunctionId, OffStack, Position, StackId, Thread, Unit, Weight};
use crate::problem::count;

/// No frame.
const NONE: u32 = u32::MAX;

/// The part of a file read so far.
#[derive(Default)]
pub(super) struct SpeedscopeFile {
    has_schema: bool,
    functions: Vec<FunctionId>,
    has_all_frames: bool,
    profiles: Vec<RawProfile>,
    /// The only profile in a file of version 0.0.1, which is outside of the list.
    single: RawProfile,
    has_profiles: bool,
    /// The profile to be shown first.
    active: Option<u32>,
}

/// A profile as in the file; its frames may come later.
#[derive(Default)]
struct RawProfile {
    name: String,
    unit: SpeedscopeUnit,
    start: Option<f64>,
    end: Option<f64>,
    /// The stacks of all samples, concatenated.
    frames: Vec<u32>,
    /// Where the stack of each sample ends.
    ends: Vec<usize>,
    weights: Vec<f64>,
    events: Vec<FrameEvent>,
}

struct FrameEvent {
    opens: bool,
    frame: u32,
    at: f64,
}

/// What weights and times count.
#[derive(Clone, Copy, Default, PartialEq)]
enum SpeedscopeUnit {
    /// Samples.
    #[default]
    None,
    /// This many nanoseconds.
    Time(f64),
    Bytes,
}

/// What was odd, counted over all profiles.
#[derive(Default)]
struct SpeedscopeOddities {
    lost_frames: u64,
    negative_weights: u64,
    wrong_events: u64,
    open_frames: u64,
    lost_weights: u64,
    is_counted: bool,
}

impl JsonFormat for SpeedscopeFile {
    fn member(&mut self, key: &[u8], json: &mut Json, builder: &mut ProfileBuilder) -> Result<Answer> {
        match key {
            b"$schema" => self.read_schema(json)?,
            b"shared" => return Ok(Answer::Group),
            b"shared.frames" => self.read_frames(json, builder)?,
            b"profiles" => self.read_profiles(json)?,
            b"unit" | b"startValue" | b"endValue" | b"events" => self.single.read_member(key, json)?,
            b"activeProfileIndex" => self.active = json.index()?,
            _ => return Ok(Answer::NotMine),
        }
        Ok(Answer::Read)
    }

    fn is_profile(&self) -> bool {
        self.has_schema || (self.has_profiles && !self.functions.is_empty())
    }

    fn finish(self: Box<Self>, builder: &mut ProfileBuilder) -> bool {
        let Self { functions, mut profiles, single, active, .. } = *self;
        if profiles.is_empty() {
            profiles.push(single);
        }
        let mut oddities = SpeedscopeOddities::default();
        let mut has_samples = false;
        for (number, profile) in (0..).zip(profiles) {
            if profile.finish(&functions, &mut oddities, builder) {
                has_samples = true;
                builder.thread_is_important(u64::from(active == Some(number)));
            }
        }
        if oddities.is_counted {
            note_counts(builder);
        }
        if oddities.lost_frames > 0 {
            let what = format!("{} at nothing", count(oddities.lost_frames, "frame points", "frames point"));
            builder.problem(what, "they were left out of their stacks");
        }
        if oddities.negative_weights > 0 {
            let what =
                format!("{} of negative weight", count(oddities.negative_weights, "sample", "samples"));
            builder.problem(what, "they count as nothing");
        }
        if oddities.wrong_events > 0 {
            let what =
                format!("{} no open frame", count(oddities.wrong_events, "event closes", "events close"));
            builder.problem(what, "they were passed over");
        }
        if oddities.open_frames > 0 {
            let what = format!("{} never closed", count(oddities.open_frames, "frame is", "frames are"));
            builder.problem(what, "they last to the end");
        }
        if oddities.lost_weights > 0 {
            let what = format!("{} no weight", count(oddities.lost_weights, "sample has", "samples have"));
            builder.problem(what, "they count as nothing");
        }
        has_samples
    }

    /// Complete profiles are useful if their frames are known.
    fn finish_cut(self: Box<Self>, builder: &mut ProfileBuilder) {
        if self.is_profile() && self.has_all_frames {
            self.finish(builder);
        }
    }
}

impl SpeedscopeFile {
    fn read_schema(&mut self, json: &mut Json) -> Result<()> {
        self.has_schema |= json.string(|schema| schema.contains("speedscope"))? == Some(true);
        Ok(())
    }

    fn read_frames(&mut self, json: &mut Json, builder: &mut ProfileBuilder) -> Result<()> {
        if json.enter_array()? {
            while json.next_item()? {
                let function = read_frame(json, builder)?;
                self.functions.push(function);
            }
        }
        self.has_all_frames = true;
        Ok(())
    }

    fn read_profiles(&mut self, json: &mut Json) -> Result<()> {
        if json.enter_array()? {
            self.has_profiles = true;
            while json.next_item()? {
                let profile = RawProfile::read(json)?;
                self.profiles.push(profile);
            }
        }
        Ok(())
    }
}

fn read_frame(json: &mut Json, builder: &mut ProfileBuilder) -> Result<FunctionId> {
    let (mut name, mut file, mut line, mut column) = (builder.string(""), None, None, None);
    if json.enter_object()? {
        while let Some(key) = json.next_key()? {
            match key.bytes() {
                b"name" => {
                    name = json.string(|name| builder.string(named(name)))?.unwrap_or_default();
                }
                b"file" => {
                    file = json.string(|file| (!file.is_empty()).then(|| builder.resource(file)))?.flatten();
                }
                b"line" => line = json.index()?,
                b"col" => column = json.index()?,
                _ => json.skip()?,
            }
        }
    }
    let position = Position::from_one(line, column);
    Ok(builder.function(name, file, position))
}

impl RawProfile {
    fn read(json: &mut Json) -> Result<Self> {
        let mut profile = Self::default();
        if !json.enter_object()? {
            return Ok(profile);
        }
        while let Some(key) = json.next_key()? {
            profile.read_member(key.bytes(), json)?;
        }
        Ok(profile)
    }

    fn read_member(&mut self, key: &[u8], json: &mut Json) -> Result<()> {
        match key {
            b"name" => self.name = json.string(str::to_owned)?.unwrap_or_default(),
            b"unit" => self.unit = json.string(unit)?.unwrap_or_default(),
            b"startValue" => self.start = json.number()?.map(Number::as_f64),
            b"endValue" => self.end = json.number()?.map(Number::as_f64),
            b"samples" => self.read_samples(json)?,
            b"weights" => {
                if json.enter_array()? {
                    json.numbers(|weight| self.weights.push(weight.map_or(0.0, Number::as_f64)))?;
                }
            }
            b"events" => self.read_events(json)?,
            _ => json.skip()?,
        }
        Ok(())
    }

    fn read_samples(&mut self, json: &mut Json) -> Result<()> {
        if json.enter_array()? {
            while json.next_item()? {
                if json.enter_array()? {
                    let frames = &mut self.frames;
                    json.numbers(|frame| {
                        frames.push(match frame {
                            Some(Number::Integer(frame)) => index_of(frame).unwrap_or(NONE),
                            _ => NONE,
                        });
                    })?;
                }
                self.ends.push(self.frames.len());
            }
        }
        Ok(())
    }

    fn read_events(&mut self, json: &mut Json) -> Result<()> {
        if !json.enter_array()? {
            return Ok(());
        }
        while json.next_item()? {
            let (mut opens, mut frame, mut at) = (None, NONE, 0.0);
            if json.kind()? != Kind::Object {
                json.skip()?;
                continue;
            }
            json.enter_object()?;
            while let Some(key) = json.next_key()? {
                match key.bytes() {
                    b"type" => opens = json.string(|kind| kind == "O")?,
                    b"frame" => frame = json.index()?.unwrap_or(NONE),
                    b"at" => at = json.number()?.map_or(0.0, Number::as_f64),
                    _ => json.skip()?,
                }
            }
            if let Some(opens) = opens {
                self.events.push(FrameEvent { opens, frame, at });
            }
        }
        Ok(())
    }

    fn finish(
        self,
        functions: &[FunctionId],
        oddities: &mut SpeedscopeOddities,
        builder: &mut ProfileBuilder,
    ) -> bool {
        if self.ends.is_empty() && self.events.is_empty() {
            return false;
        }
        builder.format("speedscope");
        oddities.is_counted |= self.unit == SpeedscopeUnit::None;
        let (unit, worth) = match self.unit {
            SpeedscopeUnit::None => (Unit::Time, COUNTED),
            SpeedscopeUnit::Time(nanos) => (Unit::Time, nanos),
            SpeedscopeUnit::Bytes => (Unit::Bytes, 1.0),
        };
        if let SpeedscopeUnit::Time(nanos) = self.unit {
            let start = self.start.or_else(|| Some(self.events.first()?.at)).unwrap_or_default();
            builder.thread_starts_at((start * nanos).round() as i64);
        }
        let without_stack = OffStack::without_stack(unit);
        let mut sum = ThreadSum { worth, without_stack, duration: Amount(0), samples: 0, builder };
        if self.events.is_empty() {
            self.add_samples(functions, oddities, &mut sum);
        } else {
            self.add_events(functions, oddities, &mut sum);
        }
        let ThreadSum { duration, samples, .. } = sum;
        builder.end_thread(Thread { name: self.name, unit, samples, duration, ..Thread::default() });
        true
    }

    fn add_samples(&self, functions: &[FunctionId], oddities: &mut SpeedscopeOddities, sum: &mut ThreadSum) {
        let mut start = 0;
        for (sample, &end) in self.ends.iter().enumerate() {
            let mut stack = None;
            for &frame in &self.frames[start..end] {
                match functions.get(frame as usize) {
                    Some(&function) => stack = Some(sum.builder.stack(stack, function)),
                    None => oddities.lost_frames += 1,
                }
            }
            start = end;
            oddities.lost_weights += u64::from(sample >= self.weights.len());
            let weight = self.weights.get(sample).copied().unwrap_or(0.0);
            oddities.negative_weights += u64::from(weight < 0.0);
            sum.add(stack, weight);
        }
    }

    fn add_events(&self, functions: &[FunctionId], oddities: &mut SpeedscopeOddities, sum: &mut ThreadSum) {
        let mut open: Vec<(u32, StackId)> = Vec::new();
        let mut now = self.start.unwrap_or_else(|| self.events[0].at);
        for event in &self.events {
            let top = open.last().map(|&(_, stack)| stack);
            if event.at > now {
                sum.add(top, event.at - now);
                now = event.at;
            }
            if !event.opens {
                match open.last() {
                    Some(&(frame, _)) if frame == event.frame => drop(open.pop()),
                    _ => oddities.wrong_events += 1,
                }
            } else if let Some(&function) = functions.get(event.frame as usize) {
                open.push((event.frame, sum.builder.stack(top, function)));
            } else {
                oddities.lost_frames += 1;
            }
        }
        oddities.open_frames += open.len() as u64;
        if let Some(end) = self.end.filter(|&end| end > now) {
            sum.add(open.last().map(|&(_, stack)| stack), end - now);
        }
    }
}

/// Where the time of a profile is added.
struct ThreadSum<'b> {
    /// Size of a unit, in nanoseconds or bytes.
    worth: f64,
    without_stack: OffStack,
    duration: Amount,
    samples: u64,
    builder: &'b mut ProfileBuilder,
}

impl ThreadSum<'_> {
    fn add(&mut self, stack: Option<StackId>, weight: f64) {
        let weight = Weight { time: crate::timeline::amount(weight * self.worth), samples: 1 };
        self.duration += weight.time;
        self.samples += 1;
        let on = stack.map_or(Err(self.without_stack), |stack| self.builder.meaning(stack));
        self.builder.add_sample(on, weight);
    }
}

fn unit(text: &str) -> SpeedscopeUnit {
    match text {
        "nanoseconds" => SpeedscopeUnit::Time(1.0),
        "microseconds" => SpeedscopeUnit::Time(1e3),
        "milliseconds" => SpeedscopeUnit::Time(1e6),
        "seconds" => SpeedscopeUnit::Time(1e9),
        "bytes" => SpeedscopeUnit::Bytes,
        _ => SpeedscopeUnit::None,
    }
}
