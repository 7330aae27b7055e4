//! A trace from yesterday, code from today: costs are where the measured functions are now, or say what became of them.

use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use expect_test::expect;
use serde_json::{Value, json};
use tests::{Client, Folder, proflens};

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
    let yesterday = SystemTime::now() - Duration::from_secs(86_400);
    let by_its_file = trace(&tests::uri(&app));
    let profile = folder.write("app.cpuprofile", by_its_file.to_string());
    File::options().write(true).open(&profile).unwrap().set_modified(yesterday).unwrap();
    // As `proflens record` writes it; the file may be a copy that was made today.
    let mut by_itself = by_its_file;
    let time = yesterday.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_millis() as u64;
    by_itself["proflens"] = json!({ "time": time, "name": "app.js" });
    folder.write("copy.cpuprofile", by_itself.to_string());
    folder.write("app.js", TODAY);

    for trace in ["app.cpuprofile", "copy.cpuprofile"] {
        let output = Command::new(proflens())
            .args(["report", trace, "--format", "json", "--limit", "0"])
            .current_dir(folder.path())
            .output()
            .unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let line = |it: &Value| format!("{} {}:{} {}\n", it["name"], it["file"], it["line"], it["freshness"]);
        let functions: String = report["functions"].as_array().unwrap().iter().map(line).collect();
        expect![[r#"
            "obsolete" "app.js":1 "gone"
            "work" "app.js":3 "edited"
            "assist" "app.js":7 "moved"
        "#]]
        .assert_eq(&functions);
    }
}

/// What a repository can name for git to run: the URL of a remote from which a partial clone lacks something, and
/// everything that the settings have.
#[cfg(unix)]
const PROGRAMS: &str = "
[remote \"origin\"]
    url = ext::{evil} x
    promisor = true
    partialclonefilter = blob:none
    uploadpack = {evil}
[extensions]
    partialClone = origin
[protocol]
    allow = always
[protocol \"ext\"]
    allow = always
[core]
    repositoryformatversion = 1
    fsmonitor = {evil}
    sshCommand = {evil}
    pager = {evil}
    hooksPath = {folder}
    alternateRefsCommand = {evil}
[alias]
    cat-file = !{evil}
[filter \"x\"]
    smudge = {evil}
    process = {evil}
    required = true
[diff \"x\"]
    textconv = {evil}
";

#[test]
#[cfg(unix)]
fn no_repository_makes_anything_run() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let trap = folder.path().join("trap");
    let mark = trap.join("ran");
    for name in ["git", "evil", "sh", "ssh", "kill", "post-checkout"] {
        let script = format!("#!/bin/sh\necho \"$0 $@\" >> {}\n", mark.display());
        let path = folder.write(&format!("trap/{name}"), script);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    assert!(Command::new(trap.join("git")).status().unwrap().success());
    std::fs::remove_file(&mark).expect("the trap works");

    // A partial clone without its blobs, and the same as files of a folder in a repository: a bare one, for git.
    let ws = folder.path().join("ws");
    let app = folder.write("ws/app/app.js", YESTERDAY);
    git(&ws, 2, &["init", "--quiet"]);
    git(&ws, 2, &["add", "app"]);
    git(&ws, 2, &["commit", "--quiet", "-m", "yesterday"]);
    let id = Command::new("git").args(["rev-parse", "HEAD:app/app.js"]).current_dir(&ws).output().unwrap();
    let id = String::from_utf8(id.stdout).unwrap();
    std::fs::remove_file(ws.join(".git/objects").join(&id[..2]).join(id[2..].trim())).unwrap();
    let evil = trap.join("evil");
    let programs = PROGRAMS.replace("{evil}", &evil.to_string_lossy());
    folder.write("ws/.git/config", programs.replace("{folder}", &trap.to_string_lossy()));
    folder.write("ws/.gitattributes", "* filter=x diff=x\n");
    let copied = Command::new("cp").arg("-R").arg(ws.join(".git/.")).arg(ws.join("app")).status().unwrap();
    assert!(copied.success());
    let profile = folder.write("ws/app/app.cpuprofile", trace(&tests::uri(&app)).to_string());
    let recorded = SystemTime::now() - Duration::from_secs(86_400);
    File::options().write(true).open(&profile).unwrap().set_modified(recorded).unwrap();
    folder.write("ws/app/app.js", TODAY);

    let served = folder.write(
        "served",
        format!("#!/bin/sh\nPATH={} exec {} \"$@\"\n", trap.display(), proflens().display()),
    );
    std::fs::set_permissions(&served, std::fs::Permissions::from_mode(0o755)).unwrap();
    for opened in [ws.clone(), ws.join("app")] {
        for command in ["report", "doctor"] {
            let output = Command::new(proflens())
                .args([command, &profile.to_string_lossy()])
                .current_dir(&opened)
                .env("PATH", &trap)
                .output()
                .unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        let mut client = Client::open(&served, &opened, json!({}));
        client.hear("window/logMessage"); // how much of the trace was placed
        assert_eq!(client.close().status.code(), Some(0));
    }
    assert!(!mark.exists(), "{}", std::fs::read_to_string(&mark).unwrap());
}
