//! The programs that are measured: ours, the minimum, and those from npm.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::inputs::{Input, Kind};
use crate::{debian, shell};

/// A program on an input.
pub(super) struct Peer {
    pub(super) name: String,
    arguments: Vec<String>,
}

impl Peer {
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(&self.arguments[0]);
        command.args(&self.arguments[1..]);
        command
    }
}

/// Exact versions, because figures of another version would be figures of another program.
const PACKAGES: [&str; 3] =
    ["@paulirish/trace_engine@0.0.65", "cpuprofile-to-flamegraph@1.0.0", "cpupro@0.7.0"];

/// Limits of Node that are high enough for the large inputs.
const LIMITS: [&str; 2] = ["--max-old-space-size=18000", "--stack-size=4000"];

/// Installs the peers into a folder, once.
///
/// # Errors
/// If npm fails.
pub(super) fn install(folder: &Path) -> Result<()> {
    debian::ensure_program("npm", "npm")?;
    if PACKAGES.iter().all(|it| folder.join("node_modules").join(name_of(it)).is_dir()) {
        return Ok(());
    }
    fs::write(folder.join("package.json"), "{\"private\":true}")?;
    let install = format!("npm install --no-audit --no-fund --ignore-scripts {}", PACKAGES.join(" "));
    shell::run(&mut shell::command(folder, &install))
}

/// This program as it is released: with `validate FILE` it is the minimum.
///
/// # Errors
/// If it does not build.
pub(super) fn floor(root: &Path) -> Result<PathBuf> {
    shell::run(&mut shell::command(root, "cargo build --quiet --release --package xtask"))?;
    let own = std::env::current_exe()?;
    let target = own.ancestors().nth(2).context("this program lies in target/<profile>")?;
    Ok(target.join("release").join(format!("xtask{}", std::env::consts::EXE_SUFFIX)))
}

/// This project's program, as a user would run it.
pub(super) fn ours(server: &Path, input: &Input) -> Peer {
    let arguments = [&text(server), "report", &text(&input.path), "--workspace", &text(&input.workspace)];
    peer("**proflens report**", &arguments)
}

/// What it takes to write all of it as a flame graph.
fn our_flame_graph(server: &Path, folder: &Path, input: &Input) -> Peer {
    let (file, workspace) = (text(&input.path), text(&input.workspace));
    let page = text(&folder.join("flame.html"));
    let arguments = [&text(server), "flame", &file, "--workspace", &workspace, "--output", &page];
    peer("**proflens flame**", &arguments)
}

/// All programs that read the input; the first is the minimum.
pub(super) fn of(root: &Path, folder: &Path, server: &Path, floor: &Path, input: &Input) -> Vec<Peer> {
    let file = text(&input.path);
    let driver = |name: &str| text(&root.join("benches").join(name));
    let modules = text(&folder.join("node_modules"));
    let node = |name: &str, script: &str| {
        peer(name, &["node", LIMITS[0], LIMITS[1], &driver(script), &file, &modules])
    };
    let mut peers = vec![
        peer("serde_json validation (the floor)", &[&text(floor), "validate", &file]),
        ours(server, input),
        our_flame_graph(server, folder, input),
        node("node `JSON.parse` alone", "json_parse.mjs"),
    ];
    if matches!(input.kind, Kind::CpuProfile | Kind::ChromeTrace) {
        peers.push(node("Chrome DevTools' model (trace_engine 0.0.65)", "trace_engine.mjs"));
    }
    if input.kind == Kind::CpuProfile {
        let cpupro = text(&folder.join("node_modules/cpupro/bin/cpupro"));
        let page =
            ["node", LIMITS[0], LIMITS[1], &cpupro, &file, "-n", "-o", &text(folder), "-f", "cpupro.html"];
        peers.push(peer("cpupro 0.7.0 (packs the file into a page)", &page));
        peers.push(node("cpuprofile-to-flamegraph 1.0.0", "flamegraph.mjs"));
    }
    peers
}

fn peer(name: &str, arguments: &[&str]) -> Peer {
    Peer { name: name.to_owned(), arguments: arguments.iter().map(|&it| it.to_owned()).collect() }
}

fn name_of(package: &str) -> &str {
    package.rsplit_once('@').map_or(package, |it| it.0)
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
