//! What one sample says: where it was, and its weight.

use crate::model::units::{Amount, Unit};

/// An index into [`crate::model::Profile::stacks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StackId(pub u32);

/// An index into [`crate::model::Profile::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FunctionId(pub u32);

/// A sample, or several at once if the trace has only their sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// What ran.
    pub on: Result<StackId, OffStack>,
    /// How long.
    pub weight: Weight,
}

/// Why a sample has no stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OffStack {
    /// V8's `(idle)`.
    Idle,
    /// A Self-Profiling sample without a stack: idle or engine work, which browsers do not distinguish.
    NoStack,
    /// V8's `(program)`: native work outside any JavaScript.
    Program,
    /// Garbage collection with no stack before it.
    GarbageCollector,
    /// Browser work known from a marker (style, layout, paint, script without visible frames).
    Native,
    /// A gap without samples, beyond the usual interval.
    Unsampled,
    /// A sample that refers to nothing in the trace.
    Unknown,
}

impl OffStack {
    /// All reasons, in order of their number.
    pub const ALL: [Self; 7] = [
        Self::Idle,
        Self::NoStack,
        Self::Program,
        Self::GarbageCollector,
        Self::Native,
        Self::Unsampled,
        Self::Unknown,
    ];

    /// The name of its frame in formats that write everything as frames: V8's name or a similar one.
    pub fn frame(self) -> &'static str {
        match self {
            Self::Idle => "(idle)",
            Self::NoStack => "(no stack)",
            Self::Program => "(program)",
            Self::GarbageCollector => "(garbage collector)",
            Self::Native => "(native)",
            Self::Unsampled => "(unsampled)",
            Self::Unknown => "(unknown)",
        }
    }
}

/// The sum of samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weight {
    /// Their time; their bytes in a profile of [`Unit::Bytes`].
    pub time: Amount,
    /// Their number.
    pub samples: u64,
}

impl OffStack {
    /// What an empty stack means in a format that writes idle time that way. Allocations are never idle.
    pub(crate) fn without_stack(unit: Unit) -> Self {
        match unit {
            Unit::Time => Self::Idle,
            Unit::Bytes => Self::Native,
        }
    }
}

impl std::ops::AddAssign for Weight {
    fn add_assign(&mut self, other: Self) {
        self.time += other.time;
        self.samples += other.samples;
    }
}

/// Adds up weights by key; each key once, in order.
pub fn summed<K: Ord + Copy>(mut weights: Vec<(K, Weight)>) -> Vec<(K, Weight)> {
    weights.sort_unstable_by_key(|it| it.0);
    weights.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    weights
}
