//! What each definition cost, who called it, and where the rest of the time went.
//!
//! Summaries add up: a definition is keyed by its file and path, so those of several traces are one fold.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::sync::Arc;

use profile::{Amount, Cost, FunctionId, OffStack, Position, Profile, Thread, Weight};
use rustc_hash::{FxHashMap, FxHashSet};
use source::{DefinitionId, LineCol};

use crate::anchor::Freshness;
use crate::symbolicate::Confidence;
use crate::symbolicate::{FoundDefinition, Place, Symbols};
use crate::{FilePath, UnplacedReason};

/// A definition's name across recordings and versions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DefinitionKey {
    /// The file.
    pub file: FilePath,
    /// Its path in the file's outline: `Class.method`, `outer.inner#2`.
    pub path: Arc<str>,
}

/// All costs of one or more recordings.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Every definition that was measured.
    pub definitions: BTreeMap<DefinitionKey, Measured>,
    /// Functions that were not placed, by what the trace tells of them.
    pub unplaced: BTreeMap<UnplacedFunction, Cost>,
    /// Where all the time went.
    pub ledger: Ledger,
}

/// One measured definition.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Its name for people.
    pub name: Arc<str>,
    /// Its place in the outline of its file as it was when the trace was loaded; `None` where it was gone by then.
    pub definition: Option<DefinitionId>,
    /// What had become of it by then.
    pub freshness: Freshness,
    /// Hash of the code that was measured, its name left out ([`source::Definition::code`]).
    pub code: u64,
    /// Start of its name, or of itself where it has none; as editors count, 0-based, UTF-16.
    pub start: LineCol,
    /// Just behind the last character of its body.
    pub end: LineCol,
    /// Self and total.
    pub cost: Cost,
    /// The least sure of the places that were found to be it.
    pub confidence: Confidence,
    /// Whether its file was generated from other sources, whose map could not be used.
    pub generated: bool,
    /// Every position in the trace that was found to be it, sorted.
    pub measured_at: Vec<MeasuredAt>,
    /// Who called it, the hottest first; they add up to its total.
    pub callers: Vec<Call>,
    /// What it called, the hottest first; with its self time they add up to its total.
    pub callees: Vec<Call>,
    /// Own time by 0-based line of the measured text, where the trace has lines.
    pub lines: BTreeMap<u32, Amount>,
    /// The number of sessions in which it ran.
    pub sessions: u64,
    /// How it was called, where the trace has events to tell that by; an estimate.
    pub calls: Option<Calls>,
}

/// The calls of a definition, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Calls {
    /// How many there were.
    pub number: u64,
    /// How long the longest took.
    pub longest: Amount,
    /// In how many long tasks it was called.
    pub long_tasks: u64,
}

/// A function's place as the trace has it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MeasuredAt {
    /// The resource, exactly as in the trace.
    pub resource: Arc<str>,
    /// Line and column.
    pub position: Option<Position>,
}

/// The other end of a call, and the time that went through it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Who called or was called; shared, as one function takes part in many calls.
    pub other: Arc<Other>,
    /// Time and samples.
    pub spent: Weight,
}

/// A caller or callee.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Other {
    /// Nobody: it was entered from outside any JavaScript (an event, a timer, a finished promise).
    Entry,
    /// A definition of the workspace.
    Definition(DefinitionKey),
    /// A function that is none.
    Unplaced(UnplacedFunction),
}

/// What the trace tells of a function that was not placed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnplacedFunction {
    /// Its name; may be empty.
    pub name: Arc<str>,
    /// Its resource, if any.
    pub resource: Option<Arc<str>>,
    /// Line and column, if any.
    pub position: Option<Position>,
    /// Why there is no definition.
    pub why: UnplacedReason,
}

/// Where all the time went. `total = placed + idle + no_stack + sum(unplaced)`, exactly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// All time of all samples.
    pub total: Weight,
    /// Own time of definitions.
    pub placed: Weight,
    /// The part of `placed` that lies in generated files.
    pub generated: Weight,
    /// Idle time.
    pub idle: Weight,
    /// Self-Profiling samples without a stack.
    pub no_stack: Weight,
    /// The rest, by reason.
    pub unplaced: BTreeMap<UnplacedReason, Unplaced>,
}

/// How much time is unplaced for one reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unplaced {
    /// How much.
    pub spent: Weight,
    /// Resources or names, by own time.
    pub examples: BTreeMap<Arc<str>, Amount>,
}

impl Ledger {
    /// The base that 100 % stands for: without idle time and samples without a stack, or all.
    pub fn base(&self, all: bool) -> Amount {
        if all { self.total.time } else { self.total.time - self.idle.time - self.no_stack.time }
    }

    /// Share of the active time that lies on definitions, 0..1.
    pub fn placed_share(&self) -> f64 {
        share(self.placed.time, self.base(false))
    }
}

impl Unplaced {
    /// The up to three examples that cost most.
    pub fn top(&self) -> Vec<&str> {
        let mut all: Vec<_> = self.examples.iter().collect();
        all.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
        all.into_iter().take(3).map(|(it, _)| &**it).collect()
    }
}

/// Part of a whole, 0..1; 0 of nothing is 0.
pub fn share(part: Amount, whole: Amount) -> f64 {
    if whole.0 == 0 { 0.0 } else { part.0 as f64 / whole.0 as f64 }
}

/// Adds up threads of a profile.
pub fn summarize<'a>(
    profile: &Profile,
    threads: impl IntoIterator<Item = &'a Thread> + Clone,
    symbols: &Symbols,
) -> Summary {
    let keys = Keys::of(profile, symbols);
    let mut tally = profile::tally(profile, threads.clone(), &keys.of_function, keys.others.len() as u32);
    let mut summary = Summary::default();

    for thread in threads.clone() {
        for (&off, &spent) in &thread.off_stack {
            summary.ledger.total += spent;
            match off {
                OffStack::Idle => summary.ledger.idle += spent,
                OffStack::NoStack => summary.ledger.no_stack += spent,
                _ => summary.ledger.unplaced.entry(why_off_stack(off)).or_default().spent += spent,
            }
        }
    }
    for (index, other) in keys.others.iter().enumerate() {
        let cost = tally.costs[index];
        // Given back as soon as they are turned into ours: there are many.
        let callers = std::mem::take(&mut tally.callers[index]);
        let callees = std::mem::take(&mut tally.callees[index]);
        let own = Weight { time: cost.self_time, samples: cost.self_samples };
        summary.ledger.total += own;
        if cost == Cost::default() {
            continue;
        }
        match &**other {
            Other::Entry => {}
            Other::Unplaced(function) => {
                if own != Weight::default() {
                    let reason = summary.ledger.unplaced.entry(function.why).or_default();
                    reason.spent += own;
                    *reason.examples.entry(function.label()).or_default() += own.time;
                }
                *summary.unplaced.entry(function.clone()).or_default() += cost;
            }
            Other::Definition(key) => {
                summary.ledger.placed += own;
                let mut measured = keys.measured[&(index as u32)].clone();
                if measured.generated {
                    summary.ledger.generated += own;
                }
                measured.cost = cost;
                measured.sessions = u64::from(tally.sessions[index]);
                measured.callers = keys.calls(&callers);
                measured.callees = keys.calls(&callees);
                summary.definitions.insert(key.clone(), measured);
            }
        }
    }
    for thread in threads.clone() {
        add_calls_of(thread, &keys, &mut summary);
    }
    for line in &tally.lines {
        if let Other::Definition(key) = &*keys.others[line.key as usize]
            && keys.with_lines.contains(&line.key)
            && let Some(measured) = summary.definitions.get_mut(key)
        {
            *measured.lines.entry(line.line).or_default() += line.time;
        }
    }
    summary
}

/// The functions of one definition in one thread share its long tasks.
fn add_calls_of(thread: &Thread, keys: &Keys, summary: &mut Summary) {
    let mut of_key: BTreeMap<u32, profile::Calls> = BTreeMap::new();
    for (function, calls) in &thread.calls {
        let key = keys.of_function[function.0 as usize];
        of_key.entry(key).and_modify(|sum| *sum += calls).or_insert_with(|| calls.clone());
    }
    for (key, profile::Calls { number, longest, long_tasks }) in of_key {
        if let Other::Definition(definition) = &*keys.others[key as usize]
            && let Some(measured) = summary.definitions.get_mut(definition)
        {
            let long_tasks = long_tasks.len() as u64;
            *measured.calls.get_or_insert_default() += Calls { number, longest, long_tasks };
        }
    }
}

fn why_off_stack(off: OffStack) -> UnplacedReason {
    match off {
        OffStack::Program => UnplacedReason::Program,
        OffStack::GarbageCollector => UnplacedReason::GarbageCollector,
        OffStack::Unsampled => UnplacedReason::Unsampled,
        OffStack::Native | OffStack::Idle | OffStack::NoStack => UnplacedReason::Native,
        OffStack::Unknown => UnplacedReason::Unknown,
    }
}

/// The dense keys under which a profile's functions are added up: one for each definition, one for each
/// function without.
struct Keys {
    of_function: Vec<u32>,
    others: Vec<Arc<Other>>,
    entry: Arc<Other>,
    measured: FxHashMap<u32, Measured>,
    /// Those whose text is the one that ran.
    with_lines: FxHashSet<u32>,
}

impl Keys {
    fn of(profile: &Profile, symbols: &Symbols) -> Self {
        let mut keys = Self {
            of_function: Vec::new(),
            others: Vec::new(),
            entry: Arc::new(Other::Entry),
            measured: FxHashMap::default(),
            with_lines: FxHashSet::default(),
        };
        let mut texts: FxHashMap<String, Arc<str>> = FxHashMap::default();
        let mut text =
            |it: &str| -> Arc<str> { texts.entry(it.to_string()).or_insert_with(|| Arc::from(it)).clone() };
        let generated: FxHashSet<&FilePath> = symbols.lost_maps().map(|it| it.0).collect();
        let mut of_definition: FxHashMap<DefinitionKey, u32> = FxHashMap::default();
        let mut of_found: Vec<Option<u32>> = vec![None; symbols.definitions.len()];
        let mut of_unplaced: FxHashMap<_, u32> = FxHashMap::default();
        for (index, place) in symbols.places.iter().enumerate() {
            let function = FunctionId(index as u32);
            let position = profile.functions[index].defined_at;
            let resource = profile.resource(function);
            let next = keys.others.len() as u32;
            let key = match *place {
                Place::At { found, confidence } => {
                    let key = *of_found[found as usize].get_or_insert_with(|| {
                        let it = &symbols.definitions[found as usize];
                        let (definition, measured) = measured(it, generated.contains(&it.file));
                        let key = *of_definition.entry(definition.clone()).or_insert(next);
                        if key == next {
                            keys.others.push(Arc::new(Other::Definition(definition)));
                            keys.measured.insert(key, measured);
                        }
                        if it.as_it_ran {
                            keys.with_lines.insert(key);
                        }
                        key
                    });
                    let measured = keys.measured.get_mut(&key).expect("it was put there with its key");
                    measured.confidence = measured.confidence.max(confidence);
                    let at = MeasuredAt { resource: text(resource.unwrap_or_default()), position };
                    if let Err(at_index) = measured.measured_at.binary_search(&at) {
                        measured.measured_at.insert(at_index, at);
                    }
                    key
                }
                Place::Unplaced(why) => {
                    let name = profile.functions[index].name;
                    let key = *of_unplaced.entry((name, resource, position, why)).or_insert(next);
                    if key == next {
                        keys.others.push(Arc::new(Other::Unplaced(UnplacedFunction {
                            name: text(profile.name(function)),
                            resource: resource.map(&mut text),
                            position,
                            why,
                        })));
                    }
                    key
                }
            };
            keys.of_function.push(key);
        }
        keys
    }

    fn calls(&self, tallied: &[profile::Call]) -> Vec<Call> {
        let other = |key: Option<u32>| Arc::clone(key.map_or(&self.entry, |it| &self.others[it as usize]));
        tallied.iter().map(|it| Call { other: other(it.other), spent: it.weight }).collect()
    }
}

fn measured(found: &FoundDefinition, generated: bool) -> (DefinitionKey, Measured) {
    // A definition that is gone must not be taken for one of the same path that came later.
    let gone = if found.definition.is_none() { " (gone)" } else { "" };
    let path = if gone.is_empty() { Arc::clone(&found.path) } else { format!("{}{gone}", found.path).into() };
    let measured = Measured {
        name: Arc::clone(&found.name),
        definition: found.definition,
        freshness: found.freshness,
        code: found.code,
        start: found.start,
        end: found.end,
        cost: Cost::default(),
        confidence: Confidence::Exact,
        generated,
        measured_at: Vec::new(),
        callers: Vec::new(),
        callees: Vec::new(),
        lines: BTreeMap::new(),
        sessions: 0,
        calls: None,
    };
    (DefinitionKey { file: found.file.clone(), path }, measured)
}

impl UnplacedFunction {
    /// What to call it in a list of examples: its resource, else its name.
    fn label(&self) -> Arc<str> {
        match &self.resource {
            Some(resource) => Arc::clone(resource),
            None if self.name.is_empty() => "(anonymous)".into(),
            None => Arc::clone(&self.name),
        }
    }
}

impl AddAssign for Summary {
    fn add_assign(&mut self, other: Self) {
        for (key, measured) in other.definitions {
            match self.definitions.entry(key) {
                std::collections::btree_map::Entry::Vacant(free) => _ = free.insert(measured),
                std::collections::btree_map::Entry::Occupied(mut taken) => taken.get_mut().add(measured),
            }
        }
        for (function, cost) in other.unplaced {
            *self.unplaced.entry(function).or_default() += cost;
        }
        self.ledger += other.ledger;
    }
}

impl AddAssign for Ledger {
    fn add_assign(&mut self, other: Self) {
        self.total += other.total;
        self.placed += other.placed;
        self.generated += other.generated;
        self.idle += other.idle;
        self.no_stack += other.no_stack;
        for (why, reason) in other.unplaced {
            let mine = self.unplaced.entry(why).or_default();
            mine.spent += reason.spent;
            for (example, time) in reason.examples {
                *mine.examples.entry(example).or_default() += time;
            }
        }
    }
}

impl AddAssign for Calls {
    fn add_assign(&mut self, other: Self) {
        self.number += other.number;
        self.longest = self.longest.max(other.longest);
        self.long_tasks += other.long_tasks;
    }
}

impl Measured {
    fn add(&mut self, other: Self) {
        self.cost += other.cost;
        self.sessions += other.sessions;
        self.confidence = self.confidence.max(other.confidence);
        self.measured_at.extend(other.measured_at);
        self.measured_at.sort();
        self.measured_at.dedup();
        self.callers = add_calls(&self.callers, &other.callers);
        self.callees = add_calls(&self.callees, &other.callees);
        for (line, time) in other.lines {
            *self.lines.entry(line).or_default() += time;
        }
        if let Some(calls) = other.calls {
            *self.calls.get_or_insert_default() += calls;
        }
    }
}

fn add_calls(a: &[Call], b: &[Call]) -> Vec<Call> {
    let mut sums: BTreeMap<&Arc<Other>, Weight> = BTreeMap::new();
    for call in a.iter().chain(b) {
        *sums.entry(&call.other).or_default() += call.spent;
    }
    let mut calls: Vec<_> =
        sums.into_iter().map(|(other, spent)| Call { other: Arc::clone(other), spent }).collect();
    calls.sort_by_key(|it| Reverse(it.spent.time));
    calls
}
