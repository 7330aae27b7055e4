//! pprof profiles, of time or of allocated bytes.
//!
//! <https://github.com/google/pprof/blob/main/proto/profile.proto>. Stacks begin with the innermost frame. A location with
//! several lines stands for inlined calls, innermost first. `Function.start_line` is where a function is defined, and is often
//! missing; `Line.line` is where it runs. Both count from 1; 0 means none. Fields come in any order, texts usually last.

use std::borrow::Cow;
use std::io::{BufReader, Read};

use rustc_hash::FxHashMap;

use super::conventions::{COUNTED, named, note_counts};
use super::error::{DecodeError, Result, UnsupportedFormat};
use super::protobuf::{MAX_FIELD, Value, nanoseconds_in, read_number};
use crate::builder::ProfileBuilder;
use crate::model::{FunctionId, OffStack, Position, Profile, SeenPlace, Thread, Unit, Weight};
use crate::problem::count;

/// A profile as in the file.
#[derive(Default)]
struct RawPprof {
    /// Indices of the texts for type and unit.
    types: Vec<(u64, u64)>,
    /// The locations of all samples, concatenated.
    locations: Vec<u64>,
    values: Vec<i64>,
    /// The labels of all samples, concatenated.
    labels: Vec<PprofLabel>,
    /// Where the locations, the values and the labels of each sample end.
    samples: Vec<(usize, usize, usize)>,
    location_of: FxHashMap<u64, PprofLocation>,
    function_of: FxHashMap<u64, PprofFunction>,
    texts: Vec<String>,
    period_type: (u64, u64),
    period: i64,
    default_type: u64,
}

#[derive(Default)]
struct PprofLocation {
    address: u64,
    /// Function ids and lines.
    lines: Vec<(u64, u64)>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
struct PprofLabel {
    key: u64,
    /// The index of a text; 0 if the value is a number.
    text: u64,
    number: i64,
}

#[derive(Clone, Copy, Default)]
struct PprofFunction {
    name: u64,
    file: u64,
    start_line: u64,
}

/// Whether a file that begins with these bytes can be a profile: each field is of its kind, and messages begin with a
/// field that they can have. Texts do not pass, because the lengths and tags of messages are bytes that no text has.
pub(super) fn begins(head: &[u8]) -> bool {
    let mut rest = head;
    while let Some((&tag, mut behind)) = rest.split_first() {
        let (field, is_number) = (tag >> 3, tag & 7 == 0);
        let fits = match field {
            1..=6 | 11 => tag & 7 == 2,
            7..=10 | 12 | 14 | 15 => is_number,
            13 => is_number || tag & 7 == 2,
            _ => false,
        };
        let Ok(number) = read_number(&mut behind) else { break };
        if !fits {
            return false;
        }
        if is_number {
            rest = behind;
            continue;
        }
        let first = behind.first().filter(|_| number != Some(0));
        let known: &[u8] = match field {
            1 | 11 => &[0x08, 0x10],
            2 => &[0x08, 0x0a, 0x10, 0x12, 0x1a],
            3 => &[0x08, 0x10, 0x18, 0x20, 0x28, 0x30, 0x38, 0x40, 0x48, 0x50],
            4 => &[0x08, 0x10, 0x18, 0x22, 0x28],
            5 => &[0x08, 0x10, 0x18, 0x20, 0x28],
            _ => &[],
        };
        if first.is_some_and(|first| !known.is_empty() && !known.contains(first)) {
            return false;
        }
        let length = number.and_then(|it| usize::try_from(it).ok()).unwrap_or(usize::MAX);
        rest = behind.get(length..).unwrap_or(&[]);
    }
    head.iter().any(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace())
}

/// What a profile measured, and in which column.
struct Measured {
    /// The index among the values of each sample.
    column: usize,
    unit: Unit,
    /// Nanoseconds or bytes.
    worth: f64,
    /// The column with the number of samples.
    counts: Option<usize>,
}

/// Reads a whole file that begins like a profile.
pub(super) fn read(source: &mut dyn Read, builder: ProfileBuilder) -> Result<Profile> {
    let mut raw = RawPprof::default();
    let mut source = BufReader::new(source);
    let mut payload = Vec::new();
    while let Some(tag) = read_number(&mut source)? {
        match tag & 7 {
            0 => {
                let number = read_number(&mut source)?.ok_or(DecodeError::DamagedProtobuf)?;
                raw.field(tag >> 3, Value::Number(number))?;
            }
            2 => {
                let length = read_number(&mut source)?.ok_or(DecodeError::DamagedProtobuf)?;
                if length > MAX_FIELD {
                    return Err(DecodeError::DamagedProtobuf);
                }
                payload.clear();
                let read = (&mut source).take(length).read_to_end(&mut payload)?;
                if read as u64 != length {
                    return Err(DecodeError::DamagedProtobuf);
                }
                raw.field(tag >> 3, Value::Bytes(&payload))?;
            }
            _ => return Err(DecodeError::DamagedProtobuf), // no field of a profile is of another kind
        }
    }
    raw.finish(builder)
}

impl PprofLocation {
    /// Reads a message: its id and its contents.
    fn read(message: &Value) -> Result<(u64, Self)> {
        let (mut id, mut location) = (0, Self::default());
        message.fields(|field, value| {
            match field {
                1 => id = value.number(),
                3 => location.address = value.number(),
                4 => {
                    let (mut function, mut line) = (0, 0);
                    value.fields(|field, value| {
                        match field {
                            1 => function = value.number(),
                            2 => line = value.number(),
                            _ => {}
                        }
                        Ok(())
                    })?;
                    location.lines.push((function, line));
                }
                _ => {}
            }
            Ok(())
        })?;
        Ok((id, location))
    }
}

impl PprofLabel {
    fn read(message: &Value) -> Result<Self> {
        let mut label = Self::default();
        message.fields(|field, value| {
            match field {
                1 => label.key = value.number(),
                2 => label.text = value.number(),
                3 => label.number = value.number() as i64,
                _ => {}
            }
            Ok(())
        })?;
        Ok(label)
    }
}

impl PprofFunction {
    /// Reads a message: its id and its contents.
    fn read(message: &Value) -> Result<(u64, Self)> {
        let (mut id, mut function) = (0, Self::default());
        message.fields(|field, value| {
            match field {
                1 => id = value.number(),
                2 => function.name = value.number(),
                4 => function.file = value.number(),
                5 => function.start_line = value.number(),
                _ => {}
            }
            Ok(())
        })?;
        Ok((id, function))
    }
}

impl RawPprof {
    fn field(&mut self, field: u64, value: Value) -> Result<()> {
        match field {
            1 => self.types.push(value_type(&value)?),
            2 => {
                value.fields(|field, value| match field {
                    1 => value.numbers(|id| self.locations.push(id)),
                    2 => value.numbers(|number| self.values.push(number as i64)),
                    3 => {
                        self.labels.push(PprofLabel::read(&value)?);
                        Ok(())
                    }
                    _ => Ok(()),
                })?;
                self.samples.push((self.locations.len(), self.values.len(), self.labels.len()));
            }
            4 => {
                let (id, location) = PprofLocation::read(&value)?;
                self.location_of.entry(id).or_insert(location);
            }
            5 => {
                let (id, function) = PprofFunction::read(&value)?;
                self.function_of.entry(id).or_insert(function);
            }
            6 => {
                if let Value::Bytes(bytes) = value {
                    self.texts.push(String::from_utf8_lossy(bytes).into_owned());
                }
            }
            11 => self.period_type = value_type(&value)?,
            12 => self.period = value.number() as i64,
            14 => self.default_type = value.number(),
            _ => {}
        }
        Ok(())
    }

    fn finish(self, mut builder: ProfileBuilder) -> Result<Profile> {
        if self.samples.is_empty() || self.types.is_empty() {
            return Err(DecodeError::NoSamples);
        }
        builder.format("pprof");
        let Measured { column, unit, worth, counts } = self.measured(&mut builder)?;
        let (mut thread, mut lost, mut negative) = (Thread { unit, ..Thread::default() }, 0, 0);
        let mut known: FxHashMap<u64, Vec<(FunctionId, Option<u32>)>> = FxHashMap::default();
        let mut start = (0, 0, 0);
        let mut label_sets: FxHashMap<&[PprofLabel], u32> = FxHashMap::default();
        for &end in &self.samples {
            let (locations, values) = (&self.locations[start.0..end.0], &self.values[start.1..end.1]);
            let labels = &self.labels[start.2..end.2];
            let labels = *label_sets.entry(labels).or_insert_with(|| self.label_set(labels, &mut builder));
            start = end;
            let (mut stack, mut place) = (None, None);
            for id in locations.iter().rev() {
                let frames = known.entry(*id).or_insert_with(|| self.frames(*id, &mut builder));
                lost += u64::from(frames.is_empty());
                for &(function, line) in frames.iter() {
                    stack = Some(builder.stack(stack, function));
                    place = builder.place(SeenPlace { function, line, column: None, caller: place });
                }
            }
            let value = values.get(column).copied().unwrap_or(0);
            negative += u64::from(value < 0);
            let samples = counts
                .and_then(|column| values.get(column))
                .map_or(1, |&count| count.clamp(0, i64::from(u32::MAX)) as u64);
            let weight = Weight { time: crate::timeline::amount(value as f64 * worth), samples };
            thread.duration += weight.time;
            thread.samples = thread.samples.saturating_add(samples);
            let on = stack.map_or(Err(OffStack::without_stack(unit)), |stack| builder.meaning(stack));
            builder.next_sample_has(labels);
            builder.add_sample_at(on, place, weight);
        }
        if lost > 0 {
            let what = format!("{} at nothing", count(lost, "frame points", "frames point"));
            builder.problem(what, "they were left out of their stacks");
        }
        if negative > 0 {
            let what = format!("{} of negative weight", count(negative, "sample", "samples"));
            builder.problem(what, "they count as nothing");
        }
        builder.end_thread(thread);
        Ok(builder.finish())
    }

    /// The number of a set of labels.
    fn label_set(&self, labels: &[PprofLabel], builder: &mut ProfileBuilder) -> u32 {
        let labels = labels.iter().filter_map(|&PprofLabel { key, text, number }| {
            let key = self.text(key);
            // Datadog's profilers write here when a sample was taken.
            let is_label = !key.is_empty() && key != "end_timestamp_ns";
            let value =
                if text == 0 { Cow::Owned(number.to_string()) } else { Cow::Borrowed(self.text(text)) };
            is_label.then(|| (builder.string(key), builder.string(&value)))
        });
        let labels = labels.collect();
        builder.labels(labels)
    }

    /// Which of the values of a sample to read, the first of these that exists: a time, the number of samples that each
    /// last a period, allocated bytes, the number of samples.
    fn measured(&self, builder: &mut ProfileBuilder) -> Result<Measured> {
        let counts = self.column_where(|_, unit| unit == "count");
        let samples = self.column_where(|kind, unit| unit == "count" && matches!(kind, "sample" | "samples"));
        let period = nanoseconds_in(self.text(self.period_type.1)).filter(|_| self.period > 0);
        let time = |column, worth| Measured { column, unit: Unit::Time, worth, counts };
        if let Some((column, nanos)) = self.chosen(nanoseconds_in, &["cpu", "wall"]) {
            return Ok(time(column, nanos));
        }
        if let (Some(column), Some(nanos)) = (samples, period) {
            return Ok(time(column, nanos * self.period as f64));
        }
        if let Some((column, worth)) = self.chosen(bytes, &["inuse_space", "space"]) {
            // As many samples as objects: `inuse_objects` for `inuse_space`.
            let objects = self.text(self.types[column].0).replace("space", "objects");
            let counts = self.column_where(|kind, unit| unit == "count" && kind == objects);
            return Ok(Measured { column, unit: Unit::Bytes, worth, counts });
        }
        let column = samples.ok_or(DecodeError::UnsupportedFormat(UnsupportedFormat::OtherUnit))?;
        note_counts(builder);
        Ok(time(column, COUNTED))
    }

    /// The column to read among those with one of these units, and the size of its unit: the default of the profile,
    /// otherwise one of a usual type, otherwise the last one.
    fn chosen(&self, worth_of: impl Fn(&str) -> Option<f64>, usual: &[&str]) -> Option<(usize, f64)> {
        let all = self.types.iter().zip(0..);
        let all: Vec<(&str, (usize, f64))> = all
            .filter_map(|(&(kind, unit), column)| {
                Some((self.text(kind), (column, worth_of(self.text(unit))?)))
            })
            .collect();
        let default = self.text(self.default_type);
        let found = all
            .iter()
            .find(|(kind, _)| !default.is_empty() && *kind == default)
            .or_else(|| all.iter().find(|(kind, _)| usual.contains(kind)))
            .or(all.last());
        found.map(|&(_, chosen)| chosen)
    }

    fn column_where(&self, fits: impl Fn(&str, &str) -> bool) -> Option<usize> {
        self.types.iter().position(|&(kind, unit)| fits(self.text(kind), self.text(unit)))
    }

    /// The functions of a location with the lines that run, outermost first.
    fn frames(&self, id: u64, builder: &mut ProfileBuilder) -> Vec<(FunctionId, Option<u32>)> {
        let Some(location) = self.location_of.get(&id) else { return Vec::new() };
        if location.lines.is_empty() {
            let name = builder.string(&format!("{:#x}", location.address));
            return vec![(builder.function(name, None, None), None)];
        }
        let frames = location.lines.iter().rev().map(|&(function, line)| {
            let PprofFunction { name, file, start_line } =
                self.function_of.get(&function).copied().unwrap_or_default();
            let name = builder.string(named(self.text(name)));
            let file =
                Some(self.text(file)).filter(|file| !file.is_empty()).map(|file| builder.resource(file));
            let position = zero_based(start_line).map(|line| Position { line, column: None });
            (builder.function(name, file, position), zero_based(line))
        });
        frames.collect()
    }

    fn text(&self, index: u64) -> &str {
        usize::try_from(index).ok().and_then(|index| self.texts.get(index)).map_or("", String::as_str)
    }
}

/// A line, which counts from 1; 0 if unknown.
fn zero_based(line: u64) -> Option<u32> {
    u32::try_from(line.checked_sub(1)?).ok()
}

fn value_type(value: &Value) -> Result<(u64, u64)> {
    let mut found = (0, 0);
    value.fields(|field, value| {
        match field {
            1 => found.0 = value.number(),
            2 => found.1 = value.number(),
            _ => {}
        }
        Ok(())
    })?;
    Ok(found)
}

fn bytes(unit: &str) -> Option<f64> {
    (unit == "bytes").then_some(1.0)
}
