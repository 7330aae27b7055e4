//! What the tests of this room draw: runs as a table of times, and a small program with what was measured of it.

use std::sync::Arc;

use analysis::anchor::Freshness;
use analysis::document::Document;
use analysis::files::{FilePath, Files};
use analysis::locate::{LocateSettings, UnplacedReason};
use analysis::recording::{Recording, TraceInfo};
use analysis::scope::Scope;
use analysis::summary::DefinitionKey;
use analysis::symbolicate::LoadSettings;
use profile::builder::ProfileBuilder;
use profile::model::{Amount, Position, Thread, Weight};
use profile::tally::Cost;
use source::text::{Encoding, LineCol, LineEnds, LineIndex};
use testkit::columns::FixtureTrace;
use testkit::fixture::Fixture;
use text_size::TextSize;

use crate::change::Change;
use crate::comparison::Comparison;
use crate::run::{FunctionInfo, Run, RunCost};
use crate::texts;
use crate::verdict::Settings;
use crate::work::{Per, Work};

const MILLISECOND: f64 = 1e6;

/// Runs before and after, of which a sample was taken each millisecond. A row is a function, or what else took time, with its
/// milliseconds in each run:
///
/// ```text
/// parse          | 10/30 11/31 | 20/40 21/41     self and total time
/// load (edited)  |     5     - |     5     5     both are the same; it did not run
/// old (gone)     |     5     5 |     -     -     it is not in today's text
/// ?native        |     1     1 |     1     1     time without a definition, and the reason
/// app.js hides   |     9     9 |     -     -     a resource that was not placed
/// ```
pub(crate) fn runs(table: &str) -> [Vec<Run>; 2] {
    let mut sides = [Vec::new(), Vec::new()];
    for row in table.lines().map(str::trim).filter(|row| !row.is_empty()) {
        let mut columns = row.split('|');
        let name = columns.next().unwrap_or_default().trim();
        for ((side, runs), cells) in ["before", "after"].into_iter().zip(&mut sides).zip(columns) {
            for (number, cell) in cells.split_whitespace().enumerate() {
                if number == runs.len() {
                    runs.push(empty_run(trace(&format!("{side}-{}", number + 1))));
                }
                if cell != "-" {
                    add(&mut runs[number], name, side, times(cell));
                }
            }
        }
    }
    sides
}

/// The comparison of the runs of a table.
pub(crate) fn compare(table: &str) -> Comparison {
    let [before, after] = runs(table);
    Comparison::of(&before, &after, Per::Run, Settings::default()).expect("both sides have something")
}

/// A line for each function, in their order: what is said of it, and of its self and its total time.
pub(crate) fn lines(comparison: &Comparison) -> String {
    let functions = comparison.functions.iter().map(|function| {
        let [own, total] = [&function.self_time, &function.total_time].map(change_line);
        format!("{}: {} | self {own} | total {total}\n", function.info.name, function.verdict.name())
    });
    functions.collect()
}

/// `regression: 10 → 20 ms, +80 % to +120 %, <0.001`.
pub(crate) fn change_line(change: &Change) -> String {
    let [before, after] = [change.before, change.after].map(milliseconds);
    let interval = texts::interval(change).unwrap_or_else(|| "-".to_owned());
    format!("{}: {before} → {after} ms, {interval}, {}", change.verdict.name(), texts::p(change))
}

pub(crate) fn milliseconds(amount: Amount) -> f64 {
    amount.0 as f64 / MILLISECOND
}

/// A trace of which only the name matters.
pub(crate) fn trace(name: &str) -> TraceInfo {
    TraceInfo {
        name: name.to_owned(),
        format: "drawn",
        checkout: None,
        samples: 0,
        duration: Amount(0),
        interval: None,
        threads: 1,
        in_scope: Vec::new(),
        sessions: 1,
        scope: None,
        cuts_callers: false,
        markers: Vec::new(),
        shown_threads: None,
        choice: Vec::new(),
        has_lines: false,
        counts_samples: false,
    }
}

/// The key of a function of a table.
pub(crate) fn key(name: &str) -> DefinitionKey {
    DefinitionKey { file: FilePath::new("/app.js"), path: name.into() }
}

fn empty_run(trace: TraceInfo) -> Run {
    Run { trace, ..Run::of(&Recording { traces: vec![self::trace("")], ..Recording::default() }, Work(1)) }
}

/// Self and total time of a cell.
fn times(cell: &str) -> [Amount; 2] {
    let (own, total) = cell.split_once('/').unwrap_or((cell, cell));
    [own, total].map(|time| {
        let time: f64 = time.parse().unwrap_or_else(|_| panic!("`{cell}` is no time"));
        Amount((time * MILLISECOND).round() as u64)
    })
}

fn add(run: &mut Run, row: &str, side: &str, times: [Amount; 2]) {
    let [own, total] = times.map(|time| Weight { time, samples: milliseconds(time).round() as u64 });
    run.trace.samples += own.samples;
    run.ledger.total += own;
    let reason = |name: &str| UnplacedReason::ALL.into_iter().find(|reason| reason.name() == name);
    if row == "?idle" {
        run.ledger.idle += own;
    } else if row == "?no-stack" {
        run.ledger.no_stack += own;
    } else if let Some(name) = row.strip_prefix('?') {
        let reason = reason(name).unwrap_or_else(|| panic!("`{name}` is no reason"));
        run.ledger.unplaced.entry(reason).or_default().spent += own;
    } else if let Some(resource) = row.strip_suffix(" hides") {
        run.ledger.unplaced.entry(UnplacedReason::NotInWorkspace).or_default().spent += own;
        run.hidden.insert(resource.into(), own.time);
    } else {
        let (name, note) = row.split_once(" (").unwrap_or((row, ""));
        run.ledger.placed += own;
        run.functions.insert(key(name), cost(name, note, side, [own, total]));
    }
}

fn cost(name: &str, note: &str, side: &str, times: [Weight; 2]) -> RunCost {
    let start = LineCol { line: 0, column: 0 };
    let info = FunctionInfo {
        name: name.into(),
        start,
        end: start,
        freshness: if note == "gone)" { Freshness::Gone } else { Freshness::Fresh },
        code: u64::from(note == "edited)" && side == "after"),
    };
    let [own, total] = times;
    let cost = Cost {
        self_time: own.time,
        total_time: total.time,
        self_samples: own.samples,
        total_samples: total.samples,
    };
    let sampling = times.map(|spent| (spent.samples > 0).then(|| 1.0 / spent.samples as f64));
    RunCost { info: info.into(), cost, squares: [0.0; 2], sampling }
}

/// What a fixture of one file and one trace becomes: the recording, and the file as it is now.
pub(crate) fn placed(fixture: &str) -> (Recording, Document) {
    let fixture = Fixture::parse(fixture);
    let [file] = &fixture.files[..] else { panic!("a fixture of one file") };
    let path = FilePath::new(&file.path);
    let files = DrawnFile { folders: [FilePath::new("/")], path: path.clone(), text: file.text.clone() };
    let locate = LocateSettings::default();
    let settings = LoadSettings { locate: &locate, maps: None, recorded: None };
    let [trace] = &fixture.traces[..] else { panic!("a fixture of one trace") };
    let profile = Arc::new(profile(trace, &file.text));
    let recording = analysis::recording::load(&trace.name, &profile, &Scope::default(), &files, &settings);
    let text = fixture.edits.last().map_or(&*file.text, |edit| &*edit.text);
    (recording, Document::new(path, 1, text))
}

/// A profile with a sample for each millisecond.
fn profile(trace: &FixtureTrace, text: &str) -> profile::model::Profile {
    let mut builder = ProfileBuilder::new("drawn");
    let mut all = Weight::default();
    for sample in &trace.samples {
        let spent = Weight { time: Amount(sample.ns), samples: sample.ns / MILLISECOND as u64 };
        all += spent;
        let mut stack = None;
        for frame in &sample.frames {
            let name = builder.string(&frame.name);
            let place = frame.place.as_ref().map(|place| {
                let offset = place.at.as_ref().map(|(_, offset)| TextSize::new(*offset as u32));
                (builder.resource(&place.resource), offset.map(|offset| position(text, offset)))
            });
            let function =
                builder.function(name, place.map(|place| place.0), place.and_then(|place| place.1));
            stack = Some(builder.stack(stack, function));
        }
        builder.add_on_stack(stack.expect("a column has functions"), spent);
    }
    builder.end_thread(Thread {
        samples: all.samples,
        duration: all.time,
        interval: Some(Amount(MILLISECOND as u64)),
        ..Thread::default()
    });
    builder.finish()
}

fn position(text: &str, offset: TextSize) -> Position {
    let lines = LineIndex::new(text, LineEnds::Engine);
    let LineCol { line, column } = lines.line_col(text, offset, Encoding::Utf16);
    Position { line, column: Some(column) }
}

/// A workspace of one file.
struct DrawnFile {
    folders: [FilePath; 1],
    path: FilePath,
    text: String,
}

impl Files for DrawnFile {
    fn folders(&self) -> &[FilePath] {
        &self.folders
    }

    fn list(&self) -> Arc<[FilePath]> {
        [self.path.clone()].into()
    }

    fn read(&self, file: &FilePath) -> Option<Arc<[u8]>> {
        (*file == self.path).then(|| self.text.as_bytes().into())
    }

    fn resolve(&self, file: &FilePath) -> Option<FilePath> {
        (*file == self.path).then(|| file.clone())
    }
}
