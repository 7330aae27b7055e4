//! Finds scripts that are no longer where they ran in the workspace: the file was moved or renamed since the trace was recorded.

use std::collections::BTreeMap;
use std::sync::Arc;

use profile::model::{Profile, Script};
use rustc_hash::{FxHashMap, FxHashSet};
use source::language::Language;
use source::map::source_mapping_url;
use source::text::text_of;

use super::moved_files::{LostText, moved_files};
use super::settings::LoadSettings;
use crate::files::{FilePath, Files};
use crate::locate::{FoundBy, Located, UnplacedReason, depends, path_inside};

/// Scripts of the workspace that are not at their places any more.
#[derive(Default)]
pub(super) struct MovedScripts {
    /// The old path of each file, by the file that it is today. A script that is no file today is entered under its old path.
    pub(super) was: FxHashMap<FilePath, FilePath>,
    /// The paths of scripts that are no file today, by `ResourceId`: their functions may still be in other files.
    pub(super) gone: FxHashMap<usize, FilePath>,
}

/// Finds the scripts of a trace that are not in the workspace any more, and updates `located`, which is indexed by `ResourceId`.
pub(super) fn locate_moved(
    profile: &Profile,
    located: &mut [Located],
    files: &dyn Files,
    settings: &LoadSettings<'_>,
) -> MovedScripts {
    let scripts: BTreeMap<usize, &Script> = scripts_of_resources(profile).collect();
    let mut missing: BTreeMap<FilePath, Vec<usize>> = BTreeMap::new();
    for (index, it) in located.iter().enumerate() {
        if *it == Located::Unplaced(UnplacedReason::NotInWorkspace) {
            let url = profile.strings.get(profile.resources[index]);
            let is_source = scripts.get(&index).is_some_and(|it| it.is_source);
            let path = if is_source { below_workspace(url, files) } else { path_inside(url, files) };
            let path =
                path.filter(|it| Language::of_path(it.as_str()).is_some() && !depends(it, files.folders()));
            path.into_iter().for_each(|it| missing.entry(it).or_default().push(index));
        }
    }
    if missing.is_empty() {
        return MovedScripts::default();
    }
    let (mut lost, mut resources) = (Vec::new(), Vec::new());
    for (was, indices) in missing {
        let script = indices.iter().find_map(|it| scripts.get(it));
        // If a map leads to the source, the built file does not matter.
        if script.is_some_and(|it| it.map.is_some()) {
            continue;
        }
        let traced = script.and_then(|it| it.text.as_deref());
        // For TypeScript or a component, the text that ran is not the source.
        let is_source = script.is_some_and(|it| it.is_source);
        let is_as_written = is_source || Language::of_path(was.as_str()) == Some(Language::JavaScript);
        let text = match traced.filter(|_| is_as_written) {
            Some(text) => Some(text.to_owned()),
            None => {
                let committed = settings.recorded.and_then(|it| files.committed(&was, it));
                committed.map(|it| text_of(&it)).or_else(|| traced.map(str::to_owned))
            }
        };
        if let Some(text) = text.filter(|it| is_source || source_mapping_url(it).is_none()) {
            lost.push(LostText { was: was.as_str().to_owned(), text: Arc::from(text) });
            resources.push((indices, was));
        }
    }
    let named: FxHashSet<FilePath> = located.iter().filter_map(Located::file).cloned().collect();
    let found = moved_files(&lost, &named, settings.recorded, files);
    let mut moved = MovedScripts::default();
    for (file, (indices, was)) in found.into_iter().zip(resources) {
        let Some(file) = file else {
            moved.gone.extend(indices.into_iter().map(|index| (index, was.clone())));
            moved.was.insert(was.clone(), was);
            continue;
        };
        for index in indices {
            let found_by = FoundBy::Moved;
            located[index] = Located::File { file: file.clone(), found_by, transformed: false };
        }
        moved.was.insert(file, was);
    }
    moved
}

/// The path of a source below the first workspace folder.
fn below_workspace(path: &str, files: &dyn Files) -> Option<FilePath> {
    files.folders().first().filter(|_| !path.starts_with('/')).map(|it| it.join(path))
}

/// The scripts that the trace holds for functions, each with the number of the function's resource.
pub(super) fn scripts_of_resources(profile: &Profile) -> impl Iterator<Item = (usize, &Script)> {
    profile.script_of.iter().filter_map(|(function, script)| {
        let resource = profile.functions[function.0 as usize].resource?;
        Some((resource.0 as usize, &profile.scripts[*script as usize]))
    })
}
