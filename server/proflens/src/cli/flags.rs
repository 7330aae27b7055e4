//! The flags of the program: what it is called with, and from which its completions and manual pages are made.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, Subcommand};

use super::{Outcome, WRONG_FLAGS, print, say, say_lines};
use super::{annotate, collect, compare, convert, doctor, flame, record, report};
use crate::version::VERSION;

/// Shows what each JavaScript and TypeScript function cost, at its definition
#[derive(Parser)]
#[command(name = "proflens", version = VERSION)]
pub struct Cli {
    /// The command; without one it is the server.
    #[command(subcommand)]
    pub command: Option<CliCommand>,
    /// The flags of the server, which need no command.
    #[command(flatten)]
    pub lsp: LspArgs,
}

/// What the program can do.
#[derive(Subcommand)]
pub enum CliCommand {
    /// The language server on stdin and stdout; also without any command
    Lsp(LspArgs),
    /// The hottest functions of traces, and where the rest of the time went
    Report(report::ReportArgs),
    /// A source text with its costs, as an editor would show them
    Annotate(annotate::AnnotateArgs),
    /// A flame graph of traces, as one page or picture
    Flame(flame::FlameArgs),
    /// What changed between traces before and after, and whether that is more than noise
    Compare(compare::CompareArgs),
    /// A trace in the format of another tool, with the names and places of the source
    Convert(convert::ConvertArgs),
    /// Runs a command, records it, and shows what was hot
    Record(record::RecordArgs),
    /// Which file and which source map each script of a trace has, and why not
    Doctor(doctor::DoctorArgs),
    /// Receives traces that pages measure of themselves, and keeps them in files
    Collect(collect::CollectArgs),
}

/// The flags of the server.
#[derive(clap::Args, Clone)]
pub struct LspArgs {
    /// Accepted because editors pass it; there is no other way to connect
    #[arg(long)]
    pub stdio: bool,
    /// Also write the log to this file
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
}

/// The flags of this process; or how it ends instead, with what was asked for or is wrong with them.
///
/// # Errors
/// What was asked for instead of a command, such as the help, has been printed then, as well as what is wrong.
pub fn parsed() -> Result<Cli, Outcome> {
    let error = match Cli::try_parse() {
        Ok(flags) => return Ok(flags),
        Err(error) => error,
    };
    // What is wrong is said in the words of the user, which may be those of somebody else: asked again, they are plain.
    let plain = |argument: OsString| profile::plain(&argument.to_string_lossy()).into_owned();
    match Cli::try_parse_from(std::env::args_os().map(plain)).err() {
        Some(error) if !error.use_stderr() => {
            return Err(Outcome::printed(print(&error.render().to_string()), Vec::new()));
        }
        Some(error) => say_lines(error.render().to_string().trim_end()),
        // Only what is hidden was wrong with them.
        None => say(error.render().to_string().trim_end()),
    }
    Err(Outcome::ended(WRONG_FLAGS))
}
