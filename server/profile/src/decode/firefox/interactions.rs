//! What the user did on a page and how long the listeners took, from the dispatched events. The events of one gesture,
//! such as `pointerup`, `mouseup` and `click`, were made at the same moment; a `click` on its own was made by a script.
//!
//! ```text
//! pointerup     |delay|processing|
//! click         |......delay..........|......processing......|
//! interaction   |delay|................processing............|
//! ```
//!
//! Firefox does not say which frame showed what an event changed, or whether it changed anything. So an interaction ends
//! here with its listeners.

use super::tables::Millionths;
use crate::builder::ProfileBuilder;
use crate::decode::interaction::{Category, INPUT_DELAY, PROCESSING};
use crate::model::MarkerKind;

/// At most this many events are considered.
const MAX_EVENTS: usize = 1 << 18;
/// Shorter events are no interaction, as in DevTools. In nanoseconds.
const SHORTEST: i64 = 1_000_000;
/// The precision with which times are written, in nanoseconds.
const SAME_MOMENT: i64 = 1000;

/// An event whose listeners ran, on the clock of the session, in nanoseconds.
struct InputEvent {
    category: Category,
    /// When the user did it.
    created: i64,
    /// When its listeners ran.
    listeners: (i64, i64),
    kind: Box<str>,
}

impl InputEvent {
    fn is_click(&self) -> bool {
        &*self.kind == "click"
    }
}

/// The events of a thread.
#[derive(Default)]
pub(super) struct InputEvents {
    events: Vec<InputEvent>,
}

impl InputEvents {
    /// Takes an event of this type, with how long after it was made its listeners were called.
    pub(super) fn add(&mut self, kind: &str, latency: Millionths, listeners: (i64, i64)) {
        let category = Category::of(kind);
        if category != Category::Other && latency.0 >= 0 && self.events.len() < MAX_EVENTS {
            let created = listeners.0.saturating_sub(latency.0);
            self.events.push(InputEvent { category, created, listeners, kind: kind.into() });
        }
    }

    /// Adds a marker for each interaction and for both of its parts.
    pub(super) fn finish(mut self, process: u32, builder: &mut ProfileBuilder) {
        self.events.sort_by_key(|event| (event.category, event.created, event.listeners));
        let gestures = self.events.chunk_by(|event, next| {
            event.category == next.category && next.created.abs_diff(event.created) <= SAME_MOMENT as u64
        });
        let mut gestures: Vec<&[InputEvent]> = gestures.collect();
        gestures.sort_by_key(|gesture| gesture[0].created);
        for gesture in gestures {
            let InputEvent { created, listeners: (from, _), kind, .. } = &gesture[0];
            let to = gesture.iter().map(|event| event.listeners.1).max().unwrap_or(*from);
            if gesture.iter().all(InputEvent::is_click) || to.saturating_sub(*created) < SHORTEST {
                continue;
            }
            let name = if gesture.iter().any(InputEvent::is_click) { "click" } else { kind };
            let spans = [
                ("", MarkerKind::Interaction, *created, to),
                (INPUT_DELAY, MarkerKind::Other, *created, *from),
                (PROCESSING, MarkerKind::Other, *from, to),
            ];
            for (part, kind, start, end) in spans {
                let name = builder.string(&format!("{name} interaction{part}"));
                // A marker without a length would last until the next one with its name.
                builder.marker(name, kind, process, (start, end.max(start.saturating_add(1))));
            }
        }
    }
}
