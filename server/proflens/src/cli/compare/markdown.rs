//! The comparison as Markdown, fit for a comment on a pull request: what matters first, the rest folded.

use analysis::format::thousands;
use compare::texts::{a_call, calls, change, interval, p, sentences, verdict};
use compare::verdict::Verdict;
use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, utf8_percent_encode};
use profile::problem::Problem;

use super::super::markdown::{code, inert};
use super::super::relative;
use super::content::{Content, Row, row_label};

const HEAD: [&str; 2] = [
    "| | Function | Before | After | Change | 95 % interval | p | Samples |",
    "|:--|:--|--:|--:|--:|--:|--:|--:|",
];
const CALLS: [&str; 2] = [" Calls | A call |", "--:|--:|"];

/// The headline, what changed, and, folded below it, all other functions and where the time went.
pub(super) fn render(content: &Content) -> String {
    let comparison = content.comparison;
    let mut text = functions(content, &sentences(comparison));
    text += "\n<details><summary>Where the time went</summary>\n\n| | Before | After | Difference |\n|:--|--:|--:|--:|\n";
    for row in &comparison.ledger {
        let cells = content.amounts(row.before, row.after);
        text += &format!("| {} | {} |\n", row_label(row.row), cells.join(" | "));
    }
    let [before, after] = &comparison.sides;
    let cells = content.amounts(before.total, after.total);
    text += &format!("| **All** | {} |\n\n</details>\n", cells.join(" | "));
    if !comparison.problems.is_empty() {
        text += "\n<details><summary>Notes</summary>\n\n";
        for Problem { what, place, hint } in &comparison.problems {
            text += &format!("- {}: {}; {}.\n", code(place), inert(what), inert(hint));
        }
        text += "\n</details>\n";
    }
    text
}

/// The headline, what changed, the other sentences, and, folded below them, all other functions.
pub fn functions(content: &Content, sentences: &[String]) -> String {
    let comparison = content.comparison;
    let rows = content.rows();
    let (news, others): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| row.is_news(comparison));
    let mut text = format!("{}\n\n", inert(&sentences[0]));
    if news.is_empty() {
        text += "No function changed by more than noise.\n\n";
    } else {
        text += &head(content);
        news.iter().take(content.limit).for_each(|row| text += &line(content, row));
        text += &more(news.len(), content.limit);
        text.push('\n');
    }
    for sentence in &sentences[1..] {
        text += &format!("{}\n", inert(sentence));
    }
    if !others.is_empty() {
        text += &format!(
            "\n<details><summary>{} without a change that is certain</summary>\n\n{}",
            analysis::format::count(others.len() as u64, "function"),
            head(content)
        );
        others.iter().take(content.limit).for_each(|row| text += &line(content, row));
        text += &more(others.len(), content.limit);
        text += "\n</details>\n";
    }
    text
}

/// The heads of the columns, and the line below them.
fn head(content: &Content) -> String {
    let calls = if content.comparison.has_calls() { CALLS } else { [""; 2] };
    HEAD.iter().zip(calls).map(|(head, calls)| format!("{head}{calls}\n")).collect()
}

fn line(content: &Content, row: &Row) -> String {
    let [before, after] = row.change.samples;
    let sign = match row.verdict {
        Verdict::Regression | Verdict::PossibleRegression => "▲ ",
        Verdict::Improvement | Verdict::PossibleImprovement => "▼ ",
        _ => "",
    };
    let interval = interval(row.change).unwrap_or_default();
    let ends: Vec<_> = interval.split(" to ").map(unbroken).collect();
    let unit = content.comparison.unit;
    let called = row.function.calls.map_or_else(String::new, |counted| {
        let cells = [calls(&counted), a_call(&counted, row.change, unit).unwrap_or_default()];
        cells.map(|cell| format!(" {} |", unbroken(&cell))).concat()
    });
    format!(
        "| {} | {} {} | {} | {} | {} | {} | {} | {} → {} |{called}\n",
        unbroken(&format!("{sign}{}", verdict(row.function, row.change, row.verdict, unit))),
        link(content, row),
        row.which,
        unbroken(&content.amount(row.change.before)),
        unbroken(&content.amount(row.change.after)),
        unbroken(&change(row.change)),
        ends.join(" to "),
        p(row.change).replace('<', "&lt;"),
        thousands(before),
        thousands(after),
    )
}

/// A number and its unit, which stay on one line in a narrow column.
fn unbroken(text: &str) -> String {
    text.replace(' ', "\u{a0}")
}

/// The function and its place, as a link if the address of the files is known.
fn link(content: &Content, row: &Row) -> String {
    let (function, info) = (row.function, &row.function.info);
    let file = relative(&function.key.file, content.folder);
    let line = info.start.line + 1;
    let place = code(&format!("{file}:{line}"));
    let in_text = function.is_in_text() && function.key.file.relative_to(content.folder).is_some();
    match content.link_base {
        Some(base) if in_text => {
            let path: Vec<_> =
                file.split('/').map(|part| utf8_percent_encode(part, PART).to_string()).collect();
            format!(
                "{} [{place}]({}/{}#L{line})",
                code(&info.name),
                utf8_percent_encode(base.trim_end_matches('/'), ADDRESS),
                path.join("/")
            )
        }
        _ => format!("{} {place}", code(&info.name)),
    }
}

/// What is escaped in a part of a path in an address: everything but letters, digits and these.
const PART: &AsciiSet = &NON_ALPHANUMERIC.remove(b'.').remove(b'-').remove(b'_');

/// What is escaped in an address from the command line: everything that would end it, or a cell of the table.
const ADDRESS: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'<')
    .add(b'>')
    .add(b'(')
    .add(b')')
    .add(b'[')
    .add(b']')
    .add(b'|')
    .add(b'\\')
    .add(b'`');

fn more(number: usize, limit: usize) -> String {
    match number.saturating_sub(limit) {
        0 => String::new(),
        more => format!("\n… and {more} more\n"),
    }
}
