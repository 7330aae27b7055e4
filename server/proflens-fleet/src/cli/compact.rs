//! `proflens-fleet compact`: few large files instead of many small ones.

use std::path::PathBuf;

use analysis::format::count;

use super::{Done, note};
use crate::compact::{Compacted, compact};
use crate::lake::Lake;

/// The flags of `compact`.
#[derive(clap::Args, Debug)]
pub(crate) struct CompactArgs {
    /// The lake; nothing else may write to it meanwhile
    #[arg(value_name = "LAKE")]
    lake: PathBuf,
}

/// Runs it.
pub(crate) fn run(args: &CompactArgs) -> Done {
    Done::of(Lake::open(&args.lake).and_then(|lake| compact(&lake)).map(say))
}

fn say(Compacted { shards, sessions, repeated }: Compacted) {
    let mut text =
        format!("{} with {} put together", count(shards as u64, "shard"), count(sessions, "session"));
    if repeated > 0 {
        text += &format!("; {} there more than once", count(repeated, "session"));
    }
    note(&format!("{text}."));
}
