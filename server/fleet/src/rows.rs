//! The result of the query `slice`: sums of integers by stack and by definition, the same in every engine.

use profile::model::Weight;
use profile::problem::Problem;
use rustc_hash::FxHashMap;

use crate::costs::CostRow;
use crate::ids::Id;

/// A row of the result. What its fields mean depends on `kind`; see the constants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row {
    /// What the row sums up.
    pub kind: i64,
    /// The stack or the definition.
    pub id: Id,
    /// The bucket, for definitions.
    pub bucket: i64,
    /// Self time in nanoseconds; for all sessions the active time.
    pub self_ns: i64,
    /// Total time in nanoseconds.
    pub total_ns: i64,
    /// Samples.
    pub samples: i64,
    /// Sessions.
    pub sessions: i64,
}

impl Row {
    /// All sessions: one row, with the active and all time.
    pub const SESSIONS: i64 = 0;
    /// By stack.
    pub const STACK: i64 = 1;
    /// By definition and bucket of its total time in a session.
    pub const TOTAL: i64 = 2;
    /// By definition and bucket of its self time in a session.
    pub const SELF: i64 = 3;
    /// The names of the columns, in the order of the fields.
    pub const COLUMNS: [&str; 7] = ["kind", "id", "bucket", "self_ns", "total_ns", "samples", "sessions"];

    /// The values in the order of [`Row::COLUMNS`].
    pub fn values(&self) -> [i64; 7] {
        let Self { kind, id, bucket, self_ns, total_ns, samples, sessions } = *self;
        [kind, id, bucket, self_ns, total_ns, samples, sessions]
    }

    /// Makes a row from the values in the order of [`Row::COLUMNS`].
    pub fn of([kind, id, bucket, self_ns, total_ns, samples, sessions]: [i64; 7]) -> Self {
        Self { kind, id, bucket, self_ns, total_ns, samples, sessions }
    }
}

/// Sums that do not fit into 64 bits: more than 292 years.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMuch;

impl From<TooMuch> for Problem {
    fn from(_: TooMuch) -> Self {
        let what = "The sessions cannot be added up: their times come to more than 292 years, which 64 bits do not hold";
        Self::new(what, "ask for fewer sessions")
    }
}

/// Sums over sessions.
#[derive(Clone, Debug, Default)]
pub struct Sums {
    sessions: Sum<4>,
    /// By stack: time, samples, sessions.
    stacks: FxHashMap<Id, Sum<3>>,
    /// By definition and bucket: self and total time, samples, sessions.
    costs: [FxHashMap<(Id, i64), Sum<4>>; 2],
    is_too_much: bool,
}

/// Sums of non-negative integers; there are millions of them, so they are kept as small as possible.
#[derive(Clone, Copy, Debug)]
struct Sum<const N: usize>([u64; N]);

impl<const N: usize> Default for Sum<N> {
    fn default() -> Self {
        Self([0; N])
    }
}

impl<const N: usize> Sum<N> {
    /// Adds; returns whether a sum no longer fits into a signed integer.
    #[inline]
    fn add(&mut self, other: [u64; N]) -> bool {
        let mut is_too_much = false;
        for (sum, value) in self.0.iter_mut().zip(other) {
            is_too_much |= add_up(sum, value);
        }
        is_too_much
    }
}

impl Sum<4> {
    fn row(self, kind: i64, id: Id, bucket: i64) -> Row {
        let [self_ns, total_ns, samples, sessions] = self.0.map(u64::cast_signed);
        Row { kind, id, bucket, self_ns, total_ns, samples, sessions }
    }
}

/// Adds to a sum; returns whether it no longer fits into a signed integer.
#[inline]
pub(crate) fn add_up(sum: &mut u64, value: u64) -> bool {
    let (added, overflow) = sum.overflowing_add(value);
    *sum = added;
    overflow || added > i64::MAX as u64
}

impl Sums {
    /// Adds sessions: their active time, all their time, their samples and their number.
    pub fn add_sessions(&mut self, active: u64, total: u64, samples: u64, number: u64) {
        self.is_too_much |= self.sessions.add([active, total, samples, number]);
    }

    /// Adds a row of `stacks`.
    #[inline]
    pub fn add_stack(&mut self, stack: Id, Weight { time, samples }: Weight) {
        self.is_too_much |= self.stacks.entry(stack).or_default().add([time.0, samples, 1]);
    }

    /// Adds a row of `costs`.
    #[inline]
    pub fn add_cost(&mut self, row: &CostRow, [self_bucket, total_bucket]: [i64; 2]) {
        let &CostRow { definition, self_ns, total_ns, self_samples, total_samples } = row;
        let [total, own] = &mut self.costs;
        let total = total.entry((definition, total_bucket)).or_default();
        let own = own.entry((definition, self_bucket)).or_default();
        self.is_too_much |= total.add([self_ns, total_ns, total_samples, 1]);
        self.is_too_much |= own.add([self_ns, total_ns, self_samples, 1]);
    }

    /// Adds sums that were computed elsewhere.
    pub fn merge(&mut self, other: Self) {
        let mut is_too_much = self.is_too_much || other.is_too_much;
        is_too_much |= self.sessions.add(other.sessions.0);
        for (id, sum) in other.stacks {
            is_too_much |= self.stacks.entry(id).or_default().add(sum.0);
        }
        for (mine, others) in self.costs.iter_mut().zip(other.costs) {
            for (key, sum) in others {
                is_too_much |= mine.entry(key).or_default().add(sum.0);
            }
        }
        self.is_too_much = is_too_much;
    }

    /// The result, sorted; empty if there are no sessions.
    ///
    /// # Errors
    /// If a sum does not fit.
    pub fn rows(self) -> Result<Vec<Row>, TooMuch> {
        if self.is_too_much {
            return Err(TooMuch);
        }
        let mut rows = Vec::with_capacity(1 + self.stacks.len() + self.costs[0].len() + self.costs[1].len());
        if self.sessions.0[3] > 0 {
            rows.push(self.sessions.row(Row::SESSIONS, 0, 0));
        }
        for (id, Sum([ns, samples, sessions])) in self.stacks {
            rows.push(Sum([0, ns, samples, sessions]).row(Row::STACK, id, 0));
        }
        for (kind, costs) in [Row::TOTAL, Row::SELF].into_iter().zip(self.costs) {
            rows.extend(costs.into_iter().map(|((id, bucket), sum)| sum.row(kind, id, bucket)));
        }
        rows.sort_unstable();
        Ok(rows)
    }
}

/// The result of the query `costs`, from that of `slice`: definition, self and total time, samples of both, sessions.
pub fn costs_of(rows: &[Row]) -> Vec<[i64; 6]> {
    let mut costs: Vec<[i64; 6]> = Vec::new();
    for row in rows.iter().filter(|row| row.kind == Row::TOTAL) {
        let added = [row.id, row.self_ns, row.total_ns, 0, row.samples, row.sessions];
        match costs.last_mut().filter(|last| last[0] == row.id) {
            Some(last) => last[1..].iter_mut().zip(&added[1..]).for_each(|(sum, value)| *sum += value),
            None => costs.push(added),
        }
    }
    for row in rows.iter().filter(|row| row.kind == Row::SELF) {
        if let Ok(at) = costs.binary_search_by_key(&row.id, |cost| cost[0]) {
            costs[at][3] += row.samples;
        }
    }
    costs
}

#[cfg(test)]
mod tests {
    use profile::model::Amount;

    use super::*;

    fn sums(time: u64, definition: Id) -> Sums {
        let mut sums = Sums::default();
        sums.add_sessions(time, time, 1, 1);
        sums.add_stack(101, Weight { time: Amount(time), samples: 1 });
        let cost = CostRow { definition, self_ns: time, total_ns: time, self_samples: 1, total_samples: 2 };
        sums.add_cost(&cost, cost.buckets());
        sums
    }

    #[test]
    fn what_two_threads_have_summed_adds_up() {
        let mut all = sums(10, 1001);
        all.merge(sums(20, 1001));
        all.merge(sums(20, 1002));
        let rows = all.rows().unwrap();
        assert_eq!(
            rows.iter().map(Row::values).collect::<Vec<_>>(),
            [
                [0, 0, 0, 50, 50, 3, 3],
                [1, 101, 0, 0, 50, 3, 3],
                [2, 1001, 10, 10, 10, 2, 1],
                [2, 1001, 20, 20, 20, 2, 1],
                [2, 1002, 20, 20, 20, 2, 1],
                [3, 1001, 10, 10, 10, 1, 1],
                [3, 1001, 20, 20, 20, 1, 1],
                [3, 1002, 20, 20, 20, 1, 1],
            ]
        );
        assert_eq!(costs_of(&rows), [[1001, 30, 30, 2, 4, 2], [1002, 20, 20, 1, 2, 1]]);
        assert_eq!(Sums::default().rows(), Ok(Vec::new()));
    }

    #[test]
    fn more_than_64_bits_hold_is_refused() {
        let mut all = sums(1 << 62, 1001);
        assert!(all.clone().rows().is_ok());
        all.merge(sums(1 << 62, 1002));
        assert_eq!(all.rows(), Err(TooMuch));
    }
}
