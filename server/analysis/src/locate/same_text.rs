//! Scripts of a server that are the unchanged text of a workspace file: what Vite sends of `public`, and what a build copied from there.
//!
//! One name is little evidence where a server sends many other files, but its text is enough. Of several files with that text those
//! that a build wrote are copies, and people edit the other.

use super::address::{self, Resource, Space};
use super::known;
use super::located::{FoundBy, Located};
use super::locator::Locator;
use super::mapping::Mapped;
use super::settings::LocateSettings;
use super::text::{Digest, FileDigests};
use super::workspace::Workspace;
use crate::files::{FilePath, Files};
use crate::locate::unplaced::UnplacedReason;

/// Finds the scripts that are no file yet, or one that a build wrote. `scripts` are urls with their texts, and `located` is by their
/// numbers.
pub(crate) fn locate_by_text<'a>(
    scripts: impl Iterator<Item = (usize, &'a str, &'a str)>,
    located: &mut [Located],
    files: &dyn Files,
    settings: &LocateSettings,
) {
    let asked: Vec<_> = scripts
        .filter(|(number, url, text)| {
            may_be_another(&located[*number], files)
                && !text.trim().is_empty()
                && matches!(settings.mappings.find(url.trim(), &address::read(url), files), Mapped::Unmapped)
        })
        .collect();
    if asked.is_empty() {
        return;
    }
    let list = files.list();
    let (workspace, digests) = (Workspace::new(&list, files.folders()), FileDigests::new(files));
    for (number, url, text) in asked {
        let Resource::Absolute(addresses) = address::read(url) else { continue };
        let of_server = addresses.iter().filter(|it| matches!(it.space, Space::Web { .. }));
        let ends = of_server.filter_map(|it| it.text.rfind('/').map(|at| it.text[at..].to_owned()));
        let text = Digest::of(text);
        let mut same: Vec<FilePath> =
            ends.flat_map(|end| workspace.ending_in(&end).to_vec()).cloned().collect();
        same.sort();
        same.dedup();
        same.retain(|file| digests.holds(file, text));
        if same.len() > 1 {
            same.retain(|file| !is_built(file, files));
        }
        let [only] = &same[..] else { continue };
        if let Some(file) = files.resolve(only)
            && located[number].file() != Some(&file)
        {
            located[number] = Locator { files, settings }.found(file, FoundBy::Text);
        }
    }
}

/// Whether a resource may be another file than the one that was found, if any was.
fn may_be_another(located: &Located, files: &dyn Files) -> bool {
    match located {
        Located::Unplaced(reason) => {
            matches!(reason, UnplacedReason::NotInWorkspace | UnplacedReason::Ambiguous)
        }
        Located::File { file, transformed, .. } => !transformed && is_built(file, files),
    }
}

/// Whether a file lies in a folder that builds usually write.
fn is_built(file: &FilePath, files: &dyn Files) -> bool {
    let inside = files.folders().iter().filter_map(|folder| file.relative_to(folder));
    let inside = inside.max_by_key(|it| it.len());
    inside.is_some_and(|it| it.rsplit('/').skip(1).any(known::is_built_folder))
}
