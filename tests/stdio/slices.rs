//! Slices of a thousand sessions in a shell: what is said about sessions, what is compared, and what is refused.

use std::process::{Command, Output};

use serde_json::Value;
use tests::{proflens, root};

const BEFORE: &str = "tests/traces/slice/orders-release-42.slice.gz";
const AFTER: &str = "tests/traces/slice/orders-release-43.slice.gz";

fn run(args: &[&str]) -> Output {
    let (command, others) = args.split_first().unwrap();
    Command::new(proflens())
        .arg(command)
        .args(["--workspace", "tests/workspaces/orders"])
        .args(others)
        .current_dir(root())
        .output()
        .unwrap()
}

fn json(args: &[&str]) -> Value {
    let (command, others) = args.split_at(1);
    let output = run(&[command, &["--format", "json"], others].concat());
    let said = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{said}"))
}

/// By name of function, what a report says about sessions.
fn sessions(report: &Value, name: &str) -> String {
    let all = report["functions"].as_array().unwrap();
    let it = all.iter().find(|it| it["name"] == name).unwrap();
    ["sessions", "selfPercentilesNs", "totalPercentilesNs"].map(|key| it[key].to_string()).join(" ")
}

#[test]
fn a_report_has_sessions_and_percentiles() {
    let whole = json(&["report", BEFORE]);
    assert_eq!(whole["traces"][0]["sessions"], 1000);
    assert_eq!(
        ["normal", "cheaperThan"].map(|name| sessions(&whole, name)),
        [
            "731 [40370176,110100480,381681664] [49807360,110100480,398458880]",
            "114 [0,0,0] [10092544,20185088,40370176]"
        ]
    );
    // For a sum with another trace, and for a part of the stacks, percentiles are not known.
    let sum = json(&["report", BEFORE, AFTER]);
    let focused = json(&["report", BEFORE, "--focus", "byName"]);
    assert_eq!(
        [sessions(&sum, "normal"), sessions(&focused, "normal")],
        ["1460 null null", "null null null"]
    );
}

#[test]
fn two_slices_are_compared_by_how_their_sessions_differ() {
    let answer = json(&["compare", BEFORE, "--", AFTER]);
    let functions = answer["functions"].as_array().unwrap();
    let judged: Vec<String> = functions
        .iter()
        .filter(|it| it["verdict"] == "regression" || it["verdict"] == "improvement")
        .map(|it| format!("{} {}", it["name"].as_str().unwrap(), it["verdict"].as_str().unwrap()))
        .collect();
    assert_eq!(
        judged,
        [
            "normal regression",
            "run regression",
            "(top level) regression",
            "byName regression",
            "constructor regression"
        ]
    );
}

#[test]
fn what_a_slice_does_not_have_is_refused_in_a_sentence() {
    let no_axis = format!(
        "{BEFORE} (slice) does not say when its samples were taken. A .cpuprofile with samples, a performance trace of Chrome or a \
         Firefox profile does.\n"
    );
    let no_thread = format!("{BEFORE} has no thread \"2\". Name one of these, or its number: 1 thread 1.\n");
    for (flags, said) in [
        (&["--between", "1s", "2s"][..], &no_axis),
        (&["--marker", "checkout"], &no_axis),
        (&["--thread", "2"], &no_thread),
    ] {
        let output = run(&[&["report", BEFORE], flags].concat());
        assert_eq!(String::from_utf8_lossy(&output.stderr), *said, "{flags:?}");
        assert!(!output.status.success(), "{flags:?}");
    }
}
