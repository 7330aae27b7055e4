//! Which lines the self time of functions was spent on.
//!
//! A trace says how often the top function of a stack was seen on a line. The self time of the stack is shared out among
//! its lines by these ticks:
//!
//! ```text
//! stack      self time   ticks on lines           shares
//! main       10 ms       line 3: 1, line 5: 2     main: line 3 = 3.333333 ms, line 5 = 6.666667 ms
//! main;work  20 ms       line 9: 4                work: line 9 = 20 ms
//! ```
//!
//! Shares are whole nanoseconds and add up to the self time of the stack: each ends where all ticks up to its own end, rounded
//! down. A stack without ticks adds to no line.
//!
//! DevTools gives a tick of a `.cpuprofile` the duration of the profile divided by all its hits, and in a Chrome trace the time
//! since the sample before. Where samples are taken at even distances all three are the same; where they are not, only shares
//! of the self time add up to what the function cost.

use rustc_hash::FxHashMap;

use crate::{Amount, FunctionId, Selection, StackId, Weight};

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

/// Each stack's self time, shared out by its ticks.
pub(super) fn lines(selection: &Selection<'_>, own: &[(StackId, Weight)]) -> Vec<LineCost> {
    let mut times: FxHashMap<(FunctionId, u32, Option<u32>), Amount> = FxHashMap::default();
    let mut own = own.iter().peekable();
    for ticks in selection.ticks.chunk_by(|a, b| a.stack == b.stack) {
        let stack = ticks[0].stack;
        while own.next_if(|it| it.0 < stack).is_some() {}
        let whole = own.peek().filter(|it| it.0 == stack).map_or(Amount(0), |it| it.1.time);
        let function = selection.stacks.function[stack.0 as usize];
        let sum: u64 = ticks.iter().map(|it| u64::from(it.ticks)).sum();
        let (mut counted, mut given) = (0, Amount(0));
        for tick in ticks {
            counted += u64::from(tick.ticks);
            let until = Amount((u128::from(whole.0) * u128::from(counted) / u128::from(sum.max(1))) as u64);
            let time = until - given;
            given = until;
            *times.entry((function, tick.line, tick.column)).or_default() += time;
        }
    }
    let cost = |((function, line, column), time)| LineCost { function, line, column, time };
    let mut lines: Vec<_> = times.into_iter().map(cost).collect();
    lines.sort_unstable_by_key(|it| (it.function, it.line, it.column));
    lines
}
