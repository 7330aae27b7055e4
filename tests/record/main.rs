//! `proflens record` as it is started: real programs under a real Node, what they do with it and without it, and where their
//! time is shown.

#![allow(clippy::unwrap_used, reason = "these are tests, their helpers too")]

mod against;
mod attach;
mod counts;
mod devtools;
mod ended;
mod endings;
mod hostile;
mod impostor;
mod interrupted;
mod made;
mod options;
mod outcome;
mod page;
mod reach;
mod recorded;
mod refactored;
mod repeat;
mod runners;
mod same;
mod told;
mod vite;
