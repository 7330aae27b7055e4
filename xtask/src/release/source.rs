//! The commit that a release is made from, and what the list of changes says about it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::{debian, shell};

/// The source of a release.
pub(crate) struct Source {
    pub(crate) version: &'static str,
    pub(crate) commit: String,
    /// The time of the commit, in seconds since 1970.
    pub(crate) time: u64,
    /// The same as ISO 8601.
    pub(crate) time_as_text: String,
}

impl Source {
    /// The source in this repository.
    ///
    /// # Errors
    /// Outside a repository: an archive without its commit could not be made again.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let line =
            "git log -1 --no-show-signature --format=%H+%ct+%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ";
        let output = debian::run(shell::command(root, line).env("TZ", "UTC"));
        let shown = output.context("a release is made from a clone of the repository, with its history")?;
        let parts: Vec<&str> = shown.trim().splitn(3, '+').collect();
        let [commit, time, text] = parts[..] else { bail!("git says `{shown}`") };
        let time = time.parse().with_context(|| format!("git says `{shown}`"))?;
        let version = env!("CARGO_PKG_VERSION");
        Ok(Self { version, commit: commit.to_owned(), time, time_as_text: text.to_owned() })
    }

    /// The text of `proflens --version`, as made by `server/proflens/build.rs`.
    pub(crate) fn described(&self) -> String {
        let (commit, date) = (&self.commit[..9], &self.time_as_text[..10]);
        format!("proflens {} ({commit} {date})", self.version)
    }
}

/// The files of the repository below a folder, as paths from there.
///
/// # Errors
/// If git lists no files.
pub(crate) fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let listed = debian::run(&mut shell::command(folder, "git ls-files -z"))?;
    let files: Vec<PathBuf> = listed.split_terminator('\0').map(PathBuf::from).collect();
    ensure!(!files.is_empty(), "{} has no files in the repository", folder.display());
    Ok(files)
}

/// The section of this version in CHANGELOG.md.
///
/// # Errors
/// If there is none.
pub(crate) fn notes(root: &Path, version: &str) -> Result<String> {
    let changes = fs::read_to_string(root.join("CHANGELOG.md")).context("CHANGELOG.md cannot be read")?;
    section(&changes, version).map(|it| it.1.to_owned())
}

/// Makes sure that a tag belongs to this version, and that the list of changes has the day of the release.
///
/// # Errors
/// If not.
pub(crate) fn check_tag(root: &Path, tag: &str) -> Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    ensure!(
        tag == format!("v{version}"),
        "the tag {tag} is not that of version {version}: tag it v{version}"
    );
    let changes = fs::read_to_string(root.join("CHANGELOG.md")).context("CHANGELOG.md cannot be read")?;
    let (heading, _) = section(&changes, version)?;
    let day = heading.rsplit(", ").next().unwrap_or_default();
    let is_day = day.len() == 10 && day.split('-').all(|it| it.parse::<u16>().is_ok());
    ensure!(
        is_day,
        "CHANGELOG.md says `{heading}`: write the day of the release, `## {version}, 2026-12-01`"
    );
    Ok(())
}

/// The heading and the text of a version.
fn section<'a>(changes: &'a str, version: &str) -> Result<(&'a str, &'a str)> {
    let sections = changes.split("\n## ").skip(1).filter_map(|it| it.split_once('\n'));
    let mut of_it = sections.filter(|it| it.0.split(", ").next() == Some(version));
    let (heading, text) =
        of_it.next().with_context(|| format!("CHANGELOG.md has no section of {version}"))?;
    Ok((heading, text.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHANGES: &str =
        "# Changes\n\n## 0.2.0, not released yet\n\n- New.\n\n## 0.1.0, 2026-11-23\n\n- First.\n";

    #[test]
    fn the_notes_of_a_version_end_where_the_next_begins() {
        assert_eq!(section(CHANGES, "0.2.0").unwrap(), ("0.2.0, not released yet", "- New."));
        assert_eq!(section(CHANGES, "0.1.0").unwrap(), ("0.1.0, 2026-11-23", "- First."));
        let error = section(CHANGES, "0.3.0").unwrap_err();
        assert_eq!(error.to_string(), "CHANGELOG.md has no section of 0.3.0");
    }
}
