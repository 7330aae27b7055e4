//! The engines, from the package registries: DuckDB, ClickHouse (chDB) and Spark from PyPI, and Debian's Java for Spark; and
//! moto, which is a bucket.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::programs::Programs;
use crate::{debian, shell};

/// Names of engines, as `proflens-fleet sql --dialect` has them, and the bucket.
pub(super) const ALL: &[&str] = &["duckdb", "clickhouse", "spark", "bucket"];

/// The package of an engine, in the version that these checks were made with.
fn package(engine: &str) -> &'static str {
    match engine {
        "bucket" => "moto[s3,server]==5.2.5",
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
            // `ensurepip` is not a program, so it is never found on PATH.
            debian::ensure_program("ensurepip", "python3-venv")?;
        }
        shell::run(Command::new("python3").args(["-m", "venv"]).arg(&home))?;
    }
    let wanted: Vec<&str> = engines.iter().map(|it| package(it)).collect();
    // The installed packages are named with their versions, so nothing is asked of the network then.
    let installed = debian::run(Command::new(&python).args(["-m", "pip", "freeze"]))?;
    let is_installed = |package: &str| {
        // `freeze` leaves out the brackets of `name[extra]==version`.
        let (name, version) = package.split_once("==").unwrap_or((package, ""));
        let name = name.split('[').next().unwrap_or(name);
        installed.lines().any(|line| line == format!("{name}=={version}"))
    };
    if !wanted.iter().all(|it| is_installed(it)) {
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
