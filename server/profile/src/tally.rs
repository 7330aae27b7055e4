//! Self and total time of any key, and who called whom: one walk over the stacks, linear in their number.
//!
//! A key is whatever the caller says a function counts for: a definition, a package, the function itself. In
//! `total` a key counts once a stack, however deep the recursion, so no total exceeds the whole.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::{Amount, Profile, StackId, Thread, Weight};

/// What a key cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Time in which it ran on top of the stack.
    pub self_time: Amount,
    /// Time in which it was on the stack at all.
    pub total_time: Amount,
    /// The number of samples of which the self time is the sum.
    pub self_samples: u64,
    /// The number of samples of which the total time is the sum.
    pub total_samples: u64,
}

/// The other end of a key's calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Its key; `None` for the entry: a stack that begins with the key.
    pub other: Option<u32>,
    /// The time and samples of those calls.
    pub weight: Weight,
}

/// Self time of a key on one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineCost {
    /// The key.
    pub key: u32,
    /// 0-based line of its script.
    pub line: u32,
    /// A part of its self time.
    pub time: Amount,
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
    /// By key: the number of sessions in which it was on a stack.
    pub sessions: Vec<u32>,
}

/// Adds up threads of a profile. `key_of` holds each function's key, all below `keys`.
pub fn tally<'a>(
    profile: &Profile,
    threads: impl IntoIterator<Item = &'a Thread> + Clone,
    key_of: &[u32],
    keys: u32,
) -> Tally {
    let own = own(threads.clone());
    let lines = lines(profile, &own, key_of);
    // What two sets of samples cost together is the sum of what each costs.
    let (lower, upper) = own.split_at(if own.len() < WORTH_A_THREAD { 0 } else { own.len() / 2 });
    let walk = |own| Walk::run(profile, key_of, own, keys);
    let (mut walked, others) = both(!lower.is_empty(), || walk(upper), || walk(lower));
    walked.add(others);
    let Walk { costs, edges, .. } = walked;
    let many = edges.len() >= WORTH_A_THREAD;
    let (callers, callees) = both(
        many,
        || by_key(&edges, keys, CallEdge::of_callee),
        || by_key(&edges, keys, CallEdge::of_caller),
    );
    let sessions = sessions(profile, threads, key_of, &costs);
    Tally { costs, callers, callees, lines, sessions }
}

/// No stack, depth or key.
const NONE: u32 = u32::MAX;

/// From this number of stacks on, a second thread goes through half of them.
const WORTH_A_THREAD: usize = 1 << 14;

/// Does both, at the same time if that is worth it.
fn both<T: Send>(at_once: bool, one: impl FnOnce() -> T, other: impl FnOnce() -> T + Send) -> (T, T) {
    if !at_once {
        return (one(), other());
    }
    std::thread::scope(|scope| {
        let other = scope.spawn(other);
        (one(), other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// The self time of each stack, by stack.
fn own<'a>(threads: impl IntoIterator<Item = &'a Thread> + Clone) -> Cow<'a, [(StackId, Weight)]> {
    let mut first = threads.clone().into_iter();
    if let (Some(only), None) = (first.next(), first.next()) {
        return Cow::Borrowed(&only.on_stack);
    }
    let mut own: Vec<_> = threads.into_iter().flat_map(|it| &it.on_stack).copied().collect();
    own.sort_unstable_by_key(|&(stack, _)| stack);
    own.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    Cow::Owned(own)
}

/// In how many sessions each key was on a stack. Each session looks only at its own stacks, and at each once: a thousand
/// sessions cost no more than their stacks together. The threads of a session are neighbours.
fn sessions<'a>(
    profile: &Profile,
    threads: impl IntoIterator<Item = &'a Thread> + Clone,
    key_of: &[u32],
    costs: &[Cost],
) -> Vec<u32> {
    let mut numbers = threads.clone().into_iter().map(|it| it.session);
    let first = numbers.next();
    if numbers.all(|it| Some(it) == first) {
        return costs.iter().map(|it| u32::from(*it != Cost::default())).collect();
    }
    let mut counts = vec![0; costs.len()];
    // The last session that came by.
    let mut seen = vec![NONE; costs.len()];
    let mut passed = vec![NONE; profile.stacks.function.len()];
    for thread in threads {
        for (stack, _) in thread.on_stack.iter().filter(|it| it.1 != Weight::default()) {
            let mut at = Some(*stack);
            while let Some(stack) = at {
                let index = stack.0 as usize;
                if std::mem::replace(&mut passed[index], thread.session) == thread.session {
                    break;
                }
                let key = key_of[profile.stacks.function[index].0 as usize] as usize;
                counts[key] += u32::from(std::mem::replace(&mut seen[key], thread.session) != thread.session);
                at = profile.stacks.caller(stack);
            }
        }
    }
    counts
}

struct Walk<'a> {
    profile: &'a Profile,
    key_of: &'a [u32],
    own: &'a [(StackId, Weight)],
    costs: Vec<Cost>,
    /// The stacks from the root to the one being looked at.
    path: Vec<Step>,
    /// By key: the depth of its innermost occurrence on the path.
    innermost: Vec<u32>,
    edges: Vec<CallEdge>,
    /// By caller and callee: the index of their edge. The edges are kept apart, as a hash table is copied when it grows.
    edge_at: FxHashMap<(u32, u32), u32>,
}

struct Step {
    next_sibling: u32,
    key: u32,
    /// What `innermost` was for this key before.
    innermost_before: u32,
    /// The time of this stack, and of those above it that the path has left.
    all: Weight,
    /// The part of it in which the caller's key occurs again further up: it is counted there, not here.
    not_of_caller: Weight,
}

/// Both ways to count a call.
struct CallEdge {
    /// [`NONE`] for the entry.
    caller: u32,
    callee: u32,
    /// The time where the callee is outermost.
    of_callee: Weight,
    /// The time where the caller is innermost.
    of_caller: Weight,
}

impl<'a> Walk<'a> {
    /// Depth first, with an explicit path: stacks of 100,000 frames occur.
    fn run(profile: &'a Profile, key_of: &'a [u32], own: &'a [(StackId, Weight)], keys: u32) -> Self {
        let mut walk = Self {
            profile,
            key_of,
            own,
            costs: vec![Cost::default(); keys as usize],
            path: Vec::new(),
            innermost: vec![NONE; keys as usize],
            edges: Vec::new(),
            edge_at: FxHashMap::default(),
        };
        let (family, mut next) = family(profile, own);
        loop {
            if next != NONE {
                next = walk.enter(next, family[next as usize]);
            } else if let Some(step) = walk.path.pop() {
                next = step.next_sibling;
                walk.leave(step);
            } else {
                return walk;
            }
        }
    }

    /// Adds the costs of other stacks.
    fn add(&mut self, other: Self) {
        for (cost, &other) in self.costs.iter_mut().zip(&other.costs) {
            *cost += other;
        }
        for CallEdge { caller, callee, of_callee, of_caller } in other.edges {
            let edge = self.edge(caller, callee);
            edge.of_callee += of_callee;
            edge.of_caller += of_caller;
        }
    }

    #[inline]
    fn edge(&mut self, caller: u32, callee: u32) -> &mut CallEdge {
        let next = self.edges.len() as u32;
        let at = *self.edge_at.entry((caller, callee)).or_insert(next);
        if at == next {
            let (of_callee, of_caller) = (Weight::default(), Weight::default());
            self.edges.push(CallEdge { caller, callee, of_callee, of_caller });
        }
        &mut self.edges[at as usize]
    }

    /// Puts a stack on the path; gives the first above it.
    #[inline]
    fn enter(&mut self, stack: u32, relatives: Relatives) -> u32 {
        let key = self.key_of[self.profile.stacks.function[stack as usize].0 as usize];
        let depth = self.path.len() as u32;
        let innermost_before = std::mem::replace(&mut self.innermost[key as usize], depth);
        let own = self.own.get(relatives.own as usize).map_or(Weight::default(), |own| own.1);
        let cost = &mut self.costs[key as usize];
        cost.self_time += own.time;
        cost.self_samples += own.samples;
        let next_sibling = relatives.next_sibling;
        let not_of_caller = Weight::default();
        self.path.push(Step { next_sibling, key, innermost_before, all: own, not_of_caller });
        relatives.first_child
    }

    /// Counts a stack that was just taken off the path: all stacks above it are counted by now.
    #[inline]
    fn leave(&mut self, step: Step) {
        let Step { key, innermost_before, all, not_of_caller, .. } = step;
        self.innermost[key as usize] = innermost_before;
        let is_outermost = innermost_before == NONE;
        let caller = self.path.last_mut().map_or(NONE, |caller| {
            caller.all += all;
            caller.key
        });
        if is_outermost {
            let cost = &mut self.costs[key as usize];
            cost.total_time += all.time;
            cost.total_samples += all.samples;
        }
        // A key that calls itself is still running; only a call of another key is a call.
        if caller == key {
            return;
        }
        let edge = self.edge(caller, key);
        edge.of_caller.time += all.time - not_of_caller.time;
        edge.of_caller.samples += all.samples - not_of_caller.samples;
        if is_outermost {
            edge.of_callee += all;
        } else {
            self.path[innermost_before as usize + 1].not_of_caller += all;
        }
    }
}

/// What is around a stack in the forest seen from below: indices, or [`NONE`].
#[derive(Clone, Copy)]
struct Relatives {
    first_child: u32,
    next_sibling: u32,
    /// The index of its self time.
    own: u32,
}

/// The relatives of each stack, and the first of the outermost ones. Stacks without time are left out.
fn family(profile: &Profile, own: &[(StackId, Weight)]) -> (Vec<Relatives>, u32) {
    let nobody = Relatives { first_child: NONE, next_sibling: NONE, own: NONE };
    let mut family = vec![nobody; own.last().map_or(0, |last| last.0.0 as usize + 1)];
    for (index, &(stack, weight)) in own.iter().enumerate() {
        if weight != Weight::default() {
            family[stack.0 as usize].own = index as u32;
        }
    }
    // From the last to the first: what is above a stack is known before it, siblings come in order, and neighbours
    // in memory stay neighbours.
    let mut root = NONE;
    for (stack, caller) in profile.stacks.callers().enumerate().take(family.len()).rev() {
        let Relatives { first_child, own, .. } = family[stack];
        if first_child != NONE || own != NONE {
            let first = caller.map_or(&mut root, |it| &mut family[it.0 as usize].first_child);
            let next = std::mem::replace(first, stack as u32);
            family[stack].next_sibling = next;
        }
    }
    (family, root)
}

impl CallEdge {
    /// The callee, and its entry about the caller.
    fn of_callee(&self) -> Option<(u32, Call)> {
        let other = (self.caller != NONE).then_some(self.caller);
        (self.of_callee != Weight::default()).then_some((self.callee, Call { other, weight: self.of_callee }))
    }

    /// The caller, and its entry about the callee.
    fn of_caller(&self) -> Option<(u32, Call)> {
        let call = Call { other: Some(self.callee), weight: self.of_caller };
        (self.of_caller != Weight::default() && self.caller != NONE).then_some((self.caller, call))
    }
}

/// The entries of each key, the hottest first.
fn by_key(edges: &[CallEdge], keys: u32, told: impl Fn(&CallEdge) -> Option<(u32, Call)>) -> Vec<Vec<Call>> {
    let mut lengths = vec![0; keys as usize];
    edges.iter().filter_map(&told).for_each(|(key, _)| lengths[key as usize] += 1);
    let mut calls: Vec<Vec<Call>> = lengths.into_iter().map(Vec::with_capacity).collect();
    edges.iter().filter_map(&told).for_each(|(key, call)| calls[key as usize].push(call));
    for calls in &mut calls {
        calls.sort_unstable_by(|a, b| b.weight.time.cmp(&a.weight.time).then(a.other.cmp(&b.other)));
    }
    calls
}

/// Each stack's self time, shared out by its ticks; the remainder of the division goes to its last line.
fn lines(profile: &Profile, own: &[(StackId, Weight)], key_of: &[u32]) -> Vec<LineCost> {
    let mut times: FxHashMap<(u32, u32), Amount> = FxHashMap::default();
    let mut own = own.iter().peekable();
    for ticks in profile.ticks.chunk_by(|a, b| a.stack == b.stack) {
        let stack = ticks[0].stack;
        while own.next_if(|it| it.0 < stack).is_some() {}
        let whole = own.peek().filter(|it| it.0 == stack).map_or(Amount(0), |it| it.1.time);
        let key = key_of[profile.stacks.function[stack.0 as usize].0 as usize];
        let sum: u64 = ticks.iter().map(|it| u64::from(it.ticks)).sum();
        let mut rest = whole;
        for (index, tick) in ticks.iter().enumerate() {
            let part = u128::from(whole.0) * u128::from(tick.ticks) / u128::from(sum.max(1));
            let time = if index + 1 == ticks.len() { rest } else { Amount(part as u64) };
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
    use std::collections::BTreeMap;

    use super::*;
    use crate::{Function, FunctionId, FunctionKind, Stacks, StringId};

    /// Stacks as words, the root first, each letter a function; a sample of 1 ms for each word. Upper and lower
    /// case of a letter are two functions of one key.
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
        let function =
            Function { name: StringId(0), resource: None, defined_at: None, kind: FunctionKind::Script };
        profile.functions = vec![function; 64];
        profile.threads = vec![Thread { on_stack: on_stack.into_iter().collect(), ..Thread::default() }];
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
                |it: &Call| format!(" {}:{}", it.other.map_or('-', letter), it.weight.time.0 / 1_000_000);
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
            // Direct recursion counts once and is no call of another function.
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
        profile.threads[0].on_stack =
            vec![(StackId(count - 1), Weight { time: Amount(1_000_000), samples: 1 })];
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
        // Two threads in the first session, none of the time in the last.
        profile.threads = vec![thread(0, &[0, 2]), thread(0, &[1]), thread(1, &[4]), thread(2, &[])];
        let sessions = |threads: &[Thread]| tally(&profile, threads, &keys, 26).sessions[..4].to_vec();
        assert_eq!(sessions(&profile.threads), [1, 2, 1, 0]);
        assert_eq!(sessions(&profile.threads[2..]), [0, 1, 1, 0]);
        assert_eq!(sessions(&[]), [0; 4]);
    }
}
