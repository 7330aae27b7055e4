//! `proflens record` as it is started: real programs under a real Node, what they do with it and without it, and where their
//! time is shown.

#![allow(clippy::unwrap_used, reason = "these are tests, their helpers too")]

#[cfg(unix)]
mod against;
#[cfg(unix)]
mod attach;
#[cfg(unix)]
mod counts;
#[cfg(unix)]
mod deopts;
#[cfg(unix)]
mod devtools;
#[cfg(unix)]
mod drawn;
mod ended;
#[cfg(unix)]
mod endings;
#[cfg(unix)]
mod hostile;
#[cfg(unix)]
mod impostor;
#[cfg(unix)]
mod interrupted;
#[cfg(unix)]
mod line_counts;
#[cfg(unix)]
mod lost;
#[cfg(unix)]
mod made;
#[cfg(unix)]
mod options;
#[cfg(unix)]
mod outcome;
#[cfg(unix)]
mod page;
#[cfg(unix)]
mod reach;
mod recorded;
#[cfg(unix)]
mod refactored;
#[cfg(unix)]
mod rendering;
#[cfg(unix)]
mod repeat;
mod runners;
#[cfg(unix)]
mod same;
#[cfg(unix)]
mod told;
#[cfg(unix)]
mod vite;
#[cfg(windows)]
mod windows;
#[cfg(unix)]
mod workerd;
