//! The report as a table for people at a terminal.

use analysis::format::{Style, about, amount, column, count, percent, thousands};
use analysis::views::hottest;
use analysis::{Base, DefinitionKey, Measured, TraceInfo, UnplacedFunction, UnplacedReason, share};
use profile::{Amount, Interval};

use super::content::Report;
use super::screen::{Stream, problem_line};
use super::wrap::wrapped;
use super::{packages, printable, relative};

/// At most this many threads of a trace are named.
const THREADS: usize = 5;

/// The width of a column of counts, with what divides it from the next one.
const COUNT: usize = 10;

/// Of a place and of a name so much is shown, however narrow the terminal is.
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
    for line in ledger_lines(report, rows.len()) {
        text += &format!("{}\n", wrapped(&line, paint.columns));
    }
    for problem in &report.recording.problems {
        text += &problem_line(problem, paint.columns);
    }
    text
}

/// What the terminal shows: emphasis, and so many columns.
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

    /// How many columns of counts there is room for, behind columns of `before`: of samples, and of sessions where there are several.
    fn counts(&self, before: usize, several_sessions: bool) -> usize {
        let left = self.columns.saturating_sub(before + LEAST_NAME + 2 + LEAST_PLACE);
        (left / COUNT).min(1 + usize::from(several_sessions))
    }

    /// How wide a column of names and, behind it, one of places may be, after columns of `before`.
    fn room(&self, before: usize, names: &[String], places: &[String]) -> [usize; 2] {
        let widest = |texts: &[String]| texts.iter().map(|it| it.chars().count()).max().unwrap_or(0);
        let [names, places] = [widest(names), widest(places)];
        let left = self.columns.saturating_sub(before + 2);
        // Places can do without their beginnings better than names.
        let names_at_most = left.saturating_sub(places.min(LEAST_PLACE)).max(LEAST_NAME);
        let names = names.min(names_at_most);
        [names, places.min(left.saturating_sub(names).max(LEAST_PLACE))]
    }

    fn with(&self, style: &str, text: &str) -> String {
        if self.colour { format!("{style}{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// A head and a row for each of the hottest functions; nothing where there are none.
fn functions(report: &Report, rows: &[(&DefinitionKey, &Measured)], paint: &Paint) -> String {
    let recording = report.recording;
    let rows = &rows[..rows.len().min(report.limit)];
    if rows.is_empty() {
        return String::new();
    }
    let costs = Costs::of(
        rows.iter().map(|(_, it)| {
            let [self_interval, total_interval] = recording.summary.intervals(it);
            [(it.cost.self_time, self_interval), (it.cost.total_time, total_interval)]
        }),
        report,
    );
    let place = |(key, it): &(&DefinitionKey, &Measured)| {
        let file = printable(&relative(&key.file, report.folder), 80);
        format!("{file}:{}:{}", it.start.line + 1, it.start.column + 1)
    };
    let places: Vec<String> = rows.iter().map(place).collect();
    let heading = std::iter::once("Function".to_owned());
    let names: Vec<String> = heading.chain(rows.iter().map(|(_, it)| printable(&it.name, 40))).collect();
    let [own, all] = costs.heads();
    let times = format!("{own}  {all}  ");
    let counts = paint.counts(times.chars().count(), recording.sessions() > 1);
    let count_cells =
        |texts: [&str; 2]| -> String { texts.iter().take(counts).map(|it| format!("{it:>8}  ")).collect() };
    let before = times + &count_cells(["Samples", "Sessions"]);
    let [width, room] = paint.room(before.chars().count(), &names, &places);
    let mut text = format!("{}\n", paint.bold(&format!("{before}{:width$}  Where", "Function")));
    for (((_, it), [own, all]), place) in rows.iter().zip(costs.rows(paint)).zip(&places) {
        text += &format!(
            "{own}  {all}  {}{:width$}  {}\n",
            count_cells([&thousands(it.cost.total_samples), &sessions(it)]),
            printable(&it.name, width.min(40)),
            paint.dim(&printable(place, room)),
        );
    }
    text
}

/// The packages, and how to see what is in them.
fn of_packages(report: &Report, paint: &Paint) -> String {
    let most = report.limit.min(packages::LISTED);
    let all = &report.packages[..report.packages.len().min(most)];
    let rows = packages::rows(all, report.recording, report.base);
    let heading = std::iter::once("Package".to_owned());
    let names: Vec<String> = heading.chain(rows.iter().map(|it| it[2].clone())).collect();
    let places: Vec<String> = rows.iter().map(|it| it[3].clone()).collect();
    let [time, part] = [0, 1].map(|at| rows.first().map_or(0, |it| it[at].chars().count()));
    let [width, room] = paint.room(time + part + 3, &names, &places);
    // A server does not say where its packages lie.
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
    fn of(times: impl Iterator<Item = [(Amount, Option<Interval>); 2]>, report: &Report) -> Self {
        let whole = report.recording.summary.ledger.base(report.base);
        let mut columns: [Vec<String>; 4] = Default::default();
        for (side, (time, interval)) in times.flat_map(|it| it.into_iter().enumerate()) {
            columns[side * 2].push(about(time, report.recording.unit, interval));
            columns[side * 2 + 1].push(percent(share(time, whole), Style::Text));
        }
        Self { columns: columns.map(|texts| column(&texts)) }
    }

    /// What stands above them.
    fn heads(&self) -> [String; 2] {
        let width = |at: usize| self.columns[at].first().map_or(0, |it| it.chars().count());
        let head = |name, at| format!("{name:>time$} {:share$}", "", time = width(at), share = width(at + 1));
        [head("Self", 0), head("Total", 2)]
    }

    fn rows(&self, paint: &Paint) -> impl Iterator<Item = [String; 2]> {
        let cell = |row: usize, at: usize| {
            format!("{} {}", self.columns[at][row], paint.dim(&self.columns[at + 1][row]))
        };
        (0..self.columns[0].len()).map(move |row| [cell(row, 0), cell(row, 2)])
    }
}

/// In how many sessions a function ran; nothing where that is not known.
pub(super) fn sessions(it: &Measured) -> String {
    if it.sessions > 0 { thousands(it.sessions) } else { String::new() }
}

fn unplaced(report: &Report, paint: &Paint) -> String {
    let summary = &report.recording.summary;
    let mut all: Vec<_> = summary.unplaced.iter().collect();
    all.sort_by(|a, b| {
        (b.1.self_time, b.1.total_time).cmp(&(a.1.self_time, a.1.total_time)).then(a.0.cmp(b.0))
    });
    all.truncate(report.limit);
    let costs = Costs::of(
        all.iter().map(|(_, cost)| {
            let interval = |samples| summary.interval_of(samples);
            [(cost.self_time, interval(cost.self_samples)), (cost.total_time, interval(cost.total_samples))]
        }),
        report,
    );
    let name = |name: &str| printable(if name.is_empty() { "(anonymous)" } else { name }, 40);
    let names: Vec<String> = all.iter().map(|(it, _)| name(&it.name)).collect();
    let place = |it: &UnplacedFunction| match &it.made_by {
        Some(maker) => printable(&maker.words(), 80),
        None => printable(it.resource.as_deref().unwrap_or("no script"), 80),
    };
    let places: Vec<String> = all.iter().map(|(it, _)| place(it)).collect();
    let why = all.iter().map(|(it, _)| it.reason.name().len()).max().unwrap_or(0);
    let before: usize = costs.heads().iter().map(|it| it.chars().count() + 2).sum();
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

/// The rest of a sentence that begins with `18 %`, and the option that helps.
pub(super) fn reason_text(why: UnplacedReason) -> String {
    let help = if why == UnplacedReason::Dependency { " (--dependencies counts it)" } else { "" };
    format!("{}{help}", why.sentence())
}

/// Where all the time went, one sentence a line; the Markdown report uses them too.
pub(super) fn ledger_lines(report: &Report, functions: usize) -> Vec<String> {
    let (ledger, unit) = (&report.recording.summary.ledger, report.recording.unit);
    let whole = ledger.base(report.base);
    let part = |time| percent(share(time, whole), Style::Text);
    let functions = count(functions as u64, "function");
    let mut lines = vec![format!(
        "{} of {} {} lies on {functions}.",
        part(ledger.placed.time),
        amount(whole, unit, Style::Text),
        report.base.name(unit),
    )];
    let mut reasons: Vec<_> = ledger.unplaced.iter().filter(|(_, it)| it.spent.time > Amount(0)).collect();
    reasons.sort_by_key(|it| std::cmp::Reverse(it.1.spent.time));
    for (why, reason) in reasons {
        let inside = format!("{}/", report.folder);
        let examples =
            reason.top().into_iter().map(|it| printable(it.strip_prefix(&inside).unwrap_or(&it), 60));
        let examples: Vec<String> = examples.collect();
        let examples = examples.join(", ");
        let examples = if examples.is_empty() { examples } else { format!(": {examples}") };
        lines.push(format!("{} {}{examples}", part(reason.spent.time), reason_text(*why)));
    }
    let quiet = [("idle", ledger.idle), ("without a stack", ledger.no_stack)];
    let quiet: Vec<_> = quiet.iter().filter(|(_, it)| it.time > Amount(0)).collect();
    if report.base == Base::All {
        lines.extend(quiet.iter().map(|(what, it)| format!("{} is {what}", part(it.time))));
    } else if !quiet.is_empty() {
        let quiet: Vec<_> = quiet
            .iter()
            .map(|(what, it)| {
                let interval = report.recording.summary.interval_of(it.samples);
                format!("{} {what}", about(it.time, unit, interval))
            })
            .collect();
        lines.push(format!("Besides, {}.", quiet.join(" and ")));
    }
    lines.extend(report.recording.traces.iter().filter_map(threads_line));
    lines.extend(report.recording.traces.iter().filter_map(scope_line));
    lines
}

/// The part of a recording that was counted, where it is not all of it.
fn scope_line(trace: &TraceInfo) -> Option<String> {
    let (name, scope) = (printable(&trace.name, 80), printable(trace.scope.as_ref()?, 200));
    Some(format!("Of the time of {name} only this was counted: {scope}."))
}

/// The threads in the sum of a trace with several.
fn threads_line(trace: &TraceInfo) -> Option<String> {
    let name = printable(&trace.name, 80);
    let all = trace.threads;
    if trace.in_scope.is_empty() {
        let threads = count(all as u64, "thread");
        return (!trace.choice.is_empty())
            .then(|| format!("{name} is the sum of {threads}; --thread picks some."));
    }
    let added: Vec<_> = trace.in_scope.iter().take(THREADS).map(|it| printable(it, 80)).collect();
    let more = match trace.in_scope.len().saturating_sub(THREADS) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let threads = count(all as u64, "thread");
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
            [usize::MAX, 90, 89, 80, 79].map(|columns| Paint { colour: false, columns }.counts(40, true));
        assert_eq!(counts, [2, 2, 1, 1, 0], "counts can be done without");
    }
}
