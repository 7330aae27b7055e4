//! `proflens-fleet sql`: a query as text, for the user's engine.

use fleet::condition::Condition;
use fleet::sql::{Asked, By, Dialect, LakePath};

use super::compare::SideArgs;
use super::{Done, print};
use crate::compare_fold::Cluster;

/// The flags of `sql`.
#[derive(clap::Args, Debug)]
pub(crate) struct SqlArgs {
    /// The query
    #[command(subcommand)]
    query: SqlQuery,
}

#[derive(clap::Subcommand, Debug)]
enum SqlQuery {
    /// Sums by stack and by definition, of which a slice is made
    Slice(EngineArgs),
    /// What each definition cost
    Costs(EngineArgs),
    /// Sums of two sides, of which a comparison is made
    Compare {
        #[command(flatten)]
        engine: EngineArgs,
        #[command(flatten)]
        sides: SideArgs,
    },
}

#[derive(clap::Args, Debug)]
struct EngineArgs {
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
enum Engine {
    Spark,
    Clickhouse,
    Duckdb,
}

/// Runs it.
pub(crate) fn run(args: &SqlArgs) -> Done {
    Done::of(print(&match &args.query {
        SqlQuery::Slice(engine) => asked(engine).slice(&engine.condition),
        SqlQuery::Costs(engine) => asked(engine).costs(&engine.condition),
        SqlQuery::Compare { engine, sides } => {
            let by = match sides.by {
                Cluster::User => By::User,
                Cluster::Session => By::Session,
            };
            asked(engine).compare(&sides.conditions(&engine.condition), sides.per.into(), by)
        }
    }))
}

fn asked(args: &EngineArgs) -> Asked {
    let dialect = match args.dialect {
        Engine::Spark => Dialect::Spark,
        Engine::Clickhouse => Dialect::Clickhouse,
        Engine::Duckdb => Dialect::Duckdb,
    };
    Asked { dialect, lake: args.lake.clone() }
}
