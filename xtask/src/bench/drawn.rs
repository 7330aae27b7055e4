//! How fast a flame graph of a million samples is drawn, compared with speedscope: first frame, frames while it is moved, memory.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use super::inputs::Input;
use super::usage::median;
use crate::{debian, shell};

/// What draws, and on what.
const PACKAGES: [&str; 2] = ["playwright-core@1.65.0", "speedscope@1.25.0"];
const ROUNDS: usize = 3;

/// Draws the input with both in turn; returns the rows of a table, medians over the rounds.
///
/// # Errors
/// If a program cannot be installed or does not run.
pub(super) fn rows(root: &Path, folder: &Path, server: &Path, input: &Input) -> Result<String> {
    debian::ensure_program("chromium", "chromium")?;
    let install = format!("npm install --no-audit --no-fund --ignore-scripts {}", PACKAGES.join(" "));
    shell::run(&mut shell::command(folder, &install))?;
    let page = folder.join("flame.html");
    let mut flame = Command::new(server);
    flame.arg("flame").arg(&input.path).arg("--workspace").arg(&input.workspace).arg("-o").arg(&page);
    shell::run(&mut flame)?;
    let both = [("**proflens flame**", "ours", page.as_path()), (PACKAGES[1], "speedscope", &input.path)];
    let mut runs = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        for ((_, which, file), runs) in both.iter().zip(&mut runs) {
            runs.push(drawn(root, folder, which, file)?);
        }
    }
    let row = |((name, ..), runs): (&(&str, &str, &Path), &Vec<Value>)| {
        if runs.iter().any(|run| run["crashed"] == true) {
            return format!("| {name} | its page crashes | | | |\n");
        }
        let median_of = |key: &str| median(runs.iter().filter_map(|it| it[key].as_f64()).collect());
        let [first, p50, p95, memory] = ["first", "p50", "p95", "memory"].map(median_of);
        format!("| {name} | {:.2} s | {p50:.1} ms | {p95:.1} ms | {memory:.0} MB |\n", first / 1e3)
    };
    Ok(both.iter().zip(&runs).map(row).collect())
}

fn drawn(root: &Path, folder: &Path, which: &str, file: &Path) -> Result<Value> {
    let mut node = Command::new("node");
    node.arg(root.join("benches/flame_page.mjs")).arg(which).arg(file).arg(folder.join("node_modules"));
    let output = node.output().context("node")?;
    let text = String::from_utf8_lossy(&output.stdout);
    eprintln!("{which}: {}", text.trim());
    serde_json::from_str(&text)
        .with_context(|| format!("{which}: {}", String::from_utf8_lossy(&output.stderr)))
}
