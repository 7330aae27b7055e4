//! All costs of a document as numbers: what editors draw their own views from.

use profile::{Amount, Cost};
use text_size::TextRange;

use crate::anchor::Freshness;
use crate::summary::{Calls, DefinitionKey, share};
use crate::symbolicate::Confidence;
use crate::views::shown::{Base, base, shown};
use crate::{Document, Recording};

/// The costs of one version of a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DocumentCosts {
    /// Every measured definition that is still in the text, by its place; no threshold.
    pub functions: Vec<FunctionCost>,
    /// Own time by 0-based line, where the trace has lines and the function did not change.
    pub lines: Vec<(u32, Amount)>,
}

/// The cost of a definition.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionCost {
    /// Which.
    pub key: DefinitionKey,
    /// Its name.
    pub name: String,
    /// All of it.
    pub range: TextRange,
    /// Its name, or an empty range where it begins.
    pub selection: TextRange,
    /// Self and total.
    pub cost: Cost,
    /// How it was called, where the trace tells.
    pub calls: Option<Calls>,
    /// Self time's part of the base, 0..1.
    pub self_share: f64,
    /// Total time's part of the base, 0..1.
    pub total_share: f64,
    /// How sure its place is.
    pub confidence: Confidence,
    /// Whether its text is still what was measured.
    pub freshness: Freshness,
}

/// The costs of a document.
pub fn document_costs(recording: &Recording, document: &Document, whole: Base) -> DocumentCosts {
    let whole = base(recording, whole);
    let mut costs = DocumentCosts::default();
    let Some(file) = recording.files.get(&document.file) else { return costs };
    for it in shown(recording, document) {
        let cost = it.measured.cost;
        costs.functions.push(FunctionCost {
            key: it.key.clone(),
            name: it.today.name.clone(),
            range: it.today.range,
            selection: it.today.name_range.unwrap_or_else(|| TextRange::empty(it.today.anchor())),
            cost,
            calls: it.measured.calls,
            self_share: share(cost.self_time, whole),
            total_share: share(cost.total_time, whole),
            confidence: it.measured.confidence,
            freshness: it.freshness,
        });
        if let (Freshness::Fresh | Freshness::Moved, Some(measured)) = (it.freshness, it.measured.definition)
        {
            let line_of = |lines: &source::LineIndex, text: &str, range: TextRange| {
                lines.line_col(text, range.start(), source::Encoding::Utf16).line
            };
            let before = line_of(&file.lines, &file.text, file.outline.get(measured).range);
            let now = line_of(document.lines(), &document.text, it.today.range);
            let moved = |line: u32| line.checked_sub(before).map(|it| it + now);
            costs
                .lines
                .extend(it.measured.lines.iter().filter_map(|(&line, &time)| Some((moved(line)?, time))));
        }
    }
    costs.lines.sort_unstable();
    costs.lines.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    costs
}
