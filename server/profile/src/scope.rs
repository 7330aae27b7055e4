//! Selects the part of a profile that is looked at: some of its threads, windows of time, and changes of the stacks.

mod kept;
mod labels;
mod paths;
mod selection;
mod self_places;
mod threads;
mod transform;
mod window;

pub use labels::{LabelSum, LabelValue, Labels, label_sums};
pub use paths::{Direction, PASSED_OVER, PathNode, path_node};
pub use selection::Selection;
pub use threads::{ThreadInfo, Threads, choice, thread_names, thread_roles};
pub use transform::Transform;
pub use window::{Chosen, END, Marked, MarkerChoice, Windows, marker_choices, parse_time};
