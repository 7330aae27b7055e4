//! `cargo xtask fleet`: the lake of `proflens-fleet` with sessions of `examples/fleet`, compared with `proflens report` and with
//! the engines that people use, and what all of it costs.

mod bucket;
mod changes;
mod checks;
mod engines;
mod figures;
mod programs;
mod queries;
mod shards;
mod spark;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use checks::Checks;
use programs::Programs;
use shards::{Shards, same_tables};

use crate::count::Count;
use crate::{debian, shell};

/// All checks with all engines, and with `sizes` (numbers of sessions, in increasing order) the figures, which are written
/// into docs/performance.md.
///
/// # Errors
/// If a check fails, or something that is needed is not available.
pub(crate) fn run(root: &Path, sizes: &[usize]) -> Result<()> {
    let programs = Programs::released(root)?;
    let python = engines::install(&programs, engines::ALL)?;
    let mut checks = Checks::default();
    let lake = two_releases(&programs, &python, 1_000, &mut checks)?;
    queries::with_processes(&programs, &python, &lake, &["duckdb", "clickhouse"], &mut checks)?;
    spark::queries(&programs, &python, &lake, &mut checks)?;
    spark::ingest(&programs, &python, &mut checks)?;
    bucket::check(&programs, &python, &mut checks)?;
    changes::check(&programs, &mut checks)?;
    if !sizes.is_empty() {
        figures::measure_and_write(&programs, &python, sizes)?;
    }
    checks.end()
}

/// The figures alone.
///
/// # Errors
/// If something that is needed is not available.
pub(crate) fn measure(root: &Path, sizes: &[usize]) -> Result<()> {
    let programs = Programs::released(root)?;
    let python = engines::install(&programs, &["duckdb"])?;
    figures::measure_and_write(&programs, &python, sizes)
}

/// What the gate runs: the program itself and DuckDB, on a few sessions.
///
/// # Errors
/// If something that is needed is not available.
pub(crate) fn gate(root: &Path) -> Result<Count> {
    let programs = Programs::of_tests(root)?;
    let python = engines::install(&programs, &["duckdb"])?;
    let mut checks = Checks::default();
    let lake = two_releases(&programs, &python, 150, &mut checks)?;
    queries::with_processes(&programs, &python, &lake, &["duckdb"], &mut checks)?;
    debian::ensure_program("chromium", "chromium")?;
    let mut chromium = Command::new("node");
    let positions = shell::run(chromium.arg(root.join("tests/fleet/positions.mjs")).arg(tests::shop()));
    checks.note("sessions have functions at the places that Chromium gives them", positions);
    Ok(checks.0)
}

/// A lake with sessions of both releases, which is first checked by itself: its sums are those of `report`, and adding
/// the same shards again changes nothing.
fn two_releases(programs: &Programs, python: &Path, sessions: usize, checks: &mut Checks) -> Result<PathBuf> {
    let lake = programs.fresh("lake")?;
    for release in ["41", "42"] {
        let shards = Shards::generate(programs, release, sessions, sessions / 10, &[])?;
        shards.symbolicate(programs, &lake)?;
        shards.ingest(programs, &lake)?;
        let report = shards.report(programs)?;
        checks.note(
            &format!("the sums of release {release} are those of report"),
            engines::script(programs, python, "ledger.py", &[&lake, &report, Path::new(release)]),
        );
        let again = programs.fresh("lake-again")?;
        shards.symbolicate(programs, &again)?;
        shards.ingest(programs, &again)?;
        shards.ingest(programs, &again)?;
        let once = programs.fresh("lake-once")?;
        shards.symbolicate(programs, &once)?;
        shards.ingest(programs, &once)?;
        checks.note(
            &format!("shards of release {release} that come twice change nothing"),
            same_tables(&once, &again),
        );
    }
    Ok(lake)
}
