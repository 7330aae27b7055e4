//! Long tasks and markers, from the events of a trace.

use crate::decode::decode;
use crate::model::Amount;

/// `a` calls `b` and `c`.
const NODES: &str = r#"{"id":1,"callFrame":{"functionName":"(root)","scriptId":0}},
    {"id":2,"parent":1,"callFrame":{"functionName":"(program)","scriptId":0}},
    {"id":3,"parent":1,"callFrame":{"functionName":"(garbage collector)","scriptId":0}},
    {"id":4,"parent":1,"callFrame":{"functionName":"a","scriptId":7,"url":"a.js","lineNumber":1,"columnNumber":5}},
    {"id":5,"parent":4,"callFrame":{"functionName":"b","scriptId":7,"url":"a.js","lineNumber":2,"columnNumber":2}},
    {"id":6,"parent":4,"callFrame":{"functionName":"c","scriptId":7,"url":"a.js","lineNumber":3,"columnNumber":2}}"#;

/// A trace with these events, in which thread 1 was profiled from 1 s on, and one of these nodes was sampled every 10 ms.
fn trace(samples: &str, events: &[&str]) -> String {
    let deltas = samples.split(',').map(|_| "10000").collect::<Vec<_>>().join(",");
    format!(
        r#"[{},
{{"args":{{"data":{{"startTime":1}}}},"id":"0x1","name":"Profile","ph":"P","pid":1,"tid":1,"ts":1000000}},
{{"args":{{"data":{{"cpuProfile":{{"nodes":[{NODES}],"samples":[{samples}]}},"timeDeltas":[{deltas}]}}}},"id":"0x1","name":"ProfileChunk","ph":"P","pid":1,"tid":9,"ts":1000001}}]"#,
        events.join(",\n")
    )
}

/// An event of thread 1, from and to in milliseconds after the profile began; the rest of it comes first.
fn event(rest: &str, from: u32, to: u32) -> String {
    let (start, duration) = (1_000_000 + from * 1000, (to - from) * 1000);
    format!(r#"{{{rest},"dur":{duration},"ph":"X","pid":1,"tid":1,"ts":{start}}}"#)
}

/// `a [0]`: the long tasks in which each function was seen. `None` if the trace has no tasks.
fn seen_in(text: &str) -> Option<Vec<String>> {
    let profile = decode(&mut text.as_bytes(), "trace.json", &()).expect("a trace");
    assert!(profile.problems.is_empty(), "{:?}", profile.problems);
    let functions = profile.threads[0].in_long_tasks.as_ref()?.iter();
    Some(functions.map(|(function, tasks)| format!("{} {tasks:?}", profile.name(*function))).collect())
}

/// Samples are taken at 10 ms, 20 ms and so on.
#[test]
fn functions_that_were_seen_in_long_tasks() {
    let task = |from, to| event(r#""args":{},"cat":"x","name":"RunTask""#, from, to);
    let sampled = trace("5,3,4,6,5,4,6,4,4,4,4,3", &[&task(1, 52), &task(60, 112)]);
    let expected = ["a [0, 1]", "b [0]", "c [0, 1]"];
    assert_eq!(
        seen_in(&sampled).unwrap(),
        expected,
        "what begins with a task is in it, what begins with its end is not"
    );
    let in_any_order = trace("5,3,4,6,5,4,6,4,4,4,4,3", &[&task(60, 112), &task(1, 52)]);
    assert_eq!(seen_in(&in_any_order).unwrap(), expected);
    let one = [task(0, 115), task(1, 52), task(60, 112)];
    let nested = trace("5,3,4,6,5,4,6,4,4,4,4,3", &[&one[0], &one[1], &one[2]]);
    assert_eq!(
        seen_in(&nested).unwrap(),
        ["a [0]", "b [0]", "c [0]"],
        "a task within a task is a part of it"
    );
    let short = trace("4,4,4,4,4,4", &[&task(0, 50), &task(50, 70)]);
    assert_eq!(seen_in(&short).unwrap(), [""; 0]);
    assert_eq!(seen_in(&trace("4,4", &[&event(r#""name":"v8.run""#, 0, 65)])), None);
    let interrupted = trace("2,5,3,3", &[&task(25, 80)]);
    assert_eq!(seen_in(&interrupted).unwrap(), ["a [0]", "b [0]"], "a collection is on what it interrupted");
}

#[test]
fn tasks_written_in_any_way() {
    let ways = [
        r#"{"args":{"data":{}},"dur":65000,"name":"RunTask","ph":"X","pid":1,"tid":1,"ts":1000000}"#,
        r#"{"name":"RunTask","ts":1000000.0,"ph":"X","tid":1,"pid":1,"dur":65e3}"#,
        r#"{ "name": "RunTask", "ph": "X", "ts": 1000000, "tid": 1, "pid": 1, "dur": 65000, "args": {} }"#,
        r#"{"args":{"text":"\"}{"},"dur":"65000","name":"R\u0075nTask","ph":"X","pid":"1","tid":"1","ts":1000000}"#,
        r#"{"args":{},"name":"RunTask","ph":"B","pid":1,"tid":1,"ts":1000000},
           {"args":{},"name":"RunTask","ph":"E","pid":1,"tid":1,"ts":1065000}"#,
        r#"{"name":"RunTask","ph":"B","pid":1,"tid":1,"ts":1000000},
           {"name":"Paint","ph":"B","pid":1,"tid":1,"ts":1002000},
           {"dur":1000,"name":"Commit","ph":"X","pid":1,"tid":1,"ts":1002000},
           {"name":"Paint","ph":"E","pid":1,"tid":1,"ts":1004000},
           {"name":"RunTask","ph":"E","pid":1,"tid":1,"ts":1065000}"#,
        r#"{"dur":65000000,"name":"Elsewhere","ph":"X","pid":1,"tid":2,"ts":1},
           {"ph":"E","pid":1,"tid":1,"ts":1}, {"ph":"B","pid":1,"tid":1,"ts":1005000}, {"s":"t","ph":"I","tid":1},
           {"args":[{"a":"]"},[],[1]],"dur":65000,"name":"RunTask","ph":"X","pid":1,"tid":1,"ts":1000000}"#,
    ];
    for way in ways {
        assert_eq!(seen_in(&trace("4,4,4,4,4,4", &[way])).unwrap(), ["a [0]"], "{way}");
    }
}

#[test]
fn without_the_start_of_the_profile_nobody_knows_when_samples_were_taken() {
    let text = trace("4,4", &[&event(r#""name":"RunTask""#, 0, 65)]).replace("\"Profile\"", "\"Other\"");
    let profile = decode(&mut text.as_bytes(), "trace.json", &()).expect("a trace");
    assert_eq!(profile.threads[0].in_long_tasks, None);
}

/// An event of a page's process, this many milliseconds after the profile began.
fn timing(rest: &str, at: i64) -> String {
    let ts = 1_000_000 + at * 1000;
    format!(r#"{{"args":{{{rest},"cat":"blink.user_timing","pid":1,"tid":1,"ts":{ts}}}"#)
}

/// `checkout UserTiming 5+20`, in milliseconds after the first sample.
fn markers(text: &str) -> Vec<String> {
    let profile = decode(&mut text.as_bytes(), "trace.json", &()).expect("a trace");
    assert!(profile.problems.is_empty(), "{:?}", profile.problems);
    assert_eq!(profile.threads[0].start, Some(Amount(0)));
    let all = profile.markers.iter().map(|it| {
        let [start, duration] = [it.start, it.duration].map(|it| it.0 as f64 / 1e6);
        format!("{} {:?} {start}+{duration}", profile.strings.get(it.name), it.kind)
    });
    all.collect()
}

/// The first sample is taken 10 ms after the profile began.
#[test]
fn what_a_page_marks() {
    let document =
        r#""data":{"documentLoaderURL":"http://a/","isLoadingMainFrame":true,"isOutermostMainFrame":true}"#;
    let frame = document.replace(r#"OutermostMainFrame":true"#, r#"OutermostMainFrame":false"#);
    let blank = document.replace("http://a/", "");
    let events = [
        timing(r#"},"id2":{"local":"0x2"},"name":"checkout","ph":"e""#, 35),
        timing(r#"},"id2":{"local":"0x1"},"name":"checkout","ph":"b""#, 15),
        timing(r#"},"id2":{"local":"0x2"},"name":"checkout","ph":"b""#, 20),
        timing(r#"},"id2":{"local":"0x1"},"name":"checkout","ph":"e""#, 30),
        timing(r#""startTime":1},"id":"0x3","name":"early","ph":"b""#, 5),
        timing(r#"},"id":"0x3","name":"early","ph":"e""#, 12),
        timing(r#"},"id":"0x4","name":"never ends","ph":"b""#, 12),
        timing(r#"},"id":"0x5","name":"never begins","ph":"e""#, 12),
        timing(r#""data":{"startTime":7}},"name":"paid","ph":"I","s":"t""#, 40),
        timing(r#"},"name":"older","ph":"R""#, 41),
        timing(r#"},"name":"domComplete","ph":"R""#, 42),
        timing(&format!(r#"{document}}},"name":"navigationStart","ph":"R""#), 8),
        timing(&format!(r#"{frame}}},"name":"navigationStart","ph":"R""#), 20),
        timing(&format!(r#"{blank}}},"name":"navigationStart","ph":"R""#), 21),
        timing(r#"},"name":"elsewhere","ph":"R""#, 43).replace(r#""pid":1"#, r#""pid":2"#),
        event(r#""args":{},"name":"RunTask""#, 10, 61),
        event(r#""args":{},"name":"RunTask""#, 61, 111),
    ];
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    let expected = [
        "navigation Navigation 0+0",
        "early UserTiming 0+2",
        "long task LongTask 0+51",
        "checkout UserTiming 5+15",
        "checkout UserTiming 10+15",
        "paid UserTiming 30+0",
        "older UserTiming 31+0",
    ];
    assert_eq!(markers(&trace("5,5,5,5,5", &events)), expected);
    let spaced: Vec<String> = events.iter().map(|it| it.replace(r#""ph":"#, r#""ph": "#)).collect();
    let spaced: Vec<&str> = spaced.iter().map(String::as_str).collect();
    assert_eq!(markers(&trace("5,5,5,5,5", &spaced)), expected, "written in any way");
}
