//! Finds the lines that the self time of functions was spent on.
//!
//! A line, if known, is the line at which the function on top of the stack was (`self_places`). Time without a known
//! line adds to no line.
//!
//! DevTools takes a tick of a `.cpuprofile` for the duration of the profile divided by all its hits, and a sample of a
//! Chrome trace for the time since the previous sample. If samples are evenly spaced, this makes no difference; if not,
//! only parts of the self time add up to what the function cost.

use crate::model::{Amount, FunctionId, SeenPlace};
use crate::scope::Selection;

/// Self time of a function at one place of its script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineCost {
    /// The function.
    pub function: FunctionId,
    /// 0-based line of its script.
    pub line: u32,
    /// 0-based column, if the trace has it.
    pub column: Option<u32>,
    /// The part of the function's self time.
    pub time: Amount,
}

/// The cost of each place of each function, sorted.
pub(super) fn lines(selection: &Selection<'_>) -> Vec<LineCost> {
    let places = &*selection.places;
    let mut times = vec![Amount(0); places.len()];
    for thread in &selection.threads {
        thread.self_places(&selection.stacks, places, |_, place, weight| {
            times[place.0 as usize] += weight.time;
        });
    }
    let cost = |(place, &time): (SeenPlace, &Amount)| {
        let line = place.line.filter(|_| time > Amount(0))?;
        Some(LineCost { function: place.function, line, column: place.column, time })
    };
    let mut lines: Vec<LineCost> = places.iter().zip(&times).filter_map(cost).collect();
    lines.sort_unstable_by_key(|it| (it.function, it.line, it.column));
    // The same place, reached from several callers.
    lines.dedup_by(|next, kept| {
        let same = (next.function, next.line, next.column) == (kept.function, kept.line, kept.column);
        if same {
            kept.time += next.time;
        }
        same
    });
    lines
}
