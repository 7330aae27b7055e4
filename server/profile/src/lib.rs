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
mod strings;
mod tally;
mod threads;
mod timeline;
mod units;

pub use builder::ProfileBuilder;
pub use decode::{DecodeError, Progress, UnsupportedFormat, decode, decode_keeping};
pub use encode::{Target, encode, encode_gzipped};
pub use model::{
    Calls, Function, FunctionId, FunctionKind, KnownPlace, LineTicks, OffStack, Profile, ResourceId, Sample,
    Samples, Script, StackId, Stacks, Thread, Weight,
};
pub use problem::Problem;
pub use rename::{NewName, rename};
pub use strings::{StringId, Strings};
pub use tally::{Call, Cost, LineCost, Tally, tally};
pub use threads::{ThreadInfo, Threads, choice, match_previous_thread, thread_named, thread_names};
pub use units::{Amount, Position, Unit};
