//! Scripts of a server that are the unchanged text of a workspace file: what Vite sends of `public`, and what a build copied from there.
//!
//! One name is little evidence where a server sends many other files, but its text is enough. Of several files with that text those
//! that a build wrote are copies, and people edit the other. If a build wrote all of them, any of them will do.

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
        let Some(chosen) = chosen(&same, files) else { continue };
        if let Some(file) = files.resolve(chosen)
            && located[number].file() != Some(&file)
        {
            located[number] = Locator { files, settings }.found(file, FoundBy::Text);
        }
    }
}

/// The file to take of those with the same text: the one that no build wrote, or one of the copies that the build of one project
/// wrote, rather one that is served than what a tool keeps in a hidden folder.
fn chosen<'f>(same: &'f [FilePath], files: &dyn Files) -> Option<&'f FilePath> {
    let mut written = same.iter().filter(|file| !is_built(file, files));
    match (written.next(), written.next()) {
        (Some(only), None) => Some(only),
        (Some(_), Some(_)) => None,
        (None, _) => {
            let mut projects = same.iter().map(|file| project(file, files));
            let first = projects.next()?;
            let is_one = projects.all(|other| other == first);
            let copies = same.iter().filter(|_| is_one);
            copies.min_by_key(|file| (file.as_str()[first.len()..].split('/').any(is_hidden), *file))
        }
    }
}

/// The folder of the project whose build wrote a file: what is before the first folder that builds write or tools hide.
fn project<'f>(file: &'f FilePath, files: &dyn Files) -> &'f str {
    let (path, inside) = (file.as_str(), inside(file, files));
    let before = inside.split('/').take_while(|part| !is_hidden(part) && !known::is_built_folder(part));
    let length: usize = before.map(|part| part.len() + 1).sum();
    &path[..path.len().min(path.len() - inside.len() + length)]
}

/// Whether a tool keeps what it needs itself in a folder of this name, as `.svelte-kit`.
fn is_hidden(name: &str) -> bool {
    name.starts_with('.') && !known::is_built_folder(name)
}

/// The path of a file in its workspace folder, the outermost one; empty if it is in none.
fn inside<'f>(file: &'f FilePath, files: &dyn Files) -> &'f str {
    let inside = files.folders().iter().filter_map(|folder| file.relative_to(folder));
    inside.max_by_key(|path| path.len()).unwrap_or_default()
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
    inside(file, files).rsplit('/').skip(1).any(known::is_built_folder)
}
