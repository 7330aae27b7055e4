//! Decides how many runs are enough: a comparison is checked repeatedly, as runs are added, until it is known for every
//! function that matters whether it changed.
//!
//! Repeating a test until it finds something will eventually find something, even if there is nothing. So the looks are
//! planned before the first run, and the promised error is divided among them: each look is judged at `level / looks`.
//! The probability that any look raises a false alarm, or says that a changed function is the same, is at most the sum
//! (Bonferroni), however the looks depend on each other. This is the simplest way of spending an error (Lan and DeMets
//! 1983, "Discrete sequential boundaries for clinical trials"), with equal parts as in Pocock (1977); its intervals are
//! repeated ones (Jennison and Turnbull 1989). Among the functions of one look, the proportion of false alarms is bounded
//! by Benjamini and Hochberg (`statistics::adjust`), and so is the sum over all looks.
//!
//! Looks become rarer, since each adds little to the many runs before it. So there are few, and dividing the error costs little.

use profile::model::Amount;

use crate::change::Change;
use crate::comparison::Comparison;
use crate::power::POWER;
use crate::statistics::normal_quantile;
use crate::verdict::{Settings, Verdict};

/// The first look: with fewer pairs, too little is known about how much runs differ.
const FIRST: u64 = 5;
/// Each look has this many times as many pairs as the previous one.
const GROWTH: f64 = 1.4;
/// The loop continues for times that are at least this fraction of the active time. To be certain about a function with
/// less, a sampling profiler needs hundreds of runs.
pub const LEAST_SHARE: f64 = 0.03;

/// When a comparison is looked at, and how strictly it is judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Looks {
    /// The numbers of pairs after which there is a look.
    looks: Vec<u64>,
    /// The most that a time may have changed to be called the same.
    size: f64,
}

/// What is still open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    /// The functions that are large enough to be asked about.
    pub functions: u64,
    /// The functions for which it is not known whether they changed.
    pub undecided: u64,
    /// How many more pairs it probably takes until all are decided; `None` if nobody knows.
    pub more: Option<u64>,
}

impl Looks {
    /// Plans looks at up to this many pairs, for changes of this size.
    pub fn new(most: u64, size: f64) -> Self {
        let looks = std::iter::successors(Some(FIRST), |pairs| Some((*pairs as f64 * GROWTH).ceil() as u64));
        let looks = looks.take_while(|pairs| *pairs < most);
        Self { looks: looks.chain([most]).collect(), size }
    }

    /// Whether there is a look after this many pairs.
    pub fn is_look(&self, pairs: u64) -> bool {
        self.looks.contains(&pairs)
    }

    /// The highest number of pairs.
    pub fn most(&self) -> u64 {
        self.looks.last().copied().unwrap_or_default()
    }

    /// The settings by which each look is judged.
    pub fn settings(&self) -> Settings {
        let usual = Settings::default();
        Settings { level: usual.level / self.looks.len() as f64, noise: self.size, ..usual }
    }
}

impl Open {
    /// What a comparison leaves open that was judged by [`Looks::settings`].
    pub fn of(comparison: &Comparison) -> Self {
        let is_large = |change: &Change| {
            let whole = comparison.whole.before + comparison.whole.after;
            (change.before + change.after).0 as f64 >= LEAST_SHARE * whole.0 as f64
        };
        let asked = comparison.functions.iter().map(|function| {
            let times = [&function.self_time, &function.total_time].into_iter().filter(|time| is_large(time));
            times.collect::<Vec<_>>()
        });
        let asked: Vec<Vec<&Change>> = asked.filter(|times| !times.is_empty()).collect();
        let questions: usize = asked.iter().map(Vec::len).sum();
        let open: Vec<&Change> = asked.iter().flatten().filter(|time| !is_decided(time)).copied().collect();
        let needed = open.iter().map(|time| pairs_needed(time, questions, comparison));
        let pairs = comparison.sides[0].runs;
        Self {
            functions: asked.len() as u64,
            undecided: asked.iter().filter(|times| !times.iter().all(|time| is_decided(time))).count() as u64,
            more: needed.max().flatten().map(|needed| needed.saturating_sub(pairs).max(1)),
        }
    }

    /// Whether nothing is open.
    pub fn is_sure(&self) -> bool {
        self.undecided == 0
    }
}

fn is_decided(time: &Change) -> bool {
    time.verdict.is_certain() || time.verdict == Verdict::Unchanged || time.before + time.after == Amount(0)
}

/// How many pairs it takes until this time has probably either changed for certain or is known to be the same, if the
/// measured ratio is the true one.
fn pairs_needed(time: &Change, questions: usize, comparison: &Comparison) -> Option<u64> {
    let effect = time.effect?;
    let changed = time.ratio().filter(|ratio| *ratio > 0.0)?.ln().abs();
    let Settings { level, noise, .. } = comparison.settings;
    let quantile = |level: f64| normal_quantile(1.0 - level / 2.0) + normal_quantile(POWER);
    let pairs = comparison.sides[0].runs as f64;
    let needed = |distance: f64, level: f64| pairs * (effect.error * quantile(level) / distance).powi(2);
    let until_changed = needed(changed, level / questions as f64);
    let room = (1.0 + noise).ln() - changed;
    let until_same = if room > 0.0 { needed(room, level) } else { f64::INFINITY };
    let least = until_changed.min(until_same).ceil();
    (least < u64::MAX as f64).then_some(least as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{normal, runs};
    use crate::work::Per;

    #[test]
    fn looks_get_rarer_and_share_the_error() {
        let rows = [(3, vec![3]), (5, vec![5]), (8, vec![5, 7, 8]), (40, vec![5, 7, 10, 14, 20, 28, 40])];
        for (most, expected) in rows {
            let looks = Looks::new(most, 0.05);
            let settings = looks.settings();
            assert_eq!((settings.level * expected.len() as f64, settings.noise), (0.05, 0.05), "{most}");
            let found: Vec<u64> = (0..=most + 1).filter(|pairs| looks.is_look(*pairs)).collect();
            assert_eq!((found, looks.most()), (expected, most));
        }
    }

    fn open(table: &str) -> Open {
        let [before, after] = runs(table);
        let settings = Looks::new(40, 0.1).settings();
        Open::of(&Comparison::of(&before, &after, Per::Run, settings).expect("functions"))
    }

    #[test]
    fn what_is_not_known_yet() {
        let rows = [
            // Both are certain: one is the same, the other changed.
            (
                "a | 100 101 100 101 100 | 100 101 100 100 101
              b | 100 101 100 101 100 | 150 151 150 149 150",
                (2, 0, None),
            ),
            // The same, but the runs differ too much to tell.
            (
                "a | 100 101 100 101 100 | 100 101 100 100 101
              b | 100 120 90 110 80   | 101 110 90 120 80",
                (2, 1, Some(67)),
            ),
            // A change that will show soon.
            (
                "a | 100 101 100 101 100 | 100 101 100 100 101
              b | 100 110 90 110 90   | 120 130 120 140 110",
                (2, 1, Some(2)),
            ),
            // A function with less than 3 % of the time does not count.
            (
                "a | 100 101 100 101 100 | 100 101 100 100 101
              b | 1   2   1   3   1   | 1   2   2   1   3",
                (1, 0, None),
            ),
            // A function that only one side has is certain, or nobody knows when it will be.
            (
                "a | 100 101 100 101 100 | 100 101 100 100 101
              b | -   -   -   -   -   | 50  -   -   -   -",
                (2, 1, None),
            ),
        ];
        for (table, (functions, undecided, more)) in rows {
            assert_eq!(open(table), Open { functions, undecided, more }, "{table}");
        }
    }

    /// How a sequence of pairs ends: after how many, and what is then known about the first function. That became slower
    /// by `change`, and five others did not; each varies by another 3 % on a machine that varies by 30 %.
    fn sequence(change: f64, state: &mut u64) -> (u64, bool, Verdict) {
        let looks = Looks::new(40, 0.1);
        let mut rows: [[Vec<f64>; 2]; 6] = Default::default();
        for pairs in 1..=looks.most() {
            for side in [0, 1] {
                let machine = 0.3 * normal(state);
                for (number, row) in rows.iter_mut().enumerate() {
                    let slower = if number == 0 && side == 1 { 1.0 + change } else { 1.0 };
                    row[side].push((2000.0 * slower * (machine + 0.03 * normal(state)).exp()).round());
                }
            }
            if looks.is_look(pairs) {
                let sides = |row: &[Vec<f64>; 2]| {
                    row.clone().map(|side| side.iter().map(f64::to_string).collect::<Vec<_>>().join(" "))
                };
                let rows =
                    rows.iter().zip('a'..).map(|(row, name)| format!("{name} | {}", sides(row).join(" | ")));
                let [before, after] = runs(&rows.collect::<Vec<_>>().join("\n"));
                let comparison = Comparison::of(&before, &after, Per::Machine, looks.settings());
                let comparison = comparison.expect("functions");
                let is_sure = Open::of(&comparison).is_sure();
                if is_sure || pairs == looks.most() {
                    let first = comparison.functions.iter().find(|function| &*function.info.name == "a");
                    return (pairs, is_sure, first.expect("it is in all runs").self_time.verdict);
                }
            }
        }
        unreachable!("the last pair is a look")
    }

    #[test]
    fn a_sequence_ends_with_the_truth() {
        let rows = [(0.0, Verdict::Unchanged, 95), (0.1, Verdict::Regression, 90)];
        let mut state = 1;
        for (change, truth, least) in rows {
            let mut ends: Vec<_> = (0..100).map(|_| sequence(change, &mut state)).collect();
            let told = ends.iter().filter(|end| end.2 == truth).count();
            ends.sort_by_key(|end| end.0);
            let sure = ends.iter().filter(|end| end.1).count();
            println!(
                "{change}: {told} of 100 end with the truth, {sure} surely, after {} pairs in the median",
                ends[50].0
            );
            assert!(told >= least, "{told} of 100 end with {truth:?}");
        }
    }
}
