//! Settings that apply to all views alike.

use serde::{Deserialize, Serialize};

use crate::format::whole;
use crate::summary::Base;

/// The unit of the numbers of hints and lenses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// `12.3ms`, or `12.3kB` for allocated memory.
    #[default]
    Time,
    /// `4.6%`.
    Percent,
    /// A number of samples.
    Samples,
}

/// Which functions are shown.
#[derive(Clone, Copy, Debug)]
pub struct Threshold {
    /// The least total cost, in percent of the base, 0..100.
    pub percent: f64,
    /// What 100 % is.
    pub base: Base,
}

impl Unit {
    /// The next unit; the last one is followed by the first.
    pub fn next(self) -> Self {
        match self {
            Self::Time => Self::Percent,
            Self::Percent => Self::Samples,
            Self::Samples => Self::Time,
        }
    }
}

impl Base {
    /// What 100 % is, as part of a sentence.
    pub fn name(self, unit: profile::model::Unit) -> &'static str {
        match (unit, self) {
            (profile::model::Unit::Time, Self::All) => "recorded time",
            (unit, _) => whole(unit),
        }
    }
}
