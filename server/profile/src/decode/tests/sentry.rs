//! Sentry's profiles of both versions, with several threads and broken data.

use expect_test::expect;

use super::costs;
use crate::decode::decode;
use crate::model::{FunctionId, Position};

/// Two functions, and three stacks: work over main, main, and none.
const TABLES: &str = r#""frames":[{"function":"main","abs_path":"file:///a.js","filename":"a.js","lineno":1,"colno":1},
    {"function":"work","filename":"a.js","lineno":3,"colno":14,"in_app":true}],"stacks":[[1,0],[0],[]]"#;

fn first(samples: &str) -> String {
    format!(
        r#"{{"event_id":"e","version":"1","platform":"node","profile":{{{TABLES},"samples":[{samples}],
        "thread_metadata":{{"0":{{"name":"main"}},"7":{{"name":"worker"}}}}}},"transactions":[]}}"#
    )
}

fn sample(stack: &str, thread: &str, millis: u32) -> String {
    format!(r#"{{"stack_id":{stack},"thread_id":{thread},"elapsed_since_start_ns":"{millis}000000"}}"#)
}

#[test]
fn a_sample_stands_for_the_time_until_the_next_of_its_thread() {
    let samples = [
        sample("0", "\"0\"", 5),
        sample("1", "\"7\"", 6),
        sample("2", "\"0\"", 25),
        sample("1", "\"0\"", 15),
        sample("0", "7", 10),
    ];
    expect![[r#"
        main 10000/20000
        work 10000/10000
        NoStack: 10000
        |
        main 4000/8000
        work 4000/4000"#]]
    .assert_eq(&costs(&first(&samples.join(","))).join("\n"));
}

#[test]
fn chunks_count_seconds_since_1970() {
    let at = |stack: u32, time: &str| format!(r#"{{"timestamp":{time},"stack_id":{stack},"thread_id":"0"}}"#);
    let samples = [at(0, "1724777211.503"), at(1, "1724777211.513"), at(0, "1724777211.5235")].join(",");
    let chunk = format!(
        r#"{{"profiler_id":"p","chunk_id":"c","version":"2","profile":{{"samples":[{samples}],{TABLES},"thread_metadata":{{"0":{{"name":"main"}}}}}}}}"#
    );
    expect![[r#"
        main 10500/30750
        work 20250/20250"#]]
    .assert_eq(&costs(&chunk).join("\n"));
    // An envelope: its header, the header of the item, the item.
    let chunk = chunk.replace('\n', "");
    let envelope = format!("{{\"event_id\":\"e\"}}\n{{\"type\":\"profile_chunk\"}}\n{chunk}\n{chunk}\n");
    assert_eq!(costs(&envelope).last().map(String::as_str), Some("! 1 line holds no profile"));
}

#[test]
fn places_count_from_one_and_the_url_tells_the_most() {
    let text = first(&sample("0", "0", 1));
    let profile = decode(&mut text.as_bytes(), "", &()).expect("a profile");
    let shown: Vec<String> = (0..profile.functions.len() as u32)
        .map(|id| {
            let at = profile.functions[id as usize].defined_at.map(|it| (it.line, it.column));
            format!("{} {:?} {at:?}", profile.name(FunctionId(id)), profile.resource(FunctionId(id)))
        })
        .collect();
    expect![[r#"
        main Some("file:///a.js") Some((0, Some(0)))
        work Some("a.js") Some((2, Some(13)))"#]]
    .assert_eq(&shown.join("\n"));
    assert_eq!((profile.format, profile.threads[0].name.as_str()), ("sentry", "main"));
}

#[test]
fn in_node_the_line_is_that_of_the_call() {
    let text = r#"{"profile":{"frames":[{"function":"work","abs_path":"a.js","module":"a","lineno":7,"colno":14},
        {"function":"","abs_path":"a.js","module":"a","lineno":9,"colno":1},{"function":"(root)","lineno":0,"colno":0}],
        "stacks":[[0,1,0,2]],"samples":[{"stack_id":0}]}}"#;
    let profile = decode(&mut text.as_bytes(), "", &()).expect("a profile");
    let shown = profile.functions.iter().map(|it| (profile.strings.get(it.name), it.defined_at));
    let place = |line, column| Some(Position { line, column: Some(column) });
    assert_eq!(shown.collect::<Vec<_>>(), [("work", place(6, 13)), ("work", None), ("", place(0, 0))]);
}

#[test]
fn what_is_broken_costs_itself() {
    let lost = first(&[sample("9", "0", 1), sample("null", "0", 2), sample("1", "0", 3)].join(","));
    let frames = first(&sample("0", "0", 1)).replace("[[1,0]", "[[1,5,-1,\"x\",0]");
    let gap = first(&[1, 2, 3, 5003].map(|at| sample("0", "0", at)).join(","));
    let pseudo = r#"{"profile":{"frames":[{"function":"(idle)"},{"function":"(root)"},{"function":"(program)"},
        {"function":"(garbage collector)"},{"function":"work","filename":"a.js"}],"stacks":[[0,1],[2,1],[1],[3,1],[4,1]],
        "samples":[{"stack_id":0,"timestamp":0},{"stack_id":1,"timestamp":1},{"stack_id":2,"timestamp":2},
        {"stack_id":3,"timestamp":3},{"stack_id":4,"timestamp":4},{"stack_id":3,"timestamp":5}]}}"#;
    let said = [&lost, &frames, &gap, pseudo, &first("")].map(|text| costs(text).join("; "));
    expect![[r#"
        main 1000/1000; Unknown: 2000; ! 2 samples of stacks that do not exist
        main 0/10000; work 10000/10000; ! 3 frames point at nothing
        main 0/4000; work 4000/4000; Unsampled: 4999000; ! the recording has 1 gap
        (garbage collector) 1000000/1000000; work 1000000/2000000; Idle: 1000000; NoStack: 1000000; Program: 1000000; GarbageCollector: 1000000
        trace.json is not a profile that Proflens reads: it is a profile without samples. Record for longer, and while the program is busy."#]].assert_eq(&said.join("\n"));
}
