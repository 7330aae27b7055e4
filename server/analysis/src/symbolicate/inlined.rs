//! Finds which function inlined code belongs to.
//!
//! V8 reports optimised code as the function that was optimised, whatever was inlined into it. Only the line tells the difference:
//!
//! ```text
//! 1  function tiny(value) {
//! 2    return Math.sqrt(value) % 7;     `outer` was seen on the lines 7 and 2: what ran on line 2 is `tiny`
//! 3  }
//! 5  function outer(rounds) {
//! 6    let sum = 0;
//! 7    for (let at = 0; at < rounds; at++) sum += tiny(at);
//! ```
//!
//! V8 does not say which script the line is in. So a line counts only if the optimised function calls exactly one of the
//! functions that are on this line in any script: in samples, or in its text if both are in one script. A line with
//! several such functions says nothing.

use std::cell::OnceCell;

use profile::model::{FunctionId, Position, Profile};
use rustc_hash::{FxHashMap, FxHashSet};
use source::call_sites::called_names;
use source::definition::{Definition, DefinitionId, DefinitionKind};
use text_size::{TextRange, TextSize};

use super::calls::Calls;
use super::decisions::WhichText;
use super::placement::{seen_of, shifted};
use super::source_text::SourceText;
use super::statements::Positions;
use super::text_that_ran::TextThatRan;

/// Code of another definition that ran as part of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InlinedCode {
    /// The function that it was inlined into.
    pub(super) function: FunctionId,
    /// Where the trace saw it running.
    pub(super) seen: Position,
    /// The definition of the text that ran.
    pub(super) definition: DefinitionId,
    /// The same place in the text that ran.
    pub(super) at: Position,
}

/// How many calls may lie between a function and code inlined into it: V8 also inlines what an inlined function calls.
const MAX_CALLS: usize = 3;

/// The most lines of an inlined function whose end is not known: V8 does not inline functions with more than 460 bytes of bytecode.
const MAX_LINES: u32 = 200;

/// The inlined code of each text, given all places at which functions were seen running, sorted.
pub(super) fn inlined_code(
    profile: &Profile,
    texts: &[TextThatRan<'_>],
    places: &[(FunctionId, Position)],
) -> Vec<Vec<InlinedCode>> {
    let mut inlined: Vec<Vec<InlinedCode>> = texts.iter().map(|_| Vec::new()).collect();
    if !profile.inlines || places.is_empty() {
        return inlined;
    }
    // Built when the first code is found that does not belong to its function.
    let search = OnceCell::new();
    for (text, ran) in texts.iter().enumerate().filter(|(_, ran)| has_positions(ran)) {
        let functions = ran.placements.iter().filter_map(|it| Some((it.function, it.found?.0)));
        for (function, own) in functions {
            let mut callees = None;
            for &(_, seen) in seen_of(function, places) {
                if is_own(ran, own, seen) {
                    continue;
                }
                let search = search.get_or_init(|| CallSearch::new(profile, texts));
                let callees = callees.get_or_insert_with(|| search.callees(function, (text, own)));
                if let Some((text, definition, at)) = search.only_callee(callees, seen) {
                    inlined[text].push(InlinedCode { function, seen, definition, at });
                }
            }
        }
    }
    inlined
}

/// The data needed to search the calls of every function.
struct CallSearch<'a> {
    profile: &'a Profile,
    texts: &'a [TextThatRan<'a>],
    calls: Calls,
    /// The definitions of functions.
    placed: FxHashMap<FunctionId, TextDefinition>,
    /// All definitions by the names that they are called by.
    by_name: FxHashMap<&'a str, Vec<TextDefinition>>,
}

/// The number of a text and a definition in it.
type TextDefinition = (usize, DefinitionId);

/// What a function calls, directly and through its callees.
#[derive(Default)]
struct Callees {
    definitions: Vec<Callee>,
    /// First lines of sampled functions whose text is not known.
    without_text: Vec<u32>,
}

/// A definition that is called, or may be.
struct Callee {
    definition: TextDefinition,
    /// First and last line in the script.
    lines: [u32; 2],
    /// Whether it is more than a name that another script has, too.
    is_certain: bool,
}

impl<'a> CallSearch<'a> {
    fn new(profile: &'a Profile, texts: &'a [TextThatRan<'a>]) -> Self {
        let (mut placed, mut by_name) = (FxHashMap::default(), FxHashMap::<&str, Vec<_>>::default());
        for (text, ran) in texts.iter().enumerate().filter(|(_, ran)| has_positions(ran)) {
            placed.extend(ran.placements.iter().filter_map(|it| Some((it.function, (text, it.found?.0)))));
            for id in (0..ran.text.outline.definitions.len() as u32).map(DefinitionId) {
                if let Some(name) = called_as(&ran.text, id) {
                    by_name.entry(name).or_default().push((text, id));
                }
            }
        }
        Self { profile, texts, calls: Calls::of(profile), placed, by_name }
    }

    fn callees(&self, function: FunctionId, own: TextDefinition) -> Callees {
        let (mut below, mut last) = (FxHashSet::default(), vec![function]);
        for _ in 0..MAX_CALLS {
            let called = last.iter().flat_map(|&caller| self.calls.by(caller)).copied();
            last = called.filter(|&it| it != function && below.insert(it)).collect();
        }
        let mut callees = Callees::default();
        let mut certain: FxHashMap<TextDefinition, bool> = FxHashMap::default();
        for function in &below {
            match self.placed.get(function) {
                Some(&definition) => _ = certain.insert(definition, true),
                None => {
                    let defined_at = self.profile.functions[function.0 as usize].defined_at;
                    callees.without_text.extend(defined_at.map(|it| it.line));
                }
            }
        }
        let callers: Vec<TextDefinition> = certain.keys().copied().chain([own]).collect();
        for (text, caller) in callers {
            let text = &self.texts[text].text;
            let code = &text.text[text.outline.get(caller).range];
            let names: FxHashSet<&str> = called_names(code).into_iter().map(|name| &code[name]).collect();
            for &definition in names.iter().filter_map(|&name| self.by_name.get(name)).flatten() {
                *certain.entry(definition).or_default() |= definition.0 == own.0;
            }
        }
        let inside = self.texts[own.0].text.outline.children(own.1);
        certain.extend(inside.map(|id| ((own.0, id), true)));
        let certain = certain.into_iter();
        callees.definitions =
            certain.map(|(definition, is_certain)| self.callee(definition, is_certain)).collect();
        callees
    }

    fn callee(&self, definition: TextDefinition, is_certain: bool) -> Callee {
        let ran = &self.texts[definition.0];
        let range = ran.text.outline.get(definition.1).range;
        let lines = [range.start(), range.end()].map(|offset| ran.start.line + ran.text.engine_line(offset));
        Callee { definition, lines, is_certain }
    }

    /// The only callee that may be at a place of its script: its text, and the place in that text.
    fn only_callee(&self, callees: &Callees, seen: Position) -> Option<(usize, DefinitionId, Position)> {
        if callees
            .without_text
            .iter()
            .any(|&first| (first..first.saturating_add(MAX_LINES)).contains(&seen.line))
        {
            return None;
        }
        let mut found = None;
        for Callee { definition: (text, definition), lines: [first, last], is_certain } in
            &callees.definitions
        {
            if !(*first..=*last).contains(&seen.line) {
                continue;
            }
            let Some(at) = shifted(seen, self.texts[*text].start) else { continue };
            let definitions = definitions_at(&self.texts[*text].text, at);
            if !definitions.contains(definition) {
                continue;
            }
            let is_first = found.replace((*text, *definition, at)).is_none();
            if definitions.len() > 1 || !is_certain || !is_first {
                return None;
            }
        }
        found
    }
}

/// Whether a function was seen running at a place that is, or may be, in its own code.
fn is_own(ran: &TextThatRan<'_>, own: DefinitionId, seen: Position) -> bool {
    let Some(at) = shifted(seen, ran.start) else { return false };
    let (text, definitions) = (&ran.text, definitions_at(&ran.text, at));
    let definition = text.outline.get(own);
    if definitions.is_empty() {
        return definition.kind == DefinitionKind::TopLevel;
    }
    // On the line where a function begins, the function around it creates it.
    let mut ranges = definitions.iter().map(|id| text.outline.get(*id).range);
    definitions.contains(&own)
        || ranges
            .any(|range| definition.range.contains_range(range) && text.engine_line(range.start()) == at.line)
}

/// Whether the positions of the functions of a text are positions in that text.
fn has_positions(ran: &TextThatRan<'_>) -> bool {
    ran.positions != Positions::InAnother
        && !matches!(ran.which, WhichText::Cache(_) | WhichText::Compiled(_))
}

/// The functions with code at a place, or on its line if its column is not known; each once.
fn definitions_at(text: &SourceText, at: Position) -> Vec<DefinitionId> {
    let Some(first) = start_of_line(text, at.line) else { return Vec::new() };
    if at.column.is_some() {
        return text.offset(at).and_then(|it| text.outline.around(it)).into_iter().collect();
    }
    let line = TextRange::new(first, start_of_line(text, at.line + 1).unwrap_or(TextSize::of(&*text.text)));
    let code = &text.text[line];
    let trimmed = code.trim_start();
    if trimmed.is_empty() {
        return Vec::new();
    }
    let from = line.end() - TextSize::of(trimmed);
    // Separators after a function are on the line of its end, but never run.
    let ended = trimmed.trim_end_matches(|it: char| it.is_whitespace() || matches!(it, ',' | ';'));
    let last = ended.chars().next_back().map_or(from, |it| from + TextSize::of(ended) - TextSize::of(it));
    let all = &text.outline.definitions;
    let [begin, end] =
        [from, line.end()].map(|offset| all.partition_point(|it| it.range.start() < offset) as u32);
    let mut definitions: Vec<DefinitionId> = (begin..end).map(DefinitionId).collect();
    definitions.extend([from, last].into_iter().filter_map(|it| text.outline.around(it)));
    // The code outside of all functions is never inlined.
    definitions.retain(|it| all[it.0 as usize].kind != DefinitionKind::TopLevel);
    definitions.sort_unstable();
    definitions.dedup();
    definitions
}

fn start_of_line(text: &SourceText, line: u32) -> Option<TextSize> {
    text.offset(Position { line, column: Some(0) })
}

/// The name by which a definition is called; `None` if it has none.
fn called_as(text: &SourceText, definition: DefinitionId) -> Option<&str> {
    let Definition { kind, parent, name_range, .. } = text.outline.get(definition);
    match kind {
        DefinitionKind::Constructor => called_as(text, (*parent)?),
        DefinitionKind::TopLevel | DefinitionKind::Getter | DefinitionKind::Setter => None,
        _ => name_range.map(|range| &text.text[range]),
    }
}
