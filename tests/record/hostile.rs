//! What a repository brings, and what a program leaves: files are only written where they belong, nothing hangs, and no recording
//! fails because of an earlier one.

#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use expect_test::expect;
use tests::{Folder, proflens, state_of};

use crate::recorded::{ending, programs, record, recordings, unfinished, worked};
use crate::told::{RAN, run, told};

/// A user other than the one who runs the tests, who is root.
const NOBODY: u32 = 65534;

#[test]
fn what_a_repository_brings_is_no_recording() {
    let mut shown = String::new();
    for (name, out) in [("relative", "../../victim"), ("absolute", "HOME/victim")] {
        let folder = Folder::new();
        folder.write("victim", "mine");
        folder.write("secret", "SECRET-TOKEN");
        folder.write("src/repo/main.cjs", RAN);
        let repo = folder.path().join("src/repo");
        let old = repo.join(".proflens/.unfinished/x");
        leave(&old, "../../../../../secret");
        let out = out.replace("HOME", &folder.path().to_string_lossy());
        fs::write(old.join("recording.json"), format!(r#"{{"process":2147480000,"out":"{out}"}}"#)).unwrap();
        let endless = repo.join(".proflens/.unfinished/y");
        leave(&endless, "5.text");
        fs::remove_file(endless.join("2147480000-0.start.json")).unwrap();
        symlink("/dev/zero", endless.join("2147480000-0.start.json")).unwrap();
        let output = record(&repo, &[], &["node", "main.cjs"]).output().unwrap();
        let all = everything(&repo.join(".proflens/recordings"));
        shown += &format!(
            "{name}: {}    {} recording, victim {:?}, secret {}, function {}\n",
            told(&folder, &output),
            recordings(&repo).len(),
            folder.read("victim"),
            all.contains("SECRET-TOKEN"),
            all.contains("workOfAnother"),
        );
    }
    expect![[r#"
        relative: 0 "ran\n"
            1 recording, victim "mine", secret false, function false
        absolute: 0 "ran\n"
            1 recording, victim "mine", secret false, function false
    "#]]
    .assert_eq(&shown);
}

/// Something that was done to what a recording has left.
type Change = fn(&Path);

/// What a killed recording has left: a thread that worked, as its recorder writes it.
fn leave(folder: &Path, text: &str) {
    fs::create_dir_all(folder).unwrap();
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).unwrap();
    let write = |file: &str, text: &str| fs::write(folder.join(file), text).unwrap();
    let head = r#"{"time":1700000000000,"name":"a.js"}"#;
    write(
        "recording.json",
        &format!(r#"{{"head":{head},"heap":false,"had_out":false,"process":1,"out":"../victim"}}"#),
    );
    write(".lock", "");
    write("2147480000-0.start.json", r#"{"process":2147480000,"thread":0,"arguments":["a.js"]}"#);
    let frame = |name: &str, id: u8, url: &str| {
        format!(
            r#"{{"functionName":"{name}","scriptId":"{id}","url":"{url}","lineNumber":0,"columnNumber":0}}"#
        )
    };
    let nodes = format!(
        r#"[{{"id":1,"callFrame":{},"hitCount":0,"children":[2]}},{{"id":2,"callFrame":{},"hitCount":2}}]"#,
        frame("(root)", 0, ""),
        frame("workOfAnother", 5, "file:///x/a.js"),
    );
    let profile = format!(
        r#"{{"nodes":{nodes},"startTime":0,"endTime":3000,"samples":[2,2],"timeDeltas":[1000,1000]}}"#
    );
    let script =
        format!(r#"{{"scriptId":"5","url":"file:///x/a.js","text":"{text}","mapUrl":null,"map":null}}"#);
    write("2147480000-0.part.json", &format!(r#"{{"profile":{profile},"scripts":[{script}],"marks":[]}}"#));
}

/// All that lies below a folder, its texts unpacked.
fn everything(folder: &Path) -> String {
    let output =
        Command::new("sh").args(["-c", "find . -type f -exec zcat -f {} +"]).current_dir(folder).output();
    String::from_utf8_lossy(&output.unwrap().stdout).into_owned()
}

/// What is in the state folder is trusted if only this user can have written it, and goes nowhere except among the recordings.
#[test]
fn a_recording_is_taken_up_from_its_own_user_only() {
    let mut shown = String::new();
    let changes: [(&str, Change); 8] = [
        ("ours", |_| {}),
        ("open to others", |path| fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap()),
        ("of another user", |path| chown(path, Some(NOBODY), None).unwrap()),
        ("a link", |path| {
            let real = path.with_file_name("real");
            fs::rename(path, &real).unwrap();
            symlink("real", path).unwrap();
            fs::set_permissions(&real, fs::Permissions::from_mode(0o770)).unwrap();
        }),
        ("tried three times", |path| {
            (1..=3).for_each(|number| fs::write(path.join(format!(".try-{number}")), "").unwrap());
        }),
        ("without a head, new", |path| fs::remove_file(path.join("recording.json")).unwrap()),
        ("without a head, old", |path| {
            fs::remove_file(path.join("recording.json")).unwrap();
            assert!(Command::new("touch").args(["-d", "15 days ago"]).arg(path).status().unwrap().success());
        }),
        ("a pipe for its head", |path| {
            fs::remove_file(path.join("recording.json")).unwrap();
            assert!(Command::new("mkfifo").arg(path.join("recording.json")).status().unwrap().success());
        }),
    ];
    for (name, change) in changes {
        let folder = programs(&[("main.cjs", RAN)]);
        run(&folder, &[], &["node", "main.cjs"]);
        let workspaces = state_of(folder.path()).join("proflens/unfinished");
        let workspace = fs::read_dir(workspaces).unwrap().next().unwrap().unwrap().path();
        let left = workspace.join("2026-01-01T00-00-00-a.js");
        leave(&left, "5.text");
        fs::write(left.join("5.text"), "function workOfAnother() {}").unwrap();
        change(&left);
        let output = run(&folder, &[], &["node", "main.cjs"]);
        let name_of = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
        let left: Vec<String> = unfinished(folder.path()).iter().map(name_of).collect();
        let count = recordings(folder.path()).len();
        shown += &format!("{name}: {}    {count} recordings, left {left:?}\n", told(&folder, &output));
    }
    expect![[r#"
        ours: 0 "ran\n"
            An earlier recording was cut short. What it left is put together.
            Note: .proflens/recordings/N 100 % of the active time belongs to scripts that are not in the workspace: /x/a.js; use a folder that contains them as the workspace (--workspace), or map their path to a folder with a path mapping (--map).
            3 recordings, left []
        open to others: 0 "ran\n"
            2 recordings, left ["2026-01-01T00-00-00-a.js"]
        of another user: 0 "ran\n"
            2 recordings, left ["2026-01-01T00-00-00-a.js"]
        a link: 0 "ran\n"
            2 recordings, left ["2026-01-01T00-00-00-a.js", "real"]
        tried three times: 0 "ran\n"
            Note: an earlier recording cannot be put together: it was tried 3 times. What it left lies in STATE/proflens/unfinished/N/N for 14 days.
            2 recordings, left ["failed-2026-01-01T00-00-00-a.js"]
        without a head, new: 0 "ran\n"
            2 recordings, left ["2026-01-01T00-00-00-a.js"]
        without a head, old: 0 "ran\n"
            2 recordings, left []
        a pipe for its head: 0 "ran\n"
            Note: an earlier recording cannot be put together: it is no regular file. What it left lies in STATE/proflens/unfinished/N/N for 14 days.
            2 recordings, left ["failed-2026-01-01T00-00-00-a.js"]
    "#]].assert_eq(&shown);
}

#[test]
fn links_of_a_repository_are_not_followed() {
    let mut shown = String::new();
    let links: [(&str, &str, &[&str]); 7] = [
        (".proflens", "../outside", &[]),
        (".proflens/recordings", "../../outside", &[]),
        (".proflens/recordings", "../../outside", &["--repeat", "1"]),
        (".proflens/.gitignore", "../../outside/ignore", &[]),
        ("out.json", "../outside/file", &["--out", "out.json"]),
        ("runs", "../outside", &["--out", "runs/a.json"]),
        ("runs", "../outside", &["--repeat", "1", "--out", "runs/before"]),
    ];
    for (link, target, options) in links {
        let folder = Folder::new();
        folder.write("repo/main.cjs", RAN);
        folder.write("outside/file", "mine");
        let repo = folder.path().join("repo");
        fs::create_dir_all(repo.join(link).parent().unwrap()).unwrap();
        symlink(target, repo.join(link)).unwrap();
        let output = record(&repo, options, &["node", "main.cjs"]).output().unwrap();
        let outside = fs::read_dir(folder.path().join("outside")).unwrap().count();
        let is_as_before = outside == 1 && folder.read("outside/file") == "mine";
        shown += &format!("{link} {options:?}: {}", told(&folder, &output));
        assert!(is_as_before, "{link} was followed");
    }
    expect![[r#"
        .proflens []: 1 ""
            ./.proflens is a link, and nothing is written where it leads. Remove it, or name another place with --out.
        .proflens/recordings []: 1 ""
            ./.proflens/recordings is a link, and nothing is written where it leads. Remove it, or name another place with --out.
        .proflens/recordings ["--repeat", "1"]: 1 ""
            ./.proflens/recordings is a link, and nothing is written where it leads. Remove it, or name another place with --out.
        .proflens/.gitignore []: 0 "ran\n"
        out.json ["--out", "out.json"]: 0 "ran\n"
        runs ["--out", "runs/a.json"]: 1 ""
            FOLDER/repo/runs is a link, and nothing is written where it leads. Remove it, or name another place with --out.
        runs ["--repeat", "1", "--out", "runs/before"]: 1 ""
            FOLDER/repo/runs is a link, and nothing is written where it leads. Remove it, or name another place with --out.
    "#]].assert_eq(&shown);
}

#[test]
fn out_is_looked_at_before_the_command_starts() {
    let folder = programs(&[("main.cjs", RAN)]);
    folder.write("file", "mine");
    folder.write("folder/file", "");
    let mut shown = String::new();
    for out in ["folder", "new/", "file/a.json", "/dev/null", "/proc/a.json", "new/folder/a.json.gz", "file"]
    {
        let output = run(&folder, &["--out", out], &["node", "main.cjs"]);
        shown += &format!("{out}: {}", told(&folder, &output));
    }
    // None of them has cost the next one anything.
    shown += &format!("then: {}", told(&folder, &run(&folder, &[], &["node", "main.cjs"])));
    assert!(folder.path().join("new/folder/a.json.gz").is_file());
    assert_eq!(unfinished(folder.path()), [""; 0].map(PathBuf::from));
    expect![[r#"
        folder: 1 ""
            folder is a folder. Name another file with --out.
        new/: 1 ""
            new/ is a folder. Name another file with --out.
        file/a.json: 1 ""
            FOLDER/file is no folder. Name another file with --out.
        /dev/null: 1 ""
            /dev/null is neither a file nor a folder. Name another file with --out.
        /proc/a.json: 1 ""
            /proc cannot be written: No such file or directory (os error 2). Name another file with --out.
        new/folder/a.json.gz: 0 "ran\n"
        file: 0 "ran\n"
        then: 0 "ran\n"
    "#]]
    .assert_eq(&shown);
}

/// The destination is full, or gone, when the command has ended: what was recorded stays, and the next recording puts it
/// together.
#[test]
fn what_cannot_be_written_in_the_end_is_written_by_the_next() {
    let text = "const work = require('./work.cjs'); (function workOnce() { work.for(100) })(); console.log('ran');
        if (process.argv[2]) require('fs').rmSync('out', { recursive: true }), require('fs').writeFileSync('out', '');";
    let folder = programs(&[("main.cjs", text)]);
    let mut shown = String::new();
    // A disk of its own, with room for a file but not for its content.
    let line = "mkdir -p full && mount -t tmpfs -o size=4k none full && cd full && head -c 4096 /dev/zero > full; cd ..";
    let line = format!("{line}; exec '{}' record --out full/a.json -- node main.cjs", proflens().display());
    let mut full = Command::new("unshare");
    full.args(["--mount", "sh", "-c", &line]).current_dir(folder.path()).stdin(Stdio::null());
    full.env("XDG_STATE_HOME", state_of(folder.path())).env_remove("NODE_OPTIONS");
    shown += &format!("full: {}", told(&folder, &full.output().unwrap()));
    shown += &format!("then: {}", told(&folder, &run(&folder, &[], &["node", "-e", "console.log('next')"])));
    assert_eq!(worked(folder.path()), ["workOnce main.cjs"]);
    let gone = run(&folder, &["--out", "out/a.json"], &["node", "main.cjs", "gone"]);
    shown += &format!("gone: {}", told(&folder, &gone));
    assert_eq!(unfinished(folder.path()).len(), 1);
    // It cannot be written where it would go now, either: that is reported once.
    fs::remove_dir_all(folder.path().join(".proflens")).unwrap();
    folder.write(".proflens", "");
    for _ in 0..2 {
        let next = run(&folder, &["--out", "other/b.json"], &["node", "-e", "console.log('next')"]);
        shown += &format!("then: {}", told(&folder, &next));
    }
    expect![[r#"
        full: 1 "ran\n"
            FOLDER/full/a.json cannot be written: No space left on device (os error 28). What was recorded lies in STATE/proflens/unfinished/N/N the next proflens record in this workspace puts it together.
        then: 0 "next\n"
            An earlier recording was cut short. What it left is put together.
            Note: that recording lies among the others, not where its --out said: nobody knows what is there now.
        gone: 1 "ran\n"
            FOLDER/out is no folder. Name another file with --out. What was recorded lies in STATE/proflens/unfinished/N/N the next proflens record in this workspace puts it together.
        then: 0 "next\n"
            An earlier recording was cut short. What it left is put together.
            Note: an earlier recording cannot be put together: ./.proflens is no folder. Record in a folder of your own, or name another with --workspace. What it left lies in STATE/proflens/unfinished/N/N for 14 days.
        then: 0 "next\n"
    "#]].assert_eq(&shown);
}

#[test]
fn what_a_program_leaves_hangs_nothing() {
    let text = "const { folder } = JSON.parse(process.env.PROFLENS_RECORD); const { execFileSync } = require('child_process');
        require('fs').rmSync(`${folder}/began`, { force: true });
        for (const file of ['1-0.start.json', '2-0.start.json', '2-0.part.json', 'began']) execFileSync('mkfifo', [`${folder}/${file}`]);
        require('fs').symlinkSync('/dev/zero', `${folder}/3-0.start.json`); console.log('ran')";
    let folder = programs(&[("main.cjs", text)]);
    for options in [&[][..], &["--duration", "20s"]] {
        let output = run(&folder, options, &["node", "main.cjs"]);
        assert_eq!((ending(output.status), &*output.stdout), ("0".to_owned(), &b"ran\n"[..]));
    }
    assert_eq!(unfinished(folder.path()), [""; 0].map(PathBuf::from));
}

/// A user without a home has a folder among the temporary files; what another user has put there is not used.
#[test]
fn a_state_folder_belongs_to_its_user() {
    let folder = programs(&[("main.cjs", RAN)]);
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let at = |name: &str| folder.path().join(name);
    let make = |name: &str, mode: u32, user: u32| {
        fs::create_dir_all(at(name)).unwrap();
        fs::set_permissions(at(name), fs::Permissions::from_mode(mode)).unwrap();
        chown(at(name), Some(user), Some(user)).unwrap();
    };
    make("temporary", 0o1777, 0);
    make("mine", 0o755, NOBODY);
    make("open/proflens", 0o755, NOBODY);
    make("foreign/proflens", 0o700, 1);
    make("open", 0o755, NOBODY);
    make("foreign", 0o755, NOBODY);
    make("link", 0o755, NOBODY);
    symlink("../mine", at("link/proflens")).unwrap();
    let mut shown = String::new();
    for state in ["mine", "none/here", "relative", "open", "foreign", "link"] {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(proflens());
        command.args(["record", "--", "node", "main.cjs"]).current_dir(folder.path()).env_clear();
        let path = if state == "relative" { PathBuf::from(state) } else { at(state) };
        command
            .env("XDG_STATE_HOME", path)
            .env("TMPDIR", at("temporary"))
            .env("PATH", std::env::var_os("PATH").unwrap());
        command.env("HOME", "/nonexistent");
        shown += &format!("{state}: {}", told(&folder, &command.output().unwrap()));
    }
    let there = |path: &str| {
        fs::symlink_metadata(at(path)).is_ok_and(|about| about.permissions().mode() & 0o077 == 0)
    };
    assert!(there("mine/proflens/unfinished") && there("temporary/proflens-65534/unfinished"));
    assert!(!at("relative").exists() && !at("mine/unfinished").exists());
    expect![[r#"
        mine: 0 "ran\n"
        none/here: 0 "ran\n"
        relative: 0 "ran\n"
        open: 1 ""
            FOLDER/open/proflens is open to other users. Remove it, make it yours alone (chmod 700), or name another folder with XDG_STATE_HOME.
        foreign: 1 ""
            FOLDER/foreign/proflens belongs to another user. Remove it, make it yours alone (chmod 700), or name another folder with XDG_STATE_HOME.
        link: 1 ""
            FOLDER/link/proflens is a link, and nothing is written where it leads. Remove it, make it yours alone (chmod 700), or name another folder with XDG_STATE_HOME.
    "#]].assert_eq(&shown);
}
