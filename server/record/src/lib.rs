//! How a program is recorded: a command is started with a recorder in each of its threads, what they leave is put together,
//! and one trace is written that Proflens and DevTools open.
//!
//! The recorder itself is JavaScript (`preload/`) and part of the program: Node loads it into each process and worker of the
//! command.

mod folder;
mod head;
mod heap;
mod in_memory;
mod launch;
mod maps;
mod output;
mod parts;
mod profile;
mod regular;
mod running;
mod runtimes;
mod signals;
mod trace;

pub use folder::{Plan, RecordingFolder, file_name, folder_of_runs, recover};
pub use head::{Head, Revision, TreeState};
pub use heap::write_heap;
pub use launch::{Ending, Launch, Settings, launch, refuses_recorder};
pub use output::write_file;
pub use parts::{Gathered, gather};
pub use profile::{CallFrame, Mark, Node, Script, Thread, V8Profile};
#[doc(hidden)]
pub use running::fuzzed;
pub use running::{Progress, Recorded, Running, Subject, record_running};
pub use signals::{end_as, end_as_told, is_running, is_told_to_end};
pub use trace::write_trace;
