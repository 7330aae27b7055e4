//! TypeScript that runners transform in memory: one program under each of them, and where each function of the trace belongs
//! according to the runner's own source map (`tests/workspaces/runners/truth`).

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

use expect_test::expect_file;
use serde_json::Value;
use tests::root;

use crate::traces::report;

/// Where a definition starts: file, line and column.
type Start = (String, u64, u64);

/// What a function of a trace is.
enum Truth {
    Definition(Start),
    /// The runner made it, or it is the code of a file outside functions.
    NoDefinition,
    /// The runner's source map cannot tell.
    Unknown,
}

/// By place in the trace, which counts from 1.
fn truth(runner: &str) -> BTreeMap<Start, Truth> {
    let path = root().join(format!("tests/workspaces/runners/truth/{runner}.txt"));
    let text = fs::read_to_string(path).unwrap();
    let start = |text: &str| -> Option<Start> {
        let mut parts = text.split([':', ' ']);
        Some((parts.next()?.to_owned(), parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
    };
    let line = |line: &str| {
        let (seen, what) = line.split_once(" = ").unwrap();
        let truth = match what.split(' ').next() {
            Some("-" | "script") => Truth::NoDefinition,
            Some("?") => Truth::Unknown,
            _ => Truth::Definition(start(what).unwrap()),
        };
        Some((start(seen)?, truth))
    };
    text.lines().filter_map(line).collect()
}

/// The name of the file, line and column of a place in a report.
fn start(it: &Value, file: &str) -> Start {
    let path = it[file].as_str().unwrap_or_default();
    let name = path.rsplit('/').next().unwrap().split('?').next().unwrap();
    (name.to_owned(), it["line"].as_u64().unwrap_or(0), it["column"].as_u64().unwrap_or(0))
}

/// How much of a report is right, and what is wrong in it.
pub(crate) fn judge(runner: &str, report: &Value) -> (String, Vec<String>) {
    let truth = truth(runner);
    let (mut right, mut missing, mut right_ns, mut missing_ns) = (0, 0, 0, 0);
    let mut wrong = Vec::new();
    for function in report["functions"].as_array().unwrap() {
        let found = start(function, "file");
        for seen in function["measuredAt"].as_array().unwrap().iter().map(|it| start(it, "resource")) {
            match truth.get(&seen) {
                Some(Truth::Definition(it)) if *it == found => right += 1,
                Some(Truth::Unknown) => {}
                Some(Truth::NoDefinition) if (found.1, found.2) == (1, 1) => {}
                _ => wrong.push(format!("{runner}: {seen:?} on {found:?}")),
            }
        }
        right_ns += function["selfNs"].as_u64().unwrap();
    }
    for function in report["unplacedFunctions"].as_array().unwrap() {
        if let Some(Truth::Definition(_)) = truth.get(&start(function, "resource")) {
            missing += 1;
            missing_ns += function["selfNs"].as_u64().unwrap();
        }
    }
    let share = 1000 * right_ns / (right_ns + missing_ns).max(1);
    let percent = format!("{}.{}", share / 10, share % 10);
    (format!("{right} right, {missing} unplaced, {percent} % of the time placed"), wrong)
}

#[test]
fn functions_of_transformed_typescript_are_on_their_definitions_or_on_none() {
    let folder = root().join("tests/workspaces/runners/truth");
    let mut runners: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|it| it.unwrap().file_name().into_string().unwrap().trim_end_matches(".txt").to_owned())
        .collect();
    runners.sort();
    let (mut shown, mut wrong) = (String::new(), Vec::new());
    for runner in runners {
        let trace = format!("tests/traces/cpuprofile/runners-{runner}.cpuprofile.gz");
        let judged = judge(&runner, &report(&trace, "tests/workspaces/runners"));
        writeln!(shown, "{runner}: {}", judged.0).unwrap();
        wrong.extend(judged.1);
    }
    assert_eq!(wrong, [""; 0]);
    expect_file!["expected/runners.txt"].assert_eq(&shown);
}
