//! The samples of a thread one by one, for formats in which each row is one sample: a sum of several becomes that many rows.

use crate::model::{Amount, OffStack, PlaceId, Profile, Sample, StackId, Thread};
use crate::timeline::share;

/// A sum of several samples is written as that number of samples, unless a thread would have more than this.
const MAX_SAMPLES: u64 = 1 << 20;

/// One sample.
pub(super) struct SingleSample {
    /// When it was taken, in nanoseconds since the first of its thread. Samples from one sum follow each other.
    pub(super) taken: i64,
    pub(super) on: Result<StackId, OffStack>,
    /// Where its function was, if the trace tells.
    pub(super) place: Option<PlaceId>,
    pub(super) amount: Amount,
    /// The number of its set of labels.
    pub(super) labels: u32,
}

/// The samples of a thread, in order.
pub(super) fn single_samples<'p>(
    profile: &'p Profile,
    thread: &'p Thread,
) -> impl Iterator<Item = SingleSample> + 'p {
    let most = u128::from(MAX_SAMPLES.min(thread.samples));
    let labelled = thread.in_order.with_times_and_places().zip(thread.in_order.labels());
    labelled.flat_map(move |((taken, sample, place), labels)| {
        let Sample { on, weight } = sample;
        let function = on.ok().map(|it| profile.stacks.function[it.0 as usize]);
        let place = function.and_then(|it| profile.places.of_function(it, place));
        let parts = u128::from(weight.samples) * most / u128::from(thread.samples.max(1));
        let mut next = taken;
        share(weight.time, std::iter::repeat_n(1, parts.max(1) as usize)).map(move |amount| {
            let taken = next;
            next = next.saturating_add_unsigned(amount.0);
            SingleSample { taken, on, place, amount, labels }
        })
    })
}
