//! Fills in the user's templates for the texts of hints and lenses.

use crate::format::{Style, count, known, percent, thousands};
use crate::views::measured_document::{MeasuredDocument, MeasuredFunction};
use crate::views::settings::{Base, Unit};

/// The default of the setting `hints.format`.
pub const DEFAULT_HINT_FORMAT: &str = "${self} self · ${total} total";
/// The default of the setting `lens.format`.
pub const DEFAULT_LENS_FORMAT: &str =
    "Self ${self} (${selfPercent}) · Total ${total} (${totalPercent}) · ${samples}";

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
    let in_unit = |cost, interval, part, samples| match unit {
        Unit::Time => known(cost, recording.unit, style, interval),
        Unit::Percent => percent(part, style),
        Unit::Samples => thousands(samples),
    };
    let samples = match style {
        Style::Text => count(cost.total_samples, "sample"),
        Style::Compact | Style::Rough => thousands(cost.total_samples),
    };
    let values = [
        ("${self}", in_unit(cost.self_time, own_interval, own, cost.self_samples)),
        ("${total}", in_unit(cost.total_time, all_interval, all, cost.total_samples)),
        ("${selfPercent}", percent(own, style)),
        ("${totalPercent}", percent(all, style)),
        ("${samples}", samples),
        ("${rank}", function.rank.map_or_else(String::new, |it| it.to_string())),
    ];
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
