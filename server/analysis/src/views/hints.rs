//! What an editor shows inside the line of a function: `12.3ms self · 48ms total`.

use text_size::{TextRange, TextSize};

use crate::anchor::Freshness;
use crate::document::Document;
use crate::format::Style;
use crate::summary::DefinitionKey;
use crate::views::measured_document::{MeasuredDocument, MeasuredFunction};
use crate::views::template::{self, LabelConfig};

/// A hint in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// Where it is shown, as a byte offset of the document.
    pub at: TextSize,
    /// The text. It begins with `~` if the function was edited after it was measured. Otherwise it is in parentheses if
    /// the interval of its total time is wider than that time.
    pub label: String,
    /// Whether a space belongs before and after it because the document has none there.
    pub padding: [bool; 2],
    /// The definition whose cost it is.
    pub key: DefinitionKey,
}

impl Hint {
    /// A hint at a place of a document.
    pub fn new(document: &Document, at: TextSize, label: String, key: &DefinitionKey) -> Self {
        let (before, behind) = document.text().split_at(at.into());
        let beside = [before.chars().next_back(), behind.chars().next()];
        let padding = beside.map(|char| char.is_some_and(|char| !char.is_whitespace()));
        Self { at, label, padding, key: key.clone() }
    }
}

/// The hints in a range of a document, ordered by their place.
pub fn hints(measured: MeasuredDocument<'_>, range: TextRange, config: &LabelConfig) -> Vec<Hint> {
    let functions = measured.functions().iter().map(|it| (measured.definition(it).hint_at, it));
    let in_range = functions.filter(|(at, _)| range.contains_inclusive(*at));
    let wanted = in_range.filter(|(_, it)| measured.is_worth_showing(it, &config.threshold));
    let hint = |(at, it): (TextSize, &MeasuredFunction)| {
        let is_edited = it.freshness == Freshness::Edited;
        let style = if is_edited { Style::Rough } else { Style::Compact };
        let unit = (config.unit, config.threshold.base);
        // A number alone would not say whether it is self or total time.
        let is_alone = config.format == template::BRIEF_HINT_FORMAT && it.cost.self_time.0 == 0;
        let format = if is_alone { template::DEFAULT_HINT_FORMAT } else { &config.format };
        let text = template::fill(format, measured, it, unit, style);
        let label = match is_edited {
            true => format!("~{text}"),
            false if measured.recording.summary.is_vague(measured.measured(it)) => format!("({text})"),
            false => text,
        };
        Hint::new(measured.document, at, label, &it.key)
    };
    let mut hints: Vec<_> = wanted.map(hint).collect();
    hints.sort_by_key(|it| it.at);
    hints
}
