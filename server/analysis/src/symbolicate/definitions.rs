//! Leads from definitions of measured texts to today's texts, and collects each definition once.

use std::collections::BTreeSet;
use std::iter::successors;
use std::sync::Arc;
use std::time::SystemTime;

use rustc_hash::FxHashMap;
use source::definition::DefinitionId;
use source::text::LineCol;

use super::component;
use super::executed_text::OriginalFunction;
use super::moved_functions::{MeasuredFile, moved_functions};
use super::source_text::SourceText;
use super::symbols::{FoundDefinition, Place, Symbols};
use crate::anchor::{Freshness, anchor_by};
use crate::files::{FilePath, Files};
use crate::locate::UnplacedReason;
use crate::rules::{Rule, Rules};

/// Collects what is found, each definition once, at its place in today's texts.
pub(super) struct Finder<'a> {
    files: &'a dyn Files,
    rules: Rules,
    pub(super) symbols: Symbols,
    /// Files that are not there any more.
    gone: BTreeSet<FilePath>,
    /// By the file and the address of the measured text.
    versions: FxHashMap<(FilePath, usize), MeasuredText>,
}

/// A measured text, where its definitions are today, and which of them were found so far.
struct MeasuredText {
    /// Kept so that no other text gets this address.
    text: Arc<SourceText>,
    /// What became of each definition; `None` if today's text is the same.
    anchors: Option<Vec<Option<(DefinitionId, Freshness)>>>,
    /// Indices into [`Symbols::definitions`].
    found: FxHashMap<DefinitionId, u32>,
    /// Whether the text is only the code of a component, without the markup.
    is_code: bool,
}

impl<'a> Finder<'a> {
    /// A finder that adds to `symbols` what it finds.
    pub(super) fn new(files: &'a dyn Files, rules: Rules, symbols: Symbols) -> Self {
        Self { files, rules, symbols, gone: BTreeSet::new(), versions: FxHashMap::default() }
    }

    /// The place of a definition; `ran` says that its text is the one that the engine ran.
    pub(super) fn place(&mut self, original: &OriginalFunction, ran: bool) -> Place {
        let OriginalFunction { file, text, definition, confidence, moved, .. } = original;
        let key = (file.clone(), Arc::as_ptr(text).addr());
        let today = self.today(file, text, *moved);
        let measured = self.versions.entry(key).or_insert_with(|| {
            let is_code = component::is_code_of(text, &today);
            let anchors = (text.text != today.text).then(|| match is_code {
                true => component::anchor_code(text, &today),
                false => anchor_by(self.rules, text.version(), today.version()),
            });
            MeasuredText { text: Arc::clone(text), anchors, found: FxHashMap::default(), is_code }
        });
        // A tool generated it: it was never in the file.
        if measured.is_code && measured.anchors.as_ref().is_some_and(|it| it[definition.0 as usize].is_none())
        {
            return Place::Unplaced(UnplacedReason::OutsideMap);
        }
        let found = *measured.found.entry(*definition).or_insert_with(|| {
            let now = match &measured.anchors {
                None => Some((*definition, Freshness::Fresh)),
                Some(anchors) => anchors[definition.0 as usize],
            };
            let freshest = if *moved { Freshness::Moved } else { Freshness::Fresh };
            let now = now.map(|(definition, freshness)| (definition, freshness.max(freshest)));
            let mut found = found(file, (&measured.text, *definition), (&today, now), ran);
            if let (None, Some(anchors)) = (now, &measured.anchors) {
                // It has no place today, and its old one may be behind the end: it is shown where what was around it is.
                let mut around = successors(Some(*definition), |id| text.outline.get(*id).parent);
                let around = around.find_map(|id| anchors[id.0 as usize]);
                let at = around.map(|(id, _)| today.line_col(today.outline.get(id).anchor()));
                found.start = at.unwrap_or(LineCol { line: 0, column: 0 });
                found.end = found.start;
            }
            self.symbols.definitions.push(found);
            self.symbols.definitions.len() as u32 - 1
        });
        Place::At { found, confidence: *confidence }
    }

    /// Looks in other files for the functions that are gone from theirs.
    fn look_elsewhere(&mut self, recorded: Option<SystemTime>) {
        let any_gone = self.symbols.definitions.iter().any(|it| it.freshness == Freshness::Gone);
        if !self.rules.has(Rule::MovedFunction) || !any_gone {
            return;
        }
        // By file and text, as the numbers of the versions are given by addresses.
        let mut versions: Vec<(&FilePath, &MeasuredText)> =
            self.versions.iter().map(|(key, it)| (&key.0, it)).collect();
        versions.sort_by_key(|(file, it)| (*file, &it.text.text));
        let measured: Vec<MeasuredFile<'_>> = (versions.iter())
            .map(|&(file, it)| MeasuredFile { file, text: &it.text, anchors: it.anchors.as_deref() })
            .collect();
        let elsewhere = moved_functions(&measured, &self.symbols.files, recorded, self.files);
        let mut changed = Vec::new();
        for ((number, definition), to) in elsewhere {
            let measured = versions[number].1;
            if let Some(&index) = measured.found.get(&definition) {
                let now = Some((to.definition, to.freshness));
                let ran = self.symbols.definitions[index as usize].ran;
                let found = found(&to.file, (&measured.text, definition), (&to.text, now), ran);
                changed.push((index, found, to.text));
            }
        }
        for (index, found, text) in changed {
            self.symbols.files.entry(found.file.clone()).or_insert(text);
            self.symbols.definitions[index as usize] = found;
        }
    }

    /// All that was found. What is neither in its file nor in another one is not in the workspace.
    pub(super) fn finish(mut self, recorded: Option<SystemTime>) -> Symbols {
        self.look_elsewhere(recorded);
        for place in &mut self.symbols.places {
            if let Place::At { found, .. } = place
                && self.gone.contains(&self.symbols.definitions[*found as usize].file)
            {
                *place = Place::Unplaced(UnplacedReason::NotInWorkspace);
            }
        }
        let Symbols { definitions, inlined, files, .. } = &mut self.symbols;
        inlined.retain(|_, from| !self.gone.contains(&definitions[from.found as usize].file));
        files.retain(|file, _| !self.gone.contains(file));
        self.symbols
    }

    /// Whether a script was of a file that is not there any more.
    pub(super) fn is_gone(&self, file: &FilePath) -> bool {
        self.gone.contains(file)
    }

    /// The text of a file as it is now; the measured text if the file cannot be read any more, or nothing if it is `moved` and
    /// nowhere.
    fn today(&mut self, file: &FilePath, measured: &Arc<SourceText>, moved: bool) -> Arc<SourceText> {
        let text = self.symbols.files.entry(file.clone()).or_insert_with(|| {
            SourceText::read_again(file, measured, self.files).unwrap_or_else(|| {
                let nothing = SourceText::of(file, String::new()).ok().filter(|_| moved);
                self.gone.extend(nothing.is_some().then(|| file.clone()));
                nothing.unwrap_or_else(|| Arc::clone(measured))
            })
        });
        Arc::clone(text)
    }
}

/// A definition of a measured text with what became of it, `now`.
fn found(
    file: &FilePath,
    (measured, definition): (&SourceText, DefinitionId),
    (today, now): (&SourceText, Option<(DefinitionId, Freshness)>),
    ran: bool,
) -> FoundDefinition {
    let (text, id) = now.map_or((measured, definition), |(id, _)| (today, id));
    let shown = text.outline.get(id);
    let range_then = measured.outline.get(definition).range;
    let first_line = text.line_col(shown.range.start()).line;
    let is_same = now.is_some_and(|it| matches!(it.1, Freshness::Fresh | Freshness::Moved));
    let moved_by =
        is_same.then(|| i64::from(first_line) - i64::from(measured.engine_line(range_then.start())));
    FoundDefinition {
        file: file.clone(),
        path: shown.path.as_str().into(),
        name: shown.name.as_str().into(),
        definition: now.map(|(id, _)| id),
        freshness: now.map_or(Freshness::Gone, |(_, freshness)| freshness),
        code: measured.outline.get(definition).code(),
        start: text.line_col(shown.anchor()),
        end: text.line_col(shown.range.end()),
        ran,
        moved_by,
        first_line,
    }
}
