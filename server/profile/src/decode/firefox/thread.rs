//! One thread: its samples, and what the tables say about their stacks.

use super::labels::{SampleLabel, sets};
use super::markers::ThreadMarkers;
use super::meta::{FirefoxMeta, FirefoxOddities, FirefoxVersion};
use super::stacks::{Kept, KeptStacks};
use super::tables::{Cell, Column, Millionths, NONE, Schema, Tables, ThreadTables, column, times};
use crate::builder::ProfileBuilder;
use crate::decode::error::Result;
use crate::decode::json::{Json, Kind, Number};
use crate::model::{Amount, OffStack, StackId, Thread, Unit, Weight};
use crate::timeline::amount;

/// A thread as in the file.
#[derive(Default)]
pub(super) struct FirefoxThread {
    name: String,
    process_name: String,
    process_type: String,
    process: Option<String>,
    is_main: bool,
    /// Empty if all threads share their tables.
    pub(super) tables: Tables,
    /// A row of the stack table for each sample.
    stacks: Column,
    /// When each sample was taken; empty if the file does not tell.
    times: Vec<Millionths>,
    markers: ThreadMarkers,
    /// Empty if each sample counts as one.
    weights: Vec<f64>,
    weight_type: WeightType,
}

/// What the weight of a sample counts.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum WeightType {
    #[default]
    Samples,
    Millis,
    Bytes,
}

impl FirefoxThread {
    /// Reads an object.
    pub(super) fn read(json: &mut Json) -> Result<Self> {
        let mut thread = Self::default();
        json.enter_object()?;
        while let Some(key) = json.next_key()? {
            match key.bytes() {
                b"name" => thread.name = json.string(str::to_owned)?.unwrap_or_default(),
                b"processName" => thread.process_name = json.string(str::to_owned)?.unwrap_or_default(),
                b"processType" => thread.process_type = json.string(str::to_owned)?.unwrap_or_default(),
                b"pid" => thread.process = read_process(json)?,
                b"isMainThread" => thread.is_main = json.flag()? == Some(true),
                b"samples" => thread.read_samples(json)?,
                b"markers" => thread.markers.read(json)?,
                bytes => {
                    if !thread.tables.member(bytes, json)? {
                        json.skip()?;
                    }
                }
            }
        }
        Ok(thread)
    }

    /// A missing column without which the samples would be misread. `view` explains them.
    pub(super) fn lacks(&self, view: ThreadTables, version: FirefoxVersion) -> Option<&'static str> {
        if self.stacks.is_empty() {
            return (!self.times.is_empty()).then_some("samples.stack");
        }
        view.lacks(version)
    }

    /// Makes a thread of the samples. Returns whether there are any. `view` explains them.
    pub(super) fn finish(
        &self,
        view: ThreadTables,
        meta: &FirefoxMeta,
        oddities: &mut FirefoxOddities,
        builder: &mut ProfileBuilder,
    ) -> bool {
        if self.stacks.is_empty() {
            return false;
        }
        builder.format("firefox");
        let (unit, worth) = match self.weight_type {
            WeightType::Bytes => (Unit::Bytes, 1.0),
            WeightType::Millis => (Unit::Time, 1e6),
            WeightType::Samples => (Unit::Time, meta.interval),
        };
        let idle = OffStack::without_stack(unit);
        let mut stacks = KeptStacks::new(view, meta.is_converted);
        let (mut duration, mut scripts) = (Amount(0), 0);
        let is_timed = unit == Unit::Time
            && self.times.len() == self.stacks.len()
            && !self.times.contains(&Millionths::NONE);
        let first = self.times.iter().min().filter(|_| is_timed);
        if let Some(first) = first {
            builder.thread_starts_at(meta.start.saturating_add(first.0));
        }
        let labels = self.labels(view, meta.is_converted, builder);
        for sample in self.in_order(first.is_some()) {
            let row = self.stacks[sample];
            let factor = self.weights.get(sample).copied().unwrap_or(1.0);
            oddities.negative_weights += u64::from(factor < 0.0);
            let weight = Weight { time: amount(factor * worth), samples: 1 };
            duration += weight.time;
            let mut place = None;
            let on = match (row != NONE).then(|| stacks.resolve(row, builder)) {
                None => Err(idle),
                Some(None) => {
                    oddities.lost_samples += 1;
                    Err(OffStack::Unknown)
                }
                Some(Some(kept)) if meta.idle == Some(kept.category) => Err(idle),
                Some(Some(Kept { stack: NONE, .. })) => Err(OffStack::Native),
                Some(Some(Kept { stack, place: at, script, .. })) => {
                    scripts += u64::from(script);
                    place = at;
                    builder.meaning(StackId(stack))
                }
            };
            if let Some(first) = first {
                builder.next_sample_at(self.times[sample].0.saturating_sub(first.0));
            }
            builder.next_sample_has(labels.get(sample).copied().unwrap_or_default());
            builder.add_sample_at(on, place, weight);
        }
        oddities.broken_stacks += stacks.broken;
        let process = self.process.as_ref().map_or(0, |it| builder.process(it));
        let said = self.markers.finish(view.strings, meta.start, meta.is_converted, process, builder);
        said.inputs.finish(process, builder);
        let first_sample = first.map(|first| meta.start.saturating_add(first.0));
        let forced = first_sample.map(|start| said.rendering.forced(start, &mut stacks, builder));
        builder.end_thread(Thread {
            process,
            samples: self.stacks.len() as u64,
            duration,
            unit,
            interval: (unit == Unit::Time).then(|| amount(meta.interval)),
            name: if meta.is_converted { self.name.clone() } else { self.shown_name() },
            forced: forced.unwrap_or_default(),
            ..Thread::default()
        });
        builder.thread_is_important(if meta.is_converted { 0 } else { self.importance(scripts) });
        true
    }

    pub(super) fn has_samples(&self) -> bool {
        !self.stacks.is_empty()
    }

    fn read_samples(&mut self, json: &mut Json) -> Result<()> {
        if !json.enter_object()? {
            return Ok(());
        }
        let mut schema = Schema::default();
        while let Some(key) = json.next_key()? {
            match key.bytes() {
                b"schema" => schema.read(json, &[b"stack", b"time"])?,
                b"data" => schema.rows(json, |_, row| self.add_row(row))?,
                b"stack" => column(json, &mut self.stacks)?,
                b"time" => times(json, &mut self.times)?,
                b"timeDeltas" => {
                    times(json, &mut self.times)?;
                    let mut time = 0i64;
                    for it in self.times.iter_mut().filter(|it| **it != Millionths::NONE) {
                        time = time.saturating_add(it.0);
                        it.0 = time;
                    }
                }
                b"weight" => {
                    if json.enter_array()? {
                        let weights = &mut self.weights;
                        json.numbers(|number| weights.push(number.map_or(1.0, Number::as_f64)))?;
                    }
                }
                b"weightType" => {
                    self.weight_type = json
                        .string(|text| match text {
                            "bytes" => WeightType::Bytes,
                            "tracing-ms" => WeightType::Millis,
                            _ => WeightType::Samples,
                        })?
                        .unwrap_or_default();
                }
                _ => json.skip()?,
            }
        }
        schema.early_rows(|_, row| self.add_row(row));
        Ok(())
    }

    fn add_row(&mut self, [stack, time]: [Millionths; 2]) {
        self.stacks.push(stack.index());
        self.times.push(time);
    }

    /// The number of the set of labels of each sample; only files written by Proflens have these.
    fn labels(&self, view: ThreadTables, is_converted: bool, builder: &mut ProfileBuilder) -> Vec<u32> {
        let labels: &[SampleLabel] = if is_converted { &self.markers.labels } else { &[] };
        let key = |marker: u32| view.strings.get(self.markers.name(marker)).unwrap_or_default();
        sets(labels, self.stacks.len(), key, builder)
    }

    /// The samples in order of time, if that is known.
    fn in_order(&self, is_timed: bool) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.stacks.len()).collect();
        if is_timed && !self.times.is_sorted() {
            order.sort_by_key(|&it| self.times[it]);
        }
        order
    }

    /// How likely this is the thread that the user wants to see, by the number of script samples: pages run on the main
    /// threads of content processes (`tab`, in old versions `web`). Programs recorded by other tools, such as samply,
    /// have no such processes, but do have main threads.
    fn importance(&self, scripts: u64) -> u64 {
        let is_page = matches!(&*self.process_type, "tab" | "web");
        match (self.name == "GeckoMain", is_page) {
            (true, true) => scripts | 1 << 63,
            (true, false) => scripts | 1 << 62,
            (false, _) if self.is_main && scripts > 0 => scripts | 1 << 61,
            (false, _) => 0,
        }
    }

    /// `GeckoMain, Web Content 16413`.
    fn shown_name(&self) -> String {
        let process = if self.process_name.is_empty() { &self.process_type } else { &self.process_name };
        let mut name = self.name.clone();
        if !process.is_empty() {
            name = format!("{name}, {process}");
        }
        match &self.process {
            Some(process) => format!("{name} {process}"),
            None => name,
        }
    }
}

/// A number, or since version 47 a string, which samply writes as `16413.1` if a process ran another program before.
fn read_process(json: &mut Json) -> Result<Option<String>> {
    match json.kind()? {
        Kind::String => json.string(str::to_owned),
        _ => Ok(json.index()?.map(|number| number.to_string())),
    }
}
