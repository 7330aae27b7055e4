//! Counts how often definitions began to run. This happens when somebody asks how certain their times are, so that no
//! load waits for it. Definitions of a file are counted together, as an editor asks for them, and so are the costliest of
//! all, as a list has them.

use std::cmp::Reverse;
use std::fmt;
use std::sync::{Arc, OnceLock};

use profile::tally::{AT_ONCE, Cost, Stretches, stretches};

use super::traced::TracedSamples;

/// The stretches of the definitions of one trace.
struct TracedStretches {
    samples: Arc<TracedSamples>,
    /// The key of each function.
    key_of: Arc<Vec<u32>>,
    /// The keys of definitions; those that are counted together are adjacent.
    keys: Vec<u32>,
    /// The stretches of each group of [`AT_ONCE`] keys, once somebody has asked for one of them; `None` if the samples are not in order.
    counted: Vec<OnceLock<Option<Vec<Stretches>>>>,
}

/// The stretches of one definition in each trace in which it ran; in none if they cannot be known.
#[derive(Clone, Default)]
pub struct MeasuredStretches(Vec<(Arc<TracedStretches>, usize)>);

impl TracedStretches {
    fn of(&self, index: usize) -> Option<Stretches> {
        let (walk, place) = (index / AT_ONCE, index % AT_ONCE);
        let counted = self.counted[walk].get_or_init(|| {
            let keys = self.keys.chunks(AT_ONCE).nth(walk).unwrap_or_default();
            stretches(&self.samples.in_order(), &self.key_of, keys)
        });
        counted.as_ref().map(|it| it[place])
    }
}

impl MeasuredStretches {
    /// The stretches of definitions, given by key and cost in the order of file and path.
    pub(super) fn of(
        samples: &Arc<TracedSamples>,
        key_of: &Arc<Vec<u32>>,
        definitions: &[(u32, Cost)],
    ) -> Vec<Self> {
        let order = costliest_first(definitions);
        let traced = Arc::new(TracedStretches {
            samples: Arc::clone(samples),
            key_of: Arc::clone(key_of),
            keys: order.iter().map(|&it| definitions[it].0).collect(),
            counted: vec![OnceLock::new(); order.len().div_ceil(AT_ONCE)],
        });
        let mut all = vec![Self::default(); definitions.len()];
        for (index, definition) in order.into_iter().enumerate() {
            all[definition].0.push((Arc::clone(&traced), index));
        }
        all
    }

    /// How often it began to run; `None` if the samples are not in order of time. The first call walks over all samples.
    pub fn get(&self) -> Option<Stretches> {
        let mut parts = self.0.iter().map(|(traced, index)| traced.of(*index));
        let first = parts.next()??;
        parts.try_fold(first, |sum, part| Some(sum + part?))
    }

    /// Adds the stretches in other traces. If they are not known for one part, they are not known for the sum.
    pub(super) fn add(&mut self, other: Self) {
        if self.0.is_empty() || other.0.is_empty() {
            self.0.clear();
        } else {
            self.0.extend(other.0);
        }
    }

    /// Known stretches.
    #[cfg(test)]
    pub(super) fn known(stretches: Stretches) -> Self {
        let samples = TracedSamples {
            profile: Arc::default(),
            threads: profile::scope::Threads::All,
            windows: None,
            labels: None,
            transforms: Vec::new(),
        };
        let counted = vec![OnceLock::from(Some(vec![stretches]))];
        let traced =
            TracedStretches { samples: Arc::new(samples), key_of: Arc::default(), keys: vec![0], counted };
        Self(vec![(Arc::new(traced), 0)])
    }
}

impl fmt::Debug for MeasuredStretches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("MeasuredStretches").field(&self.0.len()).finish()
    }
}

/// How many of the costliest are counted together: enough for a list of a hundred, by self or by total time.
const COSTLIEST: usize = 4 * AT_ONCE;

/// The costliest by self and by total time in turns, followed by all others in order.
fn costliest_first(definitions: &[(u32, Cost)]) -> Vec<usize> {
    let [mut by_self, mut by_total] = [0, 1].map(|_| Vec::from_iter(0..definitions.len()));
    by_self.sort_by_key(|&it| Reverse(definitions[it].1.self_time));
    by_total.sort_by_key(|&it| Reverse(definitions[it].1.total_time));
    let in_turns = by_self.into_iter().zip(by_total).flat_map(|(own, all)| [own, all]);
    let mut is_taken = vec![false; definitions.len()];
    let mut order: Vec<usize> =
        in_turns.filter(|&it| !std::mem::replace(&mut is_taken[it], true)).take(COSTLIEST).collect();
    order.extend((0..definitions.len()).filter(|&it| !is_taken[it]));
    order
}
