//! What editors show of a comparison: hints and lenses at functions that changed, a section of the hover of each measured
//! function, a line in lists. One pure function for each question, as in [`analysis::views`].

use std::collections::BTreeMap;

use analysis::anchor::Freshness;
use analysis::format::{Style, amount};
use analysis::summary::DefinitionKey;
use analysis::views::{Hint, Lens, MeasuredDocument, MeasuredFunction, escaped, lens_range};
use profile::model::Unit;
use text_size::TextRange;

use crate::change::{Change, FunctionChange};
use crate::comparison::Comparison;
use crate::texts;
use crate::verdict::Verdict;

/// A comparison whose functions are found by their definitions.
#[derive(Clone, Debug)]
pub struct ComparedFunctions {
    /// The comparison.
    pub comparison: Comparison,
    /// Indices into its functions.
    by_key: BTreeMap<DefinitionKey, usize>,
}

impl ComparedFunctions {
    /// Of a comparison.
    pub fn new(comparison: Comparison) -> Self {
        let by_key = comparison
            .functions
            .iter()
            .enumerate()
            .map(|(at, function)| (function.key.clone(), at))
            .collect();
        Self { comparison, by_key }
    }

    /// How a function changed; `None` if no side has it.
    pub fn change(&self, key: &DefinitionKey) -> Option<&FunctionChange> {
        self.by_key.get(key).map(|&at| &self.comparison.functions[at])
    }

    /// The functions of a document that changed.
    fn changed<'a>(
        &'a self,
        measured: MeasuredDocument<'a>,
    ) -> impl Iterator<Item = (&'a MeasuredFunction, &'a FunctionChange)> {
        let functions = measured.functions().iter();
        let changed = functions.filter_map(|function| Some((function, self.change(&function.key)?)));
        changed.filter(|(_, change)| self.is_shown(change))
    }

    /// Whether a function is shown as changed: by more than noise, or by more than the error of sampling, which the text says. Of new and
    /// gone ones those that cost enough to say so.
    pub fn is_shown(&self, change: &FunctionChange) -> bool {
        change.verdict.is_change() || change.is_certain_news(self.comparison.settings)
    }
}

/// The hints in a range of a document: `12.3ms ▲38%`, `12.3ms new`, `12.3ms ▲38%?` where it is not certain.
pub fn hints(compared: &ComparedFunctions, measured: MeasuredDocument<'_>, range: TextRange) -> Vec<Hint> {
    let unit = compared.comparison.unit;
    let mut hints = Vec::new();
    for (function, change) in compared.changed(measured) {
        let at = measured.definition(function).hint_at;
        let (mark, style) = match function.freshness {
            Freshness::Edited => ("~", Style::Rough),
            _ => ("", Style::Compact),
        };
        let after = amount(change.shown().after, unit, style);
        let label = format!("{mark}{after} {}", arrow(change, Style::Compact));
        hints.push(Hint::new(measured.document, at, label, &function.key));
    }
    hints.retain(|hint| range.contains_inclusive(hint.at));
    hints.sort_by_key(|hint| hint.at);
    hints
}

/// The lenses of a document.
pub fn lenses(compared: &ComparedFunctions, measured: MeasuredDocument<'_>) -> Vec<Lens> {
    let functions = compared.changed(measured).map(|(function, _)| function);
    functions
        .map(|function| Lens { range: lens_range(measured, function), key: function.key.clone() })
        .collect()
}

/// The text of a lens: `12.3 ms → 17.0 ms (+38 %, slower, p <0.001)`. `None` if the function of the path is gone from the document or
/// did not change.
pub fn lens_title(
    compared: &ComparedFunctions,
    measured: MeasuredDocument<'_>,
    path: &str,
) -> Option<String> {
    let function = measured.function(path)?;
    let change = compared.change(&function.key).filter(|change| compared.is_shown(change))?;
    let line = line_of(measured, function);
    let mut others = compared.changed(measured).filter(|(other, _)| other.definition != function.definition);
    let whose = match others.any(|(other, _)| line_of(measured, other) == line) {
        true => format!("{}: ", measured.definition(function).name),
        false => String::new(),
    };
    let mark = if function.freshness == Freshness::Edited { "~ " } else { "" };
    Some(format!("{whose}{mark}{}", sides(compared, change)))
}

fn line_of(measured: MeasuredDocument<'_>, function: &MeasuredFunction) -> u32 {
    measured.document.line_col(measured.definition(function).anchor()).line
}

/// Both sides and how sure their difference is: `12.3 ms → 17.0 ms (+38 %, slower, p <0.001)`.
fn sides(compared: &ComparedFunctions, change: &FunctionChange) -> String {
    let (unit, shown) = (compared.comparison.unit, change.shown());
    let [before, after] = [shown.before, shown.after].map(|of| amount(of, unit, Style::Text));
    let mut words = vec![texts::change(shown)];
    words.extend(Some(change.verdict.words(unit).to_owned()).filter(|word| *word != words[0]));
    words.extend(p_value(shown));
    format!("{before} → {after} ({})", words.join(", "))
}

/// The change of a function with `▲` or `▼` where it is more than noise: `▲38 %`, `▼12 %`, `▲×2.4`, `new`, or `▲38 %?` where that is not
/// certain; else `+3 %`.
pub fn arrow(change: &FunctionChange, style: Style) -> String {
    match change.verdict {
        Verdict::New => "new".to_owned(),
        Verdict::Gone => "gone".to_owned(),
        verdict if verdict.is_certain() => texts::arrow(change.shown(), style),
        verdict if verdict.is_change() => format!("{}?", texts::arrow(change.shown(), style)),
        _ => texts::change(change.shown()),
    }
}

/// What a hover says of a measured function, in Markdown: both sides with intervals, what is said of them, and by what.
/// `title` is what is compared with, `None` if neither side has the function.
pub fn section(compared: &ComparedFunctions, key: &DefinitionKey, title: &str) -> Option<String> {
    let comparison = &compared.comparison;
    let change = compared.change(key)?;
    let head = ["", "Before", "After", "Change", "Interval (95 %)"].map(str::to_owned);
    let own = row("Self", &change.self_time, comparison.unit);
    let total = row("Total", &change.total_time, comparison.unit);
    let mut text = aligned(&[head, own, total]);
    let said = match change.verdict {
        Verdict::Unsure => "There is **not enough data** to tell whether it changed".to_owned(),
        Verdict::Shifted => {
            "**Shifted**: its self time changed and its total time did not, as code moved between it and what it calls".to_owned()
        }
        Verdict::New => "**New**: it was not measured before".to_owned(),
        Verdict::Gone => "**Gone**: it was not measured after".to_owned(),
        Verdict::NotComparable => {
            "**Not comparable**: one side could not place it, so that nothing is known of it there".to_owned()
        }
        Verdict::Unchanged => "**The same**, as far as matters".to_owned(),
        _ => {
            let words = change.verdict.words(comparison.unit);
            let p = p_value(change.shown()).map_or_else(String::new, |p| format!(" ({p})"));
            format!("**{}{}**{p}", words[..1].to_uppercase(), &words[1..])
        }
    };
    let runs = texts::runs(comparison);
    text += &format!("\n{said} · against {} · {runs}, {}\n", escaped(title), texts::method(comparison));
    if change.edited == Some(true) {
        text += "\n*Its code was edited between the two sides.*\n";
    }
    Some(text)
}

/// A row of the table.
fn row(what: &str, change: &Change, unit: Unit) -> [String; 5] {
    let [before, after] = [change.before, change.after].map(|of| amount(of, unit, Style::Text));
    let interval = texts::interval(change).unwrap_or_else(|| "-".to_owned());
    [what.to_owned(), before, after, texts::change(change), interval]
}

/// `p <0.001`, `p = 0.023`; `None` if it was not asked.
fn p_value(change: &Change) -> Option<String> {
    let p = texts::p(change);
    match p.starts_with('<') {
        _ if p.is_empty() => None,
        true => Some(format!("p {p}")),
        false => Some(format!("p = {p}")),
    }
}

/// A table with aligned columns, for editors that show Markdown as plain text.
fn aligned(rows: &[[String; 5]; 3]) -> String {
    let widths = [0, 1, 2, 3, 4]
        .map(|column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default());
    let [head, own, total] = rows.each_ref().map(|[what, before, after, change, interval]| {
        let [a, b, c, d, e] = widths;
        format!("| {what:<a$} | {before:>b$} | {after:>c$} | {change:>d$} | {interval:>e$} |\n")
    });
    let [a, b, c, d, e] = widths.map(|width| "-".repeat(width + 1));
    let rule = format!("|:{a}|{b}:|{c}:|{d}:|{e}:|\n");
    [head, rule, own, total].concat()
}
