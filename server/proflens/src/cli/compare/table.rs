//! The comparison as a table for people at a terminal.

use std::ops::Range;

use analysis::format::{column, thousands};
use compare::Verdict;
use compare::texts::{change, interval, p, sentences};
use profile::plain;

use super::super::screen::{Stream, problem_line};
use super::super::wrap::wrapped;
use super::super::{printable, relative};
use super::content::{Content, Row, row_label};

/// Between two columns.
const GAP: usize = 2;

/// Of a name and of a place so much is shown, however narrow the terminal is.
const LEAST_NAME: usize = 10;
const LEAST_PLACE: usize = 14;

/// A row, and its emphasis.
type Styled = (Vec<String>, &'static str);

/// The columns of functions that are aligned at their ends, the first ones.
const NUMBERS: usize = 6;

/// The columns that a narrow terminal can do without, in this order: samples, p, and the interval.
const DISPENSABLE: [usize; 3] = [5, 4, 3];

/// The functions, what can be said of them, and where the time went on both sides.
pub(super) fn render(content: &Content) -> String {
    let mut text = functions(content);
    let columns = Stream::Out.columns();
    for sentence in sentences(content.comparison) {
        text += &format!("{}\n", wrapped(&sentence, columns));
    }
    text.push('\n');
    let mut rows = ledger(content);
    point_by_point(&mut rows[1..], 1..4);
    text += &aligned(&rows, |at| at > 0);
    if !content.comparison.problems.is_empty() {
        text.push('\n');
    }
    for problem in &content.comparison.problems {
        text += &problem_line(problem, columns);
    }
    text
}

/// The functions and an empty line; nothing where there are none.
pub fn functions(content: &Content) -> String {
    let rows = content.rows();
    let mut text = String::new();
    if !rows.is_empty() {
        let head = ["Before", "After", "Change", "95 %", "p", "Samples", "", "", "Function", "Where"];
        let mut table = vec![(head.map(str::to_owned).to_vec(), "1")];
        table.extend(rows.iter().take(content.limit).map(|it| (cells(content, it), style(it.verdict))));
        point_by_point(&mut table[1..], 0..3);
        let numbers = fit(&mut table, Stream::Out.columns());
        text += &aligned(&table, |at| at < numbers);
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

fn cells(content: &Content, row: &Row) -> Vec<String> {
    let (it, function) = (row.change, row.function);
    let [before, after] = it.samples;
    let info = &function.info;
    let file = printable(&relative(&function.key.file, content.folder), 80);
    vec![
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
fn ledger(content: &Content) -> Vec<Styled> {
    let comparison = content.comparison;
    let head = ["Where the time went", "Before", "After", "Difference"].map(str::to_owned).to_vec();
    let mut rows = vec![(head, "1")];
    let [before, after] = [&comparison.sides[0], &comparison.sides[1]].map(|it| it.total);
    let row = |label: String, before: profile::Amount, after: profile::Amount| {
        let difference = after.0.cast_signed() - before.0.cast_signed();
        vec![label, content.amount(before), content.amount(after), content.difference(difference)]
    };
    rows.extend(comparison.ledger.iter().map(|it| (row(row_label(it.row), it.before, it.after), "")));
    rows.push((row("All".to_owned(), before, after), "1"));
    rows
}

/// Puts the decimal points of some columns below each other.
fn point_by_point(rows: &mut [Styled], columns: Range<usize>) {
    for at in columns {
        let texts: Vec<String> = rows.iter().map(|it| it.0[at].clone()).collect();
        rows.iter_mut().zip(column(&texts)).for_each(|(row, text)| row.0[at] = text);
    }
}

/// How wide a column is.
fn width(rows: &[Styled], at: usize) -> usize {
    rows.iter().map(|it| it.0[at].chars().count()).max().unwrap_or(0)
}

/// Makes a table of functions fit: numbers that say least go first, then the ends of names and the beginnings of places. Returns how
/// many columns of numbers are left.
fn fit(rows: &mut [Styled], columns: usize) -> usize {
    let mut numbers = NUMBERS;
    let others = |rows: &[Styled]| -> usize {
        (0..rows[0].0.len() - 2).map(|at| width(rows, at) + GAP).sum::<usize>() + GAP
    };
    let last = |rows: &[Styled]| rows[0].0.len() - 1;
    for at in DISPENSABLE {
        let [name, place] = [last(rows) - 1, last(rows)].map(|at| width(rows, at));
        if others(rows) + name.min(LEAST_NAME) + place.min(LEAST_PLACE) <= columns {
            break;
        }
        rows.iter_mut().for_each(|it| drop(it.0.remove(at)));
        numbers -= 1;
    }
    let room = columns.saturating_sub(others(rows));
    let [name, place] = [last(rows) - 1, last(rows)];
    let name_room = room.saturating_sub(width(rows, place).min(LEAST_PLACE)).max(LEAST_NAME);
    let name_room = name_room.min(width(rows, name));
    let place_room = room.saturating_sub(name_room).max(LEAST_PLACE);
    for (cells, _) in rows {
        cells[name] = printable(&cells[name], name_room);
        cells[place] = printable(&cells[place], place_room);
    }
    numbers
}

/// Rows in columns that are as wide as they need; some are aligned at their ends.
fn aligned(rows: &[Styled], is_at_end: impl Fn(usize) -> bool) -> String {
    // A cell is a part of one line, whatever stands in it.
    let plain = |it: &Styled| (it.0.iter().map(|cell| plain(cell).into_owned()).collect(), it.1);
    let rows: Vec<Styled> = rows.iter().map(plain).collect();
    let mut text = String::new();
    let widths: Vec<usize> = (0..rows[0].0.len()).map(|at| width(&rows, at)).collect();
    for (cells, style) in &rows {
        let mut line = String::new();
        for (at, cell) in cells.iter().enumerate() {
            let space = " ".repeat(widths[at] - cell.chars().count());
            line += &" ".repeat(if at > 0 { GAP } else { 0 });
            line += &if is_at_end(at) { format!("{space}{cell}") } else { format!("{cell}{space}") };
        }
        text += &format!("{}\n", paint(style, line.trim_end()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_terminal_shows_what_says_most() {
        let row = |cells: [&str; 10]| (cells.map(str::to_owned).to_vec(), "");
        let rows = [
            row(["Before", "After", "Change", "95 %", "p", "Samples", "", "", "Function", "Where"]),
            row([
                "60.0 ms",
                "59.0 ms",
                "−1.7 %",
                "−3.4 % to +0.1 %",
                "0.08",
                "600 → 590",
                "the same",
                "self",
                "nextTokenOf",
                "src/parser/app.js:3:10",
            ]),
        ];
        let shown = |columns| {
            let mut rows = rows.clone();
            let numbers = fit(&mut rows, columns);
            aligned(&rows, |at| at < numbers)
        };
        let expected = [
            (
                usize::MAX,
                " Before    After  Change              95 %     p    Samples                  Function     Where\n\
                 60.0 ms  59.0 ms  −1.7 %  −3.4 % to +0.1 %  0.08  600 → 590  the same  self  nextTokenOf  src/parser/app.js:3:10\n",
            ),
            (
                94,
                " Before    After  Change              95 %     p                  Function     Where\n\
                 60.0 ms  59.0 ms  −1.7 %  −3.4 % to +0.1 %  0.08  the same  self  nextTokenOf  …er/app.js:3:10\n",
            ),
            (
                70,
                " Before    After  Change                  Function     Where\n\
                 60.0 ms  59.0 ms  −1.7 %  the same  self  nextTokenOf  …er/app.js:3:10\n",
            ),
        ];
        for (columns, text) in expected {
            assert_eq!(shown(columns), text, "{columns}");
        }
    }
}
