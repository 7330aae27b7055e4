//! What was measured: traces of every format, decoded into one [`Profile`], and what follows from it alone.
//!
//! This room knows nothing of files, paths, source texts or editors.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod builder;
mod calls;
mod decode;
mod encode;
mod join;
mod model;
mod paths;
mod places;
mod plain;
mod population;
mod problem;
mod rename;
mod sample;
mod sample_log;
mod selection;
mod self_places;
mod small_numbers;
mod stack_times;
mod strings;
mod tally;
mod threads;
mod timeline;
mod transform;
mod uncertainty;
mod units;
mod window;

pub use builder::ProfileBuilder;
pub use decode::{DecodeError, Progress, UnsupportedFormat, decode};
pub use encode::{Target, encode, encode_gzipped};
pub use join::Join;
pub use model::{
    Calls, Function, FunctionKind, JoinedTrace, KnownPlace, Marker, MarkerKind, PlaceTicks, Profile,
    ResourceId, Revision, Script, Stacks, Thread,
};
pub use paths::{Direction, PASSED_OVER, PathNode, path_node};
pub use places::{PlaceId, Places, SeenPlace};
pub use plain::{is_hidden, plain, plain_lines};
pub use population::{PERCENTILES, Percentiles, Population, Spread, Squares};
pub use problem::Problem;
pub use rename::{NewName, rename};
pub use sample::{FunctionId, OffStack, Sample, StackId, Weight, summed};
pub use sample_log::SampleLog;
pub use selection::Selection;
pub use stack_times::{StackTimes, StackTimesIter};
pub use strings::{StringId, Strings};
pub use tally::{Call, Collections, Cost, Groups, LineCost, Runs, Tally, group_costs, tally};
pub use threads::{ThreadInfo, Threads, choice, thread_names, thread_roles};
pub use transform::Transform;
pub use uncertainty::{Interval, MIN_SESSIONS, Sampling, between_sessions};
pub use units::{Amount, Position, Unit};
pub use window::{Chosen, END, Marked, Windows, marker_names, parse_time};
