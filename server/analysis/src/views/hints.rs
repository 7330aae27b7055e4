//! What an editor shows inside the line: `12.3ms self · 48ms total`.

use text_size::{TextRange, TextSize};

use crate::anchor::Freshness;
use crate::format::Style;
use crate::summary::DefinitionKey;
use crate::views::shown::{Threshold, Unit, shown, worth_showing};
use crate::views::template;
use crate::{Document, Recording};

/// What hints show.
#[derive(Clone, Debug)]
pub struct HintsConfig {
    /// The template of the label.
    pub format: String,
    /// The unit of its numbers.
    pub unit: Unit,
    /// Which functions get one.
    pub threshold: Threshold,
}

/// A hint in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// Where, as a byte offset of the document.
    pub at: TextSize,
    /// The text; behind a `~` where the function was edited after it was measured.
    pub label: String,
    /// Whose cost it is.
    pub key: DefinitionKey,
}

/// The hints of a document inside a range of it, by their place.
pub fn hints(
    recording: &Recording,
    document: &Document,
    range: TextRange,
    config: &HintsConfig,
) -> Vec<Hint> {
    let all = shown(recording, document).into_iter();
    let wanted = all.filter(|it| {
        range.contains_inclusive(it.today.hint_at) && worth_showing(recording, it, &config.threshold)
    });
    let mut hints: Vec<_> = wanted
        .map(|it| {
            let edited = it.freshness == Freshness::Edited;
            let (mark, style) = if edited { ("~", Style::Rough) } else { ("", Style::Compact) };
            let unit = (config.unit, config.threshold.base);
            let text = template::fill(&config.format, recording, it.key, it.measured, unit, style);
            Hint { at: it.today.hint_at, label: format!("{mark}{text}"), key: it.key.clone() }
        })
        .collect();
    hints.sort_by_key(|it| it.at);
    hints
}
