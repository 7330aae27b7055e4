//! `proflens-fleet symbolicate`: the texts of a release into the lake.

use std::path::PathBuf;

use profile::problem::Problem;

use super::ingest::release;
use super::{Done, note};
use crate::lake::Lake;
use crate::place_again::place_again;
use crate::release_texts::{Sources, keep};

/// The flags of `symbolicate`.
#[derive(clap::Args, Debug)]
pub(crate) struct SymbolicateArgs {
    /// The release
    #[arg(long, value_name = "RELEASE", value_parser = release)]
    release: String,
    /// The folder of the sources as they were released; definitions are named by their paths below it
    #[arg(long, value_name = "DIR", default_value = ".")]
    workspace: PathBuf,
    /// Where the scripts and maps of the release are; anywhere in the workspace if not given (repeatable)
    #[arg(long, value_name = "DIR")]
    maps: Vec<PathBuf>,
    /// Where the scripts of an address lie: https://shop.example/assets/=dist/ (repeatable)
    #[arg(long = "map", value_name = "FROM=TO")]
    mappings: Vec<String>,
    /// The lake; it is made if it is not there
    #[arg(long, value_name = "LAKE")]
    out: PathBuf,
}

/// Runs it.
pub(crate) fn run(args: &SymbolicateArgs) -> Done {
    Done::of(symbolicate(args))
}

fn symbolicate(args: &SymbolicateArgs) -> Result<(), Problem> {
    let mappings = args.mappings.iter().map(|text| mapping(text)).collect::<Result<_, _>>()?;
    let sources = Sources { workspace: args.workspace.clone(), maps: args.maps.clone(), mappings };
    let lake = Lake::open_or_create(&args.out)?;
    let found = keep(&lake, &args.release, &sources)?;
    if found.scripts == 0 {
        return Err(Problem::new(
            format!("There is no script of release {}", args.release),
            "name the folder of its bundles and maps with --maps",
        ));
    }
    let again = place_again(&lake, &args.release)?;
    if again > 0 {
        note(&format!(
            "The costs of its {} in the lake were made again.",
            analysis::format::count(again as u64, "function")
        ));
    }
    note(&format!(
        "Release {}: {} of {} in {} have a definition.",
        args.release,
        analysis::format::thousands(found.placed as u64),
        analysis::format::count(found.functions as u64, "function"),
        analysis::format::count(found.scripts as u64, "script"),
    ));
    Ok(())
}

/// An address and a folder, as `--map` has them.
fn mapping(text: &str) -> Result<(String, PathBuf), Problem> {
    match text.split_once('=') {
        Some((from, to)) => Ok((from.to_owned(), PathBuf::from(to))),
        None => Err(Problem::new(
            format!("--map {text} has no ="),
            "write it as FROM=TO, such as https://shop.example/assets/=dist/",
        )),
    }
}
