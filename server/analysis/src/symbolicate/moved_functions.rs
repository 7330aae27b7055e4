//! Functions that are in another file today: a function that is gone from its file and whose body appeared in one other place.
//!
//! Both sides are compared by what has no partner within its own file: what is gone from the measured texts, and what is
//! new in today's. A pair has the same body, parameters and path on both sides, and nothing else has. A long body
//! outweighs another name. A copy that was there before is not new, so that it is never taken for what is gone.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::SystemTime;

use rustc_hash::{FxHashMap, FxHashSet};
use source::definition::{Definition, DefinitionId, DefinitionKind, Outline};
use source::language::Language;
use source::text::text_of;

use super::moved_files::is_built;
use super::source_text::SourceText;
use crate::anchor::{Freshness, anchor};
use crate::bars;
use crate::files::{FilePath, Files};
use crate::locate::depends;

/// At most this many files that the trace does not name are read, and of those this many are compared.
const MAX_READ: usize = 512;
const MAX_COMPARED: usize = 64;

/// A measured text with what became of its definitions in its own file; `None` if today's text is the same.
pub(super) struct MeasuredFile<'a> {
    pub(super) file: &'a FilePath,
    pub(super) text: &'a SourceText,
    pub(super) anchors: Option<&'a [Option<(DefinitionId, Freshness)>]>,
}

/// A definition of today's text of a file.
pub(super) struct FoundElsewhere {
    pub(super) file: FilePath,
    pub(super) text: Arc<SourceText>,
    pub(super) definition: DefinitionId,
}

/// By the index of the measured file and the definition, where functions are that are gone from their files. `today` are the
/// texts of the files that the trace names.
pub(super) fn moved_functions(
    measured: &[MeasuredFile<'_>],
    today: &BTreeMap<FilePath, Arc<SourceText>>,
    recorded: Option<SystemTime>,
    files: &dyn Files,
) -> FxHashMap<(usize, DefinitionId), FoundElsewhere> {
    let gone: Vec<(usize, DefinitionId)> = (measured.iter().enumerate())
        .flat_map(|(number, it)| {
            let anchors = it.anchors.unwrap_or_default().iter().enumerate();
            anchors.filter(|it| it.1.is_none()).map(move |(id, _)| (number, DefinitionId(id as u32)))
        })
        .collect();
    let names: FxHashSet<&str> = (gone.iter())
        .map(|&(number, id)| measured[number].text.outline.get(id))
        .filter(|it| it.name_range.is_some() && it.tokens >= bars::TOKENS_OF_MOVED)
        .map(|it| it.name.as_str())
        .collect();
    if names.is_empty() {
        return FxHashMap::default();
    }
    let mut others = appeared_in_named(measured, today);
    others.extend(appeared_elsewhere(&names, today, recorded, files));
    let appeared: Vec<(usize, DefinitionId)> = (others.iter().enumerate())
        .flat_map(|(number, it)| it.new.iter().map(move |&id| (number, id)))
        .collect();
    let mut pairs: FxHashMap<(usize, DefinitionId), (usize, DefinitionId)> = FxHashMap::default();
    let mut taken: FxHashSet<(usize, DefinitionId)> = FxHashSet::default();
    // First with the same path, then by the body alone.
    for (with_path, least) in [(true, bars::TOKENS_OF_MOVED), (false, bars::TOKENS_OF_RENAMED)] {
        let before = by_code(&gone, |it| measured[it.0].text.outline.get(it.1), with_path, least);
        let now = by_code(&appeared, |it| others[it.0].text.outline.get(it.1), with_path, least);
        for (key, olds) in before {
            let Some(&[new]) = now.get(&key).map(Vec::as_slice) else { continue };
            // Several versions of one file may have been measured.
            let file = measured[olds[0].0].file;
            let is_one = olds.iter().all(|it| measured[it.0].file == file)
                && olds.windows(2).all(|it| it[0].0 != it[1].0)
                && olds.iter().all(|it| !pairs.contains_key(it));
            if is_one && *file != others[new.0].file && taken.insert(new) {
                pairs.extend(olds.into_iter().map(|old| (old, new)));
            }
        }
    }
    add_inner(&mut pairs, measured, &others);
    let found = pairs.into_iter().map(|(old, (number, definition))| {
        let Appeared { file, text, .. } = &others[number];
        (old, FoundElsewhere { file: file.clone(), text: Arc::clone(text), definition })
    });
    found.collect()
}

/// Today's text of a file, and which of its definitions were not there then.
struct Appeared {
    file: FilePath,
    text: Arc<SourceText>,
    new: Vec<DefinitionId>,
}

/// What tells a definition from others: kind, body and parameters, and its path.
type Key<'a> = (DefinitionKind, u64, &'a str);

/// Definitions by what tells them from others.
fn by_code<'a>(
    all: &[(usize, DefinitionId)],
    definition: impl Fn((usize, DefinitionId)) -> &'a Definition,
    with_path: bool,
    least: u32,
) -> BTreeMap<Key<'a>, Vec<(usize, DefinitionId)>> {
    let mut found: BTreeMap<Key<'a>, Vec<(usize, DefinitionId)>> = BTreeMap::new();
    for &it in all {
        let definition = definition(it);
        if definition.tokens >= least && definition.kind != DefinitionKind::TopLevel {
            let path = if with_path { definition.path.as_str() } else { "" };
            found.entry((definition.kind, definition.code(), path)).or_default().push(it);
        }
    }
    found
}

/// Functions inside of functions that moved moved with them.
fn add_inner(
    pairs: &mut FxHashMap<(usize, DefinitionId), (usize, DefinitionId)>,
    measured: &[MeasuredFile<'_>],
    others: &[Appeared],
) {
    let outer: Vec<_> = pairs.iter().map(|(old, new)| (*old, *new)).collect();
    for (old, new) in outer {
        let (before, now) = (&measured[old.0].text.outline, &others[new.0].text.outline);
        // A class leaves out what is inside of it.
        if before.get(old.1).kind == DefinitionKind::Class {
            continue;
        }
        let count = count_inside(before, old.1);
        if count == count_inside(now, new.1) {
            for offset in 1..=count {
                let inner = (old.0, DefinitionId(old.1.0 + offset));
                pairs.entry(inner).or_insert((new.0, DefinitionId(new.1.0 + offset)));
            }
        }
    }
}

/// The number of definitions inside of one.
fn count_inside(outline: &Outline, around: DefinitionId) -> u32 {
    let end = outline.get(around).range.end();
    let behind = &outline.definitions[around.0 as usize + 1..];
    behind.iter().take_while(|it| it.range.end() <= end).count() as u32
}

/// What appeared in the files that the trace names.
fn appeared_in_named(
    measured: &[MeasuredFile<'_>],
    today: &BTreeMap<FilePath, Arc<SourceText>>,
) -> Vec<Appeared> {
    let mut known: BTreeMap<&FilePath, FxHashSet<u32>> = BTreeMap::new();
    for it in measured {
        let Some(text) = today.get(it.file) else { continue };
        let known = known.entry(it.file).or_default();
        match it.anchors {
            Some(anchors) => known.extend(anchors.iter().flatten().map(|it| it.0.0)),
            None => known.extend(0..text.outline.definitions.len() as u32),
        }
    }
    let appeared = known.into_iter().map(|(file, known)| {
        let text = Arc::clone(&today[file]);
        let all = 0..text.outline.definitions.len() as u32;
        let new = all.filter(|it| !known.contains(it)).map(DefinitionId).collect();
        Appeared { file: file.clone(), text, new }
    });
    appeared.collect()
}

/// What appeared in other files: only those whose history tells what they held, or that they did not exist, and that have one
/// of the names.
fn appeared_elsewhere(
    names: &FxHashSet<&str>,
    today: &BTreeMap<FilePath, Arc<SourceText>>,
    recorded: Option<SystemTime>,
    files: &dyn Files,
) -> Vec<Appeared> {
    let Some(recorded) = recorded else { return Vec::new() };
    let Some(committed) = files.committed_files(recorded) else { return Vec::new() };
    let list = files.list();
    let code = list.iter().filter(|it| {
        Language::of_path(it.as_str()).is_some() && !depends(it, files.folders()) && !today.contains_key(*it)
    });
    let changed = code.filter(|it| {
        committed.binary_search(it).is_err() || files.modified(it).is_some_and(|it| it > recorded)
    });
    let appeared = changed.take(MAX_READ).filter_map(|file| {
        let text = text_of(&files.read(file)?);
        if !names.iter().any(|it| text.contains(it)) || is_built(file, &text, &list) {
            return None;
        }
        let then = match committed.binary_search(file) {
            Ok(_) => {
                let then = text_of(&files.committed(file, recorded)?);
                if then == text {
                    return None;
                }
                Some(SourceText::of(file, then).ok()?)
            }
            Err(_) => None,
        };
        let text = SourceText::of(file, text).ok()?;
        let anchors = then.map(|it| anchor(it.version(), text.version())).unwrap_or_default();
        let known: FxHashSet<u32> = anchors.iter().flatten().map(|it| it.0.0).collect();
        let all = 0..text.outline.definitions.len() as u32;
        let new = all.filter(|it| !known.contains(it)).map(DefinitionId).collect();
        Some(Appeared { file: file.clone(), text, new })
    });
    appeared.take(MAX_COMPARED).collect()
}
