//! Wrong inputs that users really give to a profile reader, and the one sentence that each of them gets.

use std::process::Command;

use expect_test::expect_file;
use tests::{Folder, proflens};

/// A sound profile of one function; each row of the table breaks it in its own way.
const SOUND: &str = r#"{"nodes":[{"id":1,"callFrame":{"functionName":"(root)","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1},"children":[2]},{"id":2,"callFrame":{"functionName":"work","scriptId":"1","url":"file:///app.js","lineNumber":0,"columnNumber":13}}],"startTime":0,"endTime":3000,"samples":[2,2,2],"timeDeltas":[1000,1000,1000]}"#;

fn cases() -> Vec<(&'static str, Vec<u8>)> {
    let text = |it: &str| it.as_bytes().to_vec();
    let mut cut_gzip = text("\u{1f}");
    cut_gzip.extend([0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xab]);
    vec![
        ("empty.cpuprofile", Vec::new()),
        ("blank.cpuprofile", text(" \n\t\n")),
        ("zeros.cpuprofile", vec![0; 4096]),
        ("page.cpuprofile", text("<!doctype html><title>404 Not Found</title>")),
        ("source.cpuprofile", text("function work() {}\nwork();\n")),
        ("picture.cpuprofile", [b"\x89PNG\r\n\x1a\n".to_vec(), vec![7; 100]].concat()),
        ("archive.cpuprofile", [b"PK\x03\x04".to_vec(), vec![7; 100]].concat()),
        ("cut.cpuprofile.gz", cut_gzip),
        ("null.cpuprofile", text("null")),
        ("number.cpuprofile", text("42")),
        ("nothing-inside.cpuprofile", text("{}")),
        ("list-of-nulls.cpuprofile", text("[null, null]")),
        ("half.cpuprofile", text(&SOUND[..SOUND.len() / 2])),
        ("last-byte-missing.cpuprofile", text(&SOUND[..SOUND.len() - 1])),
        ("deep.cpuprofile", text(&"[".repeat(100_000))),
        ("nodes-are-a-number.cpuprofile", text(r#"{"nodes":7,"samples":[],"timeDeltas":[]}"#)),
        (
            "no-nodes.cpuprofile",
            text(r#"{"nodes":[],"startTime":0,"endTime":0,"samples":[],"timeDeltas":[]}"#),
        ),
        (
            "heap.heapsnapshot",
            text(r#"{"snapshot":{"meta":{},"node_count":0},"nodes":[],"edges":[],"strings":[]}"#),
        ),
        (
            "heap.heapprofile",
            text(r#"{"head":{"callFrame":{},"selfSize":0,"id":1,"children":[]},"samples":[]}"#),
        ),
        ("coverage.json", text(r#"{"result":[{"scriptId":"1","url":"file:///app.js","functions":[]}]}"#)),
        ("app.js.map", text(r#"{"version":3,"sources":["app.ts"],"names":[],"mappings":"AAAA"}"#)),
        ("package.json", text(r#"{"name":"app","version":"1.0.0","dependencies":{}}"#)),
        (
            "firefox.json",
            text(
                r#"{"meta":{"version":34,"interval":1},"threads":[{"name":"GeckoMain","samples":{"schema":{}}}]}"#,
            ),
        ),
        ("cut.pb", vec![0x0a, 0x04, 0x08, 0x01, 0x10]),
        ("counts.txt", text("lines 7\nwords 12\n")),
        (
            "trace.json",
            text(r#"{"traceEvents":[{"ph":"M","name":"thread_name","pid":1,"tid":1,"ts":0,"args":{}}]}"#),
        ),
    ]
}

#[test]
fn every_bad_input_gets_one_sentence_and_status_1() {
    let folder = Folder::new();
    folder.write("app.js", "function work() {}\n");
    let mut names = Vec::new();
    for (name, bytes) in cases() {
        folder.write(name, bytes);
        names.push(name);
    }
    std::fs::create_dir(folder.path().join("folder.cpuprofile")).unwrap();
    names.extend(["folder.cpuprofile", "missing.cpuprofile"]);
    let said: String = names.into_iter().map(|it| report(&folder, it).unwrap_err()).collect();
    expect_file!["expected/bad-input.txt"].assert_eq(&said);
}

#[test]
fn what_follows_a_profile_is_noted_and_left_out() {
    let folder = Folder::new();
    folder.write("app.js", "function work() {}\n");
    folder.write("more-behind.cpuprofile", format!("{SOUND}]"));
    let report = report(&folder, "more-behind.cpuprofile").unwrap();
    let note = report.lines().last();
    assert_eq!(
        note,
        Some("Note: more-behind.cpuprofile: 1 line holds no profile; the other lines were read.")
    );
}

#[test]
fn the_sound_profile_of_the_table_is_sound() {
    let folder = Folder::new();
    folder.write("app.js", "function work() {}\n");
    folder.write("sound.cpuprofile", SOUND);
    assert!(report(&folder, "sound.cpuprofile").unwrap().contains("work"));
}

/// Asks for a report; returns it, or the one line on stderr.
fn report(folder: &Folder, trace: &str) -> Result<String, String> {
    let output =
        Command::new(proflens()).args(["report", trace]).current_dir(folder.path()).output().unwrap();
    let line = String::from_utf8(output.stderr).unwrap();
    if output.status.code() == Some(0) {
        assert_eq!(line, "", "{trace}");
        return Ok(String::from_utf8(output.stdout).unwrap());
    }
    assert_eq!(output.status.code(), Some(1), "{trace}: {line}");
    assert_eq!(line.lines().count(), 1, "{trace}: {line}");
    assert!(line.contains(trace), "{trace} is not named: {line}");
    Err(line)
}
