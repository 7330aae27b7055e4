//! The section of docs/performance.md on fleets, which `cargo xtask fleet` writes into the page that `cargo xtask bench` writes.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// Its title.
pub(crate) const FLEETS: &str = "\n## Fleets\n";

/// A page of performance with the section that another page has.
///
/// # Errors
/// If the other one cannot be read.
pub(crate) fn with_section_of(path: &Path, page: &str) -> Result<String> {
    let known = fs::read_to_string(path)?;
    match found(&known) {
        Some((start, end)) => placed(page, &known[start..end]),
        None => Ok(page.to_owned()),
    }
}

/// Where the section begins and ends in a page.
fn found(page: &str) -> Option<(usize, usize)> {
    let start = page.find(FLEETS)?;
    let after = start + FLEETS.len();
    let end = [page[after..].find("\n## "), page[after..].rfind(MACHINE)].into_iter().flatten().min()?;
    Some((start, after + end))
}

/// The last line of the page, which stays the last one.
const MACHINE: &str = "\nMeasured on ";

/// The page with this section in place of the one that it has, or before its last line.
///
/// # Errors
/// If it has no last line.
pub(crate) fn placed(page: &str, section: &str) -> Result<String> {
    let mut page = page.to_owned();
    if let Some((start, end)) = found(&page) {
        page.replace_range(start..end, "");
    }
    let at = page
        .rfind(MACHINE)
        .context("docs/performance.md does not end with the machine: run `cargo xtask bench`")?;
    page.insert_str(at, section);
    Ok(page)
}
