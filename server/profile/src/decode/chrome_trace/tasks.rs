//! What the threads of a trace did, event by event: their tasks, when they ran JavaScript, and when they computed style and layout.
//!
//! Which threads were profiled is only known once the whole trace was read, because events come in any order. So the
//! events of all threads are kept, packed: a usual one takes five or six bytes.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use crate::decode::json::Number;
use crate::decode::v8::events::{EventKind, NO_SAMPLE, ThreadEvent};
use crate::model::RenderingKind;

/// The member of an event with the id of the sample that was taken for it.
pub(super) const SAMPLE: &[u8] = b"sampleTraceId";

/// The events of all threads.
#[derive(Default)]
pub(super) struct Tasks {
    threads: Vec<PackedEvents>,
    by_label: FxHashMap<(String, String), usize>,
    by_number: FxHashMap<(i64, i64), usize>,
    /// The last requested thread.
    last: Option<((i64, i64), usize)>,
}

/// One event that has a place in time.
pub(super) struct Task {
    pub(super) phase: Phase,
    pub(super) kind: EventKind,
    /// In nanoseconds, like `duration`, which only complete events have.
    pub(super) start: i64,
    pub(super) duration: i64,
    /// The id of the sample that was taken for it; only for style and layout.
    pub(super) sample: Option<u64>,
}

/// What an event says about its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Complete,
    Begin,
    End,
}

#[derive(Default)]
struct PackedEvents {
    bytes: Vec<u8>,
    last: i64,
}

/// Converts a trace's microseconds to nanoseconds.
pub(super) fn nanos(micros: Number) -> i64 {
    match micros {
        Number::Integer(micros) => micros.saturating_mul(1000),
        Number::Float(micros) => (micros * 1000.0).round() as i64,
    }
}

/// The identity of a sample. V8 draws ids at random from all 64-bit numbers.
pub(super) fn sample_id(number: Number) -> u64 {
    match number {
        Number::Integer(id) => id as u64,
        Number::Float(id) => id.to_bits(),
    }
}

impl Phase {
    pub(super) fn of(text: &[u8]) -> Option<Self> {
        match text {
            b"X" => Some(Self::Complete),
            b"B" => Some(Self::Begin),
            b"E" => Some(Self::End),
            _ => None,
        }
    }
}

impl Tasks {
    /// Adds an event of a thread that is identified by numbers, as nearly all are.
    #[inline]
    pub(super) fn add_numbered(&mut self, process: i64, thread: i64, task: &Task) {
        let key = (process, thread);
        let index = match self.last {
            Some((last, index)) if last == key => index,
            _ => match self.by_number.get(&key) {
                Some(&index) => index,
                None => {
                    let index = self.index(process.to_string(), thread.to_string());
                    self.by_number.insert(key, index);
                    index
                }
            },
        };
        self.last = Some((key, index));
        self.threads[index].add(task);
    }

    /// Adds what another thread has read.
    pub(super) fn append(&mut self, others: &Tasks) {
        for ((process, thread), &other) in &others.by_label {
            let index = self.index(process.clone(), thread.clone());
            others.threads[other].tasks().for_each(|task| self.threads[index].add(&task));
        }
    }

    pub(super) fn add(&mut self, process: String, thread: String, task: &Task) {
        let index = self.index(process, thread);
        self.threads[index].add(task);
    }

    /// The events of a thread, in order of their start, longer ones first. `sample` finds a sample's node by its id.
    pub(super) fn of_thread(
        &self,
        process: &str,
        thread: &str,
        sample: impl Fn(u64) -> Option<u32>,
    ) -> Vec<ThreadEvent> {
        let index = self.by_label.get(&(process.to_owned(), thread.to_owned()));
        index.map_or_else(Vec::new, |&index| self.threads[index].events(sample))
    }

    fn index(&mut self, process: String, thread: String) -> usize {
        let threads = &mut self.threads;
        *self.by_label.entry((process, thread)).or_insert_with(|| {
            threads.push(PackedEvents::default());
            threads.len() - 1
        })
    }
}

/// The bits of an event's first byte: two for its phase, three for its kind, and these.
const HAS_SAMPLE: u8 = 1 << 5;
const IN_MICROSECONDS: u8 = 1 << 6;
const PHASES: [Phase; 3] = [Phase::Complete, Phase::Begin, Phase::End];
const KINDS: [EventKind; 5] = [
    EventKind::Other,
    EventKind::Task,
    EventKind::Script,
    EventKind::Rendering(RenderingKind::Style),
    EventKind::Rendering(RenderingKind::Layout),
];

impl PackedEvents {
    fn add(&mut self, task: &Task) {
        // For events that nobody asks for, only the two edges are needed: others lie within them.
        if task.phase == Phase::Complete && task.kind == EventKind::Other {
            return;
        }
        let later = task.start.wrapping_sub(self.last);
        self.last = task.start;
        let in_micros = later % 1000 == 0 && task.duration % 1000 == 0;
        let unit = if in_micros { 1000 } else { 1 };
        let flags =
            if in_micros { IN_MICROSECONDS } else { 0 } | if task.sample.is_some() { HAS_SAMPLE } else { 0 };
        let kind = KINDS.iter().position(|kind| *kind == task.kind).unwrap_or_default() as u8;
        self.bytes.push(task.phase as u8 | kind << 2 | flags);
        let later = later / unit;
        self.push((later << 1 ^ later >> 63) as u64);
        if task.phase == Phase::Complete {
            self.push((task.duration / unit).max(0).unsigned_abs());
        }
        if let Some(sample) = task.sample {
            self.push(sample);
        }
    }

    /// Writes seven bits per byte, lowest first; the highest bit says that more follow.
    fn push(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    /// The events in the order in which they were added.
    fn tasks(&self) -> impl Iterator<Item = Task> {
        let (mut bytes, mut last) = (self.bytes.iter().copied(), 0i64);
        std::iter::from_fn(move || {
            let head = bytes.next()?;
            let (phase, kind) = (PHASES[usize::from(head & 3)], KINDS[usize::from(head >> 2 & 7)]);
            let unit = if head & IN_MICROSECONDS == 0 { 1 } else { 1000 };
            let later = pop(&mut bytes);
            let later = (later >> 1) as i64 ^ -((later & 1) as i64);
            last = last.wrapping_add(later.wrapping_mul(unit));
            let duration = if phase == Phase::Complete { pop(&mut bytes) as i64 * unit } else { 0 };
            let sample = (head & HAS_SAMPLE != 0).then(|| pop(&mut bytes));
            Some(Task { phase, kind, start: last, duration, sample })
        })
    }

    fn events(&self, sample_of: impl Fn(u64) -> Option<u32>) -> Vec<ThreadEvent> {
        let (mut events, mut edges) = (Vec::new(), Vec::new());
        for Task { phase, kind, start, duration, sample } in self.tasks() {
            let sample = sample.and_then(&sample_of);
            match phase {
                Phase::Begin => edges.push((start, Some(events.len()))),
                Phase::End => edges.push((start, None)),
                Phase::Complete => {}
            }
            if phase != Phase::End {
                let (end, sample) = (start.saturating_add(duration), sample.unwrap_or(NO_SAMPLE));
                events.push(ThreadEvent { start, end, sample, kind });
            }
        }
        join(edges, &mut events);
        events.sort_by_key(|event| (event.start, Reverse(event.end)));
        events
    }
}

/// Ends events at their other edge, which closes the last one opened. One that stays open has no length.
fn join(mut edges: Vec<(i64, Option<usize>)>, events: &mut [ThreadEvent]) {
    edges.sort_by_key(|&(time, _)| time);
    let mut open = Vec::new();
    for (time, event) in edges {
        match event {
            Some(event) => open.push(event),
            None => {
                if let Some(event) = open.pop() {
                    events[event].end = time;
                }
            }
        }
    }
}

fn pop(bytes: &mut impl Iterator<Item = u8>) -> u64 {
    let (mut number, mut shift) = (0, 0);
    for byte in bytes {
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
        shift += 7;
    }
    number
}
