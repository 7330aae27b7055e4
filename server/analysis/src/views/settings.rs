//! What users choose about all views alike.

use profile::Amount;
use serde::{Deserialize, Serialize};

use crate::Recording;

/// What 100 % is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Base {
    /// All time but idle time and samples without a stack.
    #[default]
    Active,
    /// All time.
    All,
}

/// What numbers a hint or lens shows first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// `12.3ms`, or `12.3kB` of what was allocated.
    #[default]
    Time,
    /// `4.6%`.
    Percent,
    /// A number of samples.
    Samples,
}

/// Which functions are worth a hint.
#[derive(Clone, Copy, Debug)]
pub struct Threshold {
    /// Percent of the base that a total must reach, 0..100.
    pub percent: f64,
    /// What 100 % is.
    pub base: Base,
}

impl Unit {
    /// The unit after this one, round and round.
    pub fn next(self) -> Self {
        match self {
            Self::Time => Self::Percent,
            Self::Percent => Self::Samples,
            Self::Samples => Self::Time,
        }
    }
}

pub(crate) fn base(recording: &Recording, base: Base) -> Amount {
    recording.summary.ledger.base(base == Base::All)
}
