//! What changed between two sides of recordings, and whether that is more than noise.
//!
//! A side is one run or several. Functions are matched by definition: both sides are placed in the same workspace, so that a
//! renamed, moved or edited function, or one of another bundle, has one [`analysis::DefinitionKey`]. What differs is judged by how
//! much the runs of a side differ from each other (`statistics`, docs/compare.md).
//!
//! The room is pure: no disk, no threads, no clock, no protocol.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod change;
mod comparison;
mod run;
mod side;
mod statistics;
pub mod texts;
mod verdict;
pub mod views;
mod work;

pub use change::{Change, FunctionChange, Presence};
pub use comparison::{Comparison, LedgerChange, LedgerRow, Subject};
pub use run::{FunctionInfo, Run};
pub use side::{FunctionMeans, MeanLedger, Side};
pub use statistics::{ClusterSums, Effect, Estimate, MIN_RUNS};
pub use verdict::{Method, Settings, Verdict};
pub use work::{Per, Work};
