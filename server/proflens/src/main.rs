//! The program: runs the command that its flags name.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use proflens::cli::flags::{self, CliCommand};
use proflens::cli::{
    annotate, collect, compare, completions, convert, doctor, explain, flame, mcp, record, report,
};
use proflens::lsp;

fn main() -> ExitCode {
    let cli = match flags::parsed() {
        Ok(cli) => cli,
        Err(outcome) => return outcome.finish(),
    };
    let outcome = match &cli.command {
        // Nobody types a client's messages: somebody who starts the program at a terminal wants to know what it is.
        None if io::stdin().is_terminal() && !cli.lsp.stdio => flags::help(),
        None => return lsp::run(cli.lsp.log),
        Some(CliCommand::Lsp(args)) => return lsp::run(args.log.clone()),
        Some(CliCommand::Report(args)) => report::run(args),
        Some(CliCommand::Explain(args)) => explain::run(args),
        Some(CliCommand::Annotate(args)) => annotate::run(args),
        Some(CliCommand::Flame(args)) => flame::run(args),
        Some(CliCommand::Compare(args)) => compare::run(args),
        Some(CliCommand::Convert(args)) => convert::run(args),
        Some(CliCommand::Doctor(args)) => doctor::run(args),
        Some(CliCommand::Record(args)) => record::run(args),
        Some(CliCommand::Collect(args)) => collect::run(args),
        Some(CliCommand::Mcp(args)) => return mcp::run(args),
        Some(CliCommand::Completions(args)) => completions::run(args),
    };
    outcome.finish()
}
