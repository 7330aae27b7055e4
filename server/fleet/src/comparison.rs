//! From the rows of the query `compare` to verdicts: which functions cost more or less per session, and whether that is more than chance.
//!
//! The statistics are those of `compare`, with clusters of sessions as its runs (docs/fleet-compare.md).

use std::collections::BTreeMap;

use analysis::{DefinitionKey, FilePath, Freshness};
use compare::{ClusterSums, Comparison, Estimate, FunctionInfo, FunctionMeans, MeanLedger, Method, Settings};
use profile::{Amount, Unit};
use source::LineCol;

use crate::ids::{self, Id};
use crate::moments::{ActiveTime, CompareRow, whole};
use crate::names::SymbolRow;

/// How differences between sessions of users are judged.
pub const SETTINGS: Settings =
    Settings { level: 0.05, noise: 0.1, least_share: 0.0001, least_samples: 0.0, least_effective: 20.0 };

/// Time that could not be placed hides functions if one side has so much more of it, as a part of the active time.
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
    /// How its active time differs between clusters.
    pub active: ActiveTime,
}

/// Compares two sides. `symbol_of` knows what a definition is.
///
/// # Errors
/// One sentence, if a side has no session, or nothing of it was placed.
pub fn compare<'a>(
    sides: [SideSums<'_>; 2],
    per: Per,
    symbol_of: impl Fn(Id) -> Option<&'a SymbolRow>,
) -> Result<Comparison, String> {
    let [a, b] = sides.map(|it| it.rows.iter().find(|it| it.definition == ids::NONE));
    let (Some(a), Some(b)) = (a, b) else {
        return Err("One of the sides has no session.".to_owned());
    };
    // What a mean session of a ran, in nanoseconds; times per active time are parts of that.
    let reference = match per {
        Per::Session => 1,
        Per::Active => u128::try_from(a.ns[0] / a.sessions.max(1)).unwrap_or_default(),
    };
    let [before, after] =
        [(a, sides[0]), (b, sides[1])].map(|(base, it)| side(base, it, per, reference, &symbol_of));
    let mut sides = [before, after];
    hide(&mut sides);
    let per = match per {
        Per::Session => compare::Per::Run,
        Per::Active => compare::Per::Active,
    };
    Ok(Comparison::of_sides(&sides, Unit::Time, per, Method::Runs, SETTINGS))
}

fn side<'a>(
    base: &CompareRow,
    SideSums { rows, active }: SideSums<'_>,
    per: Per,
    reference: u128,
    symbol_of: &impl Fn(Id) -> Option<&'a SymbolRow>,
) -> compare::Side {
    let unsigned = i64::cast_unsigned;
    let work = u128::from(unsigned(base.ns[1])).max(1);
    // Work that is active time is in microseconds.
    let scale = if per == Per::Active { 1000 } else { 1 };
    let mean = |ns: i64| {
        Amount(u64::try_from(u128::from(unsigned(ns)) * reference / (work * scale)).unwrap_or(u64::MAX))
    };
    let estimate = |ns: i64, squares: i128, products: i128| {
        let sums = ClusterSums {
            clusters: unsigned(base.clusters),
            time: i128::from(ns / 1000),
            work: i128::from(base.ns[1]),
            time_squares: squares,
            products,
            work_squares: whole(base.squares[1]),
        };
        // Of microseconds in nanoseconds.
        Estimate::of_clusters(&sums, reference as f64 * if per == Per::Active { 1.0 } else { 1000.0 })
    };
    let mut functions = BTreeMap::new();
    for row in rows.iter().filter(|it| it.definition != ids::NONE) {
        let (key, info) = meaning(row.definition, symbol_of(row.definition));
        let means = FunctionMeans {
            info: info.into(),
            means: row.ns.map(mean),
            estimates: [0, 1].map(|it| estimate(row.ns[it], whole(row.squares[it]), whole(row.products[it]))),
            samples: row.samples.map(unsigned),
        };
        functions.insert(key, means);
    }
    let placed = functions.values().map(|it| it.means[0]).sum::<Amount>();
    let active_time = match per {
        Per::Session => estimate(base.ns[0], active.squares, active.products),
        // All have the same, by the way of comparing them.
        Per::Active => Estimate::unknown(unsigned(base.clusters), reference as f64),
    };
    let hidden = Amount(mean(base.ns[0]).0.saturating_sub(placed.0));
    compare::Side {
        runs: unsigned(base.clusters),
        ledger: MeanLedger { placed, ..MeanLedger::default() },
        hidden: BTreeMap::from([("".into(), hidden)]),
        active: active_time,
        samples: unsigned(base.samples[0]),
        functions,
    }
}

/// What a definition is. Its place is that in the text of the release.
fn meaning(definition: Id, symbol: Option<&SymbolRow>) -> (DefinitionKey, FunctionInfo) {
    let known = |it: fn(&SymbolRow) -> &Option<String>| symbol.and_then(|symbol| it(symbol).clone());
    let path = known(|it| &it.path).unwrap_or_else(|| definition.to_string());
    let name = known(|it| &it.name).unwrap_or_else(|| path.clone());
    let position = |it: fn(&SymbolRow) -> i64| symbol.and_then(|symbol| u32::try_from(it(symbol)).ok());
    let start = LineCol {
        line: position(|it| it.line).unwrap_or_default(),
        column: position(|it| it.column).unwrap_or_default(),
    };
    let file = FilePath::new(&known(|it| &it.file).unwrap_or_default());
    (
        DefinitionKey { file, path: path.into() },
        FunctionInfo { name: name.into(), start, end: start, freshness: Freshness::Fresh, code: 0 },
    )
}

/// Time that was not placed hides functions only where one side has clearly more of it, such as one without its maps: there are always
/// functions of others, of which a little more or less says nothing.
fn hide(sides: &mut [compare::Side; 2]) {
    let [was, is] = [0, 1].map(|it: usize| {
        let hidden: Amount = sides[it].hidden.values().copied().sum();
        hidden.0 as f64 / (hidden.0 + sides[it].ledger.placed.0).max(1) as f64
    });
    let hides = [was - is >= HIDING, is - was >= HIDING];
    sides.iter_mut().zip(hides).filter(|it| !it.1).for_each(|it| it.0.hidden.clear());
}
