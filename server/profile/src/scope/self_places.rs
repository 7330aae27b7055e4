//! Finds the places at which the self time of a thread was spent.
//!
//! The whole weight of a sample that has a place belongs there. A `.cpuprofile` only counts how often each stack was seen on a line:
//! there, the self time of a stack is divided in proportion to its counts, and the same counts are used in a window of time.
//!
//! ```text
//! stack      self time   ticks on lines           shares
//! main       10 ms       line 3: 1, line 5: 2     main: line 3 = 3.333333 ms, line 5 = 6.666667 ms
//! main;work  20 ms       line 9: 4                work: line 9 = 20 ms
//! ```
//!
//! Shares are whole nanoseconds and add up to the self time of the stack: each ends where all ticks up to and including
//! its own end, rounded down.

use crate::model::{Amount, PlaceId, Places, StackId, Stacks, Thread, Weight};
use crate::timeline::share;

impl Thread {
    /// Calls back with the parts of the thread's self time whose place is known, each with its stack; a place may come several times.
    pub(crate) fn self_places(
        &self,
        stacks: &Stacks,
        places: &Places,
        mut give: impl FnMut(StackId, PlaceId, Weight),
    ) {
        self.on_place.iter().for_each(|&(stack, place, weight)| give(stack, place, weight));
        for (sample, number) in self.in_order.with_places() {
            if let (Ok(stack), 1..) = (sample.on, number) {
                let function = stacks.function[stack.0 as usize];
                if let Some(place) = places.of_function(function, number) {
                    give(stack, place, sample.weight);
                }
            }
        }
        let mut own = self.on_stack.iter().peekable();
        for ticks in self.ticks.chunk_by(|a, b| a.stack == b.stack) {
            let stack = ticks[0].stack;
            while own.next_if(|it| it.0 < stack).is_some() {}
            let Some(&(_, whole)) = own.peek().filter(|it| it.0 == stack) else { continue };
            let counts = || ticks.iter().map(|it| u64::from(it.ticks));
            let numbers = share(Amount(whole.samples), counts());
            for ((tick, time), Amount(samples)) in ticks.iter().zip(share(whole.time, counts())).zip(numbers)
            {
                give(stack, tick.place, Weight { time, samples });
            }
        }
    }
}
