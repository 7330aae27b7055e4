//! Tiny profiles drawn as words, their costs, and the laws that hold for any profile.

use std::collections::BTreeMap;

use super::*;
use crate::builder::ProfileBuilder;
use crate::model::{
    Amount, Function, FunctionId, FunctionKind, OffStack, PlaceTable, PlaceTicks, Profile, SeenPlace, Stacks,
    StringId,
};
use crate::scope::Threads;

/// A profile of stacks drawn as words, the root first. Each letter is a function, and each word a sample of 1 ms. Upper
/// and lower case of a letter are two functions with the same key.
fn drawn(stacks: &[&str]) -> (Profile, Vec<u32>) {
    let mut profile = Profile::default();
    let mut known: FxHashMap<String, StackId> = FxHashMap::default();
    let mut on_stack: BTreeMap<StackId, Weight> = BTreeMap::new();
    let letter = |it: u8| FunctionId(u32::from(it - b'A'));
    for word in stacks {
        let mut caller = None;
        for end in 1..=word.len() {
            let next = StackId(profile.stacks.function.len() as u32);
            let stack = *known.entry(word[..end].to_string()).or_insert(next);
            if stack == next {
                profile.stacks.push(caller, letter(word.as_bytes()[end - 1]));
            }
            caller = Some(stack);
        }
        if let Some(stack) = caller {
            *on_stack.entry(stack).or_default() += Weight { time: Amount(1_000_000), samples: 1 };
        }
    }
    let function = Function {
        name: StringId(0),
        resource: None,
        defined_at: None,
        kind: FunctionKind::Script,
        made_by: None,
    };
    profile.functions = vec![function; 64];
    profile.threads = vec![Thread { on_stack: on_stack.into_iter().collect(), ..Thread::default() }];
    let keys =
        (b'A'..b'A' + 64).map(|it| u32::from(it.to_ascii_lowercase().saturating_sub(b'a')) % 26).collect();
    (profile, keys)
}

fn tallied(stacks: &[&str]) -> Tally {
    let (profile, keys) = drawn(stacks);
    tally(&Selection::of(&profile, &Threads::All), &keys, 26)
}

/// `a self 1 total 3 callers -:2 b:1 callees b:2` for every key that cost anything, in milliseconds.
fn shown(tally: &Tally) -> Vec<String> {
    let letter = |key: u32| char::from(b'a' + key as u8);
    let calls = |calls: &[Call]| {
        let call = |it: &Call| format!(" {}:{}", it.other.map_or('-', letter), it.weight.time.0 / 1_000_000);
        calls.iter().map(call).collect::<String>()
    };
    let line = |key: usize| {
        let cost = tally.costs[key];
        let (own, all) = (cost.self_samples, cost.total_samples);
        let (callers, callees) = (calls(&tally.callers[key]), calls(&tally.callees[key]));
        format!("{} self {own} total {all} callers{callers} callees{callees}", letter(key as u32))
    };
    (0..26).filter(|&it| tally.costs[it] != Cost::default()).map(line).collect()
}

#[test]
fn groups_cost_what_the_tally_says() {
    let stacks = ["a", "ab", "aba", "abab", "bA", "cabC", "d", "dada", "aaa"];
    let (mut profile, keys) = drawn(&stacks);
    let on_stack: Vec<(StackId, Weight)> = profile.threads[0].on_stack.iter().collect();
    let (one, other) = on_stack.split_at(4);
    let thread = |on_stack: &[(StackId, Weight)]| Thread {
        on_stack: on_stack.iter().copied().collect(),
        ..Thread::default()
    };
    profile.threads = vec![thread(one), thread(other), thread(&on_stack)];
    let selection = Selection::of(&profile, &Threads::All);
    // Each letter as a key, and pairs of letters.
    let pairs: Vec<u32> = keys.iter().map(|it| it / 2).collect();
    let groups = [keys, pairs].map(|of_function| Groups { of_function, number: 26 });
    let expected = groups.each_ref().map(|it| tally(&selection, &it.of_function, 26).costs);
    assert_eq!(group_costs(&selection, &groups), expected);
}

#[test]
fn drawings() {
    let rows: [(&[&str], &[&str]); 6] = [
        (
            &["a", "ab", "ab", "ac"],
            &[
                "a self 1 total 4 callers -:4 callees b:2 c:1",
                "b self 2 total 2 callers a:2 callees",
                "c self 1 total 1 callers a:1 callees",
            ],
        ),
        // Direct recursion counts once and is not a call of another function.
        (
            &["aaa", "aaab"],
            &["a self 1 total 2 callers -:2 callees b:1", "b self 1 total 1 callers a:1 callees"],
        ),
        // Mutual recursion: callers at the outermost, callees at the innermost occurrence.
        (
            &["aba", "abab"],
            &["a self 1 total 2 callers -:2 callees b:1", "b self 1 total 2 callers a:2 callees a:1"],
        ),
        (
            &["abac"],
            &[
                "a self 0 total 1 callers -:1 callees c:1",
                "b self 0 total 1 callers a:1 callees a:1",
                "c self 1 total 1 callers a:1 callees",
            ],
        ),
        // Two functions of one definition on top of each other (a lowered async function) are a single occurrence.
        (
            &["aBbc", "aBb"],
            &[
                "a self 0 total 2 callers -:2 callees b:2",
                "b self 1 total 2 callers a:2 callees c:1",
                "c self 1 total 1 callers b:1 callees",
            ],
        ),
        (&["a", "b"], &["a self 1 total 1 callers -:1 callees", "b self 1 total 1 callers -:1 callees"]),
    ];
    for (stacks, expected) in rows {
        assert_eq!(shown(&tallied(stacks)), expected, "{stacks:?}");
    }
}

/// The laws of docs/formats.md hold for any stacks.
#[test]
fn laws() {
    let mut seed = 1u32;
    let mut random = |below: u32| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 16) % below
    };
    for _ in 0..200 {
        let words: Vec<String> = (0..1 + random(20))
            .map(|_| (0..1 + random(9)).map(|_| char::from(b'a' + random(4) as u8)).collect())
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let tally = tallied(&words);
        let sum = |calls: &[Call]| calls.iter().map(|it| it.weight.time).sum::<Amount>();
        let whole = Amount(1_000_000 * words.len() as u64);
        assert_eq!(tally.costs.iter().map(|it| it.self_time).sum::<Amount>(), whole, "{words:?}");
        for (key, cost) in tally.costs.iter().enumerate() {
            assert!(cost.self_time <= cost.total_time && cost.total_time <= whole, "{words:?}");
            assert_eq!(sum(&tally.callers[key]), cost.total_time, "callers of {key} in {words:?}");
            assert_eq!(
                sum(&tally.callees[key]) + cost.self_time,
                cost.total_time,
                "callees of {key} in {words:?}"
            );
        }
    }
}

#[test]
fn a_stack_of_100_000_frames() {
    let deep = "ab".repeat(50_000);
    let mut profile = drawn(&["ab"]).0;
    let count = deep.len() as u32;
    profile.stacks = Stacks::of(
        deep.bytes().map(|it| FunctionId(u32::from(it - b'A'))).collect(),
        (0..count).map(|it| it.checked_sub(1).map(StackId)),
    );
    let deepest = (StackId(count - 1), Weight { time: Amount(1_000_000), samples: 1 });
    profile.threads[0].on_stack = [deepest].into_iter().collect();
    let keys = drawn(&[]).1;
    assert_eq!(
        shown(&tally(&Selection::of(&profile, &Threads::All), &keys, 26)),
        ["a self 0 total 1 callers -:1 callees b:1", "b self 1 total 1 callers a:1 callees"]
    );
}

/// Lines with their times in nanoseconds: `a 4 333333`. Ticks are stack, line, column and number.
fn lines_of(profile: &mut Profile, ticks: &[(u32, u32, Option<u32>, u32)]) -> Vec<String> {
    let mut places = PlaceTable::default();
    let ticks = ticks.iter().map(|&(stack, line, column, ticks)| {
        let (stack, line) = (StackId(stack), Some(line));
        let function = profile.stacks.function[stack.0 as usize];
        let place = places.id(SeenPlace { function, line, column, caller: None }).expect("a line");
        PlaceTicks { stack, place, ticks }
    });
    profile.threads[0].ticks = ticks.collect();
    let same: Vec<FunctionId> = (0..64).map(FunctionId).collect();
    profile.places = places.finish(same.len(), &same);
    let lines = tally(&Selection::of(profile, &Threads::All), &drawn(&[]).1, 26).lines;
    let name = |it: &LineCost| char::from(b'A' + it.function.0 as u8);
    let place =
        |it: &LineCost| it.column.map_or(format!("{}", it.line), |column| format!("{}:{column}", it.line));
    lines.iter().map(|it| format!("{} {} {}", name(it), place(it), it.time.0)).collect()
}

#[test]
fn lines_share_the_own_time_of_their_stack() {
    let (mut profile, _) = drawn(&["a", "ab"]);
    let lines = lines_of(&mut profile, &[(0, 3, None, 1), (0, 5, None, 2), (1, 9, None, 4)]);
    assert_eq!(lines, ["a 3 333333", "a 5 666667", "b 9 1000000"]);
    // A line costs the same whether its columns are known or not.
    let ticks = [(0, 3, Some(1), 1), (0, 3, Some(8), 1), (0, 5, Some(2), 4)];
    assert_eq!(lines_of(&mut profile, &ticks), ["a 3:1 166666", "a 3:8 166667", "a 5:2 666667"]);
}

/// DevTools (`LineLevelProfile.ts`): a tick of a `.cpuprofile` is worth the duration of the profile divided by the number of its hits.
#[test]
fn lines_are_those_of_devtools() {
    let devtools = |profile: &Profile, ticks: u32| {
        let thread = &profile.threads[0];
        let hits: u64 = thread.sums().map(|it| it.weight.samples).sum();
        thread.all().0 / hits * u64::from(ticks)
    };
    let (mut profile, _) = drawn(&["a", "a", "a", "ab"]);
    assert_eq!([1, 2].map(|it| devtools(&profile, it)), [1_000_000, 2_000_000]);
    let ticks = [(0, 3, None, 1), (0, 5, None, 2), (1, 9, None, 1)];
    assert_eq!(lines_of(&mut profile, &ticks), ["a 3 1000000", "a 5 2000000", "b 9 1000000"]);
    // At uneven distances, theirs are 2 ms, 4 ms and 2 ms, although b ran for 5 ms.
    let mut on_stack: Vec<(StackId, Weight)> = profile.threads[0].on_stack.iter().collect();
    on_stack[1].1.time = Amount(5_000_000);
    profile.threads[0].on_stack = on_stack.into_iter().collect();
    assert_eq!([1, 2].map(|it| devtools(&profile, it)), [2_000_000, 4_000_000]);
    assert_eq!(lines_of(&mut profile, &ticks), ["a 3 1000000", "a 5 2000000", "b 9 5000000"]);
}

#[test]
fn a_function_is_in_a_session_or_it_is_not() {
    let (mut profile, keys) = drawn(&["a", "ab", "aba", "c", "cb"]);
    let thread = |session, stacks: &[u32]| Thread {
        session,
        on_stack: stacks
            .iter()
            .map(|&it| (StackId(it), Weight { time: Amount(1), samples: 1 }))
            .chain([(StackId(3), Weight::default())])
            .collect(),
        ..Thread::default()
    };
    // Two threads in the first session, no time in the last one.
    profile.threads = vec![thread(0, &[0, 2]), thread(0, &[1]), thread(1, &[4]), thread(2, &[])];
    let sessions =
        |threads: &[Thread]| tally(&Selection::sum(&profile, threads), &keys, 26).sessions[..4].to_vec();
    assert_eq!(sessions(&profile.threads), [1, 2, 1, 0]);
    assert_eq!(sessions(&profile.threads[2..]), [0, 1, 1, 0]);
    assert_eq!(sessions(&[]), [0; 4]);
}

#[test]
fn a_run_is_a_stretch_of_samples_with_a_function() {
    let words = ["a", "ab", "ab", "aba", "-", "b", "cb", "cb", "-", "c", "ca"];
    let mut builder = ProfileBuilder::new("drawing");
    builder.thread_starts_at(0);
    for word in words {
        let weight = Weight { time: Amount(1_000_000), samples: 1 };
        let stack = word.chars().filter(|&it| it != '-').fold(None, |stack, letter| {
            let name = builder.string(&letter.to_string());
            let function = builder.function(name, None, None);
            Some(builder.stack(stack, function))
        });
        builder.add_sample(stack.ok_or(OffStack::Idle), weight);
    }
    builder.end_thread(Thread::default());
    builder.end_session(0);
    let profile = builder.finish();
    let keys: Vec<u32> = (0..profile.functions.len() as u32).collect();
    let stretches = stretches(&Selection::of(&profile, &Threads::All), &keys, &keys).unwrap();
    let of = |name: &str| stretches[(0..).find(|&it| profile.name(FunctionId(it)) == name).unwrap() as usize];
    // Of `a`: 0..=3 and 10; on top 0, 3 and 10. Of `b`: 1..=3 and 5..=7; on top 1..=2 and 5..=7. Of `c`: 6..=7 and 9..=10.
    assert_eq!([of("a").total, of("b").total, of("c").total], [2, 2, 2]);
    assert_eq!([of("a").own, of("b").own, of("c").own], [3, 2, 1]);
}
