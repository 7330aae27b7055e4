//! The verdict on a change, and what it is based on.

use profile::model::Unit;
use serde::Serialize;

/// The settings by which differences are judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The allowed proportion of false alarms, 0..1, and the fraction of true values that may lie outside of their intervals.
    pub level: f64,
    /// The assumed standard deviation between runs, relative to the time, if there is one run per side. Also the most
    /// that a time may certainly have changed to be called the same.
    pub noise: f64,
    /// Functions with a smaller share of the active time are not judged.
    pub least_share: f64,
    /// Functions with fewer samples in a mean run are not judged either, because chance decides whether such a function has any.
    pub least_samples: f64,
    /// Nor are functions that fewer runs tell about, counted as in `statistics::effective`.
    pub least_effective: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { level: 0.05, noise: 0.1, least_share: 0.005, least_samples: 5.0, least_effective: 0.0 }
    }
}

/// What differences are judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// How much the runs of each side differ.
    Runs,
    /// How much the runs of the side with several runs differ.
    OneAgainstMany,
    /// The error of sampling and an assumed noise between runs, because there is one run a side.
    Sampling,
    /// Nothing: there are too few runs of times that were not sampled.
    #[serde(rename = "none")]
    Nothing,
}

/// The verdict on a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It costs more, by more than chance.
    Regression,
    /// It costs less, by more than chance.
    Improvement,
    /// It cost more in fewer than three runs a side, by more than the error of sampling and the assumed noise. This is not proof: V8
    /// may inline a function in one run and not in the next, which changes its time thirtyfold.
    PossibleRegression,
    /// The same, but it cost less.
    PossibleImprovement,
    /// Its self time changed and its total time did not: time moved to or from what it calls.
    Shifted,
    /// It was only measured after.
    New,
    /// It was only measured before.
    Gone,
    /// One side could not place it, so nothing is known about it there.
    NotComparable,
    /// It costs the same, as far as it matters.
    Unchanged,
    /// There are not enough data to tell.
    Unsure,
}

impl Verdict {
    /// A word or two for display.
    pub fn words(self, unit: Unit) -> &'static str {
        match (self, unit) {
            (Self::Regression, Unit::Time) => "slower",
            (Self::Regression, Unit::Bytes) => "more",
            (Self::Improvement, Unit::Time) => "faster",
            (Self::Improvement, Unit::Bytes) => "less",
            (Self::PossibleRegression, Unit::Time) => "maybe slower",
            (Self::PossibleRegression, Unit::Bytes) => "maybe more",
            (Self::PossibleImprovement, Unit::Time) => "maybe faster",
            (Self::PossibleImprovement, Unit::Bytes) => "maybe less",
            (Self::Shifted, _) => "shifted",
            (Self::New, _) => "new",
            (Self::Gone, _) => "gone",
            (Self::NotComparable, _) => "not comparable",
            (Self::Unchanged, _) => "the same",
            (Self::Unsure, _) => "not enough data",
        }
    }

    /// Whether it says that the cost certainly changed.
    pub fn is_certain(self) -> bool {
        matches!(self, Self::Regression | Self::Improvement)
    }

    /// Whether it says that the cost certainly or possibly changed.
    pub fn is_change(self) -> bool {
        self.is_certain() || matches!(self, Self::PossibleRegression | Self::PossibleImprovement)
    }

    /// The verdict on a difference that is more than chance.
    pub(crate) fn of(is_more: bool, is_certain: bool) -> Self {
        match (is_more, is_certain) {
            (true, true) => Self::Regression,
            (false, true) => Self::Improvement,
            (true, false) => Self::PossibleRegression,
            (false, false) => Self::PossibleImprovement,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::word;

    #[test]
    fn names_and_words() {
        use Verdict::{
            Gone, Improvement, New, NotComparable, PossibleImprovement, PossibleRegression, Regression,
            Shifted, Unchanged, Unsure,
        };
        let expected = [
            (Regression, "regression", "slower", "more", "certain change"),
            (Improvement, "improvement", "faster", "less", "certain change"),
            (PossibleRegression, "possible-regression", "maybe slower", "maybe more", "change"),
            (PossibleImprovement, "possible-improvement", "maybe faster", "maybe less", "change"),
            (Shifted, "shifted", "shifted", "shifted", ""),
            (New, "new", "new", "new", ""),
            (Gone, "gone", "gone", "gone", ""),
            (NotComparable, "not-comparable", "not comparable", "not comparable", ""),
            (Unchanged, "unchanged", "the same", "the same", ""),
            (Unsure, "unsure", "not enough data", "not enough data", ""),
        ];
        let kind = |verdict: Verdict| match (verdict.is_certain(), verdict.is_change()) {
            (true, true) => "certain change",
            (true, false) => "certain",
            (false, true) => "change",
            (false, false) => "",
        };
        let shown = expected.map(|(verdict, ..)| {
            let [time, bytes] = [Unit::Time, Unit::Bytes].map(|unit| verdict.words(unit));
            (verdict, word(verdict), time, bytes, kind(verdict))
        });
        assert_eq!(
            shown,
            expected.map(|(verdict, name, time, bytes, kind)| (verdict, name.to_owned(), time, bytes, kind))
        );
        let methods = [Method::Runs, Method::OneAgainstMany, Method::Sampling, Method::Nothing];
        assert_eq!(methods.map(word), ["runs", "one-against-many", "sampling", "none"]);
    }
}
