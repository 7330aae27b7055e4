//! One V8 profile of a trace, assembled from its chunks.

use super::event::{EventData, RequestedBy};
use crate::builder::{GARBAGE_COLLECTOR, ProfileBuilder};
use crate::decode::v8::nodes::V8Profile;
use crate::timeline::Timeline;

/// One profile of one thread.
pub(super) struct ThreadProfile {
    pub(super) process: String,
    /// Only known from the `Profile` event: chunks come from a thread of the profiler.
    pub(super) thread: Option<String>,
    pub(super) source: RequestedBy,
    pub(super) start: f64,
    /// The start in nanoseconds; `None` if the `Profile` event is missing.
    pub(super) began: Option<i64>,
    pub(super) profile: V8Profile,
    /// Samples that were taken for events: their ids and nodes.
    pub(super) event_samples: Vec<(u64, u32)>,
    chunks: Vec<Chunk>,
}

/// Where the samples of a chunk end.
#[derive(Clone, Copy)]
struct Chunk {
    time: f64,
    samples: usize,
    deltas: usize,
}

impl ThreadProfile {
    pub(super) fn new(process: String) -> Self {
        Self {
            process,
            thread: None,
            source: RequestedBy::Other,
            start: 0.0,
            began: None,
            event_samples: Vec::new(),
            profile: V8Profile::default(),
            chunks: Vec::new(),
        }
    }

    pub(super) fn has_samples(&self) -> bool {
        !self.profile.samples.is_empty()
    }

    pub(super) fn add(&mut self, data: &mut EventData, time: f64) {
        for (at, &node) in data.profile.samples.iter().enumerate() {
            let line = zero_based(&data.lines, at);
            self.profile.places.push(node, line.map(|line| (line, zero_based(&data.columns, at))));
        }
        data.profile.move_to(&mut self.profile);
        self.event_samples.append(&mut data.event_samples);
        self.source = data.source.unwrap_or(self.source);
        self.chunks.push(Chunk {
            time,
            samples: self.profile.samples.len(),
            deltas: self.profile.time_deltas.len(),
        });
    }

    /// The number of samples in which a function ran, since threads that only wait are sampled just as often. The
    /// browser's own pages, such as its address bar, do not count: they are not what was recorded.
    pub(super) fn busy(&self, builder: &ProfileBuilder) -> u64 {
        let pseudo = ["(root)", "(program)", "(idle)", GARBAGE_COLLECTOR];
        let idle: Vec<u32> = self
            .profile
            .nodes
            .iter()
            .filter(|node| {
                pseudo.iter().any(|name| builder.is_pseudo(node.function, name))
                    || builder.resource_of(node.function).is_some_and(is_of_browser)
            })
            .map(|node| node.id)
            .collect();
        self.profile.samples.iter().filter(|sample| !idle.contains(sample)).count() as u64
    }

    pub(super) fn into_profile(mut self, title: String) -> V8Profile {
        if !self.chunks.is_sorted_by(|a, b| a.time <= b.time) {
            self.sort_chunks();
        }
        let mut profile = self.profile;
        profile.title = title;
        profile
    }

    /// Sorts the chunks by time, because a trace has its events in any order.
    fn sort_chunks(&mut self) {
        let mut ranges = Vec::with_capacity(self.chunks.len());
        let (mut samples_from, mut deltas_from) = (0, 0);
        for chunk in &self.chunks {
            ranges.push((chunk.time, samples_from..chunk.samples, deltas_from..chunk.deltas));
            (samples_from, deltas_from) = (chunk.samples, chunk.deltas);
        }
        ranges.sort_by(|a, b| a.0.total_cmp(&b.0));
        if !self.profile.places.is_empty() {
            let ranges = || ranges.iter().map(|it| it.1.clone());
            self.profile.places.reorder(|numbers| ranges().flat_map(|it| &numbers[it]).copied().collect());
        }
        let mut samples = Vec::with_capacity(self.profile.samples.len());
        let mut deltas = Timeline::default();
        for (_, of_samples, of_deltas) in ranges {
            samples.extend_from_slice(&self.profile.samples[of_samples]);
            for index in of_deltas {
                deltas.push(self.profile.time_deltas.distance(index));
            }
        }
        self.profile.samples = samples;
        self.profile.time_deltas = deltas;
    }
}

/// The line or column of a sample, counted from 1; 0 if unknown.
fn zero_based(numbers: &[u32], sample: usize) -> Option<u32> {
    numbers.get(sample)?.checked_sub(1)
}

fn is_of_browser(url: &str) -> bool {
    url.starts_with("chrome://") || url.starts_with("devtools://")
}
