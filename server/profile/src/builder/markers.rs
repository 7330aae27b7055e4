//! Puts the markers of all sessions, and what functions forced on their threads, on the axes of the sessions, which are
//! known once all threads are.

use rustc_hash::FxHashMap;

use crate::model::{Amount, Marker, MarkerKind, Profile, StringId, Thread};

/// At most this many markers of each kind are kept.
const MAX_MARKERS: usize = 100_000;

/// A marker with its times on the clock of the trace.
#[derive(Debug)]
pub(super) struct PendingMarker {
    pub(super) name: StringId,
    pub(super) kind: MarkerKind,
    pub(super) process: u32,
    /// The number of the thread that was being built; the marker is from the same session.
    pub(super) thread: usize,
    pub(super) start: i64,
    pub(super) end: i64,
}

/// The markers read so far.
#[derive(Debug, Default)]
pub(super) struct PendingMarkers {
    markers: Vec<PendingMarker>,
    /// The number of markers of each kind, including those above the limit.
    marked: [usize; MarkerKind::ALL.len()],
}

impl PendingMarkers {
    pub(super) fn add(&mut self, marker: PendingMarker) {
        let number = &mut self.marked[marker.kind as usize];
        *number += 1;
        if *number <= MAX_MARKERS {
            self.markers.push(marker);
        }
    }

    /// Puts the markers on the axes of their sessions, given when each thread starts; markers of a session without an
    /// axis are left out. Returns the number of markers that were too many to keep.
    pub(super) fn place(&mut self, profile: &mut Profile, starts: &[Option<i64>]) -> usize {
        let mut origins: FxHashMap<u32, i64> = FxHashMap::default();
        for (thread, start) in profile.threads.iter().zip(starts) {
            if let &Some(start) = start {
                let origin = origins.entry(thread.session).or_insert(start);
                *origin = start.min(*origin);
            }
        }
        let threads = &profile.threads;
        let placed = self.markers.drain(..).filter_map(|it| {
            let session = threads.get(it.thread)?.session;
            let origin = *origins.get(&session)?;
            let (start, end) = (since(origin, it.start), since(origin, it.end));
            let PendingMarker { name, kind, process, .. } = it;
            Some(Marker { name, kind, session, process, start, duration: end - start })
        });
        profile.markers.extend(placed);
        self.marked.iter().map(|it| it.saturating_sub(MAX_MARKERS)).sum()
    }
}

/// A moment on the axis that begins at `origin`; earlier moments are at its start.
pub(super) fn since(origin: i64, moment: i64) -> Amount {
    Amount(moment.saturating_sub(origin).max(0).unsigned_abs())
}

/// Counts what was forced on a thread from the start of the axis; until then, it is counted from the first sample of the thread.
pub(super) fn put_on_axis(thread: &mut Thread) {
    let start = thread.start.unwrap_or_default();
    for forced in &mut thread.forced {
        forced.start = Amount(forced.start.0.saturating_add(start.0));
    }
}
