//! How a program is recorded: a command is started with a recorder in each of its threads, what they leave is put together,
//! and the result is written as one trace that Proflens and DevTools can open.
//!
//! The recorder itself is JavaScript (`preload/`) and part of the program: Node loads it into each process and worker of the
//! command.

pub mod base;
mod counted;
pub mod deopts;
pub mod destination;
pub mod folder;
pub mod head;
pub mod heap;
mod in_memory;
pub mod launch;
pub mod leftovers;
mod lock;
mod made;
mod maps;
mod moved;
mod namespace;
pub mod output;
mod own;
pub mod parts;
mod pieces;
pub mod place;
mod programs;
mod recorder;
pub mod refusals;
mod regular;
pub mod running;
mod runtimes;
pub mod signals;
mod state;
mod texts;
pub mod trace;
pub mod v8_log;
pub mod v8_profile;
