//! The page of the flame graph: built from its sources, and viewed in a real browser.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::server::build_server;
use crate::{debian, modules, shell};

/// Builds the page: for webviews in `editors/flame/dist`, and as the template that is built into the server.
///
/// # Errors
/// If npm cannot deliver what builds it.
pub(crate) fn build(root: &Path) -> Result<()> {
    debian::ensure_program("npm", "npm")?;
    let folder = root.join("editors/flame");
    modules::modules(&folder)?;
    shell::run(&mut shell::command(&folder, "npm run --silent build"))
}

/// Runs the tests of `tests/flame`: what is drawn in a browser, and how wide.
///
/// # Errors
/// If a test fails, which it has then reported, or if something that the tests need is missing.
pub(crate) fn test(root: &Path) -> Result<()> {
    let server = build_server(root)?;
    debian::ensure_program("chromium", "chromium")?;
    let tests = root.join("tests/flame");
    modules::modules(&tests)?;
    modules::modules(&root.join("editors/flame"))?;
    let run =
        |file: &str| shell::run(Command::new("node").current_dir(&tests).arg(file).env("PROFLENS", &server));
    let ran = [run("widths.mjs"), run("page.mjs"), run("narrow.mjs")];
    ran.into_iter().collect()
}
