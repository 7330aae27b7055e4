//! Locates the user's own code that ran from where a browser or an editor installed it: `chrome-extension://ID/background.js`,
//! `~/.vscode/extensions/me.tool-1.2.3/out/extension.js`.
//!
//! The folder of an extension holds its manifest, so only folders with a manifest are searched. The folder of a VS Code
//! extension is named as the manifest says. The ID of a browser extension is in no file, and every other extension has a
//! `background.js`: there the text decides ([`FoundBy::Claim`]).

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use source::text::text_of;

use super::address::{Address, Resource, Space};
use super::located::{FoundBy, Located};
use super::locator::{Locator, depends};
use crate::files::{FilePath, Files};
use crate::locate::unplaced::UnplacedReason;

/// At most this many folders with the manifest of an extension are searched.
const MAX_FOLDERS: usize = 64;

/// Finds the code of the workspace's extensions. Other code in a browser extension counts as the browser's; other code on
/// a disk keeps its answer.
pub(super) fn locate(resources: &[Resource], located: &mut [Option<Located>], locator: Locator<'_>) {
    let files = locator.files;
    let mut of_browsers: BTreeMap<&str, Vec<(usize, &[Address])>> = BTreeMap::new();
    let mut of_editors: Vec<(usize, &str, &str)> = Vec::new();
    for (number, resource) in resources.iter().enumerate().filter(|(number, _)| located[*number].is_none()) {
        let Resource::Absolute(addresses) = resource else { continue };
        let first = &addresses[0];
        match first.space {
            Space::Extension => {
                of_browsers.entry(&first.text[..first.root]).or_default().push((number, addresses));
            }
            Space::Disk if !first.is_dependency() => {
                of_editors.extend(in_editor(first.path()).map(|(name, path)| (number, name, path)));
            }
            Space::Disk | Space::Web { .. } => {}
        }
    }
    if of_browsers.is_empty() && of_editors.is_empty() {
        return;
    }
    let list: Arc<[FilePath]> = files.list();
    let folders = |name: &str, is_manifest: &dyn Fn(&Value) -> bool| -> Vec<FilePath> {
        let named = list.iter().filter(|it| it.name() == name && !depends(it, files.folders()));
        let manifests = named.filter(|it| manifest(it, files).is_some_and(|it| is_manifest(&it)));
        manifests.map(|it| FilePath::new(it.folder())).collect()
    };
    if !of_browsers.is_empty() {
        let folders = folders("manifest.json", &|it| it.get("manifest_version").is_some());
        in_browsers(&of_browsers, &folders, located, locator);
    }
    for (number, extension, path) in of_editors {
        let folders = folders("package.json", &|it| is_of(it, extension));
        let mut hits = folders.iter().filter_map(|it| files.resolve(&it.join(path)));
        let file = hits.next().filter(|_| hits.next().is_none());
        located[number] = file.map(|it| locator.found(it, FoundBy::EndOfPath));
    }
}

/// Finds the scripts of browser extensions. `origins` holds those of each extension, by their numbers.
fn in_browsers(
    origins: &BTreeMap<&str, Vec<(usize, &[Address])>>,
    folders: &[FilePath],
    located: &mut [Option<Located>],
    locator: Locator<'_>,
) {
    let folders = &folders[..folders.len().min(MAX_FOLDERS)];
    let find = |folder: &FilePath, addresses: &[Address]| {
        addresses.iter().find_map(|it| locator.files.resolve(&folder.join(it.path())))
    };
    let all_hits = origins.values().map(|scripts| {
        let hits =
            folders.iter().map(|it| scripts.iter().filter(|script| find(it, script.1).is_some()).count());
        hits.collect()
    });
    let all_hits: Vec<Vec<usize>> = all_hits.collect();
    for (origin, scripts) in origins.values().enumerate() {
        let own = &all_hits[origin];
        let most = own.iter().copied().max().unwrap_or_default();
        let best: Vec<usize> = (0..folders.len()).filter(|&it| most > 0 && own[it] == most).collect();
        // If two extensions have files with the same names, the folder belongs to at most one of them.
        let most_of_others = |folder: usize| {
            let others = all_hits.iter().enumerate().filter(|(other, _)| *other != origin);
            others.map(|(_, hits)| hits[folder]).max().unwrap_or_default()
        };
        let is_whole = most == scripts.len() && most > 1;
        let otherwise = if is_whole { UnplacedReason::OtherText } else { UnplacedReason::Runtime };
        for &(number, addresses) in scripts {
            let file = best.iter().find_map(|&it| find(&folders[it], addresses));
            located[number] = Some(match (file, &best[..]) {
                (None, _) => Located::Unplaced(UnplacedReason::Runtime),
                (Some(file), &[folder]) => match most_of_others(folder).cmp(&most) {
                    Ordering::Less => locator.found(file, FoundBy::Claim { otherwise }),
                    Ordering::Equal => Located::Unplaced(UnplacedReason::Ambiguous),
                    Ordering::Greater => Located::Unplaced(UnplacedReason::Runtime),
                },
                (Some(_), _) => Located::Unplaced(UnplacedReason::Ambiguous),
            });
        }
    }
}

/// The folder name of an extension that an editor installed, and the path in it: `me.tool-1.2.3` of
/// `/home/me/.vscode/extensions/me.tool-1.2.3/out/extension.js`. Editors derived from VS Code have a different
/// hidden folder around it.
fn in_editor(path: &str) -> Option<(&str, &str)> {
    const FOLDER: &str = "/extensions/";
    let start = path.find(FOLDER)?;
    let around = path[..start].rsplit('/').next()?;
    let (name, rest) = path[start + FOLDER.len()..].split_once('/')?;
    (around.starts_with('.') && name.contains('.')).then_some((name, rest))
}

/// Whether a VS Code extension with this manifest is installed in a folder of that name: `publisher.name-1.2.3-linux-x64`.
fn is_of(manifest: &Value, folder: &str) -> bool {
    let [Some(publisher), Some(name)] = ["publisher", "name"].map(|key| manifest.get(key)?.as_str()) else {
        return false;
    };
    let id = format!("{publisher}.{name}").to_lowercase();
    let version =
        folder.to_lowercase().strip_prefix(&id).and_then(|it| it.strip_prefix('-')).map(str::to_owned);
    version.is_some_and(|it| it.starts_with(|it: char| it.is_ascii_digit()))
}

/// Reads a manifest, in which Chromium allows comments on lines of their own.
fn manifest(file: &FilePath, files: &dyn Files) -> Option<Value> {
    let text = text_of(&files.read(file)?);
    let lines = text.lines().filter(|it| !it.trim_start().starts_with("//"));
    serde_json::from_str(&lines.collect::<Vec<_>>().join("\n")).ok()
}
