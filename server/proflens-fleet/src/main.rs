//! The program: adds up the sessions of many users in tables that any engine can ask (docs/fleet.md).

mod bucket;
mod chosen;
mod cli;
mod compact;
mod compare_fold;
mod costs;
mod fold;
mod ingest;
mod inputs;
mod lake;
mod meaning;
mod name_files;
mod parquet_limits;
mod place;
mod place_again;
mod release;
mod session_writer;
mod symbolicate;
mod table_file;
mod thrift;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Adds up JS Self-Profiling traces of many users: what each function cost, over sessions
#[derive(Parser)]
#[command(name = "proflens-fleet", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Takes the scripts, maps and sources of a release into the lake, so that its functions have their names
    Symbolicate(cli::symbolicate::SymbolicateArgs),
    /// Reads sessions that proflens collect has kept into the tables of a lake
    Ingest(cli::ingest::IngestArgs),
    /// Puts the shards of a day and a release together, each session once
    Compact(cli::compact::CompactArgs),
    /// Sessions as one profile that editors open
    Slice(cli::slice::SliceArgs),
    /// What changed between two sets of sessions, function by function, and what is only chance
    Compare(cli::compare::CompareArgs),
    /// The result of a query as CSV, to compare it with that of an engine
    Rows(cli::rows::RowsArgs),
    /// Prints a query for an engine that reads the lake: Spark, ClickHouse or DuckDB
    Sql(cli::sql::SqlArgs),
}

fn main() -> ExitCode {
    // Where that cannot be, more memory stays in use; nothing else changes.
    proflens::memory::share_one_heap();
    let sentences = match Cli::parse().command {
        Command::Symbolicate(args) => cli::symbolicate::run(&args),
        Command::Ingest(args) => cli::ingest::run(&args),
        Command::Compact(args) => cli::compact::run(&args),
        Command::Slice(args) => cli::slice::run(&args),
        Command::Compare(args) => cli::compare::run(&args),
        Command::Rows(args) => cli::rows::run(&args),
        Command::Sql(args) => cli::sql::run(&args),
    };
    for sentence in &sentences.errors {
        eprintln!("{sentence}");
    }
    if sentences.errors.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
