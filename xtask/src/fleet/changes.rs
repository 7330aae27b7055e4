//! Whether a comparison of two releases finds what was made slower, and reports nothing else as changed.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::checks::Checks;
use super::programs::Programs;
use super::shards::Shards;

/// Sessions of each release.
const SESSIONS: usize = 10_000;
const SLOWER: &str = "editDistance";

/// The part of `compare --format json` that is read.
#[derive(Deserialize)]
struct Comparison {
    functions: Vec<FunctionChange>,
}

#[derive(Deserialize)]
struct FunctionChange {
    name: String,
    verdict: String,
}

pub(super) fn check(programs: &Programs, checks: &mut Checks) -> Result<()> {
    let slower = lake(programs, "lake-slower", &["--slow", SLOWER, "--by", "1.15"])?;
    checks.note(
        "what takes 15 % longer is found first",
        compared(programs, &slower).and_then(|it| is_first(&it)),
    );
    let alike = lake(programs, "lake-alike", &[])?;
    checks.note(
        "of functions that did not change none is called changed",
        compared(programs, &alike).and_then(|it| none(&it)),
    );
    Ok(())
}

/// Sessions of both releases; those of the second one are made with further options.
fn lake(programs: &Programs, name: &str, options: &[&str]) -> Result<std::path::PathBuf> {
    let lake = programs.fresh(name)?;
    for (release, options) in [("41", &[][..]), ("42", options)] {
        let shards = Shards::generate(programs, release, SESSIONS, 1_000, options)?;
        shards.symbolicate(programs, &lake)?;
        shards.ingest(programs, &lake)?;
    }
    Ok(lake)
}

fn compared(programs: &Programs, lake: &Path) -> Result<Vec<FunctionChange>> {
    let mut command = programs.fleet(&["compare"]);
    command.arg(lake).args(["--a", "release=41", "--b", "release=42", "--format", "json"]);
    let output = command.output()?;
    ensure!(output.status.success(), "compare failed: {}", String::from_utf8_lossy(&output.stderr));
    let comparison: Comparison = serde_json::from_slice(&output.stdout).context("what compare printed")?;
    Ok(comparison.functions)
}

fn is_first(functions: &[FunctionChange]) -> Result<()> {
    let changed: Vec<(&str, &str)> = changed(functions);
    let first = *changed.first().context("nothing is called changed")?;
    ensure!(first == (SLOWER, "regression"), "{changed:?} are called changed, in this order");
    Ok(())
}

fn none(functions: &[FunctionChange]) -> Result<()> {
    ensure!(functions.len() >= 600, "only {} functions were compared", functions.len());
    let changed = changed(functions);
    ensure!(changed.is_empty(), "{changed:?} are called changed");
    Ok(())
}

fn changed(functions: &[FunctionChange]) -> Vec<(&str, &str)> {
    let is_changed = |it: &&FunctionChange| ["regression", "improvement"].contains(&it.verdict.as_str());
    functions.iter().filter(is_changed).map(|it| (it.name.as_str(), it.verdict.as_str())).collect()
}
