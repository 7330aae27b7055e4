//! Interprets the samples of a V8 profile by the rules of DevTools' `CPUProfileDataModel`, on our tables.
//!
//! A sample stands for the time until the next one, the last sample for the average. The collector is put on top of the
//! stack that it interrupted. A lone `(program)` between two samples with the same outermost function is a failed sample
//! of that function. `(root)`, `(program)` and `(idle)` are not functions.

use rustc_hash::FxHashMap;

use super::ids::NONE;
use super::long_tasks;
use super::nodes::{NodeTick, V8Profile};
use super::rendering;
use super::sample_places::{PlacesOfNodes, SamplePlaces};
use super::tree::{NodeIndex, NodePlace, NodeTree, node_of_sample};
use crate::builder::ProfileBuilder;
use crate::model::{Amount, FunctionId, KnownPlace, PlaceId, SeenPlace, StackId, Thread, Weight};
use crate::problem::count;
use crate::timeline::{Timeline, share};

/// In nanoseconds, 104 days.
const MAX_DURATION: f64 = 9_007_199_254_740_992.0;

/// Makes one thread of a profile of this format; `false` if nothing was measured.
pub(crate) fn finish(mut profile: V8Profile, format: &'static str, builder: &mut ProfileBuilder) -> bool {
    let hits: u64 = profile.nodes.iter().map(|node| u64::from(node.hits)).sum();
    if profile.samples.is_empty() && hits == 0 {
        return false;
    }
    builder.format(format);
    builder.inlines();
    let index = NodeIndex::new(&profile.nodes);
    let tree = NodeTree::new(&profile, &index, builder);
    profile.children = Vec::new();

    for &NodeTick { node, line, ticks } in &profile.ticks {
        let function = profile.nodes[node as usize].function;
        if let Some(stack) = tree.at(node).stack()
            && let Some(place) =
                builder.place(SeenPlace { function, line: Some(line), column: None, caller: None })
        {
            builder.place_ticks(stack, place, ticks);
        }
    }
    for &(node, location) in &profile.locations {
        for (path, position) in profile.vscode.get(location as usize).into_iter().flatten() {
            let function = profile.nodes[node as usize].function;
            builder.known_place(KnownPlace { function, path: path.clone(), position: *position });
        }
    }
    let thread = if profile.samples.is_empty() {
        add_hits(&profile, &tree, hits, builder)
    } else {
        let mut samples = std::mem::take(&mut profile.samples);
        let unknown = index.to_indices(&mut samples);
        for event in profile.thread_events.iter_mut().flat_map(|it| &mut it.events) {
            event.sample = index.get(event.sample).unwrap_or(NONE);
        }
        if unknown > 0 {
            let what = format!("{} of nodes that do not exist", count(unknown, "sample", "samples"));
            builder.problem(what, "their time is counted as unknown");
        }
        let nodes = &profile.nodes;
        let find = |id: u32| {
            let node = index.get(id)?;
            Some((node, tree.at(node).stack().map(|_| nodes[node as usize].function)))
        };
        let places = profile.places.of_nodes(nodes.len(), find, builder);
        drop(index);
        (profile.nodes, profile.ticks) = (Vec::new(), Vec::new());
        add_samples(&mut profile, samples, &places, &tree, builder)
    };
    let (name, process) = (std::mem::take(&mut profile.title), profile.process);
    builder.end_thread(Thread { name, process, ..thread });
    true
}

fn add_samples(
    profile: &mut V8Profile,
    mut samples: Vec<u32>,
    places: &PlacesOfNodes,
    tree: &NodeTree,
    builder: &mut ProfileBuilder,
) -> Thread {
    let deltas = std::mem::take(&mut profile.time_deltas);
    let mut timeline = if deltas.len() > 0 { deltas } else { std::mem::take(&mut profile.timestamps) };
    let mut seen = std::mem::take(&mut profile.places);
    let mut sum = SampleSum::new(tree, places, builder);
    let (mut in_long_tasks, mut forced) = (None, Vec::new());
    let mut earliest = 0;
    if timeline.len() == 0 {
        builder
            .problem("the samples have no times".to_owned(), "each was given the same share of the duration");
        let weights = share(duration(profile), std::iter::repeat_n(1, samples.len()));
        sum.add_all(&samples, &seen, weights, builder);
    } else {
        if timeline.len() < samples.len() {
            let what = format!(
                "{} no time",
                count((samples.len() - timeline.len()) as u64, "sample has", "samples have")
            );
            builder.problem(what, "each was put a median interval after the one before");
        }
        let last = complete_times(&mut timeline, samples.len());
        earliest = timeline.earliest();
        if !seen.is_empty() && !timeline.is_sorted() {
            seen.reorder(|mut numbers| {
                timeline.clone().sort(&mut numbers);
                numbers
            });
        }
        timeline.sort(&mut samples);
        if let Some(thread_events) = profile.thread_events.take() {
            in_long_tasks =
                long_tasks::of_functions(&thread_events, earliest, &samples, &timeline, tree, builder);
            let first_sample = thread_events.start.saturating_add(earliest);
            forced = rendering::forced(&thread_events, first_sample, tree, builder);
        }
        sum.add_all(&samples, &seen, timeline.weights(last), builder);
    }
    if let Some(began) = profile.began {
        builder.thread_starts_at(began.saturating_add(earliest));
    }
    Thread {
        samples: samples.len() as u64,
        duration: sum.duration,
        interval: timeline.into_median().map(|median| Amount(median.max(0).unsigned_abs())),
        in_long_tasks,
        forced,
        ..Thread::default()
    }
}

/// Adds the samples of a profile that only counts them by node.
fn add_hits(profile: &V8Profile, tree: &NodeTree, hits: u64, builder: &mut ProfileBuilder) -> Thread {
    let whole = duration(profile);
    let mut duration = Amount(0);
    let times = share(whole, profile.nodes.iter().map(|node| u64::from(node.hits)));
    for ((node, &at), time) in profile.nodes.iter().zip(&tree.at).zip(times) {
        let weight = Weight { time, samples: u64::from(node.hits) };
        if weight == Weight::default() {
            continue;
        }
        duration += time;
        builder.add_sample(at.stack().ok_or(at.off_stack()), weight);
    }
    Thread { samples: hits, duration, ..Thread::default() }
}

/// Adds up samples in order of time.
struct SampleSum<'t> {
    tree: &'t NodeTree,
    places: &'t PlacesOfNodes,
    collector: FunctionId,
    /// The collector's stack on top of each stack that it interrupted.
    collected: FxHashMap<StackId, StackId>,
    /// Where the last sample was that was not the collector's.
    last: NodePlace,
    duration: Amount,
}

impl<'t> SampleSum<'t> {
    fn new(tree: &'t NodeTree, places: &'t PlacesOfNodes, builder: &mut ProfileBuilder) -> Self {
        let (collector, collected) = (builder.garbage_collector(), FxHashMap::default());
        Self { tree, places, collector, collected, last: NodePlace::NOWHERE, duration: Amount(0) }
    }

    fn add_all(
        &mut self,
        samples: &[u32],
        seen: &SamplePlaces,
        weights: impl Iterator<Item = Amount>,
        builder: &mut ProfileBuilder,
    ) {
        for ((index, weight), number) in weights.enumerate().zip(seen.iter()) {
            let node = node_of_sample(samples, index, self.tree);
            // The line of a failed sample is not known.
            let own = if node == samples[index] { self.places.get(node, number) } else { None };
            self.add(node, own, weight, builder);
        }
    }

    #[inline]
    fn add(&mut self, node: u32, place: Option<PlaceId>, time: Amount, builder: &mut ProfileBuilder) {
        self.duration += time;
        let at = self.tree.at(node);
        let mut on = at.stack();
        if at != NodePlace::COLLECTOR {
            self.last = at;
        } else if let Some(stack) = self.last.stack() {
            let on_top = self.collected.entry(stack);
            on = Some(*on_top.or_insert_with(|| builder.new_stack(Some(stack), self.collector)));
        }
        builder.add_sample_at(on.ok_or(at.off_stack()), place, Weight { time, samples: 1 });
    }
}

/// Gives each sample a time. Returns the weight of the last one: until the extra time that some producers write, otherwise the average.
fn complete_times(timeline: &mut Timeline, samples: usize) -> i64 {
    if timeline.len() < samples {
        let median = timeline.clone().into_median().unwrap_or(0);
        while timeline.len() < samples {
            timeline.push_nanos(median);
        }
    }
    let (mut time, mut first, mut last) = (0i64, 0i64, 0i64);
    for index in 1..samples {
        time = time.saturating_add(timeline.distance(index));
        first = first.min(time);
        last = last.max(time);
    }
    let end = (timeline.len() == samples + 1).then(|| time.saturating_add(timeline.distance(samples)));
    timeline.truncate(samples);
    match end {
        Some(end) => end.saturating_sub(last).max(0),
        None if samples > 1 => last.saturating_sub(first) / (samples as i64 - 1),
        None => 0,
    }
}

/// The time from the profile's start to its end; 0 if these make no sense.
fn duration(profile: &V8Profile) -> Amount {
    Amount(((profile.end - profile.start) * unit(profile)).round().clamp(0.0, MAX_DURATION) as u64)
}

/// The start of a profile on its own.
pub(crate) fn start(profile: &V8Profile) -> i64 {
    (profile.start * unit(profile)).round() as i64
}

/// The unit of its start and end, in nanoseconds.
fn unit(profile: &V8Profile) -> f64 {
    if profile.nested { 1e9 } else { 1e3 }
}
