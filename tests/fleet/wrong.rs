//! What goes wrong: one sentence that says what, where and what to do, and nothing else is lost.

use std::fmt::Write as _;
use std::process::Command;

use tests::{Folder, proflens_fleet};

use crate::fleet::{generate, good, ran, run, symbolicate};

/// A session of two functions, 20 ms.
pub(crate) fn session(dimensions: &str) -> String {
    format!(
        r#"{{"receivedAt":"2026-11-20T10:00:00.000Z","dimensions":{dimensions},"trace":{{"resources":["https://shop.example/a.js"],"frames":[{{"name":"main","resourceId":0,"line":1,"column":1}},{{"name":"sum","resourceId":0,"line":2,"column":5}}],"stacks":[{{"frameId":0}},{{"frameId":1,"parentId":0}}],"samples":[{{"timestamp":0,"stackId":1}},{{"timestamp":10,"stackId":0}}]}}}}"#
    )
}

fn rows(folder: &Folder, lake: &str) -> Vec<String> {
    good(folder, &["rows", "slice", lake]).lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn what_is_whole_of_a_damaged_shard_is_kept() {
    let folder = Folder::new();
    let [one, two] = ["/a", "/b"].map(|it| session(&format!(r#"{{"page":"{it}"}}"#)));
    let cut = &one[..one.len() - 9];
    let cpuprofile = r#"{"nodes":[{"id":1,"callFrame":{"functionName":"f","scriptId":"0","url":"x.js","lineNumber":0,"columnNumber":0}}],"startTime":0,"endTime":2,"samples":[1,1],"timeDeltas":[1,1]}"#;
    folder.write("cut.ndjson", format!("{one}\n{two}\n{cut}"));
    folder.write("mixed.ndjson", format!("{one}\nno JSON\n{cpuprofile}\n\n{{}}\n{two}\n"));
    folder.write("none.ndjson", "no JSON\n");
    folder.write("empty.ndjson", "");
    let pretty: serde_json::Value = serde_json::from_str(&one).expect("JSON");
    folder.write("pretty.json", serde_json::to_string_pretty(&pretty).expect("JSON"));
    let packed = gzip(&format!("{one}\n{two}\n{one}\n").repeat(300));
    folder.write("torn.ndjson.gz", &packed[..packed.len() / 2]);
    let expected = [
        (
            "cut.ndjson",
            false,
            "cut.ndjson: line 3 was left out: it is cut off after byte 394. The other 2 were used.\n2 sessions in cut.ndjson.lake.\n",
        ),
        (
            "mixed.ndjson",
            false,
            "mixed.ndjson: 3 lines were left out, the first is line 2: it is not JSON. The other 2 were used.\n2 sessions in mixed.ndjson.lake.\n",
        ),
        (
            "none.ndjson",
            false,
            "none.ndjson holds no session: it is not JSON. Name files that proflens collect wrote, or traces of Profiler.stop().\n0 sessions in none.ndjson.lake.\n",
        ),
        ("empty.ndjson", false, ""),
        ("pretty.json", true, "1 session in pretty.json.lake.\n"),
        ("torn.ndjson.gz", false, ""),
        ("missing.ndjson", false, ""),
    ];
    let got = expected.map(|(file, ..)| {
        let ran = run(&folder, &["ingest", "--release", "1", "--out", &format!("{file}.lake"), file]);
        let mut lines: Vec<String> = ran
            .stderr
            .lines()
            .filter(|it| !it.starts_with("The lake has no maps"))
            .map(str::to_owned)
            .collect();
        lines.sort();
        (file, ran.ok, lines)
    });
    let mut text = String::new();
    for (file, ok, lines) in got {
        let _ = writeln!(text, "{file} {ok}");
        lines.iter().for_each(|it| _ = writeln!(text, "    {it}"));
    }
    expect_test::expect![[r#"
        cut.ndjson false
            2 sessions in cut.ndjson.lake.
            cut.ndjson: line 3 was left out: it is not a profile that Proflens reads: it looks truncated, it ends at byte 344 in the middle of its JSON. The other 2 were used.
        mixed.ndjson false
            2 sessions in mixed.ndjson.lake.
            mixed.ndjson: 3 lines were left out, the first is line 2: it is not a profile that Proflens reads: it is not JSON. The other 2 were used.
        none.ndjson false
            none.ndjson holds no session: it is not a profile that Proflens reads: it is not JSON.
        empty.ndjson false
            empty.ndjson is empty. Name files that proflens collect wrote, or traces of Profiler.stop().
        pretty.json true
            1 session in pretty.json.lake.
        torn.ndjson.gz false
            418 sessions in torn.ndjson.gz.lake.
            torn.ndjson.gz is damaged after line 418: incomplete deflate stream. The lines before that were used; send it again.
        missing.ndjson false
            missing.ndjson cannot be read: No such file or directory (os error 2). Check the path and its permissions.
    "#]].assert_eq(&text);
    assert_eq!(rows(&folder, "cut.ndjson.lake"), rows(&folder, "mixed.ndjson.lake"));
}

fn gzip(text: &str) -> Vec<u8> {
    use std::io::Write;
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(text.as_bytes()).expect("memory");
    packed.finish().expect("memory")
}

#[test]
fn commands_say_what_is_wrong() {
    let folder = Folder::new();
    folder.write("one.ndjson", session(r#"{"release":"a b"}"#));
    folder.write("two.ndjson", session("{}"));
    folder.write("no-lake/file", "");
    folder.write("later/lake.json", r#"{"proflensLake":9}"#);
    folder.write("empty/lake.json", r#"{"proflensLake":1}"#);
    folder.write("other.parquet", "no Parquet");
    good(&folder, &["ingest", "--release", "1", "--out", "lake", "two.ndjson"]);
    folder.write("damaged/lake.json", r#"{"proflensLake":1}"#);
    folder.write("damaged/sessions/date=2026-11-20/release=1/x.parquet", "PAR1 no Parquet");
    let commands: [&[&str]; 12] = [
        &["ingest", "--out", "x", "one.ndjson"],
        &["ingest", "--out", "x", "two.ndjson"],
        &["ingest", "--release", "a/b", "--out", "x", "two.ndjson"],
        &["symbolicate", "--release", "1", "--workspace", "nowhere", "--out", "x"],
        &["symbolicate", "--release", "1", "--workspace", "empty", "--out", "x"],
        &["slice", "no-lake", "-o", "p.slice.gz"],
        &["slice", "later", "-o", "p.slice.gz"],
        &["slice", "empty", "-o", "p.slice.gz"],
        &["slice", "lake", "--where", "release=2 and page='/a b'", "-o", "p.slice.gz"],
        &["slice", "lake", "--rows", "other.parquet", "-o", "p.slice.gz"],
        &["slice", "lake", "-o", "nowhere/p.slice.gz"],
        &["rows", "slice", "damaged"],
    ];
    let mut text = String::new();
    for arguments in commands {
        let ran = run(&folder, arguments);
        assert!(!ran.ok, "{arguments:?}");
        let said: Vec<&str> = ran.stderr.lines().filter(|it| !it.is_empty()).collect();
        let _ = writeln!(text, "{}\n    {}", arguments.join(" "), said.join("\n    "));
    }
    expect_test::expect![[r#"
        ingest --out x one.ndjson
            one.ndjson holds no session: its release "a b" is no name of a folder: letters, digits, dots, - and _ of the ASCII alphabet.
        ingest --out x two.ndjson
            two.ndjson holds no session: it does not say its release; name it with --release.
        ingest --release a/b --out x two.ndjson
            error: invalid value 'a/b' for '--release <RELEASE>': a release has up to 64 letters, digits, dots, - and _ of the ASCII alphabet
            For more information, try '--help'.
        symbolicate --release 1 --workspace nowhere --out x
            nowhere is not a folder. Name one that is there.
        symbolicate --release 1 --workspace empty --out x
            There is no script of release 1. Name the folder of its bundles and maps with --maps.
        slice no-lake -o p.slice.gz
            no-lake is no lake: its lake.json cannot be read: No such file or directory (os error 2). Make one with proflens-fleet ingest --out no-lake.
        slice later -o p.slice.gz
            later is a lake of version 9, and this program reads version 1. Use the program that made it.
        slice empty -o p.slice.gz
            empty has no session. Check the names and values in the condition.
        slice lake --where release=2 and page='/a b' -o p.slice.gz
            lake has no session that fulfils release=2 and page='/a b'. Check the names and values in the condition.
        slice lake --rows other.parquet -o p.slice.gz
            other.parquet is not the result of the query slice: it is not Parquet, or it is cut off. Run what proflens-fleet sql slice prints, and write it as Parquet.
        slice lake -o nowhere/p.slice.gz
            nowhere/p.slice.gz cannot be written: No such file or directory (os error 2). Name another place with --out.
        rows slice damaged
            damaged/sessions/date=2026-11-20/release=1/x.parquet cannot be read: it is not Parquet, or it is cut off. Remove it, and ingest its shard again.
    "#]].assert_eq(&text);
}

#[test]
fn dimensions_with_too_many_values_are_bounded() {
    let folder = Folder::new();
    let lines: Vec<String> =
        (0..10_005).map(|it| session(&format!(r#"{{"page":"/product/{it}","beta":true}}"#))).collect();
    folder.write("many.ndjson", lines.join("\n"));
    let ran = run(&folder, &["ingest", "--release", "1", "--out", "lake", "many.ndjson"]);
    let said: Vec<&str> = ran.stderr.lines().filter(|it| !it.starts_with("The lake has no maps")).collect();
    let expected = [
        "The dimension page has more than 10000 values; the others are called (other). Send a pattern instead, such as /product/:id.",
        "These dimensions have no column and were left out: beta. The lake has page, device, country, user and release.",
        "10,005 sessions in lake.",
    ];
    assert_eq!((ran.ok, said), (true, expected.to_vec()));
    let row = |condition: &str| {
        good(&folder, &["rows", "slice", "lake", "--where", condition]).lines().nth(1).map(str::to_owned)
    };
    assert_eq!(row("page=(other)").as_deref(), Some("0,0,0,100000000,100000000,10,5"));
    assert_eq!(row("page=/product/7").as_deref(), Some("0,0,0,20000000,20000000,2,1"));
}

#[test]
fn one_address_in_two_releases_is_two_scripts() {
    let folder = Folder::new();
    let shards = ["41", "42"].map(|it| generate(&folder, it, 20).display().to_string());
    for release in ["41", "42"] {
        symbolicate(&folder, release, "both");
        symbolicate(&folder, release, release);
    }
    good(&folder, &["ingest", "--out", "both", &shards[0], &shards[1]]);
    for (release, shards) in ["41", "42"].iter().zip(&shards) {
        good(&folder, &["ingest", "--out", release, shards]);
        let condition = format!("release={release}");
        assert_eq!(
            good(&folder, &["rows", "slice", "both", "--where", &condition]),
            good(&folder, &["rows", "slice", release])
        );
    }
    // The same definition has one id.
    let ids = |lake: &str| -> std::collections::BTreeSet<String> {
        let csv = good(&folder, &["rows", "costs", lake]);
        csv.lines().skip(1).map(|it| it.split(',').next().unwrap_or_default().to_owned()).collect()
    };
    let (old, new) = (ids("41"), ids("42"));
    let same = old.intersection(&new).count();
    assert!(same * 10 > old.len() * 8, "{same} of {} and {}", old.len(), new.len());
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_the_lake_as_it_was() {
    let folder = Folder::new();
    let shards = generate(&folder, "41", 40);
    let [first, second] = [0, 1].map(|it| shards.join(format!("41-000{it}.ndjson")).display().to_string());
    symbolicate(&folder, "41", "lake");
    good(&folder, &["ingest", "--out", "lake", &first]);
    let before = rows(&folder, "lake");
    // No file can grow beyond 8 kB, as on a disk that is full.
    let mut shell = Command::new("bash");
    shell.args(["-c", "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\""]).arg(proflens_fleet());
    shell.args(["ingest", "--out", "lake", &second]).current_dir(folder.path());
    let ran = ran(&folder, &mut shell);
    let sentence = ran.stderr.lines().next().unwrap_or_default();
    assert!(
        !ran.ok
            && sentence.contains(" cannot be written: ")
            && sentence.ends_with("Check the disk, and run it again."),
        "{}",
        ran.stderr
    );
    assert_eq!(rows(&folder, "lake"), before);
    good(&folder, &["ingest", "--out", "lake", &second]);
    assert!(rows(&folder, "lake").len() > before.len());
}
