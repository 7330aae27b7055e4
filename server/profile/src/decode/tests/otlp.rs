//! OTLP: which profile counts, threads and times, forms that are refused, and that both notations mean the same.

use expect_test::expect;

use super::{costs_or_error, line_costs, messages};
use crate::decode::decode;
use crate::encode::{Target, encode};
use crate::model::Thread;

/// Texts of the dictionary, by index.
const TEXTS: [&str; 22] = [
    "",
    "samples",
    "count",
    "cpu",
    "nanoseconds",
    "main",
    "work",
    "a.js",
    "space",
    "bytes",
    "off_cpu",
    "objects",
    "thread.name",
    "worker",
    "profile.frame.type",
    "v8js",
    "native",
    "libc.so",
    "endpoint",
    "/cart",
    "thread.id",
    "lock",
];

/// Location 1 is main, 2 is work, 3 is work inlined into main, 4 is in a library, 5 is a function of native code. Stack 1 is
/// main, 2 is main and work, 3 is the inlined one, 4 is main and the library, 5 leads nowhere, 6 is main and the native
/// function. Attribute 1 is the thread `worker`, 2 is V8's, 3 is native, 4 is an endpoint, 5 is the number of a thread.
fn file(profiles: &str) -> String {
    let texts = TEXTS.map(|it| format!("\"{it}\"")).join(",");
    let line =
        |function: u32, line: u32| format!(r#"{{"functionIndex":{function},"line":"{line}","column":"3"}}"#);
    let (main, work) = (line(1, 9), line(2, 4));
    format!(
        r#"{{"resourceProfiles":[{{"resource":{{"attributes":[{{"key":"process.pid","value":{{"intValue":"7"}}}}]}},
        "scopeProfiles":[{{"scope":{{"name":"test"}},"profiles":[{profiles}]}}]}}],
        "dictionary":{{"stringTable":[{texts}],"mappingTable":[{{}},{{"filenameStrindex":17}}],
        "functionTable":[{{}},{{"nameStrindex":5,"filenameStrindex":7}},{{"nameStrindex":6,"filenameStrindex":7,"startLine":"3"}}],
        "locationTable":[{{}},{{"lines":[{main}],"attributeIndices":[2]}},{{"lines":[{work}],"attributeIndices":[2]}},
            {{"lines":[{work},{main}]}},{{"mappingIndex":1,"address":"31","attributeIndices":[3]}},{{"lines":[{work}],"attributeIndices":[3]}}],
        "stackTable":[{{}},{{"locationIndices":[1]}},{{"locationIndices":[2,1]}},{{"locationIndices":[3]}},
            {{"locationIndices":[4,1]}},{{"locationIndices":[99,1]}},{{"locationIndices":[5,1]}}],
        "attributeTable":[{{}},{{"keyStrindex":12,"value":{{"stringValue":"worker"}}}},
            {{"keyStrindex":14,"value":{{"stringValueStrindex":15}}}},{{"keyStrindex":14,"value":{{"stringValue":"native"}}}},
            {{"keyStrindex":18,"value":{{"stringValue":"/cart"}}}},{{"keyStrindex":20,"value":{{"intValue":"9"}}}}],
        "linkTable":[{{}},{{"traceId":"5B8EFFF798038103D269B633813FC60C","spanId":"EEE19B7EC3C1B174"}}]}}}}"#
    )
}

/// A profile with a type, a unit and a period of 10 us; samples are given as `stack: values @ times`.
fn profile(kind: u32, unit: u32, samples: &[(u32, &str, &str)]) -> String {
    let samples = samples.iter().map(|(stack, values, times)| {
        format!(r#"{{"stackIndex":{stack},"values":[{values}],"timestampsUnixNano":[{times}]}}"#)
    });
    let samples = samples.collect::<Vec<_>>().join(",");
    format!(
        r#"{{"sampleType":{{"typeStrindex":{kind},"unitStrindex":{unit}}},"periodType":{{"typeStrindex":3,"unitStrindex":4}},
        "period":"10000","samples":[{samples}]}}"#
    )
}

#[test]
fn which_profile_counts() {
    let (main, both) = ((1, "3000", ""), (2, "5000", ""));
    let said = [
        file(&profile(3, 4, &[main, both])),
        file(&[profile(8, 9, &[main]), profile(3, 4, &[both])].join(",")),
        file(&profile(1, 2, &[(1, "3", ""), (2, "", "\"7\",\"9\"")])),
        file(&[profile(10, 4, &[main]), profile(1, 2, &[(2, "2", "")])].join(",")),
        file(&profile(1, 2, &[(2, "2", "")])).replace("\"period\"", "\"other\""),
        file(&[profile(8, 9, &[main, both]), profile(11, 2, &[(1, "3", ""), (2, "5", "")])].join(",")),
        file(&profile(21, 2, &[main])),
        file(&profile(3, 4, &[])),
        file(""),
    ]
    .map(|text| costs_or_error(text.as_bytes()));
    expect![[r#"
        main 3/8; work 5/5
        main 0/5; work 5/5; ! it also holds space in bytes
        main 30/50; work 20/20
        main 0/20; work 20/20; ! it also holds off_cpu in nanoseconds
        main 0/2000; work 2000/2000; ! it counts samples and does not say how long one is
        main 3000B/8000B; work 5000B/5000B
        it counts neither time nor bytes
        it is a profile without samples
        it is a profile without samples"#]]
    .assert_eq(&said.join("\n"));
    let bytes =
        file(&[profile(8, 9, &[main, both]), profile(11, 2, &[(1, "3", ""), (2, "5", "")])].join(","));
    let objects = decode(&mut bytes.as_bytes(), "", &()).expect("a profile").threads[0].samples;
    assert_eq!(objects, 8, "as many samples as objects");
}

#[test]
fn stacks() {
    let said = [
        (2, "1000", ""),
        (3, "1000", ""),
        (4, "1000", ""),
        (5, "1000", ""),
        (6, "1000", ""),
        (0, "1000", ""),
        (77, "1000", ""),
        (1, "-5", ""),
    ]
    .map(|sample| costs_or_error(file(&profile(3, 4, &[sample])).as_bytes()));
    expect![[r#"
        main 0/1; work 1/1
        main 0/1; work 1/1
        main 0/1; libc.so 1/1
        main 1/1; ! 1 frame points at nothing
        main 0/1; work 1/1
        Idle: 1
        Idle: 1; ! 1 frame points at nothing
        main 0/0; ! 1 sample of negative weight; ! its samples span no time"#]]
    .assert_eq(&said.join("\n"));
    let read = |sample| decode(&mut file(&profile(3, 4, &[sample])).as_bytes(), "", &()).expect("a profile");
    assert_eq!(line_costs(&read((2, "1000000", ""))), ["work 3:2 1000"]);
    let resources =
        |stack| read((stack, "1", "")).functions.iter().map(|it| it.resource.is_some()).collect::<Vec<_>>();
    assert_eq!([resources(2), resources(6)], [[true, true], [true, false]], "native code has no script");
}

/// Outer frames that stacks share are made once, and what they lack counts for each stack.
#[test]
fn stacks_share_their_outer_frames() {
    let text = file(&profile(3, 4, &[(2, "1000", ""), (7, "1000", ""), (8, "1000", "")]));
    let last = r#"{"locationIndices":[5,1]}"#;
    let more = format!(r#"{last},{{"locationIndices":[2,99,1]}},{{"locationIndices":[1,2,99,1]}}"#);
    let text = text.replace(last, &more);
    expect!["main 1/3; work 2/3; ! 2 frames point at nothing"].assert_eq(&costs_or_error(text.as_bytes()));
}

/// The eBPF profiler counts columns from 0.
#[test]
fn columns_of_the_ebpf_profiler() {
    let text = file(&profile(3, 4, &[(2, "1000000", "")]))
        .replace("\"test\"", "\"go.opentelemetry.io/ebpf-profiler\"");
    let read = decode(&mut text.as_bytes(), "", &()).expect("a profile");
    assert_eq!(line_costs(&read), ["work 3:3 1000"]);
}

#[test]
fn threads_times_and_labels() {
    let samples = r#"{"stackIndex":1,"attributeIndices":[4],"linkIndex":1,"timestampsUnixNano":["2000","500"]},
        {"stackIndex":2,"attributeIndices":[1,5],"values":["3","1"],"timestampsUnixNano":["900","700"]},
        {"stackIndex":1,"values":["2"],"timestampsUnixNano":["1000","1100"]}"#;
    let text = file(&profile(1, 2, &[])).replace("\"samples\":[]", &format!("\"samples\":[{samples}]"));
    let read = decode(&mut text.as_bytes(), "trace.json", &()).expect("a profile");
    let lines: Vec<String> = read
        .threads
        .iter()
        .map(|it| {
            let labels = it.in_order.labels().map(|set| {
                let set = read.label_sets.get(set as usize).map_or(&[][..], |it| it);
                set.iter()
                    .map(|it| format!("{}={}", read.strings.get(it.0), read.strings.get(it.1)))
                    .collect::<Vec<_>>()
                    .join(" ")
            });
            let samples = it.in_order.with_times().zip(labels).map(|((taken, sample), labels)| {
                format!("{taken} x{} {labels}", sample.weight.samples).trim_end().to_owned()
            });
            format!("{} {:?}: {}", it.name, it.start.map(|it| it.0), samples.collect::<Vec<_>>().join(", "))
        })
        .collect();
    expect![[r#"
        thread (pid 7) None: 0 x1 endpoint=/cart trace_id=5b8efff798038103d269b633813fc60c span_id=eee19b7ec3c1b174, 10000 x1 endpoint=/cart trace_id=5b8efff798038103d269b633813fc60c span_id=eee19b7ec3c1b174, 20000 x2
        worker (pid 7, tid 9) Some(0): 0 x1, 200 x3"#]]
    .assert_eq(&lines.join("\n"));
}

#[test]
fn older_forms_are_refused_by_name() {
    let new = file(&profile(3, 4, &[(1, "3000", "")]));
    let said = [
        new.replace("stackTable", "attributeUnits"),
        new.replace("\"stackIndex\":1", "\"locationsStartIndex\":0,\"locationsLength\":1"),
        new.replace("\"periodType\"", "\"stringTable\":[],\"periodType\""),
    ];
    let old =
        "it is an OTLP profile in a form before opentelemetry-proto 1.8, without a dictionary of stacks";
    assert_eq!(said.map(|text| costs_or_error(text.as_bytes())), [old; 3]);
    // 1.8 had the same members, two of them in the singular.
    let earlier = new.replace("\"samples\":", "\"sample\":").replace("\"lines\":", "\"line\":");
    assert_eq!(costs_or_error(earlier.as_bytes()), costs_or_error(new.as_bytes()));
}

/// A file of protobuf.
fn protobuf(profiles: &str) -> Vec<u8> {
    let read = decode(&mut file(profiles).as_bytes(), "", &()).expect("a profile");
    let threads: Vec<Thread> = read.threads.clone();
    let mut bytes = Vec::new();
    encode(&read, &threads, Target::Otlp, &mut bytes).expect("a list of bytes takes all");
    bytes
}

#[test]
fn protobuf_says_what_json_says() {
    for samples in [[(2, "5000", ""), (3, "7", "")], [(2, "3,1", "900,700"), (1, "2", "1000")]] {
        let profiles = profile(3, 4, &samples);
        assert_eq!(costs_or_error(&protobuf(&profiles)), costs_or_error(file(&profiles).as_bytes()));
    }
}

#[test]
fn however_it_is_cut_nothing_breaks() {
    let bytes = protobuf(&profile(3, 4, &[(2, "3000,1000", "900,700"), (4, "7000", "1000")]));
    for end in 0..bytes.len() {
        let _ = costs_or_error(&bytes[..end]);
        for wrong in [0xff, 0x01, 0x80] {
            let mut damaged = bytes.clone();
            damaged[end] ^= wrong;
            let _ = costs_or_error(&damaged);
        }
    }
    let [whole, in_pieces] = messages(&bytes);
    assert_eq!(whole, in_pieces);
    assert_eq!(costs_or_error(&bytes[..bytes.len() - 1]), "its protobuf data is damaged or cut off");
}

/// A message whose fields are numbers or bytes.
fn message(fields: &[(u64, &[u8])]) -> Vec<u8> {
    fields
        .iter()
        .flat_map(|(tag, bytes)| {
            let length = (tag & 7 == 2).then_some(bytes.len() as u8);
            [*tag as u8].into_iter().chain(length).chain(bytes.iter().copied()).collect::<Vec<u8>>()
        })
        .collect()
}

/// Samples had other numbers before 1.10: an attribute index that is in no table is a value.
#[test]
fn both_numberings_of_samples_are_read() {
    let texts = ["", "cpu", "ns", "work", "a.js"].map(|it| (0x2a, it.as_bytes()));
    let function = message(&[(0x08, &[3]), (0x18, &[4])]);
    let location = message(&[(0x1a, &message(&[(0x08, &[1])]))]);
    let stack = message(&[(0x0a, &[1])]);
    let tables: [(u64, &[u8]); 6] =
        [(0x12, b""), (0x12, &location), (0x1a, b""), (0x1a, &function), (0x3a, b""), (0x3a, &stack)];
    let dictionary = message(&[&tables[..], &texts].concat());
    let file = |sample: &[(u64, &[u8])]| {
        let kind = message(&[(0x08, &[1]), (0x10, &[2])]);
        let profile = message(&[(0x0a, &kind), (0x12, &message(sample))]);
        let resource = message(&[(0x12, &message(&[(0x12, &profile)]))]);
        message(&[(0x0a, &resource), (0x12, &dictionary)])
    };
    let time = 9u64.to_le_bytes();
    let rows: [&[(u64, &[u8])]; 5] = [
        &[(0x08, &[1]), (0x22, &[100])],
        &[(0x08, &[1]), (0x20, &[100]), (0x29, &time)],
        &[(0x08, &[1]), (0x12, &[100])],
        &[(0x08, &[1]), (0x10, &[100]), (0x29, &time)],
        &[(0x08, &[1]), (0x2a, &time)],
    ];
    let read = rows.map(|it| costs_or_error(&file(it)));
    assert_eq!(read, [&["work 100ns/100ns"; 4][..], &["work 1ns/1ns"]].concat()[..]);
    // 1.7 had the locations of samples in the profile, and no stacks.
    let old = message(&[(0x0a, &message(&[(0x12, &message(&[(0x12, &message(&[(0x1a, &[1])]))]))]))]);
    let old = costs_or_error(&old);
    assert_eq!(
        old,
        "it is an OTLP profile in a form before opentelemetry-proto 1.8, without a dictionary of stacks"
    );
}
