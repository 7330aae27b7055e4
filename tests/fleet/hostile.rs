//! Sessions, folders and lakes that somebody else has made: they do not fill memory, lead nowhere outside the lake, and do nothing to
//! a screen.

#![cfg(unix)] // links, pipes and full devices

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use expect_test::expect;
use tests::Folder;

use crate::fleet::{Ran, command, files, good, ran, run};
use crate::wrong::session;

/// What was reported, without what every ingest without maps reports.
fn said(ran: &Ran) -> String {
    let lines = ran.stderr.lines().filter(|it| !it.starts_with("The lake has no maps"));
    lines.map(|it| format!("{it}\n")).collect()
}

fn rows(folder: &Folder) -> String {
    good(folder, &["rows", "slice", "lake"])
}

#[test]
fn one_bad_dimension_costs_itself() {
    let folder = Folder::new();
    let good_one = session(r#"{"page":"/cart"}"#);
    let long = "x".repeat(600);
    let bad = [
        r#"{"page":["/cart"],"device":{"a":1},"user":null}"#.to_owned(),
        r#"{"page":"\ud800"}"#.to_owned(),
        r#"{"page":1e999}"#.to_owned(),
        format!(r#"{{"page":"{long}"}}"#),
        format!(r#"{{"{long}":"a","":"b"}}"#),
        "[]".to_owned(),
        "7".to_owned(),
    ];
    let lines: Vec<String> = bad.iter().map(|it| session(it)).collect();
    let times = good_one.replace("2026-11-20T10:00:00.000Z", "9999-12-31T23:59:60.999Z");
    let year = good_one.replace(r#""timestamp":10"#, r#""timestamp":31536000000"#);
    let no_release = session(r#"{"release":["1"],"page":"/cart"}"#);
    folder.write(
        "a.ndjson",
        [&good_one, &lines.join("\n"), &times, &year, &no_release].map(|it| format!("{it}\n")).concat(),
    );
    let ran = run(&folder, &["ingest", "--release", "1", "--out", "lake", "a.ndjson"]);
    expect![[r#"
        10 sessions in lake.
        a.ndjson: 11 dimensions were left out, the first is in line 2: its value is no text and no number.
        a.ndjson: line 10 was left out: its samples span more than a day. The other 10 were used.
    "#]]
    .assert_eq(&said(&ran));
    folder.write(
        "b.ndjson",
        [&good_one.replace("/cart\"", "/cart\",\"release\":\"2\""), &no_release]
            .map(|it| format!("{it}\n"))
            .concat(),
    );
    expect![[r#"
        1 session in other.
        b.ndjson: line 2 was left out: it does not say its release; name it with --release. The other 1 were used.
    "#]].assert_eq(&said(&run(&folder, &["ingest", "--out", "other", "b.ndjson"])));
}

#[test]
fn texts_of_others_reach_no_screen_raw() {
    let folder = Folder::new();
    let name = "a\u{1b}]0;x\u{7}\u{202e}\n::error::b.ndjson";
    let odd = r#"{"\u001b[2Jbeta\u202e\n::error::x":"1","page":["x"]}"#;
    folder.write(name, format!("{}\n{{\n", session(odd)));
    let ran = run(&folder, &["ingest", "--release", "1", "--out", "lake\u{1b}[2J", name]);
    expect![[r#"
        1 session in lake�[2J.
        a�]0;x���::error::b.ndjson: a dimension in line 1 was left out: its value is no text and no number.
        a�]0;x���::error::b.ndjson: line 2 was left out: it is not a profile that Proflens reads: it looks truncated, it ends at byte 1 in the middle of its JSON. The other 1 were used.
        These dimensions have no column and were left out: �[2Jbeta��::error::x. The lake has page, device, country, user and release.
    "#]].assert_eq(&said(&ran));
    let ran = run(&folder, &["ingest", "--\u{1b}[2J", "--out", "lake", name]);
    expect![[r#"
        error: unexpected argument '--�[2J' found

          tip: to pass '--�[2J' as a value, use '-- --�[2J'

        Usage: proflens-fleet ingest [OPTIONS] --out <LAKE> <FILE|DIR|URL|->...

        For more information, try '--help'.
    "#]]
    .assert_eq(&said(&ran));
}

#[test]
fn what_cannot_be_written_is_an_error() {
    let folder = Folder::new();
    folder.write("a.ndjson", session("{}"));
    let full = || Stdio::from(File::options().write(true).open("/dev/full").unwrap());
    let status = |command: &mut Command| {
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let ingested =
        status(command(&folder, &["ingest", "--release", "1", "--out", "lake", "a.ndjson"]).stderr(full()));
    assert_eq!(ingested, (Some(0), String::new()), "that its notes are lost is no error");
    let sentence = "The output cannot be written: No space left on device (os error 28). Make room for it, or send it elsewhere.\n";
    for arguments in [
        &["rows", "slice", "lake"][..],
        &["sql", "slice", "--dialect", "duckdb", "--lake", "lake"],
        &["--help"],
    ] {
        let ended = status(command(&folder, arguments).stdout(full()));
        assert_eq!(ended, (Some(1), sentence.to_owned()), "{arguments:?}");
    }
    let both = command(&folder, &["rows", "slice", "lake"]).stdout(full()).stderr(full()).status().unwrap();
    assert_eq!(both.code(), Some(1), "it ends, and does not panic");
}

/// A lake in which a folder or a file is a link to a place outside of it.
#[test]
fn links_in_a_lake_lead_nowhere() {
    let folder = Folder::new();
    let outside = folder.path().join("outside");
    for number in 0..2 {
        folder.write(&format!("{number}.ndjson"), session(&format!(r#"{{"page":"/{number}"}}"#)));
    }
    let mut all = String::new();
    let table = "stacks/date=2026-11-20/release=1";
    for link in
        [".unfinished", "compacted", "sessions", "stacks", "functions", "releases", table, "lake.json"]
    {
        drop((fs::remove_dir_all(folder.path().join("lake")), fs::remove_dir_all(&outside)));
        for number in ["0", "1"] {
            good(&folder, &["ingest", "--release", "1", "--out", "lake", &format!("{number}.ndjson")]);
        }
        let inside = folder.path().join("lake").join(link);
        if inside.exists() {
            fs::create_dir_all(outside.parent().unwrap()).unwrap();
            fs::rename(&inside, &outside).unwrap();
        } else {
            folder.write("outside/mine", "");
        }
        symlink(&outside, &inside).unwrap();
        let before = if outside.is_dir() { files(&outside) } else { Default::default() };
        let compact = run(&folder, &["compact", "lake"]);
        let again = run(&folder, &["ingest", "--release", "1", "--out", "lake", "0.ndjson"]);
        for (what, ran) in [("compact", compact), ("ingest", again)] {
            let first = said(&ran).lines().next().unwrap_or_default().to_owned();
            all += &format!("{link}, {what}: {first}\n");
        }
        let after = if outside.is_dir() { files(&outside) } else { Default::default() };
        assert_eq!(after, before, "{link}");
    }
    expect![[r#"
        .unfinished, compact: lake/.unfinished is a link, and nothing in a lake is. Put what it leads to in its place.
        .unfinished, ingest: lake/.unfinished is a link, and nothing in a lake is. Put what it leads to in its place.
        compacted, compact: lake/compacted is a link, and nothing in a lake is. Put what it leads to in its place.
        compacted, ingest: 1 session in lake.
        sessions, compact: lake/sessions is a link, and nothing in a lake is. Put what it leads to in its place.
        sessions, ingest: lake/sessions is a link, and nothing in a lake is. Put what it leads to in its place.
        stacks, compact: lake/stacks is a link, and nothing in a lake is. Put what it leads to in its place.
        stacks, ingest: 1 session in lake.
        functions, compact: lake/functions is a link, and nothing in a lake is. Put what it leads to in its place.
        functions, ingest: lake/functions is a link, and nothing in a lake is. Put what it leads to in its place.
        releases, compact: 2 shards with 2 sessions put together.
        releases, ingest: 1 session in lake.
        stacks/date=2026-11-20/release=1, compact: lake/stacks/date=2026-11-20/release=1 is a link, and nothing in a lake is. Put what it leads to in its place.
        stacks/date=2026-11-20/release=1, ingest: 1 session in lake.
        lake.json, compact: lake is no lake: its lake.json cannot be read: it is no file. Make one with proflens-fleet ingest --out lake.
        lake.json, ingest: lake is no lake: its lake.json cannot be read: it is no file. Make one with proflens-fleet ingest --out lake.
    "#]].assert_eq(&all);
}

/// Names decide where files are put and removed.
#[test]
fn names_in_a_lake_are_those_of_a_lake() {
    let folder = Folder::new();
    folder.write("a.ndjson", session("{}"));
    let mut all = String::new();
    for name in [
        "sessions/date=2026-11-20/release=1/...parquet",
        "sessions/date=2026-11-20/release=1/a b.parquet",
        "sessions/date=2026-11-20/release=../x.parquet",
        "sessions/date=2026-11-20/release=a b/x.parquet",
        "sessions/date=today/release=1/x.parquet",
    ] {
        drop(fs::remove_dir_all(folder.path().join("lake")));
        good(&folder, &["ingest", "--release", "1", "--out", "lake", "a.ndjson"]);
        folder.write(&format!("lake/{name}"), "");
        all += &said(&run(&folder, &["compact", "lake"]));
    }
    expect![[r#"
        lake/sessions/date=2026-11-20/release=1/...parquet is not named as anything in a lake is. Move it elsewhere.
        lake/sessions/date=2026-11-20/release=1/a b.parquet is not named as anything in a lake is. Move it elsewhere.
        lake/sessions/date=2026-11-20/release=.. is not named as anything in a lake is. Move it elsewhere.
        lake/sessions/date=2026-11-20/release=a b is not named as anything in a lake is. Move it elsewhere.
        lake/sessions/date=today is not named as anything in a lake is. Move it elsewhere.
    "#]].assert_eq(&all);
}

/// Files that never end, or that block.
#[test]
fn what_is_no_file_is_not_read() {
    let folder = Folder::new();
    folder.write("in/a.ndjson", session("{}"));
    let pipe = |path: &str| {
        let made = Command::new("mkfifo").arg(folder.path().join(path)).status().unwrap();
        assert!(made.success());
    };
    pipe("in/b.ndjson");
    symlink("/dev/zero", folder.path().join("in/c.ndjson")).unwrap();
    good(&folder, &["ingest", "--release", "1", "--out", "lake", "in"]);
    let whole = rows(&folder);
    assert_eq!(whole.lines().count(), 4, "{whole}");
    let mut all = String::new();
    for file in ["nodes", "stacks"] {
        let (path, _) =
            files(&folder.path().join("lake")).into_iter().find(|it| it.0.starts_with(file)).unwrap();
        let path = format!("lake/{path}");
        let kept = fs::read(folder.path().join(&path)).unwrap();
        fs::remove_file(folder.path().join(&path)).unwrap();
        pipe(&path);
        all += &said(&run(&folder, &["slice", "lake", "-o", "p.slice.gz"]));
        fs::remove_file(folder.path().join(&path)).unwrap();
        fs::write(folder.path().join(&path), kept).unwrap();
    }
    fs::remove_file(folder.path().join("lake/lake.json")).unwrap();
    pipe("lake/lake.json");
    all += &said(&ran(&folder, &mut command(&folder, &["rows", "slice", "lake"])));
    let shard = all.split("/release=1/").nth(1).and_then(|it| it.split('.').next()).unwrap().to_owned();
    expect![[r#"
        lake/nodes/date=2026-11-20/release=1/SHARD.parquet cannot be read: it is no file. Remove it, and ingest its shard again.
        lake/stacks/date=2026-11-20/release=1/SHARD.parquet cannot be read: it is no file. Remove it, and ingest its shard again.
        lake is no lake: its lake.json cannot be read: it is no file. Make one with proflens-fleet ingest --out lake.
    "#]].assert_eq(&all.replace(&shard, "SHARD"));
}
