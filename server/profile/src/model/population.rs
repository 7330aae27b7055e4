//! What is known about many sessions if a trace only has their sums: how many there were, and how they differed.
//!
//! A sum over a million sessions has no thread for each of them. It is a single thread, and what [`tally`](crate::tally())
//! finds out by going through the sessions of other traces was determined where the sum was made.

use crate::model::sample::FunctionId;
use crate::model::units::Amount;

/// The square of a self time and that of a total time, in square nanoseconds.
pub type Squares = [f64; 2];

/// The percentiles that are known for a time.
pub const PERCENTILES: [u32; 3] = [50, 75, 95];

/// The [`PERCENTILES`] of self time and of total time, over the sessions in which a function ran.
pub type Percentiles = [[Amount; PERCENTILES.len()]; 2];

/// The sessions that a thread is a sum over.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Population {
    /// How many there are.
    pub sessions: u64,
    /// Which sessions they are, for display: `release=42 and page=/cart`; empty for all.
    pub condition: Box<str>,
    /// How the costs of functions differed, sorted by function, each once; if a function is missing, it is not known.
    pub functions: Vec<(FunctionId, Spread)>,
}

/// How the costs of a function differed between sessions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// In how many sessions it ran.
    pub sessions: u64,
    /// The sums over sessions of the squares of its self and total time, in square nanoseconds.
    pub squares: Squares,
    /// The percentiles of its times in these sessions.
    pub percentiles: Option<Percentiles>,
}

impl Population {
    /// What is known by key; `key_of` holds each function's key, all below `keys`. If several functions share a key, it
    /// cannot be known in how many sessions any of them ran, so nothing is.
    pub fn by_key(&self, key_of: &[u32], keys: u32) -> Vec<Option<Spread>> {
        let mut functions = vec![0u32; keys as usize];
        key_of.iter().for_each(|&key| functions[key as usize] += 1);
        let mut known = vec![None; keys as usize];
        for (function, spread) in &self.functions {
            let key = key_of[function.0 as usize] as usize;
            if functions[key] == 1 {
                known[key] = Some(*spread);
            }
        }
        known
    }

    /// The same sessions after a change of the stacks, after which costs of functions per session are no longer known.
    pub(crate) fn changed(&self) -> Self {
        Self { functions: Vec::new(), ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_functions_of_one_key_nothing_is_known() {
        let spread = |sessions| Spread { sessions, ..Spread::default() };
        let functions = vec![
            (FunctionId(0), spread(1)),
            (FunctionId(1), spread(2)),
            (FunctionId(2), spread(3)),
            (FunctionId(4), spread(5)),
        ];
        let population = Population { sessions: 9, functions, ..Population::default() };
        let sessions = |key_of: &[u32]| {
            population.by_key(key_of, 4).into_iter().map(|it| it.map(|it| it.sessions)).collect::<Vec<_>>()
        };
        assert_eq!(sessions(&[0, 1, 1, 2, 3]), [Some(1), None, None, Some(5)]);
        assert_eq!(sessions(&[0, 1, 2, 2, 3]), [Some(1), Some(2), None, Some(5)]);
        assert_eq!(population.changed(), Population { functions: Vec::new(), ..population.clone() });
    }
}
