//! What changed between two sides of recordings, and whether that is more than noise.
//!
//! A side is one run or several. Functions are matched by definition: both sides are placed in the same workspace, so
//! that a function that was renamed, moved or edited, or is in a different bundle, has one
//! [`analysis::summary::DefinitionKey`]. A difference is judged by how much the runs of a side differ from each other
//! (`statistics`, docs/compare.md).
//!
//! This crate is pure: no disk, no threads, no clock, no protocol.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod adjust;
pub mod calls;
pub mod change;
pub mod comparison;
mod covariate;
mod drift;
mod factors;
#[cfg(test)]
mod fixtures;
pub mod machine;
pub mod power;
pub mod run;
pub mod sequential;
pub mod side;
pub mod statistics;
pub mod texts;
pub mod verdict;
pub mod views;
pub mod work;
