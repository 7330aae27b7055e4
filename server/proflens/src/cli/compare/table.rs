//! The comparison as a table for people at a terminal.

use std::ops::Range;

use analysis::format::{column, thousands};
use compare::Verdict;
use compare::texts::{change, interval, p, sentences};
use profile::plain;

use super::super::screen::{Stream, problem_line};
use super::super::{printable, relative};
use super::content::{Content, Row, row_label};

/// Between two columns.
const GAP: usize = 2;

/// Of a place so much is shown, however narrow the terminal is.
const LEAST_PLACE: usize = 20;

/// The functions, what can be said of them, and where the time went on both sides.
pub(super) fn render(content: &Content) -> String {
    let mut text = functions(content);
    for line in sentences(content.comparison) {
        text += &format!("{line}\n");
    }
    text.push('\n');
    let mut rows = ledger(content);
    point_by_point(&mut rows[1..], 1..4);
    text += &aligned(&rows, [false, true, true, true]);
    if !content.comparison.problems.is_empty() {
        text.push('\n');
    }
    for problem in &content.comparison.problems {
        text += &problem_line(problem);
    }
    text
}

/// The functions and an empty line; nothing where there are none.
pub fn functions(content: &Content) -> String {
    let rows = content.rows();
    let mut text = String::new();
    if !rows.is_empty() {
        let head = ["Before", "After", "Change", "95 %", "p", "Samples", "", "", "Function", "Where"];
        let mut table = vec![(head.map(str::to_owned), "1")];
        table.extend(rows.iter().take(content.limit).map(|it| (cells(content, it), style(it.verdict))));
        point_by_point(&mut table[1..], 0..3);
        text += &aligned(&table, [true, true, true, true, true, true, false, false, false, false]);
        if rows.len() > content.limit {
            let more = format!("… and {} more; --limit 0 lists all\n", rows.len() - content.limit);
            text += &paint("2", &more);
        }
        text.push('\n');
    }
    text
}

/// Emphasis, where the terminal shows any.
fn paint(style: &str, text: &str) -> String {
    match Stream::Out.is_coloured() {
        true if !style.is_empty() => format!("\x1b[{style}m{text}\x1b[0m"),
        _ => text.to_owned(),
    }
}

fn cells(content: &Content, row: &Row) -> [String; 10] {
    let (it, function) = (row.change, row.function);
    let [before, after] = it.samples;
    let info = &function.info;
    let file = printable(&relative(&function.key.file, content.folder), 80);
    [
        content.amount(it.before),
        content.amount(it.after),
        change(it),
        interval(it).unwrap_or_default(),
        p(it),
        format!("{} → {}", thousands(before), thousands(after)),
        row.verdict.words(content.comparison.unit).to_owned(),
        row.which.to_owned(),
        printable(&info.name, 40),
        format!("{file}:{}:{}", info.start.line + 1, info.start.column + 1),
    ]
}

/// The colour of a row: what was decided stands out, and what was not recedes.
fn style(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Regression => "33",
        Verdict::Improvement => "36",
        Verdict::PossibleRegression
        | Verdict::PossibleImprovement
        | Verdict::Shifted
        | Verdict::New
        | Verdict::Gone => "",
        Verdict::NotComparable | Verdict::Unchanged | Verdict::Unsure => "2",
    }
}

/// Where the time of a mean run went, side by side.
fn ledger(content: &Content) -> Vec<([String; 4], &'static str)> {
    let comparison = content.comparison;
    let head = ["Where the time went", "Before", "After", "Difference"].map(str::to_owned);
    let mut rows = vec![(head, "1")];
    let [before, after] = [&comparison.sides[0], &comparison.sides[1]].map(|it| it.total);
    let row = |label: String, before: profile::Amount, after: profile::Amount| {
        let difference = after.0.cast_signed() - before.0.cast_signed();
        [label, content.amount(before), content.amount(after), content.difference(difference)]
    };
    rows.extend(comparison.ledger.iter().map(|it| (row(row_label(it.row), it.before, it.after), "")));
    rows.push((row("All".to_owned(), before, after), "1"));
    rows
}

/// Puts the decimal points of some columns below each other.
fn point_by_point<const N: usize>(rows: &mut [([String; N], &str)], columns: Range<usize>) {
    for at in columns {
        let texts: Vec<String> = rows.iter().map(|it| it.0[at].clone()).collect();
        rows.iter_mut().zip(column(&texts)).for_each(|(row, text)| row.0[at] = text);
    }
}

/// Rows in columns that are as wide as they need; some are aligned at their ends.
fn aligned<const N: usize>(rows: &[([String; N], &str)], at_end: [bool; N]) -> String {
    let mut widths = [0; N];
    // A cell is a part of one line, whatever stands in it.
    let rows = rows.iter().map(|(cells, style)| (cells.each_ref().map(|cell| plain(cell)), *style));
    let rows: Vec<_> = rows.collect();
    for (cells, _) in &rows {
        for (width, cell) in widths.iter_mut().zip(cells) {
            *width = cell.chars().count().max(*width);
        }
    }
    // The last column is what the terminal has room for, and shows the ends of its places.
    let others: usize = widths[..N - 1].iter().map(|it| it + GAP).sum();
    let room = Stream::Out.columns().saturating_sub(others).max(LEAST_PLACE);
    widths[N - 1] = widths[N - 1].min(room);
    let mut text = String::new();
    for (cells, style) in &rows {
        let mut line = String::new();
        for (at, cell) in cells.iter().enumerate() {
            let cell = if at == N - 1 { printable(cell, room) } else { cell.clone().into_owned() };
            let space = " ".repeat(widths[at] - cell.chars().count());
            let gap = " ".repeat(if at > 0 { GAP } else { 0 });
            line += &gap;
            line += &if at_end[at] { format!("{space}{cell}") } else { format!("{cell}{space}") };
        }
        text += &format!("{}\n", paint(style, line.trim_end()));
    }
    text
}
