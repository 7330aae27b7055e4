//! The sessions of many users as rows of integers, and what is asked of them.
//!
//! A session becomes rows (`session`, `names`, `tables`), its functions become definitions and their costs (`costs`), and queries are
//! filters, groups and sums of integers (`condition`, `rows`), so that every engine gives the same bytes (docs/fleet.md).
//!
//! The room is pure: no disk, no threads, no clock.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod buckets;
pub mod comparison;
mod condition;
mod costs;
mod envelope;
pub mod ids;
mod moments;
mod names;
mod rows;
mod session;
mod slice;
pub mod sql;
pub mod tables;

pub use condition::{Column, Condition, Operator, Term};
pub use costs::{CostRow, Paths};
pub use envelope::{Dimensions, Envelope, WrongDimension};
pub use ids::{Collision, Id};
pub use moments::{ActiveTime, CompareRow, Moments, work_of};
pub use names::{FunctionRow, Names, NodeRow, SymbolRow, in_order};
pub use rows::{Row, Sums, TooMuch, costs_of};
pub use session::{Session, off_stack, reason_of, sessions};
pub use slice::{Meaning, Slice};
