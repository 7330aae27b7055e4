//! Every recorded trace, written in every format and read again: the costs stay the same, as far as the format can express them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use profile::decode::decode;
use profile::encode::{Target, encode, encode_gzipped};
use profile::model::{Amount, FunctionId, OffStack, Position, Profile, Thread, Unit};
use profile::rename::{NewName, rename};
use profile::scope::Selection;
use profile::tally::tally;

fn traces() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/traces");
    let list = |folder: PathBuf| {
        fs::read_dir(folder).expect("a folder of traces").map(|entry| entry.expect("an entry").path())
    };
    let mut traces: Vec<_> =
        list(root).flat_map(list).filter(|path| path.extension().is_none_or(|it| it != "md")).collect();
    traces.sort();
    traces
}

fn read(path: &Path) -> Profile {
    let bytes = fs::read(path).expect("a recorded trace");
    decode(&mut &*bytes, "", &()).expect("a profile")
}

/// Self and total time of each function, identified by all that the format says about it, and the time of each reason
/// for no stack.
#[derive(Debug, PartialEq)]
struct Costs {
    functions: BTreeMap<String, (u64, u64)>,
    off_stack: BTreeMap<OffStack, u64>,
}

/// A key for each function, the same for functions that the format cannot tell apart.
fn keys(profile: &Profile, to: Target) -> (BTreeMap<String, u32>, Vec<u32>) {
    let mut keys = BTreeMap::new();
    let key_of = (0..profile.functions.len() as u32).map(|id| {
        let next = keys.len() as u32;
        *keys.entry(shown(profile, FunctionId(id), to)).or_insert(next)
    });
    let key_of = key_of.collect();
    (keys, key_of)
}

fn costs(profile: &Profile, threads: &[Thread], to: Target) -> Costs {
    let (keys, key_of) = keys(profile, to);
    let tally = tally(&Selection::sum(profile, threads), &key_of, keys.len() as u32);
    let cost = |key: u32| &tally.costs[key as usize];
    let functions = keys
        .into_iter()
        .map(|(name, key)| (name, (cost(key).self_time.0, cost(key).total_time.0)))
        .filter(|(_, (_, total))| *total > 0)
        .collect();
    let mut off_stack = BTreeMap::new();
    for (&why, weight) in threads.iter().flat_map(|it| &it.off_stack) {
        let why = match (to, why) {
            (Target::Cpuprofile, OffStack::NoStack | OffStack::Unsampled) => OffStack::Idle,
            (Target::Cpuprofile, OffStack::Native | OffStack::Unknown) => OffStack::Program,
            _ => why,
        };
        *off_stack.entry(why).or_default() += weight.time.0;
    }
    off_stack.retain(|_, time| *time > 0);
    Costs { functions, off_stack }
}

fn shown(profile: &Profile, id: FunctionId, to: Target) -> String {
    let position = profile.functions[id.0 as usize].defined_at;
    let column = position.and_then(|it| it.column).filter(|_| to != Target::Pprof);
    let line = position.map(|it| it.line);
    match (to, profile.resource(id)) {
        // Blanks and semicolons separate frames, and without a file there is no room for a place.
        (Target::Collapsed, file) => {
            let place = file.map(|file| (file, line, column));
            format!("{} {place:?}", profile.name(id).trim().replace(';', ":"))
        }
        (_, file) => format!("{} {file:?} {line:?} {column:?}", profile.name(id)),
    }
}

/// What comes back of one thread or several.
fn there_and_back(profile: &Profile, threads: &[Thread], to: Target) -> Profile {
    let mut written = Vec::new();
    encode(profile, threads, to, &mut written).expect("a list of bytes takes all");
    decode(&mut &*written, "", &()).unwrap_or_else(|error| panic!("{to:?}: {}", error.problem("it")))
}

#[test]
fn formats_with_units_are_exact() {
    for path in traces() {
        let profile = read(&path);
        for to in [Target::Speedscope, Target::Pprof] {
            let back = there_and_back(&profile, &profile.threads, to);
            let place = format!("{} as {to:?}", path.display());
            assert_eq!(costs(&back, &back.threads, to), costs(&profile, &profile.threads, to), "{place}");
            assert_eq!(back.unit, profile.unit, "{place}");
            if to == Target::Speedscope {
                assert_eq!(back.threads.len(), profile.threads.len(), "{place}");
                for (one, other) in back.threads.iter().zip(&profile.threads) {
                    assert_eq!(one.duration, other.duration, "{place}");
                }
            }
        }
    }
}

#[test]
fn a_cpuprofile_is_exact_to_the_microsecond() {
    let to = Target::Cpuprofile;
    for path in traces() {
        let profile = read(&path);
        if profile.unit == Unit::Bytes {
            let refused = encode(&profile, &profile.threads, to, &mut Vec::new()).expect_err("no times");
            assert_eq!(refused.to_string(), "a .cpuprofile holds times, and this profile counts bytes");
            continue;
        }
        for thread in &profile.threads {
            let one = std::slice::from_ref(thread);
            let back = there_and_back(&profile, one, to);
            let (mut found, expected) = (costs(&back, &back.threads, to), costs(&profile, one, to));
            // What ends the last sample, for traces that weigh it differently from V8.
            let added = back.threads[0].duration - thread.duration;
            let is_hermes = path.display().to_string().contains("-hermes");
            let is_v8 = !is_hermes && ["cpuprofile", "chrome-trace"].contains(&profile.format);
            if !is_v8 && let Some(idle) = found.off_stack.get_mut(&OffStack::Idle) {
                *idle -= added.0;
            }
            found.off_stack.retain(|_, time| *time > 0);
            let off_by = if is_v8 { 0 } else { 1000 * thread.samples };
            same(&found, &expected, off_by, &format!("{}, {}", path.display(), thread.name));
            assert!(added.0 <= thread.duration.0 / thread.samples.max(1) + 1000, "{}", path.display());
        }
    }
}

#[test]
fn collapsed_stacks_are_exact_to_the_microsecond() {
    let to = Target::Collapsed;
    for path in traces() {
        let profile = read(&path);
        for thread in &profile.threads {
            let one = std::slice::from_ref(thread);
            let back = there_and_back(&profile, one, to);
            let (mut found, expected) = (costs(&back, &back.threads, to), costs(&profile, one, to));
            // One of an unknown unit, read as a millisecond.
            let (unit, off_by) = match profile.unit {
                Unit::Bytes => (1_000_000, 0),
                Unit::Time if profile.format == "collapsed" => (1, 0),
                Unit::Time => (1000, 1000),
            };
            found.functions.values_mut().for_each(|it| *it = (it.0 / unit, it.1 / unit));
            found.off_stack.values_mut().for_each(|it| *it /= unit);
            let off_by = off_by * thread.on_stack.len() as u64;
            same(&found, &expected, off_by, &format!("{}, {}", path.display(), thread.name));
            assert!((back.threads[0].duration.0 / unit).abs_diff(thread.duration.0) <= 500);
        }
    }
}

/// Fails unless all times are the same within this many nanoseconds.
fn same(found: &Costs, expected: &Costs, off_by: u64, place: &str) {
    let lines = |it: &Costs| {
        let functions = it.functions.iter().map(|(name, &times)| (name.clone(), times));
        let off_stack = it.off_stack.iter().map(|(why, &time)| (format!("{why:?}"), (time, time)));
        functions.chain(off_stack).collect::<BTreeMap<_, _>>()
    };
    let (found, expected) = (lines(found), lines(expected));
    let names: BTreeSet<_> = found.keys().chain(expected.keys()).collect();
    let time = |times: &BTreeMap<String, (u64, u64)>, name| times.get(name).copied().unwrap_or_default();
    let differ = names.into_iter().filter(|&name| {
        let (one, other) = (time(&found, name), time(&expected, name));
        one.0.abs_diff(other.0) > off_by || one.1.abs_diff(other.1) > off_by
    });
    let differ: Vec<_> =
        differ.map(|name| (name, found.get(name.as_str()), expected.get(name.as_str()))).collect();
    assert!(differ.is_empty(), "{place}: {differ:#?}");
}

#[test]
fn lines_survive_where_the_format_has_them() {
    let mut traces_with_lines = 0;
    for path in traces() {
        let profile = read(&path);
        if profile.unit == Unit::Bytes {
            continue;
        }
        let thread = &profile.threads[..1];
        let lines = |profile: &Profile, threads: &[Thread], to: Target| {
            let (keys, key_of) = keys(profile, to);
            let names: BTreeMap<u32, &String> = keys.iter().map(|(name, key)| (*key, name)).collect();
            let lines = tally(&Selection::sum(profile, threads), &key_of, keys.len() as u32).lines;
            let mut sums: BTreeMap<String, Amount> = BTreeMap::new();
            for it in lines.iter().filter(|it| it.time > Amount(0)) {
                let key = key_of[it.function.0 as usize];
                *sums.entry(format!("{} {}", names[&key], it.line)).or_default() += it.time;
            }
            sums
        };
        let expected = lines(&profile, thread, Target::Pprof);
        traces_with_lines += usize::from(!expected.is_empty());
        let back = there_and_back(&profile, thread, Target::Pprof);
        assert_eq!(lines(&back, &back.threads, Target::Pprof), expected, "{}", path.display());
        // That format only has counts.
        let to = Target::Cpuprofile;
        let back = there_and_back(&profile, thread, to);
        let (found, expected) = (lines(&back, &back.threads, to), lines(&profile, thread, to));
        match profile.format {
            "cpuprofile" => assert_eq!(found, expected, "{}", path.display()),
            _ => assert!(found.keys().eq(expected.keys()), "{}", path.display()),
        }
    }
    assert!(traces_with_lines > 3);
}

#[test]
fn v8_takes_no_sample_for_another() {
    // Frames: 0 a, 1 b, 2 (program), 3 (garbage collector). Each sample lasts a millisecond, some longer.
    let rows = [
        ("alone between two of a", "[0],[2],[0,1]", "1,2,1"),
        ("behind the collector", "[0],[0,3],[2],[0]", "1,1,1,1"),
        (
            "the collector on what ran before, and on what did not",
            "[0,1],[0,1,3],[0,3],[3],[3],[1]",
            "1,2,3,1,1,2",
        ),
        ("the collector on nothing", "[3],[0],[3],[2],[3],[0]", "1,1,1,1,1,1"),
        ("a long end", "[0],[1]", "1,7"),
        ("one sample", "[0,1]", "3"),
        ("idle", "[0],[],[0],[]", "1,2,1,2"),
    ];
    for (what, samples, weights) in rows {
        let text = format!(
            r#"{{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{{"frames":[{{"name":"a",
            "file":"a.js","line":1,"col":1}},{{"name":"b","file":"a.js","line":2,"col":1}},{{"name":"(program)"}},
            {{"name":"(garbage collector)"}}]}},"profiles":[{{"type":"sampled","name":"x","unit":"milliseconds",
            "startValue":0,"endValue":9,"samples":[{samples}],"weights":[{weights}]}}]}}"#
        );
        let profile = decode(&mut text.as_bytes(), "", &()).expect("a profile");
        let to = Target::Cpuprofile;
        let back = there_and_back(&profile, &profile.threads, to);
        let (mut found, expected) = (costs(&back, &back.threads, to), costs(&profile, &profile.threads, to));
        let added = back.threads[0].duration - profile.threads[0].duration;
        if let Some(idle) = found.off_stack.get_mut(&OffStack::Idle) {
            *idle -= added.0;
        }
        found.off_stack.retain(|_, time| *time > 0);
        same(&found, &expected, 0, what);
    }
}

#[test]
fn functions_of_one_definition_are_one_frame() {
    let text =
        "main a.js:1:1;work a.js:1:5;next a.js:1:9;work a.js:1:5;work a.js:1:5 3\nmain a.js:1:1;(idle) 2";
    let profile = decode(&mut text.as_bytes(), "", &()).expect("a profile");
    let new_name = |id: u32| {
        let position = Position { line: 2, column: Some(6) };
        let resource = "src/a.ts".to_owned();
        matches!(profile.name(FunctionId(id)), "work" | "next").then(|| NewName {
            name: "work".to_owned(),
            resource,
            position,
            keeps_lines: false,
        })
    };
    let new: Vec<_> = (0..profile.functions.len() as u32).map(new_name).collect();
    let mut written = Vec::new();
    let renamed = rename(&profile, &new);
    encode(&renamed, &renamed.threads, Target::Collapsed, &mut written).expect("a list of bytes takes all");
    let written = String::from_utf8(written).expect("text");
    assert_eq!(written, "main a.js:1:1;work src/a.ts:3:7;work src/a.ts:3:7 3\n(idle) 2\n");
}

#[test]
fn threads_are_what_the_format_has_for_them() {
    let text = r#"{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a;b"}]},
        "profiles":[{"type":"sampled","name":"main","unit":"milliseconds","samples":[[0]],"weights":[1]},
        {"type":"sampled","name":"","unit":"milliseconds","samples":[[0]],"weights":[2]}]}"#;
    let profile = decode(&mut text.as_bytes(), "", &()).expect("a profile");
    let mut written = Vec::new();
    encode(&profile, &profile.threads, Target::Collapsed, &mut written).expect("a list of bytes takes all");
    assert_eq!(String::from_utf8(written).expect("text"), "main;a:b 1000\nthread 2;a:b 2000\n");
    let back = there_and_back(&profile, &profile.threads, Target::Speedscope);
    let names: Vec<&str> = back.threads.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["main", "thread 2"]);
}

#[test]
fn gzipped_is_the_same() {
    let profile = read(&traces()[0]);
    for to in [Target::Cpuprofile, Target::Speedscope, Target::Pprof, Target::Collapsed] {
        let (mut plain, mut gzipped) = (Vec::new(), Vec::new());
        encode(&profile, &profile.threads[..1], to, &mut plain).expect("a list of bytes takes all");
        encode_gzipped(&profile, &profile.threads[..1], to, &mut gzipped).expect("a list of bytes takes all");
        let read = |bytes: &[u8]| {
            let back = decode(&mut &*bytes, "", &()).expect("a profile");
            costs(&back, &back.threads, to)
        };
        assert_eq!(read(&plain), read(&gzipped));
        assert!(gzipped.starts_with(&[0x1f, 0x8b]) && gzipped.len() < plain.len());
    }
}
