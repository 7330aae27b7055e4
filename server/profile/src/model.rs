//! The tables of a decoded profile. They are immutable, and made only by `ProfileBuilder`.
//!
//! Costs need the time of each stack, not the order of samples, so samples are added up by stack. Code that needs the
//! order reads the samples one by one from their [`SampleLog`].

mod counts;
mod deopts;
mod places;
mod population;
mod rendering;
mod sample;
mod sample_log;
mod script;
mod small_numbers;
mod stack_times;
mod strings;
mod units;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::SystemTime;

pub use counts::{BlockCounts, CountedFunction, CountedScript, Counts, RangeCount};
pub use deopts::{Deopt, DeoptKind, DeoptScript, Deopts, MegamorphicSite};
pub(crate) use places::PlaceTable;
pub use places::{PlaceId, Places, SeenPlace};
pub use population::{PERCENTILES, Percentiles, Population, Spread, Squares};
pub use rendering::{AskedFor, ForcedRendering, RenderingKind};
pub use sample::{FunctionId, OffStack, Sample, StackId, Weight, summed};
pub use sample_log::SampleLog;
pub use script::Script;
pub(crate) use small_numbers::SmallNumbers;
pub use stack_times::{StackTimes, StackTimesIter};
pub use strings::{StringId, Strings};
pub use units::{Amount, Position, Unit};

use crate::problem::Problem;

/// An index into [`Profile::resources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResourceId(pub u32);

/// A decoded trace: which stacks were seen, and how long.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// The format's display name: `cpuprofile`, `self-profiling`.
    pub format: &'static str,
    /// What was measured. In a profile of allocations, every [`Amount`] is a number of bytes.
    pub unit: Unit,
    /// All names and urls.
    pub strings: Strings,
    /// The urls or paths that the trace names, exactly as it writes them, each once.
    pub resources: Vec<StringId>,
    /// Functions, each (name, resource, position, kind, maker) once in each text of its script.
    pub functions: Vec<Function>,
    /// Stacks as a forest: a caller always has a lower index than its callees.
    pub stacks: Stacks,
    /// The threads, session by session, each session's main thread first.
    pub threads: Vec<Thread>,
    /// What the program or the browser marked on the axis of time, sorted by session and start.
    pub markers: Vec<Marker>,
    /// The sets of labels of samples, each once and sorted by key. The number of a set is its index here, and the first
    /// one has no labels. Empty if no sample has labels.
    pub label_sets: Vec<Vec<Label>>,
    /// Where functions were seen running, if the format tells.
    pub places: Places,
    /// Whether a place may be in code that was inlined into its function and written in another one, as with V8.
    pub inlines: bool,
    /// Places that the producer had already mapped (`$vscode` of vscode-js-debug), sorted by function.
    pub known_places: Vec<KnownPlace>,
    /// What the trace holds of the scripts that its functions were in.
    pub scripts: Vec<Script>,
    /// The script of each function, an index into `scripts`; sorted, and only for functions whose script is there.
    pub script_of: Vec<(FunctionId, u32)>,
    /// How often functions were called, if that was counted in another run.
    pub counts: Option<Arc<Counts>>,
    /// What V8's compiler did with functions, if that was logged in another run.
    pub deopts: Option<Arc<Deopts>>,
    /// Whether it only counts samples and does not say how long one is; each is then taken for 1 ms.
    pub counts_samples: bool,
    /// The commit from which the program was recorded, if the trace tells.
    pub checkout: Option<Checkout>,
    /// When it was recorded, if the trace tells.
    pub recorded: Option<SystemTime>,
    /// What was odd in the trace, and how it was read nonetheless.
    pub problems: Vec<Problem>,
    /// The traces that it was joined from, in order; empty if it is a single trace.
    pub joined: Vec<JoinedTrace>,
}

/// One of the traces that were joined into one profile; see [`Join`](crate::join::Join).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoinedTrace {
    /// The name of the trace for users.
    pub name: String,
    /// Its threads.
    pub threads: Range<usize>,
    /// Its resources, in its own order.
    pub resources: Vec<ResourceId>,
    /// Its functions, sorted.
    pub functions: Vec<FunctionId>,
}

/// The commit that was checked out when a program was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkout {
    /// The id of the commit, 40 or 64 hexadecimal digits.
    pub commit: Box<str>,
    /// Whether all tracked files were as committed; `None` if not known.
    pub clean: Option<bool>,
}

/// A function as the engine names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Function {
    /// Empty for anonymous functions and for the top level of a script.
    pub name: StringId,
    /// Where its script came from; `None` for native code and for code without an address.
    pub resource: Option<ResourceId>,
    /// Where the engine says that it is defined.
    pub defined_at: Option<Position>,
    /// The kind of code.
    pub kind: FunctionKind,
    /// The function that made its code, by `eval` or `new Function`, if the trace tells; it need not be on any stack.
    pub made_by: Option<FunctionId>,
}

/// What a function on a stack is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FunctionKind {
    /// JavaScript (or WebAssembly) of a resource, or of evaluated code without one.
    Script,
    /// The engine's or browser's own code: builtins, callbacks, pseudo functions in parentheses.
    Native,
    /// The garbage collector, put on top of the stack that it interrupted.
    GarbageCollector,
}

/// A forest of stacks in columns: stack `i` is `function[i]`, called from its caller. Traces have millions of them.
#[derive(Clone, Debug, Default)]
pub struct Stacks {
    /// The function that runs on top of each stack.
    pub function: Vec<FunctionId>,
    /// The caller of each stack; [`OUTERMOST`] if there is none.
    caller: Vec<u32>,
}

/// Stands for "no caller".
const OUTERMOST: u32 = u32::MAX;

impl Stacks {
    /// The stack below, which always has a lower index; `None` for the outermost function.
    pub fn caller(&self, stack: StackId) -> Option<StackId> {
        stack_or_none(self.caller[stack.0 as usize])
    }

    /// The caller of each stack, in order.
    pub fn callers(&self) -> impl DoubleEndedIterator<Item = Option<StackId>> + ExactSizeIterator + Clone {
        self.caller.iter().map(|&caller| stack_or_none(caller))
    }

    /// Adds a stack at the end.
    pub(crate) fn push(&mut self, caller: Option<StackId>, function: FunctionId) {
        self.caller.push(caller.map_or(OUTERMOST, |it| it.0));
        self.function.push(function);
    }

    /// Makes a table from columns of equal length, reusing their memory if possible.
    pub(crate) fn of(function: Vec<FunctionId>, caller: impl Iterator<Item = Option<StackId>>) -> Self {
        Self { function, caller: caller.map(|it| it.map_or(OUTERMOST, |it| it.0)).collect() }
    }
}

fn stack_or_none(caller: u32) -> Option<StackId> {
    (caller != OUTERMOST).then_some(StackId(caller))
}

/// One thread of one session.
#[derive(Clone, Debug, Default)]
pub struct Thread {
    /// Display name: `main`, `worker.js`; may be empty.
    pub name: String,
    /// The number of its session, from 0. Threads of one session ran side by side; those of different sessions never did.
    pub session: u32,
    /// The number of its process, from 0; 0 if the trace does not tell.
    pub process: u32,
    /// Whether JavaScript ran on it.
    pub ran_script: bool,
    /// Whether it is another profile of an earlier thread: the two are alternatives and are never added up.
    pub repeats: bool,
    /// What its weights count; see [`Profile::unit`].
    pub unit: Unit,
    /// Number of samples, with and without a stack.
    pub samples: u64,
    /// When its first sample was taken, relative to the earliest sample of its session; `None` in formats without a time axis.
    pub start: Option<Amount>,
    /// Time from the first sample to the end of the last; if bytes are counted, the sum of all of them.
    pub duration: Amount,
    /// The median distance between samples; `None` if there are fewer than two.
    pub interval: Option<Amount>,
    /// Time with exactly this stack, sorted by stack, each once.
    pub on_stack: StackTimes,
    /// Time that belongs to no stack.
    pub off_stack: BTreeMap<OffStack, Weight>,
    /// The functions that were seen in long tasks, each with the numbers of these tasks on the thread, in order; `None`
    /// if the trace has no tasks.
    pub in_long_tasks: Option<Vec<(FunctionId, Vec<u32>)>>,
    /// Style and layout that its functions forced, in order of time; only if the trace has such events.
    pub forced: Vec<ForcedRendering>,
    /// All samples once more, one by one as they came: in order of time if `start` is known. Samples that say where they
    /// were have their places.
    pub in_order: SampleLog,
    /// How often stacks were seen at places, if the trace only counts that; sorted by stack and line.
    pub ticks: Vec<PlaceTicks>,
    /// Self time by stack and place, sorted, each once. Only set if stacks were changed and their samples were not kept.
    pub on_place: Vec<(StackId, PlaceId, Weight)>,
    /// The sessions that it is a sum over; `None` for a thread of a single session.
    pub population: Option<Population>,
}

impl Thread {
    /// All its time.
    pub fn all(&self) -> Amount {
        self.sums().map(|it| it.weight.time).sum()
    }

    /// The number of sessions that its time is from.
    pub fn sessions(&self) -> u64 {
        self.population.as_ref().map_or(1, |it| it.sessions)
    }

    /// All its time except idle time and samples without a stack.
    pub fn active(&self) -> Amount {
        let active =
            self.sums().filter(|sample| !matches!(sample.on, Err(OffStack::Idle | OffStack::NoStack)));
        active.map(|sample| sample.weight.time).sum()
    }

    /// The sum of the squared weights of its samples, in square nanoseconds: lowest if all have the same weight.
    pub fn squares(&self) -> f64 {
        self.in_order.iter().map(|it| (it.weight.time.0 as f64).powi(2)).sum()
    }

    /// The sums: by stack, each once, followed by those without a stack.
    pub fn sums(&self) -> impl Iterator<Item = Sample> {
        let on_stack = self.on_stack.iter().map(|(stack, weight)| Sample { on: Ok(stack), weight });
        on_stack.chain(self.off_stack.iter().map(|(&why, &weight)| Sample { on: Err(why), weight }))
    }
}

impl MarkerKind {
    /// All kinds, in order of their number.
    pub(crate) const ALL: [Self; 5] =
        [Self::UserTiming, Self::Interaction, Self::LongTask, Self::Navigation, Self::Other];
}

/// A named span of time of a session, or a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marker {
    /// Its name.
    pub name: StringId,
    /// What created it.
    pub kind: MarkerKind,
    /// The number of the session; see [`Thread::session`].
    pub session: u32,
    /// The number of its process; see [`Thread::process`].
    pub process: u32,
    /// Its start on the axis of [`Thread::start`].
    pub start: Amount,
    /// How long it took; 0 for a moment.
    pub duration: Amount,
}

/// What created a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MarkerKind {
    /// The program, by `performance.mark` or `performance.measure`.
    UserTiming,
    /// The user, by a click or a key press: until the page had drawn the result.
    Interaction,
    /// A task of more than 50 ms.
    LongTask,
    /// A page was opened.
    Navigation,
    /// Anything else that the trace has as a marker.
    Other,
}

/// The key and value of a sample's label: what the program said about itself when the sample was taken, such as a request.
pub type Label = (StringId, StringId);

/// How often a stack's top function was seen running at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlaceTicks {
    /// The stack.
    pub stack: StackId,
    /// The place.
    pub place: PlaceId,
    /// Number of ticks: a share of the stack's self time, not a time by itself.
    pub ticks: u32,
}

/// A place of a function in a file that the producer of the trace had looked up itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownPlace {
    /// The function.
    pub function: FunctionId,
    /// A path on the disk of the machine on which it was recorded.
    pub path: String,
    /// The place in that file.
    pub position: Position,
}

impl Profile {
    /// A function's name; empty if it has none.
    pub fn name(&self, function: FunctionId) -> &str {
        self.strings.get(self.functions[function.0 as usize].name)
    }

    /// Everything that was measured: every thread, once.
    pub fn measured(&self) -> impl Iterator<Item = &Thread> + Clone {
        self.threads.iter().filter(|it| !it.repeats)
    }

    /// The main thread of each session.
    pub fn main_threads(&self) -> impl Iterator<Item = &Thread> + Clone {
        self.threads.chunk_by(|a, b| a.session == b.session).filter_map(|session| session.first())
    }

    /// The number of sessions that are told apart: many sessions of which there is only a sum count as one.
    pub fn sessions(&self) -> usize {
        self.main_threads().count()
    }

    /// The url or path of a function's script, exactly as the trace writes it.
    pub fn resource(&self, function: FunctionId) -> Option<&str> {
        let resource = self.functions[function.0 as usize].resource?;
        Some(self.strings.get(self.resources[resource.0 as usize]))
    }

    /// What the trace holds of a function's script, as an index into [`Profile::scripts`].
    pub fn script(&self, function: FunctionId) -> Option<usize> {
        let at = self.script_of.binary_search_by_key(&function, |it| it.0).ok()?;
        Some(self.script_of[at].1 as usize)
    }
}
