//! Recordings of Safari's Web Inspector, as exported by its Timelines tab.
//!
//! WebKit writes them in `TimelineRecording.exportData` (Source/WebInspectorUI), from the stacks of JavaScriptCore's
//! sampling profiler (`ScriptProfiler` of its protocol). Stacks begin with the innermost frame. `line` and `column` say
//! where a function is defined, `expressionLocation` where it was; both count from 1, and native code has -1 or 2^32 - 1.
//! Times are seconds. The samples of all targets (the page, its workers) are in `samples`; in older versions, those of
//! the page are in `sampleStackTraces` and `sampleDurations`.

use super::conventions::{USUAL_INTERVAL, span};
use super::error::Result;
use super::json::{Json, Number};
use super::json_format::{Answer, JsonFormat};
use crate::builder::ProfileBuilder;
use crate::model::{
    Amount, FunctionId, OffStack, PlaceId, Position, SeenPlace, StackId, StringId, Thread, Weight,
};
use crate::timeline::{Timeline, amount};

/// The samples of a page or worker.
#[derive(Default)]
struct SafariTarget {
    stacks: Vec<(Option<StackId>, Option<PlaceId>)>,
    times: Timeline,
    /// The times of its first and its last sample so far, in nanoseconds.
    first: i64,
    before: i64,
    /// In seconds, one per stack; files cut by hand may have fewer.
    durations: Vec<f64>,
}

/// The part of a recording read so far.
#[derive(Default)]
pub(super) struct SafariRecording {
    name: String,
    /// The page, in older versions.
    page: SafariTarget,
    targets: Vec<SafariTarget>,
    /// Whether it has a member that only such recordings have.
    is_known: bool,
    is_whole: bool,
}

impl JsonFormat for SafariRecording {
    fn member(&mut self, key: &[u8], json: &mut Json, builder: &mut ProfileBuilder) -> Result<Answer> {
        if key != b"recording" {
            return Ok(Answer::NotMine);
        }
        if json.enter_object()? {
            while let Some(key) = json.next_key()? {
                self.read_member(key.bytes(), json, builder)?;
            }
        }
        self.is_whole = true;
        Ok(Answer::Read)
    }

    fn is_profile(&self) -> bool {
        self.is_known && self.is_whole
    }

    /// Makes a thread of each target.
    fn finish(self: Box<Self>, builder: &mut ProfileBuilder) -> bool {
        let targets = std::iter::once(self.page).chain(self.targets);
        let mut has_samples = false;
        for target in targets.filter(|target| !target.stacks.is_empty()) {
            builder.format("safari");
            target.finish(&self.name, builder);
            has_samples = true;
        }
        has_samples
    }

    /// All of it is a single member, which was read completely.
    fn finish_cut(self: Box<Self>, builder: &mut ProfileBuilder) {
        if self.is_profile() {
            self.finish(builder);
        }
    }
}

impl SafariRecording {
    fn read_member(&mut self, key: &[u8], json: &mut Json, builder: &mut ProfileBuilder) -> Result<()> {
        match key {
            b"displayName" => {
                self.name = json.string(str::to_owned)?.unwrap_or_default();
                return Ok(());
            }
            b"sampleStackTraces" => self.page.read_stacks(json, builder)?,
            b"sampleDurations" => self.page.read_durations(json)?,
            b"samples" => read_targets(json, &mut self.targets, builder)?,
            b"instrumentTypes" => json.skip()?,
            _ => return json.skip(),
        }
        self.is_known = true;
        Ok(())
    }
}

fn read_targets(
    json: &mut Json,
    targets: &mut Vec<SafariTarget>,
    builder: &mut ProfileBuilder,
) -> Result<()> {
    if json.enter_array()? {
        while json.next_item()? {
            let mut target = SafariTarget::default();
            if json.enter_object()? {
                while let Some(key) = json.next_key()? {
                    match key.bytes() {
                        b"stackTraces" => target.read_stacks(json, builder)?,
                        b"durations" => target.read_durations(json)?,
                        _ => json.skip()?,
                    }
                }
            }
            targets.push(target);
        }
    }
    Ok(())
}

impl SafariTarget {
    fn read_stacks(&mut self, json: &mut Json, builder: &mut ProfileBuilder) -> Result<()> {
        if !json.enter_array()? {
            return Ok(());
        }
        let mut frames = Vec::new();
        while json.next_item()? {
            frames.clear();
            let mut time = None;
            if !json.enter_object()? {
                continue;
            }
            while let Some(key) = json.next_key()? {
                match key.bytes() {
                    b"timestamp" => time = json.number()?.map(|time| (time.as_f64() * 1e9).round() as i64),
                    b"stackFrames" => {
                        if json.enter_array()? {
                            while json.next_item()? {
                                frames.push(read_frame(json, builder)?);
                            }
                        }
                    }
                    _ => json.skip()?,
                }
            }
            self.add(&frames, time, builder);
        }
        Ok(())
    }

    fn read_durations(&mut self, json: &mut Json) -> Result<()> {
        if json.enter_array()? {
            json.numbers(|duration| self.durations.push(duration.map_or(0.0, Number::as_f64)))?;
        }
        Ok(())
    }

    /// Adds a sample, and the lines that its functions were on.
    fn add(&mut self, frames: &[(FunctionId, Option<u32>)], time: Option<i64>, builder: &mut ProfileBuilder) {
        let (mut stack, mut place) = (None, None);
        for &(function, line) in frames.iter().rev() {
            stack = Some(builder.stack(stack, function));
            place = builder.place(SeenPlace { function, line, column: None, caller: place });
        }
        let time = time.unwrap_or(self.before);
        if self.stacks.is_empty() {
            (self.first, self.before) = (time, time);
        }
        self.times.push(time.saturating_sub(self.before));
        self.before = time;
        self.stacks.push((stack, place));
    }

    fn finish(mut self, name: &str, builder: &mut ProfileBuilder) {
        let median = self.times.clone().into_median();
        if self.durations.len() < self.stacks.len() {
            self.durations.clear();
        }
        builder.thread_starts_at(self.first.saturating_add(self.times.earliest()));
        let mut order: Vec<usize> = (0..self.stacks.len()).collect();
        self.times.sort(&mut order);
        let distances = self.times.weights(median.unwrap_or(USUAL_INTERVAL));
        let mut duration = Amount(0);
        for ((sample, taken), distance) in order.into_iter().zip(self.times.times()).zip(distances) {
            let time = self.durations.get(sample).map_or(distance, |seconds| amount(seconds * 1e9));
            let (stack, place) = self.stacks[sample];
            duration += time;
            builder.next_sample_at(taken);
            builder.add_sample_at(stack.ok_or(OffStack::NoStack), place, Weight { time, samples: 1 });
        }
        builder.end_thread(Thread {
            name: name.to_owned(),
            samples: self.stacks.len() as u64,
            duration,
            interval: median.map(span),
            ..Thread::default()
        });
    }
}

/// The function of a frame, and the line that it was on.
fn read_frame(json: &mut Json, builder: &mut ProfileBuilder) -> Result<(FunctionId, Option<u32>)> {
    let (mut name, mut url, mut line, mut column, mut running) = (StringId(0), None, None, None, None);
    if json.enter_object()? {
        while let Some(key) = json.next_key()? {
            match key.bytes() {
                b"name" => name = json.string(|name| builder.string(name))?.unwrap_or_default(),
                b"url" => {
                    url = json.string(|url| (!url.is_empty()).then(|| builder.resource(url)))?.flatten()
                }
                b"line" => line = json.index()?,
                b"column" => column = json.index()?,
                b"expressionLocation" => running = read_line(json)?,
                _ => json.skip()?,
            }
        }
    }
    let position = Position::from_one(line, column);
    // JavaScriptCore's name for the code of a script outside of all functions.
    if url.is_some() && name == builder.string("(program)") {
        name = StringId(0);
    }
    Ok((builder.function(name, url, position), running.and_then(|it| it.checked_sub(1))))
}

fn read_line(json: &mut Json) -> Result<Option<u32>> {
    let mut line = None;
    if json.enter_object()? {
        while let Some(key) = json.next_key()? {
            match key.bytes() {
                b"line" => line = json.index()?,
                _ => json.skip()?,
            }
        }
    }
    Ok(line)
}
