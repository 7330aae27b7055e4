//! What editors show of a comparison: hints and lenses at changed functions, a section in the hover of each measured
//! function, a line in lists. There is one pure function per question, as in [`analysis::views`].

use std::collections::BTreeMap;

use analysis::anchor::Freshness;
use analysis::format::{Style, amount};
use analysis::summary::DefinitionKey;
use analysis::views::{Hint, Lens, MeasuredDocument, MeasuredFunction, escaped, lens_range};
use profile::model::Unit;
use text_size::TextRange;

use crate::calls::CallsChange;
use crate::change::{Change, FunctionChange};
use crate::comparison::Comparison;
use crate::texts;
use crate::verdict::Verdict;

/// A comparison whose functions can be looked up by definition.
#[derive(Clone, Debug)]
pub struct ComparedFunctions {
    /// The comparison.
    pub comparison: Comparison,
    /// Indices into its functions.
    by_key: BTreeMap<DefinitionKey, usize>,
}

impl ComparedFunctions {
    /// Indexes a comparison.
    pub fn new(comparison: Comparison) -> Self {
        let by_key = comparison
            .functions
            .iter()
            .enumerate()
            .map(|(at, function)| (function.key.clone(), at))
            .collect();
        Self { comparison, by_key }
    }

    /// How a function changed; `None` if neither side has it.
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

    /// Whether a function is shown as changed: by more than noise, or by more than the error of sampling, which the text then says. New
    /// and gone functions are shown if they cost enough.
    pub fn is_shown(&self, change: &FunctionChange) -> bool {
        change.verdict.is_change() || change.is_certain_news(self.comparison.settings)
    }
}

/// The hints in a range of a document: `12.3ms ▲38%`, `12.3ms new`, `12.3ms ▲38%?` if it is not certain.
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

/// The text of a lens: `12.3 ms → 17.0 ms (+38 %, slower, p <0.001)`. `None` if the function with the path is gone from
/// the document or did not change.
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

/// Both sides and how certain their difference is: `12.3 ms → 17.0 ms (+38 %, slower, p <0.001)`.
fn sides(compared: &ComparedFunctions, change: &FunctionChange) -> String {
    let (unit, shown) = (compared.comparison.unit, change.shown());
    let [before, after] = [shown.before, shown.after].map(|time| amount(time, unit, Style::Text));
    let mut words = vec![texts::change(shown)];
    words.extend(Some(texts::verdict(change, shown, change.verdict, unit)).filter(|word| *word != words[0]));
    words.extend(p_value(shown));
    format!("{before} → {after} ({})", words.join(", "))
}

/// The change of a function with `▲` or `▼` if it is more than noise: `▲38 %`, `▼12 %`, `▲×2.4`, `new`, or `▲38 %?` if that is not
/// certain; otherwise `+3 %`.
pub fn arrow(change: &FunctionChange, style: Style) -> String {
    match change.verdict {
        Verdict::New => "new".to_owned(),
        Verdict::Gone => "gone".to_owned(),
        verdict if verdict.is_certain() => texts::arrow(change.shown(), style),
        verdict if verdict.is_change() => format!("{}?", texts::arrow(change.shown(), style)),
        _ => texts::change(change.shown()),
    }
}

/// What a hover says about a measured function, in Markdown: both sides with intervals, the verdict, and what it is
/// based on. `title` is what is compared with. `None` if neither side has the function.
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
            let words = texts::verdict(change, change.shown(), change.verdict, comparison.unit);
            let p = p_value(change.shown()).map_or_else(String::new, |p| format!(" ({p})"));
            format!("**{}{}**{p}", words[..1].to_uppercase(), &words[1..])
        }
    };
    let runs = texts::runs(comparison);
    text += &format!("\n{said} · against {} · {runs}, {}\n", escaped(title), texts::method(comparison));
    if let Some(machine) = texts::machine(comparison) {
        text += &format!("\n{machine}\n");
    }
    if let Some(calls) = &change.calls {
        text += &format!("\n{}\n", called(calls, change, comparison.unit));
    }
    if change.edited == Some(true) {
        text += "\n*Its code was edited between the two sides.*\n";
    }
    Some(text)
}

/// `600,000 → 1,200,000 calls, 6.67 µs → 6.70 µs a call (total), 2.10 µs → 2.10 µs self; counted in other runs`.
fn called(calls: &CallsChange, change: &FunctionChange, unit: Unit) -> String {
    let [total, own] =
        [&change.total_time, &change.self_time].map(|change| texts::a_call(calls, change, unit));
    let costs = total.zip(own).map(|(total, own)| format!(", {total} a call (total), {own} self"));
    let number = texts::calls(calls);
    let noun = if number == "1" { "call" } else { "calls" };
    format!("{number} {noun}{}; counted in other runs", costs.unwrap_or_default())
}

/// A row of the table.
fn row(what: &str, change: &Change, unit: Unit) -> [String; 5] {
    let [before, after] = [change.before, change.after].map(|time| amount(time, unit, Style::Text));
    let interval = texts::interval(change).unwrap_or_else(|| "-".to_owned());
    [what.to_owned(), before, after, texts::change(change), interval]
}

/// `p <0.001`, `p = 0.023`; `None` if not asked.
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

#[cfg(test)]
mod tests {
    use analysis::document::Document;
    use analysis::recording::Recording;
    use analysis::views::MeasuredFunctions;
    use expect_test::expect;
    use text_size::TextSize;

    use super::*;
    use crate::fixtures::{compare, key, placed};

    /// A program of which `load` was edited since it was recorded.
    const PROGRAM: &str = "
//- /app.js
function $1slower() {}
function $2same() {}
function $3faster() {} function $4also() {} function $5not() {}
function $6load() { return 1; }
function $7came() {}
//- edit /app.js
function slower() {}
function same() {}
function faster() {} function also() {} function not() {}
function load() { return 2; }
function came() {}
//- trace after
5          5        5           5        5       5        5
slower@$1  same@$2  faster@$3   also@$4  not@$5  load@$6  came@$7
";

    const TABLE: &str = "
        came          | -   -   -   | 9   9   9
        went          | 9   9   9   | -   -   -
        slower        | 100 101 102 | 141 142 143
        same          | 100 101 102 | 101 102 100
        faster        | 100 101 102 | 48  49  50
        also          | 10/200 10/201 10/202 | 10/500 11/501 10/502
        not           | 10  1   1   | 1   10   1
        load (edited) | 100 101 102 | 201 202 203
    ";

    fn with<T>(
        (recording, document): &(Recording, Document),
        ask: impl FnOnce(MeasuredDocument<'_>) -> T,
    ) -> T {
        let functions = MeasuredFunctions::find(recording, document);
        ask(MeasuredDocument { recording, document, functions: &functions })
    }

    #[test]
    fn hints_at_what_changed() {
        let (compared, program) = (ComparedFunctions::new(compare(TABLE)), placed(PROGRAM));
        let text = program.1.text();
        let hints = |start: usize, end: usize| {
            let range = TextRange::new(TextSize::new(start as u32), TextSize::new(end as u32));
            let hints = with(&program, |measured| hints(&compared, measured, range));
            let line = |hint: Hint| {
                let before = &text[..usize::from(hint.at)];
                format!("{}:{} {}\n", before.lines().count(), hint.key.path, hint.label)
            };
            hints.into_iter().map(line).collect::<String>()
        };
        expect![[r#"
            1:slower 142ms ▲41%
            3:faster 49ms ▼51%
            3:also 501ms ▲×2.5
            4:load ~200ms ▲×2.0
        "#]]
        .assert_eq(&hints(0, text.len()));
        expect![[r#"
            1:slower 142ms ▲41%
        "#]]
        .assert_eq(&hints(0, 40));
    }

    #[test]
    fn lenses_at_what_changed() {
        let (compared, program) = (ComparedFunctions::new(compare(TABLE)), placed(PROGRAM));
        let lenses = with(&program, |measured| lenses(&compared, measured));
        let titles = lenses.into_iter().map(|lens| {
            let title = with(&program, |measured| lens_title(&compared, measured, &lens.key.path));
            format!("{} `{}` {}\n", lens.key.path, &program.1.text()[lens.range], title.unwrap_or_default())
        });
        expect![[r#"
            slower `function slower` 101 ms → 142 ms (+41 %, slower, p = 0.015)
            faster `function faster` faster: 101 ms → 49.0 ms (−51 %, faster, p = 0.006)
            also `function faster() {} function also` also: 201 ms → 501 ms (×2.5, slower, p = 0.002)
            load `function load` ~ 101 ms → 202 ms (×2.0, slower, p = 0.003)
        "#]]
        .assert_eq(&titles.collect::<String>());
        for path in ["same", "not", "went", "none"] {
            assert_eq!(with(&program, |measured| lens_title(&compared, measured, path)), None, "{path}");
        }
    }

    #[test]
    fn arrows() {
        let maybe = compare("more | 100 | 400\nless | 400 | 100\nunsure | 100 | 103\ncame | - | 9");
        let comparisons = [compare(TABLE), maybe];
        let shown = comparisons.iter().flat_map(|it| &it.functions).map(|function| {
            let [text, compact] = [Style::Text, Style::Compact].map(|style| arrow(function, style));
            format!("{} {text} {compact}\n", function.info.name)
        });
        expect![[r#"
            load ▲×2.0 ▲×2.0
            faster ▼51 % ▼51%
            slower ▲41 % ▲41%
            also ▲×2.5 ▲×2.5
            came new new
            went gone gone
            not 0 % 0 %
            same 0 % 0 %
            less ▼75 %? ▼75%?
            more ▲×4.0? ▲×4.0?
            came new new
            unsure +3 % +3 %
        "#]]
        .assert_eq(&shown.collect::<String>());
    }

    #[test]
    fn what_hovers_say() {
        let compared = ComparedFunctions::new(compare(TABLE));
        let sections = ["slower", "load", "came", "went", "same", "not"].map(|name| {
            let section = section(&compared, &key(name), "a_b.cpuprofile").expect("one side has it");
            format!("{name}\n{section}\n")
        });
        expect![[r#"
            slower
            |       | Before |  After | Change | Interval (95 %) |
            |:------|-------:|-------:|-------:|----------------:|
            | Self  | 101 ms | 142 ms |  +41 % |  +14 % to +74 % |
            | Total | 101 ms | 142 ms |  +41 % |  +14 % to +74 % |

            **Slower** (p = 0.015) · against a_b.cpuprofile · 3 runs before, 3 runs after, judged by how much the runs of each side differ

            load
            |       | Before |  After | Change | Interval (95 %) |
            |:------|-------:|-------:|-------:|----------------:|
            | Self  | 101 ms | 202 ms |   ×2.0 |   +63 % to ×2.5 |
            | Total | 101 ms | 202 ms |   ×2.0 |   +63 % to ×2.5 |

            **Slower** (p = 0.003) · against a_b.cpuprofile · 3 runs before, 3 runs after, judged by how much the runs of each side differ

            *Its code was edited between the two sides.*

            came
            |       | Before |   After | Change | Interval (95 %) |
            |:------|-------:|--------:|-------:|----------------:|
            | Self  |   0 ms | 9.00 ms |    new |               - |
            | Total |   0 ms | 9.00 ms |    new |               - |

            **New**: it was not measured before · against a_b.cpuprofile · 3 runs before, 3 runs after, judged by how much the runs of each side differ

            went
            |       |  Before | After | Change | Interval (95 %) |
            |:------|--------:|------:|-------:|----------------:|
            | Self  | 9.00 ms |  0 ms |   gone |               - |
            | Total | 9.00 ms |  0 ms |   gone |               - |

            **Gone**: it was not measured after · against a_b.cpuprofile · 3 runs before, 3 runs after, judged by how much the runs of each side differ

            same
            |       | Before |  After | Change | Interval (95 %) |
            |:------|-------:|-------:|-------:|----------------:|
            | Self  | 101 ms | 101 ms |    0 % |  −20 % to +25 % |
            | Total | 101 ms | 101 ms |    0 % |  −20 % to +25 % |

            There is **not enough data** to tell whether it changed · against a_b.cpuprofile · 3 runs before, 3 runs after, judged by how much the runs of each side differ

            not
            |       |  Before |   After | Change | Interval (95 %) |
            |:------|--------:|--------:|-------:|----------------:|
            | Self  | 4.00 ms | 4.00 ms |    0 % |  −95 % to ×19.0 |
            | Total | 4.00 ms | 4.00 ms |    0 % |  −95 % to ×19.0 |

            There is **not enough data** to tell whether it changed · against a_b.cpuprofile · 3 runs before, 3 runs after, judged by how much the runs of each side differ

        "#]].assert_eq(&sections.concat());
        assert_eq!(section(&compared, &key("none"), ""), None);
        let of_few = ComparedFunctions::new(compare(
            "
            moved      | 40/80 41/80 39/80 40/80 40/80 | 20/80 21/80 19/80 20/80 20/80
            lost       | 9     9     9     9     9     | -     -     -     -     -
            a.js hides | -     -     -     -     -     | 9     9     9     9     9
            ",
        ));
        let sections = ["moved", "lost"].map(|name| section(&of_few, &key(name), "a").expect("it ran"));
        expect![[r#"
            |       |  Before |   After | Change | Interval (95 %) |
            |:------|--------:|--------:|-------:|----------------:|
            | Self  | 40.0 ms | 20.0 ms |  −50 % |  −52 % to −48 % |
            | Total | 80.0 ms | 80.0 ms |    0 % |      0 % to 0 % |

            **Shifted**: its self time changed and its total time did not, as code moved between it and what it calls · against a · 5 runs before, 5 runs after, judged by how much the runs of each side differ
            |       |  Before | After | Change | Interval (95 %) |
            |:------|--------:|------:|-------:|----------------:|
            | Self  | 9.00 ms |  0 ms |   gone |               - |
            | Total | 9.00 ms |  0 ms |   gone |               - |

            **Not comparable**: one side could not place it, so that nothing is known of it there · against a · 5 runs before, 5 runs after, judged by how much the runs of each side differ
        "#]].assert_eq(&sections.concat());
        let few = ComparedFunctions::new(compare("f | 100 | 101 102"));
        expect![[r#"
            |       | Before |  After | Change | Interval (95 %) |
            |:------|-------:|-------:|-------:|----------------:|
            | Self  | 100 ms | 102 ms | +1.5 % |               - |
            | Total | 100 ms | 102 ms | +1.5 % |               - |

            There is **not enough data** to tell whether it changed · against a · 1 run before, 2 runs after, not judged, as nothing is known of how much runs differ; record at least three a side
        "#]].assert_eq(&section(&few, &key("f"), "a").expect("it ran"));
    }
}
