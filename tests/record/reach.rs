//! Node does not start if it cannot load what `NODE_OPTIONS` names: the recorder stays within reach whatever a command does, and is left
//! out where Node may not load it.

#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

use expect_test::expect;
use tests::Folder;

use crate::recorded::{ending, notes, plain, programs};
use crate::told::{RAN, run};

/// Runs a command under `record`, which must end and print as it does without.
fn recorded_as_it_runs(folder: &Folder, command: &[&str]) -> Output {
    let without = plain(folder.path(), command).output().unwrap();
    let with = run(folder, &[], command);
    assert_eq!(ending(with.status), ending(without.status), "{command:?}");
    assert_eq!(
        String::from_utf8_lossy(&with.stdout),
        String::from_utf8_lossy(&without.stdout),
        "{command:?}"
    );
    with
}

/// Node does not start if it cannot load what `NODE_OPTIONS` names.
#[test]
fn the_recorder_is_in_reach_whatever_a_command_does() {
    let other_user = "const { spawnSync } = require('child_process');
        const child = spawnSync(process.execPath, ['-p', 'process.getuid()'], { uid: 65534, gid: 65534, cwd: '/' });
        console.log(child.status, String(child.stdout), String(child.stderr))";
    let folder = programs(&[("main.cjs", RAN), ("other.cjs", other_user)]);
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
    assert!(
        Command::new("git").args(["init", "--quiet"]).current_dir(folder.path()).status().unwrap().success()
    );
    let commands: [&[&str]; 3] = [
        &["sh", "-c", "git clean -fdxq -e '*.cjs'; node main.cjs"],
        &["sh", "-c", "rm -rf .proflens; node main.cjs; node main.cjs"],
        &["node", "other.cjs"],
    ];
    for command in commands {
        let with = recorded_as_it_runs(&folder, command);
        let stderr = String::from_utf8_lossy(&with.stderr);
        assert!(stderr.contains("Recorded "), "{command:?}: {stderr}");
    }
}

/// Who sets `NODE_OPTIONS` anew leaves the recorder out, and is told how not to.
#[test]
fn a_script_that_sets_the_options_of_node_is_named() {
    let folder = programs(&[("app/main.cjs", RAN)]);
    let big = "NODE_OPTIONS=--max-old-space-size=512 node app/main.cjs";
    let kept = "NODE_OPTIONS=\\\"$NODE_OPTIONS --max-old-space-size=512\\\" node app/main.cjs";
    folder.write(
        "package.json",
        format!(
            r#"{{ "scripts": {{ "big": "{big}", "kept": "{kept}", "both": "node app/main.cjs && {big}" }} }}"#
        ),
    );
    let commands: [&[&str]; 4] = [
        &["npm", "run", "--silent", "big"],
        &["npm", "run", "--silent", "kept"],
        &["npm", "run", "--silent", "both"],
        &["sh", "-c", big],
    ];
    let mut shown = String::new();
    for command in commands {
        let with = recorded_as_it_runs(&folder, command);
        let stderr =
            String::from_utf8_lossy(&with.stderr).replace(&*folder.path().to_string_lossy(), "FOLDER");
        let said: Vec<&str> = stderr.lines().filter(|line| line.starts_with("Note: ")).collect();
        shown += &format!("{}: {}\n", command.join(" "), said.join(" "));
    }
    expect![[r#"
        npm run --silent big: Note: nothing was recorded: the script big of FOLDER/package.json sets NODE_OPTIONS, by which the recorder comes into Node, so that what it starts is not recorded; write NODE_OPTIONS="$NODE_OPTIONS --max-old-space-size=512" there.
        npm run --silent kept: 
        npm run --silent both: Note: the script both of FOLDER/package.json sets NODE_OPTIONS, by which the recorder comes into Node, so that what it starts is not recorded; write NODE_OPTIONS="$NODE_OPTIONS --max-old-space-size=512" there.
        sh -c NODE_OPTIONS=--max-old-space-size=512 node app/main.cjs: Note: nothing was recorded: the command sets NODE_OPTIONS, by which the recorder comes into Node, so that what it starts is not recorded; write NODE_OPTIONS="$NODE_OPTIONS --max-old-space-size=512" there.
    "#]].assert_eq(&shown);
}

/// With the permission model, or a policy, Node does not start with a recorder that it may not read.
#[test]
fn a_node_that_may_not_be_looked_into_runs_without_a_recorder() {
    let flag = ["--permission", "--experimental-permission"]
        .into_iter()
        .find(|flag| Command::new("node").args([flag, "--version"]).output().unwrap().status.success())
        .unwrap();
    let folder = programs(&[("app/main.cjs", RAN)]);
    let node = format!("node {flag} --allow-fs-read={}/app/ app/main.cjs", folder.path().display());
    folder.write("run.sh", format!("#!/bin/sh\n{node}\n"));
    fs::set_permissions(folder.path().join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    folder.write("package.json", format!(r#"{{ "scripts": {{ "prebuild": "npm run --silent step", "step": "{node}", "build": "exit 5", "free": "node app/main.cjs" }} }}"#));
    folder.write("deep.sh", "cd . && sh ./run.sh\n");
    folder.write("Makefile", format!("all:\n\t@{node}\n"));
    let words: Vec<&str> = node.split(' ').collect();
    let with_value = words.join(" ").replace(flag, &format!("{flag}=true"));
    let with_value: Vec<&str> = with_value.split(' ').collect();
    let commands: [&[&str]; 10] = [
        &words,
        &with_value,
        &["sh", "-c", &node],
        &["sh", "run.sh"],
        &["./run.sh"],
        &["sh", "-c", "sh deep.sh; exit 3"],
        &["npm", "run", "--silent", "build"],
        &["sh", "-c", "npm run --silent build"],
        &["npm", "run", "--silent", "free"],
        &["make", "-s"],
    ];
    let mut shown = String::new();
    for command in commands {
        let with = recorded_as_it_runs(&folder, command);
        let line =
            command.join(" ").replace(&node, "NODE").replace(&*folder.path().to_string_lossy(), "FOLDER");
        let said = notes(&with).join(" ").replace(&*folder.path().to_string_lossy(), "FOLDER");
        shown += &format!("{}: {}\n", line.replace(flag, "FLAG"), said.replace(flag, "FLAG"));
    }
    expect![[r#"
        NODE: Note: Node is not recorded: the command has FLAG, with which Node lets nobody look into it; Node N and newer allow it with --allow-inspector, --allow-worker, --allow-fs-read=* and --allow-fs-write=*.
        node FLAG=true --allow-fs-read=FOLDER/app/ app/main.cjs: Note: Node is not recorded: the command has FLAG, with which Node lets nobody look into it; Node N and newer allow it with --allow-inspector, --allow-worker, --allow-fs-read=* and --allow-fs-write=*.
        sh -c NODE: Note: Node is not recorded: the command has FLAG, with which Node lets nobody look into it; Node N and newer allow it with --allow-inspector, --allow-worker, --allow-fs-read=* and --allow-fs-write=*.
        sh run.sh: Note: Node is not recorded: run.sh has FLAG, with which Node lets nobody look into it; Node N and newer allow it with --allow-inspector, --allow-worker, --allow-fs-read=* and --allow-fs-write=*.
        ./run.sh: Note: Node is not recorded: ./run.sh has FLAG, with which Node lets nobody look into it; Node N and newer allow it with --allow-inspector, --allow-worker, --allow-fs-read=* and --allow-fs-write=*.
        sh -c sh deep.sh; exit 3: Note: Node is not recorded: ./run.sh has FLAG, with which Node lets nobody look into it; Node N and newer allow it with --allow-inspector, --allow-worker, --allow-fs-read=* and --allow-fs-write=*.
        npm run --silent build: Note: Node is not recorded: the script step of N has FLAG, with which Node lets nobody look into it; Node N and newer allow it with --allow-inspector, --allow-worker, --allow-fs-read=* and --allow-fs-write=*.
        sh -c npm run --silent build: Note: Node is not recorded: the script step of N has FLAG, with which Node lets nobody look into it; Node N and newer allow it with --allow-inspector, --allow-worker, --allow-fs-read=* and --allow-fs-write=*.
        npm run --silent free: 
        make -s: Note: Node is not recorded: ./Makefile has FLAG, with which Node lets nobody look into it; Node N and newer allow it with --allow-inspector, --allow-worker, --allow-fs-read=* and --allow-fs-write=*.
    "#]].assert_eq(&shown);
}
