//! Tiny performance traces.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::{costs, line_costs, messages, shown};
use crate::decode::decode;
use crate::decode::error::DecodeError;
use crate::model::{Profile, Thread};

/// Nodes 1 to 3 are `(root)`, `(program)` and `(idle)`, 4 is `outer`, which calls 5, `inner`.
const NODES: &str = r#"{"id":1,"callFrame":{"functionName":"(root)","scriptId":0}},
    {"id":2,"parent":1,"callFrame":{"functionName":"(program)","scriptId":0}},
    {"id":3,"parent":1,"callFrame":{"functionName":"(idle)","scriptId":0}},
    {"id":4,"parent":1,"callFrame":{"functionName":"outer","scriptId":7,"url":"a.js","lineNumber":0,"columnNumber":5}},
    {"id":5,"parent":4,"callFrame":{"functionName":"inner","scriptId":7,"url":"a.js","lineNumber":9,"columnNumber":2}}"#;
const OTHER: &str = r#"{"args":{"data":{"url":"Profile \"}{"}},"cat":"x","dur":5,"name":"RunTask","ph":"X","pid":1,"tid":1,"ts":3}"#;

fn start(place: &str, source: &str, time: u32) -> String {
    let [pid, tid, id] = parts(place);
    format!(
        r#"{{"args":{{"data":{{"source":"{source}","startTime":1}}}},"id":"{id}","name":"Profile","ph":"P","pid":{pid},"tid":{tid},"ts":{time}}}"#
    )
}

fn chunk(place: &str, nodes: &str, samples: &str, deltas: &str, time: u32) -> String {
    let [pid, _, id] = parts(place);
    format!(
        r#"{{"args":{{"data":{{"cpuProfile":{{"nodes":[{nodes}],"samples":[{samples}]}},"lines":[11,12,12],"timeDeltas":[{deltas}]}}}},"id":"{id}","name":"ProfileChunk","ph":"P","pid":{pid},"tid":99,"ts":{time}}}"#
    )
}

fn name(place: &str, name: &str) -> String {
    let [pid, tid, _] = parts(place);
    format!(
        r#"{{"args":{{"name":"{name}"}},"cat":"__metadata","name":"thread_name","ph":"M","pid":{pid},"tid":{tid},"ts":0}}"#
    )
}

/// Splits `pid/tid/id`.
fn parts(place: &str) -> [&str; 3] {
    let mut parts = place.split('/');
    [(); 3].map(|()| parts.next().expect("three parts"))
}

/// 100 us of `outer`, 200 us of `inner`, 300 us idle; the last sample is worth the average, 200 us.
fn one() -> Vec<String> {
    vec![
        OTHER.to_owned(),
        start("1/1/0x1", "Internal", 10),
        chunk("1/1/0x1", NODES, "4,5,3", "50,100,200", 20),
        OTHER.to_owned(),
        chunk("1/1/0x1", "", "4", "300", 30),
        name("1/1/0x1", "CrRendererMain"),
    ]
}

const COSTS_OF_ONE: [&str; 3] = ["outer 300/500", "inner 200/200", "Idle: 300"];

fn array(events: &[String]) -> String {
    format!("[{}]", events.join(",\n"))
}

fn read(text: &str) -> Profile {
    decode(&mut text.as_bytes(), "trace.json", &()).expect("a trace")
}

fn names(text: &str) -> Vec<String> {
    read(text).threads.into_iter().map(|thread| thread.name).collect()
}

#[test]
fn what_is_wrong_with_unread_events_does_not_matter_in_whatever_pieces_they_come() {
    let broken = [
        // Arguments that only matter in other events.
        r#"{"args":{"data":{"lines":[1 2]}},"cat":"x","name":"RunTask","ph":"X","pid":1,"tid":1,"ts":12}"#,
        r#"{"args":{"data":{"cpuProfile":{"nodes":{"id"}}}},"name":"RunTask","ph":"X","pid":1,"tid":1,"ts":12}"#,
        r#"{"args":{"name":nu{l}},"name":"RunTask","ph":"X","pid":1,"tid":1,"ts":12}"#,
        // Without a place in time.
        r#"{"cat":"x","name":"Layout","args":{"data":{"url" "x"}},"ph":"N"}"#,
        // Times that are not numbers.
        r#"{"name":"RunTask","ph":"X","pid":1,"tid":1,"ts":1x,"dur":true}"#,
    ];
    for broken in broken {
        for between in ["", " ", "\n  "] {
            let mut events = one();
            events[3] = format!("{between}{broken}");
            let [whole, pieces] = messages(array(&events).as_bytes());
            assert_eq!(whole, pieces, "{broken}");
            assert_eq!(whole, messages(array(&one()).as_bytes())[0], "{broken}");
        }
    }
}

#[test]
fn every_container() {
    let events = array(&one());
    let list = events.trim_end_matches(']');
    let objects = [
        format!(r#"{{"traceEvents":{events}}}"#),
        format!(
            r#"{{"metadata":{{"source":"DevTools","sourceMaps":[{{"url":"a.js"}}]}},"traceEvents":{events}}}"#
        ),
        format!(r#"{{"traceEvents":{events},"metadata":{{"ph":1}},"stackFrames":{{}},"samples":[]}}"#),
        format!(
            r#"{{"meta":{{"type":"x-msedge-session-log"}},"scripts":[],"payload":{{"traceEvents":{events}}}}}"#
        ),
        events.clone(),
        list.to_owned(),
        format!("{list},\n"),
        format!("{list},]"),
        format!("[{{}},{{\"args\":null}},null,{}", &events[1..]),
    ];
    for text in objects {
        assert_eq!(costs(&text), COSTS_OF_ONE, "{text}");
        assert_eq!(names(&text), ["CrRendererMain (pid 1, tid 1)"], "{text}");
        assert_eq!(read(&text).format, "chrome-trace");
    }
}

#[test]
fn events_in_any_order() {
    let mut events = one();
    events.reverse();
    assert_eq!(costs(&array(&events)), COSTS_OF_ONE);
}

#[test]
fn events_of_any_size() {
    let long = format!(r#"{{"args":{{"text":"{}"}},"name":"RunTask","ph":"X"}}"#, "{Profile".repeat(100_000));
    let nodes: Vec<String> = (6..9000)
        .map(|id| format!(r#"{{"id":{id},"parent":5,"callFrame":{{"functionName":"f{id}","url":"a.js"}}}}"#))
        .collect();
    let mut events = one();
    events.insert(1, long);
    events.insert(4, chunk("1/1/0x1", &nodes.join(","), "", "", 25));
    assert_eq!(costs(&array(&events)), COSTS_OF_ONE);
}

#[test]
fn samples_tell_their_lines() {
    let places = |text: &str| line_costs(&read(text));
    let text = array(&one());
    assert_eq!(places(&text), ["outer 10 300", "inner 11 200"]);
    let with_columns = text.replace(r#""lines":["#, r#""columns":[4,0],"lines":["#);
    let found = places(&with_columns);
    assert_eq!(found, ["outer 10:3 300", "inner 11 200"], "0 and what is missing are no columns");
}

/// Samples with the lines 11, 12 and 12, then 11, 12, 12 and none; the comment above has their weights.
#[test]
fn a_sample_has_all_its_time_on_its_line() {
    let two = |first: [&str; 3], second: [&str; 3]| {
        let chunk = |nodes, [samples, deltas, time]: [&str; 3]| {
            chunk("1/1/0x1", nodes, samples, deltas, time.parse().expect("a time"))
        };
        let events = [start("1/1/0x1", "Internal", 10), chunk(NODES, first), chunk("", second)];
        line_costs(&read(&array(&events)))
    };
    //           samples of outer    10   970   10       10    1000     10   and 335, the average
    let expected = ["outer 10 20", "outer 11 1990"];
    let (first, second) = (["4,4,4", "1,10,970", "20"], ["4,4,4,4", "10,10,1000,10", "30"]);
    assert_eq!(two(first, second), expected);
    assert_eq!(two(second, ["", "", "40"]), ["outer 10 10", "outer 11 1010"]);
    // A chunk and a sample that were written too late.
    assert_eq!(two(second, first), expected);
    let late = two(["4,5,4", "100,10,-90", "20"], ["", "", "30"]);
    assert_eq!(late, ["outer 10 10", "outer 11 80", "inner 11 45"]);
}

/// A collection is on no line, nor is a failed sample, whose place nobody knows.
#[test]
fn time_without_a_line() {
    let collector = r#",{"id":6,"parent":1,"callFrame":{"functionName":"(garbage collector)","scriptId":0}}"#;
    let nodes = format!("{NODES}{collector}");
    let of = |samples: &str| {
        let chunk = chunk("1/1/0x1", &nodes, samples, "0,100,100", 20);
        let profile = read(&array(&[start("1/1/0x1", "Internal", 10), chunk]));
        [shown(&profile).join(", "), line_costs(&profile).join(", ")]
    };
    assert_eq!(of("4,6,4"), ["outer 200/300, (garbage collector) 100/100", "outer 10 100, outer 11 100"]);
    assert_eq!(of("4,2,4"), ["outer 300/300", "outer 10 100, outer 11 100"]);
}

#[test]
fn the_main_thread_comes_first() {
    let mut events = Vec::new();
    let bar = r#"{"id":6,"parent":1,"callFrame":{"functionName":"draw","scriptId":8,"url":"chrome://resources/bar.js"}}"#;
    let nodes = format!("{NODES},{bar}");
    for (place, samples, thread) in [
        ("1/1/0x1", "3,3,3,3", "CrRendererMain"), // of another page, idle
        ("4/5/0x1", "6,6,6,6", "CrRendererMain"), // of the browser's address bar
        ("2/3/0x2", "4,4,4,4", "DedicatedWorker thread"),
        ("2/2/0x1", "4,5,3,3", "CrRendererMain"),
        ("3/4/0x1", "", "CrRendererMain"),
    ] {
        let deltas = ["1"; 4].join(",");
        let deltas = if samples.is_empty() { "" } else { &deltas };
        events.extend([
            start(place, "Internal", 1),
            chunk(place, &nodes, samples, deltas, 2),
            name(place, thread),
        ]);
    }
    assert_eq!(
        names(&array(&events)),
        [
            "CrRendererMain (pid 2, tid 2)",
            "CrRendererMain (pid 1, tid 1)",
            "CrRendererMain (pid 4, tid 5)",
            "DedicatedWorker thread (pid 2, tid 3)",
        ]
    );
    assert_eq!(costs(&array(&events))[..4], ["outer 1/2", "inner 1/1", "Idle: 2", "|"]);
}

#[test]
fn of_several_profiles_of_a_thread_one_is_shown() {
    let profiles = |sources: [&str; 3]| {
        let mut events = vec![name("1/1/0x0", "CrRendererMain")];
        for (number, source) in sources.iter().enumerate() {
            let place = format!("1/1/0x{number}");
            let deltas = ["1", "1", "1"].map(|it| format!("{it}{}", "0".repeat(number))).join(",");
            events.push(start(&place, source, 10 + number as u32));
            events.push(chunk(&place, NODES, "4,4,4", &deltas, 20));
        }
        let all = read(&array(&events));
        let repeats: Vec<bool> = all.threads.iter().map(|it| it.repeats).collect();
        assert_eq!(repeats, [false, true, true], "they can be chosen, and are never added");
        let thread = |it: &Thread| {
            let name = it.name.trim_start_matches("CrRendererMain (pid 1, tid 1)");
            format!("{}{name}", it.duration.0 / 3000)
        };
        all.threads.iter().map(thread).collect::<Vec<_>>()
    };
    assert_eq!(
        profiles(["SelfProfiling", "Inspector", "Internal"]),
        ["100", "10, profile 2 by the inspector", "1, profile 3 by the page"]
    );
    assert_eq!(
        profiles(["SelfProfiling", "Inspector", "SelfProfiling"]),
        ["10", "1, profile 2 by the page", "100, profile 3 by the page"]
    );
    assert_eq!(
        profiles(["SelfProfiling", "", "SelfProfiling"]),
        ["1", "10, profile 2 by the page", "100, profile 3 by the page"]
    );
}

#[test]
fn the_old_event() {
    let profile =
        format!(r#"{{"nodes":[{NODES}],"samples":[4,5,3,4],"timeDeltas":[50,100,200,300],"startTime":1}}"#);
    let event = format!(
        r#"[{{"pid":"a","tid":"b","ts":5,"ph":"I","name":"CpuProfile","args":{{"data":{{"cpuProfile":{profile}}}}}}},
            {{"pid":"a","tid":"b","ts":6,"ph":"I","name":"CpuProfile","args":{{"data":null}}}}]"#
    );
    assert_eq!(costs(&event), COSTS_OF_ONE);
    assert_eq!(names(&event), ["pid a, tid b"]);
}

#[test]
fn a_profile_that_devtools_opened_and_saved_again() {
    let profile = format!(
        r#"{{"nodes":[{NODES}],"samples":[4,5,3,4],"timeDeltas":[50,100,200,300],"startTime":1,"endTime":651}}"#
    );
    let text = format!(
        r#"{{"metadata":{{"source":"DevTools","dataOrigin":"CPUProfile","modifications":{{"entriesModifications":{{"hiddenEntries":["p-4"]}}}}}},
            "traceEvents":[{},
            {{"args":{{}},"cat":"toplevel","dur":650,"name":"JSRoot","ph":"X","pid":1,"tid":1,"ts":1}},
            {{"args":{{"data":{{"cpuProfile":{profile}}}}},"cat":"","id":"0x1","name":"CpuProfile","ph":"X","pid":1,"tid":1,"ts":651}}]}}"#,
        name("1/1/0x1", "Thread 1")
    );
    assert_eq!(costs(&text), COSTS_OF_ONE, "what was hidden on the screen was measured all the same");
    assert_eq!(names(&text), ["Thread 1 (pid 1, tid 1)"]);
    assert_eq!(costs(&text), costs(&profile));
}

#[test]
fn a_worker_has_the_name_of_its_script() {
    let worker = |thread: &str, url: &str| {
        format!(
            r#"{{"args":{{"data":{{"frame":"F","url":"{url}","workerId":"W","workerThreadId":{thread}}}}},"name":"TracingSessionIdForWorker","ph":"I","pid":1,"tid":9,"ts":1}}"#
        )
    };
    let mut events = one();
    events.extend([
        start("1/2/0x2", "Internal", 1),
        chunk("1/2/0x2", NODES, "4", "1", 2),
        name("1/2/0x2", "DedicatedWorker thread"),
        worker("2", "http://localhost/assets/worker.js?v=1"),
        start("1/3/0x3", "Internal", 1),
        chunk("1/3/0x3", NODES, "4", "1", 2),
        worker("\"3\"", "blob:http://localhost/123"),
    ]);
    let names = names(&array(&events));
    assert_eq!(
        names,
        [
            "CrRendererMain (pid 1, tid 1)",
            "DedicatedWorker thread · worker.js (pid 1, tid 2)",
            "123 (pid 1, tid 3)",
        ]
    );
}

#[test]
fn a_thread_that_names_its_process_has_no_other_number() {
    let mut events = one();
    events.extend([
        start("1/2/0x2", "Internal", 1),
        chunk("1/2/0x2", NODES, "4", "1", 2),
        name("1/2/0x2", "main.js, worker 2 (pid 4711)"),
        start("1/3/0x3", "Internal", 1),
        chunk("1/3/0x3", NODES, "4", "1", 2),
        name("1/3/0x3", "pid (a name)"),
    ]);
    let expected =
        ["CrRendererMain (pid 1, tid 1)", "main.js, worker 2 (pid 4711)", "pid (a name) (pid 1, tid 3)"];
    assert_eq!(names(&array(&events)), expected);
}

#[test]
fn what_is_missing() {
    let mut late = one();
    late.remove(1);
    let mut expected = COSTS_OF_ONE.to_vec();
    expected.push("! the start of a CPU profile of process 1 is missing");
    assert_eq!(costs(&array(&late)), expected);
    assert_eq!(names(&array(&late)), ["CrRendererMain (pid 1, tid 1)"]);

    let mut two = one();
    two.push(chunk("1/1/0x7", NODES, "5,5", "1,1", 50));
    expected[3] = "! the start of 1 CPU profile is missing";
    assert_eq!(costs(&array(&two)), expected);

    let bare = r#"{"name":"ProfileChunk","ph":"P","pid":1,"tid":1,"ts":1,"id":"0x9"}"#;
    let mut bares = one();
    bares.insert(0, bare.to_owned());
    assert_eq!(costs(&array(&bares)), COSTS_OF_ONE);

    let sentence = costs(&format!("[{bare},{OTHER}]")).join("");
    assert!(sentence.contains("it is a Chrome trace without CPU samples"), "{sentence}");
}

#[test]
fn a_trace_that_was_cut_off_gives_what_was_complete() {
    let whole = array(&one());
    let cut = whole.find("thread_name").expect("the last event");
    let mut expected = COSTS_OF_ONE.to_vec();
    let problem = format!("! the trace ends at byte {cut}, in its middle");
    expected.push(&problem);
    assert_eq!(costs(&whole[..cut]), expected);

    let second = whole.rfind("timeDeltas").expect("the second chunk");
    let lines = costs(&whole[..second]);
    assert_eq!(lines[..3], ["outer 100/300", "inner 200/200", "Idle: 150"]);

    let first = whole.find("timeDeltas").expect("the first chunk");
    assert!(matches!(
        decode(&mut &whole.as_bytes()[..first], "", &()),
        Err(DecodeError::UnsupportedFormat(_))
    ));

    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(whole.as_bytes()).expect("memory can be written");
    let packed = packed.finish().expect("memory can be written");
    let profile = decode(&mut &packed[..packed.len() - 4], "trace.json", &()).expect("a trace");
    assert_eq!(shown(&profile)[..3], COSTS_OF_ONE);
    assert_eq!(profile.problems.len(), 1);
}

#[test]
fn a_trace_that_is_damaged_gives_what_stands_before() {
    let events = one();
    let sound = events.join(",\n").len() + 1;
    let damaged = |events: &str| costs(&format!("[{events} ?\n{OTHER}]"));
    let mut expected = COSTS_OF_ONE.to_vec();
    let problem = format!("! the trace is not valid JSON at byte {}", sound + 1);
    expected.push(&problem);
    assert_eq!(damaged(&events.join(",\n")), expected);

    let sentence = damaged(OTHER).join("");
    assert!(sentence.contains("it is not valid JSON at byte"), "{sentence}");
}
