//! `report` and `annotate` on the example that everybody gets, compared to the last byte.

use std::process::{Command, Output};

use expect_test::{ExpectFile, expect, expect_file};
use tests::{Folder, proflens, root};

fn run(arguments: &[&str]) -> Output {
    Command::new(proflens()).args(arguments).env("NO_COLOR", "1").current_dir(root()).output().unwrap()
}

fn check(arguments: &[&str], expected: ExpectFile) {
    let output = run(arguments);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
    expected.assert_eq(&String::from_utf8(output.stdout.clone()).unwrap());
    assert_eq!(run(arguments).stdout, output.stdout, "the same input gives the same bytes");
}

const CPUPROFILE: &str = "examples/primes/primes.cpuprofile";
const SELF_PROFILING: &str = "examples/primes/recordings/self-profiling.json";

#[test]
fn report_as_a_table() {
    check(&["report", CPUPROFILE, "--workspace", "examples/primes"], expect_file!["expected/report.txt"]);
}

#[test]
fn report_as_json() {
    let format = ["--format", "json", "--limit", "0", "--all"];
    let with = |trace| [&["report", trace, "--workspace", "examples/primes"][..], &format].concat();
    check(&with(CPUPROFILE), expect_file!["expected/report.json"]);
    check(&with(SELF_PROFILING), expect_file!["expected/report-self-profiling.json"]);
}

#[test]
fn report_as_markdown() {
    let arguments =
        ["report", CPUPROFILE, "--workspace", "examples/primes", "--format", "markdown", "--by", "total"];
    check(&arguments, expect_file!["expected/report.md"]);
}

#[test]
fn annotate() {
    let files = ["examples/primes/generate.js", "examples/primes/main.js"];
    let with = ["annotate", "--trace", CPUPROFILE, "--workspace", "examples/primes"];
    check(&[&with[..], &files].concat(), expect_file!["expected/annotate.txt"]);
}

#[test]
fn the_other_inputs_are_used_when_one_cannot_be() {
    let folder = Folder::copy_of("examples/primes");
    let trace = folder.path().join("primes.cpuprofile");
    let output = Command::new(proflens())
        .args(["report", "missing.cpuprofile", trace.to_str().unwrap(), "--format", "json"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    expect![[r#"
        missing.cpuprofile cannot be read: there is no such file. Check the path and its permissions.
    "#]]
    .assert_eq(&String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["traces"].as_array().unwrap().len(), 1);
    assert_ne!(report["ledger"]["placedNs"], 0);
}

#[test]
fn wrong_usage_is_status_2() {
    for arguments in [&["report"][..], &["report", CPUPROFILE, "--by", "size"], &["reprot"], &["annotate"]] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    }
}

#[test]
fn version_and_help() {
    let version = run(&["--version"]);
    let expected = format!("proflens {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(String::from_utf8(version.stdout).unwrap(), expected);
    expect_file!["expected/help.txt"].assert_eq(&String::from_utf8(run(&["--help"]).stdout).unwrap());
}

#[test]
fn a_reader_that_stops_early_is_no_error() {
    // `proflens report .. | head -1`: the pipe is gone before all is written.
    let mut child = Command::new(proflens())
        .args(["report", CPUPROFILE, "--workspace", "examples/primes", "--format", "json", "--limit", "0"])
        .current_dir(root())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}
