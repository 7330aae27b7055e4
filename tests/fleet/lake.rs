//! A lake says what `report` says, however the sessions got into it.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;
use tests::{Folder, proflens};

use crate::fleet::{command, files, generate, good, release, symbolicate};

/// By file and line: name, and the numbers that were asked for.
type Functions<const N: usize> = Vec<(String, u64, String, [u64; N])>;

fn functions<const N: usize>(
    list: &Value,
    file: impl Fn(&Value) -> String,
    from: u64,
    numbers: [&str; N],
) -> Functions<N> {
    let number = |it: &Value, key: &str| it[key].as_u64().unwrap_or_else(|| panic!("{key} of {it}"));
    let function = |it: &Value| {
        let numbers = numbers.map(|key| number(it, key));
        (file(it), number(it, "line") - from, it["name"].as_str().unwrap_or_default().to_owned(), numbers)
    };
    let mut all: Functions<N> = list
        .as_array()
        .expect("functions")
        .iter()
        .filter(|it| it["file"] != Value::Null)
        .map(function)
        .collect();
    all.sort();
    all
}

fn file_of_slice(slice: &Value, function: &Value) -> String {
    let number = usize::try_from(function["file"].as_u64().expect("a number")).expect("a number");
    slice["files"][number]["path"].as_str().expect("a path").to_owned()
}

fn file_of_report(function: &Value) -> String {
    function["file"].as_str().unwrap_or_default().to_owned()
}

fn report(workspace: &str, traces: &str) -> Value {
    let mut report = Command::new(proflens());
    report.args(["report", "--format", "json", "--limit", "0", "--workspace", workspace, traces]);
    serde_json::from_slice(&report.output().expect("proflens starts").stdout).expect("a report")
}

#[test]
fn sums_are_those_of_report_to_the_nanosecond() {
    let folder = Folder::new();
    let shards = generate(&folder, "42", 60).display().to_string();
    symbolicate(&folder, "42", "lake");
    good(&folder, &["ingest", "--release", "42", "--out", "lake", &shards]);
    good(&folder, &["slice", "lake", "--out", "all.slice.json"]);
    let slice: Value = serde_json::from_str(&folder.read("all.slice.json")).expect("a slice");
    let report = report(&release("42").display().to_string(), &shards);

    let costs = ["selfNs", "totalNs", "sessions"];
    let of_slice = functions(&slice["functions"], |it| file_of_slice(&slice, it), 0, costs);
    let of_report = functions(&report["functions"], file_of_report, 1, costs);
    assert!(of_report.len() > 400, "{} functions", of_report.len());
    assert_eq!(of_slice, of_report);

    let ledger = &report["ledger"];
    assert_eq!(slice["totalNs"], ledger["totalNs"]);
    let no_stack = slice["offStack"]["noStack"][0].as_u64().unwrap_or_default();
    assert_eq!(no_stack, ledger["noStackNs"].as_u64().unwrap_or_default());
    let placed: u64 = of_slice.iter().map(|it| it.3[0]).sum();
    assert_eq!(Value::from(placed), ledger["placedNs"]);
}

#[test]
fn percentiles_are_those_of_the_sessions_one_by_one() {
    let folder = Folder::new();
    let shards = generate(&folder, "42", 8);
    symbolicate(&folder, "42", "lake");
    good(&folder, &["ingest", "--release", "42", "--out", "lake", &shards.display().to_string()]);
    good(&folder, &["slice", "lake", "--out", "all.slice.json"]);
    let slice: Value = serde_json::from_str(&folder.read("all.slice.json")).expect("a slice");

    // By file, line and name: the self and total times of the sessions.
    let mut times = BTreeMap::<(String, u64, String), [Vec<u64>; 2]>::new();
    let workspace = release("42").display().to_string();
    for line in lines(&shards.join("42-0000.ndjson").display().to_string()) {
        folder.write("one.json", &line);
        let report = report(&workspace, &folder.path().join("one.json").display().to_string());
        let costs = functions(&report["functions"], file_of_report, 1, ["selfNs", "totalNs"]);
        for (file, line, name, costs) in costs {
            let all = times.entry((file, line, name)).or_default();
            all.iter_mut().zip(costs).for_each(|(all, it)| all.push(it));
        }
    }
    assert!(times.values().any(|it| it[0].len() == 8) && times.values().any(|it| it[0].len() < 8));

    let mut compared = 0;
    for it in slice["functions"].as_array().expect("functions").iter().filter(|it| it["file"] != Value::Null)
    {
        let (line, name) = (it["line"].as_u64().expect("a line"), it["name"].as_str().expect("a name"));
        let key = (file_of_slice(&slice, it), line, name.to_owned());
        let of_function = times.get_mut(&key).unwrap_or_else(|| panic!("{key:?} ran in no session"));
        for (times, said) in of_function.iter_mut().zip(["selfPercentilesNs", "totalPercentilesNs"]) {
            times.sort_unstable();
            for (place, percent) in [50, 75, 95].into_iter().enumerate() {
                let expected = times[(times.len() * percent).div_ceil(100) - 1];
                let said = it[said][place].as_u64().expect("a time");
                // Half of a bucket, of which an octave has 32.
                assert!(said.abs_diff(expected) * 64 <= expected, "{key:?}: {said} for {expected}");
                compared += 1;
            }
        }
    }
    assert_eq!(compared, times.len() * 6);
}

#[test]
fn it_does_not_matter_how_sessions_came() {
    let folder = Folder::new();
    let shards = generate(&folder, "41", 60);
    let [first, second, third] =
        [0, 1, 2].map(|it| shards.join(format!("41-000{it}.ndjson")).display().to_string());
    let all = shards.display().to_string();
    symbolicate(&folder, "41", "maps-first");
    good(&folder, &["ingest", "--release", "41", "--out", "maps-first", &first, &second, &third]);
    let rows = |lake: &str| good(&folder, &["rows", "slice", lake]);
    let expected = rows("maps-first");
    assert!(expected.lines().count() > 1000);

    good(&folder, &["ingest", "--out", "maps-later", "--jobs", "2", &first, &second, &third]);
    symbolicate(&folder, "41", "maps-later");
    let bytes = |lake: &str| files(&folder.path().join(lake));
    assert!(bytes("maps-later") == bytes("maps-first"), "maps that come later make the same bytes");

    let before = bytes("maps-first");
    good(&folder, &["ingest", "--release", "41", "--out", "maps-first", &second, &third]);
    assert!(bytes("maps-first") == before, "a shard that is there already changes nothing");

    // The lines as single objects in a folder, one of them a link, and packed.
    for (number, line) in [&first, &second, &third].iter().flat_map(|it| lines(it)).enumerate() {
        folder.write(&format!("objects/{number:03}.json"), line);
    }
    let (object, linked) = (folder.path().join("objects/059.json"), folder.path().join("059.json"));
    std::fs::rename(&object, &linked).expect("a file moves");
    std::os::unix::fs::symlink(&linked, &object).expect("a link");
    symbolicate(&folder, "41", "objects-lake");
    good(&folder, &["ingest", "--out", "objects-lake", "objects"]);
    assert_eq!(rows("objects-lake"), expected, "objects are lines");

    good(&folder, &["compact", "maps-first"]);
    assert_eq!(rows("maps-first"), expected, "compacted");
    let few = bytes("maps-first").len();
    assert!(few < before.len(), "{few} files instead of {}", before.len());
    good(&folder, &["ingest", "--release", "41", "--out", "maps-first", &second]);
    assert_eq!(rows("maps-first"), expected, "a shard that was compacted comes again");
    good(&folder, &["ingest", "--release", "41", "--out", "maps-first", &all]);
    good(&folder, &["ingest", "--release", "41", "--out", "maps-first", "objects"]);
    assert_eq!(rows("maps-first"), expected, "other shards with the same sessions come");
    good(&folder, &["compact", "maps-first"]);
    assert_eq!(rows("maps-first"), expected, "and are compacted");
    symbolicate(&folder, "41", "maps-first");
    assert_eq!(rows("maps-first"), expected, "and placed again");
}

fn lines(file: &str) -> Vec<String> {
    std::fs::read_to_string(file).expect("a shard").lines().map(str::to_owned).collect()
}

#[test]
fn a_program_that_was_killed_leaves_nothing_that_counts() {
    let folder = Folder::new();
    let shard = generate(&folder, "41", 20).join("41-0000.ndjson");
    let text = std::fs::read(&shard).expect("a shard");
    for lake in ["killed", "whole"] {
        symbolicate(&folder, "41", lake);
    }
    let mut child = command(&folder, &["ingest", "--release", "41", "--out", "killed", "-"])
        .stdin(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(&text[..text.len() / 2]).expect("it reads");
    child.kill().expect("it is there");
    child.wait().expect("it ends");
    drop(stdin);
    assert!(!folder.path().join("killed/sessions").exists());

    let path = shard.display().to_string();
    for lake in ["killed", "whole"] {
        good(&folder, &["ingest", "--release", "41", "--out", lake, &path]);
        good(&folder, &["compact", lake]);
    }
    assert!(files(&folder.path().join("killed")) == files(&folder.path().join("whole")));
}

#[test]
fn a_slice_is_of_the_sessions_that_fulfil_the_condition() {
    let folder = Folder::new();
    let shards = generate(&folder, "41", 60).display().to_string();
    symbolicate(&folder, "41", "lake");
    good(&folder, &["ingest", "--out", "lake", &shards]);
    let rows = |condition: &str| -> Vec<[i64; 7]> {
        let csv = good(&folder, &["rows", "slice", "lake", "--where", condition]);
        let row = |line: &str| {
            let values: Vec<i64> = line.split(',').map(|it| it.parse().expect("an integer")).collect();
            values.try_into().expect("seven integers")
        };
        csv.lines().skip(1).map(row).collect()
    };
    // The sessions of one day and of the other are all of them, and so are phones and everything else.
    let sum = |a: &str, b: &str| {
        let mut sums = BTreeMap::<[i64; 3], [i64; 4]>::new();
        for [kind, id, bucket, values @ ..] in rows(a).into_iter().chain(rows(b)) {
            let sum = sums.entry([kind, id, bucket]).or_default();
            sum.iter_mut().zip(values).for_each(|(sum, it)| *sum += it);
        }
        sums.into_iter().map(|([a, b, c], [d, e, f, g])| [a, b, c, d, e, f, g]).collect::<Vec<_>>()
    };
    let all = rows("");
    assert_eq!(all[0][6], 60);
    assert_eq!(sum("date=2026-11-17", "date!=2026-11-17"), all);
    assert_eq!(sum("device=phone and release=41", "device!=phone"), all);
    assert_eq!(rows("release=4"), [[0; 7]; 0]);
}
