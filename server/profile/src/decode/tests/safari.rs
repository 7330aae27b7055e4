//! Safari's recordings: older and newer ones, lines that ran, and native code.

use expect_test::expect;

use super::{costs, line_costs};
use crate::decode::decode;
use crate::model::Position;

const FRAMES: [&str; 3] = [
    r#"{"sourceID":"3","name":"(program)","line":1,"column":1,"url":"http://localhost/a.js","expressionLocation":{"line":9,"column":1}}"#,
    r#"{"sourceID":"3","name":"work","line":3,"column":14,"url":"http://localhost/a.js","expressionLocation":{"line":4,"column":7}}"#,
    r#"{"sourceID":"-1","name":"sort","line":-1,"column":4294967295,"url":""}"#,
];

/// Stacks of these frames, innermost first, a hundredth of a second apart.
fn stacks(samples: &[&[usize]]) -> String {
    let stacks = samples.iter().enumerate().map(|(number, frames)| {
        let frames: Vec<&str> = frames.iter().map(|&frame| FRAMES[frame]).collect();
        format!(r#"{{"timestamp":{}.0{number},"stackFrames":[{}]}}"#, 7, frames.join(","))
    });
    format!("[{}]", stacks.collect::<Vec<_>>().join(","))
}

fn older(more: &str, samples: &[&[usize]]) -> String {
    let stacks = stacks(samples);
    format!(
        r#"{{"version":1,"recording":{{"displayName":"Recording 1","instrumentTypes":[],"records":[],"sampleStackTraces":{stacks}{more}}}}}"#
    )
}

#[test]
fn durations_or_distances() {
    let samples: &[&[usize]] = &[&[1, 0], &[2, 1, 0], &[0], &[]];
    let targets = format!(
        r#"{{"version":1,"recording":{{"samples":[{{"stackTraces":{},"durations":[0.002,0.003]}},{{"stackTraces":{},"durations":[0.001]}}]}}}}"#,
        stacks(&[&[1, 0], &[0]]),
        stacks(&[&[1]])
    );
    let texts = [
        older(r#","sampleDurations":[0.001,0.002,0.004,0.008]"#, samples),
        older("", samples),
        older(r#","sampleDurations":[0.001]"#, samples),
        targets,
        older("", &[]),
        r#"{"version":1,"recording":{"instrumentTypes":[],"records":[]}}"#.to_owned(),
        r#"{"version":1,"recording":{"displayName":"something else"}}"#.to_owned(),
        older(r#","sampleDurations":[-1,null,"x",{}]"#, samples),
    ];
    let said = texts.map(|text| costs(&text).join("; "));
    expect![[r#"
        work 1000/3000; (anonymous) 4000/7000; sort 2000/2000; NoStack: 8000
        work 10000/20000; (anonymous) 10000/30000; sort 10000/10000; NoStack: 10000
        work 10000/20000; (anonymous) 10000/30000; sort 10000/10000; NoStack: 10000
        work 2000/2000; (anonymous) 3000/5000; |; work 1000/1000
        trace.json is not a profile that Proflens reads: it is a profile without samples. Record for longer, and while the program is busy.
        trace.json is not a profile that Proflens reads: it is a profile without samples. Record for longer, and while the program is busy.
        trace.json is not a profile that Proflens reads: its JSON holds no CPU profile. Open a .cpuprofile or a JS Self-Profiling trace.
        work 0/0; (anonymous) 0/0; sort 0/0; NoStack: 0; ! its samples span no time"#]].assert_eq(&said.join("\n"));
}

#[test]
fn places_count_from_one() {
    let text = older("", &[&[2, 1, 0], &[1, 0]]);
    let profile = decode(&mut text.as_bytes(), "", &()).expect("a profile");
    let functions = profile.functions.iter().map(|it| (profile.strings.get(it.name), it.defined_at));
    let place = |line, column| Some(Position { line, column: Some(column) });
    assert_eq!(functions.collect::<Vec<_>>(), [("sort", None), ("work", place(2, 13)), ("", place(0, 0))]);
    assert_eq!(line_costs(&profile), ["work 3 10000"], "sort is native");
    assert_eq!((profile.format, profile.threads[0].name.as_str()), ("safari", "Recording 1"));
}
