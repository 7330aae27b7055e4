//! The queries and the ingest on a Spark cluster that loses a worker.

use std::fs;
use std::path::Path;

use anyhow::Result;

use super::checks::{Checks, same};
use super::engines::scripted;
use super::programs::Programs;
use super::queries::{CONDITIONS, QUERIES, own_rows, slice_of_rows, sql};
use super::shards::{Shards, same_tables};
use crate::shell;

/// All queries on a Spark cluster with a master and two workers, one of which is killed in the middle of the first query.
pub(super) fn queries(programs: &Programs, python: &Path, lake: &Path, checks: &mut Checks) -> Result<()> {
    let folder = programs.fresh("spark-queries")?;
    fs::create_dir_all(&folder)?;
    let (mut files, mut expected) = (Vec::new(), Vec::new());
    for query in &QUERIES {
        for (number, condition) in CONDITIONS.iter().enumerate() {
            let file = folder.join(format!("{}-{number}.sql", query.name));
            fs::write(&file, sql(programs, query, "spark", lake, condition)?)?;
            let what = format!("{} where \"{condition}\": Spark gives the same bytes", query.name);
            expected.push((what, own_rows(programs, query, lake, condition)?, file.with_extension("csv")));
            files.push(file);
        }
    }
    let work = programs.fresh("spark-work")?;
    let mut command = scripted(programs, python, "spark.py", &[Path::new("query"), &work, &folder]);
    checks.note("Spark answers although a worker was killed", shell::run(command.args(&files)));
    let finished = slice_of_rows(programs, lake, &folder.join("rows.parquet"));
    checks.note("a slice of the rows of Spark is the same file", finished);
    for (what, rows, file) in expected {
        checks.note(&what, same(&rows, &fs::read(&file).unwrap_or_default()));
    }
    Ok(())
}

/// Ingest by Spark, with a worker that is killed, compared with ingest by one process.
pub(super) fn ingest(programs: &Programs, python: &Path, checks: &mut Checks) -> Result<()> {
    let shards = Shards::generate(programs, "42", 2_000, 100, &[])?;
    let [alone, spread] = [programs.fresh("lake-alone")?, programs.fresh("lake-spread")?];
    for lake in [&alone, &spread] {
        shards.symbolicate(programs, lake)?;
    }
    // One by one, because small files that are named together become one shard.
    for file in shards.files()? {
        let mut command = programs.fleet(&["ingest", "--release", "42", "--out"]);
        shell::run(command.arg(&alone).arg(file))?;
    }
    let work = programs.fresh("spark-work")?;
    let mut command = scripted(programs, python, "spark.py", &[Path::new("ingest"), &work]);
    command.arg("--program").arg(&programs.fleet).args(["--release", "42", "--lake"]).arg(&spread);
    let done = shell::run(command.args(shards.files()?)).and_then(|()| same_tables(&alone, &spread));
    checks.note("a lake that Spark made while a worker was killed is that of one process", done);
    Ok(())
}
