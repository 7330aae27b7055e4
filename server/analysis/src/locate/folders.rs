//! What is known about folders regardless of what names them: which may be the root of a build, and which are served.

use std::collections::BTreeMap;

use super::address::{Address, Space};
use super::locator::Locator;
use super::mapping;
use crate::files::FilePath;

/// A folder that is a plausible root of a build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RootCandidate {
    pub(crate) folder: FilePath,
    /// Lower is likelier; folders of equal rank are equally likely.
    pub(crate) rank: u32,
}

impl RootCandidate {
    /// The folder that names count from according to their format.
    pub(crate) const STATED: u32 = 0;
    /// The first folder around that one; those further out have higher ranks.
    pub(crate) const ENCLOSING: u32 = 1;
    /// The folder of the package after which the build is named.
    pub(crate) const PACKAGE: u32 = Self::ENCLOSING;
    /// Folders that the user named as the roots of servers.
    pub(crate) const SERVER_ROOT: u32 = 10_000;
    /// Other workspace folders.
    pub(crate) const WORKSPACE_FOLDER: u32 = 10_001;
    /// The folder of a bundle, for names relative to the sources.
    pub(crate) const BUNDLE_FOLDER: u32 = 10_002;
}

/// Folders that may be the root of any build.
pub(super) fn common_root_candidates(locator: Locator<'_>) -> Vec<RootCandidate> {
    let served = locator
        .settings
        .served
        .iter()
        .map(|it| RootCandidate { folder: FilePath::new(&it.to), rank: RootCandidate::SERVER_ROOT });
    let tops = locator
        .files
        .folders()
        .iter()
        .map(|top| RootCandidate { folder: top.clone(), rank: RootCandidate::WORKSPACE_FOLDER });
    served.chain(tops).collect()
}

/// The file of a server's path in the folder that a debug configuration gives for it: the longest prefix that has a file
/// wins, unless configurations disagree.
pub(super) fn in_served_folder(addresses: &[Address], locator: Locator<'_>) -> Option<FilePath> {
    let Locator { files, settings } = locator;
    let mut found: BTreeMap<usize, (usize, FilePath)> = BTreeMap::new();
    for address in addresses.iter().filter(|it| matches!(it.space, Space::Web { .. })) {
        for (number, served, rest) in settings.served.of_path(address.path()) {
            // The likeliest reading of the url comes first.
            if found.contains_key(&number) {
                continue;
            }
            let path = FilePath::new(&served.to).join(rest);
            let inside = mapping::spelled_inside(path.as_str(), files.folders());
            let length = served.from.trim_end_matches('/').len();
            found.extend(inside.and_then(|it| files.resolve(&it)).map(|file| (number, (length, file))));
        }
    }
    let longest = found.values().map(|(length, _)| *length).max()?;
    let mut best = found.into_values().filter(|(length, _)| *length == longest).map(|(_, file)| file);
    let first = best.next()?;
    best.all(|other| other == first).then_some(first)
}
