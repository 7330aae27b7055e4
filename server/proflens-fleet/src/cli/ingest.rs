//! `proflens-fleet ingest`: sessions to the tables of a lake.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use fleet::tables;

use super::{Done, note};
use crate::fold::on_threads;
use crate::ingest::{Ingested, Options, ingest};
use crate::inputs::groups;
use crate::lake::Lake;

/// The flags of `ingest`.
#[derive(clap::Args, Debug)]
pub(crate) struct IngestArgs {
    /// Files of sessions, one JSON object a line or one alone, also packed; folders of them; s3://BUCKET/KEY; - for stdin
    #[arg(required = true, value_name = "FILE|DIR|URL|-")]
    files: Vec<PathBuf>,
    /// The lake; it is made if it is not there
    #[arg(long, value_name = "LAKE")]
    out: PathBuf,
    /// The release of all sessions; without it the dimension `release` of each
    #[arg(long, value_name = "RELEASE", value_parser = release)]
    release: Option<String>,
    /// The day of sessions that do not say when they were received
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = date)]
    date: Option<String>,
    /// How many shards are read at once; each takes up to 128 MB
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,
    /// How long a bucket that does not answer is asked again
    #[arg(long, value_name = "TIME", default_value = "3m")]
    patience: humantime::Duration,
}

/// A release, as a flag has it.
///
/// # Errors
/// If it cannot be a release, as a clause.
pub(crate) fn release(text: &str) -> Result<String, &'static str> {
    if tables::is_release(text) {
        Ok(text.to_owned())
    } else {
        Err("a release has up to 64 letters, digits, dots, - and _ of the ASCII alphabet")
    }
}

fn date(text: &str) -> Result<String, &'static str> {
    if tables::is_date(text) { Ok(text.to_owned()) } else { Err("write it like 2026-11-20") }
}

/// Runs it.
pub(crate) fn run(args: &IngestArgs) -> Done {
    let lake = match Lake::open_or_create(&args.out) {
        Ok(lake) => lake,
        Err(problem) => return Done { errors: vec![problem] },
    };
    let (groups, errors) = groups(&args.files, *args.patience);
    let options = Options { release: args.release.clone(), date: args.date.clone() };
    let next = AtomicUsize::new(0);
    let of_threads = on_threads(args.jobs.clamp(1, groups.len().max(1)), || {
        let mut results = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(group) = groups.get(number) else { return results };
            results.push((number, ingest(&lake, group, &options)));
        }
    });
    let mut results: Vec<_> = of_threads.into_iter().flatten().collect();
    results.sort_by_key(|(number, _)| *number);

    let mut done = Done { errors };
    let (mut sessions, mut notes) = (0, Vec::new());
    for (_, result) in results {
        match result {
            Ok(Ingested { sessions: number, problems, has_lost }) => {
                sessions += number;
                if has_lost { done.errors.extend(problems) } else { notes.extend(problems) }
            }
            Err(problem) => done.errors.push(problem),
        }
    }
    notes.dedup();
    done.errors.dedup();
    notes.iter().for_each(|problem| note(&problem.to_string()));
    if sessions > 0 {
        note(&format!("{} in {}.", analysis::format::count(sessions, "session"), args.out.display()));
    }
    done
}
