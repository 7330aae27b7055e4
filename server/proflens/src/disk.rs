//! The disk, as far as Proflens may read it: regular files inside the workspace folders, traces that the user named, and
//! the caches of runners that the user allowed.
//!
//! Files such as `.gitignore` do not count, because the code that runs is often in an ignored `dist/`. Links are
//! resolved before anything is opened, and what leads out of the folders counts as missing.

mod caches;
mod globs;
mod traces;
mod walk;
mod workspace;

pub(crate) use globs::{glob_set, in_folder, is_match};
pub(crate) use traces::{FoundTrace, FoundTraces, TracePatterns};
pub use workspace::Disk;

#[cfg(test)]
mod tests;
