//! The queries of `proflens-fleet sql`, whose results have the same bytes wherever they are computed.

use std::fs;
use std::path::Path;

use anyhow::{Result, ensure};

use super::checks::{Checks, same};
use super::engines::scripted;
use super::programs::Programs;
use crate::shell;

/// A query with the flags that it needs.
pub(super) struct Query {
    pub(super) name: &'static str,
    flags: &'static [&'static str],
}

pub(super) const QUERIES: [Query; 3] = [
    Query { name: "slice", flags: &[] },
    Query { name: "costs", flags: &[] },
    Query { name: "compare", flags: &["--a", "release=41", "--b", "release=42"] },
];

/// All sessions; some; none.
pub(super) const CONDITIONS: [&str; 4] =
    ["", "page=/checkout and device!=phone", "release=42 and date>=2026-11-19", "page=\"it's\""];

/// The query in the language of an engine.
pub(super) fn sql(
    programs: &Programs,
    query: &Query,
    dialect: &str,
    lake: &Path,
    condition: &str,
) -> Result<String> {
    let mut command = programs.fleet(&["sql", query.name, "--dialect", dialect, "--where", condition]);
    let output = command.args(query.flags).arg("--lake").arg(lake).output()?;
    ensure!(output.status.success(), "sql failed: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?)
}

/// The rows as `proflens-fleet` computes them.
pub(super) fn own_rows(programs: &Programs, query: &Query, lake: &Path, condition: &str) -> Result<Vec<u8>> {
    let mut command = programs.fleet(&["rows", query.name, "--where", condition]);
    let output = command.args(query.flags).arg(lake).output()?;
    ensure!(output.status.success(), "rows failed: {}", String::from_utf8_lossy(&output.stderr));
    Ok(output.stdout)
}

/// All queries in engines that run as a process each.
pub(super) fn with_processes(
    programs: &Programs,
    python: &Path,
    lake: &Path,
    engines: &[&str],
    checks: &mut Checks,
) -> Result<()> {
    let file = programs.folder.join("query.sql");
    for query in &QUERIES {
        for condition in CONDITIONS {
            let ours = own_rows(programs, query, lake, condition)?;
            for &engine in engines {
                fs::write(&file, sql(programs, query, engine, lake, condition)?)?;
                let result = rows_of(programs, python, engine, &file).and_then(|it| same(&ours, &it));
                checks.note(
                    &format!("{} where \"{condition}\": {engine} gives the same bytes", query.name),
                    result,
                );
            }
        }
    }
    for engine in engines {
        fs::write(&file, sql(programs, &QUERIES[0], engine, lake, CONDITIONS[1])?)?;
        let rows = programs.folder.join("rows.parquet");
        let run = || {
            let arguments = [Path::new(engine), &file, &rows];
            shell::run(&mut scripted(programs, python, "engines.py", &arguments))?;
            slice_of_rows(programs, lake, &rows)
        };
        checks.note(&format!("a slice of the rows of {engine} is the same file"), run());
    }
    Ok(())
}

/// A slice that is finished from rows that an engine wrote equals the one that this program makes from the lake.
pub(super) fn slice_of_rows(programs: &Programs, lake: &Path, rows: &Path) -> Result<()> {
    let slice = |more: &[&Path]| -> Result<Vec<u8>> {
        let out = programs.folder.join("rows.slice.gz");
        let mut command = programs.fleet(&["slice", "--where", CONDITIONS[1], "--out"]);
        command.arg(&out).arg(lake).args(more);
        shell::run(&mut command)?;
        Ok(fs::read(&out)?)
    };
    let [ours, theirs] = [slice(&[])?, slice(&[Path::new("--rows"), rows])?];
    ensure!(ours == theirs, "the slices differ");
    Ok(())
}

/// The rows of a query in an engine that runs as a process, as CSV.
pub(super) fn rows_of(programs: &Programs, python: &Path, engine: &str, query: &Path) -> Result<Vec<u8>> {
    let output = scripted(programs, python, "engines.py", &[Path::new(engine), query]).output()?;
    ensure!(output.status.success(), "{engine} failed: {}", String::from_utf8_lossy(&output.stderr));
    Ok(output.stdout)
}
