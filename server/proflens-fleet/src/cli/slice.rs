//! `proflens-fleet slice`: sessions as one profile for an editor.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use flate2::Compression;
use flate2::write::GzEncoder;
use fleet::{Condition, Slice};

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

fn slice(args: &SliceArgs) -> Result<(), String> {
    let lake = Lake::open(&args.lake)?;
    let chosen = chosen(&lake, &args.condition)?;
    let rows = match &args.rows {
        Some(path) => crate::table_file::read_result(path)?,
        None => fold::slice(&lake, &chosen)?,
    };
    let names = Names::of(&lake, &chosen.parts)?;
    let newest = u64::try_from(chosen.totals.newest).ok().filter(|it| *it > 0);
    let recorded =
        newest.map(|it| humantime::format_rfc3339_millis(UNIX_EPOCH + Duration::from_millis(it)).to_string());
    let slice = Slice::new(args.condition.to_string(), recorded, &rows, &names)
        .map_err(|why| format!("There is no slice of {}: {why}.", lake.root().display()))?;
    let json = slice.json().map_err(|why| format!("The slice cannot be written: {why}."))?;
    write(&args.out, &json)?;
    let [sessions, definitions, stacks] = slice.numbers().map(|it| it as u64);
    note(&format!(
        "{}: {}, {}, {}.",
        args.out.display(),
        analysis::format::count(sessions, "session"),
        analysis::format::count(definitions, "function"),
        analysis::format::count(stacks, "stack")
    ));
    Ok(())
}

/// Chooses sessions, and says what is odd about them.
fn chosen(lake: &Lake, condition: &Condition) -> Result<Chosen, String> {
    let chosen = choose(lake, condition, |_| {})?;
    if chosen.totals.sessions == 0 {
        let which =
            if condition.terms().is_empty() { String::new() } else { format!(" that fulfils {condition}") };
        return Err(format!(
            "{} has no session{which}. Check the names and values in the condition.",
            lake.root().display()
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

fn write(path: &Path, json: &[u8]) -> Result<(), String> {
    let is_packed = path.extension().is_some_and(|it| it == "gz");
    let bytes = if is_packed {
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(json).and_then(|()| packed.finish())
    } else {
        Ok(json.to_vec())
    };
    let written = bytes.and_then(|it| std::fs::write(path, it));
    written
        .map_err(|why| format!("{} cannot be written: {why}. Name another place with --out.", path.display()))
}
