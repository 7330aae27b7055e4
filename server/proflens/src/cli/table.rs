//! The report as a table for people at a terminal.

use analysis::format::{self, Style, amount, count, known, percent, thousands};
use analysis::views::hottest;
use analysis::{DefinitionKey, Measured, TraceInfo, UnplacedReason, share};
use profile::Amount;

use super::content::Report;
use super::screen::{is_coloured, problem_line};
use super::{printable, relative};

/// At most this many threads of a trace are named.
const THREADS: usize = 5;

/// The table and, below it, where the rest of the time went.
pub(super) fn render(report: &Report) -> String {
    let paint = Paint { colour: is_coloured() };
    let rows = hottest(&report.recording.summary, report.by);
    let mut text = functions(report, &rows, &paint);
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
        text += &format!("{line}\n");
    }
    for problem in &report.recording.problems {
        text += &problem_line(problem);
    }
    text
}

/// Emphasis, where the terminal shows any.
struct Paint {
    colour: bool,
}

impl Paint {
    fn dim(&self, text: &str) -> String {
        self.with("\x1b[2m", text)
    }

    fn bold(&self, text: &str) -> String {
        self.with("\x1b[1m", text)
    }

    fn with(&self, style: &str, text: &str) -> String {
        if self.colour { format!("{style}{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// A head and a row for each of the hottest functions; nothing where there are none.
fn functions(report: &Report, rows: &[(&DefinitionKey, &Measured)], paint: &Paint) -> String {
    let recording = report.recording;
    let amount = |it, interval| known(it, recording.unit, Style::Text, interval);
    let part = |it| format!("{:>7}", percent(it, Style::Text));
    let rows = &rows[..rows.len().min(report.limit)];
    let Some(width) = rows.iter().map(|(_, it)| printable(&it.name, 40).chars().count()).max() else {
        return String::new();
    };
    let width = width.max("Function".len());
    let several_sessions = recording.sessions() > 1;
    let session_column = |text: &str| if several_sessions { format!("{text:>8}  ") } else { String::new() };
    let head = format!(
        "{:>8} {:>7}  {:>8} {:>7}  {:>8}  {}{:width$}  Where",
        "Self",
        "",
        "Total",
        "",
        "Samples",
        session_column("Sessions"),
        "Function"
    );
    let mut text = format!("{}\n", paint.bold(&head));
    for (key, it) in rows {
        let file = printable(relative(&key.file, report.folder), 80);
        let [self_share, total_share] = recording.summary.shares(it, report.whole);
        let [self_interval, total_interval] = recording.summary.intervals(it);
        text += &format!(
            "{:>8} {}  {:>8} {}  {:>8}  {}{:width$}  {}\n",
            amount(it.cost.self_time, self_interval),
            paint.dim(&part(self_share)),
            amount(it.cost.total_time, total_interval),
            paint.dim(&part(total_share)),
            thousands(it.cost.total_samples),
            session_column(&sessions(it)),
            printable(&it.name, 40),
            paint.dim(&format!("{file}:{}:{}", it.start.line + 1, it.start.column + 1)),
        );
    }
    text
}

/// In how many sessions a function ran; nothing where that is not known.
pub(super) fn sessions(it: &Measured) -> String {
    if it.sessions > 0 { thousands(it.sessions) } else { String::new() }
}

fn unplaced(report: &Report, paint: &Paint) -> String {
    let whole = report.recording.summary.ledger.base(report.whole);
    let (unit, summary) = (report.recording.unit, &report.recording.summary);
    let amount = |it, samples| known(it, unit, Style::Text, summary.interval_of(samples));
    let mut all: Vec<_> = report.recording.summary.unplaced.iter().collect();
    all.sort_by(|a, b| {
        (b.1.self_time, b.1.total_time).cmp(&(a.1.self_time, a.1.total_time)).then(a.0.cmp(b.0))
    });
    let mut text = format!("\n{}\n", paint.bold("Not placed"));
    for (it, cost) in all.iter().take(report.limit) {
        let name = if it.name.is_empty() { "(anonymous)" } else { &it.name };
        let place = it.resource.as_deref().unwrap_or("no script");
        text += &format!(
            "{:>8} {:>7}  {:>8} {:>7}  {:16} {}  {}\n",
            amount(cost.self_time, cost.self_samples),
            percent(share(cost.self_time, whole), Style::Text),
            amount(cost.total_time, cost.total_samples),
            percent(share(cost.total_time, whole), Style::Text),
            it.reason.name(),
            printable(name, 40),
            printable(place, 80),
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
    let active = ledger.base(false);
    let part = |nanos| percent(share(nanos, active), Style::Text);
    let functions = count(functions as u64, "function");
    let mut lines = vec![format!(
        "{} of {} {} lies on {functions}.",
        part(ledger.placed.time),
        amount(active, unit, Style::Text),
        format::whole(unit),
    )];
    let mut reasons: Vec<_> = ledger.unplaced.iter().filter(|(_, it)| it.spent.time > Amount(0)).collect();
    reasons.sort_by_key(|it| std::cmp::Reverse(it.1.spent.time));
    for (why, reason) in reasons {
        let examples = reason.top().iter().map(|it| printable(it, 60)).collect::<Vec<_>>().join(", ");
        let examples = if examples.is_empty() { examples } else { format!(": {examples}") };
        lines.push(format!("{} {}{examples}", part(reason.spent.time), reason_text(*why)));
    }
    let quiet = [("idle", ledger.idle), ("without a stack", ledger.no_stack)];
    let quiet: Vec<_> = quiet.iter().filter(|(_, it)| it.time > Amount(0)).collect();
    if !quiet.is_empty() {
        let quiet: Vec<_> = quiet
            .iter()
            .map(|(what, it)| {
                let interval = report.recording.summary.interval_of(it.samples);
                format!("{} {what}", known(it.time, unit, Style::Text, interval))
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
