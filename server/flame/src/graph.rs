//! A recording as a flame graph: its functions, its stacks by what functions stand for, and of each thread the sums and the order.

use analysis::{Base, FilePath, Recording};
use profile::{
    Amount, JoinedTrace, MarkerKind, OffStack, Profile, Selection, StackId, Thread, Unit, Weight, summed,
};

use crate::functions::{Category, FlameFunction};
use crate::runs::{Run, runs};
use crate::stacks::FlameStacks;

/// So many threads can be chosen from; of recordings with more sessions the others are one.
const MAX_THREADS: usize = 1000;
/// So many markers are shown: the longest.
const MAX_MARKERS: usize = 5000;

/// All that a flame graph shows.
#[derive(Clone, Debug, Default)]
pub struct FlameGraph {
    /// What it is of, for people.
    pub title: String,
    /// What part of it is looked at, in words, where it is not all.
    pub scope: Option<String>,
    /// What was measured; if that is bytes, every [`Amount`] in here is a number of bytes.
    pub unit: Unit,
    /// What 100 % is.
    pub base: Base,
    /// The workspace folder, to which the files of functions are relative.
    pub folder: String,
    /// What frames are.
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

/// What is known of a comparison as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlameComparison {
    /// What the sides are of, for people: before and after.
    pub titles: [String; 2],
    /// The number of runs of each side, of which its times are means.
    pub runs: [u64; 2],
}

/// A thread of a flame graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlameThread {
    /// What to call it.
    pub name: String,
    /// The number of its session, from 0.
    pub session: u32,
    /// When its first sample was taken, since the earliest of its session; `None` without an axis of time.
    pub start: Option<Amount>,
    /// Self time by stack, exactly, sorted by stack; time on no stack is on a stack of its own.
    pub sums: Vec<(u32, Weight)>,
    /// The same of the side before, in a comparison.
    pub before: Vec<(u32, Weight)>,
    /// The order of time, where it is known.
    pub(crate) runs: Vec<Run>,
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
    /// Its start on the axis of the session.
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
    /// The flame graph of a recording, with about so many runs at most in the order of time. Paths of files are relative to the folder.
    pub fn of(recording: &Recording, folder: &FilePath, max_runs: u64) -> Self {
        let scopes = recording.traces.iter().filter_map(|it| it.scope.clone());
        let mut graph = Self {
            title: recording.title(),
            scope: scopes.reduce(|all, it| if all == it { all } else { format!("{all}; {it}") }),
            unit: recording.unit,
            folder: folder.to_string(),
            ..Self::default()
        };
        let mut functions = Functions::default();
        let step = step(recording, max_runs);
        recording.call_stacks.each_in_order(|(name, profile), selection, key_of| {
            let name = (recording.traces.len() > 1).then_some(name);
            let became = graph.add_stacks(selection, |function| {
                functions.of_key(key_of[function.0 as usize], |key| {
                    let end = recording.call_stacks.end(key);
                    end.map_or_else(
                        || FlameFunction::off_stack(OffStack::Unknown),
                        |end| FlameFunction::of(recording, end, folder),
                    )
                })
            });
            let off_stack = OffStack::ALL.map(|why| functions.of_time_off_stack(why));
            graph.add_threads(name, profile, selection, &became, &off_stack, step);
        });
        graph.functions = functions.all;
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

    /// By stack of the selection: the stack of the graph.
    fn add_stacks(
        &mut self,
        selection: &Selection<'_>,
        function: impl FnMut(profile::FunctionId) -> u32,
    ) -> Vec<u32> {
        let used = selection.threads.iter().flat_map(|it| it.on_stack.iter().map(|it| it.0));
        self.stacks.add(&selection.stacks, used, function)
    }

    fn add_threads(
        &mut self,
        trace: Option<&str>,
        profile: &Profile,
        selection: &Selection<'_>,
        became: &[u32],
        off_stack: &[u32; OffStack::ALL.len()],
        step: u64,
    ) {
        let first_session = self.threads.iter().map(|it| it.session + 1).max().unwrap_or(0);
        // Of traces that were joined each session is of one of them.
        let first_of = |it: &JoinedTrace| profile.threads.get(it.threads.start).map_or(0, |it| it.session);
        let of_session = |session: u32| {
            let part = profile.joined.partition_point(|it| first_of(it) <= session).checked_sub(1);
            part.map(|it| profile.joined[it].name.as_str())
        };
        for (thread, &role) in selection.threads.iter().zip(&selection.role_of) {
            let trace = of_session(thread.session).or(trace);
            let role = &selection.roles[role as usize];
            let name = if thread.name.is_empty() { role } else { &thread.name };
            let name = trace.map_or_else(|| name.clone(), |trace| format!("{trace}, {name}"));
            let mut place = |on: Result<StackId, OffStack>| match on {
                Ok(stack) => became[stack.0 as usize],
                Err(why) => self.stacks.intern(None, off_stack[why as usize]),
            };
            let sums = summed(thread.sums().map(|it| (place(it.on), it.weight)).collect());
            let runs = in_order(thread, &mut place, step);
            let session = first_session + thread.session;
            let start = thread.start;
            self.threads.push(FlameThread {
                name,
                session,
                start,
                sums,
                runs,
                step,
                ..FlameThread::default()
            });
        }
        let sessions: Vec<u32> = selection.threads.iter().map(|it| it.session).collect();
        let shown = profile.markers.iter().filter(|it| sessions.contains(&it.session));
        self.markers.extend(shown.map(|it| FlameMarker {
            name: profile.strings.get(it.name).to_owned(),
            kind: it.kind,
            session: first_session + it.session,
            start: it.start,
            duration: it.duration,
        }));
    }

    fn keep_longest_markers(&mut self) {
        self.markers_left_out = self.markers.len().saturating_sub(MAX_MARKERS);
        if self.markers_left_out > 0 {
            self.markers.sort_by_key(|it| std::cmp::Reverse(it.duration));
            self.markers.truncate(MAX_MARKERS);
        }
        self.markers.sort_by_key(|it| (it.session, it.start));
    }

    /// Makes the threads with the least active time one.
    pub(crate) fn join_threads(&mut self) {
        if self.threads.len() <= MAX_THREADS {
            return;
        }
        let active = |it: &FlameThread| self.amounts(&it.sums).active + self.amounts(&it.before).active;
        let active: Vec<Amount> = self.threads.iter().map(active).collect();
        let mut order: Vec<usize> = (0..self.threads.len()).collect();
        order.sort_by_key(|&it| (std::cmp::Reverse(active[it]), it));
        let others: Vec<usize> = order.split_off(MAX_THREADS - 1);
        let sums = summed(others.iter().flat_map(|&it| self.threads[it].sums.iter().copied()).collect());
        let before = summed(others.iter().flat_map(|&it| self.threads[it].before.iter().copied()).collect());
        let name = format!("{} more threads", others.len());
        order.sort_unstable();
        let mut threads: Vec<_> = order.into_iter().map(|it| std::mem::take(&mut self.threads[it])).collect();
        threads.push(FlameThread { name, sums, before, ..FlameThread::default() });
        self.threads = threads;
    }
}

/// The functions of a graph, each with a number on its first use.
#[derive(Default)]
struct Functions {
    all: Vec<FlameFunction>,
    of_key: Vec<Option<u32>>,
    off_stack: [Option<u32>; OffStack::ALL.len()],
}

impl Functions {
    fn of_key(&mut self, key: u32, function: impl FnOnce(u32) -> FlameFunction) -> u32 {
        let index = key as usize;
        if self.of_key.len() <= index {
            self.of_key.resize(index + 1, None);
        }
        *self.of_key[index].get_or_insert_with(|| {
            self.all.push(function(key));
            self.all.len() as u32 - 1
        })
    }

    fn of_time_off_stack(&mut self, why: OffStack) -> u32 {
        *self.off_stack[why as usize].get_or_insert_with(|| {
            self.all.push(FlameFunction::off_stack(why));
            self.all.len() as u32 - 1
        })
    }
}

/// The step in which the order of time is kept, so that there are about so many runs at most.
fn step(recording: &Recording, max_runs: u64) -> u64 {
    if recording.samples() <= max_runs {
        return 0;
    }
    let all: u64 = recording.summary.threads.values().map(|it| it.all.0).sum();
    (all / max_runs.max(1)).saturating_mul(2).max(1)
}

fn in_order(
    thread: &Thread,
    place: &mut impl FnMut(Result<StackId, OffStack>) -> u32,
    step: u64,
) -> Vec<Run> {
    if thread.start.is_none() {
        return Vec::new();
    }
    let samples = thread.in_order.with_times();
    runs(samples.map(|(taken, it)| (taken, place(it.on), it.weight.time.0)), step).collect()
}
