//! The sessions of many users as rows of integers, and the queries on them.
//!
//! A session becomes rows (`session`, `names`, `tables`), its functions become definitions and their costs (`costs`), and queries are
//! filters, groups and sums of integers (`condition`, `rows`), so that every engine gives the same bytes (docs/fleet.md).
//!
//! The room is pure: no disk, no threads, no clock.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod buckets;
pub mod comparison;
pub mod condition;
pub mod costs;
pub mod envelope;
pub mod ids;
pub mod moments;
pub mod names;
pub mod rows;
pub mod session;
pub mod slice;
pub mod sql;
pub mod tables;
