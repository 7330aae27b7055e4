//! A folder of traces is their sum, whether they are placed together or one by one; links to traces count as traces.

use std::fmt::Write;
use std::process::Command;

use serde_json::{Value, json};
use tests::{Folder, proflens};

/// The functions of a script, by their names, one a line, as it ran in release 2. Release 1 had a line less at its top.
const FUNCTIONS: [&str; 5] = ["start", "total", "price", "sort", "draw"];

fn script() -> String {
    FUNCTIONS.iter().fold("// release 2\n".to_owned(), |mut text, it| {
        writeln!(text, "function {it}(input) {{ return input + 1; }}").unwrap();
        text
    })
}

/// A session: each word is a sample of 10 ms in that function, called by the one before it if there is a `;` between them; `-` is a
/// sample without a stack. `above` is the number of lines above the first function.
fn session(url: &str, above: usize, words: &str) -> Value {
    let (mut frames, mut stacks, mut samples) = (Vec::new(), Vec::new(), Vec::new());
    for (number, word) in words.split(' ').enumerate() {
        let mut parent = Value::Null;
        for name in word.split(';').filter(|it| *it != "-") {
            let line = FUNCTIONS.iter().position(|it| *it == name).unwrap() + above + 1;
            let frame = json!({ "name": name, "resourceId": 0, "line": line, "column": 10 + name.len() });
            let frame = frames.iter().position(|it| *it == frame).unwrap_or_else(|| {
                frames.push(frame);
                frames.len() - 1
            });
            stacks.push(if parent.is_null() {
                json!({ "frameId": frame })
            } else {
                json!({ "frameId": frame, "parentId": parent })
            });
            parent = json!(stacks.len() - 1);
        }
        let time = 100 + number * 10;
        samples.push(if parent.is_null() {
            json!({ "timestamp": time })
        } else {
            json!({ "timestamp": time, "stackId": parent })
        });
    }
    json!({ "resources": [url], "frames": frames, "stacks": stacks, "samples": samples })
}

const SHOP: &str = "https://shop.example/app.js";

/// A workspace with sessions of two releases of the script, of another script and of another server.
fn sessions() -> Folder {
    let folder = Folder::new();
    folder.write("ws/app.js", script());
    folder.write("ws/lib/tools.js", script());
    let words = [
        "start;total start;total;price -",
        "start start;sort",
        "draw start;total draw",
        "start;draw;price sort",
    ];
    for (number, words) in words.into_iter().enumerate() {
        folder.write(&format!("all/now-{number}.json"), session(SHOP, 1, words).to_string());
        folder.write(&format!("all/before-{number}.json"), session(SHOP, 0, words).to_string());
        let tools = session("https://shop.example/lib/tools.js", 1, words);
        folder.write(&format!("all/tools-{number}.json"), tools.to_string());
        let other = session("https://ads.example/track.js", 1, words);
        folder.write(&format!("all/other-{number}.json"), other.to_string());
    }
    folder
}

/// What `report` says, as JSON, and on stderr.
fn report(folder: &Folder, traces: &[&str]) -> (Value, String) {
    let output = Command::new(proflens())
        .arg("report")
        .args(traces)
        .args(["--workspace", "ws", "--format", "json", "--limit", "0", "--all"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    (serde_json::from_slice(&output.stdout).unwrap_or_default(), said)
}

/// The same without problems of placing, which name the folder instead of each trace, and with callers in an order of their own.
fn comparable(mut report: Value) -> Value {
    report["problems"] = Value::Null;
    for function in report["functions"].as_array_mut().unwrap() {
        function["callers"].as_array_mut().unwrap().sort_by_key(Value::to_string);
    }
    report["unplacedFunctions"].as_array_mut().unwrap().sort_by_key(Value::to_string);
    report
}

#[test]
fn a_folder_is_the_sum_of_its_traces() {
    let folder = sessions();
    let mut files: Vec<String> = (std::fs::read_dir(folder.path().join("all")).unwrap())
        .map(|it| format!("all/{}", it.unwrap().file_name().to_string_lossy()))
        .collect();
    files.sort();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let (together, said) = report(&folder, &["all"]);
    assert_eq!(said, "");
    let (one_by_one, _) = report(&folder, &files);
    let names: Vec<&str> =
        together["traces"].as_array().unwrap().iter().map(|it| it["path"].as_str().unwrap()).collect();
    assert_eq!(names, files, "each trace is listed");
    assert_eq!(comparable(together), comparable(one_by_one));
}

#[test]
fn a_trace_of_another_release_is_no_evidence_and_gets_no_wrong_function() {
    let folder = sessions();
    let placed = |report: &Value| {
        let functions = report["functions"].as_array().unwrap().iter();
        let word = |it: &Value| {
            format!(
                "{}:{} {} {} ms",
                it["file"].as_str().unwrap(),
                it["line"],
                it["name"].as_str().unwrap(),
                it["selfNs"].as_u64().unwrap() / 1_000_000
            )
        };
        let mut words: Vec<String> = functions.map(word).filter(|it| !it.ends_with(" 0 ms")).collect();
        words.sort();
        words
    };
    let (all, _) = report(&folder, &["all"]);
    // Twice the times of one release: names are unique, and no function of release 1 is on its old line.
    let expected = [
        "app.js:2 start 20 ms",
        "app.js:3 total 40 ms",
        "app.js:4 price 40 ms",
        "app.js:5 sort 40 ms",
        "app.js:6 draw 40 ms",
        "lib/tools.js:2 start 10 ms",
        "lib/tools.js:3 total 20 ms",
        "lib/tools.js:4 price 20 ms",
        "lib/tools.js:5 sort 20 ms",
        "lib/tools.js:6 draw 20 ms",
    ];
    assert_eq!(placed(&all), expected);
}

#[cfg(unix)]
#[test]
fn links_to_traces_count_and_those_to_folders_do_not() {
    use std::os::unix::fs::symlink;

    let folder = Folder::new();
    folder.write("ws/app.js", script());
    folder.write("elsewhere/a.json", session(SHOP, 1, "start start").to_string());
    folder.write("elsewhere/b.json", session(SHOP, 1, "total").to_string());
    folder.write("all/own.json", session(SHOP, 1, "draw").to_string());
    let link = |target: &str, name: &str| symlink(target, folder.path().join("all").join(name)).unwrap();
    link("../elsewhere/a.json", "a.json");
    link("../elsewhere/a.json", "a-again.json");
    link("own.json", "latest.json");
    link("../elsewhere", "folder");
    link("../elsewhere/missing.json", "missing.json");
    link("loop.json", "loop.json");
    let (report, said) = report(&folder, &["all"]);
    assert_eq!(said, "");
    let traces = report["traces"].as_array().unwrap();
    let traces: Vec<_> =
        traces.iter().map(|it| (it["path"].as_str().unwrap(), it["samples"].as_u64())).collect();
    assert_eq!(traces, [("all/a-again.json", Some(2)), ("all/own.json", Some(1))], "each file once");
    let problems: Vec<&str> =
        report["problems"].as_array().unwrap().iter().map(|it| it["what"].as_str().unwrap()).collect();
    let expected = [
        "all/loop.json cannot be read: Too many levels of symbolic links (os error 40). Check the path and its permissions",
        "all/missing.json cannot be read: there is no such file. Check the path and its permissions",
    ];
    assert_eq!(problems, expected);
}
