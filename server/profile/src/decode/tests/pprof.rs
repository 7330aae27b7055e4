//! pprof: which value counts, inlined calls, ids that lead nowhere.

use expect_test::expect;

use super::{costs_or_error, line_costs, shown};
use crate::decode::decode;

fn number(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// A field with a number.
fn int(field: u64, value: u64) -> Vec<u8> {
    [number(field << 3), number(value)].concat()
}

/// A field with a message, a text or packed numbers.
fn message(field: u64, bytes: &[u8]) -> Vec<u8> {
    [number(field << 3 | 2), number(bytes.len() as u64), bytes.to_vec()].concat()
}

const TEXTS: [&str; 16] = [
    "",
    "samples",
    "count",
    "cpu",
    "nanoseconds",
    "main",
    "work",
    "a.js",
    "alloc_space",
    "bytes",
    "(idle)",
    "wall",
    "alloc_objects",
    "inuse_objects",
    "inuse_space",
    "contentions",
];

fn sample_type(kind: u64, unit: u64) -> Vec<u8> {
    message(1, &[int(1, kind), int(2, unit)].concat())
}

fn sample(locations: &[u64], values: &[u64]) -> Vec<u8> {
    let packed = |numbers: &[u64]| numbers.iter().flat_map(|&it| number(it)).collect::<Vec<u8>>();
    message(2, &[message(1, &packed(locations)), message(2, &packed(values))].concat())
}

/// Location 1 is main, 2 is work, 3 is work inlined into main, 4 only has an address, 5 has a function that is missing, 6 is idle.
fn file(types: &[Vec<u8>], samples: &[Vec<u8>], more: &[Vec<u8>]) -> Vec<u8> {
    let line = |function: u64, line: u64| message(4, &[int(1, function), int(2, line)].concat());
    let location =
        |id: u64, lines: &[Vec<u8>]| message(4, &[int(1, id), int(3, 0x1f), lines.concat()].concat());
    let function = |id: u64, name: u64, file: u64, start: u64| {
        message(5, &[int(1, id), int(2, name), int(4, file), int(5, start)].concat())
    };
    let tables = [
        location(1, &[line(1, 9)]),
        location(2, &[line(2, 4)]),
        location(3, &[line(2, 5), line(1, 8)]),
        location(4, &[]),
        location(5, &[line(7, 1)]),
        location(6, &[line(3, 0)]),
        function(1, 5, 7, 0),
        function(2, 6, 7, 3),
        function(3, 10, 0, 0),
        TEXTS.iter().flat_map(|it| message(6, it.as_bytes())).collect(),
    ];
    [types.concat(), samples.concat(), tables.concat(), more.concat()].concat()
}

#[test]
fn which_value_counts() {
    let (count, cpu, wall, bytes) =
        (sample_type(1, 2), sample_type(3, 4), sample_type(11, 4), sample_type(8, 9));
    let samples = [sample(&[2, 1], &[2, 5000]), sample(&[1], &[1, 3000])];
    let period = [message(11, &[int(1, 3), int(2, 4)].concat()), int(12, 10_000)];
    let said = [
        costs_or_error(&file(&[count.clone(), cpu.clone()], &samples, &[])),
        costs_or_error(&file(&[cpu.clone(), wall.clone()], &samples, &[])),
        costs_or_error(&file(&[cpu.clone(), wall], &samples, &[int(14, 11)])),
        costs_or_error(&file(&[count.clone(), bytes.clone()], &samples, &period)),
        costs_or_error(&file(std::slice::from_ref(&count), &samples, &[])),
        costs_or_error(&file(std::slice::from_ref(&bytes), &samples, &[])),
        costs_or_error(&file(&[count.clone(), bytes.clone()], &samples, &[])),
        costs_or_error(&file(&[sample_type(15, 2)], &samples, &[])),
    ];
    expect![[r#"
        main 3/8; work 5/5
        main 1ns/3ns; work 2ns/2ns
        main 3/8; work 5/5
        main 10/30; work 20/20
        main 1000/3000; work 2000/2000; ! it counts samples and does not say how long one is
        main 1B/3B; work 2B/2B
        main 3000B/8000B; work 5000B/5000B
        it counts neither time nor bytes"#]]
    .assert_eq(&said.join("\n"));
}

#[test]
fn allocations() {
    let types = [sample_type(12, 2), sample_type(8, 9), sample_type(13, 2), sample_type(14, 9)];
    let samples = [sample(&[2, 1], &[9, 5000, 3, 700]), sample(&[6], &[1, 100, 1, 20])];
    let read = |more: &[Vec<u8>]| {
        let profile = decode(&mut &*file(&types, &samples, more), "", &()).expect("a profile");
        let objects = profile.threads[0].samples;
        (profile.unit, objects, shown(&profile).join("; "))
    };
    let said = [read(&[]), read(&[int(14, 8)])].map(|it| format!("{it:?}"));
    expect![[r#"
        (Bytes, 4, "main 0B/700B; work 700B/700B; Idle: 20B")
        (Bytes, 10, "main 0B/5000B; work 5000B/5000B; Idle: 100B")"#]]
    .assert_eq(&said.join("\n"));
}

#[test]
fn stacks() {
    let types = [sample_type(3, 4)];
    let unpacked = message(2, &[int(1, 2), int(1, 1), int(2, 1000)].concat());
    let said = [
        vec![unpacked],
        vec![sample(&[3], &[1000])],
        vec![sample(&[2, 3, 1], &[1000])],
        vec![sample(&[4, 1], &[1000])],
        vec![sample(&[5, 99, 1], &[1000])],
        vec![sample(&[6], &[1000]), sample(&[], &[1000]), sample(&[1], &[])],
        vec![sample(&[1], &[u64::MAX])],
    ]
    .map(|samples| costs_or_error(&file(&types, &samples, &[])));
    expect![[r#"
        main 0/1; work 1/1
        main 0/1; work 1/1
        main 0/1; work 1/1
        main 0/1; 0x1f 1/1
        main 0/1; (anonymous) 1/1; ! 1 frame points at nothing
        main 0/0; Idle: 2
        main 0/0; ! 1 sample of negative weight; ! its samples span no time"#]]
    .assert_eq(&said.join("\n"));
}

#[test]
fn lines_and_definitions() {
    let bytes = file(&[sample_type(3, 4)], &[sample(&[2, 1], &[1000]), sample(&[1], &[1000])], &[]);
    let profile = decode(&mut &*bytes, "", &()).expect("a profile");
    let lines: Vec<u32> = profile.functions.iter().filter_map(|it| Some(it.defined_at?.line)).collect();
    assert_eq!(lines, [2], "only work says where it begins");
    assert_eq!(line_costs(&profile), ["main 8 1", "work 3 1"]);
    // Two samples of one function, each on a line of its own; in a profile of allocations, each counts its objects.
    for (types, values) in [
        ([sample_type(1, 2), sample_type(3, 4)], [[1, 100_000], [1, 900_000]]),
        ([sample_type(12, 2), sample_type(8, 9)], [[1, 100_000], [7, 900_000]]),
    ] {
        let samples = [sample(&[2, 1], &values[0]), sample(&[3], &values[1])];
        let bytes = file(&types, &samples, &[]);
        let profile = decode(&mut &*bytes, "", &()).expect("a profile");
        assert_eq!(line_costs(&profile), ["work 3 100", "work 4 900"]);
    }
}

#[test]
fn however_it_is_cut_nothing_breaks() {
    let bytes = file(&[sample_type(3, 4)], &[sample(&[2, 1], &[1000]), sample(&[3], &[7])], &[]);
    for end in 0..bytes.len() {
        let _ = costs_or_error(&bytes[..end]);
        let mut wrong = bytes.clone();
        wrong[end] ^= 0xff;
        let _ = costs_or_error(&wrong);
    }
    let huge = [sample_type(3, 4), number(2 << 3 | 2), number(u64::MAX)].concat();
    assert_eq!(costs_or_error(&huge), "its protobuf data is damaged or cut off");
}

#[test]
fn fields_come_in_any_order() {
    let types = [sample_type(1, 2), sample_type(3, 4)];
    let samples = [sample(&[2, 1], &[3, 30_000])];
    let expected = costs_or_error(&file(&types, &samples, &[]));
    let times = [int(9, 1_700_000_000_000_000_000), int(10, 60_000_000_000)].concat();
    for before in [times, message(11, &[int(1, 3), int(2, 4)].concat()), int(12, 1), int(14, 3)] {
        assert_eq!(costs_or_error(&[before, file(&types, &samples, &[])].concat()), expected);
    }
    let texts: Vec<u8> = TEXTS.iter().flat_map(|it| message(6, it.as_bytes())).collect();
    let rest = file(&types, &samples, &[]);
    let rest = rest[..rest.len() - texts.len()].to_vec();
    assert_eq!(costs_or_error(&[texts, rest].concat()), expected);
}

#[test]
fn labels() {
    // Texts 15 and 7 are a key and a value; a value may be a number.
    let label = |fields: &[(u64, u64)]| {
        message(3, &fields.iter().flat_map(|&(field, value)| int(field, value)).collect::<Vec<u8>>())
    };
    let labelled = |labels: &[Vec<u8>]| {
        let inner = [int(1, 2), int(2, 1000), labels.concat()].concat();
        message(2, &inner)
    };
    let samples = [
        labelled(&[label(&[(1, 15), (2, 7)])]),
        labelled(&[label(&[(1, 15), (3, 12)]), label(&[(1, 6), (2, 5)])]),
        labelled(&[]),
        labelled(&[label(&[(1, 15), (2, 7)])]),
        labelled(&[label(&[(1, 99)])]),
    ];
    let bytes = file(&[sample_type(3, 4)], &samples, &[]);
    let profile = decode(&mut &*bytes, "", &()).expect("a profile");
    let texts = profile.threads[0].in_order.labels().take(5).map(|set| {
        let set = profile.label_sets[set as usize].iter();
        set.map(|it| format!("{}={}", profile.strings.get(it.0), profile.strings.get(it.1)))
            .collect::<Vec<_>>()
            .join(" ")
    });
    let texts: Vec<String> = texts.collect();
    assert_eq!(texts, ["contentions=a.js", "contentions=12 work=main", "", "contentions=a.js", ""]);
}
