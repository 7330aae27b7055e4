//! What an editor shows above a definition: `Self 12.3 ms (4.6 %) · Total 48.0 ms (18 %) · 214 samples`.

use text_size::TextRange;

use crate::anchor::Freshness;
use crate::display::Style;
use crate::summary::DefinitionKey;
use crate::views::shown::{Threshold, Unit, shown, worth_showing};
use crate::views::template;
use crate::{Document, Recording};

/// What lenses show.
#[derive(Clone, Debug)]
pub struct LensesConfig {
    /// The template of the title.
    pub format: String,
    /// The unit of its numbers.
    pub unit: Unit,
    /// Which functions get one.
    pub threshold: Threshold,
}

/// A lens above a definition. Its text is made when an editor is about to show it: [`lens_title`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lens {
    /// The name of the definition, or its first token; one line.
    pub range: TextRange,
    /// Whose cost it is.
    pub key: DefinitionKey,
}

/// The lenses of a document, by their place.
pub fn lenses(recording: &Recording, document: &Document, config: &LensesConfig) -> Vec<Lens> {
    let all = shown(recording, document).into_iter();
    all.filter(|it| worth_showing(recording, it, &config.threshold))
        .map(|it| {
            let range = it.today.name_range.unwrap_or_else(|| TextRange::empty(it.today.range.start()));
            Lens { range, key: it.key.clone() }
        })
        .collect()
}

/// The text of a lens; `None` where the definition is gone from the document.
pub fn lens_title(
    recording: &Recording,
    document: &Document,
    key: &DefinitionKey,
    config: &LensesConfig,
) -> Option<String> {
    let it = shown(recording, document).into_iter().find(|it| it.key == key)?;
    let unit = (config.unit, config.threshold.base);
    let text = template::fill(&config.format, recording, it.key, it.measured, unit, Style::Text);
    let mark = if it.freshness == Freshness::Edited { "~ " } else { "" };
    Some(format!("{mark}{text}"))
}
