//! The commands for a shell: `report`, `annotate`, `flame`, `compare`, `convert`, `doctor`, `collect`, `record` and
//! `completions`. Only files in here print.

use std::borrow::Cow;
use std::path::Path;
use std::process::ExitCode;

use analysis::FilePath;

mod amounts;
pub mod annotate;
pub mod collect;
pub mod compare;
pub mod completions;
mod content;
pub mod convert;
pub mod doctor;
mod finish;
pub mod flags;
pub mod flame;
mod input;
mod json;
mod lines;
mod load;
mod markdown;
mod outfile;
mod packages;
pub mod record;
mod repeat;
pub mod report;
pub mod screen;
mod sessions;
mod table;
mod wrap;

use screen::{Unwritten, note, print, print_json, print_line, printable, say, say_lines};

/// The exit status when flags are wrong, as clap has it.
const WRONG_FLAGS: u8 = 2;

/// How a command ended: one sentence for each input that could not be used.
#[must_use]
pub struct Outcome {
    /// The sentences; none if all went well.
    pub errors: Vec<String>,
    /// The exit status of a program that was run, if all went well.
    pub status: u8,
}

impl Outcome {
    fn failed(sentence: String) -> Self {
        Self::of(vec![sentence])
    }

    fn of(errors: Vec<String>) -> Self {
        Self { errors, status: 0 }
    }

    fn ended(status: u8) -> Self {
        Self { errors: Vec::new(), status }
    }

    /// Of a command whose result may not have arrived.
    fn printed(written: Result<(), Unwritten>, mut errors: Vec<String>) -> Self {
        errors.extend(written.err().map(|unwritten| unwritten.to_string()));
        Self::of(errors)
    }

    /// Says what could not be used, one line each; all else was.
    pub fn finish(&self) -> ExitCode {
        for sentence in &self.errors {
            say(sentence);
        }
        if self.errors.is_empty() { ExitCode::from(self.status) } else { ExitCode::FAILURE }
    }
}

/// A path below the current folder, as it would be typed.
fn shown(path: &Path) -> &Path {
    std::env::current_dir().ok().and_then(|folder| path.strip_prefix(folder).ok()).unwrap_or(path)
}

/// A file's path from the workspace folder, also of what is installed in a folder around it; the whole path where it has nothing in
/// common with that.
fn relative<'a>(file: &'a FilePath, folder: &FilePath) -> Cow<'a, str> {
    if let Some(below) = file.relative_to(folder) {
        return Cow::Borrowed(below);
    }
    let mut up = 0;
    let mut around = folder.parent();
    while let Some(it) = around {
        up += 1;
        if let Some(below) = file.relative_to(&it) {
            return Cow::Owned("../".repeat(up) + below);
        }
        around = it.parent();
    }
    Cow::Borrowed(file.as_str())
}
