//! The engines, from the package registries: DuckDB, ClickHouse (chDB) and Spark of PyPI, and Debian's Java for Spark.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use super::Checks;
use super::programs::Programs;
use super::queries::{CONDITIONS, QUERIES, own_rows, slice_of_rows, sql};
use super::shards::{Shards, same_tables};
use crate::{debian, shell};

/// Names of engines, as `proflens-fleet sql --dialect` has them.
pub(super) const ALL: &[&str] = &["duckdb", "clickhouse", "spark"];

/// The package of an engine, in the version that these checks were made with.
fn package(engine: &str) -> &'static str {
    match engine {
        "clickhouse" => "chdb==4.4.0",
        "spark" => "pyspark==4.3.0",
        _ => "duckdb==2.0.0",
    }
}

/// A Python that has these engines.
///
/// # Errors
/// If they cannot be installed.
pub(super) fn install(programs: &Programs, engines: &[&str]) -> Result<PathBuf> {
    let home = programs.folder.join("python");
    let python = home.join("bin/python");
    if !home.join("bin/pip").is_file() {
        debian::ensure_program("python3", "python3")?;
        let has_modules = Command::new("python3").args(["-c", "import ensurepip"]).status()?.success();
        if !has_modules {
            // `ensurepip` is no program, so that it is never found on PATH.
            debian::ensure_program("ensurepip", "python3-venv")?;
        }
        shell::run(Command::new("python3").args(["-m", "venv"]).arg(&home))?;
    }
    let wanted: Vec<&str> = engines.iter().map(|it| package(it)).collect();
    // What is installed is named with its version: nothing is asked of the network then.
    let installed = debian::run(Command::new(&python).args(["-m", "pip", "freeze"]))?;
    if !wanted.iter().all(|it| installed.lines().any(|line| line == *it)) {
        let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        shell::run(Command::new(&python).args(install).args(&wanted))?;
    }
    if engines.contains(&"spark") {
        debian::ensure_program("java", "default-jre-headless")?;
    }
    Ok(python)
}

/// Runs a script of `tests/fleet`.
pub(super) fn script(programs: &Programs, python: &Path, name: &str, arguments: &[&Path]) -> Result<()> {
    shell::run(&mut scripted(programs, python, name, arguments))
}

/// The same, not yet started.
pub(super) fn scripted(programs: &Programs, python: &Path, name: &str, arguments: &[&Path]) -> Command {
    let mut command = Command::new(python);
    command.arg(programs.root.join("tests/fleet").join(name)).args(arguments);
    command
}

/// All queries on a Spark cluster of a master and two workers, of which one is killed in the middle of the first query.
pub(super) fn queries_on_spark(
    programs: &Programs,
    python: &Path,
    lake: &Path,
    checks: &mut Checks,
) -> Result<()> {
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

/// Ingest by Spark, of which a worker is killed, against ingest by one process.
pub(super) fn ingest_on_spark(programs: &Programs, python: &Path, checks: &mut Checks) -> Result<()> {
    let shards = Shards::generate(programs, "42", 2_000, 100, &[])?;
    let [alone, spread] = [programs.fresh("lake-alone")?, programs.fresh("lake-spread")?];
    for lake in [&alone, &spread] {
        shards.symbolicate(programs, lake)?;
    }
    shards.ingest(programs, &alone)?;
    let work = programs.fresh("spark-work")?;
    let mut command = scripted(programs, python, "spark.py", &[Path::new("ingest"), &work]);
    command.arg("--program").arg(&programs.fleet).args(["--release", "42", "--lake"]).arg(&spread);
    let done = shell::run(command.args(shards.files()?)).and_then(|()| same_tables(&alone, &spread));
    checks.note("a lake that Spark made while a worker was killed is that of one process", done);
    Ok(())
}

/// Whether two results are the same, byte by byte.
pub(super) fn same(ours: &[u8], theirs: &[u8]) -> Result<()> {
    if ours == theirs {
        return Ok(());
    }
    let (ours, theirs) = (String::from_utf8_lossy(ours), String::from_utf8_lossy(theirs));
    let at = ours.lines().zip(theirs.lines()).position(|it| it.0 != it.1);
    let at = at.unwrap_or_else(|| ours.lines().count().min(theirs.lines().count()));
    let line = |text: &str| text.lines().nth(at).unwrap_or("no line").to_owned();
    bail!("line {}: proflens-fleet has {}, the engine {}", at + 1, line(&ours), line(&theirs))
}
