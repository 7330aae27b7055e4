//! The ticks of a thread, in an order that does not depend on that of the trace.

use crate::model::PlaceTable;
use crate::model::PlaceTicks;

/// Ticks of each stack and place, added up, by stack and line: so shares of them are rounded alike whatever the order of the
/// trace.
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
