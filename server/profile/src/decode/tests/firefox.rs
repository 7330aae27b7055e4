//! Firefox: what is kept of a stack, and the weight of a sample.

use expect_test::expect;

use super::{costs, line_costs, messages};
use crate::decode::decode;
use crate::model::{Amount, Position};

const META: &str = r#""meta":{"version":34,"interval":2,"categories":[{"name":"Idle"},{"name":"Other"}]}"#;

/// A raw thread with these texts as frames: those with a `!` are relevant, those with a `~` are idle, and those with a
/// `?` have no category.
fn raw(frames: &[&str], stacks: &str, samples: &str) -> String {
    let texts: Vec<String> =
        frames.iter().map(|it| format!("{:?}", it.trim_end_matches(['!', '~', '?']))).collect();
    let rows: Vec<String> = (0..frames.len())
        .map(|it| match frames[it] {
            frame if frame.ends_with('!') => format!("[{it},true]"),
            frame if frame.ends_with('~') => format!("[{it},false,0]"),
            frame if frame.ends_with('?') => format!("[{it}]"),
            _ => format!("[{it},false,1,7]"),
        })
        .collect();
    format!(
        r#"{{"name":"GeckoMain","pid":7,"samples":{{"schema":{{"time":1,"stack":0}},"data":{samples}}},
        "stackTable":{{"schema":{{"prefix":0,"frame":1}},"data":{stacks}}},
        "frameTable":{{"schema":{{"location":0,"relevantForJS":1,"category":2,"line":3}},"data":[{}]}},
        "stringTable":[{}]}}"#,
        rows.join(","),
        texts.join(",")
    )
}

const FRAMES: [&str; 6] = [
    "(root)",
    "work (http://a/x.js:3:14)[1]",
    "0x7f00",
    "Performance.now!",
    "PollWrapper~",
    "http://a/x.js:1:1",
];
/// root; root, top level; ..., work; ..., work, 0x7f00; ..., work, Performance.now; root, PollWrapper.
const STACKS: &str = "[[null,0],[0,5],[1,1],[2,2],[2,3],[0,4]]";

#[test]
fn what_is_wrong_with_unread_cells_is_told_alike_in_whatever_pieces_they_come() {
    for wrong in ["1 2", "1:2", "1\u{0}", "1\\"] {
        let thread = raw(&FRAMES, STACKS, &format!("[[0,1],[1,2,{wrong},3],[2,3]]"));
        let [whole, pieces] = messages(format!(r#"{{{META},"threads":[{thread}]}}"#).as_bytes());
        assert_eq!(whole, pieces, "{wrong}");
    }
}

#[test]
fn a_raw_profile_is_seen_as_javascript() {
    let thread = raw(&FRAMES, STACKS, "[[0,1],[1,2],[2,3],[3,4],[4,5],[5,6],[null,7],[2]]");
    expect![[r#"
        (anonymous) 2000/10000
        work 6000/8000
        Performance.now 2000/2000
        Idle: 4000
        Native: 2000"#]]
    .assert_eq(&costs(&format!(r#"{{{META},"threads":[{thread}]}}"#)).join("\n"));
    // The head of the profile may also come later.
    assert_eq!(
        costs(&format!(r#"{{"threads":[{thread}],{META}}}"#)),
        costs(&format!(r#"{{{META},"threads":[{thread}]}}"#))
    );
}

/// Two threads with the same stacks, running on different lines.
#[test]
fn lines_are_those_of_their_thread() {
    let thread = |lines: [u32; 2]| {
        let rows = lines.map(|line| format!("[0,false,1,{line}]")).join(",");
        format!(
            r#"{{"name":"t","samples":{{"schema":{{"time":1,"stack":0}},"data":[[0,1],[1,2],[1,5]]}},
            "stackTable":{{"schema":{{"prefix":0,"frame":1}},"data":[[null,0],[null,1]]}},
            "frameTable":{{"schema":{{"location":0,"relevantForJS":1,"category":2,"line":3}},"data":[{rows}]}},
            "stringTable":["work (http://a/x.js:3:14)"]}}"#
        )
    };
    let profile = |lines: &[[u32; 2]]| {
        let threads: Vec<String> = lines.iter().map(|it| thread(*it)).collect();
        let text = format!(r#"{{{META},"threads":[{}]}}"#, threads.join(","));
        decode(&mut text.as_bytes(), "", &()).expect("a profile")
    };
    let beside = profile(&[[4, 5], [4, 6]]);
    assert_eq!(beside.threads[0].on_stack, beside.threads[1].on_stack);
    assert_eq!(line_costs(&beside), ["work 3 2000", "work 4 4000"]);
    assert_eq!(line_costs(&profile(&[[4, 5]])), line_costs(&beside));
}

#[test]
fn the_innermost_category_tells_what_is_idle() {
    let frames = ["work (http://a/x.js:3:14)", "PollWrapper~", "0x7f00?"];
    // work; work, PollWrapper; work, PollWrapper, 0x7f00; work, 0x7f00; PollWrapper, work; 0x7f00.
    let thread =
        raw(&frames, "[[null,0],[0,1],[1,2],[0,2],[6,0],[null,2],[null,1]]", "[[0],[1],[2],[3],[4],[5]]")
            .replace(r#"{"time":1,"stack":0}"#, r#"{"stack":0}"#);
    expect![[r#"
        work 6000/6000
        Idle: 4000
        Native: 2000"#]]
    .assert_eq(&costs(&format!(r#"{{{META},"threads":[{thread}]}}"#)).join("\n"));
}

#[test]
fn rows_may_stand_before_their_schema() {
    let thread = raw(&FRAMES, STACKS, "[[0,1],[1,2],[2,3],[3,4],[4,5],[5,6],[null,7],[2]]");
    let mut turned = thread.clone();
    for schema in [
        r#""schema":{"time":1,"stack":0},"#,
        r#""schema":{"prefix":0,"frame":1},"#,
        r#""schema":{"location":0,"relevantForJS":1,"category":2,"line":3},"#,
    ] {
        let (before, behind) = turned.split_once(schema).unwrap();
        let (rows, behind) = behind.split_once('}').unwrap();
        turned = format!("{before}{rows},{}}}{behind}", schema.trim_end_matches(','));
    }
    assert_eq!(
        costs(&format!(r#"{{{META},"threads":[{turned}]}}"#)),
        costs(&format!(r#"{{{META},"threads":[{thread}]}}"#))
    );
}

#[test]
fn old_children_are_profiles_in_strings() {
    let (parent, child) = (raw(&FRAMES, STACKS, "[[2,1]]"), raw(&FRAMES, STACKS, "[[4,1]]"));
    let child = format!(r#"{{"meta":{{"version":3,"interval":1}},"threads":[{child}]}}"#);
    let threads = format!(r#"{parent},{child:?},"{{","""#);
    expect![[r#"
        (anonymous) 0/2000
        work 2000/2000
        |
        (anonymous) 0/1000
        work 0/1000
        Performance.now 1000/1000
        ! 2 child processes cannot be read"#]]
    .assert_eq(&costs(&format!(r#"{{{META},"threads":[{threads}]}}"#)).join("\n"));
}

#[test]
fn children_are_threads_of_their_own() {
    let (parent, child) = (raw(&FRAMES, STACKS, "[[2,1]]"), raw(&FRAMES, STACKS, "[[4,1]]"));
    let processes =
        format!(r#"[{{"meta":{{"version":34,"interval":1}},"threads":[{child}],"processes":[]}}]"#);
    expect![[r#"
        (anonymous) 0/2000
        work 2000/2000
        |
        (anonymous) 0/1000
        work 0/1000
        Performance.now 1000/1000"#]]
    .assert_eq(&costs(&format!(r#"{{{META},"threads":[{parent}],"processes":{processes}}}"#)).join("\n"));
}

#[test]
fn broken_tables_cost_themselves() {
    let rows = [
        ("callers in a circle", "[[1,0],[0,1]]", "[[1,1],[0,2]]"),
        ("a caller that does not exist", "[[9,1]]", "[[0,1]]"),
        ("a frame that does not exist", "[[null,1],[0,9]]", "[[1,1]]"),
        ("a stack that does not exist", "[[null,1]]", "[[9,1],[-1,2],[0.5,3],[0]]"),
        ("callers last", "[[1,1],[null,5]]", "[[0,1]]"),
        ("no rows", "[7,null,{}]", "[7,[],{}]"),
    ];
    let mut said: Vec<String> = rows
        .iter()
        .map(|(what, stacks, samples)| {
            let thread = raw(&FRAMES, stacks, samples);
            format!("{what}: {}", costs(&format!(r#"{{{META},"threads":[{thread}]}}"#)).join("; "))
        })
        .collect();
    let no_text =
        raw(&FRAMES, STACKS, "[[2,1]]").replace(r#""stringTable":["(root)","#, r#""stringTable":[],"x":["#);
    said.push(format!("no texts: {}", costs(&format!(r#"{{{META},"threads":[{no_text}]}}"#)).join("; ")));
    said.push(format!("no tables: {}", costs(&format!(r#"{{{META},"threads":[{{}},null,[]]}}"#)).join("; ")));
    expect![[r#"
        callers in a circle: work 2000/2000; Native: 2000; ! 1 stack of callers or frames that do not exist
        a caller that does not exist: work 2000/2000; ! 1 stack of callers or frames that do not exist
        a frame that does not exist: work 2000/2000; ! 1 stack of callers or frames that do not exist
        a stack that does not exist: work 2000/2000; Idle: 4000; Unknown: 2000; ! 1 sample of stacks that do not exist
        callers last: (anonymous) 0/2000; work 2000/2000
        no rows: Idle: 6000
        no texts: Native: 2000; ! 3 stacks of callers or frames that do not exist
        no tables: trace.json is not a profile that Proflens reads: it is a profile without samples. Record for longer, and while the program is busy."#]].assert_eq(&said.join("\n"));
}

/// Tables that are the same in all versions: root, work at 3:14, a label, machine code.
const FUNCTIONS: &str = r#""name":[0,1,2,3],"isJS":[false,true,false,false],"relevantForJS":[false,false,true,false],
    "lineNumber":[null,3,null,null],"columnNumber":[null,14,null,null]"#;
const FRAME_TABLE: &str = r#"{"func":[0,1,2,3],"category":[1,1,1,0],"line":[null,5,null,null]}"#;
/// The same since version 71: the category of the first one means nothing.
const FLAGGED_FRAMES: &str =
    r#"{"func":[0,1,2,3],"flags":[0,20,4,4],"category":[0,1,1,0],"line":[0,5,0,0],"column":[0,0,0,0]}"#;
/// The same since version 75.
const FLAGGED_FUNCTIONS: &str =
    r#""name":[0,1,2,3],"flags":[0,57,2,0],"lineNumber":[0,3,0,0],"columnNumber":[0,14,0,0]"#;
const STRINGS: &str = r#"["(root)","work","Performance.now","0x7f00","http://a/x.js","http://a/x.ts"]"#;

/// A profile of a version, with members of its function table, its stacks and samples.
fn processed(version: u32, functions: &str, prefixes: &str, samples: &str) -> Vec<String> {
    costs(&processed_text(version, functions, prefixes, samples))
}

fn processed_text(version: u32, functions: &str, prefixes: &str, samples: &str) -> String {
    let frames = if version < 71 { FRAME_TABLE } else { FLAGGED_FRAMES };
    let all_have = if version < 75 { FUNCTIONS } else { FLAGGED_FUNCTIONS };
    let tables = format!(
        r#""stackTable":{{{prefixes},"frame":[0,1,2,3],"length":4}},"frameTable":{frames},
        "funcTable":{{{all_have},{functions}}}"#
    );
    let texts = format!(
        r#""stringArray":{STRINGS},"sources":{{"filename":[4,5]}},
        "sourceLocationTable":{{"source":[1],"line":[9],"column":[2]}}"#
    );
    let thread = format!(r#"{{"name":"GeckoMain","isMainThread":true,"pid":"7","samples":{samples}"#);
    let meta = format!(
        r#""meta":{{"preprocessedProfileVersion":{version},"interval":2,"categories":[{{"name":"Idle"}},{{"name":"Other"}}]}}"#
    );
    match version {
        60.. => format!(r#"{{{meta},"shared":{{{tables},{texts}}},"threads":[{thread}}}]}}"#),
        58.. => format!(r#"{{{meta},"shared":{{{texts}}},"threads":[{thread},{tables}}}]}}"#),
        56.. => format!(r#"{{{meta},"threads":[{thread},{tables}}}],"shared":{{{texts}}}}}"#),
        _ => format!(r#"{{{meta},"threads":[{thread},{tables},{texts}}}]}}"#),
    }
}

#[test]
fn every_version_of_a_processed_profile_says_the_same() {
    let samples =
        r#"{"stack":[1,2,3,0,null],"time":[1,2,3,4,5],"weight":null,"weightType":"samples","length":5}"#;
    let deltas = samples.replace("time", "timeDeltas");
    let prefix = r#""prefix":[null,0,1,1]"#;
    let expected = ["work 2000/4000", "Performance.now 2000/2000", "Idle: 4000", "Native: 2000"];
    for (version, functions, prefix, samples) in [
        (24, r#""fileName":[null,4,null,null]"#, prefix, samples),
        (56, r#""fileName":[null,4,null,null]"#, prefix, &*deltas),
        (58, r#""source":[null,0,null,null]"#, prefix, &*deltas),
        (60, r#""source":[null,0,null,null]"#, prefix, &*deltas),
        (66, r#""source":[null,0,null,null]"#, r#""prefixOffset":[0,1,1,2]"#, &*deltas),
        (
            70,
            r#""source":[null,0,null,null],"originalLocation":[null,0,null,null]"#,
            r#""prefixOffset":[0,1,1,2]"#,
            &*deltas,
        ),
        (74, r#""source":[null,0,null,null]"#, r#""prefixOffset":[0,1,1,2]"#, &*deltas),
        (75, r#""source":[0,0,0,0],"originalLocation":[0,0,0,0]"#, r#""prefixOffset":[0,1,1,2]"#, &*deltas),
    ] {
        assert_eq!(processed(version, functions, prefix, samples), expected, "version {version}");
    }
}

/// A cell's flag decides what it means: an original place is used only where there is one.
#[test]
fn flags_say_where_a_function_is() {
    let place = |flags: u32| {
        let functions = r#""source":[0,0,0,0],"originalLocation":[0,0,0,0]"#;
        let text =
            processed_text(75, functions, r#""prefixOffset":[0,1,1,2]"#, r#"{"stack":[1],"timeDeltas":[1]}"#)
                .replace("[0,57,2,0]", &format!("[0,{flags},2,0]"));
        let profile = decode(&mut text.as_bytes(), "", &()).expect("a profile");
        let function = profile.functions[0];
        let url =
            function.resource.map(|it| profile.strings.get(profile.resources[it.0 as usize]).to_owned());
        (url, function.defined_at.map(|at| (at.line, at.column)))
    };
    let url = |it: &str| Some(format!("http://a/x.{it}"));
    assert_eq!(place(1 + 8 + 16 + 32), (url("js"), Some((2, Some(13)))));
    assert_eq!(place(1 + 8 + 16), (url("js"), Some((2, None))));
    assert_eq!(place(1 + 8), (url("js"), None));
    assert_eq!(place(1 + 16), (None, Some((2, None))));
    assert_eq!(place(1 + 8 + 16 + 32 + 64), (url("ts"), Some((8, Some(1)))));
}

/// Without these, all functions would be native, or all stacks one frame deep.
#[test]
fn a_profile_without_a_column_that_decides_is_refused() {
    let without = |version: u32, column: &str| {
        let (functions, prefix) = (r#""source":[null,0,null,null]"#, r#""prefixOffset":[0,1,1,2]"#);
        let text = processed_text(version, functions, prefix, r#"{"stack":[1,2],"timeDeltas":[1,1]}"#);
        costs(&text.replace(&format!("\"{column}\":"), "\"newName\":")).join("; ")
    };
    let raw_without = |column: &str| {
        let thread = raw(&FRAMES, STACKS, "[[2,1]]").replace(&format!("\"{column}\":"), "\"newName\":");
        costs(&format!(r#"{{{META},"threads":[{thread}]}}"#)).join("; ")
    };
    let said = [
        without(70, "isJS"),
        without(74, "flags"),
        without(75, "flags"),
        without(175, "flags"),
        without(175, "prefixOffset"),
        without(175, "frame"),
        without(175, "func"),
        without(175, "stack"),
        without(175, "relevantForJS"),
        raw_without("location"),
        raw_without("prefix"),
    ];
    expect![[r#"
        trace.json is not a profile that Proflens reads: it is a processed Firefox profile of version 70 without the column funcTable.isJS, which decides what its stacks mean. Save or record it again.
        trace.json is not a profile that Proflens reads: it is a processed Firefox profile of version 74 without the column frameTable.flags, which decides what its stacks mean. Save or record it again.
        trace.json is not a profile that Proflens reads: it is a processed Firefox profile of version 75 without the column frameTable.flags, which decides what its stacks mean. Save or record it again.
        trace.json is not a profile that Proflens reads: it is a processed Firefox profile of version 175, which is newer than 75, the newest that was tried, without the column frameTable.flags, which decides what its stacks mean. Update Proflens, or record with an older version of what wrote it.
        trace.json is not a profile that Proflens reads: it is a processed Firefox profile of version 175, which is newer than 75, the newest that was tried, without the column stackTable.prefix, which decides what its stacks mean. Update Proflens, or record with an older version of what wrote it.
        trace.json is not a profile that Proflens reads: it is a processed Firefox profile of version 175, which is newer than 75, the newest that was tried, without the column stackTable.frame, which decides what its stacks mean. Update Proflens, or record with an older version of what wrote it.
        trace.json is not a profile that Proflens reads: it is a processed Firefox profile of version 175, which is newer than 75, the newest that was tried, without the column frameTable.func, which decides what its stacks mean. Update Proflens, or record with an older version of what wrote it.
        trace.json is not a profile that Proflens reads: it is a processed Firefox profile of version 175, which is newer than 75, the newest that was tried, without the column samples.stack, which decides what its stacks mean. Update Proflens, or record with an older version of what wrote it.
        work 2000/4000; Performance.now 2000/2000; ! version 175 is newer than 75, the newest that was tried
        trace.json is not a profile that Proflens reads: it is a raw Firefox profile of version 34 without the column frameTable.location, which decides what its stacks mean. Save or record it again.
        trace.json is not a profile that Proflens reads: it is a raw Firefox profile of version 34 without the column stackTable.prefix, which decides what its stacks mean. Save or record it again."#]].assert_eq(&said.join("\n"));
}

/// If one of several threads is left out, the others are read, and the omission is reported.
#[test]
fn a_thread_without_a_column_is_left_out() {
    let (whole, lacking) =
        (raw(&FRAMES, STACKS, "[[2,1]]"), raw(&FRAMES, STACKS, "[[2,1]]").replace("location", "l"));
    assert_eq!(
        costs(&format!(r#"{{{META},"threads":[{lacking},{whole}]}}"#)),
        ["(anonymous) 0/2000", "work 2000/2000", "! 1 thread lacks the column frameTable.location"]
    );
}

#[test]
fn labels_and_places_of_old_versions() {
    let raw = raw(&FRAMES, STACKS, "[[2,1],[4,2],[5,3]]").replace("relevantForJS", "optimizations");
    assert_eq!(
        costs(&format!(r#"{{{META},"threads":[{raw}]}}"#)),
        ["(anonymous) 0/4000", "work 2000/4000", "Performance.now 2000/2000", "Idle: 2000"]
    );
    let thread = r#"{"samples":{"stack":[0,1,2],"length":3},"stackTable":{"prefix":[null,0,0],"frame":[0,1,2]},
        "frameTable":{"func":[0,1,2],"category":[1,1,1]},"funcTable":{"name":[0,1,2],"isJS":[true,false,false],
        "fileName":[3,null,null],"lineNumber":[14,null,null]},
        "stringArray":["work","AutoEntryScript promise callback","(root)","http://a/x.js:3"]}"#;
    let text = format!(r#"{{"meta":{{"preprocessedProfileVersion":12,"interval":2}},"threads":[{thread}]}}"#);
    assert_eq!(costs(&text), ["work 4000/6000", "promise callback 2000/2000"]);
    let profile = decode(&mut text.as_bytes(), "trace.json", &()).unwrap();
    let places: Vec<_> = profile.functions.iter().map(|function| function.defined_at).collect();
    assert_eq!(places, [Some(Position { line: 2, column: Some(13) }), None]);
    assert_eq!(
        profile.resources.iter().map(|&url| profile.strings.get(url)).collect::<Vec<_>>(),
        ["http://a/x.js"]
    );
}

#[test]
fn weights() {
    let with = |weights: &str| {
        let samples = format!(r#"{{"stack":[1,1,0],"timeDeltas":[1,1,1],{weights},"length":3}}"#);
        processed(60, r#""source":[null,0,null,null]"#, r#""prefix":[null,0,1,1]"#, &samples).join("; ")
    };
    let said = [
        with(r#""weight":[2,0.5,1],"weightType":"samples""#),
        with(r#""weightType":"tracing-ms","weight":[2,0.25,1]"#),
        with(r#""weight":[-3,1,-1],"weightType":"samples""#),
        with(r#""weight":[100,200,300],"weightType":"bytes""#),
    ];
    expect![[r#"
        work 5000/5000; Native: 2000
        work 2250/2250; Native: 1000
        work 2000/2000; Native: 0; ! 2 samples of negative weight
        work 300B/300B; Native: 300B"#]]
    .assert_eq(&said.join("\n"));
}

/// When threads begin and where markers are, in milliseconds: `7 + 2`, `checkout UserTiming 5+20`.
fn timeline(text: &str) -> Vec<String> {
    let profile = decode(&mut text.as_bytes(), "trace.json", &()).expect("a profile");
    let millis = |it: Amount| it.0 as f64 / 1e6;
    let threads = profile.threads.iter().map(|thread| {
        let Some(start) = thread.start else { return "no axis".to_owned() };
        let times: Vec<f64> = thread.in_order.with_times().map(|it| it.0 as f64 / 1e6).collect();
        format!("{} + {times:?}", millis(start))
    });
    let markers = profile.markers.iter().map(|it| {
        let name = profile.strings.get(it.name);
        format!("{name} {:?} {}+{} of {}", it.kind, millis(it.start), millis(it.duration), it.process)
    });
    threads.chain(markers).collect()
}

/// Raw: the markers of the first process, whose times begin a second before the second one's.
#[test]
fn samples_and_markers_have_their_times() {
    let thread = |samples: &str, pid: u32, markers: &str| {
        let texts = r#""UserTiming","Navigation::Start","LongTask","DocumentLoad","Awake","Text""#;
        let thread = raw(&FRAMES, STACKS, samples)
            .replace(r#""pid":7"#, &format!(r#""pid":{pid},"markers":{markers}"#));
        thread
            .replace(r#""stringTable":["#, &format!(r#""stringTable":[{texts},"#))
            .replace(r#""data":[[0,false,1,7],[1"#, r#""data":[[6,false,1,7],[7"#)
    };
    let markers = r#"{"schema":{"name":0,"startTime":1,"endTime":2,"phase":3,"category":4,"data":5},"data":[
        [0,105,125,1,0,{"type":"UserTiming","name":"checkout","entryType":"measure"}],
        [0,110,0,0,0,{"name":"paid","type":"UserTiming","entryType":"mark"}],
        [1,90,0,0,0,null],
        [2,106,206,1,0,{"type":"MainThreadLongTask","category":"LongTask"}],
        [3,50,120,1,0,{"type":"Text","name":"Document loaded"}],
        [4,107,108,1,0],
        [4,107,0,2,0],
        [5,107,0,0,0,{"type":"Text","name":"a moment","stack":{"samples":{"data":[[1,2]]}}}],
        [99,107,109,1,0]]}"#;
    let meta = |start: f64| META.replace(r#""version""#, &format!(r#""startTime":{start},"version""#));
    let text = format!(
        r#"{{{},"threads":[{}],"processes":[{{{},"threads":[{}]}}]}}"#,
        meta(1795166504407.5),
        thread("[[0,100],[1,102.5],[2,101]]", 7, markers),
        meta(1795166505407.5),
        thread("[[0,3]]", 8, r#"{"schema":{},"data":[]}"#),
    );
    expect![[r#"
        0 + [0.0, 1.0, 2.5]
        903 + [0.0]
        navigation Navigation 0+0 of 0
        DocumentLoad Navigation 0+20 of 0
        checkout UserTiming 5+20 of 0
        long task LongTask 6+100 of 0
        Awake Other 7+1 of 0
        paid UserTiming 10+0 of 0"#]]
    .assert_eq(&timeline(&text).join("\n"));
}

#[test]
fn a_processed_profile_has_its_times_in_columns() {
    let profile = |times: &str| {
        format!(
            r#"{{"meta":{{"preprocessedProfileVersion":50,"interval":2,"startTime":1000}},"threads":[{{"name":"GeckoMain",
            "samples":{{"stack":[0,0,null],{times},"length":3}},
            "markers":{{"data":[{{"type":"UserTiming","name":2,"entryType":"measure"}},null],"name":[1,1],
                "startTime":[11,12],"endTime":[14.5,null],"phase":[1,0],"category":[0,0],"length":2}},
            "stackTable":{{"frame":[0],"prefix":[null],"length":1}},"frameTable":{{"func":[0],"line":[null],"length":1}},
            "funcTable":{{"name":[0],"isJS":[true],"relevantForJS":[false],"fileName":[null],"lineNumber":[1],"columnNumber":[1]}},
            "stringArray":["work","UserTiming","checkout"]}}]}}"#
        )
    };
    let expected = ["0 + [0.0, 2.0, 2.5]", "checkout UserTiming 1+3.5 of 0"];
    assert_eq!(timeline(&profile(r#""time":[10,12,12.5]"#)), expected);
    assert_eq!(timeline(&profile(r#""timeDeltas":[10,2,0.5]"#)), expected);
    assert_eq!(timeline(&profile(r#""time":[10,null,12.5]"#)), ["no axis"]);
    assert_eq!(timeline(&profile(r#""time":[10]"#)), ["no axis"], "as many as samples");
}

#[test]
fn it_says_when_it_was_recorded() {
    let recorded = |times: &str| {
        let text =
            format!(r#"{{"meta":{{"version":34,{times}}},"threads":[{}]}}"#, raw(&FRAMES, STACKS, "[[0,1]]"));
        let recorded = decode(&mut text.as_bytes(), "", &()).expect("a profile").recorded;
        recorded.map(|it| it.duration_since(std::time::UNIX_EPOCH).expect("after 1970").as_millis())
    };
    assert_eq!(recorded(r#""startTime":1795166504407.5"#), Some(1_795_166_504_407));
    assert_eq!(recorded(r#""startTime":1795166504407.5,"profilingStartTime":1500"#), Some(1_795_166_505_907));
    assert_eq!(recorded(r#""startTime":1000"#), None, "no date");
    assert_eq!(recorded(r#""startTime":1e300,"profilingStartTime":1e300"#), None, "no date either");
}
