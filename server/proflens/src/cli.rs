//! The commands for a shell: `report`, `annotate`, `flame`, `compare`, `convert`, `doctor`, `collect`, `record` and
//! `completions`. Only the files in this folder print.

use std::borrow::Cow;
use std::path::Path;
use std::process::ExitCode;

use analysis::files::FilePath;
use profile::problem::Problem;

mod against;
mod agents;
mod amounts;
pub mod annotate;
mod by_turns;
pub mod collect;
mod command;
pub mod compare;
pub mod completions;
mod content;
pub mod convert;
mod counts;
mod deopts;
pub mod doctor;
pub mod explain;
mod finish;
pub mod flags;
pub mod flame;
mod input;
mod json;
mod lines;
mod load;
mod markdown;
pub mod mcp;
mod one_run;
mod other_runs;
mod outfile;
mod packages;
pub mod record;
mod rendering;
mod repeat;
pub mod report;
pub mod screen;
mod table;
mod turns;
mod values;
mod wrap;

use screen::{
    note, note_failure, note_problem, print, print_json, print_line, printable, say, say_failure, say_lines,
};

/// The exit status when flags are wrong, as clap has it.
const WRONG_FLAGS: u8 = 2;

/// How a command ended.
#[must_use]
pub struct Outcome {
    /// What could not be used; empty if all went well.
    pub errors: Vec<Problem>,
    /// The exit status of a program that was run, if all went well.
    pub status: u8,
}

impl Outcome {
    fn failed(problem: Problem) -> Self {
        Self::with_errors(vec![problem])
    }

    fn with_errors(errors: Vec<Problem>) -> Self {
        Self { errors, status: 0 }
    }

    fn ended(status: u8) -> Self {
        Self { errors: Vec::new(), status }
    }

    /// The outcome of a command that ends at its first error.
    fn of_result(result: Result<(), Problem>) -> Self {
        Self::with_errors(result.err().into_iter().collect())
    }

    /// Reports what could not be used, one line each; everything else was used.
    pub fn finish(&self) -> ExitCode {
        self.errors.iter().for_each(say_failure);
        if self.errors.is_empty() { ExitCode::from(self.status) } else { ExitCode::FAILURE }
    }
}

/// A path below the current folder, as it would be typed.
fn shown(path: &Path) -> &Path {
    std::env::current_dir().ok().and_then(|folder| path.strip_prefix(folder).ok()).unwrap_or(path)
}

/// A file's path from the workspace folder, even if it is installed in a folder around it; the whole path if the two
/// have nothing in common.
fn relative<'a>(file: &'a FilePath, folder: &FilePath) -> Cow<'a, str> {
    if let Some(below) = file.relative_to(folder) {
        return Cow::Borrowed(below);
    }
    let ancestors = std::iter::successors(folder.parent(), FilePath::parent);
    for (up, ancestor) in (1..).zip(ancestors) {
        if let Some(below) = file.relative_to(&ancestor) {
            return Cow::Owned("../".repeat(up) + below);
        }
    }
    Cow::Borrowed(file.as_str())
}
