//! Runs checks: first those that build what the others run; then the others, side by side in lanes, because most of them wait
//! for programs and editors half of the time. Failures are repeated at the end.

use std::path::Path;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::count::Count;

/// What a check does.
pub(crate) type CheckRun = Box<dyn Fn(&Path) -> Result<Count> + Send>;

/// A check that is to be run.
pub(crate) struct Planned {
    pub(crate) name: &'static str,
    pub(crate) lane: Lane,
    pub(crate) run: CheckRun,
}

/// What a check runs beside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    /// Nothing: it takes all cores, and the others need what it builds.
    First,
    /// The checks that compute.
    Computes,
    /// The checks that record programs.
    Records,
    /// The checks that wait for an editor or a browser.
    Editors,
    /// The checks that wait for windows of VS Code.
    Windows,
}

impl Lane {
    /// Those that run side by side.
    const BESIDE: [Lane; 4] = [Lane::Computes, Lane::Records, Lane::Editors, Lane::Windows];
}

/// How a check went.
struct Row {
    name: &'static str,
    count: Count,
    time: Duration,
}

/// Runs checks, each to its end and those of a lane in order, and reports the results.
pub(crate) fn run_plan(root: &Path, mut plan: Vec<Planned>) -> ExitCode {
    let start = Instant::now();
    let mut take = |lane: Lane| plan.extract_if(.., |planned| planned.lane == lane).collect::<Vec<_>>();
    let mut rows = run_lane(root, take(Lane::First));
    let lanes = Lane::BESIDE.map(take);
    thread::scope(|scope| {
        let running = lanes.map(|lane| scope.spawn(|| run_lane(root, lane)));
        // A lane catches panics of its checks; anything else is a bug of ours, and ends this as well.
        let ended = running.map(|lane| lane.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        rows.extend(ended.into_iter().flatten());
    });
    report(&rows, start.elapsed())
}

fn run_lane(root: &Path, plan: Vec<Planned>) -> Vec<Row> {
    let run = |planned: Planned| {
        eprintln!("\n== {}", planned.name);
        let start = Instant::now();
        let count = (planned.run)(root).unwrap_or_else(|error| {
            eprintln!("error: {}: {error:#}", planned.name);
            Count::failed(&format!("{error:#}"))
        });
        Row { name: planned.name, count, time: start.elapsed() }
    };
    plan.into_iter().map(run).collect()
}

/// Prints the results of the checks, failures before the numbers.
fn report(rows: &[Row], time: Duration) -> ExitCode {
    for row in rows {
        for failure in row.count.failures() {
            println!("\n{} failed:\n{failure}", row.name);
        }
    }
    println!();
    for Row { name, count, time } in rows {
        let (passed, failed) = (count.number_passed(), count.number_failed());
        println!("{name:<10} {passed:>5} passed {failed:>4} failed {:>6.1} s", time.as_secs_f64());
    }
    let passed: usize = rows.iter().map(|row| row.count.number_passed()).sum();
    let failed: usize = rows.iter().map(|row| row.count.number_failed()).sum();
    println!("\n{passed} passed, {failed} failed in {:.0} s", time.as_secs_f64());
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
