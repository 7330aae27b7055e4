//! Finds where each measured function of a document is today. Computed once for a recording and a version of the
//! document, since all views of the two need it.

use std::sync::Arc;

use profile::tally::Cost;
use rustc_hash::{FxHashMap, FxHashSet};
use source::definition::{Definition, DefinitionId};
use text_size::{TextRange, TextSize};

use crate::anchor::{Freshness, Version, anchor};
use crate::document::Document;
use crate::recording::Recording;
use crate::summary::{DefinitionKey, Measured};
use crate::views::settings::Threshold;

/// The functions of one version of a document that a recording measured, ordered by their place.
#[derive(Debug, Default)]
pub struct MeasuredFunctions {
    functions: Vec<MeasuredFunction>,
    /// Indices into `functions` by path in the recording.
    by_path: FxHashMap<Arc<str>, usize>,
    /// Where definitions that were inlined elsewhere are, by path; without those that were edited.
    inlined: FxHashMap<Arc<str>, LinesToday>,
}

/// Where the lines of an unchanged definition are.
#[derive(Clone, Copy, Debug)]
struct LinesToday {
    /// Its first line when the trace was loaded.
    before: u32,
    /// Its first line now.
    now: u32,
}

/// A measured function that is still in the document.
#[derive(Clone, Debug)]
pub struct MeasuredFunction {
    /// Its key in the recording.
    pub key: DefinitionKey,
    /// Its id in the document's outline.
    pub definition: DefinitionId,
    /// What became of it since it was measured.
    pub freshness: Freshness,
    /// Self and total cost.
    pub cost: Cost,
    /// Its rank by self time; 1 is the hottest.
    pub rank: Option<u32>,
}

/// One version of a document with what a recording measured in it: the input of views.
#[derive(Clone, Copy, Debug)]
pub struct MeasuredDocument<'a> {
    /// What was measured.
    pub recording: &'a Recording,
    /// Today's text.
    pub document: &'a Document,
    /// The measured functions of these two; see [`MeasuredFunctions::find`].
    pub functions: &'a MeasuredFunctions,
}

/// Functions with fewer samples than this are not shown, because chance decides whether such a function has a sample at all.
const MIN_SAMPLES: u64 = 2;
/// Functions up to this rank are always shown.
const LAST_RANK_ALWAYS_SHOWN: u32 = 10;

impl MeasuredFunctions {
    /// Whether the document contains nothing that was measured.
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    /// Finds what was measured in a file in a version of its text.
    pub fn find(recording: &Recording, document: &Document) -> Self {
        let Some(file) = recording.files.get(&document.file) else { return Self::default() };
        let outline = document.outline();
        let today = anchor(file.version(), Version { text: document.text(), outline });
        let function = |(key, measured): (&DefinitionKey, &Measured)| {
            let (definition, since_load) = today[measured.definition?.0 as usize]?;
            Some(MeasuredFunction {
                key: key.clone(),
                definition,
                freshness: freshness(measured, outline.get(definition), since_load),
                cost: measured.cost,
                rank: recording.ranks.get(key).copied(),
            })
        };
        let mut functions: Vec<_> = recording.in_file(&document.file).filter_map(function).collect();
        functions.sort_by_key(|it| {
            let range = outline.get(it.definition).range;
            (range.start(), range.end())
        });
        let by_path = functions.iter().enumerate().map(|(at, it)| (Arc::clone(&it.key.path), at)).collect();
        let paths = recording.summary.inlined_in(&document.file).map(|(_, it, _)| &it.definition.path);
        let inlined = paths.collect::<FxHashSet<_>>().into_iter().filter_map(|path| {
            let then = file.outline.definitions.iter().position(|it| *it.path == **path)?;
            let (definition, _) = today[then].filter(|it| it.1.keeps_lines())?;
            let before = file.line_col(file.outline.definitions[then].range.start()).line;
            let now = document.line_col(outline.get(definition).range.start()).line;
            Some((Arc::clone(path), LinesToday { before, now }))
        });
        Self { functions, by_path, inlined: inlined.collect() }
    }
}

impl LinesToday {
    fn line(self, line: u32) -> Option<u32> {
        line.checked_sub(self.before).map(|it| it + self.now)
    }
}

/// How fresh a cost is, by what happened to the definition before the trace was loaded and since then.
fn freshness(measured: &Measured, today: &Definition, since_load: Freshness) -> Freshness {
    let worst = measured.freshness.max(since_load);
    // An edit may have been undone.
    let same = worst == Freshness::Edited && measured.code == today.code();
    if same { Freshness::Moved } else { worst }
}

impl<'a> MeasuredDocument<'a> {
    /// The measured functions, ordered by their place.
    pub fn functions(self) -> &'a [MeasuredFunction] {
        &self.functions.functions
    }

    /// The function with a path in the recording; `None` if it is gone from the document.
    pub fn function(self, path: &str) -> Option<&'a MeasuredFunction> {
        self.functions.by_path.get(path).map(|&at| &self.functions.functions[at])
    }

    /// The innermost function around a place. All of its signature counts as part of it, such as `app` in `app.handle = function () {}`.
    pub fn innermost(self, at: TextSize) -> Option<&'a MeasuredFunction> {
        // They are ordered by their start, so the last one around the place is the innermost.
        self.functions().iter().rfind(|it| {
            let today = self.definition(it);
            let (all, name) = (today.range, selection(today));
            all.contains_inclusive(at)
                || name.contains_inclusive(at)
                || self.leads(at, all.start().min(name.start()))
        })
    }

    /// Whether only words and assignments stand between a place and the start of a definition on the same line.
    fn leads(self, at: TextSize, start: TextSize) -> bool {
        at < start
            && self.document.text()[TextRange::new(at, start)]
                .chars()
                .all(|char| char.is_alphanumeric() || " \t_$#.=:".contains(char))
    }

    /// The definition of a function in today's text.
    pub fn definition(self, it: &MeasuredFunction) -> &'a Definition {
        self.document.outline().get(it.definition)
    }

    /// The range to select for a function: its name, or an empty range at its start.
    pub fn selection(self, it: &MeasuredFunction) -> TextRange {
        selection(self.definition(it))
    }

    /// Converts lines of an unchanged function, in its file as it was when the trace was loaded, to lines of today.
    pub fn line_today(self, it: &MeasuredFunction) -> Option<impl Fn(u32) -> Option<u32> + use<>> {
        let file = self.recording.files.get(&self.document.file).filter(|_| it.freshness.keeps_lines())?;
        let first = file.outline.get(self.measured(it).definition?).range.start();
        let before = file.line_col(first).line;
        let now = self.document.line_col(self.definition(it).range.start()).line;
        Some(move |line| LinesToday { before, now }.line(line))
    }

    /// Today's line of inlined code of a definition. For a file other than the document, it is the line in the text as it
    /// was when the trace was loaded.
    pub fn inlined_line_today(self, definition: &DefinitionKey, line: u32) -> Option<u32> {
        if definition.file != self.document.file {
            return Some(line);
        }
        self.functions.inlined.get(&definition.path)?.line(line)
    }

    /// Everything that was measured for a function.
    pub(crate) fn measured(self, it: &MeasuredFunction) -> &'a Measured {
        self.recording.summary.definitions.get(&it.key).expect("it was found in this recording")
    }

    /// Whether a function cost enough to be shown.
    pub(crate) fn is_worth_showing(self, it: &MeasuredFunction, threshold: &Threshold) -> bool {
        let [_, total] = self.recording.summary.shares(&it.cost, threshold.base);
        it.rank.is_some_and(|rank| rank <= LAST_RANK_ALWAYS_SHOWN)
            || it.cost.total_samples >= MIN_SAMPLES && total * 100.0 >= threshold.percent
    }
}

fn selection(definition: &Definition) -> TextRange {
    definition.name_range.unwrap_or_else(|| TextRange::empty(definition.anchor()))
}
