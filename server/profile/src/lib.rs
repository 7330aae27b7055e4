//! What was measured: traces of every format, decoded into one [`Profile`], and what follows from it alone.
//!
//! This room knows nothing of files, paths, source texts or editors.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod builder;
mod calls;
mod decode;
mod encode;
mod model;
mod problem;
mod rename;
mod sample_log;
mod selection;
mod strings;
mod tally;
mod threads;
mod timeline;
mod units;
mod window;

pub use builder::ProfileBuilder;
pub use decode::{DecodeError, Progress, UnsupportedFormat, decode};
pub use encode::{Target, encode, encode_gzipped};
pub use model::{
    Calls, Function, FunctionId, FunctionKind, KnownPlace, LineTicks, Marker, MarkerKind, OffStack, Profile,
    ResourceId, Sample, Script, StackId, Stacks, Thread, Weight,
};
pub use problem::Problem;
pub use rename::{NewName, rename};
pub use sample_log::SampleLog;
pub use selection::Selection;
pub use strings::{StringId, Strings};
pub use tally::{Call, Cost, LineCost, Tally, tally};
pub use threads::{ThreadInfo, Threads, choice, thread_names, thread_roles};
pub use units::{Amount, Position, Unit};
pub use window::{Chosen, Marked, Windows, parse_time};
