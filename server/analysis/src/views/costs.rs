//! All costs of a document as numbers: what editors draw their own views from.

use profile::{Amount, Cost};
use source::{Definition, Encoding};
use text_size::TextRange;

use crate::anchor::Freshness;
use crate::summary::{Calls, DefinitionKey, Measured, share};
use crate::symbolicate::Confidence;
use crate::views::measured_document::MeasuredDocument;
use crate::views::settings::{Base, base};

/// The costs of one version of a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DocumentCosts {
    /// Every measured definition that is still in the text, by its place; no threshold.
    pub functions: Vec<FunctionCost>,
    /// Self time by 0-based line, where the trace has lines and the function did not change.
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
pub fn document_costs(measured: MeasuredDocument<'_>, whole: Base) -> DocumentCosts {
    let whole = base(measured.recording, whole);
    let mut costs = DocumentCosts::default();
    for it in measured.functions() {
        let (today, of_recording) = (measured.definition(it), measured.measured(it));
        costs.functions.push(FunctionCost {
            key: it.key.clone(),
            name: today.name.clone(),
            range: today.range,
            selection: measured.selection(it),
            cost: it.cost,
            calls: of_recording.calls,
            self_share: share(it.cost.self_time, whole),
            total_share: share(it.cost.total_time, whole),
            confidence: of_recording.confidence,
            freshness: it.freshness,
        });
        if matches!(it.freshness, Freshness::Fresh | Freshness::Moved) {
            costs.lines.extend(lines_today(measured, today, of_recording).into_iter().flatten());
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

/// The lines of a function that did not change, where they are today.
fn lines_today<'a>(
    measured: MeasuredDocument<'_>,
    today: &Definition,
    of_recording: &'a Measured,
) -> Option<impl Iterator<Item = (u32, Amount)> + 'a> {
    let (file, document) = (measured.recording.files.get(&measured.document.file)?, measured.document);
    let first = file.outline.get(of_recording.definition?).range.start();
    let before = file.lines.line_col(&file.text, first, Encoding::Utf16).line;
    let now = document.lines().line_col(document.text(), today.range.start(), Encoding::Utf16).line;
    let moved = move |line: u32| line.checked_sub(before).map(|it| it + now);
    Some(of_recording.lines.iter().filter_map(move |(&line, &time)| Some((moved(line)?, time))))
}
