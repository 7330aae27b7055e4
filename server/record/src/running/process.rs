//! A process as the system describes it (Linux): where it listens, what it is, and whether it may be asked for its
//! inspector. Whatever it says about itself, nothing is sent to a process that is not known to be Node.

#[cfg(target_os = "linux")]
mod elf;
mod error;
#[cfg(target_os = "linux")]
mod listeners;
#[cfg(target_os = "linux")]
mod proc;

pub(crate) use error::{ProcessError, Why, takes_coverage};
#[cfg(target_os = "linux")]
pub(crate) use proc::Process;
