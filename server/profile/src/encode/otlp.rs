//! OTLP's protobuf: samples by stack, place and labels, with their times if the trace has them.
//!
//! <https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/profiles/v1development/profiles.proto>,
//! with the field numbers of 1.10. Each thread is a resource of its own, because its session and process are attributes
//! of that. The dictionary comes last, once all of it is known; index 0 of its tables stands for nothing. Stacks begin
//! with the innermost frame; lines and columns count from 1. A function has no column, so its locations say where it
//! starts (`proflens.start_column`).

mod dictionary;

use std::io::{self, Write};
use std::time::UNIX_EPOCH;

use rustc_hash::FxHashMap;

use self::dictionary::OtlpDictionary;
use super::names::thread_name;
use super::protobuf::Message;
use crate::model::{OffStack, PlaceId, Profile, StackId, Thread, Unit, Weight};

pub(super) fn write(profile: &Profile, threads: &[Thread], out: &mut dyn Write) -> io::Result<()> {
    let mut dictionary = OtlpDictionary::new(profile);
    for index in 0..threads.len() {
        let resource = resource(profile, threads, index, &mut dictionary);
        let mut file = Message::default();
        file.bytes(1, &resource.0);
        out.write_all(&file.0)?;
    }
    dictionary.write(out)
}

/// A `ResourceProfiles` for a thread.
fn resource(
    profile: &Profile,
    threads: &[Thread],
    index: usize,
    dictionary: &mut OtlpDictionary<'_>,
) -> Message {
    let thread = &threads[index];
    let mut resource = Message::default();
    for (key, number) in [("proflens.session", thread.session), ("proflens.process", thread.process)] {
        let (mut attribute, mut value) = (Message::default(), Message::default());
        // A number is written even if it is 0: a value without a field is no value.
        value.oneof_number(3, u64::from(number));
        attribute.bytes(1, key.as_bytes());
        attribute.bytes(2, &value.0);
        resource.bytes(1, &attribute.0);
    }
    let (mut scope, mut of_scope) = (Message::default(), Message::default());
    scope.bytes(1, b"proflens");
    scope.bytes(2, env!("CARGO_PKG_VERSION").as_bytes());
    of_scope.bytes(1, &scope.0);
    let name = (threads.len() > 1 || !thread.name.is_empty()).then(|| thread_name(threads, index));
    let name = name.map(|it| dictionary.text_attribute("thread.name", &it));
    let groups = groups(profile, thread, name, dictionary);
    // The names that Node's pprof module uses.
    let (counted, measured, unit) = match profile.unit {
        Unit::Time => ("samples", "wall", "nanoseconds"),
        Unit::Bytes => ("objects", "space", "bytes"),
    };
    let facts = Facts::of(profile, thread);
    let values = groups.iter().map(|it| (it, &it.values));
    of_scope.bytes(2, &facts.profile((measured, unit), (measured, unit), values, dictionary).0);
    if groups.iter().flat_map(|it| &it.counts).any(|&it| it != 1) {
        let values = groups.iter().map(|it| (it, &it.counts));
        of_scope.bytes(2, &facts.profile((counted, "count"), (measured, unit), values, dictionary).0);
    }
    let mut of_resource = Message::default();
    of_resource.bytes(1, &resource.0);
    of_resource.bytes(2, &of_scope.0);
    of_resource
}

/// What samples of a group share.
#[derive(Default)]
struct Group {
    stack: u64,
    attributes: Vec<u64>,
    link: u64,
    values: Vec<u64>,
    counts: Vec<u64>,
    /// In nanoseconds since 1970, or since the trace began.
    times: Vec<u64>,
}

/// The samples of a thread in groups, ordered by the first sample of each.
fn groups(
    profile: &Profile,
    thread: &Thread,
    name: Option<u64>,
    dictionary: &mut OtlpDictionary<'_>,
) -> Vec<Group> {
    type Key = (Result<StackId, OffStack>, Option<PlaceId>, u32);
    let mut known: FxHashMap<Key, usize> = FxHashMap::default();
    let mut groups: Vec<Group> = Vec::new();
    let mut add = |(on, place, labels): Key, weight: Weight, taken: Option<u64>| {
        let next = groups.len();
        let found = *known.entry((on, place, labels)).or_insert(next);
        if found == next {
            let stack = dictionary.stack(on, place);
            let (mut attributes, link) = dictionary.labels(labels);
            attributes.extend(name);
            groups.push(Group { stack, attributes, link, ..Group::default() });
        }
        let group = &mut groups[found];
        match (taken, group.values.first_mut(), group.counts.first_mut()) {
            (None, Some(value), Some(many)) => {
                *value += weight.time.0;
                *many += weight.samples;
            }
            _ => {
                group.values.push(weight.time.0);
                group.counts.push(weight.samples);
                group.times.extend(taken);
            }
        }
    };
    let log = &thread.in_order;
    let is_whole = thread.ticks.is_empty() && thread.on_place.is_empty();
    if !log.is_empty() && (thread.start.is_some() || is_whole) {
        let start = thread.start.map(|it| it.0.saturating_add(recorded(profile)));
        for ((taken, sample, place), labels) in log.with_times_and_places().zip(log.labels()) {
            let function = sample.on.ok().map(|it| profile.stacks.function[it.0 as usize]);
            let place = function.and_then(|it| profile.places.of_function(it, place));
            let taken = start.map(|it| it.saturating_add(taken.max(0).unsigned_abs()));
            add((sample.on, place, labels), sample.weight, taken);
        }
        return groups;
    }
    // How often places were seen is known per stack.
    let mut on_place: Vec<((StackId, PlaceId), Weight)> = Vec::new();
    thread.self_places(&profile.stacks, &profile.places, |stack, place, weight| {
        on_place.push(((stack, place), weight));
    });
    let on_place = crate::model::summed(on_place);
    let mut on_place = on_place.iter().peekable();
    for sample in thread.sums() {
        let mut rest = sample.weight;
        while let Some(&((stack, place), weight)) = on_place.next_if(|it| Ok(it.0.0) == sample.on) {
            add((Ok(stack), Some(place), 0), weight, None);
            rest.time = rest.time - weight.time;
            rest.samples = rest.samples.saturating_sub(weight.samples);
        }
        if rest != Weight::default() || sample.weight == Weight::default() {
            add((sample.on, None, 0), rest, None);
        }
    }
    groups
}

/// When the trace was recorded, in nanoseconds since 1970; 0 if it does not tell.
fn recorded(profile: &Profile) -> u64 {
    let since = profile.recorded.and_then(|it| it.duration_since(UNIX_EPOCH).ok());
    since.and_then(|it| u64::try_from(it.as_nanos()).ok()).unwrap_or_default()
}

/// What the profiles of a thread share.
struct Facts {
    time: u64,
    duration: u64,
    period: u64,
}

impl Facts {
    fn of(profile: &Profile, thread: &Thread) -> Self {
        let is_timed = profile.unit == Unit::Time;
        Self {
            time: recorded(profile),
            duration: if is_timed { thread.duration.0 } else { 0 },
            period: thread.interval.unwrap_or_default().0,
        }
    }

    /// A `Profile` with one number per sample.
    fn profile<'g>(
        &self,
        sample_type: (&'static str, &'static str),
        period_type: (&'static str, &'static str),
        values: impl Iterator<Item = (&'g Group, &'g Vec<u64>)>,
        dictionary: &mut OtlpDictionary<'_>,
    ) -> Message {
        let mut profile = Message::default();
        profile.bytes(1, &dictionary.value_type(sample_type).0);
        for (group, values) in values {
            let mut sample = Message::default();
            sample.number(1, group.stack);
            if !group.attributes.is_empty() {
                sample.numbers(2, &group.attributes);
            }
            sample.number(3, group.link);
            sample.numbers(4, values);
            sample.fixed_numbers(5, &group.times);
            profile.bytes(2, &sample.0);
        }
        if self.time > 0 {
            profile.fixed_number(3, self.time);
        }
        profile.number(4, self.duration);
        if self.period > 0 {
            profile.bytes(5, &dictionary.value_type(period_type).0);
            profile.number(6, self.period);
        }
        profile
    }
}
