//! Every recorded trace of the repository, by its name and without one, whole and in pieces.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use profile::decode::decode;
use profile::model::{Amount, Profile, Sample, StackId, StackTimes, Thread, Weight};
use profile::scope::{Direction, Labels, Selection, Threads, Transform, Windows, label_sums, path_node};
use profile::tally::{Call, Cost, LineCost, Stretches, Tally, stretches, tally};

/// Every recorded trace with the name of its format, which is that of its folder.
fn traces() -> Vec<(String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut traces = vec![
        ("self-profiling".to_owned(), root.join("examples/primes/recordings/self-profiling.json")),
        ("cpuprofile".to_owned(), root.join("examples/primes/primes.cpuprofile")),
    ];
    let entries = |folder: &Path| {
        let entries = fs::read_dir(folder).expect("a folder of recorded traces");
        entries.map(|entry| entry.expect("an entry").path()).collect::<Vec<_>>()
    };
    for folder in entries(&root.join("tests/traces")) {
        let format = folder.file_name().and_then(|it| it.to_str()).expect("the name of a format").to_owned();
        let paths = entries(&folder).into_iter().filter(|path| path.extension().is_none_or(|it| it != "md"));
        traces.extend(paths.map(|path| (format.clone(), path)));
    }
    traces.sort();
    traces
}

/// Everything there is to know, as text: two profiles with the same text are the same.
fn all_of(profile: &Profile) -> String {
    let Profile { format, resources, functions, stacks, threads, places, known_places, problems, .. } =
        profile;
    let names: Vec<&str> = functions.iter().map(|it| profile.strings.get(it.name)).collect();
    let urls: Vec<&str> = resources.iter().map(|&it| profile.strings.get(it)).collect();
    format!(
        "{format} {names:?} {urls:?} {functions:?} {stacks:?} {threads:?} {places:?} {known_places:?} {}",
        problems.len()
    )
}

#[test]
fn a_trace_is_the_same_however_it_arrives() {
    for (format, path) in traces() {
        let bytes = fs::read(&path).expect("a recorded trace");
        let name = path.file_name().expect("a file").to_string_lossy();
        let by_name =
            decode(&mut &*bytes, &name, &()).unwrap_or_else(|error| panic!("{}", error.problem(&name)));
        assert_eq!(by_name.format, format, "{name}");
        for piece in [1000, 37] {
            let nameless = decode(&mut Pieces(&bytes, piece), "", &()).expect("it was read before");
            assert_eq!(all_of(&nameless), all_of(&by_name), "{name} in pieces of {piece}");
        }
    }
}

#[test]
fn the_laws_hold_for_recorded_traces() {
    for (_, path) in traces() {
        let bytes = fs::read(&path).expect("a recorded trace");
        let profile = decode(&mut &*bytes, "", &()).expect("a profile");
        let place = path.display();
        for (stack, caller) in profile.stacks.callers().enumerate() {
            assert!(caller.is_none_or(|caller| (caller.0 as usize) < stack), "{place}: callers come first");
        }
        // By function, and by its resource: a key for any purpose.
        let by_function: Vec<u32> = (0..profile.functions.len() as u32).collect();
        let by_resource: Vec<u32> =
            profile.functions.iter().map(|it| it.resource.map_or(0, |it| it.0 + 1)).collect();
        for (key_of, keys) in
            [(by_function, profile.functions.len()), (by_resource, profile.resources.len() + 1)]
        {
            let all = tally(&Selection::sum(&profile, &profile.threads), &key_of, keys as u32);
            let mut sum = vec![Cost::default(); keys];
            let mut on_stack = Amount(0);
            for thread in &profile.threads {
                let one = tally(&Selection::sum(&profile, [thread]), &key_of, keys as u32);
                for (sum, cost) in sum.iter_mut().zip(&one.costs) {
                    *sum += *cost;
                }
                let off_stack: Amount = thread.off_stack.values().map(|it| it.time).sum();
                let own: Amount = one.costs.iter().map(|it| it.self_time).sum();
                assert_eq!(own + off_stack, thread.duration, "{place}: no time is lost");
                on_stack += own;
            }
            assert_eq!(all.costs, sum, "{place}: tallies add up");
            let every_one = Threads::These((0..profile.threads.len()).collect());
            let mut by_role = tally(&Selection::of(&profile, &every_one), &key_of, keys as u32);
            let mut sum = vec![Cost::default(); keys];
            for (key, cost) in std::mem::take(&mut by_role.by_role).into_iter().flatten() {
                sum[key as usize] += cost;
            }
            assert_eq!(all.costs, sum, "{place}: roles add up");
            let all = Tally { by_role: Vec::new(), squares: by_role.squares.clone(), ..all };
            assert_eq!(all, by_role, "{place}: costs do not depend on roles");
            for (key, cost) in all.costs.iter().enumerate() {
                let time = |calls: &[Call]| calls.iter().map(|it| it.weight.time).sum::<Amount>();
                assert_eq!(time(&all.callers[key]), cost.total_time, "{place}");
                assert_eq!(time(&all.callees[key]) + cost.self_time, cost.total_time, "{place}");
                assert!(cost.total_time <= on_stack, "{place}");
            }
        }
    }
}

/// Stretches as their definition says: what is on the stack of a sample and not on that of the one before.
fn stretches_by_sets(selection: &Selection<'_>, key_of: &[u32], keys: usize) -> Vec<Stretches> {
    let mut counted = vec![Stretches::default(); keys];
    for thread in &selection.threads {
        let (mut before, mut own_before) = (BTreeSet::new(), None);
        for Sample { on, weight } in thread.in_order.iter() {
            let stack = on.ok().filter(|_| weight.samples > 0);
            let function = |it: StackId| selection.stacks.function[it.0 as usize];
            let own = stack.map(|it| key_of[function(it).0 as usize]);
            if let Some(key) = own.filter(|_| own != own_before) {
                counted[key as usize].own += 1;
            }
            own_before = own;
            if stack.is_some_and(|it| Some(function(it)) == selection.collector) {
                continue;
            }
            let frames = std::iter::successors(stack, |&it| selection.stacks.caller(it));
            let now: BTreeSet<u32> = frames.map(|it| key_of[function(it).0 as usize]).collect();
            now.difference(&before).for_each(|&key| counted[key as usize].total += 1);
            before = now;
        }
    }
    counted
}

#[test]
fn stretches_are_those_of_their_definition() {
    let mut without_an_order = BTreeSet::new();
    for (format, path) in traces() {
        let bytes = fs::read(&path).expect("a recorded trace");
        let profile = decode(&mut &*bytes, "", &()).expect("a profile");
        let by_function: Vec<u32> = (0..profile.functions.len() as u32).collect();
        let by_resource: Vec<u32> =
            profile.functions.iter().map(|it| it.resource.map_or(0, |it| it.0 + 1)).collect();
        let selection = Selection::of(&profile, &Threads::All);
        for (key_of, keys) in
            [(by_function, profile.functions.len()), (by_resource, profile.resources.len() + 1)]
        {
            let all: Vec<u32> = (0..keys as u32).collect();
            let Some(counted) = stretches(&selection, &key_of, &all) else {
                without_an_order.insert(format.clone());
                continue;
            };
            assert_eq!(counted, stretches_by_sets(&selection, &key_of, keys), "{}", path.display());
            // A key has as many, whichever others are counted with it.
            let some: Vec<u32> = all.iter().copied().rev().step_by(3).collect();
            let alone = stretches(&selection, &key_of, &some).expect("the same samples");
            let expected: Vec<Stretches> = some.iter().map(|&key| counted[key as usize]).collect();
            assert_eq!(alone, expected, "{}", path.display());
        }
    }
    assert_eq!(Vec::from_iter(without_an_order), ["collapsed", "heapprofile", "pprof", "slice"]);
}

#[test]
fn samples_in_order_are_the_same_time() {
    for (_, path) in traces() {
        let bytes = fs::read(&path).expect("a recorded trace");
        let profile = decode(&mut &*bytes, "", &()).expect("a profile");
        for thread in &profile.threads {
            let (mut on_stack, mut off_stack) = (BTreeMap::new(), BTreeMap::new());
            for Sample { on, weight } in thread.in_order.iter() {
                match on {
                    Ok(stack) => *on_stack.entry(stack).or_insert(Weight::default()) += weight,
                    Err(why) => *off_stack.entry(why).or_insert(Weight::default()) += weight,
                }
            }
            assert_eq!(StackTimes::from_iter(on_stack), thread.on_stack, "{}", path.display());
            assert_eq!(off_stack, thread.off_stack, "{}", path.display());
        }
    }
}

/// Windows that split the axis add up to all of it, wherever they are cut; a profile without an axis says so.
#[test]
fn windows_add_up() {
    let mut timeless = BTreeSet::new();
    for (format, path) in traces() {
        let bytes = fs::read(&path).expect("a recorded trace");
        let profile = decode(&mut &*bytes, "", &()).expect("a profile");
        let place = path.display();
        let between = |from: u64, to: u64| Windows::between(&profile, "t", Amount(from), Amount(to));
        if let Err(problem) = between(0, 1) {
            assert!(problem.what.contains(&format!("t ({format}) does not say when")), "{problem}");
            timeless.insert(format);
            continue;
        }
        let everything = Selection::of(&profile, &Threads::All);
        let end = everything.threads.iter().map(|it| (it.start.expect("a start") + it.duration).0).max();
        let end = end.expect("a thread");
        // At samples, between them, and long after the end.
        let mut cuts: Vec<u64> = (0..7).map(|it| end / 7 * it).collect();
        let taken = everything.threads[0].in_order.with_times().map(|it| it.0.unsigned_abs());
        cuts.extend(taken.step_by(5).take(20));
        cuts.extend([end * 2, u64::MAX]);
        cuts.sort_unstable();
        cuts.dedup();
        let window = |cut: &[u64]| between(cut[0], cut[1]).expect("an axis");
        let parts = cuts.windows(2).flat_map(|it| everything.clone().within(&window(it)).threads);
        let parts: Vec<Thread> = parts.map(Cow::into_owned).collect();
        for whole in &everything.threads {
            let (mut on_stack, mut off_stack) = (BTreeMap::new(), BTreeMap::new());
            let (mut samples, mut duration) = (0, Amount(0));
            let id = |it: &Thread| (it.name.clone(), it.session, it.process);
            for part in parts.iter().filter(|it| id(it) == id(whole)) {
                samples += part.samples;
                duration += part.duration;
                for (stack, weight) in &part.on_stack {
                    *on_stack.entry(stack).or_insert(Weight::default()) += weight;
                }
                for (&why, &weight) in &part.off_stack {
                    *off_stack.entry(why).or_insert(Weight::default()) += weight;
                }
                let in_order: Amount = part.in_order.iter().map(|it| it.weight.time).sum();
                assert_eq!(in_order, part.duration, "{place}");
            }
            assert_eq!((samples, duration), (whole.samples, whole.duration), "{place}");
            assert_eq!(StackTimes::from_iter(on_stack), whole.on_stack, "{place}");
            assert_eq!(off_stack, whole.off_stack, "{place}");
        }
    }
    assert_eq!(Vec::from_iter(timeless), ["collapsed", "heapprofile", "pprof", "slice"]);
}

/// What is left of a path is what flows through it, to the nanosecond; checked along the hottest paths of each trace.
#[test]
fn paths_keep_what_flows_through_them() {
    for (_, path) in traces() {
        let bytes = fs::read(&path).expect("a recorded trace");
        let profile = decode(&mut &*bytes, "", &()).expect("a profile");
        let key_of: Vec<u32> = (0..profile.functions.len() as u32).collect();
        let everything = || Selection::of(&profile, &Threads::All);
        let costs = tally(&everything(), &key_of, key_of.len() as u32).costs;
        let mut roots = key_of.clone();
        roots.sort_by_key(|&it| Reverse(costs[it as usize].total_time));
        for (&root, direction) in
            roots.iter().take(3).flat_map(|it| [(it, Direction::Callers), (it, Direction::Callees)])
        {
            let mut keys: Vec<u32> = Vec::new();
            loop {
                let node = path_node(&everything(), &key_of, root, direction, &keys);
                let transform =
                    Transform::Path { direction, key_of: key_of.clone(), root, path: keys.clone() };
                let left = everything().transformed(&transform);
                let mut kept = Weight::default();
                left.threads.iter().flat_map(|it| &it.on_stack).for_each(|it| kept += it.1);
                let place = format!("{} {root} {direction:?} {keys:?}", path.display());
                assert_eq!(kept, node.all, "{place}");
                let end = *keys.last().unwrap_or(&root);
                let cost = tally(&left, &key_of, key_of.len() as u32).costs[end as usize];
                let ends = if direction == Direction::Callees { node.own } else { node.all };
                assert_eq!(cost.total_time, node.all.time, "{place}");
                // It may be called again further up.
                assert!(cost.self_time >= ends.time, "{place}");
                match node.children.first().filter(|_| keys.len() < 8) {
                    Some(child) => keys.push(child.0),
                    None => break,
                }
            }
        }
    }
}

/// What the places of each function cost it.
fn lines_of(profile: &Profile, selection: &Selection<'_>) -> BTreeMap<String, Amount> {
    let keys: Vec<u32> = (0..profile.functions.len() as u32).collect();
    let lines = tally(selection, &keys, keys.len() as u32).lines;
    let place = |it: &LineCost| format!("{:?} {}:{:?}", it.function, it.line, it.column);
    lines.iter().map(|it| (place(it), it.time)).collect()
}

/// Lines have no more than the self time of their functions; those of threads add up to those of all, and so do those of windows.
/// If a format has only counts, each window rounds its shares to whole nanoseconds.
#[test]
fn lines_add_up() {
    let mut with_lines = BTreeMap::new();
    for (format, path) in traces() {
        let bytes = fs::read(&path).expect("a recorded trace");
        let profile = decode(&mut &*bytes, "", &()).expect("a profile");
        let place = path.display();
        let everything = Selection::of(&profile, &Threads::All);
        let whole = lines_of(&profile, &everything);
        if whole.is_empty() {
            continue;
        }
        let added = |parts: Vec<Selection<'_>>| {
            let mut sums: BTreeMap<String, Amount> = BTreeMap::new();
            for (line, time) in parts.iter().flat_map(|it| lines_of(&profile, it)) {
                *sums.entry(line).or_default() += time;
            }
            sums
        };
        let threads = everything.threads.iter().map(|it| Selection::sum(&profile, [&**it]));
        assert_eq!(added(threads.collect()), whole, "{place}");
        let is_counted = everything.threads.iter().any(|it| !it.ticks.is_empty());
        *with_lines.entry(format).or_insert(is_counted) |= is_counted;
        let end = everything.threads.iter().filter_map(|it| Some((it.start? + it.duration).0)).max();
        let Some(end) = end else { continue };
        let mut cuts: Vec<u64> = (0..7).map(|it| end / 7 * it).collect();
        cuts.push(u64::MAX);
        let window = |cut: &[u64]| Windows::between(&profile, "t", Amount(cut[0]), Amount(cut[1]));
        let windows = cuts.windows(2).map(|it| everything.clone().within(&window(it).expect("an axis")));
        let windows = added(windows.collect());
        if !is_counted {
            assert_eq!(windows, whole, "{place}");
            continue;
        }
        for (line, time) in &whole {
            let sum = windows.get(line).copied().unwrap_or_default();
            // Counts cover the whole recording: what ran on a line in one window may be attributed to another.
            assert!(sum > Amount(0) || *time < Amount(1000), "{place}: {line} {time:?} {sum:?}");
        }
        let all = |it: &BTreeMap<String, Amount>| it.values().copied().sum::<Amount>();
        assert_eq!(all(&windows), all(&whole), "{place}");
    }
    let expected = [
        ("chrome-trace", false),
        ("cpuprofile", true),
        ("firefox", false),
        ("otlp", false),
        ("pprof", false),
        ("safari", false),
    ];
    assert_eq!(with_lines, expected.map(|it| (it.0.to_owned(), it.1)).into());
}

struct Pieces<'b>(&'b [u8], usize);

impl Read for Pieces<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = into.len().min(self.1);
        self.0.read(&mut into[..length])
    }
}

/// The samples with a label and those with another value or without it add up to all; so do those of each window.
#[test]
fn labels_add_up() {
    let mut labelled = BTreeSet::new();
    for (format, path) in traces() {
        let bytes = fs::read(&path).expect("a recorded trace");
        let profile = decode(&mut &*bytes, "", &()).expect("a profile");
        let everything = Selection::of(&profile, &Threads::All);
        let sums = label_sums(&profile, &everything.threads);
        for of_key in sums.chunk_by(|a, b| a.key == b.key) {
            labelled.insert(format!("{format} {}", of_key[0].key));
            let mut added: BTreeMap<String, Amount> = BTreeMap::new();
            for sum in of_key {
                let label = Labels::of(&profile, "t", &[sum.name().expect("a label")]).expect("a label");
                let part = everything.clone().labelled(&label);
                let whole: Amount = part.threads.iter().map(|it| it.all()).sum();
                assert_eq!(whole, sum.weight.time, "{sum:?}");
                for (line, time) in lines_of(&profile, &part) {
                    *added.entry(line).or_default() += time;
                }
            }
            let whole: Amount = everything.threads.iter().map(|it| it.all()).sum();
            assert_eq!(of_key.iter().map(|it| it.weight.time).sum::<Amount>(), whole, "{}", path.display());
            assert_eq!(added, lines_of(&profile, &everything), "{}", path.display());
        }
    }
    let of_otlp = ["cpu.logical_number", "process.context.label.endpoint", "span_id", "trace_id"];
    assert_eq!(Vec::from_iter(labelled), of_otlp.map(|it| format!("otlp {it}")));
}
