//! `record --repeat`: several recordings in one folder, each with its commit, and what happens to runs that fail or are ended.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use expect_test::expect;
use tests::{Folder, state_of};

use crate::recorded::{ending, eventually, programs, record, report, unfinished};

/// Notes each run in the file `runs`, and then does what is asked of this run.
const COUNTED: &str = "const work = require('./work.cjs'); const fs = require('fs');
    fs.appendFileSync('runs', 'x'); const run = fs.readFileSync('runs', 'utf8').length;
    (function workEachTime() { work.for(60) })();";

fn counted(rest: &str) -> Folder {
    programs(&[("main.cjs", &format!("{COUNTED} {rest}"))])
}

/// The files below a folder, with the time in their names left out.
fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    let name = |it: &PathBuf| {
        let name = it.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
        if name.starts_with("20") { name.replacen(&name[..19], "TIME", 1) } else { name }
    };
    let mut names: Vec<String> = found.iter().map(name).collect();
    names.sort();
    names
}

/// What was printed, without the table, numbers of samples, and times.
fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let lines = text.lines().filter(|it| {
        ["Warm-up", "Run ", "Recorded", "Compare", "Note", "No run", "--out"]
            .iter()
            .any(|word| it.starts_with(word))
    });
    let masked = |line: &str| {
        let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        if let Some(at) = words.iter().position(|it| it == "samples") {
            words[at - 1] = "N".into();
        }
        let masked = |it: String| match it.find("/20") {
            Some(at) => format!("{}/TIME{}", &it[..at], &it[at + 20..]),
            None => it,
        };
        words.into_iter().map(masked).collect::<Vec<_>>().join(" ") + "\n"
    };
    lines.map(masked).collect()
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    for (name, _) in std::env::vars_os().filter(|it| it.0.to_string_lossy().starts_with("GIT_")) {
        command.env_remove(name);
    }
    command.env("GIT_CONFIG_GLOBAL", folder.join("none")).env("GIT_CONFIG_NOSYSTEM", "1");
    command.args(["-c", "user.name=x", "-c", "user.email=x@x.x"]).args(arguments).current_dir(folder);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn each_run_is_a_recording_in_one_folder() {
    let folder = counted("console.log('run', run)");
    let options = ["--repeat", "3", "--warmup", "2"];
    let output = record(folder.path(), &options, &["node", "main.cjs"]).output().unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stdout), "run 1\nrun 2\nrun 3\nrun 4\nrun 5\n");
    expect![[r"
        Warm-up 1 of 2 is not kept.
        Warm-up 2 of 2 is not kept.
        Run 1 of 3: N samples of 1 thread
        Run 2 of 3: N samples of 1 thread
        Run 3 of 3: N samples of 1 thread
        Recorded 3 runs: .proflens/recordings/TIME-main.cjs
        Compare them with those of another version: proflens compare --before .proflens/recordings/TIME-main.cjs --after OTHER
    "]]
    .assert_eq(&said(&output));
    let recordings = folder.path().join(".proflens/recordings");
    let expected = [1, 2, 3].map(|it| format!("TIME-main.cjs/main.cjs-0{it}.json.gz"));
    assert_eq!(files(&recordings), expected);
    let runs = fs::read_dir(&recordings).unwrap().next().unwrap().unwrap().path();
    let sum = report(folder.path(), &runs);
    assert_eq!(sum["traces"].as_array().unwrap().len(), 3);
    assert_eq!(
        sum["functions"].as_array().unwrap().iter().find(|it| it["name"] == "workEachTime").unwrap()["sessions"],
        3
    );
    assert_eq!(unfinished(folder.path()), [""; 0].map(PathBuf::from));
}

#[test]
fn a_run_that_fails_is_said_and_left_out() {
    let folder =
        counted("if (run === 2) process.exit(3); if (run === 4) process.kill(process.pid, 'SIGKILL')");
    let run = |times: &str| {
        let options = ["--repeat", times, "--out", "before"];
        let output = record(folder.path(), &options, &["node", "main.cjs"]).output().unwrap();
        format!("{}status {}\n", said(&output), ending(output.status))
    };
    expect![[r"
        Run 1 of 3: N samples of 1 thread
        Run 2 of 3 ended with status 3; its recording is not kept.
        Run 3 of 3: N samples of 1 thread
        Recorded 2 runs: before
        Compare them with those of another version: proflens compare --before before --after OTHER
        status 3
    "]]
    .assert_eq(&run("3"));
    assert_eq!(files(&folder.path().join("before")), ["main.cjs-01.json.gz", "main.cjs-03.json.gz"]);
    // The numbers continue, so that two versions can be recorded in turns.
    fs::write(folder.path().join("runs"), "xxxx").unwrap();
    run("1");
    assert_eq!(
        files(&folder.path().join("before")),
        ["main.cjs-01.json.gz", "main.cjs-03.json.gz", "main.cjs-04.json.gz"]
    );
}

#[cfg(unix)]
#[test]
fn a_signal_ends_all_runs() {
    let mut shown = String::new();
    for (handler, signal) in [("", "-INT"), ("process.on('SIGTERM', () => process.exit(0));", "-TERM")] {
        // It is ready when it has done something that was sampled.
        let wait = "let turns = 0; if (run === 2) setInterval(() => {
            work.for(5);
            if (++turns === 20) fs.writeFileSync('ready', 'x');
        }, 20);";
        let folder = counted(&format!("{handler} {wait}"));
        let mut command =
            record(folder.path(), &["--repeat", "4", "--out", "runs-of-it"], &["node", "main.cjs"]);
        let running = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let ready = folder.path().join("ready");
        eventually("the second run", || ready.exists().then_some(()));
        let process = running.id().to_string();
        assert!(Command::new("kill").args([signal, &process]).status().unwrap().success());
        let output = running.wait_with_output().unwrap();
        assert_eq!(folder.read("runs"), "xx", "no other run began");
        shown += &said(&output);
        shown +=
            &format!("{} {}\n", ending(output.status), files(&folder.path().join("runs-of-it")).join(", "));
    }
    expect![[r"
        Run 1 of 4: N samples of 1 thread
        Run 2 of 4 ended with signal 2 (SIGINT); its recording is not kept.
        Recorded 1 run: runs-of-it
        Compare them with those of another version: proflens compare --before runs-of-it --after OTHER
        signal 2 main.cjs-01.json.gz
        Run 1 of 4: N samples of 1 thread
        Run 2 of 4: N samples of 1 thread
        Recorded 2 runs: runs-of-it
        Compare them with those of another version: proflens compare --before runs-of-it --after OTHER
        signal 15 main.cjs-01.json.gz, main.cjs-02.json.gz
    "]]
    .assert_eq(&shown);
}

#[test]
fn what_cannot_be_repeated_is_said() {
    let folder = counted("");
    folder.write("file", "");
    let mut shown = String::new();
    let node = ["node", "main.cjs"];
    let rows: [(&[&str], &[&str]); 5] = [
        (&["--repeat", "2", "--out", "all.json.gz"], &node),
        (&["--repeat", "2", "--out", "file"], &node),
        (&["--repeat", "3"], &["sh", "-c", "echo ran; exit 0"]),
        (&["--repeat", "2"], &["no-such-command"]),
        (&["--repeat", "2"], &["node", "-e", "process.exit(7)"]),
    ];
    for (options, command) in rows {
        let output = record(folder.path(), options, command).output().unwrap();
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        let first = String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or_default().to_owned();
        shown += &format!("{}: {stdout:?} {first}\n", ending(output.status));
    }
    expect![[r#"
        1: "" --out all.json.gz is a file. With --repeat, name a folder for the recordings.
        1: "" --out file is a file. With --repeat, name a folder for the recordings.
        0: "ran\n" Note: nothing was recorded: the command ran no JavaScript in Node 16 or newer that took over NODE_OPTIONS.
        1: "" no-such-command cannot be started: No such file or directory (os error 2). Check its name, or the PATH.
        7: "" Run 1 of 2 ended with status 7; its recording is not kept.
    "#]]
    .assert_eq(&shown);
    let left = fs::read_dir(folder.path().join(".proflens/recordings")).unwrap();
    assert_eq!(left.count(), 0, "no folder for nothing");
}

#[test]
fn a_recording_says_from_which_commit_it_is() {
    let folder = counted("");
    folder.write(".gitignore", "runs\nout\n");
    let state = |options: &[&str]| {
        fs::remove_dir_all(folder.path().join("out")).unwrap_or_default();
        let options = [options, &["--repeat", "1", "--out", "out"]].concat();
        let output = record(folder.path(), &options, &["node", "main.cjs"]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let report = report(folder.path(), &folder.path().join("out"));
        let trace = &report["traces"][0];
        (trace["commit"].as_str().map(str::to_owned), trace["clean"].as_bool())
    };
    assert_eq!(state(&[]), (None, None), "no repository");
    git(folder.path(), &["init", "--quiet", "--initial-branch", "main"]);
    git(folder.path(), &["add", "--all"]);
    assert_eq!(state(&[]), (None, None), "no commit");
    git(folder.path(), &["commit", "--quiet", "--message", "x"]);
    let commit = Some(git(folder.path(), &["rev-parse", "HEAD"]));
    assert_eq!(state(&[]), (commit.clone(), Some(true)));
    folder.write("main.cjs", format!("{COUNTED} // edited"));
    assert_eq!(state(&[]), (commit.clone(), Some(false)));
    assert_eq!(state(&["--heap"]), (commit.clone(), Some(false)), "of allocations");
    git(folder.path(), &["add", "--all"]);
    git(folder.path(), &["update-index", "--split-index"]);
    assert_eq!(state(&[]), (commit, None), "nobody knows");
}

/// The first block of docs/ci.md, as it is written there, with fewer runs.
#[test]
fn the_recipe_of_the_docs_compares_two_commits() {
    let docs = fs::read_to_string(tests::root().join("docs/ci.md")).unwrap();
    let recipe = docs.split("```sh\n").nth(1).and_then(|it| it.split("```").next()).unwrap();
    let usual = "--warmup 1";
    assert!(recipe.contains(usual), "{recipe}");
    let recipe = recipe.replace(usual, "--repeat 4 --warmup 1");

    let is_slower = |output: &Output| output.status.code() == Some(3);
    let (mut folder, mut output) = compared_by(&recipe);
    // On a machine that stands still for seconds, four runs a side may differ more than both versions do.
    for _ in 0..5 {
        if is_slower(&output) {
            break;
        }
        (folder, output) = compared_by(&recipe);
    }
    assert!(is_slower(&output), "{}", String::from_utf8_lossy(&output.stderr));
    let app = folder.path().join("app");
    let text = folder.read("app/profiles/changes.md");
    assert!(text.contains("▲\u{a0}slower | `edited` `src/work.js:2` self"), "{text}");
    for (side, revision) in [("before", "main"), ("after", "feature")] {
        let runs = report(&app, &app.join("profiles").join(side));
        let commit = git(&app, &["rev-parse", revision]);
        let is_clean =
            |trace: &serde_json::Value| trace["commit"] == commit.as_str() && trace["clean"] == true;
        let traces = runs["traces"].as_array().unwrap();
        assert_eq!((traces.len(), traces.iter().all(is_clean)), (4, true), "{side}: {runs}");
    }
}

/// The action with `command`, on the same two commits, and where that fails.
#[test]
fn the_action_records_both_versions_by_turns() {
    let action = tests::root().join(".github/actions/compare/compare.sh");
    let recipe = |inputs: &str| {
        format!(
            "export WORKSPACE=. BEFORE= AFTER= SETUP='npm ci' RUNS=4 PER=machine FAIL_ON_REGRESSION=10% LINK_BASE= COMMIT=1a2b3c\n\
             export GITHUB_REPOSITORY=me/app GITHUB_SERVER_URL=https://github.example GITHUB_STEP_SUMMARY=summary\n\
             export COMMENT=changes.md GITHUB_OUTPUT=outputs PROFLENS=proflens COMMAND='node bench.js' AGAINST=\"$1\"\n\
             {inputs}\nexec bash '{}'\n",
            action.display()
        )
    };
    let (mut folder, mut output) = compared_by(&recipe(""));
    // As above.
    for _ in 0..5 {
        if output.status.code() == Some(3) {
            break;
        }
        (folder, output) = compared_by(&recipe(""));
    }
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(folder.read("app/outputs"), "regression=true\n");
    let text = folder.read("app/changes.md");
    let link = "[`src/work.js:2`](https://github.example/me/app/blob/1a2b3c/src/work.js#L2)";
    assert!(text.contains(&format!("▲\u{a0}slower | `edited` {link} self")), "{text}");

    let rows = [
        ("COMMAND='node bench.js; exit 3'", "Recording failed with status 3."),
        ("SETUP='exit 3'", "Recording failed with status "),
        ("AGAINST=nowhere", "give actions/checkout `fetch-depth: 0`."),
        ("BEFORE=profiles", "either a command, or recordings"),
    ];
    for (inputs, said) in rows {
        let (folder, output) = compared_by(&recipe(inputs));
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{inputs}: {stderr}");
        assert!(stderr.contains(said), "{inputs}: {stderr}");
        assert_eq!(folder.read("app/outputs"), "regression=false\n", "{inputs}");
    }
}

/// What a recipe says of two commits of a program, of which the second is slower.
fn compared_by(recipe: &str) -> (Folder, Output) {
    let folder = Folder::new();
    let work = |times: u32| {
        format!(
            "exports.edited = () => {{ let sum = 0; for (let i = 0; i < {times}e6; i++) sum += Math.sqrt(i); return sum; }};\n\
             exports.steady = () => {{ let sum = 0; for (let i = 0; i < 4e7; i++) sum += Math.sqrt(i); return sum; }};\n"
        )
    };
    folder.write("app/bench.js", "const work = require('./src/work.js'); work.steady(); work.edited();\n");
    folder.write("app/src/work.js", work(40));
    folder.write(
        "app/package.json",
        r#"{ "name": "app", "version": "1.0.0", "scripts": { "build": "node -v" } }"#,
    );
    let lock = r#"{ "name": "app", "version": "1.0.0", "lockfileVersion": 3, "packages": { "": { "name": "app", "version": "1.0.0" } } }"#;
    folder.write("app/package-lock.json", lock);
    folder.write("app/.gitignore", "profiles\nnode_modules\n");
    let app = folder.path().join("app");
    git(&app, &["init", "--quiet", "--initial-branch", "main"]);
    git(&app, &["add", "--all"]);
    git(&app, &["commit", "--quiet", "--message", "base"]);
    git(&app, &["checkout", "--quiet", "-b", "feature"]);
    folder.write("app/src/work.js", format!("// Moves all lines.\n{}", work(400)));
    git(&app, &["commit", "--quiet", "--all", "--message", "slower"]);

    let script = folder.write("compare.sh", recipe);
    let path = [tests::proflens().parent().unwrap().as_os_str(), &std::env::var_os("PATH").unwrap()]
        .join(":".as_ref());
    let mut command = Command::new("sh");
    command.arg(script).arg("main").current_dir(&app).env("PATH", path).env_remove("NODE_OPTIONS");
    command.env("XDG_STATE_HOME", state_of(&app));
    let output = command.output().unwrap();
    (folder, output)
}
