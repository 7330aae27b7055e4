//! What a user did, from the events of a trace.

use crate::decode::decode;

/// An event of a kind and interaction, with its start and end and those of its listeners, in milliseconds after the first sample.
fn timing(id: u32, kind: &str, interaction: u32, [from, to]: [u32; 2], listeners: [u32; 2]) -> [String; 2] {
    let [start, end] = [from, to].map(|at| 1_000_000 + at * 1000);
    // The clock of the page.
    let [created, begin, finish, duration] = [from + 300, listeners[0] + 300, listeners[1] + 300, to - from];
    let common = format!(r#""cat":"devtools.timeline","id":"0x{id}","name":"EventTiming","pid":1,"tid":1"#);
    [
        format!(
            r#"{{"args":{{"data":{{"duration":{duration},"interactionId":{interaction},"processingEnd":{finish},"processingStart":{begin},"timeStamp":{created},"type":"{kind}"}}}},{common},"ph":"b","ts":{start}}}"#
        ),
        format!(r#"{{"args":{{}},{common},"ph":"e","ts":{end}}}"#),
    ]
}

/// `click interaction 10+190 Interaction`, in milliseconds after the first sample.
fn markers(events: &[String]) -> Vec<String> {
    let events = events.join(",\n");
    let node = r#"{"id":1,"callFrame":{"functionName":"(root)","scriptId":0}},{"id":2,"parent":1,"callFrame":{"functionName":"a","scriptId":7,"url":"a.js","lineNumber":1,"columnNumber":5}}"#;
    let text = format!(
        r#"[{events},
{{"args":{{"data":{{"startTime":1}}}},"id":"0x1","name":"Profile","ph":"P","pid":1,"tid":1,"ts":1000000}},
{{"args":{{"data":{{"cpuProfile":{{"nodes":[{node}],"samples":[2,2,2]}},"timeDeltas":[0,100000,100000]}}}},"id":"0x1","name":"ProfileChunk","ph":"P","pid":1,"tid":9,"ts":1000001}}]"#
    );
    let profile = decode(&mut text.as_bytes(), "trace.json", &()).expect("a trace");
    let all = profile.markers.iter().map(|it| {
        let [start, duration] = [it.start, it.duration].map(|time| time.0 as f64 / 1e6);
        format!("{} {start}+{duration} {:?}", profile.strings.get(it.name), it.kind)
    });
    all.collect()
}

#[test]
fn events_of_one_gesture_are_one_interaction() {
    let events = [
        timing(1, "pointerdown", 7, [10, 200], [11, 12]),
        timing(2, "mousedown", 0, [10, 200], [12, 13]),
        timing(3, "pointerup", 7, [14, 200], [15, 16]),
        timing(4, "click", 7, [14, 200], [16, 180]),
        timing(5, "keydown", 8, [150, 200], [181, 190]),
    ];
    let expected = [
        "click interaction: input delay 10+1 Other",
        "click interaction 10+190 Interaction",
        "click interaction: processing 11+169 Other",
        "keydown interaction: input delay 150+31 Other",
        "keydown interaction 150+50 Interaction",
        "click interaction: presentation delay 180+20 Other",
        "keydown interaction: processing 181+9 Other",
        "keydown interaction: presentation delay 190+10 Other",
    ];
    assert_eq!(markers(&events.concat()), expected);
    let mut ends_first = events.concat();
    ends_first.reverse();
    assert_eq!(markers(&ends_first), expected, "in any order");
}

#[test]
fn of_equal_events_the_one_with_the_slowest_listeners_is_shown() {
    let events = [
        timing(1, "keydown", 8, [10, 100], [20, 25]),
        timing(2, "keypress", 8, [10, 100], [25, 90]),
        timing(3, "keyup", 9, [60, 100], [90, 95]),
    ];
    let expected = [
        "keypress interaction: input delay 10+15 Other",
        "keypress interaction 10+90 Interaction",
        "keypress interaction: processing 25+70 Other",
        "keypress interaction: presentation delay 95+5 Other",
    ];
    assert_eq!(markers(&events.concat()), expected);
}

#[test]
fn what_is_no_interaction() {
    let moved = timing(1, "pointerover", 0, [10, 100], [20, 25]);
    let short = timing(2, "click", 7, [10, 10], [10, 10]);
    let [never_ends, _] = timing(3, "click", 7, [10, 100], [20, 25]);
    let [_, never_began] = timing(4, "click", 7, [10, 100], [20, 25]);
    let [nameless, its_end] = timing(5, "", 7, [10, 100], [20, 25]);
    let events = [moved.as_slice(), &short, &[never_ends, never_began, nameless, its_end]];
    assert_eq!(markers(&events.concat()), [""; 0]);
}
