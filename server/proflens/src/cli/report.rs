//! `proflens report`: the hottest functions and where the rest of the time went.

use std::path::PathBuf;

use analysis::summary::Base;
use analysis::views::SortBy;
use profile::problem::Problem;

use super::content::Report;
use super::counts::CountsArgs;
use super::input::{ScopeArgs, WorkspaceArgs};
use super::load::{FolderOf, load_all, named_or_newest};
use super::screen::Stream;
use super::{Outcome, json, lines, markdown, note, packages, print, print_json, table};

/// The flags of `report`.
#[derive(clap::Args, Debug)]
pub struct ReportArgs {
    /// The traces, or folders of runs, which are added up; - is stdin; the newest recording or trace of the workspace if none is named
    #[arg(value_name = "TRACE")]
    traces: Vec<PathBuf>,
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
    #[command(flatten)]
    workspace: WorkspaceArgs,
    #[command(flatten)]
    scope: ScopeArgs,
    #[command(flatten)]
    counts: CountsArgs,
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

impl From<BaseArg> for Base {
    fn from(base: BaseArg) -> Self {
        match base {
            BaseArg::Active => Self::Active,
            BaseArg::All => Self::All,
        }
    }
}

/// Runs it.
pub fn run(args: &ReportArgs) -> Outcome {
    report(args).unwrap_or_else(Outcome::failed)
}

fn report(args: &ReportArgs) -> Result<Outcome, Problem> {
    let workspace = args.workspace.open()?;
    let traces = named_or_newest(&args.traces, &workspace.disk, &workspace.folder)?;
    let (recording, mut errors) = load_all(&traces, FolderOf::Anything, &workspace, &args.scope);
    if let Some(mut recording) = recording {
        errors.extend(args.counts.add_to(&mut recording, &workspace, &args.scope).err());
        let report = Report {
            recording: &recording,
            folder: &workspace.folder,
            by: match args.by {
                ByArg::SelfTime => SortBy::SelfTime,
                ByArg::TotalTime => SortBy::TotalTime,
            },
            limit: if args.limit == 0 { usize::MAX } else { args.limit },
            base: args.base.into(),
            packages: packages::all(&recording, &workspace.disk),
            all: args.all,
            lines: args.lines,
        };
        let written = match args.format {
            ReportFormat::Table => print(&table::render(&report, Stream::Out)),
            ReportFormat::Json => print_json(&json::render(&report)),
            ReportFormat::Markdown => print(&markdown::render(&report)),
        };
        errors.extend(written.err());
        if args.lines && !recording.has_lines() {
            note(lines::NO_LINES);
        }
        // The program ends here, and the system takes back the memory faster than it can be freed piece by piece.
        std::mem::forget(recording);
    }
    Ok(Outcome::with_errors(errors))
}
