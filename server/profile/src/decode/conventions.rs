//! What formats other than V8's have in common: how they name what has no name, and the weight of a sample.

use crate::builder::ProfileBuilder;
use crate::model::Amount;
use crate::timeline;

/// The weight of a lone sample if nothing else is known: the browsers' usual interval, in nanoseconds.
pub(super) const USUAL_INTERVAL: i64 = 10_000_000;
/// Intervals above this, and above ten times the median, are gaps in the recording.
const LONG_INTERVAL: i64 = 1_000_000_000;

/// The weight of a sample in a file that only counts them, in nanoseconds.
pub(super) const COUNTED: f64 = timeline::COUNTED.0 as f64;

/// Records that a file only counts samples.
pub(super) fn note_counts(builder: &mut ProfileBuilder) {
    builder.counts_samples();
    builder.problem("it counts samples and does not say how long one is".to_owned(), "each is shown as 1 ms");
}

/// The name of a function; empty if the name only says that there is none.
pub(super) fn named(name: &str) -> &str {
    if name == "(anonymous)" { "" } else { name }
}

/// Whether a weight is a gap in a recording whose samples usually stand for `typical`.
pub(super) fn is_gap(weight: Amount, typical: i64) -> bool {
    weight > span(typical.saturating_mul(10).max(LONG_INTERVAL))
}

/// A distance between samples; 0 if it is negative.
pub(super) fn span(distance: i64) -> Amount {
    Amount(distance.max(0).unsigned_abs())
}
