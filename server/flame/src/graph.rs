//! A recording as a flame graph: its functions, its stacks by what the functions stand for, and the sums and order of each thread.

use analysis::files::FilePath;
use analysis::recording::Recording;
use analysis::summary::Base;
use profile::model::{Amount, MarkerKind, OffStack, Profile, StackId, Thread, Unit, Weight, summed};
use profile::scope::Selection;

use crate::functions::{Category, FlameFunction, NumberedFunctions};
use crate::stacks::{Became, FlameStacks};
use crate::stretches::{Stretch, stretches};

/// How many threads can be chosen from; in recordings with more sessions the others are combined into one.
const MAX_THREADS: usize = 1000;
/// How many markers are shown: the longest ones.
const MAX_MARKERS: usize = 5000;

/// Everything that a flame graph shows.
#[derive(Clone, Debug, Default)]
pub struct FlameGraph {
    /// What it was made from, for people.
    pub title: String,
    /// Which part of it is shown, in words, if that is not all of it.
    pub scope: Option<String>,
    /// What was measured; if that is bytes, every [`Amount`] in here is a number of bytes.
    pub unit: Unit,
    /// What 100 % is.
    pub base: Base,
    /// The workspace folder, to which the files of functions are relative.
    pub folder: String,
    /// What the frames are.
    pub functions: Vec<FlameFunction>,
    /// The stacks of all threads.
    pub stacks: FlameStacks,
    /// The threads that are in scope.
    pub threads: Vec<FlameThread>,
    /// The markers of their sessions, by session and start.
    pub markers: Vec<FlameMarker>,
    /// The number of shorter markers that are not shown.
    pub markers_left_out: usize,
    /// What it is compared with, if it is.
    pub comparison: Option<FlameComparison>,
}

/// What is known about a comparison as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlameComparison {
    /// The names of both sides for people: before and after.
    pub titles: [String; 2],
    /// The number of runs of each side, of which its times are means.
    pub runs: [u64; 2],
}

/// A thread of a flame graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlameThread {
    /// Its name for people.
    pub name: String,
    /// The number of its session, from 0.
    pub session: u32,
    /// When its first sample was taken, since the earliest of its session; `None` without an axis of time.
    pub start: Option<Amount>,
    /// Self time by stack, exact and sorted by stack; time without a stack is on a stack of its own.
    pub sums: Vec<(u32, Weight)>,
    /// The same for the side before, in a comparison.
    pub before: Vec<(u32, Weight)>,
    /// The order of time, where it is known.
    pub(crate) stretches: Vec<Stretch>,
    /// What is shorter than so many nanoseconds was merged with its neighbours in the order of time; 0 if nothing was.
    pub step: u64,
}

/// A named span or moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlameMarker {
    /// Its name.
    pub name: String,
    /// What set it.
    pub kind: MarkerKind,
    /// The number of its session, as that of threads.
    pub session: u32,
    /// Its start on the session's time axis.
    pub start: Amount,
    /// How long it took; 0 for a moment.
    pub duration: Amount,
}

/// Sums of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amounts {
    /// The number of samples.
    pub samples: u64,
    /// The time in which something ran.
    pub active: Amount,
    /// The rest.
    pub idle: Amount,
}

impl FlameGraph {
    /// The flame graph of a recording, with at most about `max_stretches` stretches in the order of time. Paths of files are relative to the
    /// folder.
    pub fn of(recording: &Recording, folder: &FilePath, max_stretches: u64) -> Self {
        let scopes = recording.traces.iter().filter_map(|trace| trace.scope.clone());
        let mut graph = Self {
            title: recording.title(),
            scope: scopes.reduce(|all, scope| if all == scope { all } else { format!("{all}; {scope}") }),
            unit: recording.unit,
            folder: folder.to_string(),
            ..Self::default()
        };
        let mut functions = Functions::default();
        let step = step(recording, max_stretches);
        recording.call_stacks.each_in_order(|(name, profile), selection, key_of| {
            let name = (recording.traces.len() > 1).then_some(name);
            let stacks = graph.stacks.add(selection, |function| {
                functions.of_key(key_of[function.0 as usize], |key| match recording.call_stacks.end(key) {
                    Some(end) => FlameFunction::of(recording, end, folder),
                    None => FlameFunction::off_stack(OffStack::Unknown),
                })
            });
            let off_stack = functions.numbered.off_stack();
            graph.add_threads(name, profile, selection, &Became { stacks, off_stack }, step);
        });
        graph.functions = functions.numbered.all;
        graph.keep_longest_markers();
        graph.join_threads();
        graph
    }

    /// What the sums of a thread, or of one side of it, add up to.
    pub fn amounts(&self, sums: &[(u32, Weight)]) -> Amounts {
        let mut amounts = Amounts::default();
        for &(stack, weight) in sums {
            amounts.samples += weight.samples;
            let function = &self.functions[self.stacks.function[stack as usize] as usize];
            let sum =
                if function.category == Category::Idle { &mut amounts.idle } else { &mut amounts.active };
            *sum += weight.time;
        }
        amounts
    }

    fn add_threads(
        &mut self,
        trace: Option<&str>,
        profile: &Profile,
        selection: &Selection<'_>,
        became: &Became,
        step: u64,
    ) {
        let first_session = self.threads.iter().map(|thread| thread.session + 1).max().unwrap_or(0);
        for (thread, &role) in selection.threads.iter().zip(&selection.role_of) {
            let trace = joined_trace_of(profile, thread.session).or(trace);
            let role = &selection.roles[role as usize];
            let own_name = if thread.name.is_empty() { role } else { &thread.name };
            let stacks = &mut self.stacks;
            let sums = thread.sums().map(|sum| (stacks.place(sum.on, became), sum.weight));
            self.threads.push(FlameThread {
                name: trace.map_or_else(|| own_name.clone(), |trace| format!("{trace}, {own_name}")),
                session: first_session + thread.session,
                start: thread.start,
                sums: summed(sums.collect()),
                stretches: in_order(thread, |on| stacks.place(on, became), step),
                step,
                ..FlameThread::default()
            });
        }
        let sessions: Vec<u32> = selection.threads.iter().map(|thread| thread.session).collect();
        let shown = profile.markers.iter().filter(|marker| sessions.contains(&marker.session));
        self.markers.extend(shown.map(|marker| FlameMarker {
            name: profile.strings.get(marker.name).to_owned(),
            kind: marker.kind,
            session: first_session + marker.session,
            start: marker.start,
            duration: marker.duration,
        }));
    }

    fn keep_longest_markers(&mut self) {
        self.markers_left_out = self.markers.len().saturating_sub(MAX_MARKERS);
        if self.markers_left_out > 0 {
            self.markers.sort_by_key(|marker| std::cmp::Reverse(marker.duration));
            self.markers.truncate(MAX_MARKERS);
        }
        self.markers.sort_by_key(|marker| (marker.session, marker.start));
    }

    /// Combines the threads with the least active time into one.
    pub(crate) fn join_threads(&mut self) {
        if self.threads.len() <= MAX_THREADS {
            return;
        }
        let active: Vec<Amount> = self
            .threads
            .iter()
            .map(|thread| self.amounts(&thread.sums).active + self.amounts(&thread.before).active)
            .collect();
        let mut order: Vec<usize> = (0..self.threads.len()).collect();
        order.sort_by_key(|&index| (std::cmp::Reverse(active[index]), index));
        let others: Vec<usize> = order.split_off(MAX_THREADS - 1);
        let sums =
            summed(others.iter().flat_map(|&index| self.threads[index].sums.iter().copied()).collect());
        let before =
            summed(others.iter().flat_map(|&index| self.threads[index].before.iter().copied()).collect());
        let name = format!("{} more threads", others.len());
        order.sort_unstable();
        let mut threads: Vec<_> =
            order.into_iter().map(|index| std::mem::take(&mut self.threads[index])).collect();
        threads.push(FlameThread { name, sums, before, ..FlameThread::default() });
        self.threads = threads;
    }
}

/// The functions of a graph, each with a number on its first use.
#[derive(Default)]
struct Functions {
    numbered: NumberedFunctions,
    of_key: Vec<Option<u32>>,
}

impl Functions {
    fn of_key(&mut self, key: u32, function: impl FnOnce(u32) -> FlameFunction) -> u32 {
        let index = key as usize;
        if self.of_key.len() <= index {
            self.of_key.resize(index + 1, None);
        }
        *self.of_key[index].get_or_insert_with(|| self.numbered.add(function(key)))
    }
}

/// The name of the trace that a session comes from, if several were joined.
fn joined_trace_of(profile: &Profile, session: u32) -> Option<&str> {
    let later = profile.joined.partition_point(|trace| {
        let first = profile.threads.get(trace.threads.start);
        first.map_or(0, |thread| thread.session) <= session
    });
    Some(profile.joined[later.checked_sub(1)?].name.as_str())
}

/// The step in which the order of time is kept, so that there are not many more stretches than that.
fn step(recording: &Recording, max_stretches: u64) -> u64 {
    if recording.samples() <= max_stretches {
        return 0;
    }
    let all: u64 = recording.summary.threads.values().map(|thread| thread.all.0).sum();
    (all / max_stretches.max(1)).saturating_mul(2).max(1)
}

fn in_order(
    thread: &Thread,
    mut place: impl FnMut(Result<StackId, OffStack>) -> u32,
    step: u64,
) -> Vec<Stretch> {
    if thread.start.is_none() {
        return Vec::new();
    }
    let samples = thread.in_order.with_times();
    stretches(samples.map(|(taken, sample)| (taken, place(sample.on), sample.weight.time.0)), step).collect()
}
