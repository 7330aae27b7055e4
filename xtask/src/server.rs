//! The server as it is released, which most commands run.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::shell;
use crate::target::{Program, Target};

pub(crate) mod program;

/// Names a server that is already built, for those who want to test exactly that one.
pub(crate) const PROGRAM: &str = "PROFLENS";
/// The same for `proflens-fleet`.
pub(crate) const FLEET: &str = "PROFLENS_FLEET";

/// Builds the server for this machine, unless [`PROGRAM`] names one, and returns its path.
///
/// # Errors
/// If it does not build.
pub(crate) fn build_server(root: &Path) -> Result<PathBuf> {
    if let Some(built) = named() {
        return Ok(built);
    }
    let line = "cargo build --release --package proflens --message-format json";
    shell::built(&mut shell::command(root, line)).context("the server does not build")
}

/// The server that [`PROGRAM`] names; otherwise one built for tests: not optimised, which would take minutes.
///
/// # Errors
/// If it does not build.
pub(crate) fn named_or_for_tests(root: &Path) -> Result<PathBuf> {
    named().map_or_else(|| build_for_tests(root, "proflens"), Ok)
}

/// `proflens-fleet` that [`FLEET`] names; otherwise one built for tests.
///
/// # Errors
/// If it does not build.
pub(crate) fn fleet_for_tests(root: &Path) -> Result<PathBuf> {
    let named = std::env::var_os(FLEET).map(PathBuf::from);
    named.map_or_else(|| build_for_tests(root, "proflens-fleet"), Ok)
}

/// Builds a program for tests, and returns its path. Its crates have the features that the workspace as a whole requires: for one
/// package alone they would have fewer, and all would be built a second time.
///
/// # Errors
/// If it does not build.
pub(crate) fn build_for_tests(root: &Path, name: &str) -> Result<PathBuf> {
    let line = format!("cargo build --workspace --bin {name} --message-format json");
    shell::built(&mut shell::command(root, &line)).with_context(|| format!("{name} does not build"))
}

/// Builds the server as users get it, which needs more than Rust: the linker of `server/program.rs`.
///
/// # Errors
/// If it does not build.
pub(crate) fn build_released(root: &Path) -> Result<PathBuf> {
    if let Some(built) = named() {
        return Ok(built);
    }
    program::build(root, Program::Proflens, Target::of_this_machine()?)
}

fn named() -> Option<PathBuf> {
    std::env::var_os(PROGRAM).map(PathBuf::from)
}
