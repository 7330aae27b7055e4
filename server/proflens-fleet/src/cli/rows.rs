//! `proflens-fleet rows`: the result of a query as this program computes it, to compare it with an engine's.

use std::fmt::Write as _;
use std::path::PathBuf;

use fleet::{Condition, Row, costs_of};

use super::{Done, print};
use crate::chosen::choose;
use crate::fold;
use crate::lake::Lake;

/// The flags of `rows`.
#[derive(clap::Args, Debug)]
pub(crate) struct RowsArgs {
    /// The query
    #[arg(value_enum)]
    query: Query,
    /// The lake
    #[arg(value_name = "LAKE")]
    lake: PathBuf,
    /// Which sessions: release=42 and page=/checkout and date>=2026-11-20
    #[arg(long = "where", value_name = "CONDITION", default_value = "", value_parser = Condition::parse)]
    condition: Condition,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Query {
    Slice,
    Costs,
}

/// Runs it.
pub(crate) fn run(args: &RowsArgs) -> Done {
    Done::of(rows(args))
}

fn rows(args: &RowsArgs) -> Result<(), String> {
    let lake = Lake::open(&args.lake)?;
    let rows = fold::slice(&lake, &choose(&lake, &args.condition, |_| {})?)?;
    print(&match args.query {
        Query::Slice => csv(&Row::COLUMNS, rows.iter().map(Row::values)),
        Query::Costs => csv(
            &["definition", "self_ns", "total_ns", "self_samples", "total_samples", "sessions"],
            costs_of(&rows).into_iter(),
        ),
    });
    Ok(())
}

/// Integers as CSV, with the names of the columns on top.
pub(crate) fn csv<const N: usize>(columns: &[&str; N], rows: impl Iterator<Item = [i64; N]>) -> String {
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
