//! `proflens-fleet sql`: a query as text, for the user's engine.

use fleet::Condition;
use fleet::sql::{Asked, Dialect, LakePath};

use super::{Done, print};

/// The flags of `sql`.
#[derive(clap::Args, Debug)]
pub(crate) struct SqlArgs {
    /// The query
    #[arg(value_enum)]
    query: Query,
    /// The engine
    #[arg(long, value_enum)]
    dialect: Engine,
    /// Where the engine finds the lake: a path, or an address that it knows
    #[arg(long, value_name = "PATH", value_parser = str::parse::<LakePath>)]
    lake: LakePath,
    /// Which sessions: release=42 and page=/checkout and date>=2026-11-20
    #[arg(long = "where", value_name = "CONDITION", default_value = "", value_parser = Condition::parse)]
    condition: Condition,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Query {
    Slice,
    Costs,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Engine {
    Spark,
    Clickhouse,
    Duckdb,
}

/// Runs it.
pub(crate) fn run(args: &SqlArgs) -> Done {
    let dialect = match args.dialect {
        Engine::Spark => Dialect::Spark,
        Engine::Clickhouse => Dialect::Clickhouse,
        Engine::Duckdb => Dialect::Duckdb,
    };
    let asked = Asked { dialect, lake: args.lake.clone() };
    print(&match args.query {
        Query::Slice => asked.slice(&args.condition),
        Query::Costs => asked.costs(&args.condition),
    });
    Done::default()
}
