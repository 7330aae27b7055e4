//! How a program is recorded: a command is started with a recorder in each of its threads, what they leave is put together,
//! and one trace is written that Proflens and DevTools open.
//!
//! The recorder itself is JavaScript (`preload/`) and part of the program: Node loads it into each process and worker of the
//! command.

mod destination;
mod folder;
mod head;
mod heap;
mod in_memory;
mod launch;
mod leftovers;
mod lock;
mod made;
mod maps;
mod namespace;
mod output;
mod own;
mod parts;
mod pieces;
mod place;
mod recorder;
mod refusals;
mod regular;
mod running;
mod runtimes;
mod signals;
mod state;
mod texts;
mod trace;
mod v8_profile;

pub use destination::{file_name, folder_of_runs, named_folder};
pub use folder::{Plan, RecordingFolder, ending};
pub use head::{Head, Revision, TreeState};
pub use heap::{has_samples, write_heap};
pub use launch::{Ending, Launch, Settings, launch};
pub use leftovers::{Leftovers, recover};
pub use output::write_file;
pub use parts::{Gathered, gather};
pub use place::PlaceError;
pub use refusals::{Refusal, refusal};
#[doc(hidden)]
pub use running::fuzzed;
pub use running::{Progress, Recorded, Running, Subject, record_running};
pub use signals::{end_as, end_as_told, is_running, is_told_to_end, listen};
pub use trace::write_trace;
pub use v8_profile::{CallFrame, Mark, Node, Script, Thread, V8Profile};
