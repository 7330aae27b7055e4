//! Finds files that are not at their places any more by their texts, which the trace, its maps or the history hold.
//!
//! A file matches if it has exactly the text, or exactly its tokens apart from module paths, which change with the
//! folder. Otherwise the match is the file with most of the code of the text, as git detects renames by similarity. Code
//! is compared by runs of tokens, so that order, line breaks and comments do not matter.
//!
//! ```text
//! measured: src/parse.js           today: lib/parse.js             today: lib/scan.js
//! function parse() { A }           function parse() { A }          function scan() { X }
//! function scan() { B }            function read() { B }
//! function save() { C }            function save() { C, edited }
//!                                  most of it: this is it          hardly any
//! ```
//!
//! Only new files can match: none that the trace itself names, none that was committed when the trace was recorded, and
//! none that a tool wrote. If several files fit, none is taken, unless each of the others has more of another lost text.

use std::cmp::Reverse;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::time::SystemTime;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use source::language::Language;
use source::map::source_mapping_url;
use source::text::text_of;
use source::token_hashes::token_hashes_without_paths;

use crate::bars;
use crate::files::{FilePath, Files};
use crate::locate::text::Digest;
use crate::locate::{depends, known};

/// How many files are read at most, plus this many for each lost text; those with likely names first.
const MAX_READ: usize = 512;
const MAX_READ_FOR_EACH: usize = 2;
/// At most this many bytes are read.
const MAX_BYTES: usize = 64 << 20;
/// A run that more files than this have proves nothing.
const MAX_HOLDERS: usize = 8;

/// A text whose file is not where it was.
pub(super) struct LostText {
    /// Where it was: a path of the workspace, or only a name.
    pub(super) was: String,
    /// The text.
    pub(super) text: Arc<str>,
}

impl LostText {
    fn language(&self) -> Language {
        Language::of_path(&self.was).unwrap_or(Language::JavaScript)
    }
}

/// Finds the file that each text is in today. `named` are the files that the trace itself names.
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
    let mut wanted: Vec<usize> = (0..lost.len()).collect();
    for key in [by_text, by_tokens] {
        wanted = take_equal(lost, &wanted, &candidates, key, &mut found);
        let taken: FxHashSet<&FilePath> = found.iter().flatten().collect();
        candidates.retain(|it| !taken.contains(&it.file));
    }
    by_similarity(lost, &candidates, &wanted, &mut found);
    found
}

/// A file that may be one of the lost files.
struct NewFile {
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
) -> Vec<NewFile> {
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
    let most = MAX_READ + MAX_READ_FOR_EACH * lost.len();
    let texts = all.into_iter().take(most).filter_map(|(_, file)| {
        let language = Language::of_path(file.as_str())?;
        let text = files.read(file).filter(|_| bytes < MAX_BYTES)?;
        bytes += text.len();
        let text = text_of(&text);
        (!is_built(file, &text, &list)).then(|| NewFile { file: file.clone(), language, text })
    });
    texts.collect()
}

/// A key that only the same text has.
fn by_text(text: &str) -> Option<Digest> {
    Some(Digest::of(text))
}

/// A key that only texts with the same tokens have, whatever the paths of their modules; `None` for a short text.
fn by_tokens(text: &str) -> Option<Digest> {
    let tokens: Vec<u64> = token_hashes_without_paths(text).collect();
    (tokens.len() >= bars::TOKENS_OF_EQUAL_FILE).then(|| Digest::of_numbers(&tokens))
}

/// Finds the files that have the same key as the texts at `wanted`. Returns the texts for which there is no such
/// file, as opposed to several.
fn take_equal(
    lost: &[LostText],
    wanted: &[usize],
    candidates: &[NewFile],
    key: fn(&str) -> Option<Digest>,
    found: &mut [Option<FilePath>],
) -> Vec<usize> {
    let mut holders: FxHashMap<Digest, Vec<&NewFile>> = FxHashMap::default();
    for it in candidates {
        key(&it.text).into_iter().for_each(|key| holders.entry(key).or_default().push(it));
    }
    let mut groups: FxHashMap<Digest, Vec<usize>> = FxHashMap::default();
    let mut others = Vec::new();
    for &it in wanted {
        match key(&lost[it].text).filter(|key| holders.contains_key(key)) {
            Some(key) => groups.entry(key).or_default().push(it),
            None => others.push(it),
        }
    }
    for (key, wanted) in groups {
        let holders = &holders[&key];
        for &one in &wanted {
            let own = name(&lost[one].was);
            let may_be =
                |it: &&&NewFile| it.text == *lost[one].text || becomes(lost[one].language(), it.language);
            let is_only = wanted.iter().filter(|it| name(&lost[**it].was) == own).count() == 1;
            let is_only_text = wanted.len() == 1 && holders.len() == 1;
            let mut same = holders.iter().filter(|it| is_only_text || it.file.name() == own).filter(may_be);
            if let (true, Some(holder), None) = (is_only, same.next(), same.next()) {
                found[one] = Some(holder.file.clone());
            }
        }
    }
    others
}

/// A text and the file that has most of its code.
struct Pair {
    lost: usize,
    candidate: usize,
    /// How many runs they have in common.
    common: usize,
}

/// What the candidates share with one text.
struct Claims {
    lost: usize,
    /// How many runs each candidate shares with the text, by candidate.
    common: FxHashMap<usize, usize>,
    /// How many runs of the text are distinctive.
    all: usize,
}

/// Finds the files that have most of the code of the texts at `wanted`.
fn by_similarity(
    lost: &[LostText],
    candidates: &[NewFile],
    wanted: &[usize],
    found: &mut [Option<FilePath>],
) {
    if wanted.is_empty() {
        return;
    }
    let mut holders: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    for (index, candidate) in candidates.iter().enumerate() {
        for run in runs(&candidate.text) {
            let holders = holders.entry(run).or_default();
            if holders.len() <= MAX_HOLDERS {
                holders.push(index);
            }
        }
    }
    let all: Vec<Claims> = wanted.iter().map(|&it| claims(it, &lost[it], candidates, &holders)).collect();
    let mut strongest: FxHashMap<usize, (usize, usize)> = FxHashMap::default();
    for claims in &all {
        for (&candidate, &common) in &claims.common {
            let first = strongest.entry(candidate).or_default();
            *first = (*first).max((common, claims.lost));
        }
    }
    let mut pairs: Vec<Pair> =
        all.iter().filter_map(|it| best(it, &lost[it.lost], candidates, &strongest)).collect();
    pairs.sort_by_key(|it| (Reverse(it.common), it.lost));
    let mut taken: FxHashMap<usize, &Pair> = FxHashMap::default();
    for pair in &pairs {
        let first = *taken.entry(pair.candidate).or_insert(pair);
        if first.lost == pair.lost {
            found[pair.lost] = Some(candidates[pair.candidate].file.clone());
        } else if pair.common * 100 > first.common * bars::RUNS_OF_RIVAL {
            // The file may be either of two texts.
            found[first.lost] = None;
        }
    }
}

/// What each candidate shares with a text.
fn claims(
    index: usize,
    lost: &LostText,
    candidates: &[NewFile],
    holders: &FxHashMap<u64, Vec<usize>>,
) -> Claims {
    let language = lost.language();
    let mut common: FxHashMap<usize, usize> = FxHashMap::default();
    let mut all = 0;
    for run in runs(&lost.text) {
        let holders = holders.get(&run).map(Vec::as_slice).unwrap_or_default();
        if holders.len() <= MAX_HOLDERS {
            all += 1;
            let may_be = holders.iter().filter(|&&it| becomes(language, candidates[it].language));
            may_be.for_each(|&it| *common.entry(it).or_default() += 1);
        }
    }
    Claims { lost: index, common, all }
}

/// The file that has enough of a text's code. `None` if there is none, or if another file has nearly as much and does not
/// have more of another text. `strongest` holds, by candidate, the text that it has most of, and how many runs.
fn best(
    claims: &Claims,
    lost: &LostText,
    candidates: &[NewFile],
    strongest: &FxHashMap<usize, (usize, usize)>,
) -> Option<Pair> {
    let Claims { lost: index, common, all } = claims;
    let name = name(&lost.was);
    let is_namesake = |it: usize| candidates[it].file.name() == name && !known::is_common_name(name);
    let (&candidate, &most) = common.iter().max_by_key(|it| (*it.1, is_namesake(*it.0), Reverse(*it.0)))?;
    let (percent, least) =
        if is_namesake(candidate) { bars::RUNS_OF_NAMESAKE } else { bars::RUNS_OF_MOVED_FILE };
    let is_enough = most >= least && most * 100 >= all * percent;
    let is_rival = |(it, runs): (&usize, &usize)| {
        *it != candidate && runs * 100 > most * bars::RUNS_OF_RIVAL && strongest[it].0 == *runs
    };
    let is_clear = !common.iter().any(is_rival);
    (is_enough && is_clear).then_some(Pair { lost: *index, candidate, common: most })
}

/// The runs of tokens in a text, each once.
fn runs(text: &str) -> FxHashSet<u64> {
    let tokens: Vec<u64> = token_hashes_without_paths(text).collect();
    let hashes = tokens.windows(bars::RUN).map(|run| {
        let mut hasher = FxHasher::default();
        run.hash(&mut hasher);
        hasher.finish()
    });
    hashes.collect()
}

/// Whether a file of one language may become one of another. TypeScript does not become JavaScript: that would be compiler output.
fn becomes(before: Language, now: Language) -> bool {
    use Language::{JavaScript, TypeScript, TypeScriptJsx};
    match before {
        JavaScript => matches!(now, JavaScript | TypeScript | TypeScriptJsx),
        TypeScript | TypeScriptJsx => matches!(now, TypeScript | TypeScriptJsx),
        other => now == other,
    }
}

/// Whether a tool wrote a file, as far as is known. `list` holds all files.
pub(super) fn is_built(file: &FilePath, text: &str, list: &[FilePath]) -> bool {
    let map = FilePath::new(&format!("{file}.map"));
    list.binary_search(&map).is_ok() || source_mapping_url(text).is_some()
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn stem(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}
