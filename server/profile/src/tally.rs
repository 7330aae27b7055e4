//! Self and total time of any key, and who called whom: one walk over the stacks, linear in their number.
//!
//! A key is whatever the caller says a function counts for: a definition, a package, the function itself. In
//! `total` a key counts once a stack, however deep the recursion, so no total exceeds the whole.

use rustc_hash::FxHashMap;

use crate::{Nanos, Profile, Spent, Thread};

/// What a key cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Time in which it ran on top of the stack.
    pub self_time: Nanos,
    /// Time in which it was on the stack at all.
    pub total_time: Nanos,
    /// Number of samples behind the self time.
    pub self_samples: u64,
    /// Number of samples behind the total time.
    pub total_samples: u64,
}

/// The other end of a key's calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Its key; `None` for the entry: a stack that begins with the key.
    pub other: Option<u32>,
    /// What was spent through it.
    pub spent: Spent,
}

/// Own time of a key on one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineCost {
    /// The key.
    pub key: u32,
    /// 0-based line of its script.
    pub line: u32,
    /// A part of its self time.
    pub time: Nanos,
}

/// The costs of all keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// By key.
    pub costs: Vec<Cost>,
    /// By key: who called it, the hottest first. Counted at the outermost occurrence, so that they add up to its
    /// total.
    pub callers: Vec<Vec<Call>>,
    /// By key: what it called, the hottest first. Counted at the innermost occurrence, so that with its self time
    /// they add up to its total.
    pub callees: Vec<Vec<Call>>,
    /// By key and line, where the trace has lines.
    pub lines: Vec<LineCost>,
}

/// Adds up threads of a profile. `key_of` holds each function's key, all below `keys`.
pub fn tally(profile: &Profile, threads: &[Thread], key_of: &[u32], keys: u32) -> Tally {
    let mut all = vec![Spent::default(); profile.stacks.function.len()];
    let mut costs = vec![Cost::default(); keys as usize];
    for &(stack, spent) in threads.iter().flat_map(|it| &it.on_stack) {
        all[stack.0 as usize] += spent;
        let cost = &mut costs[key_of[profile.stacks.function[stack.0 as usize].0 as usize] as usize];
        cost.self_time += spent.time;
        cost.self_samples += spent.samples;
    }
    let lines = lines(profile, &all, key_of);
    add_to_callers(profile, &mut all);
    let mut walk = Walk {
        profile,
        key_of,
        all: &all,
        costs,
        path: Vec::new(),
        innermost: vec![NONE; keys as usize],
        edges: FxHashMap::default(),
    };
    walk.run();
    let Walk { costs, edges, .. } = walk;
    let (callers, callees) = by_key(edges, keys);
    Tally { costs, callers, callees, lines }
}

/// No stack, depth or key.
const NONE: u32 = u32::MAX;

/// Turns what was spent with exactly each stack into what was spent with it or anything above it.
fn add_to_callers(profile: &Profile, spent: &mut [Spent]) {
    for (stack, caller) in profile.stacks.caller.iter().enumerate().rev() {
        if let Some(caller) = caller {
            let above = spent[stack];
            spent[caller.0 as usize] += above;
        }
    }
}

struct Walk<'a> {
    profile: &'a Profile,
    key_of: &'a [u32],
    /// What was spent with each stack or anything above it.
    all: &'a [Spent],
    costs: Vec<Cost>,
    /// The stacks from the root to the one being looked at.
    path: Vec<Step>,
    /// By key: the depth of its innermost occurrence on the path.
    innermost: Vec<u32>,
    /// By caller ([`NONE`] for the entry) and callee.
    edges: FxHashMap<(u32, u32), Edge>,
}

struct Step {
    stack: u32,
    key: u32,
    /// What `innermost` was for this key before.
    innermost_before: u32,
}

/// Both ways to count a call.
#[derive(Default)]
struct Edge {
    /// Where the callee is outermost.
    of_callee: Spent,
    /// Where the caller is innermost.
    of_caller: Spent,
}

impl Walk<'_> {
    /// Depth first, with an explicit path: stacks of 100,000 frames occur.
    fn run(&mut self) {
        let family = Family::new(self.profile, self.all);
        let mut next = family.root;
        loop {
            if next != NONE {
                self.enter(next);
                next = family.first_child[next as usize];
            } else if let Some(step) = self.path.pop() {
                self.innermost[step.key as usize] = step.innermost_before;
                next = family.next_sibling[step.stack as usize];
            } else {
                return;
            }
        }
    }

    fn enter(&mut self, stack: u32) {
        let all = self.all[stack as usize];
        let key = self.key_of[self.profile.stacks.function[stack as usize].0 as usize];
        let caller = self.path.last().map_or(NONE, |it| it.key);
        let innermost = self.innermost[key as usize];

        // A key that calls itself goes on; only what leaves it is a call.
        if caller != key {
            let edge = self.edges.entry((caller, key)).or_default();
            edge.of_caller += all;
            if innermost == NONE {
                edge.of_callee += all;
            }
        }
        if innermost == NONE {
            let cost = &mut self.costs[key as usize];
            cost.total_time += all.time;
            cost.total_samples += all.samples;
        } else if caller != key {
            // For these samples the inner occurrence speaks, not the outer one that was counted before.
            let branch = self.path[innermost as usize + 1].key;
            let counted = self.edges.entry((key, branch)).or_default();
            counted.of_caller.time = counted.of_caller.time - all.time;
            counted.of_caller.samples -= all.samples;
        }
        self.innermost[key as usize] = self.path.len() as u32;
        self.path.push(Step { stack, key, innermost_before: innermost });
    }
}

/// The forest of stacks from above; those without time are left out.
struct Family {
    root: u32,
    first_child: Vec<u32>,
    next_sibling: Vec<u32>,
}

impl Family {
    fn new(profile: &Profile, all: &[Spent]) -> Self {
        let mut root = NONE;
        let (mut first_child, mut next_sibling) = (vec![NONE; all.len()], vec![NONE; all.len()]);
        // From the last to the first, so that siblings come in order and neighbours in memory stay neighbours.
        for (stack, caller) in profile.stacks.caller.iter().enumerate().rev() {
            if all[stack] != Spent::default() {
                let first = caller.map_or(&mut root, |it| &mut first_child[it.0 as usize]);
                next_sibling[stack] = std::mem::replace(first, stack as u32);
            }
        }
        Self { root, first_child, next_sibling }
    }
}

/// Callers and callees by key, the hottest first.
fn by_key(edges: FxHashMap<(u32, u32), Edge>, keys: u32) -> (Vec<Vec<Call>>, Vec<Vec<Call>>) {
    let (mut callers, mut callees) = (vec![Vec::new(); keys as usize], vec![Vec::new(); keys as usize]);
    for ((caller, callee), Edge { of_callee, of_caller }) in edges {
        let other = (caller != NONE).then_some(caller);
        if of_callee != Spent::default() {
            callers[callee as usize].push(Call { other, spent: of_callee });
        }
        if of_caller != Spent::default() && other.is_some() {
            callees[caller as usize].push(Call { other: Some(callee), spent: of_caller });
        }
    }
    for calls in callers.iter_mut().chain(&mut callees) {
        calls.sort_unstable_by(|a, b| b.spent.time.cmp(&a.spent.time).then(a.other.cmp(&b.other)));
    }
    (callers, callees)
}

/// Each stack's own time, divided by its ticks; what division leaves over goes to its last line.
fn lines(profile: &Profile, own: &[Spent], key_of: &[u32]) -> Vec<LineCost> {
    let mut times: FxHashMap<(u32, u32), Nanos> = FxHashMap::default();
    for ticks in profile.ticks.chunk_by(|a, b| a.stack == b.stack) {
        let stack = ticks[0].stack.0 as usize;
        let key = key_of[profile.stacks.function[stack].0 as usize];
        let sum: u64 = ticks.iter().map(|it| u64::from(it.ticks)).sum();
        let mut rest = own[stack].time;
        for (index, tick) in ticks.iter().enumerate() {
            let part = u128::from(own[stack].time.0) * u128::from(tick.ticks) / u128::from(sum.max(1));
            let time = if index + 1 == ticks.len() { rest } else { Nanos(part as u64) };
            rest = rest - time;
            *times.entry((key, tick.line)).or_default() += time;
        }
    }
    let mut lines: Vec<_> =
        times.into_iter().map(|((key, line), time)| LineCost { key, line, time }).collect();
    lines.sort_unstable_by_key(|it| (it.key, it.line));
    lines
}

impl std::ops::AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        self.self_time += other.self_time;
        self.total_time += other.total_time;
        self.self_samples += other.self_samples;
        self.total_samples += other.total_samples;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Function, FunctionId, FunctionKind, StackId, StringId};

    /// Stacks as words, the root first, each letter a function; a sample of 1 ms for each word. Upper and lower
    /// case of a letter are two functions of one key.
    fn drawn(stacks: &[&str]) -> (Profile, Vec<u32>) {
        let mut profile = Profile::default();
        let mut known: FxHashMap<String, StackId> = FxHashMap::default();
        let mut on_stack = Vec::new();
        let letter = |it: u8| FunctionId(u32::from(it - b'A'));
        for word in stacks {
            let mut caller = None;
            for end in 1..=word.len() {
                let next = StackId(profile.stacks.function.len() as u32);
                let stack = *known.entry(word[..end].to_string()).or_insert(next);
                if stack == next {
                    profile.stacks.function.push(letter(word.as_bytes()[end - 1]));
                    profile.stacks.caller.push(caller);
                }
                caller = Some(stack);
            }
            on_stack.extend(caller.map(|it| (it, Spent { time: Nanos(1_000_000), samples: 1 })));
        }
        let function =
            Function { name: StringId(0), resource: None, defined_at: None, kind: FunctionKind::Script };
        profile.functions = vec![function; 64];
        profile.threads = vec![Thread { on_stack, ..Thread::default() }];
        let keys = (b'A'..b'A' + 64)
            .map(|it| u32::from(it.to_ascii_lowercase().saturating_sub(b'a')) % 26)
            .collect();
        (profile, keys)
    }

    fn tallied(stacks: &[&str]) -> Tally {
        let (profile, keys) = drawn(stacks);
        tally(&profile, &profile.threads, &keys, 26)
    }

    /// `a self 1 total 3 callers -:2 b:1 callees b:2` for every key that cost anything, in milliseconds.
    fn shown(tally: &Tally) -> Vec<String> {
        let letter = |key: u32| char::from(b'a' + key as u8);
        let calls = |calls: &[Call]| {
            let call =
                |it: &Call| format!(" {}:{}", it.other.map_or('-', letter), it.spent.time.0 / 1_000_000);
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
            // Direct recursion counts once and is no call to somebody else.
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
            // Two functions of one definition on top of each other (a lowered async function) are one occurrence.
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
            let sum = |calls: &[Call]| calls.iter().map(|it| it.spent.time).sum::<Nanos>();
            let whole = Nanos(1_000_000 * words.len() as u64);
            assert_eq!(tally.costs.iter().map(|it| it.self_time).sum::<Nanos>(), whole, "{words:?}");
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
        profile.stacks.function = deep.bytes().map(|it| FunctionId(u32::from(it - b'A'))).collect();
        profile.stacks.caller = (0..count).map(|it| it.checked_sub(1).map(StackId)).collect();
        profile.threads[0].on_stack =
            vec![(StackId(count - 1), Spent { time: Nanos(1_000_000), samples: 1 })];
        let keys = drawn(&[]).1;
        assert_eq!(
            shown(&tally(&profile, &profile.threads, &keys, 26)),
            ["a self 0 total 1 callers -:1 callees b:1", "b self 1 total 1 callers a:1 callees"]
        );
    }

    #[test]
    fn lines_share_the_own_time_of_their_stack() {
        let (mut profile, keys) = drawn(&["a", "ab"]);
        let ticks = [(0, 3, 1), (0, 5, 2), (1, 9, 4)];
        profile.ticks =
            ticks.map(|(stack, line, ticks)| crate::LineTicks { stack: StackId(stack), line, ticks }).into();
        let lines = tally(&profile, &profile.threads, &keys, 26).lines;
        let lines: Vec<_> = lines.iter().map(|it| (it.key, it.line, it.time.0)).collect();
        assert_eq!(lines, [(0, 3, 333_333), (0, 5, 666_667), (1, 9, 1_000_000)]);
    }
}
