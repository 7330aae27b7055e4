//! Every recorded trace in `tests/traces` against the sources that it was recorded from: each function on its
//! definition, with its times, and the rest of the time with its reasons.

use std::fmt::Write;
use std::fs;
use std::process::Command;

use expect_test::expect_file;
use serde_json::Value;
use tests::{FORMATS, Folder, proflens, root};

/// The traces of a format, sorted, with the workspace that their names begin with.
fn traces(format: &str) -> Vec<(String, String)> {
    let folder = root().join("tests/traces").join(format);
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|it| it != "ORIGIN.md");
    names.sort();
    let workspace = |it: &str| {
        let name = it.split('-').next().unwrap();
        let folders = ["examples", "tests/workspaces"].map(|folder| format!("{folder}/{name}"));
        folders.into_iter().find(|folder| root().join(folder).is_dir()).unwrap()
    };
    names.into_iter().map(|it| (it.clone(), workspace(&it))).collect()
}

pub(crate) fn report(trace: &str, workspace: &str) -> Value {
    let output = Command::new(proflens())
        .args(["report", trace, "--workspace", workspace, "--format", "json", "--limit", "0", "--all"])
        .args(["--thread", "all"])
        .current_dir(root())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{trace}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The definitions in the order of the files, then the ledger.
fn shown(report: &Value) -> String {
    let text = |it: &Value| it.as_str().map_or_else(|| it.to_string(), str::to_owned);
    let place = |it: &Value| format!("{}:{}:{}", text(&it["resource"]), it["line"], it["column"]);
    let list = |it: &Value| it.as_array().unwrap().clone();
    let (ns, unit) = if report["unit"] == "bytes" { ("bytes", "Bytes") } else { ("ns", "Ns") };
    let amount = |it: &Value, name: &str| it[format!("{name}{unit}")].as_u64().unwrap();
    let mut functions = list(&report["functions"]);
    functions.sort_by_key(|it| (text(&it["file"]), it["line"].as_u64(), it["column"].as_u64()));
    let mut shown = String::new();
    for function in functions {
        let place_of_name =
            format!("{}:{}:{}", text(&function["file"]), function["line"], function["column"]);
        let times = format!(
            "{} {} {}",
            amount(&function, "self"),
            amount(&function, "total"),
            function["totalSamples"]
        );
        let measured: Vec<String> = list(&function["measuredAt"]).iter().map(place).collect();
        let confidence = text(&function["confidence"]);
        writeln!(
            shown,
            "{place_of_name} {} | {times} | {confidence} {}",
            text(&function["name"]),
            measured.join(", ")
        )
        .unwrap();
    }
    let ledger = &report["ledger"];
    let sum = |name: &str| amount(ledger, name);
    for name in ["total", "placed", "idle", "noStack"] {
        writeln!(shown, "{name}{unit} {}", sum(name)).unwrap();
    }
    let mut parts = sum("placed") + sum("idle") + sum("noStack");
    for part in list(&ledger["unplaced"]) {
        parts += part[ns].as_u64().unwrap();
        writeln!(shown, "{} {} {}", text(&part["why"]), part[ns], part["samples"]).unwrap();
    }
    assert_eq!(sum("total"), parts, "the ledger adds up");
    shown
}

#[test]
fn every_function_of_every_trace_is_on_its_definition() {
    let folder = Folder::new();
    for format in FORMATS {
        for (number, (trace, workspace)) in traces(format).into_iter().enumerate() {
            let file = format!("tests/traces/{format}/{trace}");
            let nameless = folder.write("trace", fs::read(root().join(&file)).unwrap());
            // A name says nothing about the format: the first trace of each is read under its own name as well.
            let names = [nameless.to_str().unwrap(), &file];
            let read_under = if number == 0 { 2 } else { 1 };
            for name in names.iter().take(read_under) {
                let report = report(name, &workspace);
                assert_eq!(report["traces"][0]["format"], format, "{file}");
                expect_file![format!("expected/traces/{trace}.txt")].assert_eq(&shown(&report));
            }
        }
    }
}

/// What `wrangler check startup` measured ran in a bundle that is gone; the one of a dry run is the same.
#[test]
fn a_worker_is_placed_in_the_bundle_of_a_dry_run() {
    let trace = "tests/traces/cpuprofile/worker-wrangler4.cpuprofile.gz";
    let output = Command::new(proflens())
        .args(["report", trace, "--workspace", "tests/workspaces/worker"])
        .args(["--map", "srv/app/worker/=tests/workspaces/worker/dist/"])
        .current_dir(root())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    expect_file!["expected/traces/worker.txt"].assert_eq(&String::from_utf8(output.stdout).unwrap());
}
