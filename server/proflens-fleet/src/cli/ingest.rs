//! `proflens-fleet ingest`: sessions to the tables of a lake.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use fleet::tables;

use super::{Done, note};
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
    /// So many shards are read at once; each takes up to 128 MB
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,
    /// A bucket that does not answer is asked again for so long
    #[arg(long, value_name = "TIME", default_value = "3m")]
    patience: humantime::Duration,
}

/// A release, as a flag has it.
pub(crate) fn release(text: &str) -> Result<String, String> {
    let is_one = tables::is_release(text);
    is_one.then(|| text.to_owned()).ok_or_else(|| {
        "a release has up to 64 letters, digits, dots, - and _ of the ASCII alphabet".to_owned()
    })
}

fn date(text: &str) -> Result<String, String> {
    tables::is_date(text).then(|| text.to_owned()).ok_or_else(|| "write it like 2026-11-20".to_owned())
}

/// Runs it.
pub(crate) fn run(args: &IngestArgs) -> Done {
    let lake = match Lake::open_or_create(&args.out) {
        Ok(lake) => lake,
        Err(sentence) => return Done { errors: vec![sentence] },
    };
    let (groups, errors) = groups(&args.files, *args.patience);
    let options = Options { release: args.release.clone(), date: args.date.clone() };
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some((number, group)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|it| Some((it, groups.get(it)?)))
        {
            let result = ingest(&lake, group, &options);
            results.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((number, result));
        }
    };
    std::thread::scope(|scope| {
        (0..args.jobs.clamp(1, groups.len().max(1))).for_each(|_| _ = scope.spawn(work))
    });
    let mut results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    results.sort_by_key(|it| it.0);

    let mut done = Done { errors };
    let (mut sessions, mut notes) = (0, Vec::<String>::new());
    for (_, result) in results {
        match result {
            Ok(Ingested { sessions: number, problems, has_lost }) => {
                sessions += number;
                if has_lost { done.errors.extend(problems) } else { notes.extend(problems) }
            }
            Err(sentence) => done.errors.push(sentence),
        }
    }
    notes.dedup();
    done.errors.dedup();
    notes.iter().for_each(|it| note(it));
    if sessions > 0 {
        note(&format!("{} in {}.", analysis::format::count(sessions, "session"), args.out.display()));
    }
    done
}
