//! `proflens compare`: what it prints, that nothing is lost in it, and what it says about sides that cannot be compared.

use std::path::Path;
use std::process::Command;

use expect_test::{ExpectFile, expect_file};
use serde_json::{Value, json};
use tests::{FORMATS, Folder, proflens, root};

/// The program of the drawings: `main` calls the others.
const PROGRAM: &str = "\
function parse() {}
function render() {}
function save() {}
function main() { parse(); render(); save(); }
";

/// Ten runs of one function that differ as runs do, in percent.
const NOISE: [i64; 10] = [0, 3, -2, 1, 4, -3, 0, 2, -1, -4];

/// A `.cpuprofile` of the program: milliseconds by stack, `main>parse` for parse as it was called by main.
fn profile(folder: &Folder, file: &str, script: &str, stacks: &[(&str, i64)]) {
    let url = format!("file://{}/{script}", folder.path().display());
    let frame = |name: &str| {
        let line = PROGRAM.lines().position(|it| it.starts_with(&format!("function {name}("))).unwrap();
        let column = "function ".len() + name.len();
        json!({ "functionName": name, "scriptId": "1", "url": url, "lineNumber": line, "columnNumber": column })
    };
    let root =
        json!({ "functionName": "(root)", "scriptId": "0", "url": "", "lineNumber": -1, "columnNumber": -1 });
    let mut nodes = vec![json!({ "id": 1, "callFrame": root, "children": [] })];
    let (mut samples, mut deltas) = (Vec::new(), Vec::new());
    for (stack, millis) in stacks {
        let mut parent = 0;
        for name in stack.split('>') {
            let id = nodes.len() + 1;
            nodes[parent]["children"].as_array_mut().unwrap().push(json!(id));
            let frame = if name.starts_with('(') {
                json!({ "functionName": name, "scriptId": "0", "url": "", "lineNumber": -1, "columnNumber": -1 })
            } else {
                frame(name)
            };
            nodes.push(json!({ "id": id, "callFrame": frame, "children": [] }));
            parent = id - 1;
        }
        samples.extend(std::iter::repeat_n(parent + 1, usize::try_from(*millis).unwrap()));
        deltas.extend(std::iter::repeat_n(1000, usize::try_from(*millis).unwrap()));
    }
    let end = deltas.iter().sum::<i64>();
    deltas[0] = 0; // the first sample is taken at once, and the last one lasts until the end
    let profile =
        json!({ "nodes": nodes, "startTime": 0, "endTime": end, "samples": samples, "timeDeltas": deltas });
    folder.write(file, profile.to_string());
}

/// Ten runs with these times of parse, render, save and garbage collection; the noise of each function is at another run.
fn runs(folder: &Folder, side: &str, times: [i64; 4], number: usize) {
    for run in 0..number {
        let noisy = |which: usize| times[which] + times[which] * NOISE[(run * 3 + which * 7) % 10] / 100;
        let [parse, render, save, gc] = [0, 1, 2, 3].map(noisy);
        let stacks = [
            ("main>parse", parse),
            ("main>render", render),
            ("main>save", save),
            ("main", times.iter().sum::<i64>() / 25),
            ("(garbage collector)", gc),
        ];
        profile(folder, &format!("{side}/{run:02}.cpuprofile"), "app.js", &stacks);
    }
}

/// Exit status, stdout and stderr, without the folder's name.
fn said(folder: &Folder, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(proflens())
        .arg("compare")
        .args(arguments)
        .env("NO_COLOR", "1")
        .current_dir(folder.path())
        .output()
        .unwrap();
    let here = format!("{}/", folder.path().display());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&here, "");
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

fn check(folder: &Folder, arguments: &[&str], expected: ExpectFile) {
    let (status, out, errors) = said(folder, arguments);
    expected.assert_eq(&format!("{out}{errors}exit status {status}\n"));
}

fn answer(folder: &Folder, arguments: &[&str]) -> Value {
    let (_, out, errors) = said(folder, &[arguments, &["--format", "json"]].concat());
    serde_json::from_str(&out).unwrap_or_else(|_| panic!("{errors}"))
}

/// The verdict, by name, of each function that both sides have or that is new.
fn verdicts(answer: &Value) -> Vec<String> {
    let functions = answer["functions"].as_array().unwrap();
    functions
        .iter()
        .map(|it| format!("{} {}", it["name"].as_str().unwrap(), it["verdict"].as_str().unwrap()))
        .collect()
}

fn program() -> Folder {
    let folder = Folder::new();
    folder.write("app.js", PROGRAM);
    folder
}

#[test]
fn what_got_slower_is_told_from_noise() {
    let folder = program();
    runs(&folder, "before", [100, 300, 60, 40], 10);
    runs(&folder, "after", [125, 302, 59, 41], 10);
    let sides = ["--before", "before", "--after", "after", "--fail-on-regression", "10%"];
    check(&folder, &sides, expect_file!["expected/compare.txt"]);
    let format = ["--format", "markdown", "--link-base", "https://example.org/shop/blob/main/"];
    check(&folder, &[&sides[..], &format].concat(), expect_file!["expected/compare.md"]);
    check(
        &folder,
        &[&sides[..], &["--format", "json", "--limit", "1"]].concat(),
        expect_file!["expected/compare.json"],
    );
}

/// The runs of a side as `proflens record --repeat` keeps them, each with a head that says when it was made.
fn recorded(folder: &Folder, name: &str, hour: u64, times: [i64; 4]) {
    runs(folder, name, times, 3);
    let kept = folder.path().join(".proflens/recordings").join(name);
    std::fs::create_dir_all(&kept).unwrap();
    for run in 0..3 {
        let file = format!("{run:02}.cpuprofile");
        let profile = std::fs::read_to_string(folder.path().join(name).join(&file)).unwrap();
        let head = format!(r#"{{"proflens":{{"time":{},"name":"main.js"}},"#, (hour * 3600 + run) * 1000);
        std::fs::write(kept.join(file), profile.replacen('{', &head, 1)).unwrap();
    }
}

#[test]
fn the_newest_recording_is_compared_with_the_one_before_it() {
    let folder = program();
    let (_, out, errors) = said(&folder, &[]);
    let none = "There is no recording of proflens record here yet. Record one before the change and one after it, or name before and after.\n";
    assert_eq!((&*out, &*errors), ("", none));
    recorded(&folder, "1-main.js", 1, [100, 300, 60, 40]);
    recorded(&folder, "2-main.js", 2, [100, 300, 60, 40]);
    recorded(&folder, "3-main.js", 3, [250, 302, 59, 41]);
    let [second, third] = ["2-main.js", "3-main.js"].map(|name| format!(".proflens/recordings/{name}"));
    let note = format!("Note: Compares {second}, before, with {third}, after.\n");
    let (_, named, _) = said(&folder, &["--before", &second, "--after", &third]);
    assert!(named.contains("Active time: 525 ms before, 683 ms after"), "{named}");
    for arguments in [&[][..], &["--after", &third], &["--before", &second]] {
        let (status, out, errors) = said(&folder, arguments);
        assert_eq!((status, &out, &errors), (0, &named, &note), "{arguments:?}");
    }
}

#[test]
fn one_run_a_side_is_never_certain() {
    let folder = program();
    profile(&folder, "a.cpuprofile", "app.js", &[("main>parse", 1000), ("main>render", 3000)]);
    profile(&folder, "b.cpuprofile", "app.js", &[("main>parse", 2500), ("main>render", 3100)]);
    check(
        &folder,
        &["a.cpuprofile", "--fail-on-regression", "10%", "--", "b.cpuprofile"],
        expect_file!["expected/compare-one-run.txt"],
    );
    runs(&folder, "many", [1000, 3000, 60, 40], 10);
    let answer = answer(&folder, &["--before", "many", "--after", "b.cpuprofile"]);
    assert_eq!(answer["method"], "one-against-many");
    assert_eq!(verdicts(&answer)[0], "parse possible-regression");
}

#[test]
fn time_that_moved_into_what_a_function_calls_is_no_change_of_it() {
    let folder = program();
    let run = |side: &str, at: usize, own: i64, called: i64| {
        let file = format!("{side}/{at}.cpuprofile");
        let noise = NOISE[(at * 7) % 10] + NOISE[at];
        profile(
            &folder,
            &file,
            "app.js",
            &[("main>parse", own + noise), ("main>parse>save", called), ("main>render", 500)],
        );
    };
    (0..10).for_each(|at| run("before", at, 400, 100));
    (0..10).for_each(|at| run("after", at, 300, 200));
    let answer = answer(&folder, &["--before", "before", "--after", "after"]);
    assert_eq!(verdicts(&answer), ["save regression", "parse shifted", "main unchanged", "render unchanged"]);
}

#[test]
fn functions_that_came_and_went_are_listed_as_such() {
    let folder = program();
    for (at, noise) in NOISE.into_iter().take(5).enumerate() {
        profile(
            &folder,
            &format!("before/{at}.cpuprofile"),
            "app.js",
            &[("main>parse", 400 + noise), ("main>save", 300 - noise)],
        );
        profile(
            &folder,
            &format!("after/{at}.cpuprofile"),
            "app.js",
            &[("main>parse", 400 - noise), ("main>render", 300 + noise)],
        );
    }
    let answer = answer(&folder, &["--before", "before", "--after", "after"]);
    assert_eq!(verdicts(&answer), ["render new", "save gone", "parse unchanged", "main unchanged"]);
}

#[test]
fn what_only_one_side_could_place_is_no_change() {
    let folder = program();
    let stacks = [("main>parse", 400), ("main>render", 300)];
    for at in 0..3 {
        profile(&folder, &format!("after/{at}.cpuprofile"), "app.js", &stacks);
        profile(&folder, &format!("before/{at}.cpuprofile"), "gone/bundle.js", &stacks);
    }
    // Something on that side is placed: otherwise it would belong to another workspace.
    profile(&folder, "before/3.cpuprofile", "app.js", &[("main>save", 20)]);
    let answer = answer(&folder, &["--before", "before", "--after", "after"]);
    let unclear: Vec<_> = verdicts(&answer).into_iter().filter(|it| it.ends_with("not-comparable")).collect();
    assert_eq!(unclear, ["parse not-comparable", "render not-comparable"]);
    let problem = &answer["problems"].as_array().unwrap().last().unwrap();
    assert_eq!(
        problem["what"],
        "2 functions could be placed after only, and before there is time that was not placed: they are no change"
    );
    assert_eq!(problem["where"], "file://gone/bundle.js");
    // Two sides of one build both have that time, more or less of it, and what ran on one side only was not seen on the other.
    profile(&folder, "after/3.cpuprofile", "gone/bundle.js", &[("main>parse", 20)]);
    let answer = self::answer(&folder, &["--before", "before", "--after", "after"]);
    assert_eq!(verdicts(&answer), ["parse new", "render new", "save gone", "main unsure"]);
}

#[test]
fn times_are_compared_by_the_work_that_was_done() {
    let folder = program();
    runs(&folder, "before", [100, 300, 60, 40], 10);
    runs(&folder, "after", [200, 600, 120, 80], 10); // twice the work, or a machine of half the speed
    let rows = [
        ("run", ["parse regression", "render regression", "save regression", "main regression"].as_slice()),
        ("active", &["parse unchanged", "render unchanged", "save unchanged", "main unchanged"]),
        ("function:render", &["parse unchanged", "render unchanged", "save unchanged", "main unchanged"]),
        (
            "function:app.js:render",
            &["parse unchanged", "render unchanged", "save unchanged", "main unchanged"],
        ),
    ];
    for (per, expected) in rows {
        let answer = answer(&folder, &["--before", "before", "--after", "after", "--per", per]);
        let mut verdicts = verdicts(&answer);
        verdicts.sort_by_key(|it| {
            ["parse", "render", "save", "main"].iter().position(|name| it.starts_with(name))
        });
        assert_eq!((per, verdicts.iter().map(String::as_str).collect::<Vec<_>>()), (per, expected.to_vec()));
    }
}

/// All amounts of one side or of the difference: self times, and the ledger without what is placed; and what they should add up to.
fn sum(answer: &Value, side: &str) -> (i64, i64) {
    let amount = |it: &Value| it[side].as_i64().unwrap();
    let functions = answer["functions"].as_array().unwrap().iter().map(|it| amount(&it["self"]));
    let ledger = &answer["ledger"];
    let unplaced = ledger["unplaced"].as_array().unwrap().iter().map(amount);
    (
        functions.chain(unplaced).sum::<i64>() + amount(&ledger["idle"]) + amount(&ledger["noStack"]),
        amount(&ledger["total"]),
    )
}

#[test]
fn differences_add_up_exactly_in_every_recorded_trace() {
    let workspace = root().join("tests/workspaces");
    let mut compared = 0;
    for format in FORMATS {
        let traces = std::fs::read_dir(root().join("tests/traces").join(format)).unwrap();
        let mut traces: Vec<_> = traces
            .map(|it| it.unwrap().path())
            .filter(|it| it.extension().is_some_and(|it| it != "md"))
            .collect();
        traces.sort();
        // Each is in one pair, or in two if their number is odd.
        let Some(last) = traces.len().checked_sub(2) else { continue };
        for at in (0..=last).step_by(2).chain((last % 2 == 1).then_some(last)) {
            let pair = &traces[at..at + 2];
            for per in if at == 0 { &["run", "active"][..] } else { &["run"] } {
                let output = Command::new(proflens())
                    .args(["compare", "--format", "json", "--per", per, "--dependencies", "--workspace"])
                    .args([&workspace, &pair[0], Path::new("--"), &pair[1]])
                    .current_dir(root())
                    .output()
                    .unwrap();
                // Some have nothing in this workspace, and say so.
                let Ok(answer) = serde_json::from_slice::<Value>(&output.stdout) else { continue };
                compared += 1;
                for side in ["beforeNs", "afterNs", "differenceNs"] {
                    let (sum, total) = sum(&answer, side);
                    assert_eq!(sum, total, "{side} of {pair:?} per {per}");
                }
            }
        }
    }
    assert!(compared >= 20, "{compared} pairs were compared");
}

#[test]
fn sides_that_cannot_be_compared_say_why() {
    let folder = program();
    profile(&folder, "a.cpuprofile", "app.js", &[("main>parse", 100)]);
    profile(&folder, "b.cpuprofile", "app.js", &[("main>parse", 100)]);
    profile(&folder, "idle.cpuprofile", "app.js", &[("(idle)", 100)]);
    profile(&folder, "stranger.cpuprofile", "elsewhere/x.js", &[("main>parse", 100)]);
    folder.write("broken.cpuprofile", "{");
    let here = folder.path().display();
    folder.write("stacks.txt", format!("main {here}/app.js:4:14;parse {here}/app.js:1:15 100\n"));
    let heap = root().join("tests/traces/heapprofile/heap-node20.heapprofile.gz");
    std::fs::copy(heap, folder.path().join("heap.heapprofile.gz")).unwrap();
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    let (a, b) = ("a.cpuprofile", "b.cpuprofile");
    let cases: [&[&str]; 16] = [
        &[a],
        &["--", b],
        &[a, "--", "idle.cpuprofile"],
        &[a, "--", "stranger.cpuprofile"],
        &[a, "--", "heap.heapprofile.gz"],
        &[a, "--", "stacks.txt"],
        &[a, "--per", "active", "--", "stacks.txt"],
        &[a, "--", a],
        &[a, a, "--", b],
        &[a, "broken.cpuprofile", "--", b],
        &[a, "--", "none.cpuprofile"],
        &["--before", "none", "--after", b],
        &["--before", "empty", "--after", b],
        &[a, "--per", "function:nobody", "--", b],
        &[a, "--per", "marker:request", "--", b],
        &[a, "--per", "nothing", "--", b],
    ];
    let said = cases.map(|it| {
        let (status, out, errors) = said(&folder, it);
        let printed = if out.is_empty() { "nothing" } else { "a comparison" };
        format!(
            "{}\n  {printed}, exit status {status}\n  {}\n",
            it.join(" "),
            errors.trim_end().replace('\n', "\n  ")
        )
    });
    expect_file!["expected/compare-wrong.txt"].assert_eq(&said.concat());
}

/// Coverage of the program, as `NODE_V8_COVERAGE` writes it: each function was called so often.
fn coverage(folder: &Folder, file: &str, calls: &[(&str, u64)]) {
    let functions = calls.iter().map(|(name, calls)| {
        let start = PROGRAM.find(&format!("function {name}(")).unwrap();
        let end = start + PROGRAM[start..].find('\n').unwrap();
        let range = json!({ "startOffset": start, "endOffset": end, "count": calls });
        json!({ "functionName": name, "isBlockCoverage": true, "ranges": [range] })
    });
    let functions: Vec<Value> = functions.collect();
    let script = json!({ "scriptId": "1", "url": folder.uri("app.js"), "functions": functions });
    folder.write(file, json!({ "result": [script] }).to_string());
}

#[test]
fn more_calls_are_told_from_slower_ones() {
    let folder = program();
    runs(&folder, "before", [100, 300, 60, 40], 10);
    runs(&folder, "after", [200, 600, 59, 41], 10);
    coverage(&folder, "before.json", &[("parse", 600_000), ("render", 50), ("save", 7), ("main", 1)]);
    coverage(&folder, "after.json", &[("parse", 1_200_000), ("render", 50), ("main", 1)]);
    let sides = ["--before", "before", "--after", "after", "--per", "run"];
    let counts = ["--before-counts", "before.json", "--after-counts", "after.json"];
    let counted = [&sides[..], &counts].concat();
    check(&folder, &counted, expect_file!["expected/compare-calls.txt"]);
    check(
        &folder,
        &[&counted[..], &["--format", "markdown"]].concat(),
        expect_file!["expected/compare-calls.md"],
    );
    let json = answer(&folder, &counted);
    let functions = json["functions"].as_array().unwrap();
    let calls: Vec<String> = functions
        .iter()
        .map(|it| {
            let calls = &it["calls"];
            format!("{} {} {} {}", it["name"], calls["before"], calls["after"], calls["causes"])
        })
        .collect();
    assert_eq!(
        calls,
        [
            r#""render" 50 50 ["costlier-calls"]"#,
            r#""parse" 600000 1200000 ["more-calls"]"#,
            r#""main" 1 1 ["costlier-calls"]"#,
            r#""save" 7 null []"#
        ]
    );
    let render = &functions[0]["calls"]["self"];
    assert_eq!((&render["beforeNs"], &render["afterNs"]), (&json!(6_000_000.0), &json!(12_000_000.0)));

    // The same times, and as if parse had been called as often before.
    let plain = answer(&folder, &sides);
    let times = |it: &Value| {
        let functions = it["functions"].as_array().unwrap().iter();
        functions.map(|it| (it["self"].clone(), it["total"].clone())).collect::<Vec<_>>()
    };
    assert_eq!(times(&json), times(&plain));
    let per_call = answer(&folder, &[&sides[..4], &counts, &["--per", "call"]].concat());
    assert_eq!(per_call["per"], "call");
    assert_eq!(
        verdicts(&per_call),
        ["render regression", "main regression", "save unchanged", "parse unchanged"]
    );
}

#[test]
fn calls_that_were_not_counted() {
    let folder = program();
    profile(&folder, "a.cpuprofile", "app.js", &[("main>parse", 1000)]);
    profile(&folder, "b.cpuprofile", "app.js", &[("main>parse", 2500)]);
    coverage(&folder, "calls.json", &[("parse", 600_000)]);
    let sides = ["a.cpuprofile", "--", "b.cpuprofile"];
    let refusal = |arguments: &[&str]| {
        let (status, out, errors) = said(&folder, &[arguments, &sides].concat());
        assert_eq!((status, &*out), (1, ""), "{errors}");
        errors
    };
    assert_eq!(
        refusal(&["--per", "call"]),
        "Calls were not counted on both sides, so that times cannot be divided by them. Record both with --counts, or name their coverage with --before-counts and --after-counts.\n"
    );
    let (_, out, errors) = said(&folder, &[&["--before-counts", "calls.json"], &sides[..]].concat());
    assert!(errors.is_empty(), "{errors}");
    assert!(out.contains("calls were counted before only"), "{out}");
    let (status, _, errors) = said(
        &folder,
        &[&["--before-counts", "calls.json", "--between", "100ms", "end"], &sides[..]].concat(),
    );
    assert_eq!(
        (status, &*errors),
        (
            1,
            "coverage tells the calls of a whole run, and only a part is looked at. Leave out the coverage, or what chooses the part.\n"
        )
    );
}
