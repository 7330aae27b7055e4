//! What a page marked on the axis of time: `performance.mark` and `performance.measure`, and where it was opened.
//!
//! Blink writes these in the category `blink.user_timing`, a measure as a pair of events with an id. Its own marks, those
//! of Navigation Timing, are in the same category; only the one with which a page begins is used here.

use crate::model::MarkerKind;

/// The category of marks and measures.
pub(super) const CATEGORY: &[u8] = b"blink.user_timing";
/// At most this many beginnings and ends of measures are kept.
const MAX_EDGES: usize = 1 << 18;
const NAVIGATION: &str = "navigationStart";
/// Marks of the browser: those of Navigation Timing, which DevTools does not count as the page's own either.
const OF_BROWSER: [&str; 21] = [
    "unloadEventStart",
    "unloadEventEnd",
    "redirectStart",
    "redirectEnd",
    "fetchStart",
    "commitNavigationEnd",
    "domainLookupStart",
    "domainLookupEnd",
    "connectStart",
    "connectEnd",
    "secureConnectionStart",
    "requestStart",
    "responseStart",
    "responseEnd",
    "domLoading",
    "domInteractive",
    "domContentLoadedEventStart",
    "domContentLoadedEventEnd",
    "domComplete",
    "loadEventStart",
    "loadEventEnd",
];

/// A marker of a page.
#[derive(Debug)]
pub(super) struct PageMarker {
    pub(super) process: String,
    pub(super) name: String,
    pub(super) kind: MarkerKind,
    /// In nanoseconds on the clock of the trace.
    pub(super) start: i64,
    pub(super) end: i64,
}

/// An event of the category.
pub(super) struct TimingEvent {
    pub(super) process: String,
    pub(super) name: String,
    pub(super) phase: u8,
    pub(super) id: String,
    pub(super) time: i64,
    /// Whether a page was opened, as opposed to a frame in it.
    pub(super) opens_page: bool,
}

/// Everything found so far.
#[derive(Default)]
pub(super) struct PageMarkers {
    found: Vec<PageMarker>,
    /// The process, name and id of measures, when they begin or end, and whether they end; sorted, these are pairs.
    edges: Vec<(String, String, String, i64, bool)>,
}

impl PageMarkers {
    /// Stores an event.
    pub(super) fn add(&mut self, event: TimingEvent) {
        let TimingEvent { process, name, phase, id, time, opens_page } = event;
        match phase {
            b'b' | b'e' if self.edges.len() < MAX_EDGES => {
                self.edges.push((process, name, id, time, phase == b'e'));
            }
            b'R' | b'I' | b'i' if self.found.len() < MAX_EDGES => {
                let (kind, name) = match &*name {
                    NAVIGATION if opens_page => (MarkerKind::Navigation, "navigation".to_owned()),
                    name if name == NAVIGATION || OF_BROWSER.contains(&name) => return,
                    _ => (MarkerKind::UserTiming, name),
                };
                self.found.push(PageMarker { process, name, kind, start: time, end: time });
            }
            _ => {}
        }
    }

    /// All markers; a measure without an end is dropped.
    pub(super) fn finish(mut self) -> Vec<PageMarker> {
        self.edges.sort();
        let mut edges = self.edges.into_iter().peekable();
        while let Some((process, name, id, start, is_end)) = edges.next() {
            let ends = |it: &(String, String, String, i64, bool)| {
                it.4 && (&it.0, &it.1, &it.2) == (&process, &name, &id)
            };
            if let Some((.., end, _)) = edges.next_if(|it| !is_end && ends(it)) {
                self.found.push(PageMarker { process, name, kind: MarkerKind::UserTiming, start, end });
            }
        }
        self.found
    }
}
