//! What V8's formats share: `.cpuprofile`, `.heapprofile` and the profiles in a Chrome trace have nodes with call frames,
//! and its logs and `perf` name code in the same way.

mod call_frame;
pub(super) mod code_name;
pub(super) mod events;
pub(super) mod ids;
mod long_tasks;
pub(super) mod nodes;
mod rendering;
mod sample_places;
pub(super) mod script_ids;
pub(super) mod thread;
mod tree;
mod vscode;
