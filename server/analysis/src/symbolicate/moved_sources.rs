//! Finds sources of maps that were moved or renamed in the workspace since the map was made.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::SystemTime;

use rustc_hash::FxHashSet;
use source::language::Language;
use source::text::text_of;

use super::mapped_text::{MappedText, MovedSource, without_query};
use super::moved_files::{LostText, moved_files};
use super::source_text::SourceText;
use crate::files::{FilePath, Files};
use crate::locate::text::Digest;
use crate::locate::{LocatedSource, UnplacedReason, has_node_modules, path_inside};

/// Finds the sources of maps that are not in place, and enters where they are.
pub(super) fn locate_moved(mapped: &mut [MappedText<'_>], files: &dyn Files, recorded: Option<SystemTime>) {
    let mut named: FxHashSet<FilePath> = FxHashSet::default();
    for it in mapped.iter() {
        let sources = it.sources.iter().flatten().filter_map(LocatedSource::file);
        named.extend(sources.chain(&it.executed.file).cloned());
    }
    // By path and text, since several maps may have the same source.
    let mut lost: BTreeMap<(String, String), Vec<(usize, u32)>> = BTreeMap::new();
    let missing = Some(LocatedSource::Unplaced(UnplacedReason::NotInWorkspace));
    for (number, it) in mapped.iter().enumerate() {
        let is_own = it.executed.file.is_some()
            || it.url.as_deref().is_some_and(|url| path_inside(url, files).is_some())
            || it.sources.iter().flatten().any(|source| source.file().is_some());
        if !is_own || !it.sources.contains(&missing) {
            continue;
        }
        for source in it.sources_asked().into_iter().filter(|&at| it.sources[at as usize] == missing) {
            let Some(name) = it.name(source) else { continue };
            let path = it.path_of(source, files);
            let text = it.map.content(source).map(Cow::into_owned).or_else(|| {
                let bytes = files.committed(path.as_ref()?, recorded?)?;
                Some(text_of(&bytes))
            });
            let was = path.as_ref().map_or_else(|| without_query(name), FilePath::as_str);
            let is_code = Language::of_path(was).is_some() && !has_node_modules(was);
            if let Some(text) = text.filter(|_| is_code) {
                lost.entry((was.to_owned(), text)).or_default().push((number, source));
            }
        }
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
            let in_map = Some(Digest::of(&text.text));
            let located = LocatedSource::File { file: file.clone(), in_map };
            mapped[number].sources[source as usize] = Some(located);
            let moved = MovedSource { file: file.clone(), text: Arc::clone(&text) };
            mapped[number].moved.insert(source, moved);
        }
    }
}
