//! Where each measured function of a document is today: derived once for a recording and a version of the document,
//! and shared by all questions about the two.

use std::sync::Arc;

use profile::Cost;
use rustc_hash::FxHashMap;
use source::{Definition, DefinitionId};
use text_size::{TextRange, TextSize};

use crate::anchor::{Freshness, Version, anchor};
use crate::summary::{DefinitionKey, Measured, share};
use crate::views::settings::{Base, Threshold};
use crate::{Document, Recording};

/// The functions of one version of a document that a recording measured, by their place.
#[derive(Debug, Default)]
pub struct MeasuredFunctions {
    functions: Vec<MeasuredFunction>,
    /// By the path that the recording knows them by, an index into `functions`.
    by_path: FxHashMap<Arc<str>, usize>,
}

/// A measured function that is still in the document.
#[derive(Clone, Debug)]
pub struct MeasuredFunction {
    /// What the recording knows it by.
    pub key: DefinitionKey,
    /// What it is in the document's outline.
    pub definition: DefinitionId,
    /// What became of it since it was measured.
    pub freshness: Freshness,
    /// Self and total.
    pub cost: Cost,
    /// Its place in the order of self time, 1 is the hottest.
    pub rank: Option<u32>,
}

/// One version of a document with what a recording measured of it: what views are asked about.
#[derive(Clone, Copy, Debug)]
pub struct MeasuredDocument<'a> {
    /// What was measured.
    pub recording: &'a Recording,
    /// Today's text.
    pub document: &'a Document,
    /// Found for these two, see [`MeasuredFunctions::find`].
    pub functions: &'a MeasuredFunctions,
}

/// Functions with fewer samples say too little.
const FEW_SAMPLES: u64 = 2;
/// That many of the hottest always get a hint.
const ALWAYS: u32 = 10;

impl MeasuredFunctions {
    /// Anchors what was measured in a file to a version of its text.
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
        Self { functions, by_path }
    }
}

/// How fresh a cost is, by what happened before the trace was loaded and since.
fn freshness(measured: &Measured, today: &Definition, since_load: Freshness) -> Freshness {
    let worst = measured.freshness.max(since_load);
    // An edit that was taken back leaves no trace.
    let same = worst == Freshness::Edited && measured.code == today.code();
    if same { Freshness::Moved } else { worst }
}

impl<'a> MeasuredDocument<'a> {
    /// All of them, by their place.
    pub fn functions(self) -> &'a [MeasuredFunction] {
        &self.functions.functions
    }

    /// The function of this path in the recording; `None` where it is gone from the document.
    pub fn function(self, path: &str) -> Option<&'a MeasuredFunction> {
        self.functions.by_path.get(path).map(|&at| &self.functions.functions[at])
    }

    /// The innermost function around a place; its name counts too, wherever it stands.
    pub fn innermost(self, at: TextSize) -> Option<&'a MeasuredFunction> {
        // By their place, so the last one around is the innermost.
        self.functions().iter().rfind(|it| {
            let today = self.definition(it);
            today.range.contains_inclusive(at) || selection(today).contains_inclusive(at)
        })
    }

    /// What a function is in today's text.
    pub fn definition(self, it: &MeasuredFunction) -> &'a Definition {
        self.document.outline().get(it.definition)
    }

    /// What is to be selected of a function: its name, or an empty range where it begins.
    pub fn selection(self, it: &MeasuredFunction) -> TextRange {
        selection(self.definition(it))
    }

    /// All that was measured of a function.
    pub(crate) fn measured(self, it: &MeasuredFunction) -> &'a Measured {
        self.recording.summary.definitions.get(&it.key).expect("it was found in this recording")
    }

    /// Whether a function cost enough to be shown.
    pub(crate) fn is_worth_showing(self, it: &MeasuredFunction, threshold: &Threshold) -> bool {
        let base = self.recording.summary.ledger.base(threshold.base == Base::All);
        it.rank.is_some_and(|rank| rank <= ALWAYS)
            || it.cost.total_samples >= FEW_SAMPLES
                && share(it.cost.total_time, base) * 100.0 >= threshold.percent
    }
}

fn selection(definition: &Definition) -> TextRange {
    definition.name_range.unwrap_or_else(|| TextRange::empty(definition.anchor()))
}
