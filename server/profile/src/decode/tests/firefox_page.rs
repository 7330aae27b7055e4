//! What happened on a page that Firefox recorded: interactions, and what functions forced.

use std::fmt::Write as _;

use expect_test::expect;

use crate::decode::decode;
use crate::model::{AskedFor, MarkerKind, Profile, RenderingKind};

/// The names of markers, by index, followed by the texts of frames.
const NAMES: [&str; 5] =
    ["DOMEvent", "Styles", "Reflow (sync)", "DoFlushPendingNotifications", "RefreshDriverTick"];

/// Frames from `root` on; `work` and `run` belong to a script, and run on these lines.
const FRAMES: &str = r#"[5,false],[6,false,4,8],[7,false,12],[8,true],[9,true],[10,false],[11,true]"#;
const TEXTS: &str = r#""(root)","run (http://a/x.js:3:14)","work (http://a/x.js:9:1)","get HTMLElement.offsetWidth",
    "Window.getComputedStyle","0x7f00","Startup""#;
/// 0 root; 1 run; 2 run, work; 3 run, offsetWidth; 4 run, work, getComputedStyle, 0x7f00; 6 root, 0x7f00; 7 run, Startup.
const STACKS: &str = "[[null,0],[0,1],[1,2],[1,3],[2,4],[4,5],[0,5],[1,6]]";

/// A raw profile with these rows of markers; its samples begin at 100 ms.
fn raw(markers: &str) -> String {
    let names = NAMES.map(|name| format!("{name:?}")).join(",");
    format!(
        r#"{{"meta":{{"version":34,"interval":1}},"threads":[{{"name":"GeckoMain","pid":7,
        "samples":{{"schema":{{"stack":0,"time":1}},"data":[[1,100],[2,101],[2,102]]}},
        "markers":{{"schema":{{"name":0,"startTime":1,"endTime":2,"phase":3,"category":4,"data":5}},"data":[{markers}]}},
        "stackTable":{{"schema":{{"prefix":0,"frame":1}},"data":{STACKS}}},
        "frameTable":{{"schema":{{"location":0,"relevantForJS":1,"line":2,"column":3}},"data":[{FRAMES}]}},
        "stringTable":[{names},{TEXTS}]}}]}}"#
    )
}

fn decoded(text: &str) -> Profile {
    let profile = decode(&mut text.as_bytes(), "trace.json", &()).expect("a profile");
    assert!(profile.problems.is_empty(), "{:?}", profile.problems);
    profile
}

/// An event of this type, in the two rows that Firefox writes.
fn event(kind: &str, created: f64, from: f64, to: f64) -> String {
    let latency = from - created;
    let data = format!(
        r#"{{"innerWindowID":9,"type":"DOMEvent","eventType":"{kind}","target":"a","latency":{latency}}}"#
    );
    format!("[0,{from},0,2,0,{data}],[0,0,{to},3,0,{data}]")
}

/// Style or layout that was computed for what is on a stack.
fn computed(marker: usize, from: f64, to: f64) -> String {
    let cause = r#""stack":{"samples":{"schema":{"stack":0,"time":1},"data":[[6,5]]}}"#;
    match marker {
        2 => format!(
            r#"[2,{from},0,2,0,{{{cause},"type":"StackMarker"}}],[2,0,{to},3,0,{{"type":"StackMarker"}}]"#
        ),
        _ => format!(r#"[{marker},{from},{to},1,0,{{{cause},"type":"Styles","elementsStyled":1}}]"#),
    }
}

fn flush(stack: usize, from: f64, to: f64) -> String {
    format!(
        r#"[3,{from},{to},1,0,{{"innerWindowID":9,"stack":{{"name":"","samples":{{"schema":{{"stack":0,"time":1}},
        "data":[[{stack},{to}]]}},"markers":{{"schema":{{"name":0}},"data":[]}}}},"type":"TextStack","name":"Layout"}}]"#
    )
}

/// `click interaction 5+20`, in milliseconds after the first sample.
fn interactions(profile: &Profile) -> String {
    let mut all = String::new();
    for marker in &profile.markers {
        let name = profile.strings.get(marker.name);
        if marker.kind == MarkerKind::Interaction || name.contains(" interaction:") {
            let [start, length] = [marker.start, marker.duration].map(|it| it.0 as f64 / 1e6);
            writeln!(all, "{name} {start}+{length}").expect("memory");
        }
    }
    all
}

/// `layout 5+2 run 4:8 offsetWidth`.
fn forced(profile: &Profile) -> String {
    let mut all = String::new();
    for it in profile.threads.iter().flat_map(|thread| &thread.forced) {
        let kind = if it.kind == RenderingKind::Style { "style" } else { "layout" };
        let [start, length] = [it.start, it.duration].map(|time| time.0 as f64 / 1e6);
        let function = profile.name(profile.stacks.function[it.stack.expect("a stack").0 as usize]);
        let at = it.at.map(|at| format!("{}:{:?}", at.line + 1, at.column.map(|column| column + 1)));
        let asked_for = match it.asked_for {
            AskedFor::Named(name) => profile.strings.get(name),
            AskedFor::AtPlace => "what stands there",
            AskedFor::Unknown => "?",
        };
        writeln!(all, "{kind} {start}+{length} {function} {} {asked_for}", at.unwrap_or_default())
            .expect("memory");
    }
    all
}

#[test]
fn events_that_were_made_at_the_same_moment_are_an_interaction() {
    let events = [
        event("pointermove", 100.0, 101.0, 102.0),
        event("pointerdown", 110.0, 111.0, 111.5),
        event("mousedown", 110.0, 111.5, 113.0),
        event("pointerup", 120.0, 121.0, 121.5),
        event("mouseup", 120.0, 121.5, 122.0),
        event("click", 120.0, 122.0, 150.0),
        // Made by a script when it is dispatched.
        event("click", 160.0, 160.0, 190.0),
        event("keydown", 200.0, 203.0, 210.0),
        // While a key is pressed, for the same reason.
        "[0,211,0,2,0,{\"type\":\"DOMEvent\",\"eventType\":\"keypress\",\"latency\":11}]".to_owned(),
        event("input", 212.0, 212.0, 230.0),
        "[0,0,232,3,0,{\"latency\":11,\"eventType\":\"keypress\",\"type\":\"DOMEvent\"}]".to_owned(),
        // Too short.
        event("keyup", 240.0, 240.1, 240.2),
        // As some versions write it.
        "[0,251,253,1,0,{\"type\":\"DOMEvent\",\"eventType\":\"keyup\",\"latency\":1}]".to_owned(),
        // Without the required columns.
        "[0,0,260,3,0,{\"type\":\"DOMEvent\",\"eventType\":\"keyup\",\"latency\":9}]".to_owned(),
        "[0,261,271,1,0,{\"type\":\"DOMEvent\",\"eventType\":\"keyup\"}]".to_owned(),
        "[0,272,282,1,0,{\"type\":\"DOMEvent\",\"eventType\":\"keyup\",\"latency\":-1}]".to_owned(),
    ];
    let profile = decoded(&raw(&events.join(",\n")));
    expect![[r#"
        pointerdown interaction: input delay 10+1
        pointerdown interaction 10+3
        pointerdown interaction: processing 11+2
        click interaction: input delay 20+1
        click interaction 20+30
        click interaction: processing 21+29
        keydown interaction: input delay 100+3
        keydown interaction 100+32
        keydown interaction: processing 103+29
        keyup interaction: input delay 150+1
        keyup interaction 150+3
        keyup interaction: processing 151+2
    "#]]
    .assert_eq(&interactions(&profile));
}

#[test]
fn what_is_flushed_below_a_script_is_forced() {
    let markers = [
        // For a frame.
        flush(6, 101.0, 104.0),
        computed(1, 102.0, 103.0),
        flush(3, 110.0, 120.0),
        computed(1, 110.5, 112.0),
        computed(2, 112.0, 119.0),
        // One within another, for the browser itself and then for a script.
        flush(4, 130.0, 140.0),
        flush(6, 131.0, 133.0),
        computed(2, 131.0, 132.0),
        computed(1, 134.0, 135.0),
        // Without a browser function that would tell what it asked for.
        flush(2, 150.0, 152.0),
        computed(2, 150.0, 152.0),
        flush(7, 160.0, 162.0),
        computed(1, 160.0, 162.0),
        // Longer than what is around it, without a flush, and with a stack that does not exist.
        flush(3, 170.0, 172.0),
        computed(1, 171.0, 173.0),
        computed(1, 180.0, 181.0),
        flush(99, 190.0, 192.0),
        computed(1, 190.0, 191.0),
    ];
    let profile = decoded(&raw(&markers.join(",\n")));
    expect![[r#"
        style 10.5+1.5 run  offsetWidth
        layout 12+7 run  offsetWidth
        style 34+1 work 12:None getComputedStyle
        layout 50+2 work  ?
        style 60+2 run  ?
    "#]]
    .assert_eq(&forced(&profile));
}

/// The same in columns, where a stack is the cause of a marker, and texts may be indices.
#[test]
fn a_processed_profile_says_the_same() {
    let text = format!(
        r#"{{"meta":{{"preprocessedProfileVersion":50,"interval":1,"startTime":1000}},"threads":[{{"name":"GeckoMain",
        "samples":{{"stack":[0,0],"time":[10,11],"length":2}},
        "markers":{{"data":[{},{},{},{}],"name":[3,3,4,5],"startTime":[12,null,31,30],"endTime":[null,20,35,36],
            "phase":[2,3,1,1],"category":[0,0,0,0],"length":4}},
        "stackTable":{{"frame":[0,1],"prefix":[null,0],"length":2}},
        "frameTable":{{"func":[0,1],"line":[7,null],"column":[2,null],"length":2}},
        "funcTable":{{"name":[0,1],"isJS":[true,false],"relevantForJS":[false,true],"fileName":[2,null],"lineNumber":[1,null],
            "columnNumber":[1,null]}},
        "stringArray":["work","set Element.scrollTop","http://a/x.js","DOMEvent","Styles","DoFlushPendingNotifications","keydown"]}}]}}"#,
        r#"{"type":"DOMEvent","eventType":"keydown","latency":1.5}"#,
        r#"{"type":"DOMEvent","eventType":6,"latency":1.5}"#,
        r#"{"type":"Styles"}"#,
        r#"{"cause":{"time":36,"stack":1},"type":"TextStack","name":"Style"}"#,
    );
    let profile = decoded(&text);
    expect![[r#"
        keydown interaction: input delay 0.5+1.5
        keydown interaction 0.5+9.5
        keydown interaction: processing 2+8
        style 21+4 work  scrollTop
    "#]]
    .assert_eq(&(interactions(&profile) + &forced(&profile)));
}
