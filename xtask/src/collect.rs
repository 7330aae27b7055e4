//! `proflens collect` with the example page in a real browser, as users have both.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::server::build_server;
use crate::{debian, modules, shell};

/// Runs the tests of `tests/collect/browser.mjs`.
///
/// # Errors
/// If a test fails, which it has then reported, or if something that the tests need is missing.
pub(crate) fn test(root: &Path) -> Result<()> {
    let server = build_server(root)?;
    debian::ensure_program("chromium", "chromium")?;
    let tests = root.join("tests/collect");
    modules::modules(&tests)?;
    shell::run(Command::new("node").current_dir(&tests).arg("browser.mjs").env("PROFLENS", server))
}
