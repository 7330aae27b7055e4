//! The result of the query `slice`: sums of integers by stack and by definition, the same in every engine.

use std::fmt;

use profile::Weight;
use rustc_hash::FxHashMap;

use crate::costs::CostRow;
use crate::ids::Id;

/// A row of the result. What it is follows from `kind`; see the constants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row {
    /// What the row sums up.
    pub kind: i64,
    /// The stack or the definition.
    pub id: Id,
    /// Of definitions the bucket.
    pub bucket: i64,
    /// Self time in nanoseconds; of all sessions the active time.
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

    /// From the values in the order of [`Row::COLUMNS`].
    pub fn of([kind, id, bucket, self_ns, total_ns, samples, sessions]: [i64; 7]) -> Self {
        Self { kind, id, bucket, self_ns, total_ns, samples, sessions }
    }
}

/// Sums that do not fit into 64 bits: more than 292 years.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMuch;

impl fmt::Display for TooMuch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "its times add up to more than 292 years, which 64 bits do not hold: ask for fewer sessions",
        )
    }
}

/// What is added up of sessions.
#[derive(Clone, Debug, Default)]
pub struct Sums {
    sessions: Sum,
    stacks: FxHashMap<Id, Sum>,
    costs: [FxHashMap<(Id, i64), Sum>; 2],
}

/// Sums, and whether one of them does not fit.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    self_ns: u64,
    total_ns: u64,
    samples: u64,
    sessions: u64,
    overflow: bool,
}

impl Sum {
    #[inline]
    fn add(&mut self, [self_ns, total_ns, samples, sessions]: [u64; 4]) {
        let add = |a: &mut u64, b: u64| {
            let (sum, overflow) = a.overflowing_add(b);
            *a = sum;
            overflow || sum > i64::MAX as u64
        };
        self.overflow |= add(&mut self.self_ns, self_ns);
        self.overflow |= add(&mut self.total_ns, total_ns);
        self.samples += samples;
        self.sessions += sessions;
    }

    fn merge(&mut self, other: Self) {
        self.add([other.self_ns, other.total_ns, other.samples, other.sessions]);
        self.overflow |= other.overflow;
    }

    fn row(self, kind: i64, id: Id, bucket: i64) -> Result<Row, TooMuch> {
        if self.overflow {
            return Err(TooMuch);
        }
        let [self_ns, total_ns, samples, sessions] =
            [self.self_ns, self.total_ns, self.samples, self.sessions].map(u64::cast_signed);
        Ok(Row { kind, id, bucket, self_ns, total_ns, samples, sessions })
    }
}

impl Sums {
    /// Adds sessions: their active time, all their time, their samples and their number.
    pub fn add_sessions(&mut self, active: u64, total: u64, samples: u64, number: u64) {
        self.sessions.add([active, total, samples, number]);
    }

    /// Adds a row of `stacks`.
    #[inline]
    pub fn add_stack(&mut self, stack: Id, Weight { time, samples }: Weight) {
        self.stacks.entry(stack).or_default().add([0, time.0, samples, 1]);
    }

    /// Adds a row of `costs`.
    #[inline]
    pub fn add_cost(&mut self, row: &CostRow, [self_bucket, total_bucket]: [i64; 2]) {
        let &CostRow { definition, self_ns, total_ns, self_samples, total_samples } = row;
        let [total, own] = &mut self.costs;
        total.entry((definition, total_bucket)).or_default().add([self_ns, total_ns, total_samples, 1]);
        own.entry((definition, self_bucket)).or_default().add([self_ns, total_ns, self_samples, 1]);
    }

    /// Adds what was added up elsewhere.
    pub fn merge(&mut self, other: Self) {
        self.sessions.merge(other.sessions);
        for (id, sum) in other.stacks {
            self.stacks.entry(id).or_default().merge(sum);
        }
        for (mine, others) in self.costs.iter_mut().zip(other.costs) {
            for (key, sum) in others {
                mine.entry(key).or_default().merge(sum);
            }
        }
    }

    /// The result, sorted; empty if there is no session.
    ///
    /// # Errors
    /// If a sum does not fit.
    pub fn rows(self) -> Result<Vec<Row>, TooMuch> {
        let mut rows = Vec::with_capacity(1 + self.stacks.len() + self.costs[0].len() + self.costs[1].len());
        if self.sessions.sessions > 0 {
            rows.push(self.sessions.row(Row::SESSIONS, 0, 0)?);
        }
        for (id, sum) in self.stacks {
            rows.push(sum.row(Row::STACK, id, 0)?);
        }
        for (kind, costs) in [Row::TOTAL, Row::SELF].into_iter().zip(self.costs) {
            for ((id, bucket), sum) in costs {
                rows.push(sum.row(kind, id, bucket)?);
            }
        }
        rows.sort_unstable();
        Ok(rows)
    }
}

/// The result of the query `costs`, from that of `slice`: definition, self and total time, samples of both, sessions.
pub fn costs_of(rows: &[Row]) -> Vec<[i64; 6]> {
    let mut costs: Vec<[i64; 6]> = Vec::new();
    for row in rows.iter().filter(|it| it.kind == Row::TOTAL) {
        let added = [row.self_ns, row.total_ns, 0, row.samples, row.sessions];
        match costs.last_mut().filter(|it| it[0] == row.id) {
            Some(last) => last[1..].iter_mut().zip(added).for_each(|(sum, it)| *sum += it),
            None => costs.push([row.id, added[0], added[1], added[2], added[3], added[4]]),
        }
    }
    for row in rows.iter().filter(|it| it.kind == Row::SELF) {
        if let Ok(at) = costs.binary_search_by_key(&row.id, |it| it[0]) {
            costs[at][3] += row.samples;
        }
    }
    costs
}
