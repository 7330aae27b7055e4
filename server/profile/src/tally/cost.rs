//! The cost of a key: the sums that all walks over stacks compute.

use crate::model::{Amount, Weight};

/// What a key cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Time during which it ran on top of the stack.
    pub self_time: Amount,
    /// Time during which it was on the stack at all.
    pub total_time: Amount,
    /// The number of samples in its self time.
    pub self_samples: u64,
    /// The number of samples in its total time.
    pub total_samples: u64,
}

impl Cost {
    /// The cost of the key itself.
    pub fn own(self) -> Weight {
        Weight { time: self.self_time, samples: self.self_samples }
    }

    /// The cost of the key and its callees.
    pub fn all(self) -> Weight {
        Weight { time: self.total_time, samples: self.total_samples }
    }
}

impl std::ops::AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        self.self_time += other.self_time;
        self.total_time += other.total_time;
        self.self_samples += other.self_samples;
        self.total_samples += other.total_samples;
    }
}

impl std::ops::Sub for Cost {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            self_time: self.self_time - other.self_time,
            total_time: self.total_time - other.total_time,
            self_samples: self.self_samples - other.self_samples,
            total_samples: self.total_samples - other.total_samples,
        }
    }
}
