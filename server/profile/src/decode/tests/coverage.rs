//! V8's precise coverage: what is read, what is left out, and the sentence about it.

use std::fmt::Write as _;

use crate::decode::{decode, decode_counts};
use crate::model::Counts;

/// `url: name 12..80 600000`, one line per function.
fn drawn(counts: &Counts) -> String {
    let mut text = String::new();
    for script in &counts.scripts {
        let has_text = if script.script.text.is_some() { " (text)" } else { "" };
        for it in &script.functions {
            writeln!(text, "{}{has_text}: {} {}..{} {}", script.url, it.name, it.start, it.end, it.calls)
                .unwrap();
        }
    }
    for problem in &counts.problems {
        writeln!(text, "! {}", problem.clause()).unwrap();
    }
    text
}

fn read(text: &str) -> String {
    match decode_counts(&mut text.as_bytes(), "a.json", &()) {
        Ok(counts) => drawn(&counts),
        Err(error) => format!("{}\n", error.problem_of_counts("a.json")),
    }
}

fn function(name: &str, range: &str, by_blocks: bool) -> String {
    format!(
        r#"{{"functionName":"{name}","ranges":[{range},{{"startOffset":1,"endOffset":2,"count":9}}],"isBlockCoverage":{by_blocks}}}"#
    )
}

fn range(start: u64, end: u64, count: &str) -> String {
    format!(r#"{{"startOffset":{start},"endOffset":{end},"count":{count}}}"#)
}

fn script(url: &str, functions: &[String]) -> String {
    format!(r#"{{"scriptId":"7","url":"{url}","functions":[{}]}}"#, functions.join(","))
}

fn file(scripts: &[String]) -> String {
    format!(
        r#"{{"result":[{}],"timestamp":1.5,"source-map-cache":{{"a":{{"lineLengths":[1]}}}}}}"#,
        scripts.join(",")
    )
}

#[test]
fn coverage_in_every_form() {
    let work = function("work", &range(12, 80, "600000"), true);
    let other = function("", &range(0, 90, "1"), true);
    let a = script("file:///w/a.js", &[work.clone(), other.clone()]);
    let expected = "file:///w/a.js:  0..90 1\nfile:///w/a.js: work 12..80 600000\n";
    let source = a.replace(r#""url""#, r#""source":"…","url""#);
    let of_node = script("node:internal/x", std::slice::from_ref(&work));
    let made = script("", std::slice::from_ref(&work));
    let rows = [
        (file(std::slice::from_ref(&a)), expected.to_owned()),
        (file(&[of_node, made, a.clone()]), expected.to_owned()),
        (format!(r#"{{"id":3,"result":{}}}"#, file(std::slice::from_ref(&a))), expected.to_owned()),
        (format!("[{source}]"), expected.replace("a.js", "a.js (text)")),
        (
            // The same script twice, as from two workers.
            file(&[a.clone(), a.clone()]),
            "file:///w/a.js:  0..90 2\nfile:///w/a.js: work 12..80 1200000\n".to_owned(),
        ),
        (
            file(&[script("file:///w/%20%F0%9F%8E%89.js", &[other])]),
            "file:///w/%20%F0%9F%8E%89.js:  0..90 1\n".to_owned(),
        ),
    ];
    for (text, expected) in rows {
        assert_eq!(read(&text), expected, "{text}");
    }
}

#[test]
fn what_cannot_be_is_left_out() {
    let good = function("good", &range(5, 9, "1000000000"), true);
    let kept = "a.js: good 5..9 1000000000\n";
    let odd = "! 1 function has no place or number of calls that V8 writes; they were left out\n";
    let early = "! 1 function was compiled before counting began, so that not every call was seen; their numbers were left out\n";
    let max = (1_u64 << 53).to_string();
    let rows = [
        (function("huge", &range(5, 99_999_999_999, "1"), true), format!("{kept}{odd}")),
        (function("backwards", &range(9, 5, "1"), true), format!("{kept}{odd}")),
        (function("negative", &range(5, 9, "-1"), true), format!("{kept}{odd}")),
        (function("much", &range(5, 9, "18446744073709551616"), true), format!("{kept}{odd}")),
        (function("more", &range(5, 9, "9007199254740993"), true), format!("{kept}{odd}")),
        (function("part", &range(5, 9, "1.5"), true), format!("{kept}{odd}")),
        (function("text", &range(5, 9, "\"many\""), true), format!("{kept}{odd}")),
        (r#"{"functionName":"none","ranges":[]}"#.to_owned(), format!("{kept}{odd}")),
        ("7".to_owned(), format!("{kept}{odd}")),
        (function("early", &range(1, 2, "5"), false), format!("{kept}{early}")),
        (function("never", &range(1, 2, "0"), false), format!("a.js: never 1..2 0\n{kept}")),
        (function("most", &range(1, 2, &max), true), format!("a.js: most 1..2 {max}\n{kept}")),
    ];
    for (function, expected) in rows {
        assert_eq!(read(&file(&[script("a.js", &[good.clone(), function.clone()])])), expected, "{function}");
    }
}

/// Counts by function instead of block: code is not optimised then, and all numbers are right.
#[test]
fn counts_without_blocks_are_counts() {
    let functions = [function("f", &range(5, 9, "7"), false), function("g", &range(6, 8, "70"), false)];
    assert_eq!(read(&file(&[script("a.js", &functions)])), "a.js: f 5..9 7\na.js: g 6..8 70\n");
}

#[test]
fn what_is_no_coverage_is_refused() {
    let deep = format!(r#"{{"result":[{}"#, "[".repeat(1_100_000));
    let nested = format!(
        r#"{{"result":[{{"url":"a.js","functions":[{{"ranges":{}1{}}}]}}]}}"#,
        "[".repeat(500_000),
        "]".repeat(500_000)
    );
    let refused = "a.json is not coverage of V8 that Proflens reads: it counts no calls of functions. Name a file or folder that NODE_V8_COVERAGE wrote.\n";
    let rows = [
        ("{}", refused),
        ("[]", refused),
        ("7", refused),
        ("const a = 1;", refused),
        (r#"{"result":{"result":7}}"#, refused),
        (r#"{"result":[{"url":"node:fs","functions":[]}]}"#, refused),
        (r#"{"nodes":[],"samples":[]}"#, refused),
        (&*nested, refused),
        ("", "a.json is not coverage of V8 that Proflens reads: the file is empty. Record it again.\n"),
        (
            r#"{"result":[{"url":"a.js","#,
            "a.json is not coverage of V8 that Proflens reads: it looks truncated, it ends at byte 25 in the middle of its JSON. Copy or record it again.\n",
        ),
        (
            &*deep,
            "a.json is not coverage of V8 that Proflens reads: its JSON is nested more than a million levels deep.\n",
        ),
    ];
    for (text, expected) in rows {
        assert_eq!(read(text), expected, "{}", &text[..text.len().min(80)]);
    }
}

#[test]
fn a_recording_holds_what_was_counted_in_another_run() {
    let profile = r#""nodes":[{"id":1,"callFrame":{"functionName":"f","scriptId":"1","url":"a.js","lineNumber":0,"columnNumber":1}}],
        "startTime":0,"endTime":2000,"samples":[1,1],"timeDeltas":[500,1000]"#;
    let functions = [function("f", &range(5, 9, "7"), true), function("g", &range(9, 5, "7"), true)];
    let missing =
        r#""problems":[{"what":"a worker is missing","where":"","hint":"so are its calls"},7],"timestamp""#;
    let counts = file(&[script("a.js", &functions)]).replace("\"timestamp\"", missing);
    for text in [
        format!(r#"{{{profile},"proflensCounts":{counts}}}"#),
        format!(r#"{{"proflensCounts":{counts},{profile}}}"#),
    ] {
        let profile = decode(&mut text.as_bytes(), "trace.json", &()).unwrap();
        assert_eq!((profile.threads.len(), profile.threads[0].samples), (1, 2));
        let counts = profile.counts.as_deref().unwrap();
        let odd = "! 1 function has no place or number of calls that V8 writes; they were left out\n";
        let missing = "! a worker is missing; so are its calls\n";
        assert_eq!(drawn(counts), format!("a.js: f 5..9 7\n{missing}{odd}"));
    }
}

/// If the recording has one text for a script, the counts do not hold it again.
#[test]
fn what_was_counted_has_the_texts_of_the_recording() {
    let node = |id: u32, script: u32, url: &str| {
        format!(
            r#"{{"id":{id},"callFrame":{{"functionName":"f","scriptId":{script},"url":"{url}","lineNumber":0,"columnNumber":1}}}}"#
        )
    };
    let text = |script: u32, url: &str, text: &str| {
        let event = |data: &str| {
            format!(
                r#"{{"name":"ScriptCatchup","cat":"x","ph":"X","pid":1,"tid":1,"ts":0,"args":{{"data":{{"isolate":"1","scriptId":{script},{data}}}}}}}"#
            )
        };
        [event(&format!(r#""url":"{url}""#)), event(&format!(r#""sourceText":"{text}""#))].join(",")
    };
    let nodes = [node(1, 1, "one.js"), node(2, 2, "two.js"), node(3, 3, "two.js")].join(",");
    let texts = [text(1, "one.js", "one"), text(2, "two.js", "first"), text(3, "two.js", "second")].join(",");
    let functions = [function("f", &range(0, 3, "7"), true)];
    let counts = file(&["one.js", "two.js", "three.js"].map(|url| script(url, &functions)));
    let recording = format!(
        r#"{{"traceEvents":[{texts},
        {{"args":{{"data":{{"startTime":0}}}},"id":"0x1","name":"Profile","ph":"P","pid":1,"tid":1,"ts":0}},
        {{"args":{{"data":{{"cpuProfile":{{"nodes":[{nodes}],"samples":[1,2,3]}},"timeDeltas":[9,9,9]}}}},"id":"0x1","name":"ProfileChunk","ph":"P","pid":1,"tid":1,"ts":1}}],
        "proflensCounts":{counts}}}"#
    );
    let profile = decode(&mut recording.as_bytes(), "trace.json", &()).unwrap();
    let told = profile.counts.as_deref().unwrap().scripts.iter();
    let told: Vec<(&str, Option<&str>)> =
        told.map(|script| (&*script.url, script.script.text.as_deref())).collect();
    assert_eq!(told, [("one.js", Some("one")), ("two.js", None), ("three.js", None)]);
}
