//! The result of the query `compare`: sums of times, of their squares and of their products with the work, over clusters of sessions.
//!
//! A cluster is a group that is independent of all others: a user, or a session without a user. These sums give means per unit of work
//! and how certain they are (`comparison`). They are integers, so that every engine gives the same bytes; products are split in two
//! before they are added up, so that no sum exceeds 64 bits.

use rustc_hash::FxHashMap;

use crate::ids::{self, Id};
use crate::rows::{TooMuch, add_up};

/// Larger times and work of a cluster count as this much, so that their products fit: 35 minutes in microseconds.
const LARGEST: u64 = (1 << 31) - 1;

/// A row of the result. The row of the definition [`ids::NONE`] is about all sessions: `self_ns` is their active time, `total_ns` the sum
/// of the work, `total_sq` that of its squares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct CompareRow {
    /// 0 for a, 1 for b.
    pub side: i64,
    /// The definition.
    pub definition: Id,
    /// The clusters in which it ran.
    pub clusters: i64,
    /// The sessions in which it ran.
    pub sessions: i64,
    /// The samples of self and total time.
    pub samples: [i64; 2],
    /// Self and total time in nanoseconds.
    pub ns: [i64; 2],
    /// The sums of the squares of self and total time in microseconds, each as its high and its low part.
    pub squares: [[i64; 2]; 2],
    /// The same of the products of the times and the work of their clusters.
    pub products: [[i64; 2]; 2],
}

impl CompareRow {
    /// The names of the columns.
    pub const COLUMNS: [&str; 16] = [
        "side",
        "definition",
        "clusters",
        "sessions",
        "self_samples",
        "total_samples",
        "self_ns",
        "total_ns",
        "self_sq_hi",
        "self_sq_lo",
        "total_sq_hi",
        "total_sq_lo",
        "self_work_hi",
        "self_work_lo",
        "total_work_hi",
        "total_work_lo",
    ];

    /// The values in the order of [`CompareRow::COLUMNS`].
    pub fn values(&self) -> [i64; 16] {
        let &Self { side, definition, clusters, sessions, samples, ns, squares, products } = self;
        let [self_squares, total_squares] = squares;
        let [self_products, total_products] = products;
        [
            side,
            definition,
            clusters,
            sessions,
            samples[0],
            samples[1],
            ns[0],
            ns[1],
            self_squares[0],
            self_squares[1],
            total_squares[0],
            total_squares[1],
            self_products[0],
            self_products[1],
            total_products[0],
            total_products[1],
        ]
    }
}

/// A sum of products: the high and the low 32 bits of each are added up separately.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Products([u64; 2]);

impl Products {
    #[inline]
    fn add(&mut self, a: u64, b: u64) {
        let product = a * b;
        self.0[0] += product >> 32;
        self.0[1] += product & u64::from(u32::MAX);
    }

    fn merge(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(sum, part)| *sum += part);
    }

    fn row(self) -> [i64; 2] {
        self.0.map(u64::cast_signed)
    }
}

/// The whole of a sum of products that was split into the high and low part of [`CompareRow`].
pub(crate) fn whole([high, low]: [i64; 2]) -> i128 {
    (i128::from(high) << 32) + i128::from(low)
}

/// Sums over the clusters of a side.
#[derive(Clone, Debug, Default)]
pub struct Moments {
    clusters: u64,
    sessions: u64,
    samples: u64,
    active_ns: u64,
    work: u64,
    work_squares: Products,
    active_squares: Products,
    active_products: Products,
    overflow: bool,
    definitions: FxHashMap<Id, Moment>,
}

/// Sums over the clusters in which a definition ran.
#[derive(Clone, Copy, Debug, Default)]
struct Moment {
    clusters: u64,
    sessions: u64,
    samples: [u64; 2],
    ns: [u64; 2],
    squares: [Products; 2],
    products: [Products; 2],
}

/// The active time over the clusters of a side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ActiveTime {
    /// The sum of its squares, in microseconds.
    pub squares: i128,
    /// The sum of its products with the work.
    pub products: i128,
}

/// The work of a cluster, up to what its products allow: `number` sessions, or microseconds of active time.
pub fn work_of(number: u64) -> u64 {
    number.min(LARGEST)
}

fn microseconds(ns: u64) -> u64 {
    (ns / 1000).min(LARGEST)
}

impl Moments {
    /// Adds a cluster: its work, its number of sessions, their active time and their samples.
    pub fn add_cluster(&mut self, work: u64, sessions: u64, active_ns: u64) {
        let active = microseconds(active_ns);
        self.clusters += 1;
        self.sessions += sessions;
        self.overflow |= add_up(&mut self.active_ns, active_ns);
        self.work += work;
        self.work_squares.add(work, work);
        self.active_squares.add(active, active);
        self.active_products.add(active, work);
    }

    /// Adds the samples of sessions.
    pub fn add_samples(&mut self, samples: u64) {
        self.samples += samples;
    }

    /// Adds the cost of a definition in a session: the samples and times of itself and of all that it calls.
    #[inline]
    pub fn add_cost(&mut self, definition: Id, samples: [u64; 2], ns: [u64; 2]) {
        let moment = self.definitions.entry(definition).or_default();
        moment.sessions += 1;
        for time in 0..2 {
            moment.samples[time] += samples[time];
            self.overflow |= add_up(&mut moment.ns[time], ns[time]);
        }
    }

    /// Adds the cost of a definition in a cluster with this work; its sessions are counted by [`Moments::add_cost`].
    #[inline]
    pub fn add_product(&mut self, definition: Id, work: u64, ns: [u64; 2]) {
        let moment = self.definitions.entry(definition).or_default();
        moment.clusters += 1;
        for (time, ns) in ns.into_iter().enumerate() {
            let us = microseconds(ns);
            moment.squares[time].add(us, us);
            moment.products[time].add(us, work);
        }
    }

    /// Adds sums that were computed elsewhere.
    pub fn merge(&mut self, other: Self) {
        self.clusters += other.clusters;
        self.sessions += other.sessions;
        self.samples += other.samples;
        self.overflow |= add_up(&mut self.active_ns, other.active_ns);
        self.work += other.work;
        self.work_squares.merge(other.work_squares);
        self.active_squares.merge(other.active_squares);
        self.active_products.merge(other.active_products);
        self.overflow |= other.overflow;
        for (definition, added) in other.definitions {
            let moment = self.definitions.entry(definition).or_default();
            moment.clusters += added.clusters;
            moment.sessions += added.sessions;
            for time in 0..2 {
                moment.samples[time] += added.samples[time];
                self.overflow |= add_up(&mut moment.ns[time], added.ns[time]);
                moment.squares[time].merge(added.squares[time]);
                moment.products[time].merge(added.products[time]);
            }
        }
    }

    /// Whether any definition ran.
    pub fn has_definitions(&self) -> bool {
        !self.definitions.is_empty()
    }

    /// What no row contains: how much the active time differs between clusters.
    pub fn active_time(&self) -> ActiveTime {
        ActiveTime { squares: whole(self.active_squares.row()), products: whole(self.active_products.row()) }
    }

    /// The rows of a side, sorted; empty if it has no sessions.
    ///
    /// # Errors
    /// If a sum does not fit.
    pub fn rows(&self, side: i64) -> Result<Vec<CompareRow>, TooMuch> {
        if self.overflow {
            return Err(TooMuch);
        }
        if self.sessions == 0 {
            return Ok(Vec::new());
        }
        let signed = u64::cast_signed;
        let mut rows = vec![CompareRow {
            side,
            definition: ids::NONE,
            clusters: signed(self.clusters),
            sessions: signed(self.sessions),
            samples: [signed(self.samples), 0],
            ns: [self.active_ns, self.work].map(signed),
            squares: [[0; 2], self.work_squares.row()],
            products: [[0; 2]; 2],
        }];
        rows.extend(self.definitions.iter().map(|(&definition, moment)| CompareRow {
            side,
            definition,
            clusters: signed(moment.clusters),
            sessions: signed(moment.sessions),
            samples: moment.samples.map(signed),
            ns: moment.ns.map(signed),
            squares: moment.squares.map(Products::row),
            products: moment.products.map(Products::row),
        }));
        rows.sort_unstable();
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_whole_whatever_their_size() {
        let mut products = Products::default();
        for _ in 0..3 {
            products.add(LARGEST, LARGEST);
        }
        products.add(3, 5);
        assert_eq!(whole(products.row()), 3 * i128::from(LARGEST) * i128::from(LARGEST) + 15);
    }

    #[test]
    fn a_side_is_the_sum_of_its_clusters() {
        let mut moments = Moments::default();
        // A user with two sessions, and a session without a user, in which function 17 does not run.
        moments.add_cluster(2, 2, 9_000_000);
        moments.add_cluster(1, 1, 5_000_000);
        moments.add_samples(14);
        moments.add_cost(17, [1, 2], [1_000_999, 2_000_000]);
        moments.add_cost(17, [0, 1], [1, 1_000_000]);
        moments.add_product(17, 2, [1_001_000, 3_000_000]);
        let mut halves = Moments::default();
        halves.merge(moments.clone());
        let expected = [
            vec![0, 0, 2, 3, 14, 0, 14_000_000, 3, 0, 0, 0, 5, 0, 0, 0, 0],
            vec![0, 17, 1, 2, 1, 3, 1_001_000, 3_000_000, 0, 1_002_001, 0, 9_000_000, 0, 2002, 0, 6000],
        ];
        let rows = halves.rows(0).unwrap();
        assert_eq!(rows.iter().map(|it| it.values().to_vec()).collect::<Vec<_>>(), expected);
        assert_eq!(moments.active_time(), ActiveTime { squares: 106_000_000, products: 23_000 });
        assert_eq!(Moments::default().rows(1).unwrap(), []);
        moments.add_cost(17, [0, 0], [i64::MAX as u64, 0]);
        assert_eq!(moments.rows(0), Err(TooMuch));
    }
}
