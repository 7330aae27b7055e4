//! The folders of the workspace: which may be the root of a build, which are served, and what counts as a dependency.

use std::collections::BTreeMap;

use super::address::{Address, Space};
use super::mapping;
use super::settings::LocateSettings;
use crate::{FilePath, Files};

/// A folder that may well be the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Near {
    pub(crate) folder: FilePath,
    /// The lower the likelier; those of equal rank are equally likely.
    pub(crate) rank: u32,
}

impl Near {
    /// The folder that the names are said to count from.
    pub(crate) const SAID: u32 = 0;
    /// Folders around it, the inner ones first.
    pub(crate) const AROUND: u32 = 1;
    /// Folders that the user named as the roots of servers.
    pub(crate) const SERVED: u32 = 10_000;
    /// Other workspace folders.
    pub(crate) const TOP: u32 = 10_001;
    /// The folder of a bundle, for names that count from the sources.
    pub(crate) const OUTPUT: u32 = 10_002;
}

/// Folders that may be the root of any build.
pub(crate) fn near_tops(files: &dyn Files, settings: &LocateSettings) -> Vec<Near> {
    let served = settings.served.iter().map(|it| Near { folder: FilePath::new(&it.to), rank: Near::SERVED });
    let tops = files.folders().iter().map(|top| Near { folder: top.clone(), rank: Near::TOP });
    served.chain(tops).collect()
}

/// The file that a path of a server is in the folder that a debug configuration gives it: the longest prefix with a
/// file, unless configurations differ.
pub(crate) fn in_served_folder(
    addresses: &[Address],
    files: &dyn Files,
    settings: &LocateSettings,
) -> Option<FilePath> {
    let mut found: BTreeMap<usize, (usize, FilePath)> = BTreeMap::new();
    for address in addresses.iter().filter(|it| it.space != Space::Disk) {
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

/// Whether a file counts as a dependency: it lies below `node_modules` of every workspace folder around it.
pub(crate) fn depends(file: &FilePath, folders: &[FilePath]) -> bool {
    let mut around = folders.iter().filter_map(|folder| file.relative_to(folder));
    around.all(|path| path.split('/').any(|part| part == "node_modules"))
}
