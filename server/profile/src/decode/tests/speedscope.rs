//! speedscope: samples and events, units, and broken data.

use expect_test::expect;

use super::costs;

/// A file with these profiles over three frames: main at 1:1, work at 3:14, and one without a file.
fn file(profiles: &str) -> String {
    format!(
        r#"{{"exporter":"test","$schema":"https://www.speedscope.app/file-format-schema.json","shared":{{"frames":[
        {{"name":"main","file":"a.js","line":1,"col":1}},{{"name":"work","file":"a.js","line":3,"col":14}},{{"name":"sort"}}]}},
        "profiles":[{profiles}]}}"#
    )
}

fn sampled(unit: &str, samples: &str, weights: &str) -> String {
    format!(
        r#"{{"type":"sampled","name":"t","unit":"{unit}","startValue":0,"endValue":9,"samples":{samples},"weights":{weights}}}"#
    )
}

fn evented(events: &str) -> String {
    format!(
        r#"{{"type":"evented","name":"t","unit":"microseconds","startValue":10,"endValue":30,"events":[{events}]}}"#
    )
}

#[test]
fn samples_and_their_units() {
    let samples = "[[0],[0,1],[0,1,1,2],[]]";
    let said: Vec<String> = ["nanoseconds", "microseconds", "milliseconds", "seconds", "none", "bytes"]
        .iter()
        .map(|unit| costs(&file(&sampled(unit, samples, "[1,2,3,0.5]"))).join("; "))
        .collect();
    expect![[r#"
        main 1ns/6ns; work 2ns/5ns; sort 3ns/3ns; Idle: 1ns
        main 1/6; work 2/5; sort 3/3; Idle: 500ns
        main 1000/6000; work 2000/5000; sort 3000/3000; Idle: 500
        main 1000000/6000000; work 2000000/5000000; sort 3000000/3000000; Idle: 500000
        main 1000/6000; work 2000/5000; sort 3000/3000; Idle: 500; ! it counts samples and does not say how long one is
        main 1B/6B; work 2B/5B; sort 3B/3B; Native: 1B"#]].assert_eq(&said.join("\n"));
}

#[test]
fn events() {
    let (open, close) = (
        |frame: u32, at: u32| format!(r#"{{"type":"O","frame":{frame},"at":{at}}}"#),
        |frame: u32, at: u32| format!(r#"{{"type":"C","frame":{frame},"at":{at}}}"#),
    );
    let recursion = [open(0, 12), open(1, 13), open(1, 15), close(1, 18), close(1, 19), close(0, 25)];
    let never_closed = [open(0, 12), open(1, 20)];
    let crossed = [open(0, 12), open(1, 13), close(0, 15), close(1, 16), close(0, 20)];
    let lost = [open(7, 12), open(0, 13), close(0, 14), close(7, 15), close(7, 11)];
    let said = [&recursion[..], &never_closed, &crossed, &lost]
        .map(|events| costs(&file(&evented(&events.join(",")))).join("; "));
    expect![[r#"
        main 7/13; work 6/6; Idle: 7
        main 8/18; work 10/10; Idle: 2; ! 2 frames are never closed
        main 5/8; work 3/3; Idle: 12; ! 1 event closes no open frame
        main 1/1; Idle: 19; ! 1 frame points at nothing; ! 2 events close no open frame"#]]
    .assert_eq(&said.join("\n"));
}

#[test]
fn each_profile_is_a_thread_and_keys_come_in_any_order() {
    let bytes = sampled("bytes", "[[0],[0,1],[]]", "[1,2000,3]");
    let two = [sampled("seconds", "[[0]]", "[1]"), sampled("bytes", "[[0]]", "[1]"), evented("")].join(",");
    let late = format!(
        r#"{{"profiles":[{}],"shared":{{"frames":[{{"name":"main"}}]}}}}"#,
        sampled("seconds", "[[0],[0]]", "[1,1]")
    );
    let broken = sampled("seconds", r#"[[0,9],[-1],["x"],null,[1]]"#, "[1,-1,1]");
    let said =
        [file(&two), file(&bytes), late, file(&broken), file("null,7")].map(|text| costs(&text).join("; "));
    expect![[r#"
        main 1000000/1000000; ! 1 thread counts allocated bytes
        main 1B/2001B; work 2000B/2000B; Native: 3B
        main 2000000/2000000
        main 1000000/1000000; work 0/0; Idle: 1000000; ! 3 frames point at nothing; ! 1 sample of negative weight; ! 2 samples have no weight
        trace.json is not a profile that Proflens reads: it is a profile without samples. Record for longer, and while the program is busy."#]].assert_eq(&said.join("\n"));
}

#[test]
fn the_first_version_has_one_profile_outside_of_the_list() {
    let text = r#"{"version":"0.0.1","$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":
        [{"name":"main"},{"name":"work"}]},"type":"evented","name":"simple.txt","unit":"microseconds","startValue":0,"endValue":9,
        "events":[{"type":"O","frame":0,"at":0},{"type":"O","frame":1,"at":4},{"type":"C","frame":1,"at":6},{"type":"C","frame":0,"at":9}]}"#;
    assert_eq!(costs(text), ["main 7/9", "work 2/2"]);
}
