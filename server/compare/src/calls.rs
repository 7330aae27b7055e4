//! How often functions were called before and after, as counted in separate runs. This distinguishes calls that became
//! slower from more calls.
//!
//! ```text
//! parse    100 ms → 200 ms     600,000 → 1,200,000 calls     a call took as long: more calls
//! print    100 ms → 200 ms          50 → 50 calls            a call took twice as long: slower calls
//! ```
//!
//! Counting changes times, so calls are never counted in the timed runs: the time of a call is the mean time of a run
//! divided by the mean number of calls in a run.

use std::sync::Arc;

use analysis::counts::CallCounts;
use analysis::format::count;
use analysis::summary::DefinitionKey;
use profile::model::{Amount, Unit};
use profile::problem::Problem;
use serde::Serialize;

use crate::run::{Run, RunCost};

/// A change in the number of calls is not named as the cause if it explains less than this fraction of the change of a
/// time, both as logarithms.
const LEAST_PART: f64 = 0.1;

/// How often a function was called in a mean run before and after.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CallsChange {
    /// The calls before and after; `None` if not counted.
    pub calls: [Option<f64>; 2],
    /// Whether its times before are scaled as if it had been called as often as after.
    pub(crate) is_divided: bool,
}

/// Why a time changed, as far as calls tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// It is called more often.
    MoreCalls,
    /// It is called less often.
    FewerCalls,
    /// A call costs more.
    CostlierCalls,
    /// A call costs less.
    CheaperCalls,
}

impl CallsChange {
    /// Calls after divided by calls before; `None` if one of them is not known or 0.
    pub fn ratio(&self) -> Option<f64> {
        let [before, after] = self.calls;
        Some(after.filter(|calls| *calls > 0.0)? / before.filter(|calls| *calls > 0.0)?)
    }

    /// The cost of a call before and after, given the cost of a mean run; `None` if not known.
    pub fn of_a_call(&self, amounts: [Amount; 2]) -> [Option<f64>; 2] {
        let [before, after] = self.calls;
        let divisors = [if self.is_divided { after } else { before }, after];
        [0, 1].map(|side: usize| {
            divisors[side].filter(|calls| *calls > 0.0).map(|calls| amounts[side].0 as f64 / calls)
        })
    }

    /// How the cost of a call changed if that of a run changed by this `ratio`; `None` if not known.
    pub fn ratio_of_a_call(&self, ratio: f64) -> Option<f64> {
        let calls = self.ratio()?;
        Some(if self.is_divided { ratio } else { ratio / calls })
    }

    /// Why a time changed by this `ratio`, which lies in this `interval`; empty if times are already per call, or nothing is known.
    pub(crate) fn causes(&self, ratio: f64, interval: [f64; 2]) -> Vec<Cause> {
        let (Some(calls), false) = (self.ratio(), self.is_divided) else { return Vec::new() };
        let [all, of_calls] = [ratio.ln(), calls.ln()];
        let of_a_call = all - of_calls;
        let has_calls = of_calls.abs() >= all.abs() * LEAST_PART;
        let is_certain = interval[0] > calls || interval[1] < calls;
        let has_a_call = !has_calls || is_certain || of_a_call.abs() > all.abs() / 2.0;
        let more = [Cause::FewerCalls, Cause::MoreCalls][usize::from(of_calls > 0.0)];
        let costlier = [Cause::CheaperCalls, Cause::CostlierCalls][usize::from(of_a_call > 0.0)];
        [has_calls.then_some(more), has_a_call.then_some(costlier)].into_iter().flatten().collect()
    }
}

impl Cause {
    /// A few words for display: `more calls`.
    pub fn words(self, unit: Unit) -> &'static str {
        match (self, unit) {
            (Self::MoreCalls, _) => "more calls",
            (Self::FewerCalls, _) => "fewer calls",
            (Self::CostlierCalls, Unit::Time) => "slower calls",
            (Self::CostlierCalls, Unit::Bytes) => "costlier calls",
            (Self::CheaperCalls, Unit::Time) => "faster calls",
            (Self::CheaperCalls, Unit::Bytes) => "cheaper calls",
        }
    }
}

/// The calls of one run of each side.
pub(crate) struct CallsOfSides<'r> {
    sides: [CallsOfSide<'r>; 2],
}

/// The counted runs of a side, each with the work by which its calls are divided.
struct CallsOfSide<'r>(Vec<(&'r Arc<CallCounts>, f64)>);

impl<'r> CallsOfSides<'r> {
    /// The calls of the runs of both sides; `None` if none was counted on one of them. Calls are per unit of work if
    /// `is_work`, that is, if times are divided by it.
    pub(crate) fn of(sides: [&'r [Run]; 2], is_work: bool) -> Option<Self> {
        let sides = sides.map(|runs| {
            let counted = runs.iter().filter_map(|run| {
                let work = if is_work { run.work.0 } else { run.sessions };
                Some((run.calls.as_ref()?, work as f64))
            });
            CallsOfSide(counted.collect())
        });
        sides.iter().all(|side| !side.0.is_empty()).then_some(Self { sides })
    }

    /// The calls of a function.
    pub(crate) fn of_function(&self, key: &DefinitionKey) -> CallsChange {
        CallsChange { calls: self.sides.each_ref().map(|side| side.mean(key)), is_divided: false }
    }

    /// A run before, scaled as if each function had been called as often as after. Functions for which this is not
    /// known stay as they are.
    pub(crate) fn as_often_as_after(&self, run: &Run) -> Run {
        let mut run = run.clone();
        for (key, function) in &mut run.functions {
            if let Some(ratio) = self.of_function(key).ratio() {
                function.multiply(ratio);
            }
        }
        let placed = run.functions.values().map(|function| function.cost.self_time).sum();
        run.ledger.total.time = Amount(run.ledger.total.time.0 - run.ledger.placed.time.0) + placed;
        run.ledger.placed.time = placed;
        run
    }
}

impl CallsOfSide<'_> {
    /// The mean of all counted runs; `None` if one of them does not know the function.
    fn mean(&self, key: &DefinitionKey) -> Option<f64> {
        let calls: Option<Vec<u64>> =
            self.0.iter().map(|(counts, _)| Some(counts.definitions.get(key)?.calls)).collect();
        let works: f64 = self.0.iter().map(|(_, work)| work).sum();
        Some(calls?.into_iter().map(|calls| calls as f64).sum::<f64>() / works)
    }
}

impl RunCost {
    fn multiply(&mut self, factor: f64) {
        let times = [&mut self.cost.self_time, &mut self.cost.total_time];
        times.into_iter().for_each(|time| *time = Amount((time.0 as f64 * factor).round() as u64));
        self.squares = self.squares.map(|squares| squares * factor * factor);
    }
}

/// The problem if times are to be divided by calls that were not counted.
pub(crate) fn not_counted() -> Problem {
    let what = "Calls were not counted on both sides, so that times cannot be divided by them";
    Problem::new(
        what,
        "record both with --counts, or name their coverage with --before-counts and --after-counts",
    )
}

/// The problem if this many functions' times are not divided, because their calls are not known on both sides.
pub(crate) fn not_divided(number: usize) -> Option<Problem> {
    let functions = count(number as u64, "function");
    let (was, its) = if number == 1 { ("was", "its") } else { ("were", "their") };
    (number > 0).then(|| {
        let what = format!("{functions} {was} not counted on both sides: {its} times are those of a run");
        Problem::new(what, "look at the calls before and after")
    })
}

/// The problem if only one of the sides was counted.
pub(crate) fn counted_on_one_side(sides: [&[Run]; 2]) -> Option<Problem> {
    let [before, after] = sides.map(|runs| runs.iter().any(|run| run.calls.is_some()));
    let (here, there) = match (before, after) {
        (true, false) => ("before", "after"),
        (false, true) => ("after", "before"),
        _ => return None,
    };
    let what = format!("calls were counted {here} only, so that nobody knows what is called more often");
    let hint = format!("record {there} with --counts, or name its coverage with --{there}-counts");
    Some(Problem::new(what, hint))
}

#[cfg(test)]
mod tests;
