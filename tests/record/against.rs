//! `record --against`: two versions of a program by turns, and what is said where one of them cannot be run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use expect_test::expect;
use serde_json::Value;
use tests::{Folder, proflens, state_of};

use crate::recorded::{WORK, ending, eventually, record, report, unfinished};

/// A repository whose program works in a file that the version in the folder has moved.
fn repository() -> Folder {
    let folder = Folder::new();
    folder.write("work.cjs", WORK);
    folder.write("main.cjs", "const { workEachTime } = require('./lib/old.cjs'); workEachTime();");
    folder.write("lib/old.cjs", MODULE);
    folder.write(".gitignore", ".proflens\nbuilt\nruns\nready\n");
    git(folder.path(), &["init", "--quiet", "--initial-branch", "main"]);
    commit(&folder);
    git(folder.path(), &["switch", "--quiet", "--create", "topic"]);
    fs::rename(folder.path().join("lib/old.cjs"), folder.path().join("lib/new.cjs")).unwrap();
    folder.write("main.cjs", "const { workEachTime } = require('./lib/new.cjs'); workEachTime();");
    commit(&folder);
    folder
}

const MODULE: &str = "
const work = require('../work.cjs');
exports.workEachTime = function workEachTime() {
    let sum = 0;
    for (const turn of [1, 2, 3]) sum += work.for(turn * 10);
    return sum;
};
";

fn commit(folder: &Folder) {
    git(folder.path(), &["add", "--all"]);
    git(folder.path(), &["commit", "--quiet", "--message", "x"]);
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
        command.env_remove(name);
    }
    command.env("GIT_CONFIG_GLOBAL", folder.join("none")).env("GIT_CONFIG_NOSYSTEM", "1");
    command.args(["-c", "user.name=x", "-c", "user.email=x@x.x"]).args(arguments).current_dir(folder);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// What was said before and after the comparison, without numbers of samples, times and commits.
fn said(folder: &Folder, output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).replace(&*folder.path().to_string_lossy(), "FOLDER");
    let head = text.lines().take_while(|line| !line.is_empty());
    let end =
        text.lines().rev().take_while(|line| !line.is_empty()).filter(|line| line.starts_with("Recorded"));
    let masked = |line: &str| {
        let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        for at in 0..words.len() {
            let digits = words[at].trim_start_matches('(').trim_end_matches([')', ':', '.']);
            if digits.len() == 12 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                words[at] = words[at].replace(digits, "ID");
            } else if words[at] == "samples" {
                words[at - 1] = "N".into();
            }
        }
        words.join(" ") + "\n"
    };
    head.chain(end).map(masked).collect()
}

fn against(folder: &Folder, options: &[&str], command: &[&str]) -> Output {
    record(folder.path(), options, command).output().unwrap()
}

/// The folders of other versions that are left.
fn bases(folder: &Folder) -> Vec<PathBuf> {
    let entries = fs::read_dir(state_of(folder.path()).join("proflens/base")).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// What `compare` says of the folders of both sides.
fn compared(folder: &Folder, before: &str, after: &str) -> Value {
    let mut compare = Command::new(proflens());
    compare.args(["compare", "--format", "json", "--before", before, "--after", after]);
    let output = compare.current_dir(folder.path()).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_commit_and_this_folder_are_run_by_turns_and_compared() {
    let folder = repository();
    let [main, topic] = ["main", "topic"].map(|name| git(folder.path(), &["rev-parse", name]));
    let options = [
        "--against",
        "main",
        "--repeat",
        "3",
        "--warmup",
        "1",
        "--out",
        "runs",
        "--setup",
        "mkdir built && ls lib >> built/list",
    ];
    let output = against(&folder, &options, &["node", "main.cjs"]);
    expect![[r#"
        The files of main (ID) are written to a folder of their own.
        Setup of main (ID): mkdir built && ls lib >> built/list
        Setup of this folder: mkdir built && ls lib >> built/list
        Warm-up 1 of 1, before, is not kept.
        Warm-up 1 of 1, after, is not kept.
        Run 1 of 3, before: N samples of 1 thread
        Run 1 of 3, after: N samples of 1 thread
        Run 2 of 3, after: N samples of 1 thread
        Run 2 of 3, before: N samples of 1 thread
        Run 3 of 3, before: N samples of 1 thread
        Run 3 of 3, after: N samples of 1 thread
        Recorded 3 pairs of runs: compare them again with proflens compare --before runs/before --after runs/after
    "#]].assert_eq(&said(&folder, &output));
    assert_eq!(ending(output.status), "0");
    let compared = compared(&folder, "runs/before", "runs/after");
    let function =
        &compared["functions"].as_array().unwrap().iter().find(|it| it["name"] == "workEachTime").unwrap();
    assert_eq!(function["file"], "lib/new.cjs", "it was moved between the versions");
    // Its own code is so short that a run may have no sample in it.
    assert!(function["total"]["beforeNs"].as_u64() > Some(0), "{function}");
    let commits = ["before", "after"].map(|side| {
        let report = report(folder.path(), &folder.path().join("runs").join(side));
        let traces = report["traces"].as_array().unwrap().iter();
        traces.map(|trace| trace["commit"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    });
    assert_eq!(commits, [vec![main; 3], vec![topic; 3]]);
    assert_eq!(folder.read("built/list"), "new.cjs\n", "each version has a setup of its own");
    assert_eq!((bases(&folder), unfinished(folder.path())), (vec![], vec![]));
    assert_eq!(git(folder.path(), &["status", "--porcelain"]), "");
    assert_eq!(git(folder.path(), &["worktree", "list"]).lines().count(), 1);
}

#[test]
fn what_cannot_be_compared_is_said_before_anything_runs() {
    let folder = repository();
    let program = folder.path().join("main.cjs").to_string_lossy().into_owned();
    folder.write("topic/main.cjs", "");
    let beside = Folder::new();
    beside.write("README", "");
    let cases: [(&[&str], &[&str]); 7] = [
        (&["--against", "nothing"], &["node", "main.cjs"]),
        (&["--against", "."], &["node", "main.cjs"]),
        (&["--against", "./none"], &["node", "main.cjs"]),
        (&["--against", "topic"], &["node", "main.cjs"]),
        (&["--against", "main"], &["node", &program]),
        (&["--against", "main", "--setup", "test -f lib/new.cjs"], &["node", "main.cjs"]),
        (&["--against", "main"], &["no-such-program"]),
    ];
    let said = cases.map(|(options, command)| {
        let output = against(&folder, options, command);
        format!("{}status {}\n", said(&folder, &output), ending(output.status))
    });
    expect![[r#"
        nothing is no commit, branch or tag of this clone: check its name, or fetch it with git fetch.
        status 1
        --against . is this folder, or one in or around it. Name a folder beside it, with the other version.
        status 1
        ./none is not a folder. Name one.
        status 1
        --against topic names a folder, and a commit, too. Write ./topic for the folder, and the id of the commit for that.
        status 1
        FOLDER/main.cjs is of this folder, and both versions would run it. Name it from the current folder on, so that each version has its own.
        status 1
        The files of main (ID) are written to a folder of their own.
        Setup of main (ID): test -f lib/new.cjs
        The setup of main (ID) ended with status 1: nothing was recorded. See what it printed above.
        status 1
        The files of main (ID) are written to a folder of their own.
        no-such-program cannot be started: No such file or directory (os error 2). Check its name, or the PATH.
        status 1
    "#]].assert_eq(&said.concat());
    assert_eq!((bases(&folder), unfinished(folder.path())), (vec![], vec![]));
    assert!(!folder.path().join(".proflens/recordings").read_dir().is_ok_and(|mut all| all.next().is_some()));
}

#[test]
fn another_folder_is_the_other_version() {
    let folder = repository();
    let beside = Folder::new();
    beside.write("work.cjs", WORK);
    beside.write("main.cjs", "require('./lib/new.cjs').workEachTime();");
    beside.write("lib/new.cjs", MODULE);
    folder.write("main.cjs", "require('./lib/new.cjs').workEachTime(); // changed");
    let beside = beside.path().to_string_lossy();
    let options = ["--against", &beside, "--repeat", "1", "--out", "runs"];
    let output = against(&folder, &options, &["node", "main.cjs"]);
    expect![[r#"
        Note: files of this folder have changes that are not committed: as they are now, they are compared with BESIDE.
        Run 1 of 1, before: N samples of 1 thread
        Run 1 of 1, after: N samples of 1 thread
        Recorded 1 pair of runs: compare them again with proflens compare --before runs/before --after runs/after
    "#]].assert_eq(&said(&folder, &output).replace(&*beside, "BESIDE"));
    let compared = compared(&folder, "runs/before", "runs/after");
    let function =
        &compared["functions"].as_array().unwrap().iter().find(|it| it["name"] == "workEachTime").unwrap();
    assert_eq!(function["file"], "lib/new.cjs");
}

#[test]
fn until_it_is_sure_or_the_time_is_over() {
    let folder = repository();
    let sentence = |options: &[&str]| {
        let options = [&["--against", "main", "--until-sure=50%"], options].concat();
        let output = against(&folder, &options, &["node", "main.cjs"]);
        assert_eq!(ending(output.status), "0");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let said =
            text.lines().filter(|line| line.starts_with("After")).last().unwrap_or_default().to_owned();
        let runs = text.lines().filter(|line| line.starts_with("Run ")).count();
        (
            said.split(" it is").next().unwrap_or_default().to_owned(),
            runs,
            said.ends_with("the time is over."),
        )
    };
    assert_eq!(sentence(&["--max-time", "1ms"]), ("After 1 pair of runs".to_owned(), 2, true));
    assert_eq!(sentence(&["--max-runs", "3"]), ("After 3 pairs of runs".to_owned(), 6, false));
}

/// Notes each run in a file of the folder that is compared, and does what is asked of this run.
fn counting(rest: &str) -> Folder {
    let folder = repository();
    let runs = folder.path().join("runs").to_string_lossy().into_owned();
    let here = format!("
        const fs = require('fs'); fs.appendFileSync('{runs}', 'x'); const run = fs.readFileSync('{runs}', 'utf8').length;
        require('./work.cjs').for(60); {rest}");
    folder.write("count.cjs", here);
    commit(&folder);
    git(folder.path(), &["branch", "--force", "main"]);
    folder
}

#[test]
fn packages_that_are_only_installed_here_are_named() {
    let folder = repository();
    folder.write("node_modules/one/index.js", "");
    folder.write(".gitignore", "node_modules");
    folder.write("main.cjs", "require('one')");
    commit(&folder);
    let options = ["--against", "topic", "--repeat", "1", "--out", "runs"];
    let output = against(&folder, &options, &["node", "main.cjs"]);
    let said = said(&folder, &output);
    let note = said.lines().find(|line| line.contains("node_modules")).unwrap();
    expect!["Note: topic (ID) has no node_modules, as git does not keep it; if the command needs packages, install them with --setup 'npm ci'."].assert_eq(note);
}

#[test]
fn where_a_run_fails_its_pair_is_not_kept() {
    let run = |rest: &str| {
        let folder = counting(rest);
        let options = ["--against", "main", "--repeat", "3", "--out", "kept"];
        let output = against(&folder, &options, &["node", "count.cjs"]);
        let kept = ["before", "after"].map(|side| {
            let files = fs::read_dir(folder.path().join("kept").join(side)).into_iter().flatten();
            let mut names: Vec<_> =
                files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names.join(" ")
        });
        format!("{}status {}, kept: {}\n", said(&folder, &output), ending(output.status), kept.join(" | "))
    };
    let cases = ["if (run === 4) process.exit(3)", "if (run === 2) process.exit(4)"];
    expect![[r#"
        The files of main (ID) are written to a folder of their own.
        Note: main (ID) is what is checked out: both sides are the same.
        Run 1 of 3, before: N samples of 1 thread
        Run 1 of 3, after: N samples of 1 thread
        Run 2 of 3, after: N samples of 1 thread
        Run 2 of 3, before, ended with status 3; its pair is not kept.
        Run 3 of 3, before: N samples of 1 thread
        Run 3 of 3, after: N samples of 1 thread
        Recorded 2 pairs of runs: compare them again with proflens compare --before kept/before --after kept/after
        status 3, kept: count.cjs-01.json.gz count.cjs-03.json.gz | count.cjs-01.json.gz count.cjs-03.json.gz
        The files of main (ID) are written to a folder of their own.
        Note: main (ID) is what is checked out: both sides are the same.
        Run 1 of 3, before: N samples of 1 thread
        Run 1 of 3, after, ended with status 4; its pair is not kept.
        No pair of runs was kept, so that nothing is compared.
        status 4, kept:  | 
    "#]].assert_eq(&cases.map(run).concat());
}

#[cfg(unix)]
#[test]
fn a_signal_keeps_the_pairs_that_are_there_and_removes_the_other_version() {
    let folder =
        counting("if (run === 4) setInterval(() => fs.writeFileSync(`${__dirname}/ready`, ''), 20);");
    let options = ["--against", "main", "--repeat", "3", "--out", "kept"];
    let mut command = record(folder.path(), &options, &["node", "count.cjs"]);
    let running = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let ready = eventually("the fourth run", || {
        let base = bases(&folder).into_iter().next()?.join("files/ready");
        base.exists().then_some(base)
    });
    let process = running.id().to_string();
    assert!(Command::new("kill").args(["-INT", &process]).status().unwrap().success());
    let output = running.wait_with_output().unwrap();
    expect![[r#"
        The files of main (ID) are written to a folder of their own.
        Note: main (ID) is what is checked out: both sides are the same.
        Run 1 of 3, before: N samples of 1 thread
        Run 1 of 3, after: N samples of 1 thread
        Run 2 of 3, after: N samples of 1 thread
        Run 2 of 3, before, ended with signal 2 (SIGINT); its pair is not kept.
        Recorded 1 pair of runs: compare them again with proflens compare --before kept/before --after kept/after
    "#]].assert_eq(&said(&folder, &output));
    assert_eq!(ending(output.status), "signal 2");
    assert!(!ready.exists());
    assert_eq!((bases(&folder), unfinished(folder.path())), (vec![], vec![]));
}

/// Git runs what the configuration of a repository names when it writes files. Nothing of it is run here.
#[cfg(unix)]
#[test]
fn nothing_that_a_repository_configures_is_run() {
    use std::os::unix::fs::PermissionsExt;
    let folder = repository();
    let trap = folder.write("trap.sh", "#!/bin/sh\ntouch \"$(dirname \"$0\")/sprung\"\ncat\n");
    fs::set_permissions(&trap, fs::Permissions::from_mode(0o755)).unwrap();
    folder.write(".gitattributes", "* filter=trap\n");
    commit(&folder);
    git(folder.path(), &["branch", "--force", "main"]);
    fs::copy(&trap, folder.path().join(".git/hooks/post-checkout")).unwrap();
    let trap = trap.to_string_lossy();
    for name in ["filter.trap.smudge", "filter.trap.process", "core.fsmonitor", "core.hooksPath"] {
        git(folder.path(), &["config", name, &trap]);
    }
    let sprung = folder.path().join("sprung");
    let _ = fs::remove_file(&sprung);
    let output = against(&folder, &["--against", "main", "--repeat", "1"], &["node", "main.cjs"]);
    assert_eq!(ending(output.status), "0", "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!sprung.exists());
}
