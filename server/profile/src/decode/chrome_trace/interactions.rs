//! What the user did, and how long the page took to draw the result: the events of Event Timing that Interaction to Next
//! Paint (INP, https://web.dev/articles/inp) is computed from.
//!
//! A gesture consists of several events, which usually end with the same frame. They are one interaction, as in DevTools
//! (`UserInteractionsHandler` of its trace engine):
//!
//! ```text
//! pointerdown   |delay|processing|.............................| presentation
//! click                          |delay|...processing...|......| presentation
//! interaction   |delay|..............processing.........|......| presentation
//! ```

use std::cmp::Reverse;
use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::label::read_label;
use super::markers::PageMarker;
use crate::decode::error::Result;
use crate::decode::interaction::{Category, INPUT_DELAY, PRESENTATION_DELAY, PROCESSING};
use crate::decode::json::{Json, Number};
use crate::model::MarkerKind;

/// At most this many beginnings and ends of events are kept.
const MAX_EDGES: usize = 1 << 18;
/// Shorter events belong to no interaction, as in DevTools. In milliseconds.
const SHORTEST: f64 = 1.0;

/// What Blink writes about an event when it begins, with times in milliseconds on the clock of the page.
#[derive(Clone, Debug, Default)]
pub(super) struct EventTiming {
    kind: String,
    interaction: String,
    duration: f64,
    /// When the user did it.
    created: f64,
    /// When its listeners ran.
    processing: [f64; 2],
}

/// The beginning or end of an event.
struct Edge {
    /// The process and the id, which the beginning and the end share.
    event: (String, String),
    /// In nanoseconds on the clock of the trace.
    time: i64,
    began: Option<EventTiming>,
}

/// An event with its beginning and its end, in nanoseconds on the clock of the trace.
struct TimedEvent {
    process: String,
    kind: String,
    interaction: String,
    start: i64,
    end: i64,
    processing: [i64; 2],
}

/// The events read so far.
#[derive(Default)]
pub(super) struct Interactions {
    edges: Vec<Edge>,
}

impl EventTiming {
    /// Reads a member of an event's data; `false` if it is not one of these, and its value is still to be read.
    pub(super) fn member(&mut self, key: &[u8], json: &mut Json) -> Result<bool> {
        let number = match key {
            b"type" => {
                self.kind = json.string(str::to_owned)?.unwrap_or_default();
                return Ok(true);
            }
            b"interactionId" => {
                self.interaction = read_label(json)?;
                return Ok(true);
            }
            b"duration" => &mut self.duration,
            b"timeStamp" => &mut self.created,
            b"processingStart" => &mut self.processing[0],
            b"processingEnd" => &mut self.processing[1],
            _ => return Ok(false),
        };
        *number = json.number()?.map_or(0.0, Number::as_f64);
        Ok(true)
    }

    /// Whether it is part of an interaction. Pointer moves are not, and have the id 0.
    fn is_of_interaction(&self) -> bool {
        let has_id = !matches!(&*self.interaction, "" | "0");
        let [from, to] = self.processing;
        has_id
            && self.duration >= SHORTEST
            && !self.kind.is_empty()
            && self.created > 0.0
            && from > 0.0
            && to > 0.0
    }
}

impl Interactions {
    /// Stores an event.
    pub(super) fn add(&mut self, event: (String, String), phase: u8, time: i64, timing: EventTiming) {
        let began = match phase {
            b'b' if timing.is_of_interaction() => Some(timing),
            b'e' => None,
            _ => return,
        };
        if self.edges.len() < MAX_EDGES {
            self.edges.push(Edge { event, time, began });
        }
    }

    /// A marker for each interaction and for each of its three parts.
    pub(super) fn finish(self) -> Vec<PageMarker> {
        let mut gestures: FxHashMap<(String, Category, i64), Gesture> = FxHashMap::default();
        for event in self.events() {
            match gestures.entry((event.process.clone(), Category::of(&event.kind), event.end)) {
                Entry::Vacant(first) => _ = first.insert(Gesture::of(event)),
                Entry::Occupied(mut gesture) => gesture.get_mut().add(event),
            }
        }
        let mut gestures: Vec<Gesture> = gestures.into_values().collect();
        gestures.sort_by(|a, b| {
            (a.first.start, a.first.end, a.name()).cmp(&(b.first.start, b.first.end, b.name()))
        });
        gestures.iter().flat_map(Gesture::markers).collect()
    }

    /// The events that ended, in order.
    fn events(self) -> Vec<TimedEvent> {
        let mut edges = self.edges;
        edges.sort_by_key(|edge| (edge.time, edge.began.is_none()));
        let mut open: FxHashMap<(String, String), Vec<(i64, EventTiming)>> = FxHashMap::default();
        let mut events = Vec::new();
        for Edge { event, time, began } in edges {
            if let Some(timing) = began {
                open.entry(event).or_default().push((time, timing));
            } else if let Some((start, timing)) = open.get_mut(&event).and_then(Vec::pop) {
                let on_trace = |moment: f64| start + ((moment - timing.created) * 1e6).round() as i64;
                let processing = timing.processing.map(on_trace);
                let (kind, interaction) = (timing.kind, timing.interaction);
                events.push(TimedEvent { process: event.0, kind, interaction, start, end: time, processing });
            }
        }
        events.sort_by_key(|event| (event.start, Reverse(event.end)));
        events
    }
}

/// Events of one category that end at the same time.
struct Gesture {
    /// The one that began first, with the listeners of all.
    first: TimedEvent,
    is_click: bool,
}

impl Gesture {
    fn of(first: TimedEvent) -> Self {
        Self { is_click: first.kind == "click", first }
    }

    fn add(&mut self, event: TimedEvent) {
        self.is_click |= event.kind == "click";
        let length = |event: &TimedEvent| event.processing[1] - event.processing[0];
        let is_same = (event.start, &event.interaction) == (self.first.start, &self.first.interaction);
        if is_same && length(&event) > length(&self.first) {
            // Of equal events, DevTools shows the one with the slowest listeners, without the listeners of the others.
            self.first = event;
            return;
        }
        let [from, to] = &mut self.first.processing;
        (*from, *to) = ((*from).min(event.processing[0]), (*to).max(event.processing[1]));
    }

    fn name(&self) -> &str {
        if self.is_click { "click" } else { &self.first.kind }
    }

    /// The whole interaction and its parts, named as in INP. A part that took no time gets the shortest possible one,
    /// because a marker without a length lasts until the next one.
    fn markers(&self) -> [PageMarker; 4] {
        let TimedEvent { start, end, processing: [from, to], .. } = self.first;
        let spans = [
            ("", MarkerKind::Interaction, start, end),
            (INPUT_DELAY, MarkerKind::Other, start, from),
            (PROCESSING, MarkerKind::Other, from, to),
            (PRESENTATION_DELAY, MarkerKind::Other, to, end),
        ];
        spans.map(|(part, kind, start, end)| PageMarker {
            process: self.first.process.clone(),
            name: format!("{} interaction{part}", self.name()),
            kind,
            start,
            end: end.max(start + 1),
        })
    }
}
