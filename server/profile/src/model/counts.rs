//! How often functions were called, as the engine counted in a run of its own: a table next to the samples that changes no time.

use rustc_hash::FxHashMap;

use crate::model::script::Script;
use crate::problem::{Problem, count};

/// What was counted of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The scripts, each url and text once.
    pub scripts: Vec<CountedScript>,
    /// What was odd, and what was left out.
    pub problems: Vec<Problem>,
}

/// A script whose functions were counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountedScript {
    /// Its url or path, exactly as the engine gives it.
    pub url: String,
    /// What is known about its text, which the functions are in.
    pub script: Script,
    /// Its functions, each place once.
    pub functions: Vec<CountedFunction>,
}

/// How often a function was called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedFunction {
    /// Its name; empty if it has none.
    pub name: Box<str>,
    /// Where it starts in the text of its script, in UTF-16 units.
    pub start: u32,
    /// Where it ends there.
    pub end: u32,
    /// The number of calls; 0 if the engine knows the function but has not seen a call.
    pub calls: u64,
    /// The block counts of each thread or process that counted blocks. How often blocks ran is known only if the calls of
    /// these add up to all calls.
    pub blocks: Vec<BlockCounts>,
}

/// What a thread counted of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockCounts {
    /// Its calls on that thread.
    pub calls: u64,
    /// The blocks in it that ran more or less often, nested as the engine reports them.
    pub inside: Vec<RangeCount>,
}

/// A part of a text, in UTF-16 units, and how often it ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RangeCount {
    /// Where it starts.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
    /// How often it ran.
    pub times: u64,
}

impl Counts {
    /// Adds up what was counted in several threads, processes or runs: a function of the same text was called as often as
    /// in all of them together.
    pub fn sum(all: impl IntoIterator<Item = Self>) -> Self {
        let mut sum = Self::default();
        let mut known: FxHashMap<(String, Option<Box<str>>), usize> = FxHashMap::default();
        let mut too_many = 0;
        for counts in all {
            sum.problems.extend(counts.problems);
            for added in counts.scripts {
                let key = (added.url.clone(), added.script.text.clone());
                match known.get(&key) {
                    Some(&index) => too_many += sum.scripts[index].add(added.functions),
                    None => {
                        known.insert(key, sum.scripts.len());
                        let mut script = CountedScript { functions: Vec::new(), ..added };
                        too_many += script.add(added.functions);
                        sum.scripts.push(script);
                    }
                }
            }
        }
        if too_many > 0 {
            let what = format!(
                "{} more calls than can be counted",
                count(too_many, "function has", "functions have")
            );
            sum.problems.push(Problem::new(what, "their numbers end at 2^64 - 1"));
        }
        sum
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.scripts.is_empty()
    }

    /// The highest number of calls.
    pub fn most(&self) -> u64 {
        self.scripts
            .iter()
            .flat_map(|script| &script.functions)
            .map(|function| function.calls)
            .max()
            .unwrap_or(0)
    }
}

impl CountedScript {
    /// Adds calls of functions at the same places. Returns the number of sums that overflowed.
    fn add(&mut self, functions: Vec<CountedFunction>) -> u64 {
        let place = |function: &CountedFunction| (function.start, function.end, function.name.clone());
        self.functions.extend(functions);
        self.functions.sort_by_cached_key(place);
        let mut too_many = 0;
        self.functions.dedup_by(|next, kept| {
            let is_same = place(next) == place(kept);
            if is_same {
                let sum = kept.calls.checked_add(next.calls);
                too_many += u64::from(sum.is_none());
                kept.calls = sum.unwrap_or(u64::MAX);
                next.blocks.drain(..).for_each(|blocks| add_blocks(&mut kept.blocks, blocks));
            }
            is_same
        });
        too_many
    }
}

/// Adds what a thread counted, to an entry with the same blocks if there is one.
fn add_blocks(known: &mut Vec<BlockCounts>, added: BlockCounts) {
    let has_same = |blocks: &BlockCounts| {
        let ends = |blocks: &BlockCounts| {
            blocks.inside.iter().map(|block| (block.start, block.end)).collect::<Vec<_>>()
        };
        blocks.inside.len() == added.inside.len() && ends(blocks) == ends(&added)
    };
    let Some(same) = known.iter_mut().find(|blocks| has_same(blocks)) else {
        known.push(added);
        return;
    };
    same.calls = same.calls.saturating_add(added.calls);
    for (block, more) in same.inside.iter_mut().zip(added.inside) {
        block.times = block.times.saturating_add(more.times);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A url, a text, and the start, end and calls of each function.
    type Row<'a> = (&'a str, &'a str, &'a [(u32, u32, u64)]);

    fn counts(scripts: &[Row<'_>]) -> Counts {
        let script = |&(url, text, functions): &Row<'_>| CountedScript {
            url: url.to_owned(),
            script: Script { text: Some(text.into()), ..Script::default() },
            functions: functions
                .iter()
                .map(|&(start, end, calls)| CountedFunction {
                    name: "f".into(),
                    start,
                    end,
                    calls,
                    blocks: Vec::new(),
                })
                .collect(),
        };
        Counts { scripts: scripts.iter().map(script).collect(), problems: Vec::new() }
    }

    #[test]
    fn the_same_place_of_the_same_text_is_one_function() {
        let one = counts(&[("a.js", "1", &[(0, 9, 1), (2, 5, 600_000)]), ("b.js", "1", &[(0, 9, 1)])]);
        let other =
            counts(&[("a.js", "1", &[(2, 5, 4_000_000_000), (2, 4, 7)]), ("a.js", "2", &[(2, 5, 5)])]);
        let sum = Counts::sum([one, other]);
        let expected = counts(&[
            ("a.js", "1", &[(0, 9, 1), (2, 4, 7), (2, 5, 4_000_600_000)]),
            ("b.js", "1", &[(0, 9, 1)]),
            ("a.js", "2", &[(2, 5, 5)]),
        ]);
        assert_eq!(sum, expected);
        assert_eq!(sum.most(), 4_000_600_000);
    }

    /// Threads whose blocks that differ from the whole are the same share a row; V8 leaves out blocks that do not differ.
    #[test]
    fn blocks_of_threads_add_up_where_they_are_the_same() {
        let thread = |calls: u64, blocks: &[(u32, u32, u64)]| {
            let mut counts = counts(&[("a.js", "1", &[(0, 9, calls)])]);
            let range = |&(start, end, times): &(u32, u32, u64)| RangeCount { start, end, times };
            let inside = blocks.iter().map(range).collect();
            counts.scripts[0].functions[0].blocks = vec![BlockCounts { calls, inside }];
            counts
        };
        let all = [thread(5, &[(2, 4, 1)]), thread(7, &[]), thread(1, &[(2, 4, u64::MAX)]), thread(0, &[])];
        let sum = Counts::sum(all);
        let mut expected = thread(13, &[]);
        let block = RangeCount { start: 2, end: 4, times: u64::MAX };
        expected.scripts[0].functions[0].blocks =
            vec![BlockCounts { calls: 6, inside: vec![block] }, BlockCounts { calls: 7, inside: Vec::new() }];
        assert_eq!(sum, expected);
    }

    #[test]
    fn sums_that_are_too_large_are_said() {
        let half = || counts(&[("a.js", "1", &[(0, 9, u64::MAX / 2 + 1)])]);
        let sum = Counts::sum([half(), half()]);
        assert_eq!(sum.most(), u64::MAX);
        assert_eq!(
            sum.problems,
            [Problem::new("1 function has more calls than can be counted", "their numbers end at 2^64 - 1")]
        );
    }
}
