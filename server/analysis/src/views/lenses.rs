//! What an editor shows above a definition: `Self 12.3 ms (4.6 %) · Total 48.0 ms (18 %) · 214 samples`.

use text_size::{TextRange, TextSize};

use crate::anchor::Freshness;
use crate::format::Style;
use crate::summary::DefinitionKey;
use crate::views::measured_document::{MeasuredDocument, MeasuredFunction};
use crate::views::template::{self, LabelConfig};

/// A lens above a definition. Its text is computed only when an editor is about to show it: [`lens_title`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lens {
    /// On the line of the definition's name, from the line's first character to the end of the name. Editors that put a
    /// lens where its range begins then align it with the code.
    pub range: TextRange,
    /// The definition whose cost it is.
    pub key: DefinitionKey,
}

/// The lenses of a document, ordered by their place.
pub fn lenses(measured: MeasuredDocument<'_>, config: &LabelConfig) -> Vec<Lens> {
    let wanted = measured.functions().iter().filter(|it| measured.is_worth_showing(it, &config.threshold));
    wanted.map(|it| Lens { range: lens_range(measured, it), key: it.key.clone() }).collect()
}

/// Where the lens of a function is; see [`Lens::range`].
pub fn lens_range(measured: MeasuredDocument<'_>, it: &MeasuredFunction) -> TextRange {
    let today = measured.definition(it);
    let end = today.name_range.map_or(today.anchor(), TextRange::end);
    TextRange::new(first_on_line(measured.document.text(), today.anchor()), end)
}

/// The offset of the first non-whitespace character on the line of an offset.
fn first_on_line(text: &str, offset: TextSize) -> TextSize {
    let before = &text[..usize::from(offset)];
    let line = &before[before.rfind(['\n', '\r']).map_or(0, |it| it + 1)..];
    offset - TextSize::of(line.trim_start())
}

/// The lens text of the function with a path; `None` if the function is gone from the document.
pub fn lens_title(measured: MeasuredDocument<'_>, path: &str, config: &LabelConfig) -> Option<String> {
    let it = measured.function(path)?;
    let unit = (config.unit, config.threshold.base);
    let text = template::fill(&config.format, measured, it, unit, Style::Text);
    let mark = if it.freshness == Freshness::Edited { "~ " } else { "" };
    let whose = if shares_its_line(measured, it, config) {
        format!("{}: ", measured.definition(it).name)
    } else {
        String::new()
    };
    Some(format!("{whose}{mark}{text}"))
}

/// Whether another function has a lens above the same line, so that each must say whose it is.
fn shares_its_line(measured: MeasuredDocument<'_>, it: &MeasuredFunction, config: &LabelConfig) -> bool {
    let line = |it: &MeasuredFunction| measured.document.line_col(measured.definition(it).anchor()).line;
    let here = line(it);
    measured.functions().iter().any(|other| {
        other.definition != it.definition
            && line(other) == here
            && measured.is_worth_showing(other, &config.threshold)
    })
}
