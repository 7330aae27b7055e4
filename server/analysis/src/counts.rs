//! Places what was counted in another run: how often each definition was called.
//!
//! Engines name a function by the range of its text. The definition in the text that ran which ends exactly there is the
//! function; it is then placed like any function of a trace, through the same texts and source maps. A function that ends
//! nowhere in the text belongs to another text, and is left out:
//!
//! ```text
//! counted    30..95 work 600,000 calls        the text that ran    30  function work(a) { … }  95
//! ```
//!
//! Several functions of a generated text may be one definition. A function that a compiler made from another, such as the generator of an
//! async function, is not another call of it; copies that lie apart are ([`pieces`]).

mod blocks;
mod lines;
mod pieces;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use profile::model::{CountedFunction, CountedScript, Counts, FunctionId};
use profile::problem::Problem;
use source::definition::{DefinitionId, DefinitionKind};
use source::language::Language;
use source::text::LineCol;

use self::lines::{LinesOfFunction, add_lines, places};
use self::pieces::{EntryCalls, Piece, calls_of};
use crate::bars::{COUNTED_IN, Evidence};
use crate::files::Files;
use crate::format::count;
use crate::locate::{Located, locate};
use crate::other_run::{OtherRun, in_rounds};
use crate::summary::{DefinitionKey, Summary};
use crate::symbolicate::{LoadSettings, SourceText, Symbols};

/// How many functions or scripts a problem names.
const NAMED: usize = 3;

/// How often definitions were called in the run that was counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallCounts {
    /// Every definition that was counted.
    pub definitions: BTreeMap<DefinitionKey, CountedDefinition>,
    /// What was left out.
    pub problems: Vec<Problem>,
    /// Definitions whose calls are not known, as nobody can tell which of the functions that are on them count.
    pub unknown: BTreeSet<DefinitionKey>,
}

/// A definition that was counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedDefinition {
    /// Its name for people.
    pub name: Arc<str>,
    /// The start of its name, or of itself if it has none; as editors count, 0-based, UTF-16.
    pub start: LineCol,
    /// The number of calls, which may be 0.
    pub calls: u64,
    /// How often its lines ran, as far as known; 0-based lines of its file as it was when the trace was loaded.
    pub lines: BTreeMap<u32, u64>,
}

impl CallCounts {
    /// Adds the counts of another run.
    pub(crate) fn add(&mut self, other: &Self) {
        for (key, added) in &other.definitions {
            match self.definitions.get_mut(key) {
                Some(known) => {
                    known.calls = known.calls.saturating_add(added.calls);
                    add_lines(&mut known.lines, &added.lines);
                }
                None => drop(self.definitions.insert(key.clone(), added.clone())),
            }
        }
        self.unknown.extend(other.unknown.iter().cloned());
        self.leave_out_unknown();
    }

    /// Leaves out what is not known in one script, wherever else it was counted: the sum would be too low.
    fn leave_out_unknown(&mut self) {
        let Self { definitions, unknown, .. } = self;
        definitions.retain(|key, _| !unknown.contains(key));
    }

    /// How many of the functions with samples were called in the counted run, and for how many this is known.
    pub fn agreement(&self, summary: &Summary) -> [usize; 2] {
        let calls = summary.definitions.keys().filter_map(|key| self.definitions.get(key)).map(|it| it.calls);
        let (called, not): (Vec<u64>, Vec<u64>) = calls.partition(|&calls| calls > 0);
        [called.len(), called.len() + not.len()]
    }

    /// The functions that were called but have no sample; those with the most calls come first.
    pub fn without_samples<'a>(
        &'a self,
        summary: &Summary,
    ) -> Vec<(&'a DefinitionKey, &'a CountedDefinition)> {
        let mut all: Vec<_> = (self.definitions.iter())
            .filter(|(key, counted)| counted.calls > 0 && !summary.definitions.contains_key(key))
            .collect();
        all.sort_by(|a, b| b.1.calls.cmp(&a.1.calls).then(a.0.cmp(b.0)));
        all
    }

    /// Reports that the two runs did not do the same: functions have samples, but were not called where calls were counted.
    pub(crate) fn disagreement(&self, summary: &Summary) -> Option<Problem> {
        let mut not_called: Vec<_> = (summary.definitions.iter())
            .filter(|(key, _)| self.definitions.get(key).is_some_and(|counted| counted.calls == 0))
            .collect();
        not_called.sort_by(|a, b| b.1.cost.total_time.cmp(&a.1.cost.total_time).then(a.0.cmp(b.0)));
        let names: Vec<&str> = not_called.iter().map(|(_, measured)| &*measured.name).collect();
        (!names.is_empty()).then(|| {
            let functions = count(not_called.len() as u64, "function");
            let (have, were) = if not_called.len() == 1 { ("has", "was") } else { ("have", "were") };
            let what = format!(
                "{functions} {have} samples and {were} not called in the run that was counted: {}",
                listed(&names)
            );
            Problem::new(what, "the two runs did not do the same; count a run that does")
        })
    }
}

/// `a, b, c and 2 more`.
fn listed(all: &[&str]) -> String {
    let first = &all[..all.len().min(NAMED)];
    let more = if all.len() > NAMED { format!(" and {} more", all.len() - NAMED) } else { String::new() };
    first.join(", ") + &more
}

/// Finds the definitions of all functions that were counted.
pub fn place_counts(counts: &Counts, files: &dyn Files, settings: &LoadSettings<'_>) -> CallCounts {
    let mut placed = CallCounts { problems: counts.problems.clone(), ..CallCounts::default() };
    let mut other_texts = Vec::new();
    let texts = texts(counts, files, settings);
    let scripts = counts.scripts.iter().zip(texts).filter_map(|(script, text)| {
        // A script in no folder of the workspace has no text here, and no functions either.
        let text = text?;
        let Some(found) = definitions_of(script, &text) else {
            other_texts.push(script.url.as_str());
            return None;
        };
        Some((script.url.as_str(), CountedText { script, text, found }))
    });
    for round in in_rounds(scripts) {
        placed.add_round(round, files, settings);
    }
    if !placed.unknown.is_empty() {
        let names: Vec<&str> = placed.unknown.iter().map(|key| &*key.path).collect();
        let functions = count(names.len() as u64, "function");
        let what = format!(
            "the calls of {functions} are not known, as a compiler made several of each: {}",
            listed(&names)
        );
        placed.problems.push(Problem::new(what, "count without that compiler to know them"));
    }
    placed.leave_out_unknown();
    if !other_texts.is_empty() {
        let what = format!(
            "{} ran with another text than is here, so that its calls are not known: {}",
            count(other_texts.len() as u64, "script"),
            listed(&other_texts)
        );
        let hint =
            "count again with proflens record --counts, which also keeps texts that are made in memory";
        placed.problems.push(Problem::new(what, hint));
    }
    placed
}

impl CallCounts {
    /// Finds the definitions of the functions of scripts, and adds their calls.
    fn add_round(&mut self, scripts: Vec<CountedText<'_>>, files: &dyn Files, settings: &LoadSettings<'_>) {
        let mut run = OtherRun::default();
        let scripts: Vec<_> = scripts.into_iter().map(|it| it.add_to(&mut run)).collect();
        let (symbols, keys) = run.symbolicate(files, settings);
        for (text, functions) in &scripts {
            let mut pieces: BTreeMap<&DefinitionKey, Vec<Piece>> = BTreeMap::new();
            for it in functions {
                let Some((key, measured)) = keys.definition(it.function) else { continue };
                self.definitions.entry(key.clone()).or_insert_with(|| CountedDefinition {
                    name: Arc::clone(&measured.name),
                    start: measured.start,
                    calls: 0,
                    lines: BTreeMap::new(),
                });
                let lines = it.lines_today(&symbols, measured.start);
                pieces.entry(key).or_default().push(Piece {
                    definition: it.definition,
                    calls: it.calls,
                    lines,
                });
            }
            for (key, pieces) in pieces {
                let EntryCalls { calls, lines } = calls_of(&pieces, &text.text, &text.outline);
                let (Some(calls), Some(counted)) = (calls, self.definitions.get_mut(key)) else {
                    self.unknown.insert(key.clone());
                    continue;
                };
                counted.calls = counted.calls.saturating_add(calls);
                add_lines(&mut counted.lines, &lines);
            }
        }
    }
}

/// The texts in which functions were counted: those that came with the counts, or the files as they are.
fn texts(counts: &Counts, files: &dyn Files, settings: &LoadSettings<'_>) -> Vec<Option<Arc<SourceText>>> {
    let urls: Vec<&str> = counts.scripts.iter().map(|script| script.url.as_str()).collect();
    let located = locate(&urls, files, settings.locate);
    let text = |(script, located): (&CountedScript, Located)| match (&script.script.text, located) {
        // The text that ran is JavaScript, whatever the original was written in.
        (Some(text), _) => SourceText::in_language(Language::JavaScript, text.to_string()).ok(),
        (None, Located::File { file, .. }) => SourceText::read(&file, files).ok(),
        (None, Located::Unplaced(_)) => None,
    };
    counts.scripts.iter().zip(located).map(text).collect()
}

/// A function of a profile that has nothing but the functions that were counted.
struct PlacedFunction {
    function: FunctionId,
    definition: DefinitionId,
    calls: u64,
    lines: LinesOfFunction,
}

impl PlacedFunction {
    /// How often its lines ran, by lines of the text as written. The line with the `start` of its name belongs to the function around it.
    fn lines_today(&self, symbols: &Symbols, start: LineCol) -> BTreeMap<u32, u64> {
        let is_top_level = self.definition == DefinitionId(0);
        let mut lines = BTreeMap::new();
        for &(at, times) in &self.lines {
            let line = symbols.line(self.function, at).filter(|&line| is_top_level || line > start.line);
            if let Some(line) = line {
                lines.entry(line).or_insert(times);
            }
        }
        lines
    }
}

/// A counted definition of a text.
struct FoundFunction<'a> {
    name: &'a str,
    calls: u64,
    lines: LinesOfFunction,
}

/// The counted definitions of a text.
type FoundCalls<'a> = BTreeMap<DefinitionId, FoundFunction<'a>>;

/// The definitions that the functions of a script are; `None` if they belong to another text.
fn definitions_of<'a>(script: &'a CountedScript, text: &SourceText) -> Option<FoundCalls<'a>> {
    // V8 also names the code that initialises the fields of a class, which is not a function of its own.
    let functions =
        script.functions.iter().enumerate().filter(|(_, function)| !function.name.starts_with('<'));
    let found: Vec<_> =
        functions.map(|(at, function)| (at, function, definition_of(function, text))).collect();
    if !COUNTED_IN.is_met(Evidence::of(found.iter().map(|(.., definition)| definition.is_some()))) {
        return None;
    }
    let mut lines = places(script, text);
    let mut calls_of = FoundCalls::new();
    for (at, function, definition) in found {
        let Some(definition) = definition else { continue };
        let known = calls_of.entry(definition).or_insert_with(|| FoundFunction {
            name: &function.name,
            calls: 0,
            lines: Vec::new(),
        });
        known.calls = known.calls.max(function.calls);
        known.lines.append(&mut lines[at]);
    }
    Some(calls_of)
}

/// A script that was counted, with the text that ran and its definitions.
struct CountedText<'a> {
    script: &'a CountedScript,
    text: Arc<SourceText>,
    found: FoundCalls<'a>,
}

impl CountedText<'_> {
    /// Adds its functions to a profile of them.
    fn add_to(self, run: &mut OtherRun) -> (Arc<SourceText>, Vec<PlacedFunction>) {
        let Self { script, text, found } = self;
        let number = run.script(&script.script);
        let placed = found.into_iter().map(|(definition, FoundFunction { name, calls, lines })| {
            let function = run.function((&script.url, number), &text, definition, name);
            lines.iter().for_each(|(at, _)| run.place(function, *at));
            PlacedFunction { function, definition, calls, lines }
        });
        let placed = placed.collect();
        (text, placed)
    }
}

/// The definition of a text that a function is: the innermost one where it starts, if it also ends where that does.
fn definition_of(function: &CountedFunction, text: &SourceText) -> Option<DefinitionId> {
    let (start, end) = (text.offset_of_units(function.start)?, text.offset_of_units(function.end)?);
    let id = text.outline.around(start)?;
    let definition = text.outline.get(id);
    let is_whole = u32::from(start) == 0 && usize::from(end) >= text.text.trim_end().len();
    match definition.kind {
        DefinitionKind::TopLevel => is_whole.then_some(id),
        _ if definition.range.end() == end => Some(id),
        // The whole text is one function, such as `(function () { … })`.
        _ => is_whole.then_some(DefinitionId(0)),
    }
}
