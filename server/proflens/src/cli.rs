//! The commands for a shell: `report`, `annotate`, `flame`, `compare`, `convert`, `doctor`, `collect` and `record`. Only files in here print.

use std::process::ExitCode;

use analysis::FilePath;

mod amounts;
pub mod annotate;
pub mod collect;
pub mod compare;
mod content;
pub mod convert;
pub mod doctor;
mod finish;
pub mod flags;
pub mod flame;
mod input;
mod json;
mod lines;
mod markdown;
mod outfile;
pub mod record;
mod repeat;
pub mod report;
mod screen;
mod table;

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

/// A file's path below the workspace folder; the whole path where it lies elsewhere.
fn relative<'a>(file: &'a FilePath, folder: &FilePath) -> &'a str {
    file.relative_to(folder).unwrap_or(file.as_str())
}
