//! Style and layout that functions forced, from the events of a trace.

use crate::decode::decode;
use crate::model::{Amount, Profile, RenderingKind};
use crate::scope::{Selection, Threads, Transform, Windows};

/// `a` calls `b` and `c`, and `c` calls the browser's `size`.
const NODES: &str = r#"{"id":1,"callFrame":{"functionName":"(root)","scriptId":0}},
    {"id":2,"parent":1,"callFrame":{"functionName":"(program)","scriptId":0}},
    {"id":4,"parent":1,"callFrame":{"functionName":"a","scriptId":7,"url":"a.js","lineNumber":1,"columnNumber":5}},
    {"id":5,"parent":4,"callFrame":{"functionName":"b","scriptId":7,"url":"a.js","lineNumber":2,"columnNumber":2}},
    {"id":6,"parent":4,"callFrame":{"functionName":"","scriptId":7,"url":"a.js","lineNumber":3,"columnNumber":2}},
    {"id":7,"parent":6,"callFrame":{"functionName":"size","scriptId":0,"lineNumber":-1,"columnNumber":-1}}"#;

/// A trace with these events, in which thread 1 was profiled from 1 s on, and `b` was sampled every 10 ms.
fn trace(events: &[String]) -> Profile {
    let events = events.join(",\n");
    let text = format!(
        r#"[{events},
{{"args":{{"data":{{"startTime":1}}}},"id":"0x1","name":"Profile","ph":"P","pid":1,"tid":1,"ts":1000000}},
{{"args":{{"data":{{"cpuProfile":{{"nodes":[{NODES}],"samples":[5,5,5,5,5],"trace_ids":{{"70":2,"71":5,"72":6,"73":7}}}},"timeDeltas":[10000,10000,10000,10000,10000]}}}},"id":"0x1","name":"ProfileChunk","ph":"P","pid":1,"tid":9,"ts":1000001}}]"#
    );
    let profile = decode(&mut text.as_bytes(), "trace.json", &()).expect("a trace");
    assert!(profile.problems.is_empty(), "{:?}", profile.problems);
    profile
}

/// An event that begins and ends this many milliseconds after the profile began; its text begins with `rest`.
fn event(rest: &str, from: u32, to: u32) -> String {
    let (start, duration) = (1_000_000 + from * 1000, (to - from) * 1000);
    format!(r#"{{{rest},"dur":{duration},"ph":"X","pid":1,"tid":1,"ts":{start}}}"#)
}

/// A layout or a style computation that begins with this text.
fn rendering(name: &str, begin: &str, from: u32) -> String {
    event(&format!(r#""args":{{"beginData":{{"frame":"F",{begin}}}}},"name":"{name}""#), from, from + 2)
}

/// The innermost frame of a stack.
fn stack(name: &str, url: &str, line: u32, column: u32) -> String {
    format!(
        r#""stackTrace":[{{"columnNumber":{column},"functionName":"{name}","lineNumber":{line},"scriptId":"7","url":"{url}"}},{{"functionName":"outer"}}]"#
    )
}

fn call(from: u32, to: u32) -> String {
    event(r#""args":{"data":{}},"name":"FunctionCall""#, from, to)
}

/// `layout at 5 ms, 2 ms: b 4:9`, with 1-based lines and columns.
fn forced(profile: &Profile, selection: &Selection<'_>) -> Vec<String> {
    let all = selection.threads.iter().flat_map(|thread| &thread.forced);
    let row = all.map(|it| {
        let kind = if it.kind == RenderingKind::Style { "style" } else { "layout" };
        let [start, duration] = [it.start, it.duration].map(|time| time.0 / 1_000_000);
        let function = it.stack.map(|stack| profile.name(selection.stacks.function[stack.0 as usize]));
        let at = it.at.map(|at| format!(" {}:{}", at.line + 1, at.column.unwrap_or_default() + 1));
        let (function, at) = (function.unwrap_or("nobody"), at.unwrap_or_default());
        format!("{kind} at {start} ms, {duration} ms: {function}{at}")
    });
    row.collect()
}

fn all_forced(events: &[String]) -> Vec<String> {
    let profile = trace(events);
    forced(&profile, &Selection::of(&profile, &Threads::All))
}

#[test]
fn what_waits_in_a_script_is_forced_by_its_innermost_function() {
    let in_b = format!(r#""sampleTraceId":71,{}"#, stack("b", "a.js", 4, 9));
    let nameless = format!(r#"{},"sampleTraceId":72"#, stack("", "a.js", 5, 1));
    let below_native = format!(r#""sampleTraceId":73,{}"#, stack("", "a.js", 6, 1));
    let elsewhere = format!(r#""sampleTraceId":71,{}"#, stack("", "b.js", 4, 9));
    let events = [
        call(10, 40),
        rendering("UpdateLayoutTree", &in_b, 12),
        rendering("Layout", &in_b, 14),
        rendering("Layout", &nameless, 16),
        rendering("Layout", &below_native, 18),
        rendering("Layout", &elsewhere, 20),
        rendering("Layout", r#""sampleTraceId":70"#, 22),
        rendering("Layout", &stack("b", "a.js", 4, 9), 24),
        rendering("Layout", &stack("gone", "a.js", 4, 9), 26),
        rendering("Paint", &in_b, 28),
        // Outside of any script, as when a frame is made.
        rendering("UpdateLayoutTree", r#""sampleTraceId":70"#, 40),
        rendering("Layout", r#""dirtyObjects":5"#, 42),
        // Its call had not ended when the recording did, so it has no event.
        rendering("Layout", &in_b, 50),
    ];
    // The first sample was taken 10 ms after the profile began.
    assert_eq!(
        all_forced(&events),
        [
            "style at 2 ms, 2 ms: b 4:9",
            "layout at 4 ms, 2 ms: b 4:9",
            "layout at 6 ms, 2 ms:  5:1",
            "layout at 8 ms, 2 ms:  6:1",
            "layout at 10 ms, 2 ms: b",
            "layout at 12 ms, 2 ms: nobody",
            "layout at 14 ms, 2 ms: b 4:9",
            "layout at 16 ms, 2 ms: nobody",
            "layout at 40 ms, 2 ms: b 4:9",
        ]
    );
}

#[test]
fn events_in_any_form_and_order() {
    let in_b = format!(r#""beginData":{{"sampleTraceId":71,{}}}"#, stack("b", "a.js", 4, 9));
    let begin = format!(r#"{{"args":{{{in_b}}},"name":"Layout","ph":"B","pid":1,"tid":1,"ts":1012000}}"#);
    let end = r#"{"args":{"endData":{}},"name":"Layout","ph":"E","pid":1,"tid":1,"ts":1013000}"#.to_owned();
    let expected = ["layout at 2 ms, 1 ms: b 4:9"];
    assert_eq!(all_forced(&[end.clone(), begin.clone(), call(10, 40)]), expected);
    assert_eq!(all_forced(&[call(10, 40), begin, end]), expected);
    let odd = [
        r#""beginData":{"stackTrace":{},"sampleTraceId":71}"#,
        r#""beginData":{"stackTrace":[],"sampleTraceId":71}"#,
        r#""beginData":{"stackTrace":[7,null],"sampleTraceId":71}"#,
        r#""beginData":{"stackTrace":[{"url":"a.js","lineNumber":0,"columnNumber":0}],"sampleTraceId":71}"#,
        r#""beginData":{"stackTrace":[{"url":"a.js","lineNumber":-3}],"sampleTraceId":71}"#,
        r#""beginData":[],"sampleTraceId":71"#,
    ];
    for odd in odd {
        let layout = event(&format!(r#""args":{{{odd}}},"name":"Layout""#), 12, 13);
        assert_eq!(all_forced(&[layout]), ["layout at 2 ms, 1 ms: b"], "{odd}");
    }
}

#[test]
fn a_part_of_a_recording_has_what_was_forced_in_it() {
    let in_b = format!(r#""sampleTraceId":71,{}"#, stack("b", "a.js", 4, 9));
    let nameless = format!(r#"{},"sampleTraceId":72"#, stack("", "a.js", 5, 1));
    let profile = trace(&[rendering("Layout", &in_b, 12), rendering("Layout", &nameless, 32)]);
    let all = || Selection::of(&profile, &Threads::All);
    let [first, second] = ["layout at 2 ms, 2 ms: b 4:9", "layout at 22 ms, 2 ms:  5:1"];
    let window = |from: u64, to: u64| {
        let milliseconds = |time| Amount(time * 1_000_000);
        let windows = Windows::between(&profile, "", milliseconds(from), milliseconds(to)).unwrap();
        forced(&profile, &all().within(&windows))
    };
    assert_eq!(forced(&profile, &all()), [first, second]);
    assert_eq!(window(0, 20), [first]);
    assert_eq!(window(20, 40), [second]);
    let is = |name: &str| {
        (0..profile.functions.len() as u32)
            .map(|id| profile.name(crate::model::FunctionId(id)) == name)
            .collect::<Vec<_>>()
    };
    let changed = |transform| forced(&profile, &all().transformed(&transform));
    assert_eq!(changed(Transform::Focus(is("b"))), [first]);
    assert_eq!(changed(Transform::Drop(is("b"))), [second]);
    assert_eq!(changed(Transform::Merge(is("b"))), ["layout at 2 ms, 2 ms: a", second]);
}
