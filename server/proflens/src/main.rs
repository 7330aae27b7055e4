//! The program: its flags, and the command that each of them starts.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use proflens::cli::{Outcome, annotate, collect, compare, convert, doctor, flame, record, report};
use proflens::lsp;

/// Shows what each JavaScript and TypeScript function cost, at its definition
#[derive(Parser)]
#[command(name = "proflens", version)]
struct Cli {
    #[command(subcommand)]
    command: Option<CliCommand>,
    #[command(flatten)]
    lsp: LspArgs,
}

#[derive(Subcommand)]
enum CliCommand {
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

#[derive(clap::Args, Clone)]
struct LspArgs {
    /// Accepted because editors pass it; there is no other way to connect
    #[arg(long)]
    stdio: bool,
    /// Also write the log to this file
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let outcome = match &cli.command {
        None => return lsp::run(cli.lsp.log),
        Some(CliCommand::Lsp(args)) => return lsp::run(args.log.clone()),
        Some(CliCommand::Report(args)) => report::run(args),
        Some(CliCommand::Annotate(args)) => annotate::run(args),
        Some(CliCommand::Flame(args)) => flame::run(args),
        Some(CliCommand::Compare(args)) => compare::run(args),
        Some(CliCommand::Convert(args)) => convert::run(args),
        Some(CliCommand::Doctor(args)) => doctor::run(args),
        Some(CliCommand::Record(args)) => record::run(args),
        Some(CliCommand::Collect(args)) => collect::run(args),
    };
    finish(&outcome)
}

/// One line on stderr for each input that could not be used; the others were.
fn finish(outcome: &Outcome) -> ExitCode {
    for sentence in &outcome.errors {
        eprintln!("{sentence}");
    }
    if outcome.errors.is_empty() { ExitCode::from(outcome.status) } else { ExitCode::FAILURE }
}
