//! Adds up the runs of one side: means with exact sums, and how much the runs differ.

use std::collections::BTreeMap;
use std::sync::Arc;

use analysis::locate::UnplacedReason;
use analysis::summary::{DefinitionKey, Ledger};
use profile::model::Amount;

use crate::run::{FunctionInfo, Run, RunCost};
use crate::statistics::Estimate;
use crate::work::Division;

/// The runs of one side, added up.
#[derive(Debug, Default)]
pub struct Side {
    /// The number of runs.
    pub runs: u64,
    /// The mean of where the time went; its parts add up to the mean of all time.
    pub ledger: BTreeMap<LedgerRow, Amount>,
    /// The same for the active time.
    pub active: Estimate,
    /// The samples of all runs.
    pub samples: u64,
    /// The means of each definition.
    pub functions: BTreeMap<DefinitionKey, FunctionMeans>,
    /// The mean time that may belong to functions of the workspace but was not placed on their definitions, by resource.
    pub hidden: BTreeMap<Arc<str>, Amount>,
}

/// A row of the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LedgerRow {
    /// Self time of definitions.
    Placed,
    /// Unplaced time.
    Unplaced(UnplacedReason),
    /// Idle time.
    Idle,
    /// Samples without a stack.
    NoStack,
}

/// One definition in a mean run.
#[derive(Clone, Debug)]
pub struct FunctionMeans {
    /// What is known about it.
    pub info: Arc<FunctionInfo>,
    /// Self and total time.
    pub means: [Amount; 2],
    /// How certain they are.
    pub estimates: [Estimate; 2],
    /// The samples of all runs: those with it on top, and those that contain it.
    pub samples: [u64; 2],
}

/// Sums over runs.
#[derive(Default)]
struct Sums {
    time: u64,
    squares: f64,
    /// The variance due to sampling, in absolute terms; `None` once a time was not sampled.
    sampling: Option<f64>,
    samples: u64,
}

struct FunctionSums {
    info: Arc<FunctionInfo>,
    /// For self and total time.
    times: [Sums; 2],
}

impl Side {
    /// Adds up runs, each scaled from the amount of work that it did to `reference`.
    pub(crate) fn of(runs: &[Run], works: &[u64], reference: u64) -> Self {
        let number: u64 = runs.iter().map(|run| run.sessions).sum();
        let mut functions: BTreeMap<&DefinitionKey, FunctionSums> = BTreeMap::new();
        let (mut ledger, mut active): (BTreeMap<LedgerRow, Amount>, Sums) = Default::default();
        let mut hidden: BTreeMap<Arc<str>, u64> = BTreeMap::new();
        for (run, work) in runs.iter().zip(works) {
            let mut division = Division::new(reference, *work);
            for (key, cost) in &run.functions {
                let self_time = division.next(cost.cost.self_time.0);
                let sums = functions.entry(key).or_insert_with(|| FunctionSums::of(cost));
                sums.add(cost, self_time, &division);
            }
            for (row, time) in off_functions(&run.ledger) {
                *ledger.entry(row).or_default() += Amount(division.next(time.0));
            }
            for (resource, time) in &run.hidden {
                *hidden.entry(Arc::clone(resource)).or_default() += division.alone(time.0);
            }
            active.add(division.alone(run.active().0), None, None);
        }
        let mut mean = Division::new(1, number);
        let functions: BTreeMap<_, _> =
            functions.into_iter().map(|(key, sums)| (key.clone(), sums.means(number, &mut mean))).collect();
        ledger.values_mut().for_each(|time| *time = Amount(mean.next(time.0)));
        ledger.insert(LedgerRow::Placed, functions.values().map(|function| function.means[0]).sum());
        let hidden =
            hidden.into_iter().map(|(resource, time)| (resource, Amount(mean.alone(time)))).collect();
        // For sessions in one file, it is not known how much their active time differs.
        let is_by_run = number == runs.len() as u64;
        let active_time = active.time as f64;
        let active = match is_by_run {
            true => Estimate::new(number, active_time, active.squares, None),
            false => Estimate::unknown(number, active_time / number as f64),
        };
        let samples = runs.iter().map(|run| run.trace.samples).sum();
        Self { runs: number, ledger, active, samples, functions, hidden }
    }
}

impl Side {
    /// All time of a mean run.
    pub(crate) fn total(&self) -> Amount {
        self.ledger.values().copied().sum()
    }

    /// The active time of a mean run.
    pub(crate) fn active_time(&self) -> Amount {
        Amount(self.active.mean as u64)
    }

    /// The time that this side hides in resources in which the other side hides nothing, and the largest of these
    /// resources. If both sides hide some of a resource, the hidden amount only tells how long it ran. A sum of at most
    /// `least_share` of the active time may be chance, and counts as 0.
    pub(crate) fn hides_more_than(&self, other: &Self, least_share: f64) -> (Amount, Option<&Arc<str>>) {
        let only_here = self.hidden.iter().filter(|(resource, _)| !other.hidden.contains_key(*resource));
        let sum: Amount = only_here.clone().map(|(_, time)| *time).sum();
        if sum.0 as f64 <= least_share * self.active.mean {
            return (Amount(0), None);
        }
        (sum, only_here.max_by_key(|(_, time)| **time).map(|(resource, _)| resource))
    }
}

/// The rows of a run's ledger, except that of its functions.
pub(crate) fn off_functions(ledger: &Ledger) -> impl Iterator<Item = (LedgerRow, Amount)> {
    let unplaced = ledger.unplaced.iter();
    unplaced
        .map(|(&reason, cause)| (LedgerRow::Unplaced(reason), cause.spent.time))
        .chain([(LedgerRow::Idle, ledger.idle.time), (LedgerRow::NoStack, ledger.no_stack.time)])
}

impl FunctionSums {
    fn of(cost: &RunCost) -> Self {
        let times = [0, 1].map(|_| Sums { sampling: Some(0.0), ..Sums::default() });
        Self { info: Arc::clone(&cost.info), times }
    }

    fn add(&mut self, run: &RunCost, self_time: u64, division: &Division) {
        self.info = Arc::clone(&run.info);
        let times = [self_time, division.alone(run.cost.total_time.0)];
        let samples = [run.cost.self_samples, run.cost.total_samples];
        let scale = division.factor() * division.factor();
        for which in 0..2 {
            let time = times[which] as f64;
            // A time of 0 has no interval, and adds nothing.
            let sampling = if times[which] == 0 {
                Some(0.0)
            } else {
                run.sampling[which].map(|part| part * time * time)
            };
            // If it is not known how sessions differ, everything counts as one session.
            let squares = Some(run.squares[which] * scale).filter(|squares| *squares > 0.0);
            self.times[which].add(times[which], squares, sampling);
            self.times[which].samples += samples[which];
        }
    }

    fn means(self, runs: u64, mean: &mut Division) -> FunctionMeans {
        let means = [mean.next(self.times[0].time), mean.alone(self.times[1].time)].map(Amount);
        let samples = [0, 1].map(|which| self.times[which].samples);
        let estimates = self.times.map(|sums| {
            let sum = sums.time as f64;
            // The variance of one run, relative to the square of the mean.
            let sampling = sums.sampling.filter(|_| sums.time > 0).map(|all| all * runs as f64 / (sum * sum));
            Estimate::new(runs, sum, sums.squares, sampling)
        });
        FunctionMeans { info: self.info, means, estimates, samples }
    }
}

impl Sums {
    /// Adds a run; the sum of squares is known separately if it contains several sessions.
    fn add(&mut self, time: u64, squares: Option<f64>, sampling: Option<f64>) {
        self.time += time;
        self.squares += squares.unwrap_or((time as f64).powi(2));
        self.sampling = self.sampling.zip(sampling).map(|(a, b)| a + b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{key, runs};

    const TABLE: &str = "
        main    | 10/31 11/31 10/32 |
        parse   | 21    20    -     |
        load    | -     -     22    |
        ?native | 1     2     1     |
        ?gc     | 5     -     5     |
        ?idle   | 3     3     4     |
        ?no-stack | 1   1     0     |
        a.js hides | 6  5     6     |
    ";

    /// The side of a table's runs before, in nanoseconds.
    fn side_of(table: &str, reference: u64, change: impl Fn(usize, &mut Run)) -> Side {
        let [mut runs, _] = runs(table);
        runs.iter_mut().enumerate().for_each(|(number, run)| change(number, run));
        let works: Vec<u64> = runs.iter().map(|run| run.work.0).collect();
        Side::of(&runs, &works, reference)
    }

    fn means(side: &Side) -> Vec<(&str, [u64; 2], [u64; 2])> {
        let functions = side.functions.values();
        functions.map(|it| (&*it.info.name, it.means.map(|mean| mean.0), it.samples)).collect()
    }

    fn ledger(side: &Side) -> (Vec<u64>, u64) {
        (side.ledger.values().map(|time| time.0).collect(), side.total().0)
    }

    #[test]
    fn the_means_of_runs_add_up() {
        let side = side_of(TABLE, 1, |_, _| {});
        let expected = [
            ("load", [7_333_333, 7_333_333], [22, 22]),
            ("main", [10_333_333, 31_333_333], [31, 94]),
            ("parse", [13_666_667, 13_666_666], [41, 41]),
        ];
        assert_eq!(means(&side), expected);
        let rows = vec![31_333_333, 1_333_333, 3_333_334, 5_666_666, 3_333_334, 666_666];
        assert_eq!(ledger(&side), (rows, 45_666_666));
        assert_eq!((side.runs, side.samples, side.active_time()), (3, 137, Amount(41_666_666)));
        let hidden: Vec<_> = side.hidden.iter().map(|(resource, time)| (&**resource, time.0)).collect();
        assert_eq!(hidden, [("a.js", 5_666_666)]);
    }

    /// Each run is scaled to the work of the reference: the second one did twice as much, and the third half.
    #[test]
    fn runs_that_did_other_work() {
        let table = "
            main    | 10 20 5 |
            ?native | 2  4  1 |
            ?idle   | 1  2  0.5 |
            a.js hides | 3 6 1.5 |
        ";
        let side = side_of(table, 4, |number, run| run.work = crate::work::Work([4, 8, 2][number]));
        assert_eq!(means(&side), [("main", [10_000_000; 2], [35, 35])]);
        assert_eq!(ledger(&side), (vec![10_000_000, 2_000_000, 3_000_000, 1_000_000, 0], 16_000_000));
        assert_eq!(side.active, Estimate::new(3, 45e6, 3.0 * 15e6 * 15e6, None));
        assert_eq!(side.hidden.values().collect::<Vec<_>>(), [&Amount(3_000_000)]);
        let main = &side.functions[&key("main")].estimates;
        // The variance due to sampling: (1/10 + 1/20 + 1/5) 10² divided by three runs, as a fraction of the square of the mean.
        assert_eq!(
            main.map(|it| (it.between, it.sampling)),
            [(Some(0.0), Some((10.0 + 5.0 + 20.0) / 300.0)); 2]
        );
    }

    #[test]
    fn how_sure_a_mean_is() {
        let estimates = |table: &str, change: fn(usize, &mut Run)| {
            let side = side_of(table, 1, change);
            let functions = side.functions[&key("f")].estimates;
            let text = |it: &Estimate| {
                format!("{} runs, mean {}, {:.4?}, {:.4?}", it.runs, it.mean, it.between, it.sampling)
            };
            [&functions[0], &side.active].map(text)
        };
        assert_eq!(
            estimates("f | 10 20 0 |", |_, _| {}),
            [
                "3 runs, mean 10000000, Some(1.0000), Some(0.1000)",
                "3 runs, mean 10000000, Some(1.0000), None"
            ]
        );
        let not_sampled = estimates("f | 10 20 0 |", |number, run| {
            if number == 1 {
                run.functions.values_mut().for_each(|cost| cost.sampling = [None; 2]);
            }
        });
        assert_eq!(not_sampled[0], "3 runs, mean 10000000, Some(1.0000), None");
        // Four sessions in the second trace, whose sum of squares is known, and which did twice as much.
        let sessions = estimates("f | 10 40 0 |", |number, run| {
            if number == 1 {
                (run.sessions, run.work) = (4, crate::work::Work(2));
                run.functions.values_mut().for_each(|cost| cost.squares = [4e14; 2]);
            }
        });
        let expected =
            ["6 runs, mean 5000000, Some(0.4000), Some(0.1333)", "6 runs, mean 5000000, None, None"];
        assert_eq!(sessions, expected);
    }

    #[test]
    fn what_only_one_side_hides() {
        let side = |table: &str| side_of(table, 1, |_, _| {});
        let here = side("main | 979 |\na.js hides | 7 |\nb.js hides | 9 |\nc.js hides | 5 |");
        let there = side("main | 991 |\nb.js hides | 9 |");
        let hides = |least| {
            let (time, largest) = here.hides_more_than(&there, least);
            (time.0, largest.map(|resource| &**resource))
        };
        assert_eq!(hides(0.005), (12_000_000, Some("a.js")));
        assert_eq!(hides(0.012), (0, None), "exactly so much is not more");
        assert_eq!(hides(0.5), (0, None));
        assert_eq!(there.hides_more_than(&here, 0.005), (Amount(0), None));
    }
}
