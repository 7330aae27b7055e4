//! What is written for other tools and read again is what was recorded: in OTLP each stack of each thread, with its times and labels; in
//! Firefox's profiles too, with markers; in speedscope's without any of these; in pprof, which has no threads of its own, the sums by stack.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use profile::decode::decode;
use profile::encode::{Target, encode};
use profile::model::{Function, FunctionKind, Marker, MarkerKind, Profile, StackId, Thread, Weight};
use profile::rename::rename;
use profile::scope::{LabelSum, Selection, Threads, label_sums};
use profile::tally::{LineCost, tally};

/// Every recorded trace of the repository.
fn traces() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/traces");
    let entries = |folder: &Path| {
        let entries = fs::read_dir(folder).expect("a folder of recorded traces");
        entries.map(|entry| entry.expect("an entry").path()).collect::<Vec<_>>()
    };
    let mut traces: Vec<PathBuf> = entries(&root).iter().flat_map(|it| entries(it)).collect();
    traces.retain(|it| it.extension().is_none_or(|it| it != "md"));
    traces.sort();
    traces
}

fn converted(profile: &Profile, to: Target) -> Profile {
    let threads: Vec<Thread> = profile.measured().cloned().collect();
    let mut bytes = Vec::new();
    encode(profile, &threads, to, &mut bytes).expect("a list of bytes takes all");
    decode(&mut &*bytes, "converted", &()).unwrap_or_else(|error| panic!("{error}"))
}

/// A function by all that the target has of it; native code has no place.
fn shown(profile: &Profile, function: &Function, with_columns: bool) -> String {
    let place = function.defined_at.filter(|_| function.kind == FunctionKind::Script);
    let place = place.map(|it| (it.line, it.column.filter(|_| with_columns)));
    let url = function.resource.map(|it| profile.strings.get(profile.resources[it.0 as usize]));
    format!("{} {url:?} {place:?}", profile.strings.get(function.name))
}

/// The time of each stack of a thread, and of what is on none.
fn costs(profile: &Profile, thread: &Thread, with_columns: bool) -> BTreeMap<String, (u64, u64)> {
    let mut sums: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let stack = |stack: StackId| {
        let path = std::iter::successors(Some(stack), |it| profile.stacks.caller(*it));
        let function = |it: StackId| &profile.functions[profile.stacks.function[it.0 as usize].0 as usize];
        path.map(|it| shown(profile, function(it), with_columns)).collect::<Vec<_>>().join("; ")
    };
    for sample in thread.sums().filter(|it| it.weight != Weight::default()) {
        let sum = sums.entry(sample.on.map_or_else(|why| format!("{why:?}"), stack)).or_default();
        *sum = (sum.0 + sample.weight.time.0, sum.1 + sample.weight.samples);
    }
    sums
}

fn labels(profile: &Profile) -> Vec<LabelSum> {
    label_sums(profile, &Selection::of(profile, &Threads::All).threads)
}

/// What is marked, by name and times.
fn markers(profile: &Profile) -> Vec<String> {
    let shown = |it: &Marker| {
        let kind = if it.kind == MarkerKind::Interaction { MarkerKind::Other } else { it.kind };
        format!("{} {kind:?} {} {}", profile.strings.get(it.name), it.start.0, it.duration.0)
    };
    profile.markers.iter().map(shown).collect()
}

#[test]
fn otlp_keeps_each_thread() {
    for path in traces() {
        let bytes = fs::read(&path).expect("a recorded trace");
        let before = decode(&mut &*bytes, "", &()).expect("a profile");
        let after = converted(&before, Target::Otlp);
        let place = path.display();
        let threads: Vec<&Thread> = before.measured().collect();
        assert_eq!((after.unit, after.threads.len()), (before.unit, threads.len()), "{place}");
        for (was, is) in threads.iter().zip(&after.threads) {
            assert_eq!((was.session, was.start, was.samples), (is.session, is.start, is.samples), "{place}");
            assert_eq!(costs(&before, was, true), costs(&after, is, true), "{place}");
            if was.start.is_some() {
                let times = |it: &Thread| it.in_order.with_times().map(|it| it.0).collect::<Vec<_>>();
                let mut sorted = times(was);
                sorted.sort_unstable();
                assert_eq!(sorted, times(is), "{place}");
            }
        }
        assert_eq!(labels(&before), labels(&after), "{place}");
        assert_eq!(before.recorded, after.recorded, "{place}");
        let shown = |profile: &Profile| Threads::Page.indices(profile).len();
        assert_eq!(shown(&before), shown(&after), "{place}: the same threads are shown");
    }
}

/// A process of which no stack is known ran something, too.
#[test]
fn otlp_keeps_a_process_without_scripts() {
    let process = |pid: u32, node: u32| {
        let (ids, root) = (
            format!(r#""id":"0x{pid}","pid":{pid},"tid":{pid}"#),
            r#"{"functionName":"(root)","scriptId":0}"#,
        );
        let work = r#"{"functionName":"work","scriptId":7,"url":"a.js","lineNumber":0,"columnNumber":5}"#;
        let nodes = format!(r#"{{"id":1,"callFrame":{root}}},{{"id":2,"parent":1,"callFrame":{work}}}"#);
        let data =
            format!(r#""cpuProfile":{{"nodes":[{nodes}],"samples":[{node},{node}]}},"timeDeltas":[100,100]"#);
        format!(
            r#"{{"name":"Profile","ph":"P",{ids},"ts":10,"args":{{"data":{{"startTime":1}}}}}},
            {{"name":"ProfileChunk","ph":"P",{ids},"ts":20,"args":{{"data":{{{data}}}}}}}"#
        )
    };
    let trace = format!("[{},{}]", process(1, 2), process(2, 99));
    let before = decode(&mut trace.as_bytes(), "", &()).expect("a profile");
    let after = converted(&before, Target::Otlp);
    let sums = |profile: &Profile| profile.measured().map(|it| it.all().0).collect::<Vec<_>>();
    assert_eq!((sums(&before), sums(&after)), (vec![200_000; 2], vec![200_000; 2]));
}

#[test]
fn pprof_keeps_the_sums_of_stacks() {
    for path in traces() {
        let bytes = fs::read(&path).expect("a recorded trace");
        let before = decode(&mut &*bytes, "", &()).expect("a profile");
        let after = converted(&before, Target::Pprof);
        let summed = |profile: &Profile| {
            let mut sums: BTreeMap<String, (u64, u64)> = BTreeMap::new();
            for (stack, cost) in profile.measured().flat_map(|it| costs(profile, it, false)) {
                let sum = sums.entry(stack).or_default();
                *sum = (sum.0 + cost.0, sum.1 + cost.1);
            }
            sums
        };
        assert_eq!(summed(&before), summed(&after), "{}", path.display());
        // The name of its thread is a label there.
        let others = labels(&after).into_iter().filter(|it| it.key != "thread").collect::<Vec<_>>();
        assert_eq!(labels(&before), others, "{}", path.display());
    }
}

/// Where samples say where they were; counts of places have no place in a list of samples.
#[test]
fn otlp_and_firefox_keep_lines() {
    let mut kept = 0;
    for path in traces() {
        let bytes = fs::read(&path).expect("a recorded trace");
        let before = decode(&mut &*bytes, "", &()).expect("a profile");
        if before.threads.iter().any(|it| !it.ticks.is_empty()) {
            continue;
        }
        let lines = |profile: &Profile| {
            let keys: Vec<u32> = (0..profile.functions.len() as u32).collect();
            let lines = tally(&Selection::of(profile, &Threads::All), &keys, keys.len() as u32).lines;
            let mut sums: BTreeMap<String, u64> = BTreeMap::new();
            for LineCost { function, line, column, time, .. } in lines {
                *sums.entry(format!("{} {line}:{column:?}", profile.name(function))).or_default() += time.0;
            }
            sums
        };
        kept += lines(&before).len();
        for to in [Target::Otlp, Target::Firefox] {
            assert_eq!(lines(&before), lines(&converted(&before, to)), "{to:?} {}", path.display());
        }
    }
    assert!(kept > 100, "{kept} lines");
}

/// The same, of a target with a row for each sample and one axis for all sessions. A gap in a recording has time and no sample; there it
/// is a row like any other.
fn keeps_threads(to: Target, keeps_times: bool) {
    for path in traces() {
        let bytes = fs::read(&path).expect("a recorded trace");
        let before = decode(&mut &*bytes, "", &()).expect("a profile");
        let after = converted(&before, to);
        let place = path.display();
        let threads: Vec<&Thread> = before.measured().collect();
        assert_eq!((after.unit, after.threads.len()), (before.unit, threads.len()), "{place}");
        for (was, is) in threads.iter().zip(&after.threads) {
            assert!(was.name.is_empty() || was.name == is.name, "{place}: {} is now {}", was.name, is.name);
            let costs = |profile: &Profile, thread: &Thread| {
                let mut costs = costs(profile, thread, true);
                costs.entry("Unsampled".to_owned()).or_default().1 = 0;
                costs
            };
            assert_eq!(costs(&before, was), costs(&after, is), "{place}");
            if was.start.is_some() && keeps_times {
                let times = |it: &Thread| it.in_order.with_times().map(|it| it.0).collect::<Vec<_>>();
                assert_eq!((was.start, times(was)), (is.start, times(is)), "{place}");
            }
        }
        if keeps_times {
            assert_eq!((labels(&before), markers(&before)), (labels(&after), markers(&after)), "{place}");
            let recorded = [&before, &after]
                .map(|it| it.recorded.map(|it| it.duration_since(UNIX_EPOCH).expect("a date").as_nanos()));
            // Milliseconds since 1970 leave a number of JavaScript a quarter of a microsecond.
            let [was, is] = recorded.map(|nanos| nanos.unwrap_or_default());
            assert_eq!(recorded[0].is_some(), recorded[1].is_some(), "{place}");
            assert!(was.abs_diff(is) < 1_000, "{place}: recorded at {was}, and now at {is}");
            let shown = |profile: &Profile| Threads::Page.indices(profile).len();
            assert_eq!(shown(&before), shown(&after), "{place}: the same threads are shown");
        }
    }
}

/// Names change; when samples were taken, under which labels, and what is marked do not.
#[test]
fn renaming_keeps_samples_and_markers() {
    for path in traces() {
        let bytes = fs::read(&path).expect("a recorded trace");
        let before = decode(&mut &*bytes, "", &()).expect("a profile");
        let after = rename(&before, &[]);
        let place = path.display();
        for (was, is) in before.threads.iter().zip(&after.threads) {
            assert_eq!(costs(&before, was, true), costs(&after, is, true), "{place}");
            let times = |it: &Thread| it.in_order.with_times().map(|it| it.0).collect::<Vec<_>>();
            assert_eq!((was.start, times(was)), (is.start, times(is)), "{place}");
        }
        assert_eq!((labels(&before), markers(&before)), (labels(&after), markers(&after)), "{place}");
        assert_eq!((before.unit, before.recorded), (after.unit, after.recorded), "{place}");
    }
}

#[test]
fn firefox_keeps_each_thread() {
    keeps_threads(Target::Firefox, true);
}

#[test]
fn speedscope_keeps_each_thread() {
    keeps_threads(Target::Speedscope, false);
}
