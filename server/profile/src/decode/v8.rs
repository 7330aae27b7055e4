//! What V8's formats share: `.cpuprofile`, `.heapprofile` and the profiles in a Chrome trace have nodes with call frames,
//! and its logs and `perf` name code in one way.

mod call_frame;
mod calls;
pub(super) mod code_name;
pub(super) mod ids;
pub(super) mod nodes;
mod rendering;
mod sample_places;
pub(super) mod thread;
mod tree;
mod vscode;
