//! `proflens-fleet slice`: sessions as one profile for an editor.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use flate2::Compression;
use flate2::write::GzEncoder;
use fleet::condition::Condition;
use fleet::slice::Slice;
use profile::problem::Problem;

use super::{Done, note};
use crate::chosen::{Chosen, choose};
use crate::fold;
use crate::lake::Lake;
use crate::meaning::Names;

/// The flags of `slice`.
#[derive(clap::Args, Debug)]
pub(crate) struct SliceArgs {
    /// The lake
    #[arg(value_name = "LAKE")]
    lake: PathBuf,
    /// Which sessions: release=42 and page=/checkout and date>=2026-11-20
    #[arg(long = "where", value_name = "CONDITION", default_value = "", value_parser = Condition::parse)]
    condition: Condition,
    /// The result of the query that proflens-fleet sql slice prints, from an engine, as Parquet; name the same condition
    #[arg(long, value_name = "FILE")]
    rows: Option<PathBuf>,
    /// The slice: p.slice.gz, or p.slice.json
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

/// Runs it.
pub(crate) fn run(args: &SliceArgs) -> Done {
    Done::of(slice(args))
}

fn slice(args: &SliceArgs) -> Result<(), Problem> {
    let lake = Lake::open(&args.lake)?;
    let chosen = chosen(&lake, &args.condition)?;
    let rows = match &args.rows {
        Some(path) => crate::table_reader::read_result(path)?,
        None => fold::slice_rows(&lake, &chosen)?,
    };
    let names = Names::of(&lake, &chosen.parts)?;
    let recorded = u64::try_from(chosen.totals.newest).ok().filter(|newest| *newest > 0).map(|newest| {
        humantime::format_rfc3339_millis(UNIX_EPOCH + Duration::from_millis(newest)).to_string()
    });
    let slice = Slice::new(args.condition.to_string(), recorded, &rows, &names).map_err(|why| Problem {
        what: format!("There is no slice of {}: {}", lake.root().display(), why.what),
        ..why
    })?;
    let json = slice.json().map_err(|why| Problem::new(format!("The slice cannot be written: {why}"), ""))?;
    write(&args.out, &json)?;
    let [sessions, definitions, stacks] = slice.numbers().map(|number| number as u64);
    note(&format!(
        "{}: {}, {}, {}.",
        args.out.display(),
        analysis::format::count(sessions, "session"),
        analysis::format::count(definitions, "function"),
        analysis::format::count(stacks, "stack")
    ));
    Ok(())
}

/// Chooses sessions, and reports what is odd about them.
fn chosen(lake: &Lake, condition: &Condition) -> Result<Chosen, Problem> {
    let chosen = choose(lake, condition, |_| {})?;
    if chosen.totals.sessions == 0 {
        let which =
            if condition.terms().is_empty() { String::new() } else { format!(" that fulfils {condition}") };
        return Err(Problem::new(
            format!("{} has no session{which}", lake.root().display()),
            "check the names and values in the condition",
        ));
    }
    if chosen.totals.repeated > 0 {
        note(&format!(
            "{} came in several shards and counted once; proflens-fleet compact {} leaves one of each.",
            analysis::format::count(chosen.totals.repeated, "session"),
            lake.root().display()
        ));
    }
    Ok(chosen)
}

fn write(path: &Path, json: &[u8]) -> Result<(), Problem> {
    let written = if path.extension().is_some_and(|extension| extension == "gz") {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder
            .write_all(json)
            .and_then(|()| encoder.finish())
            .and_then(|packed| std::fs::write(path, packed))
    } else {
        std::fs::write(path, json)
    };
    written.map_err(|why| {
        Problem::new(format!("{} cannot be written: {why}", path.display()), "name another place with --out")
    })
}
