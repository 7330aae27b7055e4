//! What editors and reports show: one file and one pure function for each question, whose answer is a plain value.

mod call_tree;
mod costs;
mod doctor;
mod hints;
mod hottest;
mod hover;
mod lenses;
mod measured_document;
mod settings;
mod template;

pub use crate::summary::GroupBy;
pub use call_tree::{CallTreeChild, CallTreeNode, MAX_CHILDREN, call_hierarchy, call_tree};
pub use costs::{DocumentCosts, FunctionCost, document_costs};
pub use doctor::{Examination, ExaminedScript, NotPlaced, examine};
pub use hints::{Hint, HintsConfig, hints};
pub use hottest::{SortBy, hottest, hottest_groups};
pub use hover::{Hover, HoverConfig, escaped, hover, tooltip};
pub use lenses::{Lens, LensesConfig, lens_range, lens_title, lenses};
pub use measured_document::{MeasuredDocument, MeasuredFunction, MeasuredFunctions};
pub use settings::{Base, Threshold, Unit};
pub use template::{DEFAULT_HINT_FORMAT, DEFAULT_LENS_FORMAT};
