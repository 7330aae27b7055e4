//! Finds sources of maps that were moved or renamed in the workspace since the map was made.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::SystemTime;

use rustc_hash::FxHashSet;
use source::language::Language;
use source::map::SourceMap;
use source::text::text_of;

use super::moved_files::{LostText, moved_files};
use super::source_text::SourceText;
use crate::files::{FilePath, Files};
use crate::locate::text::Digest;
use crate::locate::{FoundBy, LocatedSource, UnplacedReason, address, has_node_modules, path_inside};

/// A source that lies elsewhere today.
pub(super) struct MovedSource {
    /// Where it is.
    pub(super) file: FilePath,
    /// The text that the map was made from.
    pub(super) text: Arc<SourceText>,
}

/// Moved sources by their index in the map.
pub(super) type MovedSources = BTreeMap<u32, MovedSource>;

/// A map and where its sources are, as far as they are still in place.
pub(super) struct MapWithSources<'a, F> {
    pub(super) map: &'a SourceMap<'a>,
    /// The map's file.
    pub(super) path: FilePath,
    /// The url of a map that is not a file of the workspace.
    pub(super) url: Option<String>,
    /// The generated file, if it is a file of the workspace.
    pub(super) generated: Option<FilePath>,
    pub(super) located: &'a mut Vec<Option<LocatedSource>>,
    /// The sources whose functions ran.
    pub(super) asked: F,
}

/// Finds the sources of maps that are not in place, and enters where they are into the lists of the maps. One answer per map.
pub(super) fn locate_moved<F: FnOnce() -> BTreeSet<u32>>(
    maps: Vec<MapWithSources<'_, F>>,
    files: &dyn Files,
    recorded: Option<SystemTime>,
) -> Vec<MovedSources> {
    let mut moved: Vec<MovedSources> = maps.iter().map(|_| MovedSources::new()).collect();
    let mut named: FxHashSet<FilePath> = FxHashSet::default();
    for it in &maps {
        let sources = it.located.iter().flatten().filter_map(LocatedSource::file);
        named.extend(sources.chain(&it.generated).cloned());
    }
    // By path and text, since several maps may have the same source.
    let mut lost: BTreeMap<(String, String), Vec<(usize, u32)>> = BTreeMap::new();
    let mut lists = Vec::new();
    let missing = Some(LocatedSource::Unplaced(UnplacedReason::NotInWorkspace));
    for (number, it) in maps.into_iter().enumerate() {
        let is_own = it.generated.is_some()
            || it.url.as_deref().is_some_and(|it| path_inside(it, files).is_some())
            || it.located.iter().flatten().any(|it| it.file().is_some());
        if is_own && it.located.contains(&missing) {
            for source in (it.asked)().into_iter().filter(|&at| it.located[at as usize] == missing) {
                let Some(name) = it.map.sources[source as usize].url.as_deref() else { continue };
                let path = path_of_source(name, &it.path, it.url.as_deref(), files);
                let text = it.map.content(source).map(std::borrow::Cow::into_owned).or_else(|| {
                    let bytes = files.committed(path.as_ref()?, recorded?)?;
                    Some(text_of(&bytes))
                });
                let was = path.as_ref().map_or_else(|| plain(name).to_owned(), |it| it.as_str().to_owned());
                let is_code = Language::of_path(&was).is_some() && !has_node_modules(&was);
                if let Some(text) = text.filter(|_| is_code) {
                    lost.entry((was, text)).or_default().push((number, source));
                }
            }
        }
        lists.push(it.located);
    }
    let texts: Vec<LostText> = lost
        .keys()
        .map(|(was, text)| LostText { was: was.clone(), text: Arc::from(text.as_str()) })
        .collect();
    let found = moved_files(&texts, &named, recorded, files);
    for (((was, text), places), file) in lost.into_iter().zip(found) {
        let Some(file) = file else { continue };
        let Some(text) = SourceText::in_map(&FilePath::new(&was), text) else { continue };
        for (number, source) in places {
            let found_by = FoundBy::Moved;
            let in_map = Some(Digest::of(&text.text));
            let located = LocatedSource::File { file: file.clone(), found_by, in_map };
            lists[number][source as usize] = Some(located);
            moved[number].insert(source, MovedSource { file: file.clone(), text: Arc::clone(&text) });
        }
    }
    moved
}

/// The path in the workspace that the name of a source stands for, whether or not the file exists.
pub(super) fn path_of_source(
    name: &str,
    map: &FilePath,
    url: Option<&str>,
    files: &dyn Files,
) -> Option<FilePath> {
    let name = plain(name);
    let is_absolute = address::scheme(name).is_some() || name.starts_with(['/', '\\']);
    match url {
        _ if is_absolute => path_inside(name, files),
        Some(url) => path_inside(&address::join(url, name), files),
        None => path_inside(FilePath::new(&format!("{}/{name}", map.folder())).as_str(), files),
    }
}

/// A name without its query.
fn plain(name: &str) -> &str {
    name.split('?').next().unwrap_or(name)
}
