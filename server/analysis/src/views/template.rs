//! Fills in the user's templates for the texts of hints and lenses.

use std::borrow::Cow;

use profile::model::Amount;

use crate::format::{self, Style, about, count, percent, thousands};
use crate::recording::Recording;
use crate::summary::{Base, Measured};
use crate::views::measured_document::{MeasuredDocument, MeasuredFunction};
use crate::views::settings::{Threshold, Unit};

/// The default of the setting `hints.format`.
pub const DEFAULT_HINT_FORMAT: &str = "${self} self · ${total} total";
/// The same, if a lens has the words.
pub const BRIEF_HINT_FORMAT: &str = "${self} · ${total}";
/// The default of the setting `lens.format`.
pub const DEFAULT_LENS_FORMAT: &str =
    "Self ${self} (${selfPercent}) · Total ${total} (${totalPercent}) · ${samples}";

/// What hints or lenses show.
#[derive(Clone, Debug)]
pub struct LabelConfig {
    /// The template of the text: `${self} self`.
    pub format: String,
    /// The unit of its numbers.
    pub unit: Unit,
    /// Which functions have one.
    pub threshold: Threshold,
}

/// What is between the parts of a template.
const SEPARATOR: &str = " · ";

/// Leaves out what the unit already says, to avoid `Self 12 % (12 %)`.
fn said_once(template: &str, unit: Unit) -> Cow<'_, str> {
    match unit {
        Unit::Percent => {
            let template = template.replace("${self} (${selfPercent})", "${self}");
            template.replace("${total} (${totalPercent})", "${total}").into()
        }
        Unit::Samples if template.contains("${total}") => template.replace(" · ${samples}", "").into(),
        Unit::Time | Unit::Samples => template.into(),
    }
}

/// The values of one function that a template can name.
struct Values<'a> {
    recording: &'a Recording,
    measured: &'a Measured,
    rank: Option<u32>,
    /// The unit of `${self}` and `${total}`.
    unit: Unit,
    /// What 100 % is.
    base: Base,
    style: Style,
}

impl Values<'_> {
    /// The text for a placeholder; `None` for an unknown one.
    fn text(&self, placeholder: &str) -> Option<String> {
        let cost = &self.measured.cost;
        Some(match placeholder {
            "self" => self.amount(0, cost.self_time, cost.self_samples),
            "total" => self.amount(1, cost.total_time, cost.total_samples),
            "selfPercent" => self.percent(0),
            "totalPercent" => self.percent(1),
            "samples" => self.samples(cost.total_samples),
            "rank" => self.rank.map(|rank| rank.to_string()).unwrap_or_default(),
            _ => return None,
        })
    }

    /// A self (0) or total (1) amount in the chosen unit.
    fn amount(&self, which: usize, amount: Amount, samples: u64) -> String {
        match self.unit {
            Unit::Time if self.style == Style::Text => {
                about(amount, self.recording.unit, self.recording.summary.intervals(self.measured)[which])
            }
            Unit::Time => format::amount(amount, self.recording.unit, self.style),
            Unit::Percent => self.percent(which),
            Unit::Samples => self.samples(samples),
        }
    }

    fn percent(&self, which: usize) -> String {
        percent(self.recording.summary.shares(&self.measured.cost, self.base)[which], self.style)
    }

    fn samples(&self, samples: u64) -> String {
        match self.style {
            Style::Text => count(samples, "sample"),
            Style::Compact | Style::Rough => thousands(samples),
        }
    }
}

/// Fills in a template. `${self}` and `${total}` are in the chosen unit; the other placeholders have a fixed meaning, and
/// unknown ones stay. In compact styles, a part between ` · ` that would only say that there is no self time is left out.
pub(crate) fn fill(
    template: &str,
    document: MeasuredDocument<'_>,
    function: &MeasuredFunction,
    (unit, base): (Unit, Base),
    style: Style,
) -> String {
    let (recording, measured) = (document.recording, document.measured(function));
    let values = Values { recording, measured, rank: function.rank, unit, base, style };
    let has_only_total =
        style != Style::Text && measured.cost.self_time.0 == 0 && measured.cost.total_time.0 > 0;
    let template = said_once(template, unit);
    let shorter = if has_only_total { without_self(&template) } else { None };
    filled(shorter.as_deref().unwrap_or(&template), &values)
}

/// A template without the parts that only name the self time; `None` if nothing would be left.
fn without_self(template: &str) -> Option<String> {
    let kept =
        template.split(SEPARATOR).filter(|part| !part.contains("${self}") || part.contains("${total}"));
    let kept: Vec<_> = kept.collect();
    (!kept.is_empty()).then(|| kept.join(SEPARATOR))
}

/// A template with the values of its placeholders.
fn filled(template: &str, values: &Values<'_>) -> String {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, behind)) = rest.split_once("${") {
        text.push_str(before);
        let named = behind.split_once('}');
        let value = named.and_then(|(placeholder, behind)| Some((values.text(placeholder)?, behind)));
        rest = match value {
            Some((value, behind)) => {
                text.push_str(&value);
                behind
            }
            None => {
                text.push_str("${");
                behind
            }
        };
    }
    text + rest
}
