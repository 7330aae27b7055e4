//! Adds up the sessions of many users in tables that any engine can query (docs/fleet.md). The program is [`run`]; everything else
//! that is public is for the fuzzer.

mod bucket;
mod chosen;
mod cli;
mod compact;
mod compare_fold;
mod costs;
mod damaged;
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
mod release_texts;
mod session_writer;
mod shard_tables;
mod table_reader;
mod table_writer;
mod thrift;

use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use proflens::cli::screen;

use crate::parquet_limits::Use;
use crate::table_reader::TableReader;

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

/// Runs the program with the arguments of this process.
pub fn run() -> ExitCode {
    // If this cannot be set, more memory stays in use; nothing else changes.
    proflens::memory::share_one_heap();
    let flags = match flags() {
        Ok(flags) => flags,
        Err(status) => return status,
    };
    let done = match flags.command {
        Command::Symbolicate(args) => cli::symbolicate::run(&args),
        Command::Ingest(args) => cli::ingest::run(&args),
        Command::Compact(args) => cli::compact::run(&args),
        Command::Slice(args) => cli::slice::run(&args),
        Command::Compare(args) => cli::compare::run(&args),
        Command::Rows(args) => cli::rows::run(&args),
        Command::Sql(args) => cli::sql::run(&args),
    };
    for error in &done.errors {
        screen::say(&error.to_string());
    }
    if done.errors.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Reads a file as each table of a lake, and as the result of a query; returns the number of rows that were read.
pub fn read_parquet(path: &Path) -> usize {
    let mut count = table_reader::read_result(path).map_or(0, |rows| rows.len());
    for (table, rows_are) in fleet::tables::ALL.iter().flat_map(|it| [(it, Use::Kept), (it, Use::Passing)]) {
        let columns: Vec<&str> = table.column_names().collect();
        let read = TableReader::open(path, table, &columns, rows_are).and_then(|reader| {
            reader.read(|rows| {
                count += rows.len();
                for column in &columns {
                    count += rows.texts(column).flatten().filter(|text| text.is_empty()).count();
                }
                Ok(())
            })
        });
        // A damaged file is refused.
        drop(read);
    }
    count
}

/// The flags of this process; or how it ends instead, if help was requested or the flags are wrong.
fn flags() -> Result<Cli, ExitCode> {
    let first = match Cli::try_parse() {
        Ok(flags) => return Ok(flags),
        Err(error) => error,
    };
    // An error quotes the user's words, which may come from somebody else: parsed again, they are plain.
    let plain =
        std::env::args_os().map(|argument| profile::plain::plain(&argument.to_string_lossy()).into_owned());
    let error = Cli::try_parse_from(plain).err().unwrap_or(first);
    let text = error.render().to_string();
    if error.use_stderr() {
        screen::say_lines(text.trim_end());
        return Err(ExitCode::from(2));
    }
    match screen::print(&text) {
        Ok(()) => Err(ExitCode::SUCCESS),
        Err(unwritten) => {
            screen::say(&unwritten.to_string());
            Err(ExitCode::FAILURE)
        }
    }
}
