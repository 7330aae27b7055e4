//! `--counts`: how often functions were called, from files of coverage that another run of the program wrote.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use analysis::counts::{CallCounts, place_counts};
use analysis::recording::Recording;
use compare::run::Run;
use profile::problem::Problem;

use super::input::{ScopeArgs, Workspace};
use super::note_failure;
use crate::coverage;

/// The flag of commands that show calls.
#[derive(clap::Args, Debug, Default)]
#[command(next_help_heading = "What is counted")]
pub(super) struct CountsArgs {
    /// How often functions were called in another run of the same program: a file or folder that NODE_V8_COVERAGE wrote
    #[arg(long, value_name = "FILE|DIR")]
    counts: Option<PathBuf>,
}

impl CountsArgs {
    /// Adds the calls to a recording, if any are named.
    ///
    /// # Errors
    /// If they cannot be read, or are not those of this part of a recording.
    pub(super) fn add_to(
        &self,
        recording: &mut Recording,
        workspace: &Workspace,
        scope: &ScopeArgs,
    ) -> Result<(), Problem> {
        let Some(path) = &self.counts else { return Ok(()) };
        check_whole(scope)?;
        recording.count(placed(path, workspace)?);
        Ok(())
    }
}

/// The flags of commands that compare.
#[derive(clap::Args, Debug, Default)]
#[command(next_help_heading = "What is counted")]
pub(super) struct CountsOfSidesArgs {
    /// How often functions were called in a run of the side before: a file or folder that NODE_V8_COVERAGE wrote
    #[arg(long, value_name = "FILE|DIR")]
    before_counts: Option<PathBuf>,
    /// The same of the side after
    #[arg(long, value_name = "FILE|DIR")]
    after_counts: Option<PathBuf>,
}

impl CountsOfSidesArgs {
    /// Sets the calls of the runs of both sides, if any are named.
    ///
    /// # Errors
    /// If they cannot be read, or are not those of these parts of recordings.
    pub(super) fn add_to(
        &self,
        sides: [&mut [Run]; 2],
        workspace: &Workspace,
        scope: &ScopeArgs,
    ) -> Result<(), Problem> {
        for (runs, path) in sides.into_iter().zip([&self.before_counts, &self.after_counts]) {
            let Some(path) = path else { continue };
            check_whole(scope)?;
            let calls = Arc::new(placed(path, workspace)?);
            runs.iter_mut().for_each(|run| run.count(Arc::clone(&calls)));
        }
        Ok(())
    }
}

/// Checks that all of a recording is looked at.
fn check_whole(scope: &ScopeArgs) -> Result<(), Problem> {
    if scope.is_all() {
        return Ok(());
    }
    let what = "coverage tells the calls of a whole run, and only a part is looked at";
    Err(Problem::new(what, "leave out the coverage, or what chooses the part"))
}

/// Reads counts, and finds their functions.
fn placed(path: &Path, workspace: &Workspace) -> Result<CallCounts, Problem> {
    let name = path.display().to_string();
    let read = coverage::read(path, &name)?;
    read.left_out.iter().for_each(note_failure);
    let counts = read.calls(&name)?;
    workspace.on_large_stack(None, &name, |settings| place_counts(&counts, &workspace.disk, settings))
}
