//! What editors show of a comparison: hints and lenses at functions that changed, a section of the hover of each measured
//! function, a line in lists. One pure function for each question, as in [`analysis::views`].

use std::collections::BTreeMap;

use analysis::format::{Style, amount};
use analysis::views::{Hint, Lens, MeasuredDocument, MeasuredFunction, escaped, lens_range};
use analysis::{DefinitionKey, Freshness};
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
        let by_key = comparison.functions.iter().enumerate().map(|(at, it)| (it.key.clone(), at)).collect();
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
        let changed = functions.filter_map(|it| Some((it, self.change(&it.key)?)));
        changed.filter(|(_, change)| self.is_shown(change))
    }

    /// Whether a function is shown as changed: by more than noise, or by more than the error of sampling, which the text says. Of new and
    /// gone ones those that cost enough to say so.
    pub fn is_shown(&self, it: &FunctionChange) -> bool {
        it.verdict.is_change() || it.is_certain_news(self.comparison.settings)
    }
}

/// The hints in a range of a document: `12.3ms ▲38%`, `12.3ms new`, `12.3ms ▲38%?` where it is not certain.
pub fn hints(compared: &ComparedFunctions, measured: MeasuredDocument<'_>, range: TextRange) -> Vec<Hint> {
    let unit = compared.comparison.unit;
    let hint = |(it, change): (&MeasuredFunction, &FunctionChange)| {
        let shown = change.shown();
        let (mark, style) = match it.freshness {
            Freshness::Edited => ("~", Style::Rough),
            _ => ("", Style::Compact),
        };
        let label = format!("{mark}{} {}", amount(shown.after, unit, style), arrow(change, Style::Compact));
        Hint::new(measured.document, measured.definition(it).hint_at, label, &it.key)
    };
    let hints = compared.changed(measured).map(hint);
    let mut hints: Vec<_> = hints.filter(|it| range.contains_inclusive(it.at)).collect();
    hints.sort_by_key(|it| it.at);
    hints
}

/// The lenses of a document.
pub fn lenses(compared: &ComparedFunctions, measured: MeasuredDocument<'_>) -> Vec<Lens> {
    let lens =
        |(it, _): (&MeasuredFunction, _)| Lens { range: lens_range(measured, it), key: it.key.clone() };
    compared.changed(measured).map(lens).collect()
}

/// The text of a lens: `12.3 ms → 17.0 ms (+38 %, slower, p <0.001)`. `None` if the function of the path is gone from the document or
/// did not change.
pub fn lens_title(
    compared: &ComparedFunctions,
    measured: MeasuredDocument<'_>,
    path: &str,
) -> Option<String> {
    let it = measured.function(path)?;
    let change = compared.change(&it.key).filter(|it| compared.is_shown(it))?;
    let line = |it: &MeasuredFunction| measured.document.line_col(measured.definition(it).anchor()).line;
    let mut others = compared.changed(measured).filter(|(other, _)| other.definition != it.definition);
    let whose = match others.any(|(other, _)| line(other) == line(it)) {
        true => format!("{}: ", measured.definition(it).name),
        false => String::new(),
    };
    let mark = if it.freshness == Freshness::Edited { "~ " } else { "" };
    Some(format!("{whose}{mark}{}", sides(compared, change)))
}

/// Both sides and how sure their difference is: `12.3 ms → 17.0 ms (+38 %, slower, p <0.001)`.
fn sides(compared: &ComparedFunctions, it: &FunctionChange) -> String {
    let (unit, shown) = (compared.comparison.unit, it.shown());
    let [before, after] = [shown.before, shown.after].map(|of| amount(of, unit, Style::Text));
    let mut words = vec![texts::change(shown)];
    words.extend(Some(it.verdict.words(unit).to_owned()).filter(|it| *it != words[0]));
    words.extend(Some(p_value(shown)).filter(|it| !it.is_empty()));
    format!("{before} → {after} ({})", words.join(", "))
}

/// The change of a function with `▲` or `▼` where it is more than noise: `▲38 %`, `▼12 %`, `▲×2.4`, `new`, or `▲38 %?` where that is not
/// certain; else `+3 %`.
pub fn arrow(it: &FunctionChange, style: Style) -> String {
    match it.verdict {
        Verdict::New => "new".to_owned(),
        Verdict::Gone => "gone".to_owned(),
        verdict if verdict.is_certain() => texts::arrow(it.shown(), style),
        verdict if verdict.is_change() => format!("{}?", texts::arrow(it.shown(), style)),
        _ => texts::change(it.shown()),
    }
}

/// What a hover says of a measured function, in Markdown: both sides with intervals, what is said of them, and by what.
/// `title` is what is compared with, `None` if neither side has the function.
pub fn section(compared: &ComparedFunctions, key: &DefinitionKey, title: &str) -> Option<String> {
    let comparison = &compared.comparison;
    let it = compared.change(key)?;
    let row = |what: &str, change: &Change| {
        let [before, after] =
            [change.before, change.after].map(|of| amount(of, comparison.unit, Style::Text));
        let ratio = texts::change(change);
        [what.to_owned(), before, after, ratio, texts::interval(change).unwrap_or_else(|| "-".to_owned())]
    };
    let head = ["", "Before", "After", "Change", "Interval (95 %)"].map(str::to_owned);
    let rows = [head, row("Self", &it.self_time), row("Total", &it.total_time)];
    let mut text = aligned(&rows);
    let said = match it.verdict {
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
            let words = it.verdict.words(comparison.unit);
            let p = Some(p_value(it.shown())).filter(|it| !it.is_empty());
            let p = p.map_or_else(String::new, |it| format!(" ({it})"));
            format!("**{}{}**{p}", words[..1].to_uppercase(), &words[1..])
        }
    };
    let runs = texts::runs(comparison);
    text += &format!("\n{said} · against {} · {runs}, {}\n", escaped(title), texts::method(comparison));
    if it.edited == Some(true) {
        text += "\n*Its code was edited between the two sides.*\n";
    }
    Some(text)
}

fn p_value(it: &Change) -> String {
    let p = texts::p(it);
    match p.starts_with('<') {
        _ if p.is_empty() => p,
        true => format!("p {p}"),
        false => format!("p = {p}"),
    }
}

/// A table with aligned columns, for editors that show Markdown as plain text.
fn aligned(rows: &[[String; 5]; 3]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths = [0, 1, 2, 3, 4].map(width);
    let line = |[what, before, after, change, interval]: &[String; 5]| {
        let [a, b, c, d, e] = widths;
        format!("| {what:<a$} | {before:>b$} | {after:>c$} | {change:>d$} | {interval:>e$} |\n")
    };
    let [a, b, c, d, e] = widths.map(|it| "-".repeat(it + 1));
    let rule = format!("|:{a}|{b}:|{c}:|{d}:|{e}:|\n");
    let [head, own, all] = rows;
    [line(head), rule, line(own), line(all)].concat()
}
