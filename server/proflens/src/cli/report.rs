//! `proflens report`: the hottest functions and where the rest of the time went.

use std::path::PathBuf;

use analysis::views::SortBy;

use super::content::Report;
use super::input::{ScopeArgs, WorkspaceArgs, load_all};
use super::{Outcome, json, lines, markdown, note, print, print_json, table};

/// The flags of `report`.
#[derive(clap::Args, Debug)]
pub struct ReportArgs {
    /// The traces, or folders with traces in them; several are added up
    #[arg(required = true, value_name = "TRACE")]
    traces: Vec<PathBuf>,
    #[command(flatten)]
    workspace: WorkspaceArgs,
    #[command(flatten)]
    scope: ScopeArgs,
    /// Order by self or total time
    #[arg(long, value_enum, default_value = "self")]
    by: ByArg,
    /// How many functions to list; 0 lists all
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    /// How to print
    #[arg(long, value_enum, default_value = "table")]
    format: ReportFormat,
    /// What 100 % is: active leaves out idle time and samples without a stack
    #[arg(long, value_enum, default_value = "active")]
    base: BaseArg,
    /// Also list the functions that were not placed
    #[arg(long)]
    all: bool,
    /// In JSON, also list the self time of each line
    #[arg(long)]
    lines: bool,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum ByArg {
    #[value(name = "self")]
    SelfTime,
    #[value(name = "total")]
    TotalTime,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum ReportFormat {
    Table,
    Json,
    Markdown,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum BaseArg {
    Active,
    All,
}

/// Runs it.
pub fn run(args: &ReportArgs) -> Outcome {
    let workspace = match args.workspace.open() {
        Ok(workspace) => workspace,
        Err(sentence) => return Outcome::failed(sentence),
    };
    let (recording, mut errors) = load_all(&args.traces, &workspace, &args.scope);
    if let Some(recording) = recording {
        let report = Report {
            recording: &recording,
            folder: &workspace.folder,
            by: match args.by {
                ByArg::SelfTime => SortBy::SelfTime,
                ByArg::TotalTime => SortBy::TotalTime,
            },
            limit: if args.limit == 0 { usize::MAX } else { args.limit },
            whole: matches!(args.base, BaseArg::All),
            all: args.all,
            lines: args.lines,
        };
        let written = match args.format {
            ReportFormat::Table => print(&table::render(&report)),
            ReportFormat::Json => print_json(&json::render(&report)),
            ReportFormat::Markdown => print(&markdown::render(&report)),
        };
        errors.extend(written.err().map(|unwritten| unwritten.to_string()));
        if args.lines && !recording.has_lines() {
            note(lines::NO_LINES);
        }
        // The program ends here, and the system takes the memory back faster than it can be given piece by piece.
        std::mem::forget(recording);
    }
    Outcome::of(errors)
}
