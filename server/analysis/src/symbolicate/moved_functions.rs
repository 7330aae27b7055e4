//! Finds functions that are in another file today: gone from their file, while their body appeared in exactly one other place.
//!
//! Only definitions without a partner in their own file are compared: those gone from the measured texts with those new
//! in today's. A pair has the same body, parameters and path on both sides, and nothing else has. A long body outweighs a
//! different name. Functions that were edited on the way are found by their name and what is left of their code
//! (`moved_and_edited`). A copy that was already there is not new, so it is never taken for the function that is gone.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::SystemTime;

use rustc_hash::{FxHashMap, FxHashSet};
use source::definition::{DefinitionId, DefinitionKind};
use source::language::Language;
use source::text::text_of;

use super::moved_and_edited::{Unpaired, moved_and_edited};
use super::moved_files::is_built;
use super::source_text::SourceText;
use crate::anchor::{Freshness, Version, anchor};
use crate::bars;
use crate::files::{FilePath, Files};
use crate::locate::depends;

/// At most this many files that the trace does not name are read: after a clone, all files are newer than the trace.
const MAX_READ: usize = 4096;
/// At most this many bytes are read.
const MAX_BYTES: usize = 64 << 20;
/// At most this many of them are compared, or as many as there are names, as each may have gone to a file of its own.
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
    pub(super) freshness: Freshness,
}

/// Finds where functions that are gone from their files are today, by the index of the measured file and the definition.
/// `today` holds the texts of the files that the trace names.
pub(super) fn moved_functions(
    measured: &[MeasuredFile<'_>],
    today: &BTreeMap<FilePath, Arc<SourceText>>,
    recorded: Option<SystemTime>,
    files: &dyn Files,
) -> FxHashMap<(usize, DefinitionId), FoundElsewhere> {
    let mut gone: Vec<Unpaired<'_>> = Vec::new();
    for (number, MeasuredFile { file, text, anchors }) in measured.iter().enumerate() {
        let anchors = (0..).map(DefinitionId).zip(anchors.unwrap_or_default());
        let without = anchors.filter(|(_, partner)| partner.is_none());
        gone.extend(without.map(|(id, _)| Unpaired { number, file, text, id }));
    }
    let names: FxHashSet<&str> = (gone.iter().map(|old| old.definition()))
        .filter(|old| old.name_range.is_some() && old.tokens >= bars::TOKENS_OF_MOVED)
        .map(|old| old.name.as_str())
        .collect();
    if names.is_empty() {
        return FxHashMap::default();
    }
    let mut others = appeared_in_named(measured, today);
    others.extend(appeared_elsewhere(&names, today, recorded, files));
    let mut appeared: Vec<Unpaired<'_>> = Vec::new();
    for (number, Appeared { file, text, new }) in others.iter().enumerate() {
        appeared.extend(new.iter().map(|&id| Unpaired { number, file, text, id }));
    }
    let mut pairs: Vec<(Unpaired<'_>, Unpaired<'_>)> = Vec::new();
    // First with the same path, then by the body alone, and finally by a part of the body.
    for (with_path, least) in [(true, bars::TOKENS_OF_MOVED), (false, bars::TOKENS_OF_RENAMED)] {
        pairs.extend(same_code(&gone, &appeared, with_path, least));
        leave_unpaired(&mut gone, &mut appeared, &pairs);
    }
    pairs.extend(moved_and_edited(&gone, &appeared));
    let mut found = FxHashMap::default();
    for (old, new) in pairs {
        let Appeared { file, text, .. } = &others[new.number];
        for (inner_old, inner_new, freshness) in with_inner(old, new) {
            let (file, text) = (file.clone(), Arc::clone(text));
            let elsewhere = FoundElsewhere { file, text, definition: inner_new, freshness };
            found.entry((old.number, inner_old)).or_insert(elsewhere);
        }
    }
    found
}

/// Today's text of a file, and which of its definitions are new.
struct Appeared {
    file: FilePath,
    text: Arc<SourceText>,
    new: Vec<DefinitionId>,
}

impl Appeared {
    /// All definitions of a text are new but those that are `known`.
    fn of(file: &FilePath, text: Arc<SourceText>, known: &FxHashSet<u32>) -> Self {
        let all = 0..text.outline.definitions.len() as u32;
        let new = all.filter(|it| !known.contains(it)).map(DefinitionId).collect();
        Self { file: file.clone(), text, new }
    }
}

/// What tells a definition from others: kind, hash of body and parameters, and path.
type Key<'a> = (DefinitionKind, u64, &'a str);

/// Pairs definitions whose code nothing else has, with the same path or with any.
fn same_code<'a>(
    gone: &[Unpaired<'a>],
    appeared: &[Unpaired<'a>],
    with_path: bool,
    least: u32,
) -> Vec<(Unpaired<'a>, Unpaired<'a>)> {
    let now = by_code(appeared, with_path, least);
    let mut pairs = Vec::new();
    for (key, olds) in by_code(gone, with_path, least) {
        let Some(&[new]) = now.get(&key).map(Vec::as_slice) else { continue };
        // Several versions of one file may have been measured.
        let file = olds[0].file;
        let is_one = olds.iter().all(|old| old.file == file)
            && olds.windows(2).all(|pair| pair[0].number != pair[1].number);
        if is_one && file != new.file {
            pairs.extend(olds.into_iter().map(|old| (old, new)));
        }
    }
    pairs
}

/// Groups definitions by what tells them from others.
fn by_code<'a>(all: &[Unpaired<'a>], with_path: bool, least: u32) -> BTreeMap<Key<'a>, Vec<Unpaired<'a>>> {
    let mut found: BTreeMap<Key<'a>, Vec<Unpaired<'a>>> = BTreeMap::new();
    for &one in all {
        let definition = one.definition();
        if definition.tokens >= least && definition.kind != DefinitionKind::TopLevel {
            let path = if with_path { definition.path.as_str() } else { "" };
            found.entry((definition.kind, definition.code(), path)).or_default().push(one);
        }
    }
    found
}

/// Keeps only definitions without a partner.
fn leave_unpaired(
    gone: &mut Vec<Unpaired<'_>>,
    appeared: &mut Vec<Unpaired<'_>>,
    pairs: &[(Unpaired<'_>, Unpaired<'_>)],
) {
    let (olds, news): (FxHashSet<_>, FxHashSet<_>) =
        pairs.iter().map(|(old, new)| (old.key(), new.key())).unzip();
    gone.retain(|old| !olds.contains(&old.key()));
    appeared.retain(|new| !news.contains(&new.key()));
}

/// A function that went to another file, together with everything inside it.
fn with_inner(old: Unpaired<'_>, new: Unpaired<'_>) -> Vec<(DefinitionId, DefinitionId, Freshness)> {
    let [before, now] = [old, new].map(|side| side.text.outline.below(side.id));
    let anchors = anchor(
        Version { text: &old.text.text, outline: &before },
        Version { text: &new.text.text, outline: &now },
    );
    let inner = (old.id.0..).map(DefinitionId).zip(anchors);
    let found = inner.filter_map(|(id, partner)| {
        let (below, freshness) = partner?;
        Some((id, DefinitionId(new.id.0 + below.0), freshness.max(Freshness::Moved)))
    });
    found.collect()
}

/// Definitions that appeared in the files that the trace names.
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
    let appeared =
        known.into_iter().map(|(file, known)| Appeared::of(file, Arc::clone(&today[file]), &known));
    appeared.collect()
}

/// Definitions that appeared in other files. Only files with one of the names count, and only if history tells what they
/// held or that they did not exist.
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
    let mut bytes = 0;
    let appeared = changed.take(MAX_READ).filter_map(|file| {
        let text = files.read(file).filter(|_| bytes < MAX_BYTES)?;
        bytes += text.len();
        let text = text_of(&text);
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
        Some(Appeared::of(file, text, &known))
    });
    appeared.take(MAX_COMPARED.max(names.len())).collect()
}
