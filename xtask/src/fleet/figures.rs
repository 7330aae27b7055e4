//! What a fleet costs for growing numbers of sessions, compared with what `report` and DuckDB take for the same; and the
//! section of docs/performance.md about it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::checks::same;
use super::engines::scripted;
use super::programs::Programs;
use super::queries::{QUERIES, own_rows, rows_of, sql};
use super::shards::{Shards, bytes_by_path};
use crate::bench::{Usage, measure, median};
use crate::performance_page;

/// How many sessions are on the disk at once, as NDJSON: the lake keeps all of them.
const BATCH: usize = 10_000;
const SHARD: usize = 1_000;
/// About 5 % of the sessions.
const PART: &str = "page=/checkout and device!=tablet";
const ROUNDS: usize = 3;

/// What this many sessions took.
struct Grown {
    sessions: usize,
    raw: u64,
    lake: u64,
    report: Usage,
    ingest: Usage,
    /// Sessions of [`PART`].
    part: usize,
    ours_part: Usage,
    ours_all: Usage,
    duckdb_part: Usage,
    duckdb_all: Usage,
}

/// Measures a lake as it grows to these numbers of sessions, prints the tables and writes the section.
pub(super) fn measure_and_write(programs: &Programs, python: &Path, sizes: &[usize]) -> Result<()> {
    let lake = programs.fresh("lake-growing")?;
    let mut steps = Vec::new();
    let (mut raw, mut report, mut ingest) = (0, NOTHING, NOTHING);
    let mut sessions = 0;
    for &size in sizes {
        while sessions < size {
            let batch = BATCH.min(size - sessions);
            let seed = (sessions + 1).to_string();
            let shards = Shards::generate(programs, "42", batch, SHARD, &["--seed", &seed])?;
            if sessions == 0 {
                shards.symbolicate(programs, &lake)?;
            }
            raw += shards.bytes()?;
            report = report.and(measure(&mut shards.reporting(programs)).context("report")?);
            ingest = ingest.and(measure(&mut shards.ingesting(programs, &lake)).context("ingest")?);
            fs::remove_dir_all(&shards.folder)?;
            sessions += batch;
            eprintln!("{sessions} sessions");
        }
        let lake_bytes = bytes_by_path(&lake)?.values().sum();
        let [(ours_part, duckdb_part), (ours_all, duckdb_all)] =
            [in_turn(programs, python, &lake, PART)?, in_turn(programs, python, &lake, "")?];
        let part = sessions_of(&own_rows(programs, &QUERIES[0], &lake, PART)?)?;
        steps.push(Grown {
            sessions,
            raw,
            lake: lake_bytes,
            report,
            ingest,
            part,
            ours_part,
            ours_all,
            duckdb_part,
            duckdb_all,
        });
    }
    fs::remove_dir_all(&lake)?;
    let section = section(&steps);
    println!("{section}");
    let path = programs.root.join("docs/performance.md");
    let page = fs::read_to_string(&path)?;
    fs::write(&path, performance_page::placed(&page, &section)?)?;
    Ok(())
}

const NOTHING: Usage = Usage { wall: 0.0, cpu: 0.0, peak: 0 };

/// The query for slices in this program and in DuckDB, one after the other in each round: medians. Both return the same bytes.
fn in_turn(programs: &Programs, python: &Path, lake: &Path, condition: &str) -> Result<(Usage, Usage)> {
    let [file, out] = ["query.sql", "rows.parquet"].map(|it| programs.folder.join(it));
    fs::write(&file, sql(programs, &QUERIES[0], "duckdb", lake, condition)?)?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let mut command = programs.fleet(&["rows", "slice", "--where", condition]);
        ours.push(measure(command.arg(lake)).context("rows")?);
        let arguments = [Path::new("duckdb"), &file, &out];
        theirs.push(measure(&mut scripted(programs, python, "engines.py", &arguments)).context("DuckDB")?);
    }
    same(&own_rows(programs, &QUERIES[0], lake, condition)?, &rows_of(programs, python, "duckdb", &file)?)?;
    Ok((middle(&ours), middle(&theirs)))
}

fn middle(runs: &[Usage]) -> Usage {
    let median_of = |value: fn(&Usage) -> f64| median(runs.iter().map(value).collect());
    Usage {
        wall: median_of(|it| it.wall),
        cpu: median_of(|it| it.cpu),
        peak: median_of(|it| it.peak as f64) as u64,
    }
}

/// The number in the first row of a slice, which counts the sessions.
fn sessions_of(rows: &[u8]) -> Result<usize> {
    let text = std::str::from_utf8(rows)?;
    let last =
        text.lines().nth(1).and_then(|it| it.rsplit(',').next()).context("the slice has no session")?;
    Ok(last.parse()?)
}

fn section(steps: &[Grown]) -> String {
    let mut text = String::from(HEAD);
    for step in steps {
        let ratio = step.ingest.cpu / step.report.cpu;
        let _ = writeln!(
            text,
            "| {} | {} | {} | {:.1} % | {:.2} s | {:.2} s | ×{ratio:.2} | {:.0} MB |",
            grouped(step.sessions),
            bytes(step.raw as f64),
            bytes(step.lake as f64),
            100.0 * step.lake as f64 / step.raw as f64,
            step.report.cpu,
            step.ingest.cpu,
            step.ingest.peak as f64 / 1e6,
        );
    }
    text += SLICES;
    for step in steps {
        for (what, ours, duckdb) in [
            (grouped(step.part), &step.ours_part, &step.duckdb_part),
            ("all".to_owned(), &step.ours_all, &step.duckdb_all),
        ] {
            let cell =
                |it: &Usage| format!("{:.2} s | {:.2} s | {:.0} MB", it.wall, it.cpu, it.peak as f64 / 1e6);
            let _ = writeln!(
                text,
                "| {} | {what} | {} | {} | ×{:.2} | ×{:.2} |",
                grouped(step.sessions),
                cell(ours),
                cell(duckdb),
                ours.cpu / duckdb.cpu,
                ours.peak as f64 / duckdb.peak as f64,
            );
        }
    }
    if let [first, .., last] = steps {
        text += &extrapolated(first, last);
    }
    text
}

/// What more sessions would cost, from the cost of one more session between two measured numbers.
fn extrapolated(first: &Grown, last: &Grown) -> String {
    let mut text = String::from(FURTHER);
    let more = (last.sessions - first.sessions) as f64;
    for sessions in [1e6, 1e9] {
        let at = |value: fn(&Grown) -> f64| {
            let each = (value(last) - value(first)) / more;
            value(last) + each * (sessions - last.sessions as f64)
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} |",
            grouped(sessions as usize),
            bytes(at(|it| it.raw as f64)),
            bytes(at(|it| it.lake as f64)),
            time(at(|it| it.ingest.cpu)),
            time(at(|it| it.ours_part.cpu)),
            time(at(|it| it.ours_all.cpu)),
        );
    }
    text
}

fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|it| std::str::from_utf8(it).unwrap_or_default()).collect();
    groups.join(",")
}

fn bytes(number: f64) -> String {
    let (value, unit) = match number {
        it if it < 1e9 => (it / 1e6, "MB"),
        it if it < 1e12 => (it / 1e9, "GB"),
        it => (it / 1e12, "TB"),
    };
    format!("{value:.1} {unit}")
}

fn time(seconds: f64) -> String {
    match seconds {
        it if it < 120.0 => format!("{it:.1} s"),
        it if it < 7_200.0 => format!("{:.0} min", it / 60.0),
        it => format!("{:.0} h", it / 3_600.0),
    }
}

const HEAD: &str = "
## Fleets

Written by `cargo xtask fleet`: sessions of `examples/fleet`, about 600 samples each, in shards of 1,000 sessions. CPU time is that of
all threads; `report` and `ingest` are sums over parts of 10,000 sessions at most, and the peak memory of `ingest` is that of the worst.

| sessions | NDJSON | lake | of NDJSON | CPU of `report` | CPU of `ingest` | ratio | peak memory of `ingest` |
| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
";

const SLICES: &str = "
The query for a slice, of some pages and devices or of all, by `proflens-fleet` and by DuckDB 2.0.0 in Python: whole processes in turn,
medians. Both give the same bytes.

| sessions in the lake | in the slice | wall | CPU | peak memory | DuckDB: wall | CPU | peak memory | CPU to DuckDB's | memory to DuckDB's |
| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
";

const FURTHER: &str = "
What more sessions would cost, by what one more costs between the smallest and the largest of these numbers; CPU time, which engines
and `--jobs` share out over cores and machines. This was not measured.

| sessions | NDJSON | lake | CPU of `ingest` | CPU of the smaller slice | CPU of a slice of all |
| ---: | ---: | ---: | ---: | ---: | ---: |
";
