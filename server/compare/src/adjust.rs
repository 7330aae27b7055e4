//! Adjusts both sides as if the machine had been equally fast in each run. In sum, the runs after keep the times that were measured.

use std::collections::BTreeMap;

use analysis::summary::DefinitionKey;
use profile::model::Amount;

use crate::covariate::Slope;
use crate::factors::{Measured, Times, estimate};
use crate::run::Run;
use crate::side::{LedgerRow, Side};
use crate::statistics::{Drift, Estimate, Fitted};

/// The divisors for the times of both sides.
#[derive(Debug)]
pub(crate) struct Adjustment<'r> {
    sides: [&'r [Run]; 2],
    /// How much longer the machine made the times of each run; runs before come first.
    factors: Vec<f64>,
    /// The times that follow the machine by a power of their own.
    own: BTreeMap<Measured<'r>, Own>,
    /// The price of fitting such powers, for statements about all time.
    whole: Option<Fitted>,
    /// What times differ by between the sides without a change: those of functions, and all of it.
    drift: Option<[Drift; 2]>,
}

/// The divisor of one time in each run.
#[derive(Debug)]
struct Own {
    divisors: Vec<f64>,
    fitted: Fitted,
}

/// The divisors of times in each run, such that the sums of the runs after stay the same.
struct Divisors<'r> {
    of_times: BTreeMap<Measured<'r>, Vec<f64>>,
    of_whole: Vec<f64>,
}

impl<'r> Adjustment<'r> {
    /// Divides all times by the factors of the runs.
    pub(crate) fn by_factors(sides: [&'r [Run]; 2], factors: Vec<f64>) -> Self {
        Self { sides, factors, own: BTreeMap::new(), whole: None, drift: None }
    }

    /// Divides all times by the factors of the runs, except for those that will be [set](Self::set); `whole` is the
    /// price of fitting powers.
    pub(crate) fn by_powers(sides: [&'r [Run]; 2], factors: Vec<f64>, whole: Fitted) -> Self {
        Self { whole: Some(whole), ..Self::by_factors(sides, factors) }
    }

    /// Divides this time by a power of these factors.
    pub(crate) fn set(&mut self, times: &Times<'r>, factors: &[f64], slope: &Slope) {
        let divisors = factors.iter().map(|factor| factor.powf(slope.power)).collect();
        self.own.insert(times.of, Own { divisors, fitted: slope.fitted });
    }

    /// Takes into account that times differ between the sides without a change: by `of_functions`, and all of it by `of_whole`.
    pub(crate) fn widen(&mut self, of_functions: Drift, of_whole: Drift) {
        self.drift = Some([of_functions, of_whole]);
    }

    /// What a time was before and after, as if the machine had been equally fast in each run.
    pub(crate) fn estimates(&self, times: &Times<'r>) -> [Estimate; 2] {
        let runs = times.in_runs.iter().zip(self.of(&times.of));
        let divided: Vec<f64> = runs.map(|(time, divisor)| time / divisor).collect();
        let (before, after) = divided.split_at(self.sides[0].len());
        let fitted = self.own.get(&times.of).map(|own| own.fitted);
        [before, after].map(|side| Estimate { fitted, ..estimate(side) })
    }

    /// Whether times follow the machine by powers of their own.
    pub(crate) fn is_by_function(&self) -> bool {
        self.whole.is_some()
    }

    /// Adds up both sides.
    pub(crate) fn sides(&self) -> [Side; 2] {
        let divisors = self.divisors();
        let mut numbers = 0..self.factors.len();
        self.sides.map(|runs| {
            let runs: Vec<Run> =
                runs.iter().zip(&mut numbers).map(|(run, number)| divisors.divided(run, number)).collect();
            let side = Side::of(&runs, &vec![1; runs.len()], 1);
            self.priced(side)
        })
    }

    fn divisors(&self) -> Divisors<'r> {
        let [before, after] = self.sides;
        // The sums of the runs after, as measured and when divided.
        let mut sums: BTreeMap<Measured<'r>, [f64; 2]> = BTreeMap::new();
        for (number, run) in before.iter().chain(after).enumerate() {
            for (of, time) in Measured::all(run) {
                let [measured, divided] = sums.entry(of).or_default();
                if number >= before.len() {
                    *measured += time.0 as f64;
                    *divided += time.0 as f64 / self.of(&of)[number];
                }
            }
        }
        let add_up = sums.iter().filter(|(of, _)| !matches!(of, Measured::TotalTime(_)));
        let [measured, divided] = add_up.fold([0.0; 2], |all, (_, sum)| [all[0] + sum[0], all[1] + sum[1]]);
        let of_all = divided / measured;
        let of_times = sums.iter().map(|(of, [measured, divided])| {
            let scale = if *measured > 0.0 { divided / measured } else { of_all };
            (*of, scaled(self.of(of), scale))
        });
        Divisors { of_times: of_times.collect(), of_whole: scaled(&self.factors, of_all) }
    }

    fn of(&self, of: &Measured<'r>) -> &[f64] {
        self.own.get(of).map_or(&self.factors, |own| &own.divisors)
    }

    /// Records the price of fitting, and what differs without a change.
    fn priced(&self, mut side: Side) -> Side {
        let [of_functions, of_whole] = self.drift.map_or([None; 2], |drift| drift.map(Some));
        side.active.fitted = self.whole;
        side.active.drift = of_whole;
        for (key, means) in &mut side.functions {
            for (of, estimate) in times_of(key).into_iter().zip(&mut means.estimates) {
                estimate.fitted = self.own.get(&of).map(|own| own.fitted);
                estimate.drift = of_functions;
            }
        }
        side
    }
}

impl Divisors<'_> {
    /// A run with divided times; its whole time is their sum.
    fn divided(&self, run: &Run, number: usize) -> Run {
        let mut run = run.clone();
        for (key, function) in &mut run.functions {
            let [own, total] = times_of(key).map(|of| &self.of_times[&of]);
            divide(&mut function.cost.self_time, own[number]);
            divide(&mut function.cost.total_time, total[number]);
            function.cost.total_time = function.cost.total_time.max(function.cost.self_time);
            // For a single session, this is the square of its time.
            function.squares = [0.0; 2];
        }
        let ledger = &mut run.ledger;
        for (reason, cause) in &mut ledger.unplaced {
            divide(
                &mut cause.spent.time,
                self.of_times[&Measured::Row(LedgerRow::Unplaced(*reason))][number],
            );
        }
        divide(&mut ledger.idle.time, self.of_times[&Measured::Row(LedgerRow::Idle)][number]);
        divide(&mut ledger.no_stack.time, self.of_times[&Measured::Row(LedgerRow::NoStack)][number]);
        run.hidden.values_mut().for_each(|time| divide(time, self.of_whole[number]));
        ledger.placed.time = run.functions.values().map(|function| function.cost.self_time).sum();
        let unplaced: Amount = ledger.unplaced.values().map(|cause| cause.spent.time).sum();
        ledger.total.time = ledger.placed.time + unplaced + ledger.idle.time + ledger.no_stack.time;
        run
    }
}

fn divide(time: &mut Amount, divisor: f64) {
    *time = Amount((time.0 as f64 / divisor).round() as u64);
}

fn scaled(divisors: &[f64], scale: f64) -> Vec<f64> {
    divisors.iter().map(|divisor| divisor * scale).collect()
}

fn times_of(key: &DefinitionKey) -> [Measured<'_>; 2] {
    [Measured::SelfTime(key), Measured::TotalTime(key)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{key, milliseconds, runs};

    /// The milliseconds of a run: of its functions, self and total; of time without a function; and of resources that may hide functions.
    fn line(run: &Run) -> String {
        let functions = run.functions.iter().map(|(key, function)| {
            let [own, total] = [function.cost.self_time, function.cost.total_time].map(milliseconds);
            format!("{} {own}/{total}", key.path)
        });
        let unplaced = run.ledger.unplaced.values().map(|cause| milliseconds(cause.spent.time).to_string());
        let hidden = run.hidden.values().map(|time| milliseconds(*time).to_string());
        let sum = format!("sum {}", milliseconds(run.ledger.total.time));
        functions.chain(unplaced).chain(hidden).chain([sum]).collect::<Vec<_>>().join(", ")
    }

    /// The machine was half as fast in every second run. A time of the runs after keeps its sum; a time that none of them
    /// has is scaled like their whole time.
    #[test]
    fn times_are_divided_and_those_of_the_runs_after_keep_their_sums() {
        let [before, after] = runs(
            "
            old          |  6   6 |  -   -
            parse        | 12/30 24/60 | 12/30 24/60
            ?native      |  4   8 |  5  10
            app.js hides |  9   9 |  -   -
            ?idle        |  3   6 |  3   6
            ?no-stack    |  2   4 |  2   4
            ",
        );
        let mut adjustment = Adjustment::by_factors([&before, &after], vec![1.0, 2.0, 1.0, 2.0]);
        let lines = |adjustment: &Adjustment<'_>| {
            let divisors = adjustment.divisors();
            let runs = before.iter().chain(&after).enumerate();
            runs.map(|(number, run)| line(&divisors.divided(run, number))).collect::<Vec<_>>()
        };
        let all_alike = [
            "old 9/9, parse 18/45, 6, 13.5, 13.5, sum 54",
            "old 4.5/4.5, parse 18/45, 6, 6.75, 6.75, sum 42.75",
            "parse 18/45, 7.5, sum 33",
            "parse 18/45, 7.5, sum 33",
        ];
        assert_eq!(lines(&adjustment), all_alike);

        let parse = key("parse");
        let total = Times { of: Measured::TotalTime(&parse), in_runs: Vec::new() };
        let slope = Slope { power: 0.0, fitted: Fitted::by_slope(0.0, 1.0, [2.0; 2]), left: [0.0; 3] };
        adjustment.set(&total, &[1.0, 2.0, 1.0, 2.0], &slope);
        let its_total_does_not_follow = all_alike
            .into_iter()
            .zip(["18/30", "18/60", "18/30", "18/60"])
            .map(|(line, parse)| line.replace("18/45", parse));
        assert_eq!(lines(&adjustment), its_total_does_not_follow.collect::<Vec<_>>());
    }
}
