//! Orders the ticks of a thread independently of the order in the trace.

use crate::model::PlaceTable;
use crate::model::PlaceTicks;

/// Adds up the ticks of each stack and place, ordered by stack and line. Shares of them are then rounded the same way
/// whatever the order in the trace.
pub(super) fn summed_ticks(mut ticks: Vec<PlaceTicks>, places: &PlaceTable) -> Vec<PlaceTicks> {
    ticks.sort_unstable_by_key(|it| (it.stack, places.line(it.place), it.place));
    ticks.dedup_by(|next, kept| {
        let same = (next.stack, next.place) == (kept.stack, kept.place);
        if same {
            kept.ticks = kept.ticks.saturating_add(next.ticks);
        }
        same
    });
    ticks.shrink_to_fit();
    ticks
}
