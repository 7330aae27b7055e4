//! Traces with stacks that were not recorded by V8.

use super::{costs, line_costs};
use crate::decode::decode;
use crate::model::Function;

/// As Hermes writes them: all numbers in quotes, and the names have the places that ran.
const FRAMES: &str = r#"{
    "1":{"name":"[root]","category":"root"},
    "2":{"line":"2","column":"3","funcLine":"1","funcColumn":"10","name":"main(http://x/app.js:2:3)","category":"JavaScript","parent":1},
    "3":{"name":"work(http://x/app.js:4:9)","category":"JavaScript","parent":2},
    "4":{"name":"[Native] now","category":"Native","parent":3},
    "5":{"name":"[GC Young Gen]","category":"Metadata","parent":3},
    "6":{"funcLine":"2","funcColumn":"1","name":"global(http://x/app.js:33:12)","category":"JavaScript","parent":1}}"#;

fn sample(thread: &str, time: u32, frame: u32) -> String {
    format!(r#"{{"cpu":"-1","name":"","ts":"{time}","pid":6,"tid":"{thread}","weight":"1","sf":{frame}}}"#)
}

fn with_frames(samples: &[String]) -> String {
    let samples = samples.join(",");
    format!(r#"{{"traceEvents":[],"samples":[{samples}],"stackFrames":{FRAMES}}}"#)
}

/// An event of a thread of process 1: phase, name, time, and more members.
fn event(phase: &str, name: &str, time: u32, more: &str) -> String {
    format!(r#"{{"ph":"{phase}","name":"{name}","pid":1,"tid":2,"ts":{time}{more}}}"#)
}

const PLACE: &str =
    r#","args":{"url":"http://x/app.js","line":"9","column":"9","funcLine":"4","funcColumn":"9"}"#;

/// Each function with its place, followed by each thread.
fn functions(text: &str) -> Vec<String> {
    let profile = decode(&mut text.as_bytes(), "trace.json", &()).expect("a trace");
    let place = |it: &Function| {
        let url = it.resource.map_or("-", |it| profile.strings.get(profile.resources[it.0 as usize]));
        let place = it.defined_at.map_or("-".to_owned(), |it| format!("{}:{:?}", it.line, it.column));
        format!("{} {url} {place}", profile.strings.get(it.name))
    };
    let threads = profile.threads.iter().map(|it| it.name.clone());
    profile.functions.iter().map(place).chain(threads).collect()
}

#[test]
fn samples_with_a_table_of_frames() {
    let samples = [sample("7", 100, 2), sample("7", 150, 3), sample("7", 250, 4), sample("7", 300, 1)];
    let expected = ["main 50/200", "work 100/150", "now 50/50", "Idle: 0"];
    assert_eq!(costs(&with_frames(&samples)), expected, "the last sample counts nothing");
    let mut reversed = samples.to_vec();
    reversed.reverse();
    assert_eq!(costs(&with_frames(&reversed)), expected);
    assert_eq!(
        functions(&with_frames(&samples)),
        ["main http://x/app.js 0:Some(9)", "work http://x/app.js -", "now - -", "pid 6, tid 7",]
    );
    let profile = decode(&mut with_frames(&samples).as_bytes(), "", &()).expect("a trace");
    assert_eq!(profile.format, "chrome-trace");
    assert_eq!(line_costs(&profile), ["main 1 50", "work 3 100"]);

    let around = [sample("7", 0, 6), sample("7", 10, 5), sample("7", 30, 1)];
    assert_eq!(
        costs(&with_frames(&around)),
        ["main 0/20", "work 0/20", "(garbage collector) 20/20", "(anonymous) 10/10", "Idle: 0"]
    );
    assert_eq!(functions(&with_frames(&around))[3], " http://x/app.js 0:Some(0)");

    // Bytecode without debug information: functions differ by where it begins.
    let bytecode = r#"{"1":{"name":"[root]"},
        "2":{"funcVirtAddr":"2033","offset":"84","name":"","category":"JavaScript","parent":1},
        "3":{"funcVirtAddr":"2283","offset":"85","name":"","category":"JavaScript","parent":2}}"#;
    let of_bytecode = with_frames(&samples[..2]).replace(FRAMES, bytecode);
    assert_eq!(
        functions(&of_bytecode),
        [" [bytecode of Hermes] 0:Some(2033)", " [bytecode of Hermes] 0:Some(2283)", "pid 6, tid 7"]
    );

    let mut two = samples.to_vec();
    two.extend([sample("8", 100, 3), sample("8", 110, 9), sample("8", 130, 1)]);
    assert_eq!(
        costs(&with_frames(&two)),
        [
            "main 50/200",
            "work 100/150",
            "now 50/50",
            "Idle: 0",
            "|",
            "main 0/10",
            "work 10/10",
            "Idle: 0",
            "Unknown: 20",
            "! 1 sample points at no stack frame",
        ]
    );
}

#[test]
fn a_table_of_frames_before_samples_among_the_events() {
    let named = event("M", "thread_name", 0, r#","args":{"name":"mqt_js"}"#);
    let sampled =
        [(10, 2), (30, 3), (40, 3)].map(|(time, sf)| event("P", "s", time, &format!(r#","sf":{sf}"#)));
    let text = format!(r#"{{"stackFrames":{FRAMES},"traceEvents":[{named},{}]}}"#, sampled.join(","));
    assert_eq!(costs(&text), ["main 20/30", "work 10/10"]);
    assert_eq!(functions(&text).last().map(String::as_str), Some("mqt_js (pid 1, tid 2)"));
}

#[test]
fn calls_that_begin_and_end() {
    let call = |phase: &str, name: &str, time: u32| event(phase, name, time, PLACE);
    let events = [
        event("M", "thread_name", 0, r#","args":{"name":"JS"}"#),
        call("B", "main", 100),
        call("B", "work", 130),
        call("E", "work", 160),
        call("B", "main", 170),
        call("E", "main", 180),
        call("E", "main", 200),
        call("B", "work", 220),
        call("E", "work", 230),
    ];
    let text = format!("[{}]", events.join(","));
    assert_eq!(costs(&text), ["main 70/100", "work 40/40", "Idle: 20"]);
    assert_eq!(
        functions(&text),
        ["main http://x/app.js 3:Some(8)", "work http://x/app.js 3:Some(8)", "JS (pid 1, tid 2)"]
    );
    let open = format!("[{}", events[..6].join(","));
    assert_eq!(costs(&open), ["main 50/80", "work 30/30", "! 1 call has no beginning or no end"]);
    let crossed = [call("B", "main", 0), call("B", "work", 10), call("E", "main", 30), call("E", "work", 40)];
    assert_eq!(
        costs(&format!("[{}]", crossed.join(","))),
        ["main 10/30", "work 20/20", "! 2 calls have no beginning or no end"]
    );
}

#[test]
fn calls_with_a_duration() {
    let call = |name: &str, time: u32, duration: u32| {
        event("X", name, time, &format!(r#","dur":{duration}{PLACE}"#))
    };
    // The second one outlives the first, by rounding; the third is out of order.
    let events = [call("main", 0, 100), call("work", 60, 50), call("read", 10, 20)];
    assert_eq!(costs(&format!("[{}]", events.join(","))), ["main 40/100", "work 40/40", "read 20/20"]);
}

#[test]
fn what_a_browser_does_is_no_function() {
    let task = event("X", "RunTask", 1, r#","dur":5,"args":{"data":{"url":"http://x/","lineNumber":1}}"#);
    let request = event("X", "Request", 2, r#","dur":5,"args":{"url":"http://x/"}"#);
    let text = format!(r#"{{"stackFrames":{{}},"samples":[],"traceEvents":[{task},{request}]}}"#);
    let sentence = costs(&text).join("");
    assert!(sentence.contains("it is a Chrome trace without CPU samples"), "{sentence}");

    // If there are V8 samples, only those count.
    let call = event("X", "work", 1, &format!(r#","dur":5{PLACE}"#));
    let chunk = r#"{"args":{"data":{"cpuProfile":{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"}},{"id":2,"parent":1,"callFrame":{"functionName":"f","url":"a.js"}}],"samples":[2,2]},"timeDeltas":[0,100]}},"id":"0x1","name":"ProfileChunk","ph":"P","pid":1,"tid":99,"ts":1}"#;
    let start = r#"{"args":{"data":{}},"id":"0x1","name":"Profile","ph":"P","pid":1,"tid":2,"ts":1}"#;
    for text in [format!("[{call},{start},{chunk}]"), format!("[{start},{call},{chunk},{call}]")] {
        assert_eq!(costs(&text), ["f 200/200"]);
    }
}
