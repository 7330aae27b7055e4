//! Where files are that are not at their places any more: by their texts, which the trace, its maps or the history hold.
//!
//! A file with exactly the text is the one. Otherwise it is the file that has most of the functions of the text, as git
//! tells renames by similarity. Functions count by their bodies, so that new names do not matter.
//!
//! ```text
//! measured: src/parse.js           today: lib/parse.js             today: lib/scan.js
//! function parse() { A }           function parse() { A }          function scan() { X }
//! function scan() { B }            function read() { B }
//! function save() { C }            function save() { C, edited }
//!                                  two of three: this is it        none of three
//! ```
//!
//! Only files that are new can be it: none that the trace names itself, none that was committed when the trace was recorded,
//! and nothing that a tool wrote. If several files fit, none is taken.

use std::cmp::Reverse;
use std::sync::Arc;
use std::time::SystemTime;

use rustc_hash::{FxHashMap, FxHashSet};
use source::map::source_mapping_url;
use source::{DefinitionKind, Language, Outline};

use crate::locate::text::Digest;
use crate::locate::{depends, known};
use crate::{FilePath, Files};

/// At most this many files are read, those first whose names are likely.
const MAX_READ: usize = 512;
/// At most this many bytes are read.
const MAX_BYTES: usize = 32 << 20;
/// Bodies of fewer tokens say nothing.
const MIN_TOKENS: u32 = 8;
/// The bodies that two texts have in common must have so many tokens. Of files of the same name fewer are enough.
const MIN_COMMON: u32 = 48;
const MIN_COMMON_OF_NAMESAKES: u32 = 16;
/// A body that more files than this have says nothing.
const MAX_HOLDERS: usize = 8;

/// A text whose file is not where it was.
pub(super) struct LostText {
    /// Where it was: a path of the workspace, or only a name.
    pub(super) was: String,
    /// The text.
    pub(super) text: Arc<str>,
}

/// The files that texts are in today, one answer for each text. `named` are the files that the trace names itself.
pub(super) fn moved_files(
    lost: &[LostText],
    named: &FxHashSet<FilePath>,
    recorded: Option<SystemTime>,
    files: &dyn Files,
) -> Vec<Option<FilePath>> {
    let mut found = vec![None; lost.len()];
    if lost.is_empty() {
        return found;
    }
    let mut candidates = candidates(lost, named, recorded, files);
    let all = by_text(lost, &candidates, &mut found);
    let taken: FxHashSet<&FilePath> = found.iter().flatten().collect();
    candidates.retain(|it| !taken.contains(&it.file));
    by_functions(lost, &candidates, &all, &mut found);
    found
}

/// A file that may be one of those that are looked for.
struct Candidate {
    file: FilePath,
    language: Language,
    text: String,
}

/// The new files of the workspace, the likeliest first.
fn candidates(
    lost: &[LostText],
    named: &FxHashSet<FilePath>,
    recorded: Option<SystemTime>,
    files: &dyn Files,
) -> Vec<Candidate> {
    let list = files.list();
    let committed = recorded.and_then(|it| files.committed_files(it)).unwrap_or_default();
    let (names, stems): (FxHashSet<&str>, FxHashSet<&str>) =
        lost.iter().map(|it| (name(&it.was), stem(name(&it.was)))).unzip();
    let mut all: Vec<(u8, &FilePath)> = Vec::new();
    for file in list.iter() {
        let is_new = !named.contains(file) && committed.binary_search(file).is_err();
        if is_new && Language::of_path(file.as_str()).is_some() && !depends(file, files.folders()) {
            let likely = match file.name() {
                name if names.contains(name) => 0,
                name if stems.contains(stem(name)) => 1,
                _ => 2,
            };
            all.push((likely, file));
        }
    }
    all.sort_by_key(|it| it.0);
    let mut bytes = 0;
    let read = |(_, file): (u8, &FilePath)| {
        let language = Language::of_path(file.as_str())?;
        let text = files.read(file).filter(|_| bytes < MAX_BYTES)?;
        bytes += text.len();
        let text = source::text_of(&text);
        let is_built = || {
            let map = FilePath::new(&format!("{file}.map"));
            list.binary_search(&map).is_ok() || source_mapping_url(&text).is_some()
        };
        (!is_built()).then(|| Candidate { file: file.clone(), language, text: text.clone() })
    };
    all.into_iter().take(MAX_READ).filter_map(read).collect()
}

/// Finds the files that hold exactly the texts. Returns which texts are not found for want of such a file, rather than because
/// several have the text.
fn by_text(lost: &[LostText], candidates: &[Candidate], found: &mut [Option<FilePath>]) -> Vec<usize> {
    let mut holders: FxHashMap<Digest, Vec<&FilePath>> = FxHashMap::default();
    candidates.iter().for_each(|it| holders.entry(Digest::of(&it.text)).or_default().push(&it.file));
    let mut wanted: FxHashMap<Digest, Vec<usize>> = FxHashMap::default();
    (0..lost.len()).for_each(|it| wanted.entry(Digest::of(&lost[it].text)).or_default().push(it));
    let mut others = Vec::new();
    for (text, wanted) in wanted {
        let Some(holders) = holders.get(&text) else {
            others.extend(wanted);
            continue;
        };
        if let ([one], [holder]) = (&wanted[..], &holders[..]) {
            found[*one] = Some((*holder).clone());
            continue;
        }
        for &one in &wanted {
            let own = name(&lost[one].was);
            let is_only = wanted.iter().filter(|it| name(&lost[**it].was) == own).count() == 1;
            let mut same = holders.iter().filter(|it| it.name() == own);
            if let (true, Some(holder), None) = (is_only, same.next(), same.next()) {
                found[one] = Some((*holder).clone());
            }
        }
    }
    others.sort_unstable();
    others
}

/// The bodies in a text, each with the number of its tokens that are in no other of them.
struct Bodies {
    all: Vec<(u64, u32)>,
    tokens: u32,
}

impl Bodies {
    fn of(outline: &Outline) -> Self {
        let definitions = &outline.definitions;
        let mut own: Vec<u32> = definitions.iter().map(|it| it.tokens).collect();
        for definition in definitions {
            let Some(parent) = definition.parent.map(|it| it.0 as usize) else { continue };
            // The others leave out what is inside of them anyway.
            if !matches!(definitions[parent].kind, DefinitionKind::TopLevel | DefinitionKind::Class) {
                own[parent] = own[parent].saturating_sub(definition.tokens);
            }
        }
        let counts = |kind: DefinitionKind| kind != DefinitionKind::TopLevel;
        let bodies = definitions.iter().zip(own).filter(|(it, _)| counts(it.kind) && it.tokens >= MIN_TOKENS);
        let all: Vec<(u64, u32)> = bodies.map(|(it, own)| (it.fingerprint, own)).collect();
        Self { tokens: all.iter().map(|it| it.1).sum(), all }
    }
}

/// A text and the file that has most of its functions.
struct Pair {
    lost: usize,
    candidate: usize,
    /// How many tokens of the text are in bodies that the file has.
    tokens: u32,
    /// These bodies.
    bodies: FxHashSet<u64>,
}

/// Finds the files that have most of the functions of the texts at `wanted`.
fn by_functions(
    lost: &[LostText],
    candidates: &[Candidate],
    wanted: &[usize],
    found: &mut [Option<FilePath>],
) {
    if wanted.is_empty() || candidates.is_empty() {
        return;
    }
    let mut holders: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    for (index, candidate) in candidates.iter().enumerate() {
        let Ok(outline) = source::outline(&candidate.text, candidate.language) else { continue };
        for (body, _) in Bodies::of(&outline).all {
            let holders = holders.entry(body).or_default();
            if holders.last() != Some(&index) {
                holders.push(index);
            }
        }
    }
    let mut pairs = Vec::new();
    for &index in wanted {
        pairs.extend(best(index, &lost[index], candidates, &holders));
    }
    pairs.sort_by_key(|it| (Reverse(it.tokens), it.lost));
    let mut taken: FxHashMap<usize, &Pair> = FxHashMap::default();
    for pair in &pairs {
        let Some(first) = taken.get(&pair.candidate) else {
            taken.insert(pair.candidate, pair);
            found[pair.lost] = Some(candidates[pair.candidate].file.clone());
            continue;
        };
        // It may be either of two texts that have the same functions. Of two that became one file it is the larger one.
        if pair.bodies.intersection(&first.bodies).count() * 2 > pair.bodies.len() {
            found[first.lost] = None;
        }
    }
}

/// The file that has enough of a text's functions; `None` if there is none, or if others have the same ones.
fn best(
    index: usize,
    lost: &LostText,
    candidates: &[Candidate],
    holders: &FxHashMap<u64, Vec<usize>>,
) -> Option<Pair> {
    let language = Language::of_path(&lost.was).unwrap_or(Language::JavaScript);
    let bodies = Bodies::of(&source::outline(&lost.text, language).ok()?);
    let of = |body: u64| {
        let all = holders.get(&body).filter(|it| it.len() <= MAX_HOLDERS).map(Vec::as_slice);
        all.unwrap_or_default().iter().copied().filter(|&it| becomes(language, candidates[it].language))
    };
    let mut common: FxHashMap<usize, u32> = FxHashMap::default();
    for &(body, tokens) in &bodies.all {
        of(body).for_each(|it| *common.entry(it).or_default() += tokens);
    }
    let name = name(&lost.was);
    let is_namesake = |it: usize| candidates[it].file.name() == name && !known::is_common_name(name);
    let (&candidate, &most) = common.iter().max_by_key(|it| (*it.1, is_namesake(*it.0), Reverse(*it.0)))?;
    let (mut held, mut shared) = (FxHashSet::default(), FxHashMap::<usize, u32>::default());
    for &(body, tokens) in bodies.all.iter().filter(|it| of(it.0).any(|it| it == candidate)) {
        held.insert(body);
        of(body).filter(|&it| it != candidate).for_each(|it| *shared.entry(it).or_default() += tokens);
    }
    let is_enough = match is_namesake(candidate) {
        true => most * 3 >= bodies.tokens && most >= MIN_COMMON_OF_NAMESAKES,
        false => most * 2 >= bodies.tokens && most >= MIN_COMMON,
    };
    let is_clear = shared.values().all(|it| it * 2 <= most);
    (is_enough && is_clear).then_some(Pair { lost: index, candidate, tokens: most, bodies: held })
}

/// Whether a file of one language may become one of another. TypeScript does not become JavaScript: that is what a
/// compiler made of it.
fn becomes(before: Language, now: Language) -> bool {
    use Language::{JavaScript, TypeScript, TypeScriptJsx};
    match before {
        JavaScript => matches!(now, JavaScript | TypeScript | TypeScriptJsx),
        TypeScript | TypeScriptJsx => matches!(now, TypeScript | TypeScriptJsx),
        other => now == other,
    }
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn stem(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}
