//! The report as a table for people at a terminal.

use analysis::format::{Style, amount, column, count, percent, thousands};
use analysis::locate::UnplacedReason;
use analysis::recording::{Recording, TraceInfo};
use analysis::summary::{Base, DefinitionKey, Measured, UnplacedFunction, share};
use analysis::views::hottest;
use profile::model::Amount;

use super::content::Report;
use super::screen::{Stream, problem_line};
use super::wrap::wrapped;
use super::{deopts, packages, printable, relative, rendering};
use crate::proto::ext;

/// The most threads of a trace that are named.
const THREADS: usize = 5;

/// The least width of a column of counts, and the gap to the next one.
const COUNT: usize = 8;
const GAP: usize = 2;

/// How much of a place and of a name is shown, however narrow the terminal is.
const LEAST_PLACE: usize = 16;
const LEAST_NAME: usize = 12;

/// The table and, below it, where the rest of the time went.
pub(super) fn render(report: &Report, to: Stream) -> String {
    let paint = Paint { colour: to.is_coloured(), columns: to.columns() };
    let rows = hottest(&report.recording.summary, report.by);
    let mut text = String::new();
    if packages::are_most(&report.packages, report.recording, report.base) {
        text = of_packages(report, &paint);
        if !rows.is_empty() {
            text.push('\n');
        }
    }
    text += &functions(report, &rows, &paint);
    if rows.len() > report.limit {
        text += &paint.dim(&format!("… and {} more; --limit 0 lists all\n", rows.len() - report.limit));
    }
    if report.all {
        text += &unplaced(report, &paint);
    }
    if !text.is_empty() {
        text.push('\n');
    }
    for lines in [rendering::lines(report), deopts::lines(report)] {
        for (number, line) in lines.iter().enumerate() {
            let bullet = if number > 0 { "- " } else { "" };
            text += &format!("{}\n", wrapped(&format!("{bullet}{line}"), paint.columns));
        }
        if !lines.is_empty() {
            text.push('\n');
        }
    }
    for line in ledger_lines(report, rows.len()) {
        text += &format!("{}\n", wrapped(&line, paint.columns));
    }
    for problem in &report.recording.problems {
        text += &problem_line(problem, paint.columns);
    }
    text
}

/// What the terminal shows: emphasis, and this many columns.
struct Paint {
    colour: bool,
    columns: usize,
}

impl Paint {
    fn dim(&self, text: &str) -> String {
        self.with("\x1b[2m", text)
    }

    fn bold(&self, text: &str) -> String {
        self.with("\x1b[1m", text)
    }

    /// How many of the columns of counts with these widths fit after `before` columns.
    fn counts(&self, before: usize, widths: &[usize]) -> usize {
        let mut left = self.columns.saturating_sub(before + LEAST_NAME + GAP + LEAST_PLACE);
        let fits = widths.iter().take_while(|&&width| {
            let fits = width + GAP <= left;
            left = left.saturating_sub(width + GAP);
            fits
        });
        fits.count()
    }

    /// How wide a column of names followed by one of places may be, after `before` columns.
    fn room(&self, before: usize, names: &[String], places: &[String]) -> [usize; 2] {
        let [name, place] =
            [names, places].map(|texts| texts.iter().map(|text| text.chars().count()).max().unwrap_or(0));
        let left = self.columns.saturating_sub(before + 2);
        // Places can do without their beginnings better than names.
        let name_room = name.min(left.saturating_sub(place.min(LEAST_PLACE)).max(LEAST_NAME));
        [name_room, place.min(left.saturating_sub(name_room).max(LEAST_PLACE))]
    }

    fn with(&self, style: &str, text: &str) -> String {
        if self.colour { format!("{style}{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// A head and a row for each of the hottest functions; nothing if there are none.
fn functions(report: &Report, rows: &[(&DefinitionKey, &Measured)], paint: &Paint) -> String {
    let recording = report.recording;
    let rows = &rows[..rows.len().min(report.limit)];
    if rows.is_empty() {
        return String::new();
    }
    let costs = Costs::of(rows.iter().map(|(_, measured)| report.amounts().costs(measured)));
    let places: Vec<String> = rows
        .iter()
        .map(|(key, measured)| {
            let file = printable(&relative(&key.file, report.folder), 80);
            format!("{file}:{}:{}", measured.start.line + 1, measured.start.column + 1)
        })
        .collect();
    let heading = std::iter::once("Function".to_owned());
    let names: Vec<String> =
        heading.chain(rows.iter().map(|(_, measured)| printable(&measured.name, 40))).collect();
    let [own, all] = costs.heads();
    let times = format!("{own}  {all}  ");
    let mut counts = count_columns(recording, rows);
    let widths: Vec<usize> = counts.iter().map(|column| column[0].chars().count()).collect();
    counts.truncate(paint.counts(times.chars().count(), &widths));
    let cells = |row: usize| counts.iter().map(|column| format!("{}  ", column[row])).collect::<String>();
    let before = times + &cells(0);
    let [width, room] = paint.room(before.chars().count(), &names, &places);
    let mut text = format!("{}\n", paint.bold(&format!("{before}{:width$}  Where", "Function")));
    for (row, ((_, measured), [own, all])) in (1..).zip(rows.iter().zip(costs.rows(paint))) {
        text += &format!(
            "{own}  {all}  {}{:width$}  {}\n",
            cells(row),
            printable(&measured.name, width.min(40)),
            paint.dim(&printable(&places[row - 1], room)),
        );
    }
    text
}

/// The columns of counts, the most important first, each with its head and of one width.
fn count_columns(recording: &Recording, rows: &[(&DefinitionKey, &Measured)]) -> Vec<Vec<String>> {
    let column = |head: &str, cell: &dyn Fn(&DefinitionKey, &Measured) -> String| {
        let cells = rows.iter().map(|(key, measured)| cell(key, measured));
        let cells: Vec<String> = std::iter::once(head.to_owned()).chain(cells).collect();
        let width = cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0).max(COUNT);
        cells.into_iter().map(|cell| format!("{cell:>width$}")).collect()
    };
    let mut columns = Vec::new();
    if recording.counts.is_some() {
        columns.push(column("Calls", &|key, _| calls(recording, key)));
    }
    columns.push(column("Samples", &|_, measured| thousands(measured.cost.total_samples)));
    if recording.sessions() > 1 {
        columns.push(column("Sessions", &|_, measured| sessions(measured)));
    }
    columns
}

/// How often a function was called in the counted run; empty if not known.
pub(super) fn calls(recording: &Recording, key: &DefinitionKey) -> String {
    recording.calls(key).map(thousands).unwrap_or_default()
}

/// The packages, and how to see what is in them.
fn of_packages(report: &Report, paint: &Paint) -> String {
    let most = report.limit.min(packages::LISTED);
    let all = &report.packages[..report.packages.len().min(most)];
    let rows = packages::rows(all, report.amounts());
    let heading = std::iter::once("Package".to_owned());
    let names: Vec<String> = heading.chain(rows.iter().map(|[_, _, name, _]| name.clone())).collect();
    let places: Vec<String> = rows.iter().map(|[.., place]| place.clone()).collect();
    let [time, part] = [0, 1].map(|at| rows.first().map_or(0, |row| row[at].chars().count()));
    let [width, room] = paint.room(time + part + 3, &names, &places);
    // A server does not tell where its packages are.
    let folder = if places.iter().all(String::is_empty) { "" } else { "Folder" };
    let head = format!("{:>time$} {:part$}  {:width$}  {folder}", "Self", "", "Package");
    let mut text = format!("{}\n", paint.bold(head.trim_end()));
    for [time, part, name, place] in &rows {
        let line = format!(
            "{time} {}  {:width$}  {}",
            paint.dim(part),
            printable(name, width),
            paint.dim(&printable(place, room))
        );
        text += &format!("{}\n", line.trim_end());
    }
    if report.packages.len() > all.len() {
        text += &paint.dim(&format!("… and {} more\n", report.packages.len() - all.len()));
    }
    for way in packages::ways_in(&report.packages, report.recording) {
        text += &format!("{way}\n");
    }
    text
}

/// The columns of self and total time, each with its shares.
struct Costs {
    /// Self times, their shares, total times and their shares, as wide as their column.
    columns: [Vec<String>; 4],
}

impl Costs {
    fn of(costs: impl Iterator<Item = [ext::Amount; 2]>) -> Self {
        let mut columns: [Vec<String>; 4] = Default::default();
        for cost in costs {
            let cells = cost.map(ext::Amount::cells).concat();
            columns.iter_mut().zip(cells).for_each(|(column, cell)| column.push(cell));
        }
        Self { columns: columns.map(|texts| column(&texts)) }
    }

    /// The headings of the columns.
    fn heads(&self) -> [String; 2] {
        let widths =
            self.columns.each_ref().map(|cells| cells.first().map_or(0, |cell| cell.chars().count()));
        [("Self", 0), ("Total", 2)].map(|(name, at)| {
            format!("{name:>time$} {:share$}", "", time = widths[at], share = widths[at + 1])
        })
    }

    fn rows(&self, paint: &Paint) -> impl Iterator<Item = [String; 2]> {
        (0..self.columns[0].len()).map(|row| {
            [0, 2].map(|at| format!("{} {}", self.columns[at][row], paint.dim(&self.columns[at + 1][row])))
        })
    }
}

/// In how many sessions a function ran; empty if not known.
pub(super) fn sessions(measured: &Measured) -> String {
    if measured.sessions > 0 { thousands(measured.sessions) } else { String::new() }
}

fn unplaced(report: &Report, paint: &Paint) -> String {
    let summary = &report.recording.summary;
    let mut all: Vec<_> = summary.unplaced.iter().collect();
    all.sort_by(|a, b| {
        (b.1.self_time, b.1.total_time).cmp(&(a.1.self_time, a.1.total_time)).then(a.0.cmp(b.0))
    });
    all.truncate(report.limit);
    let amounts = report.amounts();
    let costs =
        Costs::of(all.iter().map(|(_, cost)| [cost.own(), cost.all()].map(|spent| amounts.spent(spent))));
    let names: Vec<String> = all.iter().map(|(function, _)| unplaced_name(function)).collect();
    let places: Vec<String> = all.iter().map(|(function, _)| unplaced_place(function)).collect();
    let why = all.iter().map(|(function, _)| function.reason.name().len()).max().unwrap_or(0);
    let before: usize = costs.heads().iter().map(|head| head.chars().count() + 2).sum();
    let [width, room] = paint.room(before + why + 2, &names, &places);
    let mut text = format!("\n{}\n", paint.bold("Not placed"));
    for (at, [own, total]) in costs.rows(paint).enumerate() {
        let (name, place) = (printable(&names[at], width), printable(&places[at], room));
        text += &format!(
            "{own}  {total}  {:why$}  {name:width$}  {}\n",
            all[at].0.reason.name(),
            paint.dim(&place)
        );
    }
    text
}

fn unplaced_name(function: &UnplacedFunction) -> String {
    printable(if function.name.is_empty() { "(anonymous)" } else { &function.name }, 40)
}

fn unplaced_place(function: &UnplacedFunction) -> String {
    match &function.made_by {
        Some(maker) => printable(&maker.words(), 80),
        None => printable(function.resource.as_deref().unwrap_or("no script"), 80),
    }
}

/// The rest of a sentence that begins with `18 %`, and the option that helps.
pub(super) fn reason_text(why: UnplacedReason) -> String {
    let help = if why == UnplacedReason::Dependency { " (--dependencies counts it)" } else { "" };
    format!("{}{help}", why.sentence())
}

/// Where all the time went, one sentence a line; the Markdown report uses them too.
pub(super) fn ledger_lines(report: &Report, functions: usize) -> Vec<String> {
    let (ledger, unit) = (&report.recording.summary.ledger, report.recording.unit);
    let whole = ledger.base(report.base);
    let functions = count(functions as u64, "function");
    let mut lines = vec![format!(
        "{} of {} {} lies on {functions}.",
        part(ledger.placed.time, whole),
        amount(whole, unit, Style::Text),
        report.base.name(unit),
    )];
    let mut reasons: Vec<_> =
        ledger.unplaced.iter().filter(|(_, cause)| cause.spent.time > Amount(0)).collect();
    reasons.sort_by_key(|(_, cause)| std::cmp::Reverse(cause.spent.time));
    let inside = format!("{}/", report.folder);
    for (why, cause) in reasons {
        let examples: Vec<String> = cause
            .top()
            .iter()
            .map(|example| printable(example.strip_prefix(&inside).unwrap_or(example), 60))
            .collect();
        let colon = if examples.is_empty() { "" } else { ": " };
        let part = part(cause.spent.time, whole);
        lines.push(format!("{part} {}{colon}{}", reason_text(*why), examples.join(", ")));
    }
    let mut quiet = vec![("idle", ledger.idle), ("without a stack", ledger.no_stack)];
    quiet.retain(|(_, spent)| spent.time > Amount(0));
    if report.base == Base::All {
        lines.extend(quiet.iter().map(|(what, spent)| format!("{} is {what}", part(spent.time, whole))));
    } else if !quiet.is_empty() {
        let parts: Vec<_> = quiet
            .iter()
            .map(|(what, spent)| {
                let [time, _] = report.amounts().outside(*spent).cells();
                format!("{time} {what}")
            })
            .collect();
        lines.push(format!("Besides, {}.", parts.join(" and ")));
    }
    lines.extend(calls_line(report));
    lines.extend(report.recording.traces.iter().filter_map(threads_line));
    lines.extend(report.recording.traces.iter().filter_map(scope_line));
    lines
}

fn part(time: Amount, whole: Amount) -> String {
    percent(share(time, whole), Style::Text)
}

/// How similar the run in which calls were counted was, if they were counted.
fn calls_line(report: &Report) -> Option<String> {
    let (counts, summary) = (report.recording.counts.as_ref()?, &report.recording.summary);
    let [called, known] = counts.agreement(summary);
    let without = counts.without_samples(summary).len() as u64;
    let more = match without {
        0 => String::new(),
        1 => "; 1 more was called there and has no sample".to_owned(),
        _ => format!("; {} more were called there and have no sample", thousands(without)),
    };
    let functions = count(known as u64, "function");
    Some(format!("Calls were counted in another run: of {functions} with samples it called {called}{more}."))
}

/// The part of a recording that was counted, if that is not all of it.
fn scope_line(trace: &TraceInfo) -> Option<String> {
    let (name, scope) = (printable(&trace.name, 80), printable(trace.scope.as_ref()?, 200));
    Some(format!("Of the time of {name} only this was counted: {scope}."))
}

/// The threads in the sum of a trace that has several.
fn threads_line(trace: &TraceInfo) -> Option<String> {
    let (name, threads) = (printable(&trace.name, 80), count(trace.threads as u64, "thread"));
    if trace.in_scope.is_empty() {
        return (!trace.choice.is_empty())
            .then(|| format!("{name} is the sum of {threads}; --thread picks some."));
    }
    let added: Vec<_> = trace.in_scope.iter().take(THREADS).map(|thread| printable(thread, 80)).collect();
    let more = match trace.in_scope.len().saturating_sub(THREADS) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!(
        "Of {threads} of {name} only these were counted: {}{more}; --thread picks others, --thread all counts all.",
        added.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_places_share_what_is_left_of_a_line() {
        let texts = |lengths: [usize; 2]| lengths.map(|it| "x".repeat(it));
        let room =
            |columns, names, places| Paint { colour: false, columns }.room(40, &texts(names), &texts(places));
        assert_eq!(room(usize::MAX, [10, 30], [20, 90]), [30, 90], "a file has no end");
        assert_eq!(room(100, [10, 12], [20, 90]), [12, 46]);
        assert_eq!(room(100, [10, 12], [20, 30]), [12, 30]);
        assert_eq!(room(80, [10, 30], [20, 90]), [22, 16], "a place keeps its end");
        assert_eq!(room(80, [10, 30], [2, 9]), [29, 9], "or less, if it is shorter");
        assert_eq!(room(30, [10, 30], [20, 90]), [LEAST_NAME, LEAST_PLACE], "narrower than any table");
        let counts =
            [usize::MAX, 90, 89, 80, 79].map(|columns| Paint { colour: false, columns }.counts(40, &[8, 8]));
        assert_eq!(counts, [2, 2, 1, 1, 0], "counts can be done without");
        let counts = [96, 85].map(|columns| Paint { colour: false, columns }.counts(40, &[13, 8]));
        assert_eq!(counts, [2, 1], "of billions as well");
    }
}
