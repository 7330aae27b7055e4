//! Joins the calls that another run counted to the trace that is shown: V8 coverage is loaded like traces.

use std::path::Path;
use std::sync::Arc;

use analysis::format::count;
use profile::model::Counts;
use profile::problem::Problem;

use crate::coverage;
use crate::state::{Current, ShownTrace, State, only};
use crate::traces::file_name;

/// Calls, and the trace that they are to be joined to.
pub(super) struct JoinedCalls<'a> {
    pub(super) counts: Arc<Counts>,
    pub(super) shown: &'a Arc<ShownTrace>,
}

/// The counts in a file or folder of coverage, for the trace that is shown; `None` if it is not coverage.
pub(super) fn calls_of<'a>(
    state: &State,
    current: &'a Current,
    path: &Path,
) -> Option<Result<JoinedCalls<'a>, Problem>> {
    let name = file_name(path);
    let read = coverage::read(path, &current.name_of(path)).ok()?;
    for problem in &read.left_out {
        state.editor.log(problem.clause());
    }
    Some(match &current.shown {
        None => {
            let what = format!(
                "{name} tells how often functions were called, and there is no trace to join that to"
            );
            Err(Problem::new(what, "load a trace of the same program first"))
        }
        Some(shown) if only(&shown.profiles).is_none() => {
            let what = format!("{name} tells the calls of one run, and several are shown");
            Err(Problem::new(what, "load one of them first"))
        }
        Some(shown) => read.calls(&name).map(|counts| JoinedCalls { counts: Arc::new(counts), shown }),
    })
}

/// The message after calls were joined.
pub(super) fn joined(path: &Path, shown: &ShownTrace) -> String {
    let placed = shown.placements.placed.iter().flatten();
    let functions = placed
        .filter_map(|placed| placed.counts.as_ref())
        .map(|counts| counts.definitions.len())
        .sum::<usize>();
    let functions = count(functions as u64, "function");
    format!(
        "{} has the calls of {functions}, which are shown with {}.",
        file_name(path),
        file_name(&shown.path)
    )
}
