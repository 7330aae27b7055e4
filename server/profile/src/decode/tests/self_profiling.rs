//! The rules of the browser's own format.

use crate::decode::decode;
use crate::decode::tests::costs;
use crate::model::{FunctionKind, Position};

const FRAMES: &str = r#""frames":[{"name":"a","resourceId":0,"line":1,"column":2},{"name":"b","resourceId":0,"line":3,"column":4}]"#;
const STACKS: &str = r#""stacks":[{"frameId":0},{"frameId":1,"parentId":0}]"#;

fn trace(samples: &str) -> String {
    format!(r#"{{{FRAMES},"resources":["a.js"],{STACKS},"samples":[{samples}]}}"#)
}

/// `stack` or `stack marker` for each sample, 10 ms apart; `-` is no stack.
fn sampled(drawing: &str) -> Vec<String> {
    let sample = |(index, words): (usize, &str)| {
        let (stack, marker) = words.trim().split_once(' ').unwrap_or((words.trim(), ""));
        let stack = if stack == "-" { String::new() } else { format!(r#""stackId":{stack},"#) };
        let marker = if marker.is_empty() { String::new() } else { format!(r#""marker":"{marker}","#) };
        format!(r#"{{{stack}{marker}"timestamp":{}}}"#, index * 10)
    };
    let samples: Vec<String> = drawing.split(',').enumerate().map(sample).collect();
    costs(&trace(&samples.join(",")))
}

#[test]
fn what_a_sample_stands_for() {
    let rows: [(&str, &[&str]); 9] = [
        ("0,1,1", &["a 10000/30000", "b 20000/20000"]),
        // A lone sample is worth the browsers' usual interval.
        ("1", &["a 0/10000", "b 10000/10000"]),
        // No stack is not idle.
        ("0,-,1", &["a 10000/20000", "b 10000/10000", "NoStack: 10000"]),
        // Layout that a function forces is its self time; without a stack, it is the browser's.
        ("0 layout,- layout,- script", &["a 10000/10000", "Native: 20000"]),
        ("0 script", &["a 10000/10000"]),
        // The collector is on top of its stack, or of the previous one.
        ("0 gc,1", &["a 0/20000", "b 10000/10000", "(garbage collector) 10000/10000"]),
        ("1,- gc,- gc", &["a 0/30000", "b 10000/30000", "(garbage collector) 20000/20000"]),
        ("-,- gc", &["NoStack: 10000", "GarbageCollector: 10000"]),
        ("0,7", &["a 10000/10000", "Unknown: 10000", "! 1 sample of stacks that do not exist"]),
    ];
    for (drawing, expected) in rows {
        assert_eq!(sampled(drawing), expected, "{drawing}");
    }
}

#[test]
fn times_of_all_kinds() {
    let at = |times: &[&str]| {
        let stacks = [0, 1].into_iter().cycle();
        let samples: Vec<String> = times
            .iter()
            .zip(stacks)
            .map(|(time, stack)| format!(r#"{{"stackId":{stack},"timestamp":{time}}}"#))
            .collect();
        costs(&trace(&samples.join(",")))
    };
    // The last one is worth the median.
    assert_eq!(at(&["100", "110", "140"]), ["a 30000/60000", "b 30000/30000"]);
    // Out of order: at 100 (a), 110 (a), 130 (b).
    assert_eq!(at(&["100", "130", "110"]), ["a 30000/45000", "b 15000/15000"]);
    // A pause: longer than a second and than ten intervals.
    assert_eq!(
        at(&["0", "10", "20", "5020"]),
        ["a 20000/40000", "b 20000/20000", "Unsampled: 4990000", "! the recording has 1 gap"]
    );
    // The clock's noise is below a nanosecond.
    assert_eq!(at(&["1.0000000119", "1.5"]), ["a 500/1000", "b 500/500"]);
    // Without a time, a sample gets that of the previous one.
    assert_eq!(at(&["100", "null", "110"]), ["a 5000/15000", "b 10000/10000"]);
}

#[test]
fn members_of_any_order_and_with_white_space() {
    let members = [r#""stackId":1"#, r#""marker":"gc""#, r#""timestamp":5000.100000011920929"#];
    let before = r#"{"timestamp":4990.1,"stackId":0}"#;
    for first in 0..3 {
        let mut members = members;
        members.rotate_left(first);
        let sample = format!("{{{}}}", members.join(","));
        for sample in [sample.clone(), sample.replace(':', ": "), sample.replace(',', ",\"trust\":[1],")] {
            assert_eq!(
                costs(&trace(&format!("{before},{sample}"))),
                ["a 10000/20000", "b 0/10000", "(garbage collector) 10000/10000"],
                "{sample}"
            );
        }
    }
}

#[test]
fn old_drafts_and_odd_values() {
    let text = r#"{"resources":["a.js"],"stacks":[{"frameId":0,"parentId":null},{"frameId":1,"parentId":0}],
        "samples":[{"timestamp":1,"stackId":1},{"timestamp":2,"stackId":null}],
        "frames":[{"resourceId":0,"line":23,"column":169},{"name":"l","resourceId":null,"line":null}]}"#;
    assert_eq!(costs(text), ["(anonymous) 0/1000", "l 1000/1000", "NoStack: 1000"]);
}

#[test]
fn tables_that_do_not_fit() {
    let rows: [(&str, &[&str]); 5] = [
        (
            r#"{"frameId":0,"parentId":1},{"frameId":1,"parentId":0}"#,
            &["b 10000/10000", "! 1 stack of callers or frames that do not exist"],
        ),
        (
            r#"{"frameId":0},{"frameId":1,"parentId":9}"#,
            &["b 10000/10000", "! 1 stack of callers or frames that do not exist"],
        ),
        (
            r#"{"frameId":0},{"frameId":9,"parentId":0}"#,
            &["a 10000/10000", "! 1 stack of callers or frames that do not exist"],
        ),
        (r#"{"frameId":0,"parentId":1},{"frameId":1}"#, &["b 10000/10000"]),
        (
            r#"null,{"frameId":4000000000}"#,
            &[
                "Unknown: 10000",
                "! 2 stacks of callers or frames that do not exist",
                "! 1 sample of stacks that do not exist",
            ],
        ),
    ];
    for (stacks, expected) in rows {
        let text = format!(
            r#"{{{FRAMES},"resources":["a.js"],"stacks":[{stacks}],"samples":[{{"timestamp":5,"stackId":1}}]}}"#
        );
        assert_eq!(costs(&text), expected, "{stacks}");
    }
}

#[test]
fn kinds_of_frames() {
    let text = r#"{"frames":[{"name":"a","resourceId":0,"line":1,"column":1},{"name":"Profiler"},{"name":"x","line":3,"column":5},
        {"name":"y","resourceId":8}],"stacks":[{"frameId":0},{"frameId":1},{"frameId":2},{"frameId":3}],
        "samples":[{"timestamp":5,"stackId":1}],"resources":["a.js"]}"#;
    let profile = decode(&mut text.as_bytes(), "", &()).expect("a trace");
    let shown: Vec<_> =
        profile.functions.iter().map(|it| (it.resource.is_some(), it.defined_at, it.kind)).collect();
    let at = |line, column| Some(Position { line, column: Some(column) });
    use FunctionKind::{Native, Script};
    let expected =
        [(true, at(0, 0), Script), (false, None, Native), (false, at(2, 4), Script), (false, None, Native)];
    assert_eq!(shown, expected);
    assert_eq!(profile.problems[0].what, "1 frame of resources that do not exist");
}

#[test]
fn every_order_of_the_four_lists() {
    let lists = [FRAMES, STACKS, r#""resources":["a.js"]"#, r#""samples":[{"timestamp":1,"stackId":1}]"#];
    for first in 0..4 {
        let mut lists = lists;
        lists.rotate_left(first);
        assert_eq!(costs(&format!("{{{}}}", lists.join(","))), ["a 0/10000", "b 10000/10000"]);
        lists.reverse();
        assert_eq!(costs(&format!("{{{}}}", lists.join(","))), ["a 0/10000", "b 10000/10000"]);
    }
    let without_resources = format!("{{{}}}", [FRAMES, STACKS, lists[3]].join(","));
    assert_eq!(
        costs(&without_resources),
        ["a 0/10000", "b 10000/10000", "! 2 frames of resources that do not exist"]
    );
}

#[test]
fn wrapped_and_several() {
    let bare = trace(r#"{"timestamp":1,"stackId":1}"#);
    let quoted = serde_json::to_string(&bare).expect("text can be quoted");
    let one: &[&str] = &["a 0/10000", "b 10000/10000"];
    for text in [
        format!(r#"{{"timing":{{"navigationStart":1577836800000}},"trace":{bare},"url":"http://x"}}"#),
        format!(r#"{{"duration":1234.5,"trace":{quoted}}}"#),
        format!(r#"{{"payload":{{"data":{{"trace":{bare}}}}}}}"#),
    ] {
        assert_eq!(costs(&text), one, "{text}");
    }
    let two: Vec<&str> = [one, &["|"], one].concat();
    for text in [
        format!("[{bare},{{\"trace\":{quoted}}}]"),
        format!("{bare}\n{bare}\n"),
        format!("{bare}\r\n\r\n{{\"trace\":{bare}}}"),
    ] {
        assert_eq!(costs(&text), two, "{text}");
    }
    let bad_lines = format!("{{broken\n{bare}\n{{\"a\":\"unfinished\nnull\n{bare} x\n{bare}");
    let mut expected = two;
    expected.splice(2..2, ["|", one[0], one[1]]);
    expected.push("! 4 lines hold no profile");
    assert_eq!(costs(&bad_lines), expected);
}

#[test]
fn dimensions_are_no_part_of_a_trace() {
    let trace = trace(r#"{"stackId":1,"timestamp":0}"#);
    let dimensions = serde_json::json!({ "page": "/cart", "trace": trace });
    let envelope = format!(r#"{{"receivedAt":"2026-11-22","dimensions":{dimensions},"trace":{trace}}}"#);
    let beside = trace.replacen('{', &format!(r#"{{"dimensions":{dimensions},"#), 1);
    assert_eq!(costs(&envelope), costs(&trace));
    assert_eq!(costs(&beside), costs(&trace));
}
