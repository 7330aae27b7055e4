//! The threads of an OTLP file, from the attributes of its samples: what ran, when, and with which labels.
//!
//! <https://opentelemetry.io/docs/specs/semconv/registry/attributes/thread/>. A sample has a value, or a time for each of
//! its values, or only times, each of which counts once.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::choose::MeasuredValues;
use super::layout::{Layout, NEW, TIMES};
use super::stacks::OtlpStacks;
use super::tables::{AttributeKey, OtlpTables};
use crate::builder::ProfileBuilder;
use crate::decode::conventions::span;
use crate::decode::error::{DecodeError, Result};
use crate::model::{Amount, OffStack, PlaceId, Profile, StackId, Thread, Weight};
use crate::problem::count;
use crate::timeline::{Timeline, amount};

/// The session and process numbers of a resource, as written by `proflens convert`: OTLP has no sessions.
const SESSION: &str = "proflens.session";
const PROCESS: &str = "proflens.process";

/// A single occurrence of a sample.
#[derive(Clone, Copy)]
struct Observed {
    /// In nanoseconds since 1970; `None` if not known.
    taken: Option<i64>,
    on: Result<StackId, OffStack>,
    place: Option<PlaceId>,
    weight: Weight,
    labels: u32,
}

#[derive(Default)]
struct OtlpThread {
    name: String,
    session: u64,
    process: String,
    observed: Vec<Observed>,
    /// The number of its samples with JavaScript.
    scripts: u64,
    /// Whether `proflens convert` wrote it: these are all threads of a recording, in order.
    is_converted: bool,
}

/// The profile of a whole file.
pub(super) fn profile_of(tables: OtlpTables, mut builder: ProfileBuilder) -> Result<Profile> {
    if let Some(format) = tables.refusal() {
        return Err(DecodeError::UnsupportedFormat(format));
    }
    match add(&tables, &mut builder) {
        true => Ok(builder.finish()),
        false => Err(DecodeError::NoSamples),
    }
}

/// Adds the threads of a file; `false` if it has no samples.
pub(super) fn add(tables: &OtlpTables, builder: &mut ProfileBuilder) -> bool {
    let Some((profiles, measured)) = tables.chosen(builder) else { return false };
    builder.format("otlp");
    let layout = match tables.is_named {
        true => NEW,
        false => Layout::of(tables.profiles.iter().map(|it| &it.samples), &tables.dictionary),
    };
    let mut reader = Reader {
        tables,
        measured,
        layout,
        stacks: OtlpStacks::new(&tables.dictionary, measured.unit, &tables.scopes),
        threads: Vec::new(),
        resources: FxHashMap::default(),
        thread_of: FxHashMap::default(),
        known: FxHashMap::default(),
        negative: 0,
    };
    let stacks = profiles.iter().flat_map(|&it| &tables.profiles[it].samples.stacks);
    reader.stacks.make_all(stacks.copied(), builder);
    for &profile in &profiles {
        reader.add(profile, builder);
    }
    let first = profiles.iter().map(|&it| tables.profiles[it].time).filter(|&it| it > 0).min();
    builder.recorded_at(
        first.and_then(|it| {
            std::time::SystemTime::UNIX_EPOCH.checked_add(std::time::Duration::from_nanos(it))
        }),
    );
    reader.finish(builder);
    true
}

/// What is known about a resource.
struct Resource {
    session: Option<u64>,
    /// What distinguishes it from others.
    process: String,
    pid: Option<String>,
    /// Its program or service; may be empty.
    program: String,
}

impl Resource {
    fn of(tables: &OtlpTables, resource: usize) -> Self {
        let dictionary = &tables.dictionary;
        let is_called = |key: &AttributeKey, wanted: &str| match key.index {
            0 => key.text == wanted,
            index => dictionary.text(index) == wanted,
        };
        let value = |wanted: &str| {
            let found = tables.resources[resource].iter().find(|it| is_called(&it.0, wanted));
            found.and_then(|it| dictionary.value(&it.1)).filter(|it| !it.is_empty()).map(str::to_owned)
        };
        let pid = value("process.pid");
        let process = value(PROCESS).or_else(|| pid.clone());
        let program = value("service.name").or_else(|| value("process.executable.name"));
        Self {
            session: value(SESSION).and_then(|it| it.parse().ok()),
            process: process.unwrap_or_else(|| format!("resource {resource}")),
            pid,
            program: program.unwrap_or_default(),
        }
    }
}

struct Reader<'t> {
    tables: &'t OtlpTables,
    measured: MeasuredValues,
    layout: Layout,
    stacks: OtlpStacks<'t>,
    threads: Vec<OtlpThread>,
    resources: FxHashMap<usize, Resource>,
    /// By session, process, and the id and name of the thread.
    thread_of: FxHashMap<(u64, String, String, String), usize>,
    /// By resource, link and attributes: the thread and the labels.
    known: FxHashMap<Vec<u64>, (usize, u32)>,
    negative: u64,
}

impl Reader<'_> {
    fn add(&mut self, profile: usize, builder: &mut ProfileBuilder) {
        let counts = (!self.measured.counts).then(|| self.tables.counts_of(profile)).flatten();
        let profile = &self.tables.profiles[profile];
        let samples = &profile.samples;
        let (mut key, mut last): (Vec<u64>, _) = (Vec::new(), None);
        for (index, &stack) in samples.stacks.iter().enumerate() {
            let attributes = samples.field(index, self.layout.attributes);
            let link = samples.field(index, self.layout.link).first().copied().unwrap_or(0);
            // Most samples have the same attributes as the previous one.
            if last.is_none() || key[1] != link || key[2..] != *attributes {
                key.clear();
                key.extend([profile.resource as u64, link]);
                key.extend_from_slice(attributes);
                last = self.known.get(&key).copied();
            }
            let (thread, labels) = *last.get_or_insert_with(|| {
                let found = self.thread_and_labels(profile.resource, link, attributes, builder);
                self.known.insert(key.clone(), found);
                found
            });
            let known = self.stacks.get(stack, builder);
            let (values, times) = (samples.field(index, self.layout.values), samples.field(index, TIMES));
            let counted = counts.map(|it| it.samples.field(index, self.layout.values));
            let thread = &mut self.threads[thread];
            let is_parallel = values.is_empty() || values.len() == times.len();
            for at in 0..if values.is_empty() { times.len() } else { values.len() } {
                let value = values.get(at).map_or(1, |&it| it as i64);
                self.negative += u64::from(value < 0);
                let many = match (self.measured.counts, counted) {
                    (true, _) => value,
                    (false, Some(counted)) => counted.get(at).map_or(1, |&it| it as i64),
                    (false, None) => 1,
                };
                let time = amount(value.max(0) as f64 * self.measured.worth);
                let weight = Weight { time, samples: many.clamp(0, i64::from(u32::MAX)).unsigned_abs() };
                let taken = times.get(at).filter(|_| is_parallel).and_then(|&it| i64::try_from(it).ok());
                thread.scripts += if known.has_script { weight.samples } else { 0 };
                thread.observed.push(Observed { taken, on: known.on, place: known.place, weight, labels });
            }
        }
    }

    fn thread_and_labels(
        &mut self,
        resource: usize,
        link: u64,
        attributes: &[u64],
        builder: &mut ProfileBuilder,
    ) -> (usize, u32) {
        let dictionary = &self.tables.dictionary;
        let (mut name, mut id, mut labels) = ("", "", Vec::new());
        for &attribute in attributes {
            match u32::try_from(attribute).ok().and_then(|it| dictionary.attribute(it)) {
                Some(("thread.name", value)) => name = value,
                Some(("thread.id", value)) => id = value,
                Some((key, value)) => labels.push((builder.string(key), builder.string(value))),
                None => {}
            }
        }
        let link = usize::try_from(link).ok().and_then(|it| dictionary.links.get(it));
        for (key, value) in ["trace_id", "span_id"].into_iter().zip(link.into_iter().flatten()) {
            if !value.is_empty() {
                labels.push((builder.string(key), builder.string(value)));
            }
        }
        (self.thread(resource, id, name), builder.labels(labels))
    }

    fn thread(&mut self, resource: usize, id: &str, name: &str) -> usize {
        let resource = self.resources.entry(resource).or_insert_with(|| Resource::of(self.tables, resource));
        let key = (resource.session.unwrap_or(0), resource.process.clone(), id.to_owned(), name.to_owned());
        let next = self.threads.len();
        let found = *self.thread_of.entry(key).or_insert(next);
        if found == next {
            let name = if name.is_empty() && id.is_empty() { &*resource.program } else { name };
            let pid = resource.pid.as_ref().map(|it| format!("pid {it}"));
            let tid = Some(id).filter(|it| !it.is_empty()).map(|it| format!("tid {it}"));
            let numbers: Vec<String> = pid.into_iter().chain(tid).collect();
            let name = match (numbers.is_empty(), name) {
                (true, name) => name.to_owned(),
                (false, "") => format!("thread ({})", numbers.join(", ")),
                (false, name) => format!("{name} ({})", numbers.join(", ")),
            };
            self.threads.push(OtlpThread {
                name,
                session: resource.session.unwrap_or(0),
                process: resource.process.clone(),
                is_converted: resource.session.is_some(),
                ..OtlpThread::default()
            });
        }
        found
    }

    /// Ends the threads, session by session.
    fn finish(self, builder: &mut ProfileBuilder) {
        let Self { stacks, mut threads, negative, .. } = self;
        if stacks.lost > 0 {
            let what = format!("{} at nothing", count(stacks.lost, "frame points", "frames point"));
            builder.problem(what, "they were left out of their stacks");
        }
        if stacks.has_left_out() {
            builder.problem("it has too many inlined calls".to_owned(), "some are left out of their stacks");
        }
        if negative > 0 {
            let what = format!("{} of negative weight", count(negative, "sample", "samples"));
            builder.problem(what, "they count as nothing");
        }
        let with_scripts: FxHashSet<String> =
            threads.iter().filter(|it| it.scripts > 0).map(|it| it.process.clone()).collect();
        let before = threads.len();
        threads.retain(|it| it.is_converted || with_scripts.is_empty() || with_scripts.contains(&it.process));
        if threads.len() < before {
            let left_out = count((before - threads.len()) as u64, "thread is", "threads are");
            builder.problem(format!("{left_out} of processes that ran no JavaScript"), "they were left out");
        }
        let mut sessions: BTreeMap<u64, Vec<OtlpThread>> = BTreeMap::new();
        threads.into_iter().for_each(|it| sessions.entry(it.session).or_default().push(it));
        for session in sessions.into_values() {
            let first = builder.threads();
            session.into_iter().for_each(|it| it.finish(self.measured, builder));
            builder.end_session(first);
        }
    }
}

impl OtlpThread {
    fn finish(mut self, measured: MeasuredValues, builder: &mut ProfileBuilder) {
        let is_timed = self.observed.iter().all(|it| it.taken.is_some());
        let mut timeline = Timeline::default();
        if is_timed {
            self.observed.sort_by_key(|it| it.taken);
            let first = self.observed.first().and_then(|it| it.taken).unwrap_or(0);
            builder.thread_starts_at(first);
            let mut before = first;
            for taken in self.observed.iter().filter_map(|it| it.taken) {
                timeline.push(taken.saturating_sub(before));
                before = taken;
            }
        }
        let mut times = timeline.times();
        let mut all = Weight::default();
        for &Observed { on, place, weight, labels, .. } in &self.observed {
            if let Some(taken) = times.next() {
                builder.next_sample_at(taken);
            }
            builder.next_sample_has(labels);
            builder.add_sample_at(on, place, weight);
            all.time += weight.time;
            all.samples = all.samples.saturating_add(weight.samples);
        }
        drop(times);
        let process = builder.process(&self.process);
        let interval = timeline.into_median().map(span).filter(|it| *it > Amount(0));
        builder.end_thread(Thread {
            name: self.name,
            process,
            unit: measured.unit,
            samples: all.samples,
            duration: all.time,
            interval,
            ..Thread::default()
        });
        let order = u64::MAX - builder.threads() as u64;
        builder.thread_is_important(if self.is_converted { order } else { self.scripts });
    }
}
