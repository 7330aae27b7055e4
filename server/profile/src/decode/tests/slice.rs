//! Slices: their sums, what they say about sessions, and broken data.

use std::time::{Duration, UNIX_EPOCH};

use expect_test::expect;

use super::{costs, messages};
use crate::decode::decode;
use crate::model::{Amount, FunctionId, Profile, Spread};

const FUNCTIONS: &str = r#"[{"name":"main","file":0,"line":0,"column":9,"sessions":3,"selfNs":1000,"totalNs":7000,
    "selfPercentilesNs":[0,0,1000],"totalPercentilesNs":[2000,3000,3000],"squares":[1e6,2.1e7]},
    {"name":"e","url":"https://shop.example/app.js","line":0,"column":199},{"name":"(garbage collector)"}]"#;
const STACKS: &str = r#"{"parent":[-1,0,1],"function":[0,1,2],"ns":[1000,4000,2000],"samples":[1,4,2]}"#;

/// A slice in which some members are replaced or missing.
fn slice(other: &[(&str, &str)]) -> String {
    let members = [
        ("where", r#""release=42""#),
        ("recorded", r#""1970-01-02T00:00:00.500Z""#),
        ("sessions", "4"),
        ("samples", "16"),
        ("totalNs", "16000"),
        ("activeNs", "8000"),
        ("offStack", r#"{"noStack":[5000,5],"idle":[3000,3],"program":[1000,1]}"#),
        ("files", r#"[{"path":"src/a.ts","text":"function main() {}"}]"#),
        ("functions", FUNCTIONS),
        ("stacks", STACKS),
    ];
    let version = other.iter().find(|it| it.0 == "version").map_or("1", |it| it.1);
    let members = members.map(|(key, value)| {
        let value = other.iter().find(|it| it.0 == key).map_or(value, |it| it.1);
        if value.is_empty() { String::new() } else { format!(",\n\"{key}\":{value}") }
    });
    format!("{{\"proflensSlice\":{version}{}}}", members.concat())
}

fn read(text: &str) -> Profile {
    decode(&mut text.as_bytes(), "trace.json", &()).unwrap()
}

/// What is known about sessions: for each function, by name, their number, squares and percentiles.
fn sessions(profile: &Profile) -> String {
    let population = profile.threads[0].population.as_ref().unwrap();
    let of = |it: &(FunctionId, Spread)| {
        let percentiles = it.1.percentiles.map(|it| it.map(|it| it.map(|Amount(it)| it)));
        format!("; {} {} {:?} {percentiles:?}", profile.name(it.0), it.1.sessions, it.1.squares)
    };
    let functions: String = population.functions.iter().map(of).collect();
    format!("{} of {}{functions}", population.sessions, population.condition)
}

#[test]
fn a_slice_is_one_thread_of_many_sessions() {
    let text = slice(&[]);
    expect![[r#"
        main 1/7
        e 4/6
        (garbage collector) 2/2
        Idle: 3
        NoStack: 5
        Program: 1"#]]
    .assert_eq(&costs(&text).join("\n"));
    let profile = read(&text);
    assert_eq!(
        sessions(&profile),
        "4 of release=42; main 3 [1000000.0, 21000000.0] Some([[0, 0, 1000], [2000, 3000, 3000]])"
    );
    assert_eq!(profile.recorded, Some(UNIX_EPOCH + Duration::from_millis(86_400_500)));
    let [script] = &profile.scripts[..] else { panic!("{:?}", profile.scripts) };
    assert_eq!((script.text.as_deref(), script.is_source), (Some("function main() {}"), true));
    let scripts: Vec<Option<usize>> = (0..3).map(|it| profile.script(FunctionId(it))).collect();
    assert_eq!(scripts, [Some(0), None, None]);
    assert_eq!((profile.format, profile.threads[0].samples, profile.sessions()), ("slice", 16, 1));
    assert_eq!(profile.threads[0].start, None);
}

#[test]
fn what_is_broken_is_said_and_no_time_is_lost() {
    let row = |other: &[(&str, &str)]| {
        let text = slice(other);
        let shown = costs(&text);
        let known = decode(&mut text.as_bytes(), "", &()).map_or(String::new(), |it| sessions(&it));
        format!("{}\n    {known}\n", shown.join(" | "))
    };
    let with = |from: &str, to: &str| FUNCTIONS.replace(from, to);
    let rows = [
        row(&[("stacks", r#"{"parent":[-1,0,1],"function":[0,1,2],"ns":[1000,4000],"samples":[1,4,2]}"#)]),
        row(&[("stacks", &STACKS.replace("[-1,0,1]", "[1,0,9]"))]),
        row(&[("stacks", &STACKS.replace("[-1,0,1]", "[-1,-2,0.5]"))]),
        row(&[("stacks", &STACKS.replace("[0,1,2]", "[0,7,-1]"))]),
        row(&[("stacks", &STACKS.replace("4000", "-4000"))]),
        row(&[("stacks", &STACKS.replace("4000", "9223372036854775807"))]),
        row(&[("stacks", "")]),
        row(&[("offStack", r#"{"idle":[-1],"noStack":7}"#)]),
        row(&[("totalNs", "15999")]),
        row(&[("files", "[]")]),
        row(&[("functions", &with("[2000,3000,3000]", "[4000,3000,3000]"))]),
        row(&[("functions", &with("[0,0,1000]", "[0,0]"))]),
        row(&[("functions", &with(r#""sessions":3"#, r#""sessions":5"#))]),
        row(&[("functions", &with("2.1e7", "1.1e7"))]),
        row(&[("functions", &with("[1e6,2.1e7]", "null"))]),
        row(&[("functions", &with(r#""selfNs":1000"#, r#""selfNs":999"#))]),
        row(&[("functions", "{}")]),
        row(&[("recorded", r#""yesterday""#)]),
    ];
    expect![[r#"
        main 1/5 | e 4/4 | Idle: 3 | NoStack: 5 | Program: 1 | ! 1 stack is not in all columns | ! its times add up to another sum than it says
            4 of release=42; main 3 [1000000.0, 21000000.0] Some([[0, 0, 1000], [2000, 3000, 3000]])
        Idle: 3 | NoStack: 5 | Program: 1 | Unknown: 7 | ! 3 stacks name functions or callers that are not there | ! 1 function has another self time than its stacks
            4 of release=42
        main 1/1 | Idle: 3 | NoStack: 5 | Program: 1 | Unknown: 6 | ! 2 stacks name functions or callers that are not there
            4 of release=42; main 3 [1000000.0, 21000000.0] Some([[0, 0, 1000], [2000, 3000, 3000]])
        main 1/1 | Idle: 3 | NoStack: 5 | Program: 1 | Unknown: 6 | ! 2 stacks name functions or callers that are not there
            4 of release=42; main 3 [1000000.0, 21000000.0] Some([[0, 0, 1000], [2000, 3000, 3000]])
        main 1/3 | e 0/2 | (garbage collector) 2/2 | Idle: 3 | NoStack: 5 | Program: 1 | ! 1 number is negative, too large or missing | ! its times add up to another sum than it says
            4 of release=42; main 3 [1000000.0, 21000000.0] Some([[0, 0, 1000], [2000, 3000, 3000]])
        main 1/3 | e 0/2 | (garbage collector) 2/2 | Idle: 3 | NoStack: 5 | Program: 1 | ! 1 number is negative, too large or missing | ! its times add up to another sum than it says
            4 of release=42; main 3 [1000000.0, 21000000.0] Some([[0, 0, 1000], [2000, 3000, 3000]])
        Idle: 3 | NoStack: 5 | Program: 1 | ! 1 function has another self time than its stacks | ! its times add up to another sum than it says
            4 of release=42
        main 1/7 | e 4/6 | (garbage collector) 2/2 | ! 3 numbers are negative, too large or missing | ! its times add up to another sum than it says
            4 of release=42; main 3 [1000000.0, 21000000.0] Some([[0, 0, 1000], [2000, 3000, 3000]])
        main 1/7 | e 4/6 | (garbage collector) 2/2 | Idle: 3 | NoStack: 5 | Program: 1 | ! its times add up to another sum than it says
            4 of release=42; main 3 [1000000.0, 21000000.0] Some([[0, 0, 1000], [2000, 3000, 3000]])
        main 1/7 | e 4/6 | (garbage collector) 2/2 | Idle: 3 | NoStack: 5 | Program: 1 | ! 1 function names a file that is not there
            4 of release=42; main 3 [1000000.0, 21000000.0] Some([[0, 0, 1000], [2000, 3000, 3000]])
        main 1/7 | e 4/6 | (garbage collector) 2/2 | Idle: 3 | NoStack: 5 | Program: 1 | ! 1 function has sessions or percentiles that cannot be
            4 of release=42; main 3 [1000000.0, 21000000.0] None
        main 1/7 | e 4/6 | (garbage collector) 2/2 | Idle: 3 | NoStack: 5 | Program: 1 | ! 1 function has sessions or percentiles that cannot be
            4 of release=42; main 3 [1000000.0, 21000000.0] None
        main 1/7 | e 4/6 | (garbage collector) 2/2 | Idle: 3 | NoStack: 5 | Program: 1 | ! 1 function has sessions or percentiles that cannot be
            4 of release=42
        main 1/7 | e 4/6 | (garbage collector) 2/2 | Idle: 3 | NoStack: 5 | Program: 1 | ! 1 function has sessions or percentiles that cannot be
            4 of release=42
        main 1/7 | e 4/6 | (garbage collector) 2/2 | Idle: 3 | NoStack: 5 | Program: 1
            4 of release=42; main 3 [0.0, 0.0] Some([[0, 0, 1000], [2000, 3000, 3000]])
        main 1/7 | e 4/6 | (garbage collector) 2/2 | Idle: 3 | NoStack: 5 | Program: 1 | ! 1 function has another self time than its stacks
            4 of release=42
        Idle: 3 | NoStack: 5 | Program: 1 | Unknown: 7 | ! 3 stacks name functions or callers that are not there
            4 of release=42
        main 1/7 | e 4/6 | (garbage collector) 2/2 | Idle: 3 | NoStack: 5 | Program: 1
            4 of release=42; main 3 [1000000.0, 21000000.0] Some([[0, 0, 1000], [2000, 3000, 3000]])
    "#]].assert_eq(&rows.concat());
}

#[test]
fn what_is_no_slice_is_refused_in_a_sentence() {
    let said = |text: &str| match decode(&mut text.as_bytes(), "a.slice.json", &()) {
        Ok(_) => "read".to_owned(),
        Err(error) => error.problem("a.slice.json").to_string(),
    };
    let whole = slice(&[]);
    let rows = [
        slice(&[("version", "2")]),
        slice(&[("version", "\"x\"")]),
        slice(&[("sessions", "0")]),
        slice(&[("sessions", "-4")]),
        slice(&[("sessions", "")]),
        whole[..whole.len() / 2].to_owned(),
        whole.replacen("\"proflensSlice\":1,", "", 1),
    ];
    let said: Vec<String> = rows.iter().map(|it| said(it)).collect();
    expect![[r#"
        a.slice.json is not a profile that Proflens reads: it is a slice of another version. Update Proflens, or make it again with proflens-fleet slice.
        a.slice.json is not a profile that Proflens reads: it is a slice of another version. Update Proflens, or make it again with proflens-fleet slice.
        a.slice.json is not a profile that Proflens reads: it is a slice without a session. Make it again with a condition that some sessions fulfil.
        a.slice.json is not a profile that Proflens reads: it is a slice without a session. Make it again with a condition that some sessions fulfil.
        a.slice.json is not a profile that Proflens reads: it is a slice without a session. Make it again with a condition that some sessions fulfil.
        a.slice.json is not a profile that Proflens reads: it looks truncated, it ends at byte 331 in the middle of its JSON. Copy or record it again.
        a.slice.json is not a profile that Proflens reads: its JSON holds no CPU profile. Open a .cpuprofile or a JS Self-Profiling trace."#]].assert_eq(&said.join("\n"));

    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut gzip, whole.as_bytes()).unwrap();
    let gzip = gzip.finish().unwrap();
    let [at_once, in_bytes] = messages(&gzip[..gzip.len() - 20]);
    assert_eq!(
        at_once,
        "it is not a profile that Proflens reads: its gzip data is damaged or cut off. Copy it again."
    );
    assert_eq!(at_once, in_bytes);
}

#[test]
fn a_slice_stands_alone_in_its_file() {
    let trace = r#"{"frames":[{"name":"f"}],"resources":[],"stacks":[{"frameId":0}],"samples":[{"timestamp":0,"stackId":0}]}"#;
    let one = slice(&[]).replace('\n', "");
    let other = slice(&[("sessions", "9"), ("where", "\"release=43\"")]).replace('\n', "");
    let rows = [format!("{one}\n{other}"), format!("{trace}\n{other}\n{trace}"), format!("[{one},{trace}]")];
    let shown = rows.map(|text| {
        let profile = read(&text);
        let what: Vec<&str> = profile.problems.iter().map(|it| it.what.as_str()).collect();
        let time = profile.threads[0].all().0;
        format!("{} {} {time} {what:?}", profile.threads.len(), &sessions(&profile)[..15])
    });
    assert_eq!(
        shown,
        [
            "1 4 of release=42 16000 [\"it holds another profile beside a slice\"]",
            "1 9 of release=43 16000 [\"it holds 2 other profiles beside a slice\"]",
            "1 4 of release=42 16000 [\"it holds another profile beside a slice\"]",
        ]
    );
}
