//! A trace from yesterday, code from today: costs are where the measured functions are now, or say what became of them.

use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use expect_test::expect;
use serde_json::{Value, json};
use tests::{Folder, proflens};

const YESTERDAY: &str = "function work() {
  return helper(1);
}
function helper(n) {
  return n * 2;
}
function obsolete() {
  return helper(3);
}
";

const TODAY: &str = "// Written anew this morning.

function work() {
  return assist(1) + 1;
}

export function assist(n) {
  return n * 2;
}
";

fn git(folder: &Path, days_ago: u64, arguments: &[&str]) {
    let seconds =
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs() - days_ago * 86_400;
    let date = format!("{seconds} +0000");
    let status = Command::new("git")
        .args(["-c", "user.name=Nobody", "-c", "user.email=nobody@example.com", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .env("GIT_COMMITTER_DATE", &date)
        .env("GIT_AUTHOR_DATE", &date)
        .current_dir(folder)
        .status()
        .expect("git is on every machine that builds this");
    assert!(status.success(), "git {arguments:?}");
}

/// A profile of yesterday's functions, a sample of 1 ms each.
fn trace(url: &str) -> Value {
    let node = |(id, name): (usize, &str)| {
        let header = format!("function {name}");
        let before = &YESTERDAY[..YESTERDAY.find(&header).unwrap() + header.len()];
        let line = before.matches('\n').count();
        let column = before.len() - before.rfind('\n').map_or(0, |it| it + 1);
        let frame = json!({ "functionName": name, "scriptId": "1", "url": url, "lineNumber": line, "columnNumber": column });
        json!({ "id": id, "callFrame": frame })
    };
    let root =
        json!({ "functionName": "(root)", "scriptId": "0", "url": "", "lineNumber": -1, "columnNumber": -1 });
    let mut nodes = vec![json!({ "id": 1, "callFrame": root, "children": [2, 3, 4] })];
    nodes.extend([(2, "work"), (3, "helper"), (4, "obsolete")].map(node));
    json!({ "nodes": nodes, "startTime": 0, "endTime": 4000, "samples": [2, 3, 4], "timeDeltas": [1000, 1000, 1000] })
}

#[test]
fn a_trace_is_placed_on_the_text_of_its_day_and_shown_on_todays() {
    let folder = Folder::new();
    let app = folder.write("app.js", YESTERDAY);
    git(folder.path(), 2, &["init", "--quiet"]);
    git(folder.path(), 2, &["add", "app.js"]);
    git(folder.path(), 2, &["commit", "--quiet", "-m", "yesterday"]);
    let profile = folder.write("app.cpuprofile", trace(&tests::uri(&app)).to_string());
    let recorded = SystemTime::now() - Duration::from_secs(86_400);
    File::options().write(true).open(&profile).unwrap().set_modified(recorded).unwrap();
    folder.write("app.js", TODAY);

    let output = Command::new(proflens())
        .args(["report", "app.cpuprofile", "--format", "json", "--limit", "0"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let line = |it: &Value| format!("{} {}:{} {}\n", it["name"], it["file"], it["line"], it["freshness"]);
    let functions: String = report["functions"].as_array().unwrap().iter().map(line).collect();
    expect![[r#"
        "work" "app.js":3 "edited"
        "obsolete" "app.js":7 "gone"
        "assist" "app.js":7 "moved"
    "#]]
    .assert_eq(&functions);
}
