//! Which lines the self time of functions was spent on.
//!
//! Where a line is known, it is the line at which the function on top of the stack was (`self_places`). Time of which it is
//! not known adds to no line.
//!
//! DevTools gives a tick of a `.cpuprofile` the duration of the profile divided by all its hits, and in a Chrome trace a sample
//! the time since the sample before. Where samples are taken at even distances all is the same; where they are not, only
//! parts of the self time add up to what the function cost.

use crate::model::{Amount, FunctionId, SeenPlace};
use crate::scope::Selection;

/// Self time of a function at one place of its script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineCost {
    /// The function.
    pub function: FunctionId,
    /// 0-based line of its script.
    pub line: u32,
    /// 0-based column, where the trace has it.
    pub column: Option<u32>,
    /// A part of its self time.
    pub time: Amount,
}

/// What the places of each function cost it, sorted.
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
    // The same place, called from several.
    lines.dedup_by(|next, kept| {
        let same = (next.function, next.line, next.column) == (kept.function, kept.line, kept.column);
        if same {
            kept.time += next.time;
        }
        same
    });
    lines
}
