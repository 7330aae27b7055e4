//! `proflens-fleet rows`: the result of a query as this program computes it, to compare it with an engine's.

use std::fmt::Write as _;
use std::path::PathBuf;

use fleet::condition::Condition;
use fleet::moments::CompareRow;
use fleet::rows::{Row, costs_of};
use fleet::sql::COSTS_COLUMNS;
use profile::problem::Problem;

use super::compare::SideArgs;
use super::{Done, print};
use crate::chosen::choose;
use crate::fold;
use crate::lake::Lake;

/// The flags of `rows`.
#[derive(clap::Args, Debug)]
pub(crate) struct RowsArgs {
    /// The query
    #[command(subcommand)]
    query: Query,
}

#[derive(clap::Subcommand, Debug)]
enum Query {
    /// Sums by stack and by definition, of which a slice is made
    Slice(SessionArgs),
    /// What each definition cost
    Costs(SessionArgs),
    /// Sums of two sides, of which a comparison is made
    Compare {
        #[command(flatten)]
        sessions: SessionArgs,
        #[command(flatten)]
        sides: SideArgs,
    },
}

#[derive(clap::Args, Debug)]
struct SessionArgs {
    /// The lake
    #[arg(value_name = "LAKE")]
    lake: PathBuf,
    /// Which sessions: release=42 and page=/checkout and date>=2026-11-20
    #[arg(long = "where", value_name = "CONDITION", default_value = "", value_parser = Condition::parse)]
    condition: Condition,
}

/// Runs it.
pub(crate) fn run(args: &RowsArgs) -> Done {
    Done::of(rows(&args.query))
}

fn rows(query: &Query) -> Result<(), Problem> {
    print(&match query {
        Query::Slice(sessions) => csv(&Row::COLUMNS, slice_rows(sessions)?.iter().map(Row::values)),
        Query::Costs(sessions) => csv(&COSTS_COLUMNS, costs_of(&slice_rows(sessions)?).into_iter()),
        Query::Compare { sessions: SessionArgs { lake, condition }, sides } => {
            let sums = sides.add_up(&Lake::open(lake)?, condition)?;
            csv(&CompareRow::COLUMNS, sums.rows().map(CompareRow::values))
        }
    })
}

fn slice_rows(SessionArgs { lake, condition }: &SessionArgs) -> Result<Vec<Row>, Problem> {
    let opened = Lake::open(lake)?;
    fold::slice_rows(&opened, &choose(&opened, condition, |_| {})?)
}

/// Integers as CSV, with the names of the columns on top.
fn csv<const N: usize>(columns: &[&str; N], rows: impl Iterator<Item = [i64; N]>) -> String {
    let mut text = columns.join(",") + "\n";
    for row in rows {
        let mut separator = "";
        for value in row {
            let _ = write!(text, "{separator}{value}");
            separator = ",";
        }
        text.push('\n');
    }
    text
}
