//! `proflens-fleet compare`: what changed between two sets of sessions, and whether that is more than chance.

mod json;
mod report;

use std::path::PathBuf;

use analysis::files::FilePath;
use analysis::format::count;
use fleet::comparison::SideSums;
use fleet::condition::Condition;
use fleet::moments::CompareRow;
use profile::problem::Problem;
use proflens::cli::compare::{Content, Sort, markdown_functions, table_functions};

use self::report::Report;
use super::{Done, note, print, print_json};
use crate::compare_fold::{self, Cluster, Side, Work};
use crate::lake::Lake;
use crate::meaning::Definitions;

/// The flags of `compare`.
#[derive(clap::Args, Debug)]
pub(crate) struct CompareArgs {
    /// The lake
    #[arg(value_name = "LAKE")]
    lake: PathBuf,
    #[command(flatten)]
    sides: SideArgs,
    /// Which sessions of both sides: page=/checkout and date>=2026-11-20
    #[arg(long = "where", value_name = "CONDITION", default_value = "", value_parser = Condition::parse)]
    condition: Condition,
    /// How many functions to list; 0 lists all; if not given 20, and all in JSON
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// How to print
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// What is compared with what.
#[derive(clap::Args, Debug)]
pub(crate) struct SideArgs {
    /// The sessions before: release=41
    #[arg(long, value_name = "CONDITION", value_parser = Condition::parse)]
    pub(super) a: Condition,
    /// The sessions after: release=42
    #[arg(long, value_name = "CONDITION", value_parser = Condition::parse)]
    pub(super) b: Condition,
    /// What times are divided by: the number of sessions, or their active time, so that what remains are changes of shares
    #[arg(long, value_enum, default_value = "session")]
    pub(super) per: Work,
    /// What is taken to be independent: users, as far as sessions name them, or sessions
    #[arg(long, value_enum, default_value = "user")]
    pub(super) by: Cluster,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Format {
    Table,
    Json,
    Markdown,
}

/// Both sides, added up.
pub(crate) struct Sides {
    sides: [Side; 2],
    rows: [Vec<CompareRow>; 2],
}

impl SideArgs {
    /// Adds up both sides.
    ///
    /// # Errors
    /// If a file cannot be read, or sums do not fit.
    pub(crate) fn add_up(&self, lake: &Lake, condition: &Condition) -> Result<Sides, Problem> {
        let [a, b] = self.conditions(condition);
        let sides = [
            compare_fold::side(lake, &a, self.per, self.by)?,
            compare_fold::side(lake, &b, self.per, self.by)?,
        ];
        let rows = [sides[0].moments.rows(0)?, sides[1].moments.rows(1)?];
        Ok(Sides { sides, rows })
    }

    /// The conditions of both sides, with that which both have.
    pub(super) fn conditions(&self, of_both: &Condition) -> [Condition; 2] {
        [&self.a, &self.b].map(|own| of_both.and(own))
    }
}

impl Sides {
    /// The result of the query `compare`.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &CompareRow> {
        self.rows.iter().flatten()
    }
}

/// Runs it.
pub(crate) fn run(args: &CompareArgs) -> Done {
    Done::of(compare(args))
}

fn compare(args: &CompareArgs) -> Result<(), Problem> {
    let lake = Lake::open(&args.lake)?;
    let Sides { sides, rows } = args.sides.add_up(&lake, &args.condition)?;
    let conditions = args.sides.conditions(&args.condition);
    for (side, condition) in sides.iter().zip(&conditions) {
        check(&lake, side, condition)?;
    }
    if sides[0].chosen.shares(&sides[1].chosen) {
        return Err(Problem::new(
            "Some sessions are on both sides: compared with themselves they tell nothing",
            "name conditions that no session fulfils both, such as --a release=41 --b release=42",
        ));
    }
    let repeated = sides.iter().map(|side| side.chosen.totals.repeated).sum();
    if repeated > 0 {
        note(&format!("{} came in several shards and counted once.", count(repeated, "session")));
    }
    let definitions = Definitions::of(&lake, sides.iter().flat_map(|side| &side.chosen.parts))?;
    let sums = [0, 1].map(|side| SideSums { rows: &rows[side], active: sides[side].moments.active_time() });
    let comparison = fleet::comparison::compare(sums, args.sides.per.into(), |id| definitions.get(id))?;
    let report =
        Report { conditions, per: args.sides.per, by: args.sides.by, sides: &sides, comparison: &comparison };
    let text = text(&report, args);
    match args.format {
        Format::Json => print_json(&text),
        Format::Table | Format::Markdown => print(&text),
    }
}

/// Checks that a side has sessions, and functions that were placed.
fn check(lake: &Lake, side: &Side, condition: &Condition) -> Result<(), Problem> {
    let root = lake.root().display();
    if side.chosen.totals.sessions == 0 {
        return Err(Problem::new(
            format!("{root} has no session that fulfils {condition}"),
            "check the names and values in the condition",
        ));
    }
    if !side.moments.has_definitions() {
        return Err(Problem::new(
            format!(
                "No function of the sessions that fulfil {condition} was placed: there is nothing to compare"
            ),
            format!(
                "run proflens-fleet symbolicate with the maps of their release, and proflens-fleet compact {root}"
            ),
        ));
    }
    Ok(())
}

fn text(report: &Report<'_>, args: &CompareArgs) -> String {
    let content = Content {
        comparison: report.comparison,
        folder: &FilePath::new(""),
        by: Sort::Shown,
        limit: match (args.limit, args.format) {
            (Some(0), _) | (None, Format::Json) => usize::MAX,
            (limit, _) => limit.unwrap_or(20),
        },
        link_base: None,
    };
    match args.format {
        Format::Table => {
            table_functions(&content)
                + &report.sentences().into_iter().map(|sentence| sentence + "\n").collect::<String>()
        }
        Format::Markdown => markdown_functions(&content, &report.sentences()),
        Format::Json => json::render(report, content.limit),
    }
}
