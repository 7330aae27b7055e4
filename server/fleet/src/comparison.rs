//! From the rows of the query `compare` to verdicts: which functions cost more or less per session, and whether that is more than chance.
//!
//! The statistics are those of `compare`, with clusters of sessions as its runs (docs/fleet-compare.md).

use std::collections::BTreeMap;

use analysis::anchor::Freshness;
use analysis::files::FilePath;
use analysis::summary::DefinitionKey;
use compare::comparison::Comparison;
use compare::run::FunctionInfo;
use compare::side::{FunctionMeans, LedgerRow, Side};
use compare::statistics::{ClusterSums, Estimate};
use compare::verdict::{Method, Settings};
use profile::model::{Amount, Unit};
use profile::problem::Problem;
use source::text::LineCol;

use crate::ids::{self, Id};
use crate::moments::{ActiveTime, CompareRow, whole};
use crate::names::SymbolRow;

/// How differences between sessions of users are judged.
pub const SETTINGS: Settings =
    Settings { level: 0.05, noise: 0.1, least_share: 0.0001, least_samples: 0.0, least_effective: 20.0 };

/// Time that could not be placed is taken to hide functions if one side has this much more of it, relative to the active time.
const HIDING: f64 = 0.05;

/// What times are divided by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Per {
    /// The number of sessions.
    Session,
    /// The active time.
    Active,
}

/// A side of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct SideSums<'a> {
    /// Its rows; that of the definition [`ids::NONE`] is about all of its sessions.
    pub rows: &'a [CompareRow],
    /// How much its active time differs between clusters.
    pub active: ActiveTime,
}

/// Compares two sides. `symbol_of` knows what a definition is.
///
/// # Errors
/// If a side has no session.
pub fn compare<'a>(
    sides: [SideSums<'_>; 2],
    per: Per,
    symbol_of: impl Fn(Id) -> Option<&'a SymbolRow>,
) -> Result<Comparison, Problem> {
    let [before, after] = sides;
    let (Some(all_before), Some(all_after)) = (before.all(), after.all()) else {
        return Err(Problem::new("One of the sides has no session", ""));
    };
    let reference = match per {
        Per::Session => 1,
        Per::Active => u128::try_from(all_before.ns[0] / all_before.sessions.max(1)).unwrap_or_default(),
    };
    let mut sides = [(all_before, before), (all_after, after)]
        .map(|(all, sums)| side(&Base { all, per, reference }, sums, &symbol_of));
    hide(&mut sides);
    let per = match per {
        Per::Session => compare::work::Per::Run,
        Per::Active => compare::work::Per::Active,
    };
    Ok(Comparison::of_sides(&sides, Unit::Time, per, Method::Runs, SETTINGS))
}

impl<'a> SideSums<'a> {
    /// The row about all sessions; a side without sessions has no such row.
    fn all(&self) -> Option<&'a CompareRow> {
        self.rows.iter().find(|row| row.definition == ids::NONE)
    }
}

/// What the times of a side are divided by.
struct Base<'a> {
    /// The row about all sessions.
    all: &'a CompareRow,
    per: Per,
    /// How long a mean session before ran, in nanoseconds: times per active time are parts of that. 1 if times are per session.
    reference: u128,
}

impl Base<'_> {
    /// How much of a time a mean session has.
    fn mean(&self, ns: i64) -> Amount {
        let work = u128::from(self.all.ns[1].cast_unsigned()).max(1);
        let work_ns = match self.per {
            Per::Session => work,
            // Active time counts in microseconds.
            Per::Active => work * 1000,
        };
        let mean = u128::from(ns.cast_unsigned()) * self.reference / work_ns;
        Amount(u64::try_from(mean).unwrap_or(u64::MAX))
    }

    /// The mean of a time and how certain it is; `squares` and `products` are those of the time in microseconds.
    fn estimate(&self, ns: i64, squares: i128, products: i128) -> Estimate {
        let sums = ClusterSums {
            clusters: self.all.clusters.cast_unsigned(),
            time: i128::from(ns / 1000),
            work: i128::from(self.all.ns[1]),
            time_squares: squares,
            products,
            work_squares: whole(self.all.squares[1]),
        };
        let nanoseconds = match self.per {
            Per::Session => 1000.0,
            // Both are in microseconds.
            Per::Active => 1.0,
        };
        Estimate::of_clusters(&sums, self.reference as f64 * nanoseconds)
    }
}

fn side<'a>(
    base: &Base<'_>,
    SideSums { rows, active }: SideSums<'_>,
    symbol_of: &impl Fn(Id) -> Option<&'a SymbolRow>,
) -> Side {
    let mut functions = BTreeMap::new();
    for row in rows.iter().filter(|row| row.definition != ids::NONE) {
        let (key, info) = meaning(row.definition, symbol_of(row.definition));
        let means = FunctionMeans {
            info: info.into(),
            means: row.ns.map(|ns| base.mean(ns)),
            estimates: [0, 1]
                .map(|time| base.estimate(row.ns[time], whole(row.squares[time]), whole(row.products[time]))),
            samples: row.samples.map(i64::cast_unsigned),
        };
        functions.insert(key, means);
    }
    let all = base.all;
    let placed = functions.values().map(|function| function.means[0]).sum::<Amount>();
    let hidden = Amount(base.mean(all.ns[0]).0.saturating_sub(placed.0));
    Side {
        runs: all.clusters.cast_unsigned(),
        ledger: BTreeMap::from([(LedgerRow::Placed, placed)]),
        hidden: BTreeMap::from([("".into(), hidden)]),
        active: match base.per {
            Per::Session => base.estimate(all.ns[0], active.squares, active.products),
            // All sessions have the same amount, because of the way they are compared.
            Per::Active => Estimate::unknown(all.clusters.cast_unsigned(), base.reference as f64),
        },
        samples: all.samples[0].cast_unsigned(),
        functions,
    }
}

/// What a definition is. Its place is the one in the text of the release.
fn meaning(definition: Id, symbol: Option<&SymbolRow>) -> (DefinitionKey, FunctionInfo) {
    let unknown = SymbolRow::default();
    let symbol = symbol.unwrap_or(&unknown);
    let path = symbol.path.clone().unwrap_or_else(|| definition.to_string());
    let name = symbol.name.clone().unwrap_or_else(|| path.clone());
    let start = LineCol {
        line: u32::try_from(symbol.line).unwrap_or_default(),
        column: u32::try_from(symbol.column).unwrap_or_default(),
    };
    let file = FilePath::new(symbol.file.as_deref().unwrap_or_default());
    (
        DefinitionKey { file, path: path.into() },
        FunctionInfo { name: name.into(), start, end: start, freshness: Freshness::Fresh, code: 0 },
    )
}

/// Time that was not placed hides functions only if one side has clearly more of it, such as a side without its maps: there are always
/// functions of others, and a little more or less of them says nothing.
fn hide(sides: &mut [Side; 2]) {
    let [before, after] = sides.each_ref().map(|side| {
        let hidden: Amount = side.hidden.values().copied().sum();
        let placed = side.ledger.get(&LedgerRow::Placed).copied().unwrap_or_default();
        hidden.0 as f64 / (hidden.0 + placed.0).max(1) as f64
    });
    let hides = [before - after >= HIDING, after - before >= HIDING];
    for (side, hides) in sides.iter_mut().zip(hides) {
        if !hides {
            side.hidden.clear();
        }
    }
}
