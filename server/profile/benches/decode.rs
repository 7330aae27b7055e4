//! How long it takes to decode and tally large traces, compared with the minimum cost of reading their JSON.
//!
//! `cargo bench -p profile`, or of one format `cargo bench -p profile -- otlp`. The inputs are generated here, from a seed, to look like what V8 and browsers write.

#![allow(clippy::print_stdout)] // its only output

use std::error::Error;
use std::fmt::Write;
use std::time::{Duration, Instant};

use profile::decode::decode;
use profile::scope::{Selection, Threads};
use profile::tally::tally;
use serde::de::IgnoredAny;

const ROUNDS: usize = 7;

/// Makes a trace.
type Generate = fn() -> Result<String, std::fmt::Error>;

fn main() -> Result<(), Box<dyn Error>> {
    println!("{:<38}{:>10}{:>10}{:>10}{:>12}{:>12}", "", "decode", "tally", "MB/s", "x reader", "x slice");
    let wanted = std::env::args().skip(1).find(|it| !it.starts_with('-')).unwrap_or_default();
    let inputs: [(&str, Generate); 6] = [
        ("cpuprofile, many nodes", || cpuprofile(250_000, 40_000)),
        ("cpuprofile, many samples", || cpuprofile(40_000, 3_000_000)),
        ("self-profiling, many stacks", || self_profiling(1_500_000, 200_000)),
        ("self-profiling, many samples", || self_profiling(100_000, 1_200_000)),
        ("otlp, many stacks", || otlp(120_000, 200_000)),
        ("otlp, many samples", || otlp(20_000, 400_000)),
    ];
    for (name, generate) in inputs.into_iter().filter(|it| it.0.contains(&wanted)) {
        let text = generate()?;
        let bytes = text.as_bytes();
        let mut decoding = Duration::MAX;
        let mut tallying = Duration::MAX;
        for _ in 0..ROUNDS {
            let start = Instant::now();
            let profile = decode(&mut &*bytes, "", &())?;
            decoding = decoding.min(start.elapsed());
            let keys: Vec<u32> = (0..profile.functions.len() as u32).collect();
            let start = Instant::now();
            std::hint::black_box(tally(&Selection::of(&profile, &Threads::All), &keys, keys.len() as u32));
            tallying = tallying.min(start.elapsed());
        }
        let reader = fastest(|| serde_json::from_reader::<_, IgnoredAny>(bytes))?;
        let slice = fastest(|| serde_json::from_slice::<IgnoredAny>(bytes))?;
        let whole = (decoding + tallying).as_secs_f64();
        println!(
            "{:<38}{:>7} ms{:>7} ms{:>10.0}{:>12.2}{:>12.2}",
            format!("{name} ({} MB)", bytes.len() / 1_000_000),
            decoding.as_millis(),
            tallying.as_millis(),
            bytes.len() as f64 / 1e6 / whole,
            whole / reader.as_secs_f64(),
            whole / slice.as_secs_f64(),
        );
    }
    Ok(())
}

/// The time of one validation pass.
fn fastest(validate: impl Fn() -> serde_json::Result<IgnoredAny>) -> serde_json::Result<Duration> {
    let mut fastest = Duration::MAX;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        validate()?;
        fastest = fastest.min(start.elapsed());
    }
    Ok(fastest)
}

/// A generator whose numbers are the same everywhere (PCG).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % limit
    }
}

/// A tree of calls: the caller of each node but the first, always before it, and the function of each. A function calls
/// only a few others.
fn tree(nodes: u64, random: &mut Random) -> Vec<(u64, u64)> {
    let mut tree: Vec<(u64, u64)> = vec![(0, 0)];
    for node in 1..nodes {
        let caller = node.saturating_sub(1 + random.below(12));
        let function = (tree[caller as usize].1 * 7 + 1 + random.below(5)) % 6000;
        tree.push((caller, function));
    }
    tree
}

fn cpuprofile(nodes: u64, samples: u64) -> Result<String, std::fmt::Error> {
    let mut random = Random(1);
    let tree = tree(nodes, &mut random);
    let mut children = vec![Vec::new(); tree.len()];
    for (node, &(caller, _)) in tree.iter().enumerate().skip(1) {
        children[caller as usize].push((node + 1).to_string());
    }
    let mut text = String::from("{\"nodes\":[");
    for (node, &(_, function)) in tree.iter().enumerate() {
        let (comma, id, children) = (if node > 0 { "," } else { "" }, node + 1, children[node].join(","));
        write!(
            text,
            r#"{comma}{{"id":{id},"callFrame":{{"functionName":"function{function}","scriptId":"{}","url":"file:///srv/app/node_modules/package/lib/module-{}.js","lineNumber":{},"columnNumber":{}}},"hitCount":2,"children":[{children}],"positionTicks":[{{"line":{},"ticks":2}}]}}"#,
            function / 20,
            function / 20,
            function % 900,
            function % 70,
            function % 900 + 3,
        )?;
    }
    text.push_str("],\"startTime\":1000000,\"endTime\":9000000000,\"samples\":[");
    let mut node = 1;
    for sample in 0..samples {
        if random.below(3) == 0 {
            node = 1 + random.below(nodes);
        }
        write!(text, "{}{node}", if sample > 0 { "," } else { "" })?;
    }
    text.push_str("],\"timeDeltas\":[");
    for sample in 0..samples {
        // A few samples are late, as in real recordings.
        let delta = if random.below(1000) == 0 { -40 } else { 80 + random.below(200) as i64 };
        write!(text, "{}{delta}", if sample > 0 { "," } else { "" })?;
    }
    text.push_str("]}");
    Ok(text)
}

fn self_profiling(stacks: u64, samples: u64) -> Result<String, std::fmt::Error> {
    let mut random = Random(2);
    let tree = tree(stacks, &mut random);
    let mut text = String::from("{\"frames\":[");
    for function in 0..6000 {
        let comma = if function > 0 { "," } else { "" };
        write!(
            text,
            r#"{comma}{{"column":{},"line":{},"name":"function{function}","resourceId":{}}}"#,
            function % 70 + 1,
            function % 900 + 1,
            function / 20
        )?;
    }
    text.push_str("],\"resources\":[");
    for resource in 0..300 {
        write!(
            text,
            "{}\"http://localhost:3000/lib/module-{resource}.js\"",
            if resource > 0 { "," } else { "" }
        )?;
    }
    text.push_str("],\"samples\":[");
    let mut time = 5000.0;
    for sample in 0..samples {
        let comma = if sample > 0 { "," } else { "" };
        time += random.below(200) as f64 / 10.0;
        match random.below(20) {
            0 => write!(text, r#"{comma}{{"timestamp":{}}}"#, time + 1.1920928955078125e-8)?,
            _ => {
                let stack = random.below(stacks);
                write!(text, r#"{comma}{{"stackId":{stack},"timestamp":{}}}"#, time + 1.1920928955078125e-8)?;
            }
        }
    }
    text.push_str("],\"stacks\":[");
    for (stack, (caller, function)) in tree.into_iter().enumerate() {
        match stack {
            0 => write!(text, r#"{{"frameId":{function}}}"#)?,
            _ => write!(text, r#",{{"frameId":{function},"parentId":{caller}}}"#)?,
        }
    }
    text.push_str("]}");
    Ok(text)
}

/// What a collector exports of the eBPF profiler: stacks of locations, and samples with their times.
fn otlp(stacks: u64, samples: u64) -> Result<String, std::fmt::Error> {
    let mut random = Random(3);
    let comma = |index: u64| if index > 0 { "," } else { "" };
    let mut text = String::from(
        r#"{"resourceProfiles":[{"resource":{"attributes":[{"key":"process.pid","value":{"intValue":"7"}}]},"#,
    );
    text.push_str(r#""scopeProfiles":[{"scope":{"name":"profiler"},"profiles":[{"sampleType":{"typeStrindex":1,"unitStrindex":2},"samples":["#);
    for sample in 0..samples {
        let (stack, value, time) = (
            1 + random.below(stacks),
            1_000_000 + random.below(90_000_000),
            1_774_910_497_000_000_000 + sample * 10_000_000,
        );
        write!(
            text,
            r#"{}{{"stackIndex":{stack},"attributeIndices":[1,2],"values":["{value}"],"timestampsUnixNano":["{time}"]}}"#,
            comma(sample)
        )?;
    }
    text.push_str(r#"],"timeUnixNano":"1774910497000000000","durationNano":"1","periodType":{}}]}]}],"dictionary":{"stringTable":["","wall","nanoseconds","thread.name","thread.id","main","profile.frame.type","v8js""#);
    for function in 0..6000 {
        write!(text, r#","function{function}""#)?;
    }
    for file in 0..300 {
        write!(text, r#","/srv/app/node_modules/package/lib/module-{file}.js""#)?;
    }
    text.push_str(r#"],"attributeTable":[{},{"keyStrindex":3,"value":{"stringValue":"main"}},{"keyStrindex":4,"value":{"intValue":"7"}},{"keyStrindex":6,"value":{"stringValue":"v8js"}}],"functionTable":[{}"#);
    for function in 0..6000 {
        write!(text, r#",{{"nameStrindex":{},"filenameStrindex":{}}}"#, 8 + function, 6008 + function / 20)?;
    }
    text.push_str(r#"],"locationTable":[{}"#);
    for location in 0..24_000 {
        let (function, line) = (1 + location % 6000, 1 + location % 900);
        write!(
            text,
            r#",{{"lines":[{{"functionIndex":{function},"line":"{line}","column":"{}"}}],"attributeIndices":[3]}}"#,
            location % 70
        )?;
    }
    text.push_str(r#"],"stackTable":[{}"#);
    // Stacks of 30 to 40 frames, which have their outer ones in common.
    let caller = |stack: u64| (stack > 0).then(|| stack - 1 - stack / 4);
    let function: Vec<u64> = (0..stacks).map(|_| random.below(6000)).collect();
    for stack in 0..stacks {
        write!(text, r#",{{"locationIndices":["#)?;
        for (depth, at) in (0..).zip(std::iter::successors(Some(stack), |at| caller(*at))) {
            write!(text, "{}{}", comma(depth), 1 + function[at as usize] + 6000 * (at % 4))?;
        }
        text.push_str("]}");
    }
    text.push_str("]}}");
    Ok(text)
}
