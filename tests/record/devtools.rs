//! What DevTools reads in a recording, by DevTools' own trace engine: the threads with their names, the texts, and the same times
//! as Proflens.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::{Value, json};
use tests::{Folder, root};

use crate::recorded::{record, recordings, report};
use crate::runners::packages;

/// Its loops are counted: by the clock, a busy machine may have no sample in them.
const MAIN: &str = "const { Worker } = require('worker_threads');
function half() {
  let sum = 0;
  for (let i = 0; i < 4e7; i++) sum += Math.sqrt(i % 1e4);
  return sum;
}
function whole() {
  let sum = 0;
  for (let i = 0; i < 8e7; i++) sum += Math.sqrt(i % 1e4);
  return sum + half();
}
new Worker('./worker.cjs').on('exit', whole);
";
/// Long enough for its text to be requested.
const WORKER: &str = "function inWorker() {
  let sum = 0;
  for (let i = 0; i < 16e7; i++) sum += Math.sqrt(i % 1e4);
  return sum;
}
inWorker();
";

#[test]
fn devtools_reads_the_threads_and_times_of_a_recording() {
    packages();
    let folder = Folder::new();
    folder.write("main.cjs", MAIN);
    folder.write("worker.cjs", WORKER);
    let output = record(folder.path(), &["--interval", "200us"], &["node", "main.cjs"]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let recording = &recordings(folder.path())[0];

    let engine = root().join("tests/record/npm/devtools.mjs");
    let output = Command::new("node").arg(engine).arg(recording).output().unwrap();
    let devtools: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let threads = devtools["threads"].as_array().unwrap();
    let name = |it: &Value| it["name"].as_str().unwrap().split(" (pid").next().unwrap().to_owned();
    assert_eq!(threads.iter().map(name).collect::<Vec<_>>(), ["main.cjs", "main.cjs, worker 2"]);
    assert_eq!(devtools["texts"], json!(["main.cjs", "worker.cjs"]), "those of the recorder are left out");

    let mut theirs = BTreeMap::new();
    for (place, us) in threads.iter().flat_map(|it| it["places"].as_object().unwrap()) {
        *theirs.entry(place.clone()).or_insert(0.0) += us.as_f64().unwrap() / 1e3;
    }
    let report = report(folder.path(), recording);
    // DevTools gives a lone sample outside of JavaScript to the function around it (fixMissingSamples in CPUProfileDataModel.ts).
    let unplaced = report["ledger"]["unplaced"].as_array().unwrap().iter();
    // On a busy machine there may be no sample for a while; DevTools adds that time to the previous one.
    let bridges = ["program", "gc", "unsampled"];
    let outside = unplaced.filter(|row| bridges.iter().any(|why| row["why"] == *why));
    let bridged = outside.map(|it| it["ns"].as_f64().unwrap()).sum::<f64>() / 1e6;
    let functions = report["functions"].as_array().unwrap().iter();
    let mut same = Vec::new();
    for function in functions.filter(|it| it["name"] != "(top level)") {
        let place = format!("{}:{}", function["file"].as_str().unwrap(), function["line"]);
        let ours = function["selfNs"].as_f64().unwrap() / 1e6;
        let theirs = theirs.get(&place).copied().unwrap_or_default();
        // And a sample that comes late on a busy machine may be on the other side of what both round.
        let late = 5.0 + 0.05 * ours;
        let more = -late..late + bridged;
        assert!(more.contains(&(theirs - ours)), "{place}: {ours} ms, in DevTools {theirs} ms");
        assert!(ours > 0.0, "{place}");
        same.push(place);
    }
    same.sort();
    assert_eq!(same, ["main.cjs:2", "main.cjs:7", "worker.cjs:1"]);
}
