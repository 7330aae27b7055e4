//! The server as it is released, which most commands run.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::shell;

/// Builds the server as it is released, and gives its path.
///
/// # Errors
/// If it does not build.
pub(crate) fn build_server(root: &Path) -> Result<PathBuf> {
    let line = "cargo build --release --package proflens --message-format json";
    shell::built(&mut shell::command(root, line)).context("the server does not build")
}
