//! Parses flags of the command line, for questions that are answered as commands are.

use clap::Parser;
use profile::problem::Problem;

/// A command line with flags only, without the name of a program.
#[derive(Parser)]
#[command(no_binary_name = true)]
struct Words<T: clap::Args> {
    #[command(flatten)]
    flags: T,
}

/// Parses words as flags on a command line.
///
/// # Errors
/// If one is wrong.
pub(super) fn flags<T: clap::Args>(words: &[String]) -> Result<T, Problem> {
    match Words::try_parse_from(words) {
        Ok(words) => Ok(words.flags),
        Err(error) => {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default();
            Err(Problem::new(first.trim_start_matches("error: ").trim_end_matches('.'), ""))
        }
    }
}
