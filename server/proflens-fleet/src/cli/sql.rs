//! `proflens-fleet sql`: a query as text, for the user's engine.

use fleet::Condition;
use fleet::sql::{Asked, By, Dialect, LakePath, Per};

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
    /// For compare: the sessions before, as a condition beside --where
    #[arg(long, value_name = "CONDITION", value_parser = Condition::parse, required_if_eq("query", "compare"))]
    a: Option<Condition>,
    /// For compare: the sessions after, as a condition beside --where
    #[arg(long, value_name = "CONDITION", value_parser = Condition::parse, required_if_eq("query", "compare"))]
    b: Option<Condition>,
    /// For compare: what costs are related to, the number of sessions or their active time
    #[arg(long, value_enum, default_value_t = Work::Session)]
    per: Work,
    /// For compare: what is independent of each other, users or sessions; a session without a user stands for itself
    #[arg(long, value_enum, default_value_t = Cluster::User)]
    by: Cluster,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Query {
    Slice,
    Costs,
    Compare,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Work {
    Session,
    Active,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Cluster {
    User,
    Session,
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
        Query::Compare => {
            let side = |it: &Option<Condition>| args.condition.and(&it.clone().unwrap_or_default());
            let per = match args.per {
                Work::Session => Per::Session,
                Work::Active => Per::Active,
            };
            let by = match args.by {
                Cluster::User => By::User,
                Cluster::Session => By::Session,
            };
            asked.compare(&[side(&args.a), side(&args.b)], per, by)
        }
    });
    Done::default()
}
