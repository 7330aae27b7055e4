//! One loaded trace with everything derived from it, and the function that derives it: [`load`].

mod problems;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::SystemTime;

use profile::model::{Amount, Checkout, FunctionId, Profile, Thread, Unit};
use profile::problem::Problem;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::counts::{CallCounts, CountedDefinition};
use crate::deopts::{CompiledDefinition, CompilerLog};
use crate::files::{FilePath, Files};
use crate::format;
use crate::locate::UnplacedReason;
use crate::rendering::{ForcedByFunction, Rendering};
use crate::scope::{LostChange, Scope, StackChange};
use crate::summary::{CallEnd, CallStacks, DefinitionKey, Keys, Measured, Summary, sessions, summarize};
use crate::symbolicate::{LoadSettings, SourceText, Symbols};
use crate::together::{Placed, place};
use problems::{lost_maps, placement_problems, text_problem};

pub use problems::{LostMap, WRITE_OUT, to_build_with, what_is_lost};

use profile::scope::{
    LabelSum, MarkerChoice, Selection, ThreadInfo, Threads, choice, label_sums, marker_choices, thread_names,
};

/// One trace, or the sum of several, placed in the workspace. Immutable, and shared through an `Arc`.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// The traces that it was made from; more than one for a sum.
    pub traces: Vec<TraceInfo>,
    /// What all of them measured. If it is bytes, every [`Amount`] here is a number of bytes.
    pub unit: Unit,
    /// The texts of the files in which functions were placed, as they were when the trace was loaded.
    pub files: BTreeMap<FilePath, Arc<SourceText>>,
    /// The workspace files that ran, and whether they were generated.
    pub scripts: BTreeMap<FilePath, Origin>,
    /// What everything cost.
    pub summary: Summary,
    /// The stacks from which call trees are computed.
    pub call_stacks: CallStacks,
    /// The rank of each definition by self time; 1 is the hottest.
    pub ranks: FxHashMap<DefinitionKey, u32>,
    /// Source maps that could not be used, the costliest first.
    pub lost_maps: Vec<LostMap>,
    /// Self time of functions in texts that were transformed in memory, which are found by their order or their names.
    pub transformed: Amount,
    /// What the user should know: problems of the trace, and of placing it.
    pub problems: Vec<Problem>,
    /// How often definitions were called, if that was counted in another run for everything that its traces measured.
    pub counts: Option<Arc<CallCounts>>,
    /// What V8's compiler did with definitions, if that was logged in another run for any of its traces.
    pub deopts: Option<Arc<CompilerLog>>,
    /// Style and layout that functions forced, if its traces say that any did.
    pub rendering: Option<Rendering>,
    /// Requested changes of its stacks that could be made in none of the traces; a problem reports each.
    pub lost_changes: Vec<LostChange>,
}

/// Where a text that ran comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It was written by hand, as far as is known.
    Written,
    /// It was built from other sources, no matter whether its source map could be used.
    Generated,
}

/// How many markers are offered at most.
const MAX_MARKERS: usize = 50;

/// Facts about a trace as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceInfo {
    /// Its path as the user knows it.
    pub name: String,
    /// Its format: `cpuprofile`, `self-profiling`.
    pub format: &'static str,
    /// The commit from which it was recorded, if it says so.
    pub checkout: Option<Checkout>,
    /// When it was recorded, if it says so.
    pub recorded: Option<SystemTime>,
    /// Number of samples of the threads that are added up.
    pub samples: u64,
    /// The duration of the longest thread; 0 if bytes were counted.
    pub duration: Amount,
    /// The median time between samples, of the thread with the most samples.
    pub interval: Option<Amount>,
    /// Number of threads in the trace.
    pub threads: usize,
    /// The names of the threads that are added up, if the trace has others.
    pub in_scope: Vec<String>,
    /// Number of sessions to which these threads belong.
    pub sessions: usize,
    /// Which part of it was looked at, if not all: `1.2 s to 3.4 s`, `checkout (3 times, 812 ms)`.
    pub scope: Option<String>,
    /// Whether that part lacks the callers of a function that is looked at; see
    /// [`StackChange::cuts_callers`](crate::scope::StackChange::cuts_callers).
    pub cuts_callers: bool,
    /// The markers from which a window of time can be made.
    pub markers: Vec<MarkerChoice>,
    /// What its samples cost by label, in the part that was looked at.
    pub labels: Vec<LabelSum>,
    /// The labels that can be chosen, by key and then costliest first: `endpoint=/cart`.
    pub label_names: Vec<String>,
    /// What to call the threads that these costs are from, if the trace has others to choose from: `main and 2 more threads`.
    pub shown_threads: Option<String>,
    /// The threads that the user can choose from, if there are several.
    pub choice: Vec<ThreadInfo>,
    /// Whether it tells on which lines functions were seen running.
    pub has_lines: bool,
    /// Whether it only counts samples; see [`Profile::counts_samples`].
    pub counts_samples: bool,
}

/// Places a profile in the workspace and adds up the costs of a part of it. This covers everything from a decoded trace
/// to the value that views are asked about.
pub fn load(
    name: &str,
    profile: &Arc<Profile>,
    scope: &Scope,
    files: &dyn Files,
    settings: &LoadSettings<'_>,
) -> Recording {
    let placed = place(profile, files, settings);
    Recording::sum(placed.iter().map(|it| add_up(name, it, scope)))
}

/// The part of [`load`] that depends on the scope.
pub fn add_up(name: &str, placed: &Placed, scope: &Scope) -> Recording {
    let Placed { profile, symbols, counts, deopts } = placed;
    let mut keys = Keys::of(profile, symbols);
    let mut scope = scope.clone();
    let (selection, transforms, lost_changes) = scope.apply(profile, &mut keys);
    let mut summary = summarize(profile.unit, &selection, symbols, &keys);
    let rendering = Rendering::of(profile, &selection, symbols, &keys);
    let lost_maps = lost_maps(symbols, &summary);
    let mut problems = profile.problems.clone();
    let unit = profile.unit;
    problems.extend(placement_problems(&summary, unit, &lost_maps, &symbols.folders));
    problems.extend(lost_changes.iter().map(LostChange::ignored));
    problems.extend(scope.problem(&selection));
    problems.extend(symbols.scripts.iter().filter_map(text_problem));
    let is_part = !scope.is_whole() || !scope.changes.is_empty();
    let counts = counts.as_ref().filter(|_| !is_part && leaves_out_none(&scope.threads, profile));
    problems.extend(
        counts.into_iter().flat_map(|it| it.problems.iter().cloned().chain(it.disagreement(&summary))),
    );
    problems.extend(deopts.iter().flat_map(|deopts| deopts.problems.iter().cloned()));
    if counts.is_none() && placed.counts.is_some() {
        problems.push(Problem::new(
            "calls were counted in a whole run, and nobody knows how many are of this part",
            "look at all of it to see them",
        ));
    }
    problems.iter_mut().filter(|it| it.place.is_empty()).for_each(|it| it.place = name.to_string());
    let traces = traces(name, profile, &scope, &selection);
    let ranks = ranks(&summary);
    let transformed = transformed(&selection, symbols);
    let (scripts, files) = (origins(symbols), symbols.files.clone());
    let part = is_part.then(|| selection.stacks_and_times());
    // If stacks were changed, the start of a run is not a call.
    let has_stretches = summary.is_sampled && transforms.is_empty();
    let samples = scope.samples(profile, transforms);
    if has_stretches {
        summary.count_stretches_in(&samples, &keys);
    }
    let call_stacks = CallStacks::of(name, samples, part, keys);
    Recording {
        traces,
        unit,
        files,
        scripts,
        summary,
        call_stacks,
        ranks,
        lost_maps,
        transformed,
        problems,
        counts: counts.cloned(),
        deopts: deopts.clone(),
        rendering,
        lost_changes,
    }
}

/// Whether JavaScript ran on no other threads.
fn leaves_out_none(threads: &Threads, profile: &Profile) -> bool {
    let chosen = threads.indices(profile);
    let all = profile.threads.iter().enumerate().filter(|(_, it)| it.ran_script && !it.repeats);
    all.map(|it| it.0).all(|index| chosen.contains(&index))
}

/// The trace of a profile, or those that it was joined from.
fn traces(name: &str, profile: &Profile, scope: &Scope, selection: &Selection<'_>) -> Vec<TraceInfo> {
    let threads = &scope.threads;
    let info = |added: &[Cow<'_, Thread>]| {
        let timed = added.iter().filter(|_| profile.unit == Unit::Time);
        TraceInfo {
            name: name.to_string(),
            format: profile.format,
            checkout: profile.checkout.clone(),
            recorded: profile.recorded,
            samples: added.iter().map(|it| it.samples).sum(),
            duration: timed.map(|it| it.duration).max().unwrap_or_default(),
            interval: added.iter().max_by_key(|it| it.samples).and_then(|it| it.interval),
            threads: profile.threads.len(),
            sessions: added.chunk_by(|a, b| a.session == b.session).count(),
            scope: scope.words(),
            cuts_callers: scope.changes.iter().any(StackChange::cuts_callers),
            has_lines: !profile.places.is_empty(),
            counts_samples: profile.counts_samples,
            ..TraceInfo::default()
        }
    };
    if profile.joined.is_empty() {
        return vec![TraceInfo {
            in_scope: in_scope(profile, threads),
            markers: marker_choices(profile, threads, MAX_MARKERS),
            labels: label_sums(profile, &scope.of(profile).threads),
            label_names: label_names(profile, threads),
            shown_threads: threads.shown(profile).or_else(|| condition(selection)),
            sessions: sessions(selection) as usize,
            choice: choice(profile, threads),
            ..info(&selection.threads)
        }];
    }
    // The threads that are added up are in the order of the profile, and so are the traces.
    let indices = threads.indices(profile);
    let traces = profile.joined.iter().filter_map(|it| {
        let [first, end] =
            [it.threads.start, it.threads.end].map(|end| indices.partition_point(|it| *it < end));
        let threads = it.threads.len();
        (first < end).then(|| TraceInfo {
            name: it.name.clone(),
            threads,
            ..info(&selection.threads[first..end])
        })
    });
    traces.collect()
}

/// The labels that can be chosen among the samples of these threads.
fn label_names(profile: &Profile, threads: &Threads) -> Vec<String> {
    let sums = label_sums(profile, &Selection::of(profile, threads).threads);
    sums.iter().filter_map(LabelSum::name).collect()
}

/// Which sessions a sum over many is from, if not all.
fn condition(selection: &Selection<'_>) -> Option<String> {
    let condition = selection.threads.first()?.population.as_ref()?.condition.to_string();
    (!condition.is_empty()).then_some(condition)
}

/// The names of the threads that are added up; empty if these are all.
fn in_scope(profile: &Profile, threads: &Threads) -> Vec<String> {
    let indices = threads.indices(profile);
    if indices.len() == profile.threads.len() {
        return Vec::new();
    }
    let mut names = thread_names(profile);
    indices.into_iter().map(|it| std::mem::take(&mut names[it])).collect()
}

impl Recording {
    /// The sum of recordings of one workspace that all measured in the same unit.
    pub fn sum(recordings: impl IntoIterator<Item = Self>) -> Self {
        let mut recordings = recordings.into_iter();
        let mut sum = recordings.next().unwrap_or_default();
        let (mut number, mut counted) = (1, usize::from(sum.counts.is_some()));
        for mut it in recordings {
            sum.settle_lost_changes(&mut it);
            sum.traces.extend(it.traces);
            sum.files.extend(it.files);
            sum.scripts.extend(it.scripts);
            sum.summary += it.summary;
            sum.call_stacks.add(it.call_stacks);
            sum.lost_maps.extend(it.lost_maps);
            sum.transformed += it.transformed;
            sum.problems.extend(it.problems);
            if let Some(added) = it.rendering {
                sum.rendering.get_or_insert_default().add_all(added);
            }
            sum.deopts = both(sum.deopts.take(), it.deopts, CompilerLog::add);
            number += 1;
            counted += usize::from(it.counts.is_some());
            sum.counts = both(sum.counts.take(), it.counts, CallCounts::add);
        }
        if number > 1 {
            sum.ranks = ranks(&sum.summary);
            // A time of several runs does not match the calls of only some of them.
            if counted > 0 && counted < number {
                sum.counts = None;
                let what =
                    format!("calls were counted for {counted} of {}", format::count(number as u64, "trace"));
                sum.problems
                    .push(Problem::new(what, "they are not shown; name only traces with counts to see them"));
            }
        }
        sum
    }

    /// How often a definition was called in the counted run; `None` if not known.
    pub fn calls(&self, key: &DefinitionKey) -> Option<u64> {
        Some(self.counted(key)?.calls)
    }

    /// The counts of a definition from another run; `None` if it was not counted.
    pub fn counted(&self, key: &DefinitionKey) -> Option<&CountedDefinition> {
        self.counts.as_ref()?.definitions.get(key)
    }

    /// What V8's compiler did with a definition in the logged run; `None` if not known.
    pub fn compiled(&self, key: &DefinitionKey) -> Option<&CompiledDefinition> {
        self.deopts.as_ref()?.definitions.get(key)
    }

    /// The style and layout that a definition forced.
    pub fn forced_by(&self, key: &DefinitionKey) -> Option<&ForcedByFunction> {
        self.rendering.as_ref()?.functions.get(&CallEnd::Definition(key.clone()))
    }

    /// Adds how often definitions were called in another run of everything that its traces measured.
    pub fn count(&mut self, counts: CallCounts) {
        self.problems.extend(counts.problems.iter().cloned().chain(counts.disagreement(&self.summary)));
        self.counts = Some(Arc::new(counts));
    }

    /// What is above functions that nothing called: its name, and what that means.
    pub fn entry(&self) -> (&'static str, &'static str) {
        if self.traces.iter().any(|it| it.cuts_callers) {
            ("(focus)", "its callers are outside of the focus")
        } else {
            ("(entry)", "an event, a timer or a finished promise")
        }
    }

    /// Prepares two recordings for addition if only one of them has the function that stacks are to be changed by. The
    /// other has no time below that function, and nothing to say.
    fn settle_lost_changes(&mut self, other: &mut Self) {
        let [is_empty, other_is_empty] = [(&*self, &*other), (&*other, &*self)].map(|(one, other)| {
            one.lost_changes.iter().any(|it| it.leaves_nothing() && !it.is_in(&other.lost_changes))
        });
        let of_other = std::mem::take(&mut other.lost_changes);
        let of_self = std::mem::take(&mut self.lost_changes);
        for (one, lost, others) in [(&mut *self, &of_self, &of_other), (other, &of_other, &of_self)] {
            for it in lost.iter().filter(|it| it.is_missing() && !it.is_in(others)) {
                let Problem { what, hint, .. } = it.ignored();
                one.problems.retain(|it| it.what != what || it.hint != hint);
            }
        }
        let mut all = of_self.clone();
        all.retain(|it| !it.is_missing() || it.is_in(&of_other));
        all.extend(of_other.into_iter().filter(|it| !it.is_missing() && !it.is_in(&of_self)));
        self.lost_changes = all;
        for (it, _) in [(&mut *self, is_empty), (other, other_is_empty)].into_iter().filter(|it| it.1) {
            it.summary = Summary { is_sampled: it.summary.is_sampled, ..Summary::default() };
            (it.call_stacks, it.transformed, it.rendering) = Default::default();
            it.traces.iter_mut().for_each(|it| it.samples = 0);
        }
    }

    /// A title for people: the file name of the trace and the chosen thread, or the number of traces.
    pub fn title(&self) -> String {
        let [one] = self.traces.as_slice() else {
            return format::count(self.traces.len() as u64, "trace");
        };
        let name = one.name.rsplit(['/', '\\']).next().unwrap_or(&one.name);
        one.shown_threads.as_ref().map_or_else(|| name.to_string(), |thread| format!("{name}, {thread}"))
    }

    /// The measured definitions of a file, by path.
    pub fn in_file<'a>(
        &'a self,
        file: &'a FilePath,
    ) -> impl Iterator<Item = (&'a DefinitionKey, &'a Measured)> {
        let first = DefinitionKey { file: file.clone(), path: "".into() };
        self.summary.definitions.range(first..).take_while(move |(it, _)| it.file == *file)
    }

    /// Number of sessions of all traces.
    pub fn sessions(&self) -> u64 {
        self.traces.iter().map(|it| it.sessions as u64).sum()
    }

    /// Number of samples of all traces.
    pub fn samples(&self) -> u64 {
        self.traces.iter().map(|it| it.samples).sum()
    }

    /// Whether any trace says on which lines functions were seen running.
    pub fn has_lines(&self) -> bool {
        self.traces.iter().any(|it| it.has_lines)
    }

    /// Resources without a file in the workspace, or with several candidates; each once.
    pub fn resources_outside(&self) -> Vec<&str> {
        use UnplacedReason::{Ambiguous, NotInWorkspace, OtherText};
        let resources = self
            .summary
            .unplaced
            .keys()
            .filter(|it| matches!(it.reason, NotInWorkspace | OtherText | Ambiguous))
            .filter_map(|it| it.resource.as_deref());
        let mut all: Vec<&str> = resources.collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// What is known of two recordings: the sum, if it is known of both.
fn both<T: Clone>(one: Option<Arc<T>>, other: Option<Arc<T>>, add: fn(&mut T, &T)) -> Option<Arc<T>> {
    match (one, other) {
        (Some(mut known), Some(added)) => {
            add(Arc::make_mut(&mut known), &added);
            Some(known)
        }
        (known, added) => known.or(added),
    }
}

/// The rank of each definition by self time, then by total time.
fn ranks(summary: &Summary) -> FxHashMap<DefinitionKey, u32> {
    let costs = summary.definitions.iter().map(|(key, it)| (it.cost.self_time, it.cost.total_time, key));
    let mut all: Vec<_> = costs.collect();
    all.sort_by(|a, b| (b.0, b.1).cmp(&(a.0, a.1)).then(a.2.cmp(b.2)));
    (1..).zip(all).map(|(rank, (.., key))| (key.clone(), rank)).collect()
}

/// The workspace files that ran, and where their texts come from.
fn origins(symbols: &Symbols) -> BTreeMap<FilePath, Origin> {
    let origins = symbols.scripts.iter().filter_map(|it| {
        let origin = if it.map.as_ref()?.is_generated() { Origin::Generated } else { Origin::Written };
        Some((it.file.clone()?, origin))
    });
    origins.collect()
}

/// Self time of functions in texts that were transformed in memory.
fn transformed(selection: &Selection<'_>, symbols: &Symbols) -> Amount {
    let scripts = symbols.scripts.iter().filter(|it| it.transformed);
    let functions: FxHashSet<FunctionId> = scripts.flat_map(|it| it.functions.iter().copied()).collect();
    let on_stack = selection.threads.iter().flat_map(|it| &it.on_stack);
    let of_them = on_stack.filter(|it| functions.contains(&selection.stacks.function[it.0.0 as usize]));
    of_them.map(|it| it.1.time).sum()
}
