//! The values that make up a summary, and how those of several traces are added.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::AddAssign;
use std::sync::Arc;

use profile::model::{Amount, Percentiles, Position, Weight};
use profile::tally::{Collections, Cost};
use serde::{Deserialize, Serialize};
use source::definition::DefinitionId;
use source::text::LineCol;

use super::example::example;
use super::stretches::MeasuredStretches;
use crate::anchor::Freshness;
use crate::files::FilePath;
use crate::locate::UnplacedReason;
use crate::package::Package;
use crate::symbolicate::Confidence;

/// What identifies a definition across recordings and versions.
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
    /// Functions that were not placed, by what the trace says about them.
    pub unplaced: BTreeMap<UnplacedFunction, Cost>,
    /// Where all the time went.
    pub ledger: Ledger,
    /// The number of sessions that were added up.
    pub sessions: u64,
    /// Whether all times come from samples, so that their certainty depends on the number of samples.
    pub is_sampled: bool,
    /// The threads that were added up, by their roles ([`profile::thread_roles`]).
    pub threads: BTreeMap<Arc<str>, ThreadTime>,
}

/// The time of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ThreadTime {
    /// All time except idle time and samples without a stack.
    pub active: Amount,
    /// All time.
    pub all: Amount,
    /// The number of samples, including those without a stack.
    pub samples: u64,
    /// The sum of the squared weights of the samples; see [`profile::model::Thread::squares`].
    pub squares: f64,
    /// Its garbage collections.
    pub collections: Collections,
}

/// One measured definition.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// Its name for people.
    pub name: Arc<str>,
    /// Its id in the outline of its file as it was when the trace was loaded; `None` if it was gone by then.
    pub definition: Option<DefinitionId>,
    /// What had become of it when the trace was loaded.
    pub freshness: Freshness,
    /// Hash of the measured code, without its name ([`source::definition::Definition::code`]).
    pub code: u64,
    /// The start of its name, or of itself if it has none; as editors count, 0-based, UTF-16.
    pub start: LineCol,
    /// The position after the last character of its body.
    pub end: LineCol,
    /// Self and total cost.
    pub cost: Cost,
    /// How often it began to run.
    pub stretches: MeasuredStretches,
    /// The sums over sessions of the squares of its self and its total time; 0 if not known.
    pub squares: [f64; 2],
    /// The percentiles of its self and its total time over the sessions in which it ran, if the trace gives them for
    /// exactly this definition.
    pub percentiles: Option<Percentiles>,
    /// Its cost by thread, sorted by the name in [`Summary::threads`].
    pub on_threads: Vec<OnThread>,
    /// The lowest confidence of the places that were found to be this definition.
    pub confidence: Confidence,
    /// Why it stays in its file, if that was generated.
    pub generated: Option<Generated>,
    /// Every position of the trace that was found to be this definition, sorted.
    pub measured_at: Vec<MeasuredAt>,
    /// Its callers, hottest first; they add up to its total.
    pub callers: Vec<Call>,
    /// Its callees, hottest first; with its self time they add up to its total.
    pub callees: Vec<Call>,
    /// Self time by 0-based line of its file as it was when the trace was loaded, as far as lines are known.
    pub lines: BTreeMap<u32, Amount>,
    /// The part of its self time in code of other definitions that the engine had inlined into it.
    pub inlined: BTreeMap<InlinedLine, Amount>,
    /// The number of sessions in which it ran; 0 if not known.
    pub sessions: u64,
    /// In how many long tasks it was seen, if the trace has events that tell this.
    pub long_tasks: Option<u64>,
}

/// Why a definition of a generated file is not one in the sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generated {
    /// The source map is missing or cannot be read.
    MapLost,
    /// The sources do not exist: the file belongs to a dependency that came without them.
    SourcesLost,
}

/// What a definition cost on one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnThread {
    /// The thread, by its name in [`Summary::threads`].
    pub thread: Arc<str>,
    /// Self and total cost.
    pub cost: Cost,
}

/// A line of a definition whose code was inlined elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct InlinedLine {
    /// The definition; it need not have been measured itself.
    pub definition: DefinitionKey,
    /// Its name for people.
    pub name: Arc<str>,
    /// 0-based line of its file as it was when the trace was loaded, if known.
    pub line: Option<u32>,
}

/// The place of a function in the trace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MeasuredAt {
    /// The resource, exactly as in the trace.
    pub resource: Arc<str>,
    /// Line and column.
    pub position: Option<Position>,
}

/// The calls between a definition and one other function, with the time spent in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The caller or callee; shared, as one function takes part in many calls.
    pub other: Arc<CallEnd>,
    /// Time and samples.
    pub spent: Weight,
}

/// A caller or callee.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CallEnd {
    /// No function: the call came from outside of JavaScript (an event, a timer, a finished promise).
    Entry,
    /// A definition of the workspace.
    Definition(DefinitionKey),
    /// A function that was not placed.
    Unplaced(UnplacedFunction),
}

/// What the trace says about a function that was not placed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnplacedFunction {
    /// Its name; may be empty.
    pub name: Arc<str>,
    /// Its resource, if any.
    pub resource: Option<Arc<str>>,
    /// Line and column, if any.
    pub position: Option<Position>,
    /// Why it was not placed.
    pub reason: UnplacedReason,
    /// What made its code, by `eval` or `new Function`, if the trace tells.
    pub made_by: Option<Arc<Maker>>,
    /// For a function of a dependency in a bundle, or of a file that is missing: its file, as the source map names it.
    pub source: Option<Arc<str>>,
}

/// A function that made code.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Maker {
    /// Its name for people.
    pub name: Arc<str>,
    /// Its definition, if it was placed.
    pub definition: Option<DefinitionKey>,
    /// Its file, or otherwise its resource.
    pub file: Arc<str>,
    /// The 0-based line of its name; for a function that was not placed, as in the trace.
    pub line: u32,
}

/// Where all the time went. `total = placed + idle + no_stack + sum(unplaced)`, exactly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// All time of all samples.
    pub total: Weight,
    /// Self time of definitions.
    pub placed: Weight,
    /// The part of `placed` on generated files whose source maps could not be used.
    pub generated: Weight,
    /// Idle time.
    pub idle: Weight,
    /// Self-Profiling samples without a stack.
    pub no_stack: Weight,
    /// The rest, by reason.
    pub unplaced: BTreeMap<UnplacedReason, UnplacedTime>,
}

/// What 100 % is, of all threads in scope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Base {
    /// All time except idle time and samples without a stack.
    #[default]
    Active,
    /// All time.
    All,
}

/// The time that is unplaced for one reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnplacedTime {
    /// How much it is.
    pub spent: Weight,
    /// Resources, or names of functions without one, with their self time.
    pub examples: BTreeMap<Arc<str>, Amount>,
}

impl Summary {
    /// The shares of a self and a total time, each 0..1 of [`Ledger::base`]. The base covers all threads, so shares have
    /// the same order as times, and shares of self time sum to at most 1.
    pub fn shares(&self, cost: &Cost, base: Base) -> [f64; 2] {
        let whole = self.ledger.base(base);
        [cost.self_time, cost.total_time].map(|time| share(time, whole))
    }
    /// The measurement of a caller or callee, if it is a definition.
    pub fn measured(&self, end: &CallEnd) -> Option<&Measured> {
        self.definitions.get(end.definition()?)
    }
}

impl CallEnd {
    /// The definition, if it is one.
    pub(crate) fn definition(&self) -> Option<&DefinitionKey> {
        if let Self::Definition(key) = self { Some(key) } else { None }
    }
}

impl Ledger {
    /// How much 100 % is.
    pub fn base(&self, base: Base) -> Amount {
        match base {
            Base::Active => self.total.time - self.idle.time - self.no_stack.time,
            Base::All => self.total.time,
        }
    }

    /// The share of the base that is placed, 0..1.
    pub fn placed_share(&self, base: Base) -> f64 {
        share(self.placed.time, self.base(base))
    }
}

impl UnplacedTime {
    /// Adds the self time of a function.
    pub(crate) fn add(&mut self, function: &UnplacedFunction, cost: &Cost) {
        self.spent += Weight { time: cost.self_time, samples: cost.self_samples };
        *self.examples.entry(function.label()).or_default() += cost.self_time;
    }

    /// The costliest examples, at most three, by their display names: `react@19.3.1`.
    pub fn top(&self) -> Vec<String> {
        let mut named: BTreeMap<Cow<'_, str>, Amount> = BTreeMap::new();
        self.examples.iter().for_each(|(label, time)| *named.entry(example(label)).or_default() += *time);
        let mut all: Vec<_> = named.into_iter().collect();
        all.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        all.into_iter().take(3).map(|it| it.0.into_owned()).collect()
    }
}

/// Part of a whole, 0..1; 0 if the whole is 0.
pub fn share(part: Amount, whole: Amount) -> f64 {
    if whole.0 == 0 { 0.0 } else { part.0 as f64 / whole.0 as f64 }
}

impl UnplacedFunction {
    /// A function of which only the name is known.
    pub(super) fn named(name: &str, reason: UnplacedReason) -> Self {
        Self { name: name.into(), resource: None, position: None, reason, made_by: None, source: None }
    }

    /// The file that it was written in, or otherwise that of the script in which it ran.
    pub fn file(&self) -> Option<&Arc<str>> {
        self.source.as_ref().or(self.resource.as_ref())
    }

    /// How it is listed among examples: by its file, or otherwise by its name. For helpers, only the name is informative.
    pub(super) fn label(&self) -> Arc<str> {
        if let Some(maker) = &self.made_by {
            return maker.words().into();
        }
        match self.file() {
            Some(_) if self.reason == UnplacedReason::Compiler && !self.name.is_empty() => {
                Arc::clone(&self.name)
            }
            Some(file) => Arc::clone(file),
            None if self.name.is_empty() => "(anonymous)".into(),
            None => Arc::clone(&self.name),
        }
    }
}

impl Maker {
    /// What it made, for display: `code made by parse in schemas.ts:12`. The line of a dependency's function is that of what its package
    /// contains, which nobody wrote: the package says more.
    pub fn words(&self) -> String {
        if self.definition.is_none() && Package::of(&self.file).is_some() {
            return format!("code made by {} in {}", self.name, example(&self.file));
        }
        let file = self.file.rsplit(['/', '\\']).next().unwrap_or_default();
        format!("code made by {} in {file}:{}", self.name, self.line + 1)
    }
}

impl AddAssign for Summary {
    fn add_assign(&mut self, other: Self) {
        for (key, measured) in other.definitions {
            match self.definitions.entry(key) {
                Entry::Vacant(free) => _ = free.insert(measured),
                Entry::Occupied(mut taken) => taken.get_mut().add(measured),
            }
        }
        add_each(&mut self.unplaced, other.unplaced);
        self.ledger += other.ledger;
        self.is_sampled = other.is_sampled && (self.is_sampled || self.sessions == 0);
        self.sessions += other.sessions;
        add_each(&mut self.threads, other.threads);
    }
}

impl AddAssign for ThreadTime {
    fn add_assign(&mut self, other: Self) {
        self.active += other.active;
        self.all += other.all;
        self.samples += other.samples;
        self.squares += other.squares;
        self.collections.samples += other.collections.samples;
        self.collections.squares += other.collections.squares;
    }
}

impl AddAssign for Ledger {
    fn add_assign(&mut self, other: Self) {
        self.total += other.total;
        self.placed += other.placed;
        self.generated += other.generated;
        self.idle += other.idle;
        self.no_stack += other.no_stack;
        for (reason, unplaced) in other.unplaced {
            let mine = self.unplaced.entry(reason).or_default();
            mine.spent += unplaced.spent;
            add_each(&mut mine.examples, unplaced.examples);
        }
    }
}

impl Measured {
    /// Its self time on no line, neither its own nor one that was inlined into it: the trace does not say the line, or
    /// the line is not known in today's text.
    pub fn without_line(&self) -> Amount {
        let inlined = self.inlined.iter().filter(|(inlined, _)| inlined.line.is_some()).map(|it| *it.1);
        self.cost.self_time - self.lines.values().copied().chain(inlined).sum()
    }

    /// The squares of self and total time, if known.
    fn known_squares(&self) -> [Option<f64>; 2] {
        let times = [self.cost.self_time, self.cost.total_time];
        [0, 1].map(|it| Some(self.squares[it]).filter(|&square| square > 0.0 || times[it] == Amount(0)))
    }

    fn add(&mut self, other: Self) {
        // If a value is not known for one part, it is not known for the sum.
        let (a, b) = (self.known_squares(), other.known_squares());
        self.squares = [0, 1].map(|it| a[it].zip(b[it]).map_or(0.0, |(a, b)| a + b));
        let are_known = self.sessions > 0 && other.sessions > 0;
        self.sessions = if are_known { self.sessions + other.sessions } else { 0 };
        self.cost += other.cost;
        self.stretches.add(other.stretches);
        self.percentiles = None;
        for OnThread { thread, cost } in other.on_threads {
            match self.on_threads.binary_search_by(|it| it.thread.cmp(&thread)) {
                Ok(at) => self.on_threads[at].cost += cost,
                Err(at) => self.on_threads.insert(at, OnThread { thread, cost }),
            }
        }
        self.confidence = self.confidence.max(other.confidence);
        self.measured_at.extend(other.measured_at);
        self.measured_at.sort();
        self.measured_at.dedup();
        self.callers = add_calls(&self.callers, &other.callers);
        self.callees = add_calls(&self.callees, &other.callees);
        add_each(&mut self.lines, other.lines);
        add_each(&mut self.inlined, other.inlined);
        if let Some(long_tasks) = other.long_tasks {
            *self.long_tasks.get_or_insert_default() += long_tasks;
        }
    }
}

/// Adds more to sums, each by its key.
fn add_each<K: Ord, V: AddAssign + Default>(sums: &mut BTreeMap<K, V>, more: BTreeMap<K, V>) {
    more.into_iter().for_each(|(key, value)| *sums.entry(key).or_default() += value);
}

fn add_calls(a: &[Call], b: &[Call]) -> Vec<Call> {
    let mut sums: BTreeMap<&Arc<CallEnd>, Weight> = BTreeMap::new();
    for call in a.iter().chain(b) {
        *sums.entry(&call.other).or_default() += call.spent;
    }
    let mut calls: Vec<_> =
        sums.into_iter().map(|(other, spent)| Call { other: Arc::clone(other), spent }).collect();
    calls.sort_by_key(|it| Reverse(it.spent.time));
    calls
}

#[cfg(test)]
mod tests;
