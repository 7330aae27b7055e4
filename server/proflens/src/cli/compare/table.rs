//! The comparison as a table for people at a terminal.

use std::ops::Range;

use analysis::format::{column, thousands};
use compare::texts::{a_call, calls, change, interval, p, sentences, verdict};
use compare::verdict::Verdict;
use profile::model::Amount;
use profile::plain::plain;

use super::super::screen::{Stream, problem_line};
use super::super::wrap::wrapped;
use super::super::{printable, relative};
use super::content::{Content, Row, row_label};

/// Separates two columns.
const GAP: usize = 2;

/// How much of a name and of a place is shown, however narrow the terminal is.
const LEAST_NAME: usize = 10;
const LEAST_PLACE: usize = 14;

/// A row, and its emphasis.
#[derive(Clone)]
struct StyledRow {
    cells: Vec<String>,
    style: &'static str,
}

impl StyledRow {
    fn new(cells: &[&str], style: &'static str) -> Self {
        Self { cells: cells.iter().map(ToString::to_string).collect(), style }
    }
}

/// The heads of the columns of numbers, which are aligned at their ends, and of those that follow them.
const NUMBERS: [&str; 6] = ["Before", "After", "Change", "95 %", "p", "Samples"];
const CALLS: [&str; 2] = ["Calls", "A call"];
const WORDS: [&str; 4] = ["", "", "Function", "Where"];

/// The columns that a narrow terminal can do without, in this order: samples, p, the interval, and, if calls were
/// counted, the cost of a call and the number of calls.
const DISPENSABLE: [usize; 5] = [5, 4, 3, 4, 3];

/// The functions, the verdicts on them, and where the time went on both sides.
pub(crate) fn render(content: &Content, stream: Stream) -> String {
    let mut text = listed(content, stream);
    let columns = stream.columns();
    for sentence in sentences(content.comparison) {
        text += &format!("{}\n", wrapped(&sentence, columns));
    }
    text.push('\n');
    let mut rows = ledger(content);
    point_by_point(&mut rows[1..], 1..4);
    text += &aligned(&rows, stream, |at| at > 0);
    if !content.comparison.problems.is_empty() {
        text.push('\n');
    }
    for problem in &content.comparison.problems {
        text += &problem_line(problem, columns);
    }
    text
}

/// The functions and an empty line; nothing if there are none.
pub fn functions(content: &Content) -> String {
    listed(content, Stream::Out)
}

fn listed(content: &Content, stream: Stream) -> String {
    let rows = content.rows();
    let mut text = String::new();
    if !rows.is_empty() {
        let calls = if content.comparison.has_calls() { &CALLS[..] } else { &[] };
        let head = [&NUMBERS[..], calls, &WORDS].concat();
        let mut table = vec![StyledRow::new(&head, "1")];
        table.extend(rows.iter().take(content.limit).map(|row| styled(content, row)));
        point_by_point(&mut table[1..], 0..3);
        let numbers = fit(&mut table, stream.columns());
        text += &aligned(&table, stream, |at| at < numbers);
        if rows.len() > content.limit {
            let more = format!("… and {} more; --limit 0 lists all\n", rows.len() - content.limit);
            text += &paint("2", &more, stream);
        }
        text.push('\n');
    }
    text
}

/// Emphasis, if the terminal shows any.
fn paint(style: &str, text: &str, stream: Stream) -> String {
    match stream.is_coloured() {
        true if !style.is_empty() => format!("\x1b[{style}m{text}\x1b[0m"),
        _ => text.to_owned(),
    }
}

fn styled(content: &Content, row: &Row) -> StyledRow {
    let [before, after] = row.change.samples;
    let (key, info) = (&row.function.key, &row.function.info);
    let file = printable(&relative(&key.file, content.folder), 80);
    let unit = content.comparison.unit;
    let mut cells = vec![
        content.amount(row.change.before),
        content.amount(row.change.after),
        change(row.change),
        interval(row.change).unwrap_or_default(),
        p(row.change),
        format!("{} → {}", thousands(before), thousands(after)),
    ];
    if let Some(counted) = &row.function.calls {
        cells.extend([calls(counted), a_call(counted, row.change, unit).unwrap_or_default()]);
    }
    cells.extend([
        verdict(row.function, row.change, row.verdict, unit),
        row.which.to_owned(),
        printable(&info.name, 40),
        format!("{file}:{}:{}", info.start.line + 1, info.start.column + 1),
    ]);
    StyledRow { cells, style: style(row.verdict) }
}

/// The colour of a row: certain changes stand out, and everything else recedes.
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
fn ledger(content: &Content) -> Vec<StyledRow> {
    let [before, after] = &content.comparison.sides;
    let ledger = content.comparison.ledger.iter();
    let mut rows = vec![StyledRow::new(&["Where the time went", "Before", "After", "Difference"], "1")];
    rows.extend(ledger.map(|row| ledger_row(content, row_label(row.row), [row.before, row.after], "")));
    rows.push(ledger_row(content, "All".to_owned(), [before.total, after.total], "1"));
    rows
}

fn ledger_row(content: &Content, label: String, sides: [Amount; 2], style: &'static str) -> StyledRow {
    let amounts = content.amounts(sides[0], sides[1]);
    StyledRow { cells: std::iter::once(label).chain(amounts).collect(), style }
}

/// Aligns some columns at their decimal points.
fn point_by_point(rows: &mut [StyledRow], columns: Range<usize>) {
    for at in columns {
        let texts: Vec<String> = rows.iter().map(|row| row.cells[at].clone()).collect();
        rows.iter_mut().zip(column(&texts)).for_each(|(row, text)| row.cells[at] = text);
    }
}

/// How wide a column is.
fn width(rows: &[StyledRow], at: usize) -> usize {
    rows.iter().map(|row| row.cells[at].chars().count()).max().unwrap_or(0)
}

/// Makes a table of functions fit: first the numbers that say least go, then the ends of names and the beginnings of places. Returns
/// how many columns of numbers are left.
fn fit(rows: &mut [StyledRow], columns: usize) -> usize {
    let mut numbers = rows[0].cells.len() - WORDS.len();
    let dispensable = 3 + numbers - NUMBERS.len();
    for at in DISPENSABLE.into_iter().take(dispensable) {
        let last = rows[0].cells.len() - 1;
        let [name, place] = [last - 1, last].map(|at| width(rows, at));
        if width_before_names(rows) + name.min(LEAST_NAME) + place.min(LEAST_PLACE) <= columns {
            break;
        }
        rows.iter_mut().for_each(|row| drop(row.cells.remove(at)));
        numbers -= 1;
    }
    let room = columns.saturating_sub(width_before_names(rows));
    let place = rows[0].cells.len() - 1;
    let name = place - 1;
    let most = room.saturating_sub(width(rows, place).min(LEAST_PLACE)).max(LEAST_NAME);
    let name_room = most.min(width(rows, name));
    let place_room = room.saturating_sub(name_room).max(LEAST_PLACE);
    for row in rows {
        row.cells[name] = printable(&row.cells[name], name_room);
        row.cells[place] = printable(&row.cells[place], place_room);
    }
    numbers
}

/// The width of all columns except those of names and places, with the gap between these two.
fn width_before_names(rows: &[StyledRow]) -> usize {
    (0..rows[0].cells.len() - 2).map(|at| width(rows, at) + GAP).sum::<usize>() + GAP
}

/// Rows in columns that are as wide as they need to be; some are aligned at their ends.
fn aligned(rows: &[StyledRow], stream: Stream, is_at_end: impl Fn(usize) -> bool) -> String {
    // A cell is part of one line, whatever it contains.
    let mut rows = rows.to_vec();
    rows.iter_mut().flat_map(|row| &mut row.cells).for_each(|cell| *cell = plain(cell).into_owned());
    let mut text = String::new();
    let widths: Vec<usize> = (0..rows[0].cells.len()).map(|at| width(&rows, at)).collect();
    for row in &rows {
        let mut line = String::new();
        for (at, cell) in row.cells.iter().enumerate() {
            let space = " ".repeat(widths[at] - cell.chars().count());
            line += &" ".repeat(if at > 0 { GAP } else { 0 });
            line += &if is_at_end(at) { format!("{space}{cell}") } else { format!("{cell}{space}") };
        }
        text += &format!("{}\n", paint(row.style, line.trim_end(), stream));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_terminal_shows_what_says_most() {
        let head = ["Before", "After", "Change", "95 %", "p", "Samples", "", "", "Function", "Where"];
        let cells = [
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
        ];
        let rows = [head, cells].map(|cells| StyledRow::new(&cells, ""));
        let shown = |columns| {
            let mut rows = rows.clone();
            let numbers = fit(&mut rows, columns);
            aligned(&rows, Stream::Out, |at| at < numbers)
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
