//! `proflens record` as it is started: real programs under a real Node, what they do with it and without it, and where their
//! time is shown.

#![allow(clippy::unwrap_used, reason = "these are tests, their helpers too")]

mod endings;
mod options;
mod recorded;
mod runners;
