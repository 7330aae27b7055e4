//! What editors and reports show: one file and one pure function per question, whose answer is a plain value.

mod call_tree;
mod compiler_notes;
mod costs;
mod doctor;
mod hints;
mod hottest;
mod hover;
mod ledger;
mod lenses;
mod measured_document;
mod packages;
mod settings;
mod template;

pub use crate::summary::{GroupBy, TreeOf};
pub use call_tree::{CallTreeChild, CallTreeNode, MAX_CHILDREN, call_tree};
pub use compiler_notes::{CompilerNote, compiler_notes};
pub use costs::{
    DocumentCosts, FunctionCost, LineHeat, LineRuns, document_costs, function_lines, function_runs,
};
pub use doctor::{Examination, ExaminedScript, NotPlaced, examine};
pub use hints::{Hint, hints};
pub use hottest::{SortBy, hottest, hottest_groups};
pub use hover::{Hover, HoverConfig, calls_text, caveats, escaped, hover, tooltip};
pub use ledger::{LedgerRow, ledger_rows};
pub use lenses::{Lens, lens_range, lens_title, lenses};
pub use measured_document::{MeasuredDocument, MeasuredFunction, MeasuredFunctions};
pub use packages::{PackageCost, packages};
pub use settings::{Threshold, Unit};
pub use template::{BRIEF_HINT_FORMAT, DEFAULT_HINT_FORMAT, DEFAULT_LENS_FORMAT, LabelConfig};
