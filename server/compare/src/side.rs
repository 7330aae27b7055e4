//! The runs of one side, added up: means that add up exactly, and how much the runs differ.

use std::collections::BTreeMap;
use std::sync::Arc;

use analysis::locate::UnplacedReason;
use analysis::summary::DefinitionKey;
use profile::model::Amount;

use crate::run::{FunctionInfo, Run, RunCost};
use crate::statistics::Estimate;
use crate::work::Division;

/// The runs of one side, added up.
#[derive(Debug, Default)]
pub struct Side {
    /// The number of runs.
    pub runs: u64,
    /// The mean of where the time went; all of it adds up to the mean of all time.
    pub ledger: MeanLedger,
    /// Of the active time.
    pub active: Estimate,
    /// The samples of all runs.
    pub samples: u64,
    /// By definition.
    pub functions: BTreeMap<DefinitionKey, FunctionMeans>,
    /// The mean time that may belong to functions of the workspace, but was not placed on their definitions: by resource.
    pub hidden: BTreeMap<Arc<str>, Amount>,
}

/// Where the time of a mean run went: definitions, and these.
#[derive(Clone, Debug, Default)]
pub struct MeanLedger {
    /// Self time of definitions.
    pub placed: Amount,
    /// Unplaced time.
    pub unplaced: BTreeMap<UnplacedReason, Amount>,
    /// Idle time.
    pub idle: Amount,
    /// Samples without a stack.
    pub no_stack: Amount,
}

/// One definition in a mean run.
#[derive(Clone, Debug)]
pub struct FunctionMeans {
    /// What is known of it.
    pub info: Arc<FunctionInfo>,
    /// Self and total time.
    pub means: [Amount; 2],
    /// How sure they are.
    pub estimates: [Estimate; 2],
    /// The samples of all runs, those that it was on top of and those that it was in.
    pub samples: [u64; 2],
}

/// Sums over runs.
#[derive(Default)]
struct Sums {
    time: u64,
    squares: f64,
    /// The variance by sampling, in absolute terms; `None` once a time was not sampled.
    sampling: Option<f64>,
    samples: u64,
}

struct FunctionSums {
    info: Arc<FunctionInfo>,
    /// Of self and total time.
    of: [Sums; 2],
}

impl Side {
    /// Adds up runs, each as if it had done so much work as `reference` says.
    pub(crate) fn of(runs: &[Run], reference: u64) -> Self {
        let number: u64 = runs.iter().map(|run| run.sessions).sum();
        let mut functions: BTreeMap<&DefinitionKey, FunctionSums> = BTreeMap::new();
        let (mut ledger, mut active) = (MeanLedger::default(), Sums::default());
        let mut hidden: BTreeMap<Arc<str>, u64> = BTreeMap::new();
        for run in runs {
            let mut division = Division::new(reference, run.work.0);
            for (key, cost) in &run.functions {
                let self_time = division.next(cost.cost.self_time.0);
                ledger.placed += Amount(self_time);
                let sums = functions.entry(key).or_insert_with(|| FunctionSums::of(cost));
                sums.add(cost, self_time, &division);
            }
            for (&reason, unplaced) in &run.ledger.unplaced {
                *ledger.unplaced.entry(reason).or_default() += Amount(division.next(unplaced.spent.time.0));
            }
            ledger.idle += Amount(division.next(run.ledger.idle.time.0));
            ledger.no_stack += Amount(division.next(run.ledger.no_stack.time.0));
            for (resource, time) in &run.hidden {
                *hidden.entry(Arc::clone(resource)).or_default() += division.alone(time.0);
            }
            active.add(division.alone(run.active().0), None, None);
        }
        let mut mean = Division::new(1, number);
        let functions: BTreeMap<_, _> =
            functions.into_iter().map(|(key, sums)| (key.clone(), sums.means(number, &mut mean))).collect();
        ledger.placed = functions.values().map(|function| function.means[0]).sum();
        ledger.unplaced.values_mut().for_each(|time| *time = Amount(mean.next(time.0)));
        ledger.idle = Amount(mean.next(ledger.idle.0));
        ledger.no_stack = Amount(mean.next(ledger.no_stack.0));
        let hidden =
            hidden.into_iter().map(|(resource, time)| (resource, Amount(mean.alone(time)))).collect();
        // How much the active time of sessions in one file differs is not known.
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
    /// The active time of a mean run.
    pub(crate) fn active_time(&self) -> Amount {
        Amount(self.active.mean as u64)
    }

    /// What the other side has of its active time in resources of which this one hides nothing, and the largest of them: where both
    /// sides hide something of a resource, how much that is says only how long it ran. Hardly any time is chance.
    pub(crate) fn hides_more_than(&self, other: &Self, least_share: f64) -> (Amount, Option<&Arc<str>>) {
        let only_here = self.hidden.iter().filter(|(resource, _)| !other.hidden.contains_key(*resource));
        let sum: Amount = only_here.clone().map(|(_, time)| *time).sum();
        if sum.0 as f64 <= least_share * self.active.mean {
            return (Amount(0), None);
        }
        (sum, only_here.max_by_key(|(_, time)| **time).map(|(resource, _)| resource))
    }
}

impl MeanLedger {
    /// All time of a mean run.
    pub(crate) fn total(&self) -> Amount {
        self.placed + self.unplaced.values().copied().sum() + self.idle + self.no_stack
    }
}

impl FunctionSums {
    fn of(cost: &RunCost) -> Self {
        let of = [0, 1].map(|_| Sums { sampling: Some(0.0), ..Sums::default() });
        Self { info: Arc::clone(&cost.info), of }
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
            // Where it is not known how sessions differ, all of it counts as that of one.
            let squares = Some(run.squares[which] * scale).filter(|squares| *squares > 0.0);
            self.of[which].add(times[which], squares, sampling);
            self.of[which].samples += samples[which];
        }
    }

    fn means(self, runs: u64, mean: &mut Division) -> FunctionMeans {
        let means = [mean.next(self.of[0].time), mean.alone(self.of[1].time)].map(Amount);
        let samples = [0, 1].map(|which| self.of[which].samples);
        let estimates = self.of.map(|sums| {
            let sum = sums.time as f64;
            // The variance of one run, as a part of the square of the mean.
            let sampling = sums.sampling.filter(|_| sums.time > 0).map(|all| all * runs as f64 / (sum * sum));
            Estimate::new(runs, sum, sums.squares, sampling)
        });
        FunctionMeans { info: self.info, means, estimates, samples }
    }
}

impl Sums {
    /// Adds a run; the sum of squares is known apart where several sessions are in it.
    fn add(&mut self, time: u64, squares: Option<f64>, sampling: Option<f64>) {
        self.time += time;
        self.squares += squares.unwrap_or((time as f64).powi(2));
        self.sampling = self.sampling.zip(sampling).map(|(a, b)| a + b);
    }
}
