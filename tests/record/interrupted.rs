//! Who receives a signal, and who is still at work: at a terminal, after the command has ended, and across containers.

#![cfg(target_os = "linux")]

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use expect_test::expect;
use tests::{Folder, proflens, state_of};

use crate::options::ENDLESS;
use crate::recorded::eventually;
use crate::recorded::{ending, programs, record, unfinished, worked};
use crate::told::{RAN, kill, run, told};

/// While a recording is put together, no command receives a signal: the signal ends `proflens`, and what was recorded stays.
#[test]
fn a_signal_ends_proflens_when_its_command_has_ended() {
    // The process that lives on says that it is writing, and is waited for.
    let text = "const { folder } = JSON.parse(process.env.PROFLENS_RECORD); const fs = require('fs');
        if (process.argv[2]) setTimeout(() => {}, 60_000);
        else {
          const child = require('child_process').spawn(process.execPath, [__filename, 'on'], { detached: true, stdio: 'ignore' });
          fs.writeFileSync(`${folder}/1-0.writing`, ''); child.unref();
          fs.writeFileSync('child', String(child.pid)); fs.writeFileSync('pid', String(process.pid));
        }";
    let mut shown = String::new();
    for (signal, options) in [("-INT", &[][..]), ("-TERM", &[]), ("-TERM", &["--repeat", "3"])] {
        let folder = programs(&[("main.cjs", text)]);
        let mut running = record(folder.path(), options, &["node", "main.cjs"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let read =
            |file: &str| fs::read_to_string(folder.path().join(file)).ok().filter(|text| !text.is_empty());
        let program = eventually("the program", || read("pid"));
        eventually("its end", || (!Path::new(&format!("/proc/{program}")).exists()).then_some(()));
        let status = eventually("the end", || {
            // A signal that comes at once may be the one that ended the command.
            kill(signal, &running.id().to_string());
            running.try_wait().unwrap()
        });
        let left = unfinished(folder.path()).len();
        shown += &format!("{signal} {options:?}: {}, {left} left\n", ending(status));
        kill("-KILL", &read("child").unwrap());
    }
    expect![[r#"
        -INT []: signal 2, 1 left
        -TERM []: signal 15, 1 left
        -TERM ["--repeat", "3"]: signal 15, 1 left
    "#]]
    .assert_eq(&shown);
}

/// Starts a line of a shell at a terminal, and types Ctrl-C there when the program is ready.
fn interrupted_at_a_terminal(folder: &Folder, line: &str) -> Output {
    let mut terminal = Command::new("script")
        .args(["--quiet", "--return", "--command", line, "/dev/null"])
        .current_dir(folder.path())
        .env("XDG_STATE_HOME", state_of(folder.path()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    eventually("the program", || folder.path().join("ready").exists().then_some(()));
    terminal.stdin.as_mut().unwrap().write_all(b"\x03").unwrap();
    terminal.wait_with_output().unwrap()
}

/// What is typed at a terminal goes to both.
#[test]
fn control_c_at_a_terminal() {
    let folder = programs(&[("endless.cjs", ENDLESS)]);
    let line = format!("trap : INT; '{}' record -- node endless.cjs; echo status $?", proflens().display());
    let output = interrupted_at_a_terminal(&folder, &line);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("status 130"), "{text}");
    assert_eq!(worked(folder.path())[..1], ["workAtFirst endless.cjs"]);
}

/// A program whose stdin is not a terminal, but which belongs to the terminal's foreground group.
#[test]
fn control_c_is_heard_once() {
    let text = "let heard = 0; process.on('SIGINT', () => { if (++heard === 1) setTimeout(() => { console.log(`heard ${heard}`); process.exit(3) }, 700) });
        setInterval(() => {}, 50); require('fs').writeFileSync('ready', '1')";
    let folder = programs(&[("main.cjs", text)]);
    let line = format!("exec '{}' record -- node main.cjs </dev/null", proflens().display());
    let output = interrupted_at_a_terminal(&folder, &line);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("heard 1"), "{text}");
    assert_eq!(ending(output.status), "3");
}

/// Process numbers mean other processes in a container, and a container may share a workspace with its host.
#[test]
fn a_recording_under_way_in_a_container_is_left_alone() {
    let text = "const work = require('./work.cjs'); require('fs').writeFileSync('ready', '1');
        (function workInside() { while (!require('fs').existsSync('done')) work.for(20) })(); console.log('inside');";
    let folder = programs(&[("main.cjs", text)]);
    let start = |out: &str| -> Child {
        let mut inside = Command::new("unshare");
        let command = ["record", "--out", out, "--", "node", "main.cjs"];
        inside.args(["--pid", "--fork", "--mount-proc", "--kill-child"]).arg(proflens()).args(command);
        inside
            .current_dir(folder.path())
            .env("XDG_STATE_HOME", state_of(folder.path()))
            .env_remove("NODE_OPTIONS");
        inside.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let ready = || folder.path().join("ready").exists().then_some(());
    let inside = start("inside.json");
    eventually("the program", ready);
    let outside = run(&folder, &["--out", "outside.json"], &["node", "-e", RAN]);
    assert_eq!(told(&folder, &outside), "0 \"ran\\n\"\n");
    folder.write("done", "");
    let inside = inside.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&inside.stdout), "inside\n");
    let stderr = String::from_utf8_lossy(&inside.stderr);
    assert!(stderr.starts_with("Recorded ") && stderr.contains("workInside"), "{stderr}");

    // And when the whole container was killed, its recording is finished from outside, among the others.
    fs::remove_file(folder.path().join("done")).unwrap();
    fs::remove_file(folder.path().join("ready")).unwrap();
    let mut inside = start("inside.json");
    eventually("the program", ready);
    inside.kill().unwrap();
    inside.wait().unwrap();
    let outside = eventually("what it left", || {
        let outside = run(&folder, &["--out", "outside.json"], &["node", "-e", RAN]);
        String::from_utf8_lossy(&outside.stderr).contains("cut short").then_some(outside)
    });
    expect![[r#"
        0 "ran\n"
            An earlier recording was cut short. What it left is put together.
            Note: main.cjs (pid N) ended before the last of what it recorded could be written: it was killed, it crashed, or the disk is full.
    "#]].assert_eq(&told(&folder, &outside));
}
