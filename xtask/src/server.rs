//! The server as it is released, which most commands run.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::shell;

/// Names a server that is built already, for those who want to test just that one.
pub(crate) const PROGRAM: &str = "PROFLENS";

/// Builds the server as it is released, unless [`PROGRAM`] names one, and gives its path.
///
/// # Errors
/// If it does not build.
pub(crate) fn build_server(root: &Path) -> Result<PathBuf> {
    if let Some(built) = std::env::var_os(PROGRAM) {
        return Ok(PathBuf::from(built));
    }
    let line = "cargo build --release --package proflens --message-format json";
    shell::built(&mut shell::command(root, line)).context("the server does not build")
}
