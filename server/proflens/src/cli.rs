//! The commands for a shell: `report`, `annotate`, `flame`, `compare`, `convert`, `doctor`, `collect` and `record`. Only files in here print.

use std::io::Write;

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
pub mod record;
mod repeat;
pub mod report;
mod table;

/// How a command ended: one sentence for each input that could not be used.
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
}

/// Writes a result to stdout. A reader that has closed its pipe (`proflens report … | head`) is no error.
fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Prints a note for the user to stderr.
fn note(text: &str) {
    let _ = writeln!(std::io::stderr(), "Note: {}.", printable(text, 400));
}

/// Text from a trace, safe for a terminal and for one line of a table.
fn printable(text: &str, at_most: usize) -> String {
    let clean = || text.chars().map(|it| if it.is_control() { '\u{FFFD}' } else { it });
    let length = clean().count();
    if length <= at_most {
        return clean().collect();
    }
    let end: String = clean().skip(length - (at_most - 1)).collect();
    format!("…{end}")
}

/// A file's path below the workspace folder; the whole path where it lies elsewhere.
fn relative<'a>(file: &'a FilePath, folder: &FilePath) -> &'a str {
    file.relative_to(folder).unwrap_or(file.as_str())
}
