//! Fills in the user's templates for the texts of hints and lenses.

use crate::format::{Style, about, amount, count, percent, thousands};
use crate::summary::Base;
use crate::views::measured_document::{MeasuredDocument, MeasuredFunction};
use crate::views::settings::Unit;

/// The default of the setting `hints.format`.
pub const DEFAULT_HINT_FORMAT: &str = "${self} self · ${total} total";
/// The same where a lens has the words.
pub const BRIEF_HINT_FORMAT: &str = "${self} · ${total}";
/// The default of the setting `lens.format`.
pub const DEFAULT_LENS_FORMAT: &str =
    "Self ${self} (${selfPercent}) · Total ${total} (${totalPercent}) · ${samples}";

/// What the unit says already is not said again: no `Self 12 % (12 %)`.
fn said_once(template: &str, unit: Unit) -> String {
    match unit {
        Unit::Percent => {
            let template = template.replace("${self} (${selfPercent})", "${self}");
            template.replace("${total} (${totalPercent})", "${total}")
        }
        Unit::Samples if template.contains("${total}") => template.replace(" · ${samples}", ""),
        Unit::Time | Unit::Samples => template.to_owned(),
    }
}

/// Fills in a template. `${self}` and `${total}` are in the chosen unit; the other placeholders have a fixed meaning.
/// In compact styles, a part between ` · ` that only says that there is no self time is left out.
pub(crate) fn fill(
    template: &str,
    document: MeasuredDocument<'_>,
    function: &MeasuredFunction,
    (unit, whole): (Unit, Base),
    style: Style,
) -> String {
    let (recording, cost) = (document.recording, &function.cost);
    let measured = document.measured(function);
    let [own, all] = whole.shares(recording, measured);
    let [own_interval, all_interval] = recording.summary.intervals(measured);
    let in_samples = |number| match style {
        Style::Text => count(number, "sample"),
        Style::Compact | Style::Rough => thousands(number),
    };
    let in_unit = |cost, interval, part, samples| match unit {
        Unit::Time if style == Style::Text => about(cost, recording.unit, interval),
        Unit::Time => amount(cost, recording.unit, style),
        Unit::Percent => percent(part, style),
        Unit::Samples => in_samples(samples),
    };
    let values = [
        ("${self}", in_unit(cost.self_time, own_interval, own, cost.self_samples)),
        ("${total}", in_unit(cost.total_time, all_interval, all, cost.total_samples)),
        ("${selfPercent}", percent(own, style)),
        ("${totalPercent}", percent(all, style)),
        ("${samples}", in_samples(cost.total_samples)),
        ("${rank}", function.rank.map_or_else(String::new, |it| it.to_string())),
    ];
    let template = said_once(template, unit);
    let parts = template.split(" · ");
    let is_without_self = |part: &&str| {
        style != Style::Text
            && cost.self_time.0 == 0
            && cost.total_time.0 > 0
            && part.contains("${self}")
            && !part.contains("${total}")
    };
    let parts: Vec<_> = if parts.clone().all(|it| is_without_self(&it)) {
        parts.collect()
    } else {
        parts.filter(|it| !is_without_self(it)).collect()
    };
    values.iter().fold(parts.join(" · "), |text, (name, value)| text.replace(name, value))
}
