//! What a user can say to `record`, and what happens around it: signals, `kill -9`, two at once, folders with all kinds of names.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use expect_test::expect;
use serde_json::Value;
use tests::{Folder, proflens};

use crate::recorded::{ending, eventually, notes, plain, programs, record, recordings, report, worked};

/// Works, and keeps working until it is ended. Says when it has done so for long enough to be sampled, and for signals to be
/// received by the thread that records, which starts beside it.
pub(crate) const ENDLESS: &str =
    "const work = require('./work.cjs'); const { writeFileSync } = require('fs'); let turns = 0;
    (function workAtFirst() { work.for(150) })();
    setInterval(function workOnAndOn() {
        work.for(20);
        if (++turns === 20) writeFileSync('ready', String(process.pid));
    }, 30);";

fn wait_for(file: &Path) -> String {
    let read = || fs::read_to_string(file).ok().filter(|text| !text.is_empty());
    eventually(&file.to_string_lossy(), read)
}

fn start(folder: &Folder, options: &[&str], command: &[&str]) -> Child {
    record(folder.path(), options, command).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Whether a process has ended, on systems that show processes as files and on others.
fn is_over(process: &str) -> bool {
    match fs::read_to_string(format!("/proc/{process}/stat")) {
        Ok(stat) => stat.contains(") Z "),
        Err(_) => !Command::new("kill").args(["-0", process]).output().unwrap().status.success(),
    }
}

fn kill(signal: &str, process: &str) {
    assert!(Command::new("kill").args([signal, process.trim()]).status().unwrap().success());
}

#[cfg(unix)]
#[test]
fn signals_are_those_of_the_command() {
    let handles = "process.on('SIGTERM', () => { console.log('handled'); process.exit(7); });";
    let folder = programs(&[("endless.cjs", ENDLESS), ("handles.cjs", &format!("{handles}{ENDLESS}"))]);
    let mut shown = String::new();
    for (file, signal, to_program) in
        [("endless.cjs", "-TERM", false), ("endless.cjs", "-INT", true), ("handles.cjs", "-TERM", false)]
    {
        let running = start(&folder, &[], &["node", file]);
        let program = wait_for(&folder.path().join("ready"));
        kill(signal, &if to_program { program } else { running.id().to_string() });
        let output = running.wait_with_output().unwrap();
        let (stdout, worked) = (String::from_utf8(output.stdout.clone()).unwrap(), worked(folder.path()));
        shown += &format!("{file} {signal}: {}, {stdout:?}, {}\n", ending(output.status), worked.join(", "));
        fs::remove_file(folder.path().join("ready")).unwrap();
        fs::remove_dir_all(folder.path().join(".proflens/recordings")).unwrap();
    }
    expect![[r#"
        endless.cjs -TERM: signal 15, "", workAtFirst endless.cjs, workOnAndOn endless.cjs
        endless.cjs -INT: signal 2, "", workAtFirst endless.cjs, workOnAndOn endless.cjs
        handles.cjs -TERM: 7, "handled\n", workAtFirst handles.cjs, workOnAndOn handles.cjs
    "#]]
    .assert_eq(&shown);
}

#[cfg(unix)]
#[test]
fn what_a_killed_recording_left_is_put_together_by_the_next() {
    let ends = "const work = require('./work.cjs'); (function workInEarlier() { work.for(150) })();
        require('fs').writeFileSync('ready', String(process.pid)); setTimeout(() => {}, 1000);";
    let folder = programs(&[("earlier.cjs", ends), ("next.cjs", "console.log('next')")]);
    let mut running = start(&folder, &[], &["node", "earlier.cjs"]);
    let program = wait_for(&folder.path().join("ready"));
    running.kill().unwrap();
    running.wait().unwrap();
    assert_eq!(worked(folder.path()), [""; 0]);
    eventually("its end", || is_over(&program).then_some(()));
    let output = record(folder.path(), &[], &["node", "next.cjs"]).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "next\n");
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.starts_with("An earlier recording was cut short."), "{stderr}");
    assert_eq!(worked(folder.path()), ["workInEarlier earlier.cjs"]);
    assert_eq!(recordings(folder.path()).len(), 2);
}

#[test]
fn two_at_once_and_folders_of_all_names() {
    let folder = Folder::new();
    let name = "a \"b\" 'c' größe $(d) %20";
    folder.write(&format!("{name}/work.cjs"), crate::recorded::WORK);
    let text = "const work = require('./work.cjs'); (function workInOddFolder() { work.for(150) })();
        if (!process.argv[2]) require('child_process').execFileSync('node', [__filename, 'child'], { env: { PATH: process.env.PATH } });";
    folder.write(&format!("{name}/main file.cjs"), text);
    let at = folder.path().join(name);
    let mut both: Vec<Child> = (0..2)
        .map(|_| record(&at, &[], &["node", "main file.cjs"]).stderr(Stdio::null()).spawn().unwrap())
        .collect();
    both.iter_mut().for_each(|it| assert!(it.wait().unwrap().success()));
    assert_eq!(recordings(&at).len(), 2);
    for recording in recordings(&at) {
        let report = report(&at, &recording);
        assert_eq!(report["traces"][0]["threads"], 2);
    }
    assert_eq!(worked(&at), ["workInOddFolder main file.cjs"]);
}

#[test]
fn options_pick_what_is_recorded() {
    // By the clock, because --delay and --duration use it.
    let text = "const work = require('./work.cjs'); const { spawnSync } = require('child_process');
        const last = (ms) => { for (const end = Date.now() + +ms; Date.now() < end;) work.for(1); };
        if (process.argv[2]) { (function workInChild() { work.for(300) })(); }
        else {
          (function workEarly() { last(process.env.EARLY) })(); (function workLate() { last(process.env.LATE) })();
          if (!process.env.NO_CHILD) spawnSync('node', [__filename, 'child']);
        }";
    let run = |options: &[&str], (early, late): (&str, &str), child: bool| {
        let folder = programs(&[("main.cjs", text)]);
        let mut command = record(folder.path(), options, &["node", "main.cjs"]);
        command.env("EARLY", early).env("LATE", late);
        if !child {
            command.env("NO_CHILD", "1");
        }
        let output = command.output().unwrap();
        assert!(output.status.success());
        worked(folder.path())
    };
    let all = ["workEarly main.cjs", "workInChild main.cjs", "workLate main.cjs"];
    assert_eq!(run(&[], ("500", "500"), true), all);
    assert_eq!(run(&["--only", "main.cjs child"], ("1", "1"), true), all[1..2]);
    assert_eq!(run(&["--only", "m*n.cjs ch*d"], ("1", "1"), true), all[1..2]);
    // Far apart, because a process may take a second to start.
    assert_eq!(run(&["--delay", "3s"], ("300", "5000"), false), all[2..]);
    assert_eq!(run(&["--duration", "3s"], ("5000", "200"), false), all[..1]);
}

#[test]
fn allocations_are_recorded_and_shown() {
    let text = "function workOnMemory() { const all = []; for (let i = 0; i < 1e5; i++) all.push({ i, text: 'a' + i }); return all; }
        globalThis.kept = workOnMemory();";
    let folder = programs(&[("main.cjs", text)]);
    let output = record(folder.path(), &["--heap"], &["node", "main.cjs"]).output().unwrap();
    assert!(output.status.success());
    assert_eq!(worked(folder.path()), ["workOnMemory main.cjs"]);
}

#[test]
fn allocations_that_were_collected_are_recorded_if_wanted() {
    // Each of them allocates about 16 MB, in stacks of 110 frames.
    let text = "const held = globalThis.held = [];
        function workAndKeep() { for (let i = 0; i < 2000; i++) held.push(new Array(1000).fill(i)); }
        function workAndDrop() { let sum = 0; for (let i = 0; i < 2000; i++) sum += new Array(1000).fill(i).length; return sum; }
        function deep(frames, then) { return frames === 0 ? then() : deep(frames - 1, then) + 1; }
        deep(110, workAndKeep);
        deep(110, workAndDrop);
        for (let i = 0; i < 20; i++) new Array(100_000).fill(i);";
    let folder = programs(&[("main.cjs", text)]);
    let megabytes = |option: &str| {
        let mut command =
            record(folder.path(), &[option, "--out", "main.heapprofile"], &["node", "main.cjs"]);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let report = ["report", "--format", "json", "main.heapprofile"];
        let output = Command::new(proflens()).args(report).current_dir(folder.path()).output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let functions = report["functions"].as_array().unwrap();
        ["workAndKeep", "workAndDrop"].map(|name| {
            let function = functions.iter().find(|function| function["name"] == name);
            function.map_or(0, |function| function["selfBytes"].as_u64().unwrap() / 1_000_000)
        })
    };
    let plausible = 10..25;
    let [kept, dropped] = megabytes("--heap");
    assert!(plausible.contains(&kept) && dropped < 3, "in use: {kept} and {dropped} MB");
    let [kept, dropped] = megabytes("--heap=all");
    assert!(plausible.contains(&kept) && plausible.contains(&dropped), "all: {kept} and {dropped} MB");
}

#[test]
fn what_cannot_be_recorded_is_said() {
    let folder = programs(&[("main.cjs", "console.log('ran')")]);
    let readable = format!("--allow-fs-read={}", folder.path().display());
    let mut shown = String::new();
    let commands: [&[&str]; 3] = [
        &["no-such-command"],
        &["sh", "-c", "exit 4"],
        &["node", "--no-warnings", "--permission", &readable, "main.cjs"],
    ];
    for command in commands {
        let output = record(folder.path(), &[], command).output().unwrap();
        let (stdout, stderr) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        // An older Node does not know --permission.
        let stderr = stderr.lines().filter(|it| !it.contains("bad option")).collect::<Vec<_>>().join("\n");
        let is_old =
            command[0] == "node" && !plain(folder.path(), command).output().unwrap().status.success();
        let status = if is_old { "0".to_owned() } else { ending(output.status) };
        let stdout = if is_old { "ran\n".into() } else { stdout };
        shown += &format!("{status} {stdout:?} {stderr}\n");
    }
    folder.write("file/.proflens", "");
    let output = record(&folder.path().join("file"), &[], &["node", "../main.cjs"]).output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    shown += &format!("{} {stdout:?} {stderr}", ending(output.status));
    expect![[r#"
        1 "" no-such-command cannot be started: No such file or directory (os error 2). Check its name, or the PATH.
        4 "" Note: nothing was recorded: the command ran no JavaScript in Node 16 or newer that took over NODE_OPTIONS.
        0 "ran\n" Note: Node is not recorded: the command has --permission, with which Node lets nobody look into it; Node 24 and newer allow it with --allow-inspector, --allow-worker, --allow-fs-read=* and --allow-fs-write=*.
        1 "" ./.proflens is no folder. Record in a folder of your own, or name another with --workspace.
    "#]]
    .assert_eq(&shown);
    assert_eq!(recordings(folder.path()).len(), 0);
    assert_eq!(notes(&output), [""; 0]);
}

#[test]
fn a_time_that_was_asked_for_is_all_that_is_recorded() {
    let spin = "const until = Date.now() + 2500; function spin() { while (Date.now() < until); } spin();";
    let record_for_a_while = || {
        let folder = programs(&[("spin.cjs", spin)]);
        let mut command = record(folder.path(), &["--duration", "400ms"], &["node", "spin.cjs"]);
        assert!(command.output().unwrap().status.success());
        let report = report(folder.path(), &recordings(folder.path())[0]);
        report["ledger"]["totalNs"].as_u64().unwrap()
    };
    // A busy machine takes few samples in that time, or none: then it is recorded again.
    let total = std::iter::repeat_with(record_for_a_while).take(20).find(|total| *total > 0);
    // No more than that, though the thread never lets anybody in.
    assert!(total.is_some_and(|total| total <= 400_000_000), "{total:?}");
}

#[test]
fn allocations_that_were_not_kept_are_an_error() {
    let folder = programs(&[("none.cjs", "")]);
    for (options, command) in
        [(&["--heap"][..], &["sh", "-c", ":"][..]), (&["--heap", "--delay", "9s"], &["node", "none.cjs"])]
    {
        let output = record(folder.path(), options, command).output().unwrap();
        let sentence = "No allocations were kept: none was sampled, or nothing that was allocated is still in use. Record something \
                        that allocates more, or for longer.\n";
        assert_eq!(
            (output.status.code(), &*String::from_utf8_lossy(&output.stderr)),
            (Some(1), sentence),
            "{command:?}"
        );
    }
    let output = record(folder.path(), &["--heap"], &["sh", "-c", "exit 4"]).output().unwrap();
    assert_eq!(output.status.code(), Some(4), "what the command says counts more");
}

#[test]
fn what_can_be_recorded_is_named() {
    let folder = programs(&[]);
    let output = Command::new(tests::proflens()).arg("record").current_dir(folder.path()).output().unwrap();
    assert_eq!(
        (output.status.code(), &*String::from_utf8_lossy(&output.stderr)),
        (
            Some(2),
            "Nothing is named. Name a command (proflens record node app.js), what runs already (--attach PID) or a page (--page URL).\n"
        )
    );
    assert!(!folder.path().join(".proflens").exists());
}

/// What keeps a child from being recorded keeps it from being counted too.
#[test]
fn what_both_runs_lack_is_said_once() {
    let main =
        "function workMain() { let sum = 0; for (let i = 0; i < 4e7; i++) sum += i; return sum; } workMain();
        require('child_process').spawnSync('node', ['--test', '--experimental-test-coverage', 'none.cjs']);";
    let folder = programs(&[("main.cjs", main), ("none.cjs", "")]);
    let output = record(folder.path(), &["--counts"], &["node", "main.cjs"]).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let said: Vec<&str> =
        stderr.lines().filter(|line| line.contains("--experimental-test-coverage")).collect();
    let [note] = said[..] else { panic!("{stderr}") };
    let sentence = "node was not recorded: with --experimental-test-coverage Node would not start, or would show the recorder; there may be \
                    more calls than are said.";
    assert!(note.ends_with(sentence), "{note}");
}

/// Of a program that runs JavaScript elsewhere it is said how to record that.
#[test]
fn what_runs_elsewhere_is_named() {
    let main = "const { spawnSync } = require('child_process');
        for (const name of ['workerd', 'chromium', 'chrome-headless-shell', 'chromosome', 'turbo']) spawnSync('./' + name);";
    let folder = programs(&[("main.cjs", main)]);
    for name in ["workerd", "chromium", "chrome-headless-shell", "chromosome", "turbo"] {
        let file = folder.write(name, "#!/bin/sh\n");
        std::fs::set_permissions(file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    let output = record(folder.path(), &[], &["node", "main.cjs"]).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let said: Vec<&str> = stderr.lines().filter(|line| line.contains("was not recorded")).collect();
    expect![[r#"
        Note: chrome-headless-shell was not recorded: it runs pages: name one with proflens record --page URL, or start the browser with --remote-debugging-port=9222, and then proflens record --attach 127.0.0.1:9222.
        Note: turbo was not recorded: it runs tasks, which get no recorder without turbo run --env-mode=loose.
        Note: workerd was not recorded: it runs workers, which have an inspector of their own: start wrangler dev with --inspector-port 9230, and then proflens record --attach 127.0.0.1:9230."#]].assert_eq(&said.join("\n"));
}

#[test]
fn a_command_needs_no_dashes_before_it() {
    let folder = programs(&[("print.cjs", "console.log(process.argv.slice(2).join(' '))")]);
    let run = |arguments: &[&str]| {
        let mut command = Command::new(tests::proflens());
        let output = command.args(arguments).current_dir(folder.path()).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let printed = (Some(0), "--heap -- --page x\n".to_owned());
    assert_eq!(run(&["record", "node", "print.cjs", "--heap", "--", "--page", "x"]), printed);
    assert_eq!(run(&["record", "--", "node", "print.cjs", "--heap", "--", "--page", "x"]), printed);
    assert_eq!(run(&["record", "--hepa", "node", "print.cjs"]), (Some(2), String::new()));
}
