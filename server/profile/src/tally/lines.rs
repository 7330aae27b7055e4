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
//! Shares are whole nanoseconds, and the last line of a stack gets the remainder: so they add up to its self time. A stack
//! without ticks adds to no line.

use rustc_hash::FxHashMap;

use crate::{Amount, Selection, StackId, Weight};

/// Self time of a key on one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineCost {
    /// The key.
    pub key: u32,
    /// 0-based line of its script.
    pub line: u32,
    /// A part of its self time.
    pub time: Amount,
}

/// Each stack's self time, shared out by its ticks; the remainder of the division goes to its last line.
pub(super) fn lines(selection: &Selection<'_>, own: &[(StackId, Weight)], key_of: &[u32]) -> Vec<LineCost> {
    let mut times: FxHashMap<(u32, u32), Amount> = FxHashMap::default();
    let mut own = own.iter().peekable();
    for ticks in selection.ticks.chunk_by(|a, b| a.stack == b.stack) {
        let stack = ticks[0].stack;
        while own.next_if(|it| it.0 < stack).is_some() {}
        let whole = own.peek().filter(|it| it.0 == stack).map_or(Amount(0), |it| it.1.time);
        let key = key_of[selection.stacks.function[stack.0 as usize].0 as usize];
        let sum: u64 = ticks.iter().map(|it| u64::from(it.ticks)).sum();
        let mut rest = whole;
        for (index, tick) in ticks.iter().enumerate() {
            let part = u128::from(whole.0) * u128::from(tick.ticks) / u128::from(sum.max(1));
            let time = if index + 1 == ticks.len() { rest } else { Amount(part as u64) };
            rest = rest - time;
            *times.entry((key, tick.line)).or_default() += time;
        }
    }
    let mut lines: Vec<_> =
        times.into_iter().map(|((key, line), time)| LineCost { key, line, time }).collect();
    lines.sort_unstable_by_key(|it| (it.key, it.line));
    lines
}
